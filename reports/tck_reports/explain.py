"""What every format says about a report in the same words: verdict lines, tallies by area, and failures explained."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tck_reports.outcomes import PRECEDENCE, Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, ControlPart, ExpectationPart, Json, Report, RequirementPart, VerdictPart

#: The three columns in which people count outcomes.
PASSED: Final = frozenset({Outcome.PASSED})
FAILED: Final = frozenset(
    {Outcome.ERROR, Outcome.FAILED, Outcome.UNTESTABLE, Outcome.STALE, Outcome.FLAKY, Outcome.EXPECTED_FAILURE}
)

FAULT_WORDS: Final[Mapping[str, str]] = {
    "engine": "the engine's",
    "driver": "the driver's, not the engine's",
    "kit": "the kit's, not the engine's",
}
EXIT_WORDS: Final[Mapping[int, str]] = {
    0: "conformant",
    1: "nonconformant",
    2: "usage",
    3: "incomplete",
    4: "kit or driver error",
    5: "stale baseline",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One requirement that did not pass, with the checks that made it so."""

    requirement: RequirementPart
    checks: tuple[CheckPart, ...]


def findings(report: Report) -> tuple[Finding, ...]:
    """Return every requirement that is counted among the failed, worst outcome first, then in the order of the set."""
    checks = {check["id"]: check for check in report["checks"]}
    found = [
        Finding(requirement, _telling(requirement, checks))
        for requirement in report["requirements"]
        if Outcome(requirement["outcome"]) in FAILED
    ]
    return tuple(sorted(found, key=lambda finding: PRECEDENCE.index(Outcome(finding.requirement["outcome"]))))


def _telling(requirement: RequirementPart, checks: Mapping[str, CheckPart]) -> tuple[CheckPart, ...]:
    """Return those of its checks that did not pass and were not declined, worst first."""
    own = [checks[name] for name in requirement["checks"] if name in checks]
    telling = [check for check in own if Outcome(check["outcome"]) not in {*PASSED, Outcome.UNSUPPORTED}]
    return tuple(sorted(telling, key=lambda check: PRECEDENCE.index(Outcome(check["outcome"]))))


def broken(check: CheckPart) -> ExpectationPart | None:
    """Return the first expectation that did not hold."""
    return next((one for one in check["expectations"] if not one["held"]), None)


def fault(check: CheckPart) -> str:
    """Say whose fault it is, and of which kind."""
    whose = FAULT_WORDS.get(check["blame"] or "", "not attributed")
    return f"{whose} ({check['reason']})" if check["reason"] else whose


def value_text(value: Json) -> str:
    """Return a JSON value on one line, as JSON, with control characters spelled out."""
    return visible(json.dumps(value, ensure_ascii=False))


def verdict_line(profile: str, verdict: VerdictPart) -> str:
    """Return the one line that says it all, such as `core: conformant 61/61 (witnessed)`."""
    line = f"{profile}: {verdict['result']} {verdict['numerator']}/{verdict['denominator']}"
    if verdict["result"] != "conformant":
        return f"{line} ({verdict['why']})"
    basis = "witnessed" if verdict["witnessed"] else "partly on the engine's own word"
    aside = set_aside(verdict)
    return f"{line} ({basis}, {aside} not counted)" if aside else f"{line} ({basis})"


def control_name(control: ControlPart) -> str:
    """Return the name of a control with what it does wrong."""
    return f"{control['name']} ({control['sin']})" if control["sin"] else control["name"]


def set_aside(verdict: VerdictPart) -> int:
    """Count the requirements that do not stand in the denominator: declined, of another version, or excluded."""
    return sum(verdict["counts"].values()) - verdict["denominator"]


def exit_line(report: Report) -> str:
    """Return the exit code with its meaning and what decided it."""
    return f"exit code {report['exit_code']}, {EXIT_WORDS[report['exit_code']]}: {report['exit_reason']}"


def profiles(report: Report) -> tuple[str, ...]:
    """Return the profiles that have a verdict, in its order."""
    return tuple(report["verdict"])


def areas(report: Report) -> dict[str, list[RequirementPart]]:
    """Return the requirements of the profiles that have a verdict, by area, both in the order of the set."""
    by_area: dict[str, list[RequirementPart]] = {}
    for requirement in report["requirements"]:
        if requirement["profile"] in report["verdict"]:
            by_area.setdefault(requirement["area"], []).append(requirement)
    return by_area


def tally(requirements: Iterable[RequirementPart]) -> tuple[int, int, int]:
    """Count the passed, the failed and the other ones."""
    outcomes = [Outcome(one["outcome"]) for one in requirements]
    passed, failed = (sum(outcome in group for outcome in outcomes) for group in (PASSED, FAILED))
    return passed, failed, len(outcomes) - passed - failed
