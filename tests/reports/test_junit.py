"""JUnit XML is read back by two programs that people use: junitparser, and the one that makes pages of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from junit2htmlreport.parser import Junit  # type: ignore[import-untyped]  # it has no types
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase
from junitparser.xunit2 import TestCase as XunitCase

from tck_reports.formats import junit
from tck_reports.formats.cases import cases
from tck_reports.outcomes import MEANINGS, Outcome

from .full import HOSTILE, full_report, hostile_report
from .samples import large_run, mixed_report, report_of

KINDS = {"failure": Failure, "error": Error, "skipped": Skipped}


def by_name(text: str) -> dict[str, TestCase]:
    return {case.name: case for suite in JUnitXml.fromstring(text.encode()) for case in suite}


def test_junitparser_counts_what_the_report_counts() -> None:
    report = full_report()
    read = JUnitXml.fromstring(junit.render(report).encode())
    expected = list(cases(report))
    assert (read.tests, read.failures, read.errors) == (
        len(expected),
        sum(one.form == "failure" for one in expected),
        sum(one.form == "error" for one in expected),
    )
    assert sum(suite.skipped for suite in read) == sum(one.form == "skipped" for one in expected)


def test_junitparser_finds_a_filled_result_where_a_check_did_not_pass() -> None:
    found = by_name(junit.render(full_report()))
    for outcome in Outcome:
        name = f"What gives_{outcome} looks at [gives_{outcome}]"
        if name in found and MEANINGS[outcome].junit != "testcase":
            (result,) = found[name].result
            assert type(result) is KINDS[MEANINGS[outcome].junit]
            assert result.message
            assert "scenario: What gives_" in (result.text or "")


def test_a_failure_says_how_to_repeat_it() -> None:
    (result,) = by_name(junit.render(full_report()))["What gives_failed looks at [gives_failed]"].result
    assert (result.text or "").endswith("repeat with: session-tck run --engine sim --requirement RESUME-3 --seed 42")


def test_earlier_tries_are_reruns_of_the_case() -> None:
    found = by_name(junit.render(full_report()))
    for name in ("What gives_flaky looks at [gives_flaky]", "What late looks at [late]"):
        case = XunitCase.fromelem(found[name]._elem)  # type: ignore[no-untyped-call]  # it has no types
        assert [one.message for one in case.rerun_failures()] == ["try 1: failed (assertion)"]
        assert [one.message for one in case.rerun_errors()] == ["try 2: error (the driver ended)"]


def test_what_the_baseline_excuses_is_skipped_and_says_whose_it_is() -> None:
    report = full_report()
    (result,) = by_name(junit.render(report))["What knows_it looks at [knows_it]"].result
    assert type(result) is Skipped
    assert "known failure: knows_it: issue 12 (team-a, since 2026-01-02)" in (result.text or "")
    root = ET.fromstring(junit.render(report))  # noqa: S314 -- written a moment ago by us
    properties = {one.get("name"): one.get("value") for one in root.iter("property")}
    assert properties["shard"] == "Part 2 of 5 of the scenarios."
    assert properties["baseline check knows_it"] == (
        "check knows_it, known failure: issue 12 (team-a, since 2026-01-02 until 2026-12-31); used"
    )


def test_all_cases_of_a_sound_report_have_names_of_their_own() -> None:
    names = [
        (case.classname, case.name)
        for suite in JUnitXml.fromstring(junit.render(report_of(large_run())).encode())
        for case in suite
    ]
    assert len({*names}) == len(names)


def test_the_name_of_a_scenario_is_not_said_twice() -> None:
    report = full_report()
    report["checks"][0] |= {"id": "area/x.feature::It resumes[codex]", "scenario": "It resumes[codex]"}
    assert "area/x.feature::It resumes[codex]" in by_name(junit.render(report))


@pytest.mark.parametrize("which", ["script", "controls", "lone surrogates"])
def test_junit2html_makes_a_page_of_it(which: str, tmp_path: Path) -> None:
    for report in (mixed_report(), full_report(), hostile_report(HOSTILE[which])):
        file = tmp_path / "junit.xml"
        file.write_text(junit.render(report), encoding="utf-8")
        read = Junit(str(file))
        assert sum(len(suite.all()) for suite in read.suites) == len(list(cases(report)))
        assert "<script>alert" not in read.html()
