"""Splits and merges: one requirement whose words have become several statements, or the other way round.

What counts is what they are about: fillers and key words stand in every sentence and say nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from tck_spec.lock.similarity import bag, candidates, contained, telling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tck_spec.lock.atoms import Atom

__all__ = ["ABSORBED", "PART", "UNION", "absorb", "merged_from", "split_into"]

#: How much of each part has to stand in the whole, and how much of the whole in all parts together.
PART: Final = 0.5
UNION: Final = 0.8
#: From another section a part has to come nearly whole.
PART_ELSEWHERE: Final = 0.8
#: How much of a requirement has to stand in the new words of another one for it to have gone into that.
ABSORBED: Final = 0.8
#: What a part has to add to the others for it to be one.
_ADDED: Final = 0.15
#: Shorter statements are about too little.
_FEWEST: Final = 3
_MOST_PARTS: Final = 8


def split_into(olds: Mapping[int, Atom], news: Mapping[int, Atom]) -> dict[int, tuple[int, ...]]:
    """Return the requirements that have become several statements, with these in document order."""
    return _covered(olds, news)


def merged_from(olds: Mapping[int, Atom], news: Mapping[int, Atom]) -> dict[int, tuple[int, ...]]:
    """Return the statements that several requirements have become, with these in order."""
    return _covered(news, olds)


def _covered(wholes: Mapping[int, Atom], parts: Mapping[int, Atom]) -> dict[int, tuple[int, ...]]:
    holders: dict[str, list[int]] = defaultdict(list)
    words: dict[int, Counter[str]] = {}
    for index, atom in parts.items():
        words[index] = telling(atom.words)
        for word in words[index]:
            holders[word].append(index)
    found: dict[int, tuple[int, ...]] = {}
    used: set[int] = set()
    for index, whole in wholes.items():
        wanted = telling(whole.words)
        if wanted.total() < 2 * _FEWEST:
            continue
        near = [
            part for part in candidates(tuple(wanted), holders) if part not in used and _is_part(parts[part], whole)
        ]
        chosen = _cover(wanted, {part: words[part] for part in near})
        if chosen:
            found[index] = tuple(sorted(chosen, key=lambda one: parts[one].order))
            used.update(chosen)
    return found


def _is_part(part: Atom, whole: Atom) -> bool:
    about = telling(part.words)
    if about.total() < _FEWEST or (part.explicit and whole.explicit):
        return False
    return contained(about, bag(whole.words)) >= (PART if part.section == whole.section else PART_ELSEWHERE)


def _cover(wanted: Counter[str], parts: Mapping[int, Counter[str]]) -> list[int]:
    """Choose the parts that cover a whole, each for what it adds; nothing if they leave too much of it."""
    total, left = wanted.total(), Counter(wanted)
    chosen: list[int] = []
    while len(chosen) < _MOST_PARTS:
        best = max(parts, key=lambda one: ((left & parts[one]).total(), -one), default=None)
        if best is None or best in chosen or (left & parts[best]).total() < _ADDED * total:
            break
        left -= parts[best]
        chosen.append(best)
    return chosen if len(chosen) > 1 and 1 - left.total() / total >= UNION else []


def absorb(
    olds: Sequence[Atom], news: Sequence[Atom], edited: Mapping[int, int], free: Mapping[int, Atom]
) -> dict[int, tuple[int, ...]]:
    """Return the edited statements that have taken up a requirement which is gone, with those.

    `edited` maps the index of a statement to that of the requirement it was.
    """
    holders: dict[str, list[int]] = defaultdict(list)
    for new in edited:
        for word in telling(news[new].words):
            holders[word].append(new)
    taken: dict[int, list[int]] = defaultdict(list)
    for old, atom in free.items():
        about = telling(atom.words)
        if about.total() < _FEWEST:
            continue
        for new in candidates(tuple(about), holders):
            if news[new].section != atom.section or (atom.explicit and news[new].explicit):
                continue
            added = bag(news[new].words) - bag(olds[edited[new]].words)
            if contained(about, bag(news[new].words)) >= ABSORBED and contained(about, added) >= PART:
                taken[new].append(old)
                break
    return {new: tuple(sorted(parts)) for new, parts in taken.items()}
