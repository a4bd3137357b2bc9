"""Rules on the file itself: its encoding, its line ends, and fences that never end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.findings import Severity
    from tck_spec.rules.context import Context

__all__ = ["byte_order_mark", "line_ends", "not_text", "unclosed_fence"]

#: Each kind of line end: its name, and what finds it.
_LINE_ENDS: Final = (
    ("CRLF", re.compile(r"\r\n")),
    ("LF", re.compile(r"(?<!\r)\n")),
    ("CR", re.compile(r"\r(?!\n)")),
)
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_NO_TEXT: Final[tuple[tuple[re.Pattern[str], Severity, str], ...]] = (
    (re.compile("\0"), "E", "a NUL character is no text"),
    (re.compile("[\ud800-\udfff]"), "E", "half of a surrogate pair is no text"),
    (re.compile("\ufffd"), "W", "a replacement character stands where text was lost"),
)


def byte_order_mark(context: Context) -> Iterator[Finding]:
    """DOC001: the file begins with a byte-order mark."""
    if context.spec.text.startswith("\ufeff"):
        message = "the file begins with a byte-order mark, for which some readers miss the first heading"
        yield Finding("DOC001", "W", 1, 1, message, "save it as UTF-8 without one")


def line_ends(context: Context) -> Iterator[Finding]:
    """DOC002: lines end in more than one way."""
    text = context.spec.text
    both = text.count("\r\n")
    counts = {"CRLF": both, "LF": text.count("\n") - both, "CR": text.count("\r") - both}
    used = [name for name, count in counts.items() if count]
    if len(used) < 2:  # noqa: PLR2004 - a mixture takes two
        return
    odd = min(used, key=lambda name: counts[name])
    (match,) = (pattern.search(text) for name, pattern in _LINE_ENDS if name == odd)
    line = _line_of(text, match.start()) if match else 1
    others = " and ".join(f"{counts[name]} in {name}" for name in used if name != odd)
    message = f"line ends are mixed: {counts[odd]} in {odd}, of which this is the first, {others}"
    yield Finding("DOC002", "W", line, 1, message, "save the file with one kind of line end")


def not_text(context: Context) -> Iterator[Finding]:
    """DOC003: characters were lost when the text was decoded, or cannot be encoded."""
    text = context.spec.text.removeprefix("\ufeff")
    for pattern, severity, message in _NO_TEXT:
        if not pattern.search(text):
            continue
        lines = enumerate(_LINE_END.split(text), start=1)
        found = [(number, match.start() + 1) for number, line in lines if (match := pattern.search(line))]
        if severity == "W":
            # A document about Unicode shows the character as an example, in code.
            code = set(_lines_of_code(context))
            found = [(number, column) for number, column in found if number not in code]
        if found:
            (line, column), *others = found
            more = f", in {len(others)} more lines as well" if others else ""
            yield Finding("DOC003", severity, line, column, f"{message}{more}", "save the file as UTF-8")


def _lines_of_code(context: Context) -> Iterator[int]:
    for block in context.spec.document.blocks:
        if block.kind in ("fence", "code"):
            yield from (segment.line for segment in block.segments)
    for piece in context.spec.prose:
        for span in piece.inline.code:
            yield piece.place_of(span.start)[0]


def _line_of(text: str, offset: int) -> int:
    return 1 + text.count("\n", 0, offset) + text.count("\r", 0, offset) - text.count("\r\n", 0, offset)


def unclosed_fence(context: Context) -> Iterator[Finding]:
    """DOC004: a code fence has no closing line, so what follows is taken as code."""
    for block in context.spec.document.blocks:
        if block.kind == "fence" and not block.closed:
            last = block is context.spec.document.blocks[-1]
            around = "block quote" if block.quoted else "list item"
            inside = (block.quoted or block.items) and not last
            message = (
                f"this code fence ends with its {around}, not closed" if inside else "this code fence is never closed"
            )
            yield Finding("DOC004", "E", block.line, block.column, message, "end it with a line of the same marks")
