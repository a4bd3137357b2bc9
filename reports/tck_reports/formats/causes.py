"""Failures that look alike, put together: what an implementer mends is a cause, and one cause can fail many scenarios.

Two failures look alike if the same thing was looked at, by the same words but for numbers and quoted names, and what
was expected and found is of the same kind. That is a guess that helps reading, and nothing is judged by it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tck_reports.explain import Finding, broken
from tck_reports.outcomes import PRECEDENCE, Outcome
from tck_reports.shape import CheckPart, Json, RequirementPart

#: What may differ between two statements about the same thing.
_VARYING: Final = re.compile(r"\"[^\"]*\"|'[^']*'|\b\w*[0-9]\w*\b|\b(?:first|second|third|fourth|fifth)\b")
#: A text that is a word of a vocabulary, such as `no_prior_session`: these are told apart, names and prompts are not.
_WORD: Final = re.compile(r"[a-z]+(?:_[a-z]+)*\Z")
_LONGEST_WORD: Final = 30
_LONGEST_STATEMENT: Final = 300


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures that look alike: the first of their checks stands for them, none where no check says why."""

    outcome: str
    #: What was looked at, or why there is no verdict.
    what: str
    checks: tuple[CheckPart, ...]
    requirements: tuple[RequirementPart, ...]


def causes(findings: Iterable[Finding]) -> tuple[Cause, ...]:
    """Return why the requirements failed, worst outcome first, then what fails most requirements.

    Only checks with the outcome of their requirement stand for it; a check of several requirements is there once.
    """
    checks: dict[tuple[str, ...], dict[str, CheckPart]] = {}
    requirements: dict[tuple[str, ...], dict[str, RequirementPart]] = {}
    for finding in findings:
        telling = [one for one in finding.checks if one["outcome"] == finding.requirement["outcome"]]
        for check in telling:
            checks.setdefault(_alike(check), {})[check["id"]] = check
            requirements.setdefault(_alike(check), {})[finding.requirement["id"]] = finding.requirement
        if not telling:
            bare = (finding.requirement["outcome"], finding.requirement["reason"] or "")
            checks.setdefault(bare, {})
            requirements.setdefault(bare, {})[finding.requirement["id"]] = finding.requirement
    found = [
        Cause(key[0], _what(tuple(own.values()), key[1]), tuple(own.values()), tuple(requirements[key].values()))
        for key, own in checks.items()
    ]
    return tuple(sorted(found, key=lambda one: (PRECEDENCE.index(Outcome(one.outcome)), -len(one.requirements))))


def _alike(check: CheckPart) -> tuple[str, ...]:
    one = broken(check)
    reason = (check["reason"] or "").partition("\n")[0][:_LONGEST_STATEMENT]
    if one is None:
        return check["outcome"], _VARYING.sub("#", reason), check["blame"] or "", check["failed_step"] or ""
    statement = _VARYING.sub("#", one["statement"][:_LONGEST_STATEMENT])
    return check["outcome"], reason, check["blame"] or "", statement, _kind(one["expected"]), _kind(one["actual"])


def _kind(value: Json) -> str:
    match value:
        case None | bool() | int() | float():
            return str(value)
        case str() if len(value) <= _LONGEST_WORD and _WORD.match(value):
            return value
        case str():
            return "text"
        case _:
            return f"{type(value).__name__} {bool(value)}"


def _what(checks: tuple[CheckPart, ...], reason: str) -> str:
    if not checks:
        return reason or "no reason was given"
    one = broken(checks[0])
    return one["statement"] if one else checks[0]["failed_step"] or checks[0]["reason"] or "no reason was given"
