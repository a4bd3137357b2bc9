"""Positions: a client counts from 0, in UTF-8, UTF-16 or UTF-32 units; we count from 1, in characters.

The text of an open document is kept here and not by pygls, whose lines end at form feeds and at U+2028 too, and which
takes a column behind a line's end for the one before it. Either lets the server's text drift away from the editor's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from lsprotocol import types

__all__ = ["Encoding", "Text", "apply", "choose_encoding"]

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_ENCODINGS: Final[Mapping[str, Encoding]] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
#: Where a line ends by the protocol, and so for the parser.
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BOM: Final = "\ufeff"


def choose_encoding(offered: Sequence[str | types.PositionEncodingKind] | None) -> Encoding:
    """Return the units to count in: the client's first choice that is known, else UTF-16 as the protocol says."""
    for one in offered or ():
        known = _ENCODINGS.get(one.value if isinstance(one, types.PositionEncodingKind) else one)
        if known is not None:
            return known
    return "utf-16"


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the places in it in both ways of counting."""

    string: str
    encoding: Encoding = "utf-16"
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _ends: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note where the lines start and end."""
        ends = [match.span() for match in _LINE_END.finditer(self.string)]
        object.__setattr__(self, "_starts", (0, *(end for _, end in ends)))
        object.__setattr__(self, "_ends", (*(start for start, _ in ends), len(self.string)))

    @property
    def lines(self) -> int:
        """How many lines there are; an empty text has one."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """Return a line, from 1, without its end and without a byte-order mark; empty beyond the last."""
        if not 1 <= number <= self.lines:
            return ""
        return self.string[self._starts[number - 1] + self._bom(number) : self._ends[number - 1]]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place in our way of counting; what lies outside is moved to the nearest inside."""
        if line < 1:
            return 0
        if line > self.lines:
            return len(self.string)
        start = self._starts[line - 1] + self._bom(line)
        return min(max(start, start + column - 1), self._ends[line - 1])

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column, from 1, of an offset."""
        line = bisect_right(self._starts, offset)
        return line, max(1, offset - self._starts[line - 1] - self._bom(line) + 1)

    def position(self, line: int, column: int) -> types.Position:
        """Return what the client calls a place; a place behind a line's end is the line's end."""
        if line > self.lines:
            return types.Position(self.lines - 1, _units(self.string[self._starts[-1] :], self.encoding))
        start = self._starts[max(line, 1) - 1]
        before = self.string[start : self.offset(line, column)]
        return types.Position(max(line, 1) - 1, _units(before, self.encoding))

    def range(self, line: int, column: int, end_line: int, end_column: int) -> types.Range:
        """Return what the client calls the part between two places."""
        return types.Range(self.position(line, column), self.position(end_line, end_column))

    def spot(self, position: types.Position) -> tuple[int, int]:
        """Return line and column, from 1, of a client's position."""
        return self.place(self.offset_of(position))

    def offset_of(self, position: types.Position) -> int:
        """Return the offset of a client's position, by the protocol's rules for those outside the text."""
        if position.line >= self.lines:
            return len(self.string)
        start, end = self._starts[position.line], self._ends[position.line]
        return start + _characters(self.string[start:end], position.character, self.encoding)

    def _bom(self, line: int) -> int:
        """Return 1 in the first line of a text that starts with a byte-order mark, which our columns do not count."""
        return int(line == 1 and self.string.startswith(_BOM))


def apply(text: Text, changes: Sequence[types.TextDocumentContentChangeEvent]) -> Text:
    """Return a text after a client's changes, each of which counts in the result of the one before."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            first, last = text.offset_of(change.range.start), text.offset_of(change.range.end)
            first, last = min(first, last), max(first, last)
            string = text.string[:first] + change.text + text.string[last:]
        else:
            string = change.text
        text = Text(_joined(string), text.encoding)
    return text


def _joined(string: str) -> str:
    """Return a text in which the halves of a character that came in two changes are one again."""
    if string.isascii() or not _SURROGATE.search(string):
        return string
    return string.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def _characters(line: str, units: int, encoding: Encoding) -> int:
    """Return how many characters of a line a number of units covers; a unit inside a character is its start."""
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    taken = 0
    for index, char in enumerate(line):
        code = ord(char)
        if encoding == "utf-16":
            taken += 1 + (code > 0xFFFF)  # noqa: PLR2004 -- the last code point that is one unit
        else:
            taken += 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)  # noqa: PLR2004 -- as UTF-8 is defined
        if taken > units:
            return index
    return len(line)
