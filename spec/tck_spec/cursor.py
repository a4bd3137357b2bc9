"""A cursor in one line: characters for places, columns for indentation, with tabs that reach to multiples of four."""

from __future__ import annotations

from typing import Final

__all__ = ["Cursor"]

_TAB: Final = 4


class Cursor:
    """How far the containers around a line have consumed it."""

    __slots__ = ("_first", "_tabs", "_width", "blank", "position", "rest", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        #: Characters consumed.
        self.position = 0
        self._width = 0
        self._tabs = "\t" in text
        visible = text.lstrip(" \t")
        self._first = len(text) - len(visible)
        #: The remaining text without its indentation and without white space at its end.
        self.rest = visible.rstrip(" \t")
        #: Whether only white space remains.
        self.blank = not visible

    @property
    def indent(self) -> int:
        """Columns of white space before the next visible character; 0 on a blank rest."""
        if self.blank:
            return 0
        if not self._tabs:
            return self._first - self.position
        width = self._width
        for char in self.text[self.position : self._first]:
            width += _TAB - width % _TAB if char == "\t" else 1
        return width - self._width

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
        if not self._tabs:
            step = min(columns, self._first - self.position)
            self.position += step
            self._width += step
            return
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
        visible = self.text[self.position :].lstrip(" \t")
        self._first = len(self.text) - len(visible)
        self.rest = visible.rstrip(" \t")
        self.blank = not visible
