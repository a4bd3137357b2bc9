"""Texts: which words an id speaks of: those beside it, those in the block after it, or the rest of its row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tck_spec.keywords import keywords_in
from tck_spec.marked import Form, Marker, Part
from tck_spec.marked_places import Found, find_places
from tck_spec.passages import Passage, collapse

if TYPE_CHECKING:
    from tck_spec.blocks import Block
    from tck_spec.patterns import Pattern
    from tck_spec.specification import Specification

__all__ = ["find_markers"]


def find_markers(
    spec: Specification, passages: Sequence[Passage], pattern: Pattern | None, *, quotes: bool
) -> tuple[Marker, ...]:
    """Return every marker of every form, in document order; `pattern` finds the ids of the document's own form."""
    found = sorted(find_places(spec, passages, pattern, quotes=quotes), key=lambda one: (one.line, one.column))
    if not found:
        return ()
    texts = _Texts(spec, passages, found)
    return tuple(_with_conditions(spec, passages, [texts.marker(one) for one in found]))


_TAG: Final = re.compile(r"<[^<>]*>")


class _Texts:
    """Finds the text of each marker: beside it, in the block after it, in the quotation under it, in its row."""

    def __init__(self, spec: Specification, passages: Sequence[Passage], found: Sequence[Found]) -> None:
        self._blocks = spec.document.blocks
        self._passages = passages
        self._place = {passage.index: place for place, passage in enumerate(passages)}
        self._by_block: dict[int, list[Passage]] = {}
        self._by_line: dict[tuple[int, int], list[Passage]] = {}
        for passage in passages:
            block = passage.prose.block
            self._by_block.setdefault(block, []).append(passage)
            if passage.prose.kind == "cell":
                self._by_line.setdefault((block, passage.prose.segments[0].line), []).append(passage)
        self._pictures = {
            prose.block: " ".join(link.target for link in prose.inline.links)
            for prose in spec.prose
            if prose.kind == "paragraph" and prose.inline.links and not prose.inline.plain.strip()
        }
        self._sections: list[int] = []
        headings = -1
        for each in self._blocks:
            headings += each.kind == "heading"
            self._sections.append(headings)
        self._taken = {one.block for one in found}
        self._in: dict[int, list[Found]] = {}
        self._number: dict[Found, int] = {}
        for one in found:
            if one.passage is not None:
                around = self._in.setdefault(one.passage.index, [])
                self._number[one] = len(around)
                around.append(one)

    def marker(self, found: Found) -> Marker:
        parts, names_section = self._parts(found)
        first = found.passage or next((part[0] for part in parts if not isinstance(part, str)), None)
        return Marker(
            id=found.id,
            form=found.form,
            line=found.line,
            column=found.column,
            parts=tuple(parts),
            section=first.section if first and found.passage is None else self._sections[found.block],
            block=found.block,
            paragraph=first.paragraph if first else 1,
            names_section=names_section,
        )

    def _parts(self, found: Found) -> tuple[list[Part], bool]:
        passage = found.passage
        if passage is None:
            return self._after(found)
        if passage.prose.kind == "cell":
            return self._row(passage), False
        start, end, last = self._beside(found, passage)
        if not re.search(r"\w", passage.prose.inline.plain[start:end]):
            return self._after(found)
        parts: list[Part] = [(passage, start, end)]
        if last:
            parts += self._belonging(passage, found.form)
        return parts, False

    def _beside(self, found: Found, passage: Passage) -> tuple[int, int, bool]:
        """Return the part of a passage that a marker in it speaks of, and whether the passage ends with it."""
        plain = passage.prose.inline.plain
        around = self._in[passage.index]
        number = self._number[found]
        if found.form.where == "line" or not plain[: around[0].start].strip():
            end = around[number + 1].start if number + 1 < len(around) else len(plain)
            return found.end, end, end == len(plain)
        start = around[number - 1].end if number else 0
        return start, found.start, number + 1 == len(around)

    def _following(self, passage: Passage) -> Iterator[Passage]:
        for place in range(self._place[passage.index] + 1, len(self._passages)):
            yield self._passages[place]

    def _belonging(self, passage: Passage, form: Form) -> Iterator[Part]:
        """Yield the rest of a list item, or the list that a sentence leads in."""
        items = passage.block.items
        whole_item = bool(items) and passage.block.leading and form.sentence
        if not whole_item and not passage.leads_on:
            return
        for other in self._following(passage):
            deeper = len(other.block.items) > len(items) and other.block.items[: len(items)] == items
            inside = other.block.items[: len(items)] == items if whole_item else deeper
            if other.section != passage.section or not inside:
                return
            if other.prose.block in self._taken:
                yield from self._before(other)
                return
            yield other, 0, len(other.prose.inline.plain)

    def _before(self, passage: Passage) -> Iterator[Part]:
        """Yield what stands in a passage before a marker that has a line of its own in it, which belongs elsewhere."""
        around = self._in.get(passage.index, ())
        if around and around[0].form.where == "line" and passage.prose.inline.plain[: around[0].start].strip():
            yield passage, 0, around[0].start

    def _after(self, found: Found) -> tuple[list[Part], bool]:
        """Return the text that begins in the next block; a heading there is what the marker names."""
        in_heading = self._blocks[found.block].kind == "heading"
        for index in range(found.block + 1, len(self._blocks)):
            block = self._blocks[index]
            if block.kind == "heading":
                if found.form.name == "comment" and not in_heading:
                    return self._after(replace(found, block=index))
                return [], not in_heading
            if index in self._taken:
                return [part for one in self._by_block.get(index, ())[:1] for part in self._before(one)], False
            if shown := self._shown(index, block, in_heading=in_heading):
                return [shown], False
            if index in self._by_block:
                return list(self._block(self._by_block[index], block)), False
        return [], False

    def _shown(self, index: int, block: Block, *, in_heading: bool) -> str:
        """Return what stands for a text without being one: code, a table in HTML, a picture (but no badge)."""
        if block.kind in ("fence", "code"):
            return collapse(block.text)
        if block.kind == "html" and "<!--" not in block.text:
            visible = _TAG.sub(" ", block.text)
            return collapse(visible) if re.search(r"\w", visible) else ""
        return "" if in_heading else self._pictures.get(index, "")

    def _block(self, here: Sequence[Passage], block: Block) -> Iterator[Part]:
        first = here[0]
        for passage in here:
            yield passage, 0, len(passage.prose.inline.plain)
        if block.kind == "table":
            return
        for other in self._following(first):
            if other.section != first.section or not _goes_on(first, other):
                return
            if other.prose.block in self._taken:
                yield from self._before(other)
                return
            yield other, 0, len(other.prose.inline.plain)

    def _row(self, cell: Passage) -> list[Part]:
        line = self._by_line[cell.prose.block, cell.prose.segments[0].line]
        row = [one for one in line if one.index != cell.index]
        binding = [one for one in row if any(keywords_in(one.masked))]
        longest = sorted(row, key=lambda one: -len(one.prose.inline.plain))[:1]
        return [(one, 0, len(one.prose.inline.plain)) for one in binding or longest]


