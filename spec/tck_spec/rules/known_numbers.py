"""Known numbers: whether a section number that no heading has is one all the same.

Four things have numbers besides headings that show one. The headings themselves, where none shows its number and a
renderer counts them. Clauses and items of lists, in documents of lawyers' style: a lettered part
of a known section, and, where no heading is numbered at all, the items of ordered lists. Statements whose number stands
in a heading's title ("Requirement 1.2.3"). And the sections of another document of the same set. That one is meant only
where the sentence names it, or where the set is one specification in several files: then its chapters are spread over
them, so the number's chapter is nowhere in this document and the number is in exactly one of the others.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.references import Reference
    from tck_spec.rules.context import Context
    from tck_spec.specification import Specification

__all__ = ["KnownNumbers"]

_ITEM: Final = re.compile(r"^[ \t>]{0,40}(?P<number>\d{1,3})[.)][ \t]", re.MULTILINE)
#: A number in a heading's title: "Requirement 1.2.3", "Conformance Clause 1".
_IN_TITLE: Final = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:\.\d{1,4}){1,8}|(?<=Clause )\d{1,3}|(?<=Section )\d{1,3}|(?<=Chapter )\d{1,3})(?![\w.]*\w)"
)
_CLAUSE: Final = re.compile(r"(?:§\s?|[\[(])?(?P<number>\d{1,3}(?:\.\d{1,4}){1,8})[\])]?[.:]?\s")
_LETTERED: Final = re.compile(r"(?P<section>\d{1,3}(?:\.\d{1,4})*)\.?(?:[a-z]|[ivx]{1,5})(?:\..*)?")
_SENTENCE: Final = re.compile(r"[.!?](?=\s)")
#: A numbered paragraph with fewer words is an entry of a list of contents.
_FEWEST_WORDS: Final = 8
_SHORTEST_NAME: Final = 4


class KnownNumbers:
    """What has a number in one document and in those beside it, besides its headings."""

    def __init__(self, context: Context) -> None:
        """Look at nothing yet: in most documents every number is that of a heading."""
        self._context = context
        self._clauses: frozenset[str] | None = None
        self._others: dict[str, list[Specification]] | None = None
        self._chapters = {number.split(".")[0] for number in context.by_number}

    def has(self, reference: Reference) -> bool:
        """Tell whether a reference names something that has its number."""
        number = reference.target
        lettered = _LETTERED.fullmatch(number)
        section = lettered["section"] if lettered else number
        if lettered and section in self._context.by_number:
            return True
        if self._clauses is None:
            self._clauses = frozenset(self._numbered())
        if (
            number in self._clauses
            or number in self._counted
            or (not self._context.by_number and section.split(".")[0] in self._clauses)
        ):
            return True
        return self.elsewhere(reference) is not None

    @cached_property
    def _counted(self) -> frozenset[str]:
        """The numbers that headings without any would have: of all, and of those below a title."""
        if self._context.by_number:
            return frozenset()
        levels = [section.level for section in self._context.spec.sections]
        first = min(levels, default=0)
        tops = {first} if levels.count(first) > 1 else {first, min((one for one in levels if one > first), default=0)}
        return frozenset(number for top in tops for number in _count(levels, top))

    def _numbered(self) -> Iterator[str]:
        spec = self._context.spec
        if not self._context.by_number:
            yield from (match["number"] for match in _ITEM.finditer(spec.text))
        for piece in spec.prose:
            plain = piece.inline.plain
            if piece.kind == "heading":
                yield from _IN_TITLE.findall(plain)
            elif piece.kind == "paragraph" and len(plain[:400].split()) >= _FEWEST_WORDS:
                match = _CLAUSE.match(plain)
                if match:
                    yield match["number"]

    def holders(self, number: str) -> list[Specification]:
        """Return the other documents of the set that have a section with a number."""
        if self._others is None:
            self._others = {}
            for other in self._context.others:
                for one in {section.number for section in other.sections if section.number}:
                    self._others.setdefault(one, []).append(other)
        return self._others.get(number, [])

    def elsewhere(self, reference: Reference) -> Specification | None:
        """Return the document of the set whose section a reference means."""
        holders = self.holders(reference.target)
        if not holders:
            return None
        sentence = self._sentence(reference)
        for other in holders:
            if any(name in sentence for name in _names(other)):
                return other
        spread = reference.target.split(".")[0] not in self._chapters
        return holders[0] if spread and len(holders) == 1 else None

    def _sentence(self, reference: Reference) -> str:
        plain = self._context.spec.prose[reference.piece].inline.plain
        start = max(0, reference.start - 400)
        ends = [match.end() for match in _SENTENCE.finditer(plain, start, reference.start)]
        after = _SENTENCE.search(plain, reference.end, reference.end + 400)
        return _fold(plain[ends[-1] if ends else start : after.end() if after else reference.end + 400])


def _count(levels: list[int], top: int) -> Iterator[str]:
    """Yield the numbers of headings of these levels, counted from a level on."""
    counts = [0] * 7
    for level in levels:
        if level >= top:
            counts[level] += 1
            counts[level + 1 :] = [0] * len(counts[level + 1 :])
            yield ".".join(str(count) for count in counts[top : level + 1] if count)


def _names(spec: Specification) -> Iterator[str]:
    for name in (spec.title, PurePath(spec.source).name, spec.identifier, PurePath(spec.source).stem):
        folded = _fold(name)
        if len(folded) >= _SHORTEST_NAME:
            yield folded


def _fold(text: str) -> str:
    return " ".join(re.sub(r"[-_\s]+", " ", text).casefold().split())
