"""Findings as text, one line each, for people and for `grep`; on a terminal with the line that is meant below.

::

    docs/spec.md:12:5: error XREF001: there is no section 9.9 (did you mean 9.1?)

A terminal shows the same line in colours, the line of the document with a mark under the place, and the hint on a line
of its own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tck_reports.findings.listing import counted, shown, told
from tck_spec.findings import SEVERITY_NAMES

if TYPE_CHECKING:
    from tck_reports.findings.listing import Listing
    from tck_spec.findings import Finding, Severity

__all__ = ["lines", "render", "summary"]

_PLURALS: Final[Mapping[Severity, str]] = {"E": "errors", "W": "warnings", "I": "infos"}
_COLOURS: Final[Mapping[Severity, str]] = {"E": "1;31", "W": "1;33", "I": "1;36"}
_DIM: Final = "2"
_BOLD: Final = "1"
#: A file's line is shown no wider than this, or than the terminal.
_WIDEST: Final = 160
_NARROWEST: Final = 40


def render(listing: Listing) -> str:
    """Return the form without colours and lines of the document."""
    return "".join(f"{line}\n" for line in lines(listing))


def lines(listing: Listing, *, color: bool = False, context: bool = False, width: int = 0) -> Iterator[str]:
    """Yield the lines of the text, with those of the document where `context` is asked for."""
    for one in listing.findings:
        yield _finding(one, color=color, hint=not context)
        if context:
            yield from _context(one, listing, color=color, width=min(max(width or _WIDEST, _NARROWEST), _WIDEST))
    if len(listing.by_file) > 1:
        for name, findings in listing.by_file.items():
            if findings:
                yield f"{shown(name)}: {_counts(counted(findings), color=color)}"
    yield summary(listing, color=color)


def summary(listing: Listing, *, color: bool = False) -> str:
    """Return the last line: how much was looked at, and how much was found."""
    looked = _number(listing.sections, "section")
    if listing.requirements:
        looked = f"{_number(listing.requirements, 'requirement')} in {looked}"
    if len(listing.files) > 1:
        looked = f"{len(listing.files)} files, {looked}"
    return f"{looked}: {_counts(listing.counts, color=color)}"


def _number(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _counts(counts: Mapping[Severity, int], *, color: bool) -> str:
    return ", ".join(
        _paint(
            f"{number} {SEVERITY_NAMES[severity] if number == 1 else _PLURALS[severity]}",
            _COLOURS[severity] if number else "",
            color=color,
        )
        for severity, number in counts.items()
    )


def _paint(text: str, code: str, *, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color and code else text


def _finding(one: Finding, *, color: bool, hint: bool) -> str:
    place = _paint(shown(f"{one.source}:{one.line}:{one.column}"), _BOLD, color=color)
    word = _paint(SEVERITY_NAMES[one.severity], _COLOURS[one.severity], color=color)
    return f"{place}: {word} {one.rule}: {told(one) if hint else shown(one.message)}"


def _context(one: Finding, listing: Listing, *, color: bool, width: int) -> Iterator[str]:
    line = listing.line_of(one)
    if line is not None and line.strip():
        gutter = f"{one.line:>5} | "
        text, before, marked = _window(line, one.column - 1, one.length, width - len(gutter))
        yield _paint(gutter, _DIM, color=color) + text
        mark = "^" * max(1, marked)
        yield (
            _paint(" " * (len(gutter) - 2) + "| ", _DIM, color=color)
            + " " * before
            + _paint(mark, _COLOURS[one.severity], color=color)
        )
    if one.hint:
        yield f"        hint: {shown(one.hint)}"


def _window(line: str, start: int, length: int, width: int) -> tuple[str, int, int]:
    """Cut a line to what fits; return it with the width of what is before the place, and of the place."""
    start = min(start, len(line))
    left = max(0, min(start - width // 3, len(line) - width))
    right = left + width
    head = "…" if left else ""
    before = head + shown(line[left:start])
    place = shown(line[start : min(start + length, right)])
    after = shown(line[min(start + length, right) : right]) + ("…" if right < len(line) else "")
    return before + place + after, _wide(before), _wide(place)


def _wide(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) or one in "\u200d\ufe0f" else 1 + (unicodedata.east_asian_width(one) in "WF")
        for one in text
    )
