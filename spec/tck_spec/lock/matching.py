"""Matching: which requirement of the lock is which statement of the document now.

Each step of the table takes what it is sure of and leaves the rest to the next: ids that the document gives itself, the
same text in the same section, the same text elsewhere, equal ones in order, then less and less equal ones. What is
alike but not clearly so is asked, never decided in silence.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from tck_spec.lock.similarity import LEAST, alike, same_part
from tck_spec.lock.splitting import absorb, merged_from, split_into

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from tck_spec.lock.atoms import Atom

__all__ = ["EDITED_ELSEWHERE", "EDITED_HERE", "MARGIN", "REUSED", "STEPS", "Matching", "Pair", "Question", "match"]

#: From here on a text in the same section, or in another one, is an edit of the old one.
EDITED_HERE: Final = 0.75
EDITED_ELSEWHERE: Final = 0.85
#: By how much the best answer has to be better than the next.
MARGIN: Final = 0.08
#: An id under which a text stands that is less like the old one than this names another requirement.
REUSED: Final = 0.5
#: Equal statements are aligned by their longest common run only where they are so few.
_MOST_ALIGNED: Final = 40_000
#: What staying in the section is worth where two answers compete, and keeping the context.
_SAME_SECTION: Final = 0.1
_SAME_CONTEXT: Final = 0.03


@dataclass(frozen=True, slots=True)
class Pair:
    """An old and a new statement that are the same requirement, by index."""

    old: int
    new: int
    ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """A statement that may be one of some requirements, the likeliest first."""

    new: int
    olds: tuple[int, ...]
    ratio: float


@dataclass(slots=True)
class Matching:
    """What is known so far. Indexes of `olds` and `news`; `free_*` are those that nothing has taken yet."""

    olds: Sequence[Atom]
    news: Sequence[Atom]
    #: The section around each section, by id.
    inside: Mapping[str, str]
    #: What somebody has decided: the index of a statement, and that of the requirement it is; -1 for a new one.
    decided: Mapping[int, int]
    pairs: list[Pair] = field(default_factory=list[Pair])
    #: Not clear: somebody has to say.
    asked: list[Question] = field(default_factory=list[Question])
    #: Pairs of one id and another meaning.
    reused: list[Pair] = field(default_factory=list[Pair])
    splits: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    #: By the statement that others have become.
    merges: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    free_olds: dict[int, Atom] = field(default_factory=dict[int, "Atom"])
    free_news: dict[int, Atom] = field(default_factory=dict[int, "Atom"])
    #: Pairs that were alike enough to be looked at, with their likeness.
    scores: dict[tuple[int, int], float] = field(default_factory=dict[tuple[int, int], float])

    def take(self, pair: Pair, kind: list[Pair] | None = None) -> None:
        """Let a pair be settled."""
        (self.pairs if kind is None else kind).append(pair)
        self.free_olds.pop(pair.old, None)
        self.free_news.pop(pair.new, None)

    def ask(self, question: Question) -> None:
        """Let a question be open: what it is about is settled by nothing else."""
        self.asked.append(question)
        self.free_news.pop(question.new, None)
        for old in question.olds:
            self.free_olds.pop(old, None)

    def may_be(self, old: int, new: int, *, equal: bool = False) -> bool:
        """Tell whether an old id can live on in a statement: two ids of the document's own are two requirements."""
        one, other = self.olds[old], self.news[new]
        return equal or not (one.explicit and other.explicit)


def match(
    olds: Sequence[Atom],
    news: Sequence[Atom],
    inside: Mapping[str, str] | None = None,
    decided: Mapping[int, int] | None = None,
) -> Matching:
    """Match the requirements of a lock with the statements of a document."""
    matching = Matching(olds, news, inside or {}, decided or {})
    matching.free_olds = dict(enumerate(olds))
    new_ones = {index for index, old in matching.decided.items() if old < 0}
    matching.free_news = {index: atom for index, atom in enumerate(news) if index not in new_ones}
    for _, step in STEPS:
        step(matching)
    matching.free_news |= {index: news[index] for index in new_ones}
    return matching