def _goes_on(first: Passage, other: Passage) -> bool:
    """Tell whether a text that begins with one passage includes a later one: of the same quotation or list."""
    if first.block.quoted:
        return other.block.quoted
    if first.block.items:
        around = first.block.items[:-1]
        return len(other.block.items) > len(around) and other.block.items[: len(around)] == around
    return first.leads_on and bool(other.block.items)


_CONDITION: Final = re.compile(r"Condition\s+(?P<number>\d+(?:\.\d+){0,9})\s*\Z")


def _with_conditions(spec: Specification, passages: Sequence[Passage], markers: Iterable[Marker]) -> Iterator[Marker]:
    """Give ``Conditional Requirement 4.1.4.1`` the text of ``Condition 4.1.4``, without which it says too much."""
    numbers = {
        index: match["number"] for index, one in enumerate(spec.sections) if (match := _CONDITION.match(one.title))
    }
    conditions: dict[str, str] = {}
    for passage in passages:
        if passage.section in numbers:
            conditions.setdefault(numbers[passage.section], collapse(passage.prose.inline.plain))
    for marker in markers:
        yield replace(marker, condition=_condition(marker.id, conditions)) if conditions else marker


def _condition(identifier: str, conditions: Mapping[str, str]) -> str:
    number = identifier.rpartition(" ")[2]
    while "." in number:
        number = number.rpartition(".")[0]
        if number in conditions:
            return conditions[number]
    return ""
