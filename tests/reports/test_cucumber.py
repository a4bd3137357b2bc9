"""Cucumber's own programs read the messages: schema, parser of features, and the page of its formatter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from gherkin.ast_builder import AstBuilder
from gherkin.parser import Parser
from gherkin.pickles.compiler import Compiler
from gherkin.stream.id_generator import IdGenerator
from hypothesis import given
from hypothesis import strategies as st
from tests.browser.chromium import Visitor, chromium

from tck_reports.formats import cucumber
from tck_reports.formats.bounded import bounded
from tck_reports.formats.feature_sources import sources
from tck_reports.shape import Report

from .consumers.peers import VERSIONS, node, peer
from .full import HOSTILE, full_report, hostile_report
from .samples import large_run, mixed_report, report_of


def of_kind(report: Report, kind: str) -> list[Any]:
    read = [json.loads(line) for line in cucumber.render(report).split("\n")[:-1]]
    return [one[kind] for one in read if kind in one]


def tries(report: Report) -> dict[str, list[list[tuple[str, str]]]]:
    """Give the status and message of each step of each try, by the name of the scenario."""
    pickles = {one["id"]: one["name"] for one in of_kind(report, "pickle")}
    cases = {one["id"]: pickles[one["pickleId"]] for one in of_kind(report, "testCase")}
    started = {one["id"]: cases[one["testCaseId"]] for one in of_kind(report, "testCaseStarted")}
    steps: dict[str, list[tuple[str, str]]] = {one: [] for one in started}
    for one in of_kind(report, "testStepFinished"):
        result: Mapping[str, str] = one["testStepResult"]
        steps[one["testCaseStartedId"]].append((result["status"], result.get("message", "")))
    found: dict[str, list[list[tuple[str, str]]]] = {}
    for name, scenario in started.items():
        found.setdefault(scenario, []).append(steps[name])
    return found


def statuses(report: Report, scenario: str) -> list[list[str]]:
    return [[status for status, _ in one] for one in tries(report)[scenario]]


def assert_parsed_the_same(report: Report) -> None:
    ids = IdGenerator()
    for source in sources(report):
        document: Any = {**Parser(AstBuilder(ids)).parse(source.text), "uri": source.uri}
        assert document == source.document
        assert Compiler(ids).compile(document) == list(source.pickles)


@pytest.mark.parametrize("which", ["everything", "large", *HOSTILE])
def test_documents_and_pickles_are_what_cucumbers_parser_makes_of_the_text(which: str) -> None:
    own: dict[str, Callable[[], Report]] = {"everything": full_report, "large": lambda: report_of(large_run())}
    assert_parsed_the_same(own[which]() if which in own else bounded(hostile_report(HOSTILE[which])))


@given(st.text(), st.lists(st.text()), st.text())
def test_so_they_are_for_any_text(name: str, steps: list[str], tag: str) -> None:
    report = mixed_report()
    report["checks"] = report["checks"][:1]
    report["checks"][0] |= {"scenario": name, "steps": steps, "requirements": [tag, name], "feature": name}
    assert_parsed_the_same(report)


def test_the_source_says_that_it_is_none_of_the_suite() -> None:
    assert all(
        one["data"].startswith("# Written from a report of session-tck") for one in of_kind(full_report(), "source")
    )


@pytest.mark.parametrize(
    ("scenario", "right"),
    [
        ("What resumes looks at", [["PASSED", "PASSED", "PASSED"]]),
        ("What gives_failed looks at", [["PASSED", "PASSED", "FAILED"]]),
        ("What gives_error looks at", [["SKIPPED", "SKIPPED", "SKIPPED", "FAILED"]]),
        ("What gives_untestable looks at", [["SKIPPED", "SKIPPED", "SKIPPED", "FAILED"]]),
        ("What gives_not_run looks at", [["SKIPPED", "SKIPPED", "SKIPPED", "SKIPPED"]]),
        ("What gives_unsupported looks at", [["SKIPPED", "SKIPPED", "SKIPPED", "SKIPPED"]]),
        ("What gives_stale looks at", [["PASSED", "PASSED", "PASSED", "FAILED"]]),
        ("What knows_it looks at", [["PASSED", "SKIPPED", "SKIPPED"]]),
        (
            "What gives_flaky looks at",
            [
                ["SKIPPED", "SKIPPED", "SKIPPED", "FAILED"],
                ["SKIPPED", "SKIPPED", "SKIPPED", "FAILED"],
                ["PASSED", "PASSED", "PASSED", "FAILED"],
            ],
        ),
    ],
)
def test_each_step_has_the_status_that_it_came_to(scenario: str, right: list[list[str]]) -> None:
    assert statuses(full_report(), scenario) == right


def test_a_scenario_passes_only_where_the_check_did() -> None:
    report = full_report()
    passed = {one["scenario"] for one in report["checks"] if one["outcome"] == "passed"}
    assert {name for name, every in tries(report).items() if {status for status, _ in every[-1]} == {"PASSED"}} == {
        name for name in passed if name != "What late looks at"
    }
    assert statuses(report, "What late looks at")[-1] == ["PASSED", "PASSED", "PASSED", "SKIPPED"]


def test_the_failed_step_says_what_was_expected_and_what_came() -> None:
    report = full_report()
    message = tries(report)["What gives_failed looks at"][-1][-1][1]
    for part in (
        'expected: the id that the CLI was given: "s-1"',
        'actual: "s-2"',
        "evidence (witnessed): argv: claude --resume s-2",
        "fault: the engine's",
        "repeat with: session-tck run --engine sim --requirement RESUME-3 --seed 42",
    ):
        assert part in message
    bodies = [one["body"] for one in of_kind(report, "attachment")]
    assert "argv: claude --resume s-2" in bodies


def test_tries_are_numbered_and_all_but_the_last_are_tried_again() -> None:
    report = full_report()
    finished = {one["testCaseStartedId"]: one["willBeRetried"] for one in of_kind(report, "testCaseFinished")}
    started = [(one["testCaseId"], one["attempt"]) for one in of_kind(report, "testCaseStarted")]
    assert sum(attempt == 2 for _, attempt in started) == 2
    for one in of_kind(report, "testCaseStarted"):
        assert finished[one["id"]] is ((one["testCaseId"], one["attempt"] + 1) in started)


def test_the_run_succeeds_only_with_exit_code_0() -> None:
    assert [one["success"] for one in of_kind(full_report(), "testRunFinished")] == [False]
    good = report_of(large_run())
    good["exit_code"] = 0
    assert [one["success"] for one in of_kind(good, "testRunFinished")] == [True]


def test_all_ids_are_defined_once_and_every_reference_leads_to_one() -> None:
    report = full_report()
    pickles = of_kind(report, "pickle")
    steps = [step["id"] for pickle in pickles for step in pickle["steps"]]
    ids = [one["id"] for one in pickles] + steps
    assert len({*ids}) == len(ids)
    cases = of_kind(report, "testCase")
    assert [one["pickleId"] for one in cases] == [one["id"] for one in pickles]
    assert {step["pickleStepId"] for case in cases for step in case["testSteps"] if "pickleStepId" in step} == {*steps}


def test_it_is_of_the_version_of_the_schema_that_it_is_held_against() -> None:
    assert json.loads((peer("@cucumber/messages") / "package.json").read_text())["version"] == cucumber.PROTOCOL
    assert VERSIONS["@cucumber/messages"] == cucumber.PROTOCOL


@pytest.mark.parametrize("which", ["everything", "script"])
def test_cucumbers_own_page_shows_it(which: str, tmp_path: Path) -> None:
    report = full_report() if which == "everything" else bounded(hostile_report(HOSTILE[which]))
    (tmp_path / "cucumber.ndjson").write_text(cucumber.render(report), encoding="utf-8")
    peer("@cucumber/html-formatter")
    node("cucumber_html.mjs", tmp_path / "cucumber.ndjson", tmp_path / "page.html")
    with chromium() as browser:
        page = Visitor(browser, tmp_path).opens("page.html")
        page.wait_for_selector("text=Scenario")
        text = page.inner_text("body")
        assert page.locator("script[src]").count() == 0
    if which == "everything":
        assert "What gives_failed looks at" in text
        assert 'actual: "s-2"' in text
        assert "session-tck" in text
    else:
        assert "<script>alert(1)</script>" in text