def _decided(matching: Matching) -> None:
    """Take what somebody has answered."""
    for new, old in matching.decided.items():
        if old >= 0 and old in matching.free_olds:
            ratio = same_part(matching.olds[old].compared, matching.news[new].compared)
            matching.take(Pair(old, new, ratio))


def _marker(matching: Matching) -> None:
    """Take an id that the document gives as the key, unless it stands with a text that is another requirement's."""
    by_id = {atom.id: index for index, atom in matching.free_olds.items()}
    moved_to = _by(matching.free_news, lambda atom: atom.loose)
    for new, atom in list(matching.free_news.items()):
        old = by_id.get(atom.id) if atom.id else None
        if old is None or old not in matching.free_olds:
            continue
        before = matching.olds[old]
        ratio = 1.0 if before.loose == atom.loose else same_part(before.compared, atom.compared)
        others = [one for one in moved_to.get(before.loose, ()) if one != new]
        elsewhere = ratio < 1 and any(_was_not(matching.news[one], matching.olds, by_id) for one in others)
        reused = (ratio < REUSED or elsewhere or atom.fp in before.asked) and new not in matching.decided
        matching.take(Pair(old, new, ratio), matching.reused if reused else None)


def _was_not(atom: Atom, olds: Sequence[Atom], by_id: Mapping[str, int]) -> bool:
    """Tell whether an id had another text than it has now, or is new."""
    old = by_id.get(atom.id)
    return bool(atom.id) and (old is None or olds[old].loose != atom.loose)


def _same_text_here(matching: Matching) -> None:
    """Pair the same text in the same section."""
    _equal(matching, lambda atom: (atom.section, atom.strict))


def _same_text_elsewhere(matching: Matching) -> None:
    """Pair the same text in another section: it has moved. Of a text that stands twice nobody knows which has."""
    _equal(matching, lambda atom: atom.strict, unique=True)


def _still_asked(matching: Matching) -> None:
    """Keep a question open that was asked before, even if what made it one is no longer there."""
    by_text: dict[str, list[int]] = defaultdict(list)
    for old, atom in matching.free_olds.items():
        for text in atom.asked:
            by_text[text].append(old)
    if not by_text:
        return
    for new, atom in tuple(matching.free_news.items()):
        olds = [old for old in by_text.get(atom.fp, ()) if matching.may_be(old, new)]
        if olds:
            scored = [(same_part(matching.olds[old].compared, atom.compared), old) for old in olds]
            scored.sort(key=lambda one: (-one[0], one[1]))
            matching.ask(Question(new, tuple(old for _, old in scored), scored[0][0]))


def _loose_text_here(matching: Matching) -> None:
    """Pair what is the same but for capitals and punctuation, in the same section."""
    _equal(matching, lambda atom: (atom.section, atom.loose))


def _loose_text_elsewhere(matching: Matching) -> None:
    """Pair what is the same but for capitals and punctuation, in another section."""
    _equal(matching, lambda atom: atom.loose, unique=True)


def _other_force_here(matching: Matching) -> None:
    """Pair what is the same but for its key word or a negation: its strength has changed."""
    _equal(matching, lambda atom: (atom.section, atom.words), equal=False)


def _other_force_elsewhere(matching: Matching) -> None:
    """Pair what is the same but for its key word, in another section."""
    _equal(matching, lambda atom: atom.words, equal=False, unique=True)


def _alike(matching: Matching) -> None:
    """Pair what is alike enough, and clearly more than any other: it was edited. The rest waits for the next steps."""
    often = _often(matching, lambda atom: atom.loose)
    for old, new, score in alike(matching.free_olds, matching.free_news):
        told = matching.olds[old].loose not in often and matching.news[new].loose not in often
        if matching.may_be(old, new) and (told or _near(matching, old, new)):
            matching.scores[old, new] = score
    assigned = _assign(matching)
    rivals = _Rivals(matching, assigned)
    for new, old in assigned.items():
        score = matching.scores[old, new]
        if score >= _threshold(matching, old, new) and rivals.margin(old, new) >= MARGIN:
            matching.take(Pair(old, new, score))


