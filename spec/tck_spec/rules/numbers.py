"""Rules on the numbers of headings: each once, none left out, each under its own parent."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tck_spec.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.rules.context import Context
    from tck_spec.sections import Section

__all__ = ["duplicate_number", "number_gap", "parent_mismatch", "part_of"]


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
        key = section.number, part_of(context, section)
        if key in first:
            message = f"the number {section.number} is taken by line {first[key].line} ({first[key].title}) already"
            yield Finding("NUM001", "E", section.line, section.column, message, "number the headings apart")
        first.setdefault(key, section)


def part_of(context: Context, section: Section) -> str | None:
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
    families: dict[tuple[str, str | None], list[tuple[int, Section]]] = {}
    for section in context.spec.sections:
        head, place = _split(section.number) if section.number is not None else ("", None)
        if place is not None:
            families.setdefault((head, part_of(context, section)), []).append((place, section))
    gaps: list[Finding] = []
    for (head, _), family in families.items():
        if _counts_down(context, head, [place for place, _ in family]):
            continue
        for (before, _), (place, section) in pairwise(family):
            if place not in (before, before + 1):
                number = section.number or ""
                message = f"{number} follows {_sibling(number, before)}; {_sibling(number, before + 1)} is expected"
                hint = "renumber, or say why one is missing"
                gaps.append(Finding("NUM002", "W", section.line, section.column, message, hint))
    yield from sorted(gaps, key=lambda gap: gap.line)


def _counts_down(context: Context, head: str, places: list[int]) -> bool:
    """Tell whether numbers are versions, the latest first, as in a log of changes."""
    return head not in context.by_number and all(before > place for before, place in pairwise(places))


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
