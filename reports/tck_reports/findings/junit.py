"""Findings as JUnit XML: a suite per file, a test case per finding, and one that passed for a file without any.

Only what makes the check fail is a failure; other findings are what their test case prints, so that a dashboard of
failures agrees with the exit code.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from tck_reports.findings.listing import shown, told
from tck_reports.plain import visible
from tck_spec.findings import SEVERITY_NAMES

if TYPE_CHECKING:
    from tck_reports.findings.listing import Listing
    from tck_spec.findings import Finding

__all__ = ["render"]


def render(listing: Listing) -> str:
    """Return the whole XML document."""
    root = ET.Element("testsuites", {"name": "session-tck check"})
    totals = [0, 0]
    for name, findings in listing.by_file.items():
        failures = sum(one.severity in listing.failing for one in findings)
        cases = max(1, len(findings))
        counts = {"tests": str(cases), "failures": str(failures), "errors": "0", "skipped": "0", "time": "0"}
        suite = ET.SubElement(root, "testsuite", {"name": _clean(name), **counts})
        for finding in findings:
            _case(suite, finding, listing)
        if not findings:
            ET.SubElement(suite, "testcase", {"classname": _clean(name), "name": "check", "time": "0"})
        totals = [totals[0] + cases, totals[1] + failures]
    root.set("tests", str(totals[0]))
    root.set("failures", str(totals[1]))
    root.set("errors", "0")
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(suite: ET.Element, one: Finding, listing: Listing) -> None:
    source = one.source or ""
    place = f"{source}:{one.line}:{one.column}"
    rule = listing.rules.get(one.rule)
    case = ET.SubElement(
        suite,
        "testcase",
        {
            "classname": _clean(source),
            "name": _clean(f"{one.rule} {rule.name if rule else ''} {one.line}:{one.column}"),
            "file": _clean(source),
            "line": str(one.line),
            "time": "0",
        },
    )
    story = "\n".join(
        (f"{shown(place)}: {SEVERITY_NAMES[one.severity]} {one.rule}", shown(one.message), shown(one.hint))
    ).rstrip()
    if one.severity in listing.failing:
        failure = ET.SubElement(case, "failure", {"message": _clean(told(one)), "type": one.rule})
        failure.text = _clean(story)
    else:
        ET.SubElement(case, "system-out").text = _clean(story)


def _clean(text: str) -> str:
    """Return the text with everything that XML 1.0 cannot hold spelled out."""
    return visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