def _split_and_merged(matching: Matching) -> None:
    """Find one that has become several, and several that have become one."""
    for old, parts in split_into(matching.free_olds, matching.free_news).items():
        matching.splits[old] = parts
        matching.free_olds.pop(old)
        for new in parts:
            matching.free_news.pop(new)
    for new, parts in merged_from(matching.free_olds, matching.free_news).items():
        matching.merges[new] = parts
        matching.free_news.pop(new)
        for old in parts:
            matching.free_olds.pop(old)
    edited = {pair.new: pair.old for pair in matching.pairs if pair.ratio < 1}
    for new, parts in absorb(matching.olds, matching.news, edited, matching.free_olds).items():
        matching.merges[new] = parts
        for old in parts:
            matching.free_olds.pop(old)


def _ask(matching: Matching) -> None:
    """Keep for a question what is alike, but not clearly."""
    left = {
        (old, new): score
        for (old, new), score in matching.scores.items()
        if old in matching.free_olds and new in matching.free_news
    }
    weights = {pair: _weight(matching, *pair) for pair, score in left.items() if score >= _enough(matching, *pair)}
    of_old: dict[int, list[int]] = defaultdict(list)
    of_new: dict[int, list[int]] = defaultdict(list)
    for old, new in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        of_old[old].append(new)
        of_new[new].append(old)
    for old, new in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        if old not in matching.free_olds or new not in matching.free_news:
            continue
        least = weights[old, new] - MARGIN
        olds = [one for one in of_new[new] if one in matching.free_olds and weights[one, new] > least]
        news = [one for one in of_old[old] if one in matching.free_news and weights[old, one] > least]
        matching.ask(Question(new, tuple(dict.fromkeys((old, *olds))), left[old, new]))
        for other in news:
            if other != new:
                matching.ask(Question(other, (old,), left[old, other]))


def _enough(matching: Matching, old: int, new: int) -> float:
    """Return how alike two have to be for somebody to be asked."""
    return LEAST if _near(matching, old, new) else EDITED_HERE


#: The steps in order, each with what it is called.
STEPS: Final[tuple[tuple[str, Callable[[Matching], None]], ...]] = (
    ("answered by somebody", _decided),
    ("id in the document", _marker),
    ("same text, same section", _same_text_here),
    ("same text, elsewhere", _same_text_elsewhere),
    ("asked before, and not answered", _still_asked),
    ("loosely the same, same section", _loose_text_here),
    ("loosely the same, elsewhere", _loose_text_elsewhere),
    ("same but for its strength, same section", _other_force_here),
    ("same but for its strength, elsewhere", _other_force_elsewhere),
    ("alike", _alike),
    ("split or merged", _split_and_merged),
    ("to be asked", _ask),
)


def _by(atoms: Mapping[int, Atom], key: Callable[[Atom], Hashable]) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, atom in atoms.items():
        groups[key(atom)].append(index)
    return groups


def _equal(matching: Matching, key: Callable[[Atom], Hashable], *, equal: bool = True, unique: bool = False) -> None:
    """Pair what has the same key: by context where several have it, and otherwise in order.

    With `unique` only what is the only one of its kind in the whole of both documents.
    """
    olds = _by(matching.free_olds, key)
    often: frozenset[Hashable] = _often(matching, key) if unique else frozenset()
    for same, news in _by(matching.free_news, key).items():
        before = olds.get(same, [])
        if not before or same in often:
            continue
        for old, new in _aligned(matching, before, news):
            if matching.may_be(old, new, equal=equal):
                matching.take(Pair(old, new, 1.0))


def _often(matching: Matching, key: Callable[[Atom], Hashable]) -> frozenset[Hashable]:
    """Return the keys that several statements of one document have."""
    return frozenset(
        same for side in (matching.olds, matching.news) for same, count in Counter(map(key, side)).items() if count > 1
    )


