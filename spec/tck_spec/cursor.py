"""A cursor in one line: characters for places, columns for indentation, with tabs that reach to multiples of four."""

from __future__ import annotations

from typing import Final

__all__ = ["Cursor"]

_TAB: Final = 4


class Cursor:
    """How far the containers around a line have consumed it."""

    __slots__ = ("_first", "_width", "position", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        #: Characters consumed.
        self.position = 0
        self._width = 0
        self._first = len(text) - len(text.lstrip(" \t"))

    @property
    def blank(self) -> bool:
        """Whether only white space remains."""
        return self._first >= len(self.text)

    @property
    def indent(self) -> int:
        """Columns of white space before the next visible character; 0 on a blank rest."""
        if self.blank:
            return 0
        width = self._width
        for char in self.text[self.position : self._first]:
            width += _TAB - width % _TAB if char == "\t" else 1
        return width - self._width

    @property
    def rest(self) -> str:
        """The remaining text without its indentation and without white space at its end."""
        return self.text[self._first :].rstrip(" \t")

    @property
    def tail(self) -> str:
        """The remaining text as it is."""
        return self.text[self.position :]

    @property
    def column(self) -> int:
        """Where `rest` starts, from 1."""
        return self._first + 1

    def advance(self, columns: int) -> None:
        """Consume white space; a tab that reaches further stays, and counts for what is left of it."""
        while columns > 0 and self.position < self._first:
            step = _TAB - self._width % _TAB if self.text[self.position] == "\t" else 1
            if step > columns:
                self._width += columns
                return
            self.position += 1
            self._width += step
            columns -= step

    def take_quote_marker(self) -> bool:
        """Consume ``>`` and one space after it, if they stand here."""
        if self.blank or self.text[self._first] != ">" or self.indent >= _TAB:
            return False
        self._width += self.indent + 1
        self.position = self._first + 1
        self._settle()
        self.advance(1)
        return True

    def take_list_marker(self, marker: str) -> int:
        """Consume a list marker with its spaces; return the columns by which the item's lines are indented."""
        indent = self.indent
        self._width += indent + len(marker)
        self.position = self._first + len(marker)
        self._settle()
        spaces = self.indent
        if self.blank or spaces > _TAB:
            spaces = 1
        self.advance(spaces)
        return indent + len(marker) + spaces

    def _settle(self) -> None:
        position = self.position
        while position < len(self.text) and self.text[position] in " \t":
            position += 1
        self._first = position
