"""Rules on tables: cells that are lost, tables that are none, headings, keys, and the columns that were asked for."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, did_you_mean
from tck_spec.rows import MOST_CELLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tck_spec.blocks import Block
    from tck_spec.findings import Severity
    from tck_spec.rows import Row
    from tck_spec.rules.context import Context
    from tck_spec.sections import Section

__all__ = ["cell_count", "duplicate_key", "missing_column", "not_a_table", "table_heading"]

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
#: Attributes of the table above (kramdown), and what a template turns into text before it is Markdown.
_NO_ROW: Final = re.compile(r"\s*\{[:%]|\{\{")
#: What heads a column of names of which each is there once.
_KEY: Final = re.compile(
    r"(?:[\w-]+ ){0,2}(?:#|no\.?|(?:id|identifier|key|code|name|number|field|property|parameter|param|attribute|option"
    r"|flag|variable|setting|header|requirement|argument|member|errors?)s?)",
    re.IGNORECASE,
)
#: A name: one word, not one of those that stand for many.
_NAME: Final = re.compile(r"(?=.*\w)\S+")
_NO_NAME: Final = re.compile(
    r"n/a|any|all|others?|none|null|nil|true|false|yes|no|default|reserved|tbd|unused|various", re.IGNORECASE
)
_FEWEST_ROWS: Final = 3
#: Two equal headings are a mistake; three or more in a group that repeats are a layout.
_FEWEST_REPEATED: Final = 3
#: Where more rows are too short, and most of all, that is how the author writes.
_FEWEST_OF_A_HABIT: Final = 3
_LONGEST_GROUP: Final = 10
#: In a wider table a lone cell is a title, whatever it looks like.
_NARROW: Final = 2
#: A title over the rows that follow: a lone cell that is bold or ends in a colon.
_TITLE: Final = re.compile(r"(?:\*\*|__).*|.*:(?:\*\*|__)?")


def _tables(context: Context) -> Iterator[Block]:
    return (block for block in context.spec.document.blocks if block.kind == "table")


def _plain_texts(context: Context, rows: Iterable[Row], columns: int | None = None) -> dict[tuple[int, int], str]:
    """Return the text without its markup of the first cells of some rows, or of all, by the place of the cell."""
    wanted = {(row.line, cell.column) for row in rows for cell in row.cells[:columns]}
    found: dict[tuple[int, int], str] = {}
    for piece in context.spec.prose if wanted else ():
        place = (piece.segments[0].line, piece.segments[0].column)
        if piece.kind == "cell" and place in wanted:
            found[place] = " ".join(piece.inline.plain.split())
    return found


def _plain(row: Row, plain: dict[tuple[int, int], str]) -> list[str]:
    return [plain.get((row.line, cell.column), "") if cell.text else "" for cell in row.cells]


def cell_count(context: Context) -> Iterator[Finding]:
    """TBL001: a row has more cells than the header, which are lost, or fewer."""
    lines: list[str] = []
    for block in _tables(context):
        expected = len(block.rows[0].cells)
        odd = [row for row in block.rows[1:] if len(row.cells) != expected]
        if odd:
            lines = lines or _LINE_END.split(context.spec.text.removeprefix("\ufeff"))
            odd = [row for row in odd if not _NO_ROW.search(lines[row.line - 1])]
            yield from (_too_long(row, expected) for row in odd if len(row.cells) > expected)
            short: list[Row] = []
            last = 0
            for row in odd:
                if len(row.cells) < expected and "|" not in lines[row.line - 1][row.column - 1 :]:
                    if last != row.line - 1:
                        yield _no_row(row)
                    last = row.line
                elif len(row.cells) < expected and not _is_title(row, expected):
                    short.append(row)
            yield from _too_short(short, len(block.rows) - 1, expected)


def _too_long(row: Row, expected: int) -> Finding:
    lost = any(re.search(r"\w", cell.text) for cell in row.cells[expected:])
    message = f"the row has {len(row.cells)} cells under {expected} headings; what is too much is not shown"
    hint = "write a pipe inside a cell as \\|" if lost else "end the row after its last cell"
    return Finding("TBL001", "E" if lost else "W", row.line, row.cells[expected].column, message, hint)


def _no_row(row: Row) -> Finding:
    message = "this line is shown as a row of the table above"
    return Finding("TBL001", "W", row.line, row.column, message, "put a blank line before it")


def _too_short(rows: Sequence[Row], of: int, expected: int) -> Iterator[Finding]:
    hint = "add the missing cells, empty if need be"
    if len(rows) > _FEWEST_OF_A_HABIT and len(rows) * 2 > of:
        message = f"{len(rows)} of the {of} rows of this table have fewer than {expected} cells; this is the first"
        yield Finding("TBL001", "W", rows[0].line, rows[0].column, message, hint)
        return
    for row in rows:
        message = f"the row has {len(row.cells)} of {expected} cells"
        yield Finding("TBL001", "W", row.line, row.column, message, hint)


def _is_title(row: Row, expected: int) -> bool:
    """Tell whether a row is a title over the rows that follow, or a gap between them."""
    first = row.cells[0].text if row.cells else ""
    alone = not any(cell.text for cell in row.cells[1:])
    return alone and (expected > _NARROW or not first or _TITLE.fullmatch(first) is not None)


def not_a_table(context: Context) -> Iterator[Finding]:
    """TBL002: header and delimiter row differ, so the table is shown as text."""
    for broken in context.spec.document.broken_tables:
        if max(broken.header_cells, broken.delimiter_cells) > MOST_CELLS:
            message = f"a table of more than {MOST_CELLS:,} columns is shown as text"
            yield Finding("TBL002", "E", broken.line, broken.column, message, "make several tables of it")
            continue
        message = (
            f"{broken.header_cells} headings stand over {broken.delimiter_cells} delimiter cells: "
            "this is shown as text, not as a table"
        )
        hint = "give the row of dashes one cell for each heading"
        yield Finding("TBL002", "E", broken.line, broken.column, message, hint)


def table_heading(context: Context) -> Iterator[Finding]:
    """TBL003: two columns of a table have one heading, or a column with content has none."""
    plain = _plain_texts(context, (block.rows[0] for block in _tables(context)))
    for block in _tables(context):
        header = block.rows[0]
        names = [name.casefold() for name in _plain(header, plain)]
        if not _repeats(names) and not _repeats(names[1:], fewest=2):
            first: dict[str, int] = {}
            for index, name in enumerate(names):
                if name and first.setdefault(name, index) != index:
                    message = f"column {index + 1} has the heading of column {first[name] + 1}, '{name[:60]}'"
                    column = header.cells[index].column
                    yield Finding("TBL003", "W", header.line, column, message, "give each column a heading of its own")
        for index in _nameless(block, names):
            message = f"column {index + 1} has no heading"
            yield Finding("TBL003", "W", header.line, header.cells[index].column, message, "give it one")


def _repeats(names: Sequence[str], fewest: int = 1) -> bool:
    """Tell whether headings are one group several times over, as where tables stand side by side."""
    return any(
        len(names) % period == 0 and all(name == names[index % period] for index, name in enumerate(names))
        for period in range(fewest, min(len(names) // 2, _LONGEST_GROUP) + 1)
        if len(names) >= _FEWEST_REPEATED
    )


def _nameless(block: Block, names: Sequence[str]) -> Iterator[int]:
    """Yield the columns that hold something and have no heading.

    The first ones may lack one, for they name the rows. So may those of a heading that spans several, which is
    written as a second row of headings with nothing in its first cell.
    """
    cells = block.rows[0].cells
    empty = [index for index, name in enumerate(names) if not name and not cells[index].text]
    first = next((index for index, name in enumerate(names) if name), len(names))
    below = block.rows[1].cells if len(block.rows) > 1 else ()
    if not below or not below[0].text:
        return
    for index in empty:
        if index > first and any(len(row.cells) > index and row.cells[index].text for row in block.rows[1:]):
            yield index


def duplicate_key(context: Context) -> Iterator[Finding]:
    """TBL004: a name stands twice in a first column that has every other name once."""
    plain = _plain_texts(context, (row for block in _tables(context) for row in block.rows), 1)
    for block in _tables(context):
        rows = block.rows[1:]
        first = block.rows[0].cells[0]
        heading = plain.get((block.line, first.column), "")
        if len(rows) < _FEWEST_ROWS or not _KEY.fullmatch(heading):
            continue
        keys = [plain.get((row.line, row.cells[0].column), "") if row.cells else "" for row in rows]
        if not all(map(_NAME.fullmatch, keys)):
            continue
        counts = Counter(keys)
        twice = [key for key, count in counts.items() if count > 1]
        if len(twice) != 1 or counts[twice[0]] != 2 or _NO_NAME.fullmatch(twice[0]):  # noqa: PLR2004 - a pair
            continue
        one, two = (index for index, key in enumerate(keys) if key == twice[0])
        # Neighbours may be one entry on two lines.
        severity: Severity = "W" if two - one > 1 or _texts(rows[one]) == _texts(rows[two]) else "I"
        cell = rows[two].cells[0]
        message = f"'{twice[0][:60]}' stands here and in line {rows[one].line}, and every other {heading} once"
        yield Finding("TBL004", severity, rows[two].line, cell.column, message, length=len(cell.text))


def _texts(row: Row) -> list[str]:
    return [cell.text for cell in row.cells]


def missing_column(context: Context) -> Iterator[Finding]:
    """TBL005: a table lacks a column that the settings require in a section with such a title."""
    required = {
        re.compile(rf"(?<!\w){re.escape(' '.join(words.split()))}(?!\w)", re.IGNORECASE): columns
        for words, columns in context.settings.required_columns.items()
    }
    if not required:
        return
    plain = _plain_texts(context, (block.rows[0] for block in _tables(context)))
    sections = {section.slug: section for section in context.spec.sections}
    around = iter(context.spec.sections)
    section: Section | None = None
    offered = 0
    for block in context.spec.document.blocks:
        if block.kind == "heading":
            section = next(around, None)
        elif block.kind == "table":
            titles = list(_titles(section, sections))
            names = _plain(block.rows[0], plain)
            folded = {name.casefold() for name in names}
            asked = [columns for words, columns in required.items() if any(map(words.search, titles))]
            for name in dict.fromkeys(chain.from_iterable(asked)):
                if name.casefold() not in folded:
                    offered += 1
                    hint = did_you_mean(name, names) if offered <= MOST_SUGGESTIONS else ""
                    message = f"this table has no column '{name}', which the settings require here"
                    yield Finding("TBL005", "W", block.line, block.column, message, hint)


def _titles(section: Section | None, sections: dict[str, Section]) -> Iterator[str]:
    """Yield the titles of a section and of those around it."""
    while section is not None:
        yield section.title
        section = sections.get(section.parent) if section.parent is not None else None
