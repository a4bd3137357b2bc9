"""SARIF of a report: rules are requirements, results what did not pass; `test_formats` holds it against the schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tck_reports.explain import FAILED
from tck_reports.formats import sarif as sarif_report
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .full import full_report
from .samples import check, entry, graded, report_of


def run_of(report: Report) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(sarif_report.render(report))["runs"][0]
    return run


def results(report: Report) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run_of(report)["results"]
    return found


def fingerprints(report: Report) -> list[str]:
    return [one["partialFingerprints"]["sessionTck/v1"] for one in results(report)]


def test_each_requirement_is_a_rule_that_says_what_it_asks_for() -> None:
    report = full_report()
    rules = run_of(report)["tool"]["driver"]["rules"]
    assert [one["id"] for one in rules] == [one["id"] for one in report["requirements"]]
    assert rules[0]["help"] == {"text": "The engine MUST do what RESUME-1 says.\n\nMUST, agreed, section 16.5."}


def test_there_is_a_result_for_each_requirement_of_each_check_that_did_not_pass() -> None:
    report = full_report()
    told = [(one["ruleId"], one["properties"]["outcome"]) for one in results(report) if "properties" in one]
    assert told == [
        (requirement, one["outcome"])
        for one in report["checks"]
        if Outcome(one["outcome"]) in FAILED
        for requirement in one["requirements"]
    ]


def test_each_result_knows_its_rule() -> None:
    run = run_of(full_report())
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [one["ruleId"] for one in run["results"]]


def test_a_requirement_that_no_check_explains_is_a_result_in_the_specification() -> None:
    (found,) = [one for one in results(full_report()) if one["ruleId"] == "RESUME-90"]
    assert found["message"]["text"] == "RESUME-90: error: no scenario"
    (location,) = found["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "specification.md", "uriBaseId": "SPECIFICATION"}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "resume-90"}]


@pytest.mark.parametrize(
    ("level", "shown"), [("MUST", "error"), ("MUST NOT", "error"), ("SHOULD", "warning"), ("MAY", "note")]
)
def test_how_grave_it_is_follows_the_keyword(level: str, shown: str) -> None:
    report = report_of(graded([entry("A-1", level=level)], [check("a", "A-1", outcome=Outcome.FAILED)]))
    assert [one["level"] for one in results(report)] == [shown]
    assert run_of(report)["tool"]["driver"]["rules"][0]["defaultConfiguration"] == {"level": shown}


def test_a_result_has_the_place_of_its_scenario_and_says_how_to_repeat_it() -> None:
    (found,) = [one for one in results(full_report()) if one["ruleId"] == "RESUME-3"]
    assert found["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {
                    "uri": "features/scenarios/area/gives_failed.feature",
                    "uriBaseId": "SCENARIOS",
                },
                "region": {"startLine": 12},
            },
            "logicalLocations": [{"fullyQualifiedName": "gives_failed", "name": "What gives_failed looks at"}],
        }
    ]
    assert found["message"]["text"].startswith('the id that the CLI was given: expected "s-1", got "s-2"')
    assert found["message"]["text"].endswith("session-tck run --engine sim --requirement RESUME-3 --seed 42")


def test_what_the_baseline_excuses_is_suppressed_and_nothing_else_is() -> None:
    found = {one["ruleId"]: one.get("suppressions") for one in results(full_report())}
    why = "knows_it: issue 12 (team-a, since 2026-01-02)"
    assert {name: given for name, given in found.items() if given} == {
        "FALLBACK-1": [{"kind": "external", "status": "accepted", "justification": why}]
    }


def test_fingerprints_stay_from_run_to_run_and_are_no_two_results() -> None:
    report, later = full_report(), full_report()
    later["run"]["seed"], later["run"]["started"] = 7, "2026-05-05T00:00:00+00:00"
    later["checks"] = [{**one, "feature": "elsewhere.feature:99", "reason": "other"} for one in later["checks"]]
    assert fingerprints(report) == fingerprints(later)
    assert len({*fingerprints(report)}) == len(fingerprints(report)) > 5


def test_two_results_of_one_check_and_requirement_are_still_told_apart() -> None:
    report = full_report()
    report["checks"] += report["checks"]
    assert len({*fingerprints(report)}) == len(fingerprints(report))


def test_a_run_that_is_not_whole_is_told_by_its_invocation() -> None:
    (invocation,) = run_of(report_of(graded([entry("A-1")], [], {"a": ["A-1"]}, cut_short="budget spent")))[
        "invocations"
    ]
    assert invocation["executionSuccessful"] is False
    assert {"level": "warning", "message": {"text": "budget spent"}} in invocation["toolExecutionNotifications"]
    assert invocation["startTimeUtc"] == "2026-01-02T03:04:05.000Z"
    (whole,) = run_of(report_of(graded([entry("A-1")], [check("a", "A-1")])))["invocations"]
    assert (whole["executionSuccessful"], whole["exitCode"]) == (True, 0)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("https://spec.example/1", "https://spec.example/1#a-1"),
        ("javascript:alert(1)", None),
        ("session-resume", None),
        ("https://a b", None),
    ],
)
def test_a_rule_leads_to_a_page_only_where_the_specification_has_an_address(name: str, page: str | None) -> None:
    report = report_of(graded([entry("A-1")], [check("a", "A-1")]))
    report["spec"]["id"] = name
    assert run_of(report)["tool"]["driver"]["rules"][0].get("helpUri") == page


def test_a_place_is_a_relative_reference_whatever_it_is_called() -> None:
    report = report_of(graded([entry("A-1")], [check("a", "A-1", outcome=Outcome.FAILED)]))
    for feature in ("/etc/passwd:1", "file:///x:1", "a b#c?d%.feature:1", "//evil.example/x:2"):
        report["checks"][0]["feature"] = feature
        uri = results(report)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert not uri.startswith("/")
        assert not {":", "#", "?", " "} & {*uri}
