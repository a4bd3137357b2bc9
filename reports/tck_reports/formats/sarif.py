"""The report as SARIF 2.1.0, for code scanning: a rule for each requirement, a result for each check that did not pass.

A check that shows several requirements gives a result for each of them that it has failed for. What was not run or was
declined is no result; that a run is not whole is told by its invocation. What the baseline excuses is there, and
suppressed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from shlex import join
from typing import Any, Final
from urllib.parse import quote

from tck_reports.explain import FAILED, address, exit_line, fault, reproduce, short, verdict_line
from tck_reports.formats.cases import unshown
from tck_reports.formats.moments import zulu
from tck_reports.formats.story import excuses, kind, looked_at, message, place, tries
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.plain import visible
from tck_reports.sarif_log import FINGERPRINT, TOOL, log, plain
from tck_reports.shape import CheckPart, Report, RequirementPart
from tck_reports.spared import check_for, outcome_for

#: How grave it is not to do what a keyword says; any other keyword leaves an engine the choice.
_LEVELS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("MUST", "MUST NOT", "SHALL", "SHALL NOT", "REQUIRED"), "error"),
    **dict.fromkeys(("SHOULD", "SHOULD NOT", "RECOMMENDED", "NOT RECOMMENDED"), "warning"),
}
#: Code scanning shows no more of a message.
_LONGEST_MESSAGE: Final = 10_000
_SCENARIOS, _SPECIFICATION = "SCENARIOS", "SPECIFICATION"
_BASES: Final = {
    _SCENARIOS: {"description": {"text": "The folder of the scenarios, which are in the kit."}},
    _SPECIFICATION: {"description": {"text": "The folder of the specification, which is in the kit."}},
}


def render(report: Report) -> str:
    """Return the whole log."""
    requirements = {one["id"]: one for one in report["requirements"]}
    numbers = {name: number for number, name in enumerate(requirements)}
    engine, spec = report["implementation"], report["spec"]
    driver = {
        "name": TOOL,
        "version": visible(report["kit"]["version"]),
        "rules": [_rule(one, report) for one in requirements.values()],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": visible(f"{TOOL}/{engine['name']}/")},
        "originalUriBaseIds": _BASES,
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [
            {**one, "ruleIndex": numbers[one["ruleId"]]} if one["ruleId"] in numbers else one
            for one in _results(report, requirements)
        ],
        "properties": {
            "engine": visible(f"{engine['name']} {engine['version']}"),
            "specification": visible(f"{spec['id']} {spec['version']}"),
            "seed": report["run"]["seed"],
            "verdicts": [visible(verdict_line(*one)) for one in report["verdict"].items()],
        },
    }
    return log(run)


def _rule(one: RequirementPart, report: Report) -> dict[str, Any]:
    text = visible(one["text"])
    rule: dict[str, Any] = {
        "id": visible(one["id"]),
        "shortDescription": {"text": text},
        "help": {"text": visible(f"{text}\n\n{one['level']}, {one['status']}, section {one['section']}.")},
        "defaultConfiguration": {"level": _level(one)},
        "properties": {"tags": [visible(one["area"]), visible(one["profile"])]},
    }
    if page := address(f"{report['spec']['id']}#{one['anchor']}"):
        rule["helpUri"] = page
    return rule


def _level(requirement: RequirementPart | None) -> str:
    return "error" if requirement is None else _LEVELS.get(requirement["level"], "note")


def _results(report: Report, requirements: Mapping[str, RequirementPart]) -> Iterator[dict[str, Any]]:
    """Yield a result for each requirement of each check that did not pass, and for those that no check explains."""
    seen: Counter[tuple[str, str]] = Counter()
    for check in report["checks"]:
        if Outcome(check["outcome"]) in FAILED:
            for name in dict.fromkeys(check["requirements"]):
                if outcome_for(check, name) == Outcome.PASSED:
                    continue
                yield {
                    **_result(name, check["id"], seen),
                    "level": _level(requirements.get(name)),
                    **_of_check(check_for(check, name), name, report),
                }
    for requirement in unshown(report):
        if Outcome(requirement["outcome"]) in FAILED:
            told = f"{requirement['id']}: {message(requirement['outcome'], requirement['reason'])}"
            yield {
                **_result(requirement["id"], "", seen),
                "level": _level(requirement),
                "message": {"text": plain(visible(told))},
                "locations": [_location("specification.md", None, _SPECIFICATION, requirement["anchor"])],
            }


def _result(requirement: str, check: str, seen: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Return whose result it is, with a fingerprint that it keeps from run to run and shares with no other."""
    seen[requirement, check] += 1
    told = "\0".join((requirement, check, str(seen[requirement, check])))
    fingerprint = sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
    return {"ruleId": visible(requirement), "partialFingerprints": {FINGERPRINT: fingerprint}}


def _of_check(check: CheckPart, requirement: str, report: Report) -> dict[str, Any]:
    path, line = place(check)
    lines = [message(check["outcome"], check["reason"], check), *looked_at(check)]
    lines += [f"earlier try: {one}" for one in tries(check)]
    lines += [f"fault: {fault(check)}", f"repeat with: {reproduce(report, requirement)}"]
    told: dict[str, Any] = {
        "message": {"text": plain(visible(short("\n".join(lines), _LONGEST_MESSAGE)))},
        "locations": [_location(path, line, _SCENARIOS, check["id"], check["scenario"])],
        "properties": {"outcome": check["outcome"], "kind": visible(kind(check["outcome"], check["reason"]))},
    }
    if known := excuses(check):
        told["suppressions"] = [{"kind": "external", "status": "accepted", "justification": visible(known[0])}]
    return told


def _location(path: str, line: int | None, base: str, logical: str, name: str | None = None) -> dict[str, Any]:
    uri = quote(visible(path).lstrip("/"), errors="backslashreplace") or "unknown"
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": base}}
    if line is not None:
        physical["region"] = {"startLine": line}
    named = {} if name is None else {"name": visible(name)}
    return {
        "physicalLocation": physical,
        "logicalLocations": [{"fullyQualifiedName": visible(logical), **named}],
    }


def _invocation(report: Report) -> dict[str, Any]:
    """Return what was started, and what kept it from being whole."""
    run = report["run"]
    notes = [(one, "error") for one in report["faults"]] + [(one, "warning") for one in report["incomplete_reasons"]]
    times = {"startTimeUtc": zulu(run["started"]), "endTimeUtc": zulu(run["finished"])}
    return {
        "commandLine": visible(join(run["argv"])),
        **{name: time for name, time in times.items() if time},
        "executionSuccessful": report["complete"] and report["exit_code"] != ExitCode.FAULT,
        "exitCode": report["exit_code"],
        "exitCodeDescription": visible(exit_line(report)),
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": plain(visible(text))}} for text, level in notes
        ],
    }
