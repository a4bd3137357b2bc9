"""Rules on the ids of requirements: each is given once, in the right form, and what the text names exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, Severity, did_you_mean
from tck_spec.marked import is_family
from tck_spec.remembered import Remembered
from tck_spec.statements import defined_markers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tck_spec.marked import Marker
    from tck_spec.rules.context import Context
    from tck_spec.settings import Form
    from tck_spec.specification import Specification

__all__ = ["duplicate_id", "malformed_requirement", "unknown_requirement"]

#: Documents that share so many ids, and so large a part of them, are versions or translations of one.
_COPIED: Final = 3
#: What a sentence says that names an id on purpose though it is gone.
_GONE: Final = re.compile(
    r"\b(?:removed?|withdrawn|withdrew|deprecated|retired|formerly|obsoletes?d?|replace[sd]?|renamed|renumbered|reserved"
    r"|deleted|superseded|previously|was)\b",
    re.IGNORECASE,
)
_PLAIN_ID: Final = re.compile(r"[A-Z][A-Z0-9_.-]{0,60}-\d{1,5}[a-z]?")
_NUMBERED: Final = re.compile(r"(?<![\w.])Requirement\s+(?P<number>\d+(?:\.\d+){1,9}[a-z]?)(?![\w]|\.\d)")

#: An id, where it stands, and the numbers of its line and column.
_Definition = tuple[str, int, int]


def duplicate_id(context: Context) -> Iterator[Finding]:
    """ID001: two requirements have one id, here or in another document of the set; both places are named.

    Documents that share most of their ids are versions of one, so nothing is said between them.
    """
    spec, form = context.spec, context.settings.form
    first: dict[str, tuple[int, int]] = {}
    for name, line, column in _definitions(spec, form):
        if name in first:
            message = f"{name} is defined in line {first[name][0]} already"
            hint = "give this one the next free number of its area"
            yield Finding("ID001", "E", line, column, message, hint)
        first.setdefault(name, (line, column))
    yield from _elsewhere(context, first)


def _elsewhere(context: Context, here: Mapping[str, tuple[int, int]]) -> Iterator[Finding]:
    """Yield the ids that a document before this one in the set defines as well."""
    said: set[str] = set()
    for other in context.library.documents if here else ():
        if other.source == context.spec.source:
            return
        there: dict[str, tuple[int, int]] = {}
        for name, line, column in _definitions(other, context.settings.form):
            there.setdefault(name, (line, column))
        shared = [name for name in here if name in there]
        if len(shared) >= _COPIED and len(shared) * 2 >= min(len(here), len(there)):
            continue
        for name in shared:
            if name not in said:
                said.add(name)
                message = f"{name} is defined in {other.source}:{there[name][0]} already"
                yield Finding("ID001", "E", *here[name], message, "give one of the two another id")


def _find_definitions(spec: Specification, form: Form) -> tuple[_Definition, ...]:
    found = [(one.id, one.line, one.column) for one in spec.requirements]
    found += [(one.id, one.line, one.column) for one in defined_markers(spec, form)]
    return tuple(sorted(found, key=lambda one: one[1:]))


#: The ids that a document defines.
_definitions: Final = Remembered(_find_definitions)


def malformed_requirement(context: Context) -> Iterator[Finding]:
    """ID004: something was meant as a requirement and does not have the form of one."""
    for malformed in context.spec.malformed:
        severity: Severity = "E" if malformed.fatal else "W"
        message = f"'{malformed.label}' {malformed.problem}"
        yield Finding("ID004", severity, malformed.line, malformed.column, message, malformed.hint)


def unknown_requirement(context: Context) -> Iterator[Finding]:
    """IDR001: the text mentions a requirement that is not defined."""
    spec, form = context.spec, context.settings.form
    mentions = list(_mentions(context))
    if not mentions:
        return
    known = {name for name, _, _ in _definitions(spec, form)}
    known.update(name for other in context.others for name, _, _ in _definitions(other, form))
    broken = {malformed.label for malformed in spec.malformed}
    offered = 0
    for name, line, column in mentions:
        if name in known or name in broken:
            continue
        offered += 1
        hint = did_you_mean(name, known) if offered <= MOST_SUGGESTIONS else ""
        message = f"no requirement has the id {name}"
        yield Finding("IDR001", "E", line, column, message, hint or "define it, or correct the id")


def _mentions(context: Context) -> Iterator[_Definition]:
    own = {one.area for one in context.spec.requirements}
    for reference in context.spec.references:
        if reference.kind == "requirement":
            yield reference.target, reference.line, reference.column
    markers = [one for one in defined_markers(context.spec, context.settings.form) if one.form.name != "rule"]
    if not markers:
        return
    numbers = {one.id.split()[-1].partition(".")[0] for one in markers if _NUMBERED.fullmatch(one.id)}
    areas = {one.area: one.id for one in markers if one.form.weak or _PLAIN_ID.fullmatch(one.id)}
    shapes = {area: _shape(sample) for area, sample in areas.items() if area not in own and not is_family(sample)}
    yield from _named(context, markers, numbers, shapes)


def _shape(sample: str) -> re.Pattern[str]:
    """Return what matches the ids of a sample's area: REQ-7 for REQ-1, but not REQ7 or REQ-7-b."""
    stem = sample.rstrip("abcdefghijklmnopqrstuvwxyz").rstrip("0123456789")
    return re.compile(rf"(?<![\w.-]){re.escape(stem)}\d{{1,5}}[a-z]?(?![\w-]|\.\w)")


def _named(
    context: Context, markers: Sequence[Marker], numbers: set[str], shapes: Mapping[str, re.Pattern[str]]
) -> Iterator[_Definition]:
    """Yield the ids in the text that belong to an area, or to a chapter of numbers, that this document defines."""
    defined = {(one.line, one.column) for one in markers}
    patterns = [*shapes.values(), *([_NUMBERED] if numbers else [])]
    for prose in context.spec.prose:
        if not any(pattern.search(prose.source) for pattern in patterns):
            continue
        text = prose.inline.masked()
        outside = [link.label for link in prose.inline.links if not link.target.startswith("#")]
        for pattern in patterns:
            for match in pattern.finditer(text):
                name = " ".join(match.group().split())
                place = prose.place_of(match.start())
                if place in defined or any(span.start <= match.start() < span.end for span in outside):
                    continue
                if pattern is _NUMBERED and match["number"].partition(".")[0] not in numbers:
                    continue
                if not _GONE.search(text, max(0, match.start() - 80), match.end() + 80):
                    yield name, *place
