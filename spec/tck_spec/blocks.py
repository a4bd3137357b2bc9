"""Blocks: the lines of a Markdown document, sorted into headings, paragraphs, tables, fences and the rest.

The Markdown library has no line numbers and turns a table with one bad row into a paragraph. Both are what a checker
has to report on, so the block structure is scanned here, line by line, after CommonMark's own algorithm: each line
first continues the containers (block quotes, list items) that it can, then opens new ones, and what remains belongs
to one leaf. Inline content is not looked at; :mod:`tck_spec.markdown` does that.

Every step is linear in the line and nesting is capped, so hostile input costs time in proportion to its size only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tck_spec import block_starts as starts
from tck_spec.cursor import Cursor
from tck_spec.document import Block, BrokenTable, Definition, Document, Kind, Segment
from tck_spec.rows import MOST_CELLS, Row, is_delimiter, split_row

__all__ = [
    "Block",
    "BrokenTable",
    "Definition",
    "Document",
    "Kind",
    "Scanner",
    "Segment",
    "front_matter",
    "scan",
]

_DEEPEST: Final = 100
_CODE_INDENT: Final = 4
#: A line that begins with none of these opens no container, or is no leaf but text.
_CONTAINER_STARTS: Final = frozenset(">-+*0123456789")
_LEAF_STARTS: Final = frozenset("#`~<-_*=|:")


@dataclass(slots=True)
class _Container:
    """An open block quote (width 0) or list item (width: the columns its content is indented by)."""

    width: int
    number: int = 0
    filled: bool = False


@dataclass(slots=True)
class _Leaf:
    """The block that the next line may continue."""

    kind: Kind
    line: int
    column: int
    items: tuple[int, ...]
    leading: bool
    quoted: bool
    segments: list[Segment] = field(default_factory=list[Segment])
    rows: list[Row] = field(default_factory=list[Row])
    level: int = 0
    info: str = ""
    closed: bool = True
    #: Blank lines that belong to indented code if more of it follows.
    blanks: list[Segment] = field(default_factory=list[Segment])
    #: What ends a fence: its character, its length and its own indentation.
    fence: starts.Fence | None = None
    #: What ends an HTML block.
    html: starts.Html | None = None


class Scanner:
    """The state between two lines."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.definitions: list[Definition] = []
        self.broken_tables: list[BrokenTable] = []
        self.containers: list[_Container] = []
        self.leaf: _Leaf | None = None
        self.items = 0

    def line(self, number: int, text: str) -> None:
        """Take the next line."""
        if not text and self.at_rest:
            return
        cursor = Cursor(text)
        matched = self._match_containers(cursor) if self.containers else 0
        if matched < len(self.containers):
            if self._is_lazy(cursor):
                self._add(number, cursor)
                return
            self._close_leaf()
            del self.containers[matched:]
        leaf = self.leaf
        if leaf is not None and leaf.kind in ("fence", "html"):
            self._continue_verbatim(leaf, number, cursor)
            return
        self._open_containers(cursor)
        self._leaf_line(number, cursor)

    @property
    def at_rest(self) -> bool:
        """Whether nothing is open, so that the next line does not depend on any before it."""
        return self.leaf is None and not self.containers

    def finish(self, skipped: int) -> Document:
        """Close what is open, and return all blocks."""
        self._close_leaf()
        return Document(tuple(self.blocks), tuple(self.definitions), tuple(self.broken_tables), skipped)

    # Containers

    def _match_containers(self, cursor: Cursor) -> int:
        for index, container in enumerate(self.containers):
            if container.width:
                if cursor.blank:
                    if not container.filled:
                        return index
                elif cursor.indent >= container.width:
                    cursor.advance(container.width)
                else:
                    return index
            elif not cursor.take_quote_marker():
                return index
        return len(self.containers)

    def _is_lazy(self, cursor: Cursor) -> bool:
        if self.leaf is None or self.leaf.kind != "paragraph" or cursor.blank:
            return False
        return cursor.indent >= _CODE_INDENT or not starts.interrupts(cursor.rest)

    def _open_containers(self, cursor: Cursor) -> None:
        while cursor.rest[:1] in _CONTAINER_STARTS and cursor.indent < _CODE_INDENT and len(self.containers) < _DEEPEST:
            in_paragraph = self.leaf is not None and self.leaf.kind == "paragraph"
            if cursor.take_quote_marker():
                self._close_leaf()
                self.containers.append(_Container(0))
                continue
            marker = starts.list_marker(cursor.rest, in_paragraph=in_paragraph)
            if not marker:
                return
            self._close_leaf()
            self.items += 1
            self.containers.append(_Container(cursor.take_list_marker(marker), self.items))

    # Leaves

    def _leaf_line(self, number: int, cursor: Cursor) -> None:
        leaf = self.leaf
        if cursor.blank:
            if leaf is not None and leaf.kind == "code":
                leaf.blanks.append(Segment(number, cursor.column, ""))
            else:
                self._close_leaf()
            return
        paragraph = leaf is not None and leaf.kind == "paragraph"
        if cursor.indent >= _CODE_INDENT and not paragraph:
            if leaf is None or leaf.kind != "code":
                self._open("code", number, cursor)
            else:
                leaf.segments += leaf.blanks
                leaf.blanks.clear()
            self._add(number, cursor)
            return
        if cursor.rest[0] in _LEAF_STARTS and cursor.indent < _CODE_INDENT:
            if paragraph and self._ends_as_heading_or_table(number, cursor):
                return
            if self._opens_at_once(number, cursor, paragraph=paragraph):
                return
        if leaf is not None and leaf.kind == "table":
            leaf.rows.append(self._row(number, cursor))
            return
        if not paragraph:
            self._open("paragraph", number, cursor)
        self._add(number, cursor)

    def _ends_as_heading_or_table(self, number: int, cursor: Cursor) -> bool:
        leaf = self.leaf
        if leaf is None:
            return False
        level = starts.setext_level(cursor.rest)
        if level:
            self._take_definitions(leaf)
            if leaf.segments:
                leaf.kind, leaf.level = "heading", level
                leaf.line, leaf.column = leaf.segments[0].line, leaf.segments[0].column
                self._close_leaf()
                return True
            leaf.kind = "paragraph"
            return False
        return is_delimiter(cursor.rest) and self._starts_table(leaf, number, cursor)

    def _starts_table(self, leaf: _Leaf, number: int, cursor: Cursor) -> bool:
        head = leaf.segments[-1]
        pipes = head.text.count("|"), cursor.rest.count("|")
        if max(pipes) > MOST_CELLS:
            self.broken_tables.append(BrokenTable(head.line, head.column, *pipes))
            return False
        header, delimiter = split_row(head.text, head.column), split_row(cursor.rest)
        if len(header) != len(delimiter):
            if head.text.startswith("|"):
                self.broken_tables.append(BrokenTable(head.line, head.column, len(header), len(delimiter)))
            return False
        leaf.segments.pop()
        if leaf.segments:
            self._close_leaf()
            leading = False
        else:
            leading, self.leaf = leaf.leading, None
        self._open("table", number, cursor)
        table = self.leaf
        if table is not None:
            table.line, table.column, table.leading = head.line, head.column, leading
            table.rows.append(Row(head.line, head.column, header))
        return True

    def _opens_at_once(self, number: int, cursor: Cursor, *, paragraph: bool) -> bool:
        rest = cursor.rest
        heading = starts.atx_heading(rest)
        if heading:
            level, offset, text = heading
            self._open("heading", number, cursor, level=level)
            self._last().segments.append(Segment(number, cursor.column + offset, text))
            self._close_leaf()
            return True
        fence = starts.fence(rest, cursor.indent)
        if fence:
            self._open("fence", number, cursor, info=fence.info)
            self._last().fence, self._last().closed = fence, False
            return True
        html = starts.html(rest, in_paragraph=paragraph)
        if html:
            self._open("html", number, cursor)
            self._last().html = html
            self._continue_verbatim(self._last(), number, cursor)
            return True
        if starts.thematic_break(rest):
            self._close_leaf()
            self._fill()
            return True
        return False

    def _continue_verbatim(self, leaf: _Leaf, number: int, cursor: Cursor) -> None:
        if leaf.fence is not None:
            if cursor.indent < _CODE_INDENT and leaf.fence.closed_by(cursor.rest):
                leaf.closed = True
                self._close_leaf()
                return
            cursor.advance(min(cursor.indent, leaf.fence.indent))
            leaf.segments.append(Segment(number, cursor.position + 1, cursor.tail))
            return
        if leaf.html is not None:
            if leaf.html.ends_at_blank and cursor.blank:
                self._close_leaf()
                return
            leaf.segments.append(Segment(number, cursor.position + 1, cursor.tail))
            if leaf.html.closed_by(cursor.tail):
                self._close_leaf()

    # Bookkeeping

    def _fill(self) -> bool:
        """Note that every open container has content now; tell whether the innermost item had none before."""
        leading = bool(self.containers) and self.containers[-1].width > 0 and not self.containers[-1].filled
        for container in self.containers:
            container.filled = True
        return leading

    def _open(self, kind: Kind, number: int, cursor: Cursor, *, level: int = 0, info: str = "") -> None:
        self._close_leaf()
        self.leaf = _Leaf(
            kind,
            number,
            cursor.column,
            tuple(container.number for container in self.containers if container.width),
            self._fill(),
            any(not container.width for container in self.containers),
            level=level,
            info=info,
        )

    def _last(self) -> _Leaf:
        if self.leaf is None:  # pragma: no cover - _open has just set it
            msg = "no leaf is open"
            raise AssertionError(msg)
        return self.leaf

    def _add(self, number: int, cursor: Cursor) -> None:
        self._last().segments.append(Segment(number, cursor.column, cursor.rest))

    @staticmethod
    def _row(number: int, cursor: Cursor) -> Row:
        return Row(number, cursor.column, split_row(cursor.rest, cursor.column))

    def _take_definitions(self, leaf: _Leaf) -> None:
        text = "\n".join(segment.text for segment in leaf.segments) if leaf.segments[0].text.startswith("[") else ""
        position = taken = 0
        while match := starts.DEFINITION.match(text, position):
            head = leaf.segments[taken]
            target = starts.link_target(match["target"])
            if target is None:
                break
            self.definitions.append(Definition(match["label"], target, head.line, head.column))
            taken += text.count("\n", position, match.end()) + (match.end() == len(text) and text[-1:] != "\n")
            position = match.end()
        del leaf.segments[:taken]

    def _close_leaf(self) -> None:
        leaf, self.leaf = self.leaf, None
        if leaf is None:
            return
        if leaf.kind == "paragraph":
            if leaf.segments:
                self._take_definitions(leaf)
            if not leaf.segments:
                return
            leaf.line, leaf.column = leaf.segments[0].line, leaf.segments[0].column
        self.blocks.append(
            Block(
                leaf.kind,
                leaf.line,
                leaf.column,
                tuple(leaf.segments),
                leaf.level,
                leaf.info,
                tuple(leaf.rows),
                leaf.items,
                leaf.leading,
                leaf.quoted,
                leaf.closed,
            )
        )


def front_matter(lines: list[str]) -> int:
    """Return how many lines of YAML stand before the document itself."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    if len(lines) < 2 or not lines[1].strip():  # noqa: PLR2004 - a rule line and at least one setting
        return 0
    for index, line in enumerate(lines[1:1000], start=1):
        if line.rstrip() in ("---", "..."):
            return index + 1
    return 0


def scan(lines: list[str]) -> Document:
    """Sort lines (without their line ends) into blocks."""
    scanner = Scanner()
    skipped = front_matter(lines)
    for number, line in enumerate(lines[skipped:], start=skipped + 1):
        scanner.line(number, line)
    return scanner.finish(skipped)
