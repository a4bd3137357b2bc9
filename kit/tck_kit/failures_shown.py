"""How each format shows that something has failed: what the controls look for in whatever a run writes.

A writer that lets a failure pass would do so for the engine under test as well, so each has to show those of a
known-bad engine. There is one row for each format; one that has none cannot be trusted, and is an error.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Failed:
    """What has failed: how many checks, which requirements, and whether the profile that a badge is about did.

    `spared` are requirements of these checks that nothing has failed for.
    """

    checks: int
    requirements: Collection[str]
    badge: bool
    spared: Collection[str] = frozenset()


def junit_failures(text: str) -> int:
    """Count the checks that are shown as failures; what is said of the run stands in suites of its own."""
    suites = ET.fromstring(text).iter("testsuite")  # noqa: S314 -- our own writer's
    own = [one for one in suites if one.get("name") not in {"run", "requirements"}]
    return sum(len(one.findall("testcase/failure")) for one in own)


def _json_ld(text: str, failed: Failed) -> bool:
    graph: list[dict[str, Any]] = json.loads(text)["@graph"]
    results = {one["@id"] for one in graph if one.get("earl:outcome") == {"@id": "earl:failed"}}
    tests = {one["earl:test"]["@id"] for one in graph if "earl:test" in one and one["earl:result"]["@id"] in results}
    return {test.rpartition(":")[2] for test in tests}.issuperset(failed.requirements)


def _turtle(text: str, failed: Failed) -> bool:
    return all(
        any(
            block.split("> a ", 1)[0].endswith(f":requirement:{one}:result") and "earl:outcome earl:failed" in block
            for block in text.split("\n\n")
        )
        for one in failed.requirements
    )


def _cucumber(text: str, failed: Failed) -> bool:
    """Follow the failed steps to their scenarios, and those to their tags."""
    messages: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    pickles = {held["pickle"]["id"]: held["pickle"] for held in messages if "pickle" in held}
    cases = {held["testCase"]["id"]: held["testCase"]["pickleId"] for held in messages if "testCase" in held}
    started = {
        held["testCaseStarted"]["id"]: held["testCaseStarted"]["testCaseId"]
        for held in messages
        if "testCaseStarted" in held
    }
    steps = [held["testStepFinished"] for held in messages if "testStepFinished" in held]
    broken = {one["testCaseStartedId"] for one in steps if one["testStepResult"]["status"] == "FAILED"}
    tags = {tag["name"] for name in broken for tag in pickles[cases[started[name]]]["tags"]}
    return len(broken) == failed.checks and tags.issuperset(f"@{one}" for one in failed.requirements)


def _ctrf(text: str, failed: Failed) -> bool:
    results: dict[str, Any] = json.loads(text)["results"]
    broken = [one for one in results["tests"] if one["status"] == "failed" and "testId" in one]
    tags = {tag for one in broken for tag in one.get("tags", ())}
    return len(broken) == failed.checks and tags.issuperset(failed.requirements)


def _sarif(text: str, failed: Failed) -> bool:
    found: list[dict[str, Any]] = json.loads(text)["runs"][0]["results"]
    rules = {one["ruleId"] for one in found if "suppressions" not in one}
    return rules.issuperset(failed.requirements) and rules.isdisjoint(failed.spared)


def _badge(text: str, failed: Failed) -> bool:
    return ("nonconformant" in text) == failed.badge


#: By the names of their files.
SHOWN: Final[Mapping[str, Callable[[str, Failed], bool]]] = {
    "report.html": lambda text, failed: all(f'id="{one}" data-outcome="failed"' in text for one in failed.requirements),
    "summary.md": lambda text, failed: all(f"<b>{one}</b> failed" in text for one in failed.requirements),
    "junit.xml": lambda text, failed: junit_failures(text) == failed.checks,
    "earl.jsonld": _json_ld,
    "earl.ttl": _turtle,
    "cucumber.ndjson": _cucumber,
    "ctrf.json": _ctrf,
    "report.sarif": _sarif,
    "badge.json": _badge,
    "badge.svg": _badge,
}
