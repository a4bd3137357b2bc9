"""The report as one HTML file that needs nothing else: no network, no script to read it, no mouse to use it.

The policy in its head forbids every resource but its own two style and script blocks, so that nothing an engine put
into a value could load or run even if it got past the escaping.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, cast

from tck_reports.explain import (
    EXIT_WORDS,
    FAILED,
    areas,
    control_name,
    fault,
    findings,
    profiles,
    set_aside,
    tally,
    value_text,
)
from tck_reports.outcomes import MEANINGS, PRECEDENCE, Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, Report, RequirementPart

if TYPE_CHECKING:
    from jinja2 import Template

#: The order of the columns of the matrix and of the filter: the good one, the bad ones, the rest.
COLUMNS: Final = (
    Outcome.PASSED,
    Outcome.FAILED,
    Outcome.UNTESTABLE,
    Outcome.ERROR,
    Outcome.FLAKY,
    Outcome.EXPECTED_FAILURE,
    Outcome.STALE,
    Outcome.NOT_RUN,
    Outcome.UNSUPPORTED,
    Outcome.NOT_APPLICABLE,
    Outcome.EXCLUDED,
)
#: Which of four looks an outcome has; each look has its own sign, so that nothing rests on colour alone.
LOOKS: Final[Mapping[str, str]] = {
    outcome: "good"
    if outcome is Outcome.PASSED
    else "bad"
    if outcome in FAILED
    else "open"
    if MEANINGS[outcome].counted
    else "none"
    for outcome in Outcome
}
SIGNS: Final[Mapping[str, str]] = {"good": "✓", "bad": "✕", "open": "?", "none": "–"}
RESULT_LOOKS: Final[Mapping[str, str]] = {"conformant": "good", "nonconformant": "bad", "indeterminate": "open"}


@dataclass(frozen=True, slots=True)
class AreaRows:
    """One area: its requirements, and how many have each outcome."""

    name: str
    requirements: tuple[RequirementPart, ...]
    counts: Mapping[str, int]
    passed: int
    total: int


def render(report: Report) -> str:
    """Return the whole document."""
    style, script = _asset("report.css"), _asset("report.js")
    by_area = tuple(_area(name, rows) for name, rows in areas(report).items())
    present = [one for one in COLUMNS if any(area.counts[one] for area in by_area)]
    return _template().render(
        report=report,
        areas=by_area,
        findings=findings(report),
        columns=present,
        totals={one: sum(area.counts[one] for area in by_area) for one in present},
        profiles=profiles(report),
        checks={check["id"]: check for check in report["checks"]},
        looks=LOOKS,
        signs=SIGNS,
        result_looks=RESULT_LOOKS,
        exit_word=EXIT_WORDS[report["exit_code"]],
        meanings={str(outcome): meaning.explanation for outcome, meaning in MEANINGS.items()},
        wrong_controls=[one for one in report["controls"] if one["expected"] != one["observed"]],
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def _area(name: str, rows: Iterable[RequirementPart]) -> AreaRows:
    requirements = tuple(rows)
    counts = {str(outcome): sum(one["outcome"] == outcome for one in requirements) for outcome in Outcome}
    return AreaRows(name, requirements, counts, tally(requirements)[0], len(requirements))


def _asset(name: str) -> str:
    return (files("tck_reports") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _duration(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"  # noqa: PLR2004 - a second


def _of(requirement: RequirementPart, checks: Mapping[str, CheckPart]) -> list[CheckPart]:
    """Return the checks of a requirement, those that did not pass first."""
    own = [checks[one] for one in requirement["checks"] if one in checks]
    return sorted(own, key=lambda check: PRECEDENCE.index(Outcome(check["outcome"])))


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - slow to import, and only HTML needs it

    environment = Environment(
        loader=PackageLoader("tck_reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., object]] = {
        "value": value_text,
        "visible": visible,
        "duration": _duration,
        "fault": fault,
        "control": control_name,
        "of": _of,
        "aside": set_aside,
    }
    cast("dict[str, Callable[..., object]]", environment.filters).update(filters)
    return environment.get_template("report.html.j2")