def _aligned(matching: Matching, olds: list[int], news: list[int]) -> list[tuple[int, int]]:
    """Pair equal statements: the longest common run of contexts first, then any equal context, then the order."""
    if len(olds) == 1 == len(news):
        return [(olds[0], news[0])]
    before = [matching.olds[one].around for one in olds]
    after = [matching.news[one].around for one in news]
    if len({*before, *after}) == 1:
        return list(zip(olds, news, strict=False))
    pairs: list[tuple[int, int]] = []
    if len(olds) * len(news) <= _MOST_ALIGNED:
        for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
            pairs += ((olds[block.a + step], news[block.b + step]) for step in range(block.size))
    taken = {one for pair in pairs for one in pair[:1]}, {one for pair in pairs for one in pair[1:]}
    by_context: dict[tuple[str, ...], deque[int]] = defaultdict(deque)
    for old, around in zip(olds, before, strict=True):
        if old not in taken[0]:
            by_context[around].append(old)
    left: list[int] = []
    for new, around in zip(news, after, strict=True):
        if new in taken[1]:
            continue
        if by_context[around]:
            pairs.append((by_context[around].popleft(), new))
        else:
            left.append(new)
    rest = {old for waiting in by_context.values() for old in waiting}
    return pairs + list(zip((old for old in olds if old in rest), left, strict=False))


def _same_section(matching: Matching, old: int, new: int) -> bool:
    return matching.olds[old].section == matching.news[new].section


def _near(matching: Matching, old: int, new: int) -> bool:
    """Tell whether a statement stays in its section, or goes into one inside it, or into the one around it."""
    before, after = matching.olds[old].section, matching.news[new].section
    return before == after or after == matching.inside.get(before) or before == matching.inside.get(after)


def _threshold(matching: Matching, old: int, new: int) -> float:
    return EDITED_HERE if _same_section(matching, old, new) else EDITED_ELSEWHERE


def _weight(matching: Matching, old: int, new: int) -> float:
    """Return how much speaks for a pair, its place included."""
    score = matching.scores.get((old, new), 0.0)
    if not score:
        return 0.0
    context = matching.olds[old].around == matching.news[new].around
    return score + _SAME_SECTION * _same_section(matching, old, new) + _SAME_CONTEXT * context


def _assign(matching: Matching) -> dict[int, int]:
    """Give each statement the requirement that most speaks for, the surest pairs first."""
    assigned: dict[int, int] = {}
    used: set[int] = set()
    for old, new in sorted(matching.scores, key=lambda pair: (-_weight(matching, *pair), pair)):
        if old not in used and new not in assigned:
            assigned[new] = old
            used.add(old)
    return assigned


def _same(atoms: Sequence[Atom], one: int, other: int) -> bool:
    """Tell whether two statements are one, or say the same of the same, so that it does not matter which is which."""
    a, b = atoms[one], atoms[other]
    return one == other or (a.strict == b.strict and a.around == b.around and a.section == b.section)


class _Rivals:
    """How much better an assignment is than the best other one that exchanges a partner."""

    def __init__(self, matching: Matching, assigned: Mapping[int, int]) -> None:
        self._matching = matching
        self._assigned = assigned
        self._new_of = {old: new for new, old in assigned.items()}
        self._of_old: dict[int, list[int]] = defaultdict(list)
        self._of_new: dict[int, list[int]] = defaultdict(list)
        for old, new in matching.scores:
            self._of_old[old].append(new)
            self._of_new[new].append(old)

    def margin(self, old: int, new: int) -> float:
        """Return by how much this pair wins; two pairs that could be crossed are held against the crossing."""
        here = self._weight(old, new)
        margin = 1.0
        for other in self._of_old[old]:
            if not _same(self._matching.news, other, new):
                partner = self._assigned.get(other)
                margin = min(margin, here - self._weight(old, other) + self._gain(partner, other, new))
        for other in self._of_new[new]:
            if not _same(self._matching.olds, other, old):
                partner = self._new_of.get(other)
                crossed = 0.0
                if partner is not None:
                    crossed = self._weight(other, partner) - self._weight(old, partner)
                margin = min(margin, here - self._weight(other, new) + crossed)
        return margin

    def _gain(self, partner: int | None, other: int, new: int) -> float:
        return 0.0 if partner is None else self._weight(partner, other) - self._weight(partner, new)

    def _weight(self, old: int, new: int) -> float:
        return _weight(self._matching, old, new)
