"""Keyed text: a statement with each reference to a section of its document replaced by which section that is.

"See §7.3" and "see §8.3" are one text if the section is one and only its number changed. A label that holds a
section's number and title is one reference. A label without a number is text like any other: linking a word changes
nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from tck_spec.passages import LEADS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.passages import Passage
    from tck_spec.references import Reference
    from tck_spec.specification import Specification

__all__ = ["SectionKeys"]

_NUMBERED_LABEL: Final = re.compile(
    r"(?:the\s+)?(?:(?:§§?|sections?|sec\.|sect\.|clause|chapter|appendix|annex)\s*)?(?P<number>[0-9A-Z][0-9A-Za-z.]{0,40}?)"
    r"\.?(?:[\s:,–—-]+|\s*\(|\Z)(?P<title>.{0,300}?)\)?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)


def _fold(text: str) -> str:
    return " ".join(re.sub(r"[`\"'“”\u2018\u2019*_.:()]", " ", text).lower().split())


class SectionKeys:
    """Finds the references to sections in the passages of one document."""

    def __init__(self, spec: Specification) -> None:
        self._spec = spec
        self._leads: dict[int, str] = {}
        self._found: dict[int, list[tuple[int, int, int]]] = {}

    @cached_property
    def _by_number(self) -> dict[str, int]:
        """The index of each section whose number is its alone."""
        found: dict[str, int] = {}
        twice: set[str] = set()
        for index, section in enumerate(self._spec.sections):
            if section.number:
                if section.number in found:
                    twice.add(section.number)
                found[section.number] = index
        return {number: index for number, index in found.items() if number not in twice}

    @cached_property
    def _by_fragment(self) -> dict[str, int]:
        lines = {section.line: index for index, section in enumerate(self._spec.sections)}
        found = {anchor.name: lines[anchor.line] for anchor in self._spec.anchors if anchor.line in lines}
        return found | {section.slug: index for index, section in enumerate(self._spec.sections)}

    @cached_property
    def _references(self) -> tuple[list[tuple[int, int]], list[Reference]]:
        """The references by section number that mean this document, and their places."""
        own = [one for one in self._spec.references if one.kind == "section" and not one.document]
        return [(one.line, one.column) for one in own], own

    def keyed(self, passage: Passage, start: int, end: int) -> str:
        """Return a part of a passage's text, white space collapsed, with ``{§i}`` for each reference."""
        plain = passage.prose.inline.plain
        parts: list[str] = []
        place = start
        spans = self._spans(passage)
        for first, last, index in spans[bisect_left(spans, (start, 0, 0)) :]:
            if last > end:
                break
            parts += [plain[place:first], f"{{§{index}}}"]
            place = last
        parts.append(plain[place:end])
        return " ".join("".join(parts).split())

    def lead_in(self, passage: Passage) -> str:
        """Return what leads a passage in, keyed."""
        if not passage.leads:
            return ""
        return LEADS.join(text for text in map(self._lead, passage.leads) if text)

    def _lead(self, passage: Passage) -> str:
        if passage.index not in self._leads:
            self._leads[passage.index] = self.keyed(passage, passage.leading.start, passage.leading.end)
        return self._leads[passage.index]

    def _spans(self, passage: Passage) -> list[tuple[int, int, int]]:
        """Return where the references of a passage stand, in order and apart from one another, and what they mean."""
        if passage.index not in self._found:
            found = [*self._labels(passage), *self._numbers(passage)]
            found.sort(key=lambda span: (span[0], -span[1]))
            apart: list[tuple[int, int, int]] = []
            for span in found:
                if not apart or span[0] >= apart[-1][1]:
                    apart.append(span)
            self._found[passage.index] = apart
        return self._found[passage.index]

    def _labels(self, passage: Passage) -> Iterator[tuple[int, int, int]]:
        plain = passage.prose.inline.plain
        for link in passage.prose.inline.links:
            if link.image or not link.target.startswith("#"):
                continue
            index = self._section_at(link.target[1:])
            if index is not None and self._names(plain[link.label.start : link.label.end], index):
                yield link.label.start, link.label.end, index

    def _numbers(self, passage: Passage) -> Iterator[tuple[int, int, int]]:
        plain = passage.prose.inline.plain
        for reference, offset in self._mentions(passage):
            index = self._by_number.get(reference.target)
            if reference.link.startswith("#"):
                linked = self._section_at(reference.link[1:])
                if linked is not None and self._spec.sections[linked].number == reference.target:
                    index = linked
            end = offset + len(reference.label)
            if index is not None and plain[offset:end] == reference.label:
                yield offset, end, index

    def _section_at(self, fragment: str) -> int | None:
        found = self._by_fragment.get(fragment)
        return found if found is not None else self._by_fragment.get(unquote(fragment))

    def _names(self, label: str, index: int) -> bool:
        """Tell whether a label is the number of a section, with its title or without."""
        section = self._spec.sections[index]
        match = _NUMBERED_LABEL.match(label.strip())
        if match is None or section.number is None:
            return False
        number = section.number.removeprefix("Appendix ")
        return match["number"] == number and _fold(match["title"]) in ("", _fold(section.title))

    def _mentions(self, passage: Passage) -> Iterator[tuple[Reference, int]]:
        """Yield the references in a passage with their offsets in its plain text."""
        prose = passage.prose
        places, references = self._references
        first, last = prose.segments[0], prose.segments[-1]
        place = bisect_left(places, (first.line, first.column))
        end = last.line, last.column + len(last.text)
        lines = {segment.line: number for number, segment in enumerate(prose.segments)}
        while place < len(places) and places[place] <= end:
            line, column = places[place]
            number = lines.get(line)
            if number is not None:
                segment = prose.segments[number]
                if 0 <= column - segment.column <= len(segment.text):
                    source = prose.starts[number] + column - segment.column
                    yield references[place], passage.plain_offset(source)
            place += 1
