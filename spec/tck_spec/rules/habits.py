"""Rules on how a document refers to sections: the same way throughout, and to others than the one it stands in."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from tck_spec.findings import Finding
from tck_spec.targets import targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.rules.context import Context
    from tck_spec.sections import Section

__all__ = ["foreign_reference", "plain_reference", "self_reference"]

#: A document that links fewer of its references has no habit of it.
_HABIT: Final = 3


def plain_reference(context: Context) -> Iterator[Finding]:
    """XREF005: a section is named without a link, in a document that links most of its references."""
    own = [one for one in context.spec.references if one.kind == "section" and not one.document]
    plain = [one for one in own if not one.link and len(context.by_number.get(one.target, ())) == 1]
    linked = sum(1 for one in own if one.link)
    if linked < _HABIT or linked <= len(plain):
        return
    last = 0, 0
    for one in plain:
        if (one.line, one.column) != last:
            last = one.line, one.column
            message = f"'{' '.join(one.label.split())}' is no link, as most references here are"
            hint = f"link it to #{context.by_number[one.target][0].slug}"
            yield Finding("XREF005", "I", one.line, one.column, message, hint)


def foreign_reference(context: Context) -> Iterator[Finding]:
    """XREF007: a reference goes into another document, where nobody looks."""
    for one in context.spec.references:
        if one.kind == "section" and one.document:
            document = " ".join(one.document.split())[:80]
            message = f"'{' '.join(one.label.split())}' of {document} is not checked"
            yield Finding("XREF007", "I", one.line, one.column, message)


def self_reference(context: Context) -> Iterator[Finding]:
    """XREF008: a reference leads to the section in which it stands."""
    sections = context.spec.sections
    lines = [section.line for section in sections]
    targets, dialects = targets_of(context.spec), context.settings.anchors
    said: set[int] = set()
    for one in context.spec.references:
        index = bisect_right(lines, one.line) - 1
        around: Section | None = sections[index] if index >= 0 else None
        if around is None or around.line == one.line or around.level == 1 or one.listed or one.line in said:
            continue
        by_number = one.kind == "section" and not one.document and one.target == around.number
        if by_number or (one.kind == "anchor" and one.target and targets.section_at(one.target, dialects) == around):
            said.add(one.line)
            name = f"section {around.number}" if around.number else f"'{around.title}'"
            message = f"this refers to {name}, in which it stands"
            yield Finding("XREF008", "I", one.line, one.column, message, "say 'this section', or name the one meant")
