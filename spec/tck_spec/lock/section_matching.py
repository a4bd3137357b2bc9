"""Which section of a document is which section of the lock, whatever number and title it has today.

Titles say most, the section around says which of several equal titles is meant, and where both have changed the
statements that still stand in a section give it away.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from tck_spec.lock.fingerprints import loose
from tck_spec.lock.minting import mint_section
from tck_spec.lock.records import SectionRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from tck_spec.sections import Section

__all__ = ["SectionMatching", "match_sections"]

#: At least this part of the statements of one side has to stand in the other for them to decide.
CONTENT: Final = 0.5
#: Shorter statements stand in many sections and give none away.
_TELLING: Final = 5
#: How alike titles have to be inside the same section, and if the number or the statements are the same as well.
ALIKE: Final = 0.8
ALIKE_BESIDES: Final = 0.5
#: Sections are compared one by one only where few are left over.
_MOST_COMPARED: Final = 40_000

_PARTS: Final = re.compile(r"[0-9]{1,9}|[^0-9]+")


@dataclass(frozen=True, slots=True)
class SectionMatching:
    """The sections as the lock is to have them now."""

    #: All records: those that live on, new ones, and those that are gone.
    records: tuple[SectionRecord, ...]
    #: The id of each section of the document, in its order.
    ids: tuple[str, ...]


@dataclass(slots=True)
class _Matcher:
    """What is known so far: for each section of the document the index of its record."""

    records: Sequence[SectionRecord]
    sections: Sequence[Section]
    #: The texts of the statements in each, without the numbers of sections.
    old_content: Mapping[str, frozenset[str]]
    new_content: Sequence[frozenset[str]]
    parents: list[int] = field(default_factory=list[int])
    found: dict[int, int] = field(default_factory=dict[int, int])
    free: set[int] = field(default_factory=set[int])
    old_titles: list[str] = field(default_factory=list[str])
    new_titles: list[str] = field(default_factory=list[str])
    around: dict[str, SectionRecord] = field(default_factory=dict[str, SectionRecord])

    def start(self) -> None:
        by_slug: dict[str, int] = {}
        for index, section in enumerate(self.sections):
            self.parents.append(by_slug.get(section.parent, -1) if section.parent is not None else -1)
            by_slug[section.slug] = index
        self.old_titles = [loose(one.title) for one in self.records]
        self.new_titles = [loose(one.title) for one in self.sections]
        self.around = {one.id: one for one in self.records}
        self.free = {index for index, one in enumerate(self.records) if one.state == "active"}

    def pair(self, new: int, old: int) -> None:
        self.found[new] = old
        self.free.discard(old)

    def rest(self) -> list[int]:
        return [index for index in range(len(self.sections)) if index not in self.found]

    def parent_of(self, new: int) -> str | None:
        """Return the id of the record around a section; None where that one is not matched yet."""
        parent = self.parents[new]
        if parent < 0:
            return ""
        return self.records[self.found[parent]].id if parent in self.found else None

    def by_key(self, old_key: Callable[[int], Hashable], new_key: Callable[[int], Hashable], *, many: bool) -> None:
        """Pair what has the same key; with `many`, also where several have it."""
        olds: dict[Hashable, list[int]] = defaultdict(list)
        news: dict[Hashable, list[int]] = defaultdict(list)
        for old in sorted(self.free, key=lambda one: _order(self.records[one])):
            olds[old_key(old)].append(old)
        for new in self.rest():
            key = new_key(new)
            if key is not None and key in olds:
                news[key].append(new)
        for key, group in news.items():
            if len(group) == 1 == len(olds[key]):
                self.pair(group[0], olds[key][0])
            elif many:
                self.align(olds[key], group)

    def align(self, olds: list[int], news: list[int]) -> None:
        """Pair sections of one title in one place: by number, by what stands in them, and then in order."""
        by_number = {self.records[old].number: old for old in reversed(olds)}
        for new in news:
            old = by_number.get(self.sections[new].number or "")
            if old is not None and old in self.free and self.records[old].number and self.share(old, new) != 0:
                self.pair(new, old)
        if len(olds) * len(news) <= _MOST_COMPARED:
            for new in news:
                if new not in self.found:
                    old = next((one for one in olds if one in self.free and self._same_content(one, new)), None)
                    if old is not None:
                        self.pair(new, old)
        left = [old for old in olds if old in self.free]
        for new, old in zip((new for new in news if new not in self.found), left, strict=False):
            self.pair(new, old)

    def _same_content(self, old: int, new: int) -> bool:
        return (self.share(old, new) or 0) >= CONTENT

    def share(self, old: int, new: int) -> float | None:
        """Return which part of the statements both have; None where neither has any."""
        before, after = self.old_content.get(self.records[old].id, frozenset()), self.new_content[new]
        if not before and not after:
            return None
        return len(before & after) / max(1, min(len(before), len(after)))

    def downwards(self) -> None:
        """Pair sections of one title inside the same section, from the top down, as each gives its children a place."""
        for _ in range(7):
            known = len(self.found)
            self.by_key(
                lambda old: (self.old_titles[old], self.records[old].inside),
                lambda new: None if (parent := self.parent_of(new)) is None else (self.new_titles[new], parent),
                many=True,
            )
            if len(self.found) == known:
                return

    def by_content(self) -> None:
        """Pair sections that hold the same statements under another title."""
        holders: dict[str, list[int]] = defaultdict(list)
        for old in sorted(self.free):
            for text in self.old_content.get(self.records[old].id, ()):
                if len(text.split()) >= _TELLING:
                    holders[text].append(old)
        votes: list[tuple[float, int, int]] = []
        for new in self.rest():
            candidates = {
                old for text in self.new_content[new] if len(holders.get(text, ())) == 1 for old in holders[text]
            }
            votes += ((-(self.share(old, new) or 0), new, old) for old in candidates)
        self._best([vote for vote in votes if -vote[0] >= CONTENT])

    def by_likeness(self) -> None:
        """Pair sections inside the same one whose titles are alike."""
        rest = [(new, parent) for new in self.rest() if (parent := self.parent_of(new)) is not None]
        if len(rest) * len(self.free) > _MOST_COMPARED:
            return
        votes: list[tuple[float, int, int]] = []
        for new, parent in rest:
            for old in self.free:
                record = self.records[old]
                if record.inside == parent and self.share(old, new) != 0:
                    likeness = _likeness(self.old_titles[old], self.new_titles[new])
                    same = bool(record.number) and record.number == self.sections[new].number
                    same = same or (self.share(old, new) or 0) >= CONTENT
                    if likeness >= (ALIKE_BESIDES if same else ALIKE):
                        votes.append((-likeness, new, old))
        self._best(votes)

    def _best(self, votes: list[tuple[float, int, int]]) -> None:
        for _, new, old in sorted(votes):
            if new not in self.found and old in self.free:
                self.pair(new, old)

    def revive(self) -> None:
        """Pair what has come back with what was gone."""
        gone = {
            (title, one.inside): index
            for index, (title, one) in enumerate(zip(self.old_titles, self.records, strict=True))
            if one.state == "gone"
        }
        for new in self.rest():
            parent = self.parent_of(new)
            old = gone.pop((self.new_titles[new], parent or ""), None) if parent is not None else None
            if old is not None:
                self.pair(new, old)

    def title_and_number(self) -> None:
        """Pair by number and title."""
        self.by_key(
            lambda old: (self.old_titles[old], self.records[old].number),
            lambda new: (self.new_titles[new], self.sections[new].number) if self.sections[new].number else None,
            many=False,
        )

    def full_title(self) -> None:
        """Pair by title, title around, and number."""
        self.by_key(
            lambda old: (self.old_titles[old], self._title_around(old), self.records[old].number),
            lambda new: (
                self.new_titles[new],
                self.new_titles[self.parents[new]] if self.parents[new] >= 0 else "",
                self.sections[new].number or "",
            ),
            many=False,
        )

    def _title_around(self, old: int) -> str:
        around = self.around.get(self.records[old].inside)
        return loose(around.title) if around else ""

    def title(self) -> None:
        """Pair by title alone, where only one on each side has it."""
        self.by_key(lambda old: self.old_titles[old], lambda new: self.new_titles[new], many=False)


#: The steps, in order; each looks at what the ones before it have left over.
_STEPS: Final[tuple[Callable[[_Matcher], None], ...]] = (
    _Matcher.full_title,
    _Matcher.downwards,
    _Matcher.title_and_number,
    _Matcher.title,
    _Matcher.downwards,
    _Matcher.by_content,
    _Matcher.by_likeness,
    _Matcher.downwards,
    _Matcher.revive,
)


def match_sections(
    document: str,
    records: Sequence[SectionRecord],
    sections: Sequence[Section],
    old_content: Mapping[str, frozenset[str]],
    new_content: Sequence[frozenset[str]],
) -> SectionMatching:
    """Match the sections of a document with the records of its lock, and mint ids for new ones."""
    matcher = _Matcher(records, sections, old_content, new_content)
    matcher.start()
    for step in _STEPS:
        step(matcher)
    ids = _ids(document, matcher)
    used = {section.number for section in sections if section.number}
    living: list[SectionRecord] = []
    for index, section in enumerate(sections):
        old = records[matcher.found[index]] if index in matcher.found else None
        parent = matcher.parents[index]
        living.append(_record(section, ids[index], ids[parent] if parent >= 0 else "", old, used))
    kept = set(ids)
    gone = [
        SectionRecord(one.id, one.title, one.slug, one.number, one.inside, _unused(one.was, used), "gone")
        for one in records
        if one.id not in kept
    ]
    return SectionMatching(tuple(sorted((*living, *gone), key=lambda one: one.id)), ids)


def _ids(document: str, matcher: _Matcher) -> tuple[str, ...]:
    taken = {one.id for one in matcher.records}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    ids: list[str] = []
    for index, title in enumerate(matcher.new_titles):
        parent = matcher.parents[index]
        key = (title, matcher.new_titles[parent] if parent >= 0 else "")
        if index in matcher.found:
            ids.append(matcher.records[matcher.found[index]].id)
        else:
            ids.append(mint_section(document, *key, counts[key], taken))
            taken.add(ids[-1])
        counts[key] += 1
    return tuple(ids)


def _record(section: Section, identifier: str, inside: str, old: SectionRecord | None, used: set[str]) -> SectionRecord:
    number = section.number or ""
    was = old.was if old else ()
    if old and old.number and old.number != number:
        was = (*(one for one in was if one != old.number), old.number)
    return SectionRecord(identifier, section.title, section.slug, number, inside, _unused(was, used))


def _unused(numbers: tuple[str, ...], used: set[str]) -> tuple[str, ...]:
    return tuple(number for number in numbers if number not in used)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _order(record: SectionRecord) -> tuple[list[tuple[int, str]], list[tuple[int, str]], str]:
    """Order records as their numbers and slugs count, as far as one can know without the document."""
    return _counted(record.number), _counted(record.slug), record.id


def _counted(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part[0] in "0123456789" else (-1, part) for part in _PARTS.findall(text)]
