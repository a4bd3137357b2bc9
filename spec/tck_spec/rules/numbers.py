"""Rules on the numbers of headings: each once, none left out, each under its own parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tck_spec.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.rules.context import Context
    from tck_spec.sections import Section

__all__ = ["duplicate_number", "number_gap", "parent_mismatch"]


def _split(number: str) -> tuple[str, int | None]:
    """Return the part of a number that its siblings share, and its place among them."""
    head, _, last = number.rpartition(".")
    if last.isdigit():
        return head, int(last)
    if len(last) == 1 and last.isalpha() and last.isupper() and not head:
        return "Appendix", ord(last) - ord("A") + 1
    prefix, _, digits = number.rpartition(" ")
    return (prefix, int(digits)) if digits.isdigit() else (head, None)


def duplicate_number(context: Context) -> Iterator[Finding]:
    """NUM001: two headings have one number; numbers may start again in another unnumbered part."""
    first: dict[tuple[str, str | None], Section] = {}
    for section in context.spec.sections:
        if section.number is None:
            continue
        key = section.number, _part(context, section)
        if key in first:
            message = f"the number {section.number} is taken by line {first[key].line} ({first[key].title}) already"
            yield Finding("NUM001", "E", section.line, section.column, message, "number the headings apart")
        first.setdefault(key, section)


def _part(context: Context, section: Section) -> str | None:
    """Return the unnumbered section around the outermost numbered one: numbers count anew in each."""
    part: str | None = None
    around: Section | None = section
    while around is not None:
        if around.number is not None:
            part = around.parent
        around = context.by_slug.get(around.parent) if around.parent is not None else None
    return part


def number_gap(context: Context) -> Iterator[Finding]:
    """NUM002: a number does not follow its sibling's."""
    last: dict[tuple[str, str | None], int] = {}
    for section in context.spec.sections:
        if section.number is None:
            continue
        head, place = _split(section.number)
        if place is None:
            continue
        key = head, _part(context, section)
        before = last.get(key)
        if before is not None and place not in (before, before + 1):
            expected = _sibling(section.number, before + 1)
            message = f"{section.number} follows {_sibling(section.number, before)}; {expected} is expected"
            yield Finding("NUM002", "W", section.line, section.column, message, "renumber, or say why one is missing")
        last[key] = place


def _sibling(number: str, place: int) -> str:
    if len(number) == 1 and number.isalpha():
        return chr(ord("A") + place - 1)
    stem = number.rstrip("0123456789")
    return f"{stem}{place}"


def parent_mismatch(context: Context) -> Iterator[Finding]:
    """NUM003: a heading's number does not continue the number of the section it stands in."""
    for section in context.spec.sections:
        around = _numbered_parent(context, section)
        if section.number is None or around is None or around.number is None:
            continue
        head, _ = _split(section.number)
        if section.number.startswith(f"{around.number}.") and head == around.number:
            continue
        hint = f"expected {around.number}.n here, or another heading level"
        message = f"{section.number} stands in section {around.number} ({around.title})"
        yield Finding("NUM003", "W", section.line, section.column, message, hint)


def _numbered_parent(context: Context, section: Section) -> Section | None:
    parent = context.by_slug.get(section.parent) if section.parent is not None else None
    while parent is not None and parent.number is None and parent.parent is not None:
        parent = context.by_slug.get(parent.parent)
    return parent
