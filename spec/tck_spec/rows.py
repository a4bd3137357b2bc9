"""Table rows, as GitHub Flavored Markdown splits them.

An unescaped pipe separates cells even inside inline code; that surprises authors and is the reason why rows are split
here, in the open, where a lost cell can be reported, and not inside the Markdown library, which drops the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

__all__ = ["Cell", "Row", "is_delimiter", "split_row"]

_PIPE: Final = re.compile(r"\\.|\|", re.DOTALL)
_DELIMITER_CELL: Final = re.compile(r":?-+:?")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its Markdown, trimmed, and the column (from 1) at which it starts."""

    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    line: int
    column: int
    cells: tuple[Cell, ...]


def split_row(text: str, column: int = 1) -> tuple[Cell, ...]:
    """Split one line into its cells; `column` is where the text starts in its source line."""
    parts = _split_escaped(text) if "\\" in text else text.split("|")
    cells: list[Cell] = []
    for raw in parts:
        trimmed = raw.strip()
        lead = len(raw) - len(raw.lstrip()) if trimmed else 0
        cells.append(Cell(column + lead, trimmed))
        column += len(raw) + 1
    if len(parts) > 1:
        if not cells[0].text:
            del cells[0]
        if cells and not cells[-1].text and text.rstrip().endswith("|"):
            del cells[-1]
    return tuple(cells)


def _split_escaped(text: str) -> list[str]:
    bounds = [match.start() for match in _PIPE.finditer(text) if match.group() == "|"]
    return [text[left + 1 : right] for left, right in pairwise([-1, *bounds, len(text)])]


def is_delimiter(text: str) -> bool:
    """Tell whether a line is the row of dashes under a table's header."""
    if text.lstrip()[:1] not in ("|", "-", ":") or not ("|" in text or ":" in text):
        return False
    cells = split_row(text)
    return bool(cells) and all(_DELIMITER_CELL.fullmatch(cell.text) for cell in cells)
