"""Rules on tables, diagrams and the file itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import Finding
from tck_spec.specification import diagram_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.rules.context import Context

__all__ = [
    "byte_order_mark",
    "cell_count",
    "diagram_type",
    "diagram_unchecked",
    "line_ends",
    "not_a_table",
    "not_text",
    "unclosed_fence",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: The first words of Mermaid 11's diagrams.
_DIAGRAMS: Final = _words(
    "architecture architecture-beta block block-beta C4Component C4Container C4Context C4Deployment C4Dynamic "
    "classDiagram classDiagram-v2 erDiagram flowchart flowchart-elk gantt gitGraph graph info journey kanban mindmap "
    "packet packet-beta pie quadrantChart radar-beta requirement requirementDiagram sankey sankey-beta sequenceDiagram "
    "stateDiagram stateDiagram-v2 timeline treemap treemap-beta xychart xychart-beta zenuml"
)
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_LINE_END_NAMES: Final = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def cell_count(context: Context) -> Iterator[Finding]:
    """TBL001: a row has more cells than the header, which are lost, or fewer."""
    for block in context.spec.document.blocks:
        if block.kind != "table":
            continue
        expected = len(block.rows[0].cells)
        for row in block.rows[1:]:
            count = len(row.cells)
            if count > expected:
                column = row.cells[expected].column
                message = f"the row has {count} cells under {expected} headings; what is too much is not shown"
                yield Finding("TBL001", "E", row.line, column, message, "write a pipe inside a cell as \\|")
            elif count < expected:
                message = f"the row has {count} of {expected} cells"
                yield Finding("TBL001", "W", row.line, row.column, message, "add the missing cells, empty if need be")


def not_a_table(context: Context) -> Iterator[Finding]:
    """TBL002: header and delimiter row differ, so the table is shown as text."""
    for broken in context.spec.document.broken_tables:
        message = (
            f"{broken.header_cells} headings stand over {broken.delimiter_cells} delimiter cells: "
            "this is shown as text, not as a table"
        )
        hint = "give the row of dashes one cell for each heading"
        yield Finding("TBL002", "E", broken.line, broken.column, message, hint)


def diagram_type(context: Context) -> Iterator[Finding]:
    """MMD002: a diagram is empty or of no type that Mermaid knows."""
    for diagram, line, column in _diagrams(context):
        if diagram in _DIAGRAMS:
            continue
        message = f"Mermaid knows no diagram type '{diagram[:40]}'" if diagram else "the diagram is empty"
        yield Finding("MMD002", "E", line, column, message, "begin it with its type, such as sequenceDiagram")


def diagram_unchecked(context: Context) -> Iterator[Finding]:
    """MMD003: of a diagram only the type was checked; this is no pass."""
    for diagram, line, column in _diagrams(context):
        if diagram in _DIAGRAMS:
            message = f"the {diagram} is not fully checked: only its type was"
            yield Finding("MMD003", "I", line, column, message)


def _diagrams(context: Context) -> Iterator[tuple[str, int, int]]:
    for block in context.spec.document.blocks:
        if block.kind == "fence" and block.info.split(maxsplit=1)[:1] == ["mermaid"]:
            yield diagram_kind(block.text), block.line, block.column


def byte_order_mark(context: Context) -> Iterator[Finding]:
    """DOC001: the file begins with a byte-order mark."""
    if context.spec.text.startswith("\ufeff"):
        message = "the file begins with a byte-order mark, for which some readers miss the first heading"
        yield Finding("DOC001", "W", 1, 1, message, "save it as UTF-8 without one")


def line_ends(context: Context) -> Iterator[Finding]:
    """DOC002: lines end in more than one way."""
    first: dict[str, int] = {}
    for number, match in enumerate(_LINE_END.finditer(context.spec.text), start=1):
        first.setdefault(match.group(), number)
    if len(first) > 1:
        *_, (odd, line) = sorted(first.items(), key=lambda pair: pair[1])
        message = f"line ends are mixed: this one is the first {_LINE_END_NAMES[odd]}"
        yield Finding("DOC002", "W", line, 1, message, "save the file with one kind of line end")


def not_text(context: Context) -> Iterator[Finding]:
    """DOC003: characters were lost when the text was decoded, or cannot be encoded."""
    for number, line in enumerate(_LINE_END.split(context.spec.text), start=1):
        match = re.search("[\ufffd\ud800-\udfff\0]", line)
        if match:
            message = f"character U+{ord(match.group()):04X} is not text"
            yield Finding("DOC003", "E", number, match.start() + 1, message, "save the file as UTF-8")


def unclosed_fence(context: Context) -> Iterator[Finding]:
    """DOC004: a code fence has no closing line, so what follows is taken as code."""
    for block in context.spec.document.blocks:
        if block.kind == "fence" and not block.closed:
            message = "this code fence is never closed"
            yield Finding("DOC004", "E", block.line, block.column, message, "end it with a line of the same marks")
