"""The report as JUnit XML, one test case for each of `cases`.

Failures are filled children: a dashboard that shows nothing but them still says what was expected, what came, and
whose fault it is. Earlier tries are children `rerunFailure`, as Surefire and Jenkins have them, so that one which
passed at last is still seen to have failed before. `file` and `line` are what GitLab reads.
"""

import xml.etree.ElementTree as ET
from typing import Final

from tck_reports.explain import (
    exit_words,
    not_exercised_line,
    reproduce,
    shard_line,
    surroundings_line,
    verdict_line,
)
from tck_reports.formats.cases import Case, cases
from tck_reports.formats.story import entry_line, place
from tck_reports.outcomes import MEANINGS, Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, Report
from tck_reports.spared import broken_for

_COUNTERS: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}
_RERUNS: Final = {"failure": "rerunFailure", "error": "rerunError"}
_XML_FORBIDDEN: Final = {0xFFFE, 0xFFFF}


def render(report: Report) -> str:
    """Return the whole XML document."""
    root = ET.Element("testsuites", {"name": "session-tck"})
    suites = {"run": _suite(root, "run", report)}
    _properties(suites["run"], report)
    for case in cases(report):
        if case.suite not in suites:
            suites[case.suite] = _suite(root, case.suite, report)
        _case(suites[case.suite], case, report)
    for suite in root:
        _count(suite)
    _sum(root)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(root: ET.Element, name: str, report: Report) -> ET.Element:
    return ET.SubElement(root, "testsuite", {"name": _clean(name), "timestamp": _clean(report["run"]["started"])})


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
        ("exit reason", ": ".join(exit_words(report))),
        ("surroundings", surroundings_line(report)),
        ("not exercised", not_exercised_line(report)),
        ("shard", shard_line(report)),
        *((f"verdict {profile}", verdict_line(profile, verdict)) for profile, verdict in report["verdict"].items()),
        *(
            (f"baseline {one['target']} {one['name']}", entry_line(one))
            for one in (report["baseline"] or {"entries": []})["entries"]
        ),
        *(
            (f"excluded {one['id']}", one["reason"] or "")
            for one in report["requirements"]
            if one["outcome"] == Outcome.EXCLUDED
        ),
    ]
    for name, value in pairs:
        if value:
            ET.SubElement(properties, "property", {"name": _clean(name), "value": _clean(value)})


def _case(suite: ET.Element, case: Case, report: Report) -> None:
    attributes = {"classname": _clean(f"session_tck.{case.group}"), "name": _clean(case.name), "time": "0"}
    element = ET.SubElement(suite, "testcase", attributes)
    check = case.check
    if case.form != "testcase":
        child = ET.SubElement(element, case.form, {"message": _clean(case.message)})
        if case.form != "skipped":
            child.set("type", _clean(case.kind))
        again = f"\nrepeat with: {reproduce(report, *broken_for(check)[:1])}" if check and child.get("type") else ""
        child.text = _clean(case.story + again)
    if check is not None:
        element.set("time", f"{check['duration_ms'] / 1000:.6f}")
        path, line = place(check)
        if line is not None:
            element.set("file", _clean(path))
            element.set("line", str(line))
        _attempts(element, check)


def _attempts(element: ET.Element, check: CheckPart) -> None:
    """Add the earlier tries that did not pass."""
    for number, attempt in enumerate(check["attempts"], 1):
        tag = _RERUNS.get(MEANINGS[Outcome(attempt["outcome"])].junit)
        if tag:
            told = f"try {number}: {attempt['outcome']}" + (f" ({attempt['reason']})" if attempt["reason"] else "")
            child = ET.SubElement(element, tag, {"message": _clean(told), "type": attempt["outcome"]})
            child.text = _clean(told)


def _count(suite: ET.Element) -> None:
    found = suite.findall("testcase")
    suite.set("tests", str(len(found)))
    for form, attribute in _COUNTERS.items():
        suite.set(attribute, str(sum(case.find(form) is not None for case in found)))
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in found):.6f}")


def _sum(root: ET.Element) -> None:
    for attribute in ("tests", "failures", "errors"):
        root.set(attribute, str(sum(int(suite.get(attribute, "0")) for suite in root)))
    root.set("time", f"{sum(float(suite.get('time', '0')) for suite in root):.6f}")


def _clean(text: str) -> str:
    """Return the text with everything that XML 1.0 cannot hold spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{ord(one):04x}" if ord(one) in _XML_FORBIDDEN else one for one in visible(text))
