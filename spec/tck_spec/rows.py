"""Table rows, as GitHub Flavored Markdown splits them.

An unescaped pipe separates cells even inside inline code; that surprises authors and is the reason why rows are split
here, in the open, where a lost cell can be reported, and not inside the Markdown library, which drops the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

__all__ = ["MOST_CELLS", "Cell", "Row", "is_delimiter", "split_row"]

#: GitHub shows a wider table as text.
MOST_CELLS: Final = 65_535

#: A pipe after any backslash is escaped, whatever stands before that.
_PIPE: Final = re.compile(r"(?<!\\)\|")
_DELIMITER: Final = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)*\s*(?::?-+:?\s*)?")


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
    """Split one line into its cells; `column` is where the text starts in its source line.

    What is more than any table can have stays together in the last cell.
    """
    parts = _split_escaped(text) if "\\" in text else text.split("|", MOST_CELLS)
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
    bounds = [match.start() for match in islice(_PIPE.finditer(text), MOST_CELLS)]
    return [text[left + 1 : right] for left, right in pairwise([-1, *bounds, len(text)])]


def is_delimiter(text: str) -> bool:
    """Tell whether a line is the row of dashes under a table's header."""
    if text.lstrip()[:1] not in ("|", "-", ":") or "-" not in text or not ("|" in text or ":" in text):
        return False
    return _DELIMITER.fullmatch(text) is not None
