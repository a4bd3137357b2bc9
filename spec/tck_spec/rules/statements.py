"""Rules on requirements: their ids, their key words, and mentions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, Severity, did_you_mean
from tck_spec.keywords import find_keywords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.requirements import Requirement
    from tck_spec.rules.context import Context

__all__ = [
    "compound_requirement",
    "duplicate_id",
    "keyword_in_reason",
    "malformed_requirement",
    "too_short",
    "unknown_requirement",
]

_SHORTEST_STATEMENT: Final = 4


def duplicate_id(context: Context) -> Iterator[Finding]:
    """ID001: two requirements have one id."""
    first: dict[str, Requirement] = {}
    for requirement in context.spec.requirements:
        if requirement.id in first:
            message = f"{requirement.id} is defined in line {first[requirement.id].line} already"
            hint = "give this one the next free number of its area"
            yield Finding("ID001", "E", requirement.line, requirement.column, message, hint)
        first.setdefault(requirement.id, requirement)


def malformed_requirement(context: Context) -> Iterator[Finding]:
    """ID004: something was meant as a requirement and does not have the form of one."""
    for malformed in context.spec.malformed:
        severity: Severity = "E" if malformed.fatal else "W"
        message = f"'{malformed.label}' {malformed.problem}"
        yield Finding("ID004", severity, malformed.line, malformed.column, message, malformed.hint)


def compound_requirement(context: Context) -> Iterator[Finding]:
    """REQ003: a requirement has several key words, so it cannot be tested as one, or none at all."""
    for requirement in context.spec.requirements:
        place = requirement.line, requirement.column
        if not requirement.keywords:
            message = f"{requirement.id} has no RFC 2119 key word in capitals"
            yield Finding("REQ003", "E", *place, message, "say MUST, SHOULD or MAY, once")
        elif len(requirement.keywords) > 1:
            message = f"{requirement.id} has {len(requirement.keywords)} key words: {', '.join(requirement.keywords)}"
            yield Finding("REQ003", "W", *place, message, "make one requirement of each")


def keyword_in_reason(context: Context) -> Iterator[Finding]:
    """REQ005: a reason is no requirement, so it has no key words."""
    for requirement in context.spec.requirements:
        keywords = find_keywords(requirement.reason or "")
        if keywords:
            message = f"the reason of {requirement.id} says {keywords[0]}"
            yield Finding("REQ005", "W", requirement.line, requirement.column, message, "write it in lower case")


def too_short(context: Context) -> Iterator[Finding]:
    """REQ006: a requirement says nothing, or too little to be a sentence."""
    for requirement in context.spec.requirements:
        words = len(requirement.text.split())
        if words < _SHORTEST_STATEMENT:
            message = (
                f"{requirement.id} has a statement of {words} words" if words else f"{requirement.id} says nothing"
            )
            hint = "say who is bound, the key word, and to what"
            yield Finding("REQ006", "E", requirement.line, requirement.column, message, hint)


def unknown_requirement(context: Context) -> Iterator[Finding]:
    """IDR001: the text mentions a requirement that is not defined."""
    known = {requirement.id for requirement in context.spec.requirements}
    broken = {malformed.label for malformed in context.spec.malformed}
    offered = 0
    for reference in context.spec.references:
        if reference.kind != "requirement" or reference.target in known or reference.target in broken:
            continue
        offered += 1
        hint = did_you_mean(reference.target, known) if offered <= MOST_SUGGESTIONS else ""
        message = f"no requirement has the id {reference.target}"
        yield Finding("IDR001", "E", reference.line, reference.column, message, hint or "define it, or correct the id")
