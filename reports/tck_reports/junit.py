"""The report as JUnit XML: one test case per check, and one more for each outcome that no single check shows.

Failures are filled children: a dashboard that shows nothing but them still says what was expected, what came, and
whose fault it is. A requirement whose outcome is none of its checks' (no scenario, a check that never came, declared
unsupported though mandatory) is a test case of the suite `requirements`; what is wrong with the run as a whole is one
of the suite `run`, so that no consumer takes a broken run for a clean one.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Final

from tck_reports.explain import FAULT_WORDS, broken, control_name, value_text, verdict_line
from tck_reports.outcomes import MEANINGS, Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, Report, RequirementPart

_COUNTERS: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}
_XML_FORBIDDEN: Final = {0xFFFE, 0xFFFF}


def render(report: Report) -> str:
    """Return the whole XML document."""
    root = ET.Element("testsuites", {"name": "session-tck"})
    run = _suite(root, "run")
    _properties(run, report)
    for name, kind, items in (
        ("fault", "error", report["faults"]),
        ("complete", "skipped", report["incomplete_reasons"]),
        ("baseline", "failure", report["stale_entries"]),
    ):
        for item in items:
            _case(
                run, "session_tck.run", f"{name}: {item}", kind, message=_run_message(kind, item), type_=name, text=item
            )
    for control in report["controls"]:
        wrong = control["expected"] != control["observed"]
        told = f"expected {control['expected']}, observed {control['observed']}"
        kind = "error" if wrong else "testcase"
        _case(
            run, "session_tck.run", f"control: {control_name(control)}", kind, message=told, type_="control", text=told
        )
    requirements = {one["id"]: one for one in report["requirements"]}
    suites: dict[str, ET.Element] = {}
    for check in report["checks"]:
        area = next((requirements[one]["area"] for one in check["requirements"] if one in requirements), "unknown")
        if area not in suites:
            suites[area] = _suite(root, area)
        _check(suites[area], area, check, requirements)
    of_their_own = _suite(root, "requirements")
    outcomes = {check["id"]: check["outcome"] for check in report["checks"]}
    for requirement in _unshown(report, outcomes):
        _requirement(of_their_own, requirement)
    for suite in root:
        _count(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _run_message(kind: str, item: str) -> str:
    return str(Outcome.NOT_RUN) if kind == "skipped" else item


def _unshown(report: Report, outcomes: dict[str, str]) -> Iterable[RequirementPart]:
    """Yield the requirements of the selected profiles whose outcome no check of theirs has."""
    for requirement in report["requirements"]:
        shown = {outcomes.get(check) for check in requirement["checks"]}
        if requirement["profile"] in report["verdict"] and requirement["outcome"] not in shown:
            yield requirement


def _suite(root: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(root, "testsuite", {"name": _clean(name)})


def _properties(suite: ET.Element, report: Report) -> None:
    properties = ET.SubElement(suite, "properties")
    engine, spec = report["implementation"], report["spec"]
    pairs = [
        ("implementation", f"{engine['name']} {engine['version']}"),
        ("specification", f"{spec['id']} {spec['version']}"),
        ("requirement set", spec["set_digest"]),
        ("kit", report["kit"]["version"]),
        ("seed", str(report["run"]["seed"])),
        ("complete", str(report["complete"]).lower()),
        ("exit code", str(report["exit_code"])),
        *((f"verdict {profile}", verdict_line(profile, verdict)) for profile, verdict in report["verdict"].items()),
        *(
            (f"excluded {one['id']}", one["reason"] or "")
            for one in report["requirements"]
            if one["outcome"] == Outcome.EXCLUDED
        ),
    ]
    for name, value in pairs:
        ET.SubElement(properties, "property", {"name": _clean(name), "value": _clean(value)})


def _check(suite: ET.Element, area: str, check: CheckPart, requirements: dict[str, RequirementPart]) -> None:
    outcome = Outcome(check["outcome"])
    path, _, line = check["feature"].rpartition(":")
    case = _case(
        suite,
        f"session_tck.{area}",
        f"{check['scenario']} [{check['id']}]",
        MEANINGS[outcome].junit,
        message=_message(outcome, check["reason"], check),
        type_=_type(outcome, check["reason"]),
        text=_story(check, requirements),
    )
    if case is not None:
        case.set("time", f"{check['duration_ms'] / 1000:.6f}")
        if path and line.isdecimal():
            case.set("file", _clean(path))
            case.set("line", line)


def _requirement(suite: ET.Element, requirement: RequirementPart) -> None:
    outcome = Outcome(requirement["outcome"])
    _case(
        suite,
        f"session_tck.{requirement['area']}",
        requirement["id"],
        MEANINGS[outcome].junit,
        message=_message(outcome, requirement["reason"], None),
        type_=_type(outcome, requirement["reason"]),
        text=f"{requirement['id']}: {requirement['text']}\n{outcome}: {requirement['reason']}",
    )


def _type(outcome: Outcome, reason: str | None) -> str:
    """Return the type of a failure: its reason where that is one word, its outcome otherwise."""
    return reason if outcome is Outcome.FAILED and reason and reason.isidentifier() else str(outcome)


def _message(outcome: Outcome, reason: str | None, check: CheckPart | None) -> str:
    if outcome is Outcome.NOT_RUN:
        return str(outcome)
    expectation = None if check is None else broken(check)
    if expectation is not None:
        expected, actual = value_text(expectation["expected"]), value_text(expectation["actual"])
        return f"{expectation['statement']}: expected {expected}, got {actual}"
    return f"{outcome}: {reason}" if reason else str(outcome)


def _story(check: CheckPart, requirements: dict[str, RequirementPart]) -> str:
    lines = [
        f"{one}: {requirements[one]['text'] if one in requirements else 'unknown'}" for one in check["requirements"]
    ]
    lines.append(f"scenario: {check['scenario']} ({check['feature']})")
    if check["failed_step"]:
        lines.append(f"step: {check['failed_step']}")
    for one in check["expectations"]:
        if not one["held"]:
            lines.append(f"expected: {one['statement']}: {value_text(one['expected'])}")
            lines.append(f"actual: {value_text(one['actual'])}")
            lines.extend(f"evidence ({one['evidence_class']}): {item}" for item in one["evidence"])
    lines.append(_outcome(check))
    if check["blame"]:
        lines.append(f"fault: {FAULT_WORDS[check['blame']]}")
    return "\n".join(lines)


def _outcome(check: CheckPart) -> str:
    return f"outcome: {check['outcome']}" + (f" ({check['reason']})" if check["reason"] else "")


def _case(
    suite: ET.Element, classname: str, name: str, kind: str, *, message: str, type_: str, text: str
) -> ET.Element | None:
    """Add a test case; what is absent from JUnit stands in the properties instead."""
    if kind == "absent":
        return None
    case = ET.SubElement(suite, "testcase", {"classname": _clean(classname), "name": _clean(name), "time": "0"})
    if kind != "testcase":
        child = ET.SubElement(case, kind, {"message": _clean(message)})
        if kind != "skipped":
            child.set("type", _clean(type_))
        child.text = _clean(text)
    return case


def _count(suite: ET.Element) -> None:
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for kind, attribute in _COUNTERS.items():
        suite.set(attribute, str(sum(case.find(kind) is not None for case in cases)))
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.6f}")


def _clean(text: str) -> str:
    """Return the text with everything that XML 1.0 cannot hold spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{ord(one):04x}" if ord(one) in _XML_FORBIDDEN else one for one in visible(text))
