"""Prose: every piece of text that is read as sentences, with its inline content and the section it stands in."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tck_spec.document import Segment

if TYPE_CHECKING:
    from collections.abc import Callable

    from tck_spec.document import Block, Document
    from tck_spec.inline import Inline

__all__ = ["Prose", "read_prose"]


@dataclass(frozen=True, slots=True)
class Prose:
    """A heading, a paragraph or a table cell."""

    kind: Literal["heading", "paragraph", "cell"]
    source: str
    inline: Inline
    segments: tuple[Segment, ...]
    #: Where the source's lines start in it.
    starts: tuple[int, ...]
    #: Index of the block in the document.
    block: int
    #: How many headings stand before it; the last of them opens the section it is in.
    headings: int

    def place(self, source_offset: int) -> tuple[int, int]:
        """Return line and column of an offset in the source."""
        index = bisect_right(self.starts, source_offset) - 1
        segment = self.segments[index]
        return segment.line, segment.column + source_offset - self.starts[index]

    def place_of(self, plain_offset: int) -> tuple[int, int]:
        """Return line and column of an offset in the plain text."""
        return self.place(self.inline.source_of(plain_offset))


def _starts(segments: tuple[Segment, ...]) -> tuple[int, ...]:
    starts, offset = [0], 0
    for segment in segments[:-1]:
        offset += len(segment.text) + 1
        starts.append(offset)
    return tuple(starts)


def _cells(block: Block) -> list[tuple[Segment, ...]]:
    return [(Segment(row.line, cell.column, cell.text),) for row in block.rows for cell in row.cells if cell.text]


def read_prose(document: Document, read: Callable[[str], Inline]) -> tuple[Prose, ...]:
    """Read the inline content of every heading, paragraph and table cell, in order, each by the function given."""
    pieces: list[Prose] = []
    headings = 0
    for index, block in enumerate(document.blocks):
        if block.kind == "heading":
            headings += 1
            parts = [block.segments]
        elif block.kind == "paragraph":
            parts = [block.segments]
        elif block.kind == "table":
            parts = _cells(block)
        else:
            continue
        kind: Literal["heading", "paragraph", "cell"] = "cell" if block.kind == "table" else block.kind
        for segments in parts:
            source = "\n".join(segment.text for segment in segments)
            pieces.append(Prose(kind, source, read(source), segments, _starts(segments), index, headings))
    return tuple(pieces)
