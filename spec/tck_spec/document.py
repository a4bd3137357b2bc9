"""What a text is made of, line by line: the blocks and what else a scan has noticed, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tck_spec.rows import Row

__all__ = ["Block", "BrokenTable", "Definition", "Document", "Kind", "Segment"]

Kind = Literal["heading", "paragraph", "fence", "code", "html", "table"]


@dataclass(frozen=True, slots=True)
class Segment:
    """The share that one source line has in a block; line and column count from 1."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf block with the place of each of its lines."""

    kind: Kind
    line: int
    column: int
    segments: tuple[Segment, ...]
    #: Heading level, 1 to 6.
    level: int = 0
    #: Info string of a fence.
    info: str = ""
    #: Header and body of a table.
    rows: tuple[Row, ...] = ()
    #: The list items around this block, outermost first, each by a number of its own.
    items: tuple[int, ...] = ()
    #: Whether it is the first block of its innermost list item.
    leading: bool = False
    quoted: bool = False
    #: Only for a fence: whether its closing line was there.
    closed: bool = True

    @property
    def text(self) -> str:
        """The Markdown of the block without the markers of its containers."""
        return "\n".join(segment.text for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Definition:
    """A link reference definition, ``[label]: target``."""

    label: str
    target: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class BrokenTable:
    """Two lines that were meant as the head of a table but have different numbers of cells."""

    line: int
    column: int
    header_cells: int
    delimiter_cells: int


@dataclass(frozen=True, slots=True)
class Document:
    """The blocks of one text, in order, and what was noticed on the way."""

    blocks: tuple[Block, ...]
    definitions: tuple[Definition, ...]
    broken_tables: tuple[BrokenTable, ...]
    #: How many lines of YAML stand before the document itself.
    skipped: int = 0
