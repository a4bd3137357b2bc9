"""Rules on references by section number: they name a section, the right one, and only one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, did_you_mean
from tck_spec.references import PLACEHOLDER
from tck_spec.sections import split_heading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.references import Reference
    from tck_spec.rules.context import Context

__all__ = ["ambiguous_section", "label_target_number", "placeholder", "unknown_section"]

_LABEL_NUMBER: Final = re.compile(
    r"(?:§\s?|[Ss]ection\s+|[Ss]ec\.\s+|[Cc]lause\s+|[Aa]ppendix\s+|[Aa]nnex\s+)"
    r"(?P<number>\d{1,3}(?:\.\d{1,4}){0,8}|[A-Z](?:\.\d{1,4}){0,8})(?![\w.]*\w)",
)
_UNFINISHED: Final = re.compile(r"(?<![\w-])(?:TBD|TBC)(?![\w-])|\b[Ss]ee\s+\?{2,5}|\(\?{2,5}\)")
_EMPTY_LABELS: Final = frozenset({"sec", "ref"})


def _own(context: Context) -> Iterator[Reference]:
    for reference in context.spec.references:
        if reference.kind == "section" and not reference.document:
            yield reference


def unknown_section(context: Context) -> Iterator[Finding]:
    """XREF001: a reference into this document has the number of no heading."""
    offered = 0
    for reference in _own(context):
        if reference.target in context.by_number or PLACEHOLDER.fullmatch(reference.target):
            continue
        offered += 1
        hint = did_you_mean(reference.target, context.by_number) if offered <= MOST_SUGGESTIONS else ""
        what = f"'{_one_line(reference.label)}' names section {reference.target}"
        yield Finding(
            "XREF001",
            "E",
            reference.line,
            reference.column,
            f"{what}, and no heading has that number",
            hint or "correct the number, or name the document that is meant",
        )


def label_target_number(context: Context) -> Iterator[Finding]:
    """XREF002: a link's label names one section and its target is another."""
    for reference in context.spec.references:
        if reference.kind != "anchor" or not reference.target:
            continue
        number = _label_number(reference.label)
        target = context.section_at(reference.target) if number else None
        if target is None or target.number == number or (target.number is None and number not in context.by_number):
            continue
        actual = f"section {target.number}" if target.number else "a section without a number"
        right = context.by_number.get(number or "", ())
        hint = f"link to #{right[0].slug}, or write {target.number or 'its title'}" if right else "correct the number"
        message = f"the label names section {number}, but the link goes to {actual} ({target.title})"
        yield Finding("XREF002", "E", reference.line, reference.column, message, hint)


def _label_number(label: str) -> str | None:
    """Return the one section number in a label, whether it says "Section 4.2" or "4.2 Beta"."""
    found = {match["number"] for match in _LABEL_NUMBER.finditer(label)}
    if len(found) == 1:
        return found.pop()
    if found or re.match(r"[A-Z]\.\s", label):
        return None
    number, title = split_heading(label.strip("() "))
    bare = number is not None and number.isdigit()
    return None if bare and not title else number


def placeholder(context: Context) -> Iterator[Finding]:
    """XREF004: something stands where a reference should be."""
    for reference in context.spec.references:
        place = reference.line, reference.column
        if reference.kind == "section" and not reference.document and PLACEHOLDER.fullmatch(reference.target):
            if reference.target not in context.by_number:
                message = f"'{_one_line(reference.label)}' is a placeholder"
                yield Finding("XREF004", "E", *place, message, "write the section's number")
        elif reference.kind == "anchor" and not reference.target:
            message = f"the link '{_one_line(reference.label)}' has no target"
            yield Finding("XREF004", "E", *place, message, "give it one, or take the link away")
        elif reference.kind in ("anchor", "file", "url") and reference.label.strip().lower() in _EMPTY_LABELS:
            message = f"the link's label is only '{reference.label}'"
            yield Finding("XREF004", "E", *place, message, "say where it leads")
    for prose in context.spec.prose:
        for match in _UNFINISHED.finditer(prose.inline.masked()):
            if not match.string[: match.start()].rstrip().endswith(("§", "ection")):
                line, column = prose.place_of(match.start())
                message = f"'{_one_line(match.group())}' is a placeholder"
                yield Finding("XREF004", "E", line, column, message, "write what is meant")


def ambiguous_section(context: Context) -> Iterator[Finding]:
    """XREF006: a reference has the number of two headings."""
    for reference in _own(context):
        sections = context.by_number.get(reference.target, [])
        if len(sections) > 1 and not reference.link:
            lines = " and ".join(str(section.line) for section in sections[:5])
            message = f"'{_one_line(reference.label)}' may mean any of the headings in lines {lines}"
            yield Finding("XREF006", "E", reference.line, reference.column, message, "number the headings apart")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:80]
