"""A scenario that has failed for one of its requirements: what is told of the others, by whoever tells it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tck_reports.explain import findings
from tck_reports.formats import cucumber, junit, sarif
from tck_reports.formats.ctrf import render as ctrf
from tck_reports.formats.html import render as html
from tck_reports.formats.story import went
from tck_reports.merging import records_of
from tck_reports.outcomes import Outcome
from tck_reports.reading import inconsistencies, validate
from tck_reports.records import CheckRecord
from tck_reports.report import content_digest
from tck_reports.spared import check_for, outcome_for

from .samples import broke, check, entry, graded, held, report_of

ENTRIES = [entry("REUSE-1"), entry("REUSE-2"), entry("REUSE-3")]


def failed(*failed_for: str) -> CheckRecord:
    expectations = (
        replace(held(), requirements=("REUSE-1",)),
        replace(broke("a", "b"), requirements=("REUSE-2",)),
        replace(broke("c", "d"), requirements=("REUSE-3",)),
    )
    record = check("a", "REUSE-1", "REUSE-2", "REUSE-3", outcome=Outcome.FAILED, expectations=expectations)
    return replace(record, failed_for=failed_for)


def test_a_report_with_a_spared_requirement_is_of_its_schema_and_agrees_with_itself() -> None:
    report = report_of(graded(ENTRIES, [failed("REUSE-2", "REUSE-3")]))

    validate(report)
    assert inconsistencies(report) == []
    assert [one["outcome"] for one in report["requirements"]] == ["passed", "failed", "failed"]
    assert report["checks"][0]["failed_for"] == ["REUSE-2", "REUSE-3"]  # pyright: ignore[reportTypedDictNotRequiredAccess] -- it is what is tested


def test_a_report_that_spares_what_its_check_failed_for_contradicts_itself() -> None:
    report = report_of(graded(ENTRIES, [failed("REUSE-2", "REUSE-3")]))
    report["checks"][0]["failed_for"] = ["REUSE-1"]

    assert "REUSE-1 is passed, but not all of its checks are" in inconsistencies(report)


def test_an_ordinary_report_says_nothing_of_it() -> None:
    report = report_of(graded(ENTRIES[:1], [check("a", "REUSE-1"), check("b", "REUSE-1", outcome=Outcome.FAILED)]))

    assert all("failed_for" not in one for one in report["checks"])
    assert all("requirements" not in one for part in report["checks"] for one in part["expectations"])


def test_what_a_requirement_failed_by_is_what_broke_for_it() -> None:
    report = report_of(graded(ENTRIES, [failed("REUSE-2", "REUSE-3")]))
    told = {
        one.requirement["id"]: [broken["expected"] for broken in one.checks[0]["expectations"] if not broken["held"]]
        for one in findings(report)
    }

    assert told == {"REUSE-2": ["a"], "REUSE-3": ["c"]}


@pytest.mark.parametrize(
    ("requirement", "outcome"), [("REUSE-1", "passed"), ("REUSE-2", "failed"), ("OTHER-1", "failed")]
)
def test_a_check_speaks_for_its_own_requirements(requirement: str, outcome: str) -> None:
    (part,) = report_of(graded(ENTRIES, [failed("REUSE-2", "REUSE-3")]))["checks"]

    assert outcome_for(part, requirement) == outcome


def test_a_check_that_failed_as_a_whole_is_shown_as_a_whole() -> None:
    (part,) = report_of(graded(ENTRIES, [failed()]))["checks"]

    assert check_for(part, "REUSE-2") == part


def test_parts_of_a_run_keep_it() -> None:
    report = report_of(graded(ENTRIES, [failed("REUSE-2", "REUSE-3")]))
    (record,) = records_of(report)

    assert (record.failed_for, record.expectations) == (("REUSE-2", "REUSE-3"), failed().expectations)
    assert content_digest(report) == report["digest"]


STEPS = ("Given an engine", "When it is played", "Then the first holds", "Then the second holds", "Then the third does")


def went_on(*, outcome: Outcome = Outcome.FAILED) -> CheckRecord:
    """Give a check that spares its first requirement, and in which the fourth sentence broke and the fifth held."""
    record = check("a", "REUSE-1", "REUSE-2", outcome=Outcome.FAILED, steps=STEPS)
    broken = replace(broke("a", "b"), requirements=("REUSE-2",), step=STEPS[3])
    kept = replace(held(), requirements=("REUSE-1",))
    return replace(record, outcome=outcome, expectations=(kept, broken), failed_for=("REUSE-2",), failed_step=STEPS[3])


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.EXPECTED_FAILURE, Outcome.FLAKY])
def test_whatever_becomes_of_a_failure_it_spares_whom_it_spares(outcome: Outcome) -> None:
    report = report_of(graded(ENTRIES[:2], [went_on(outcome=outcome)]))

    assert [one["outcome"] for one in report["requirements"]] == ["passed", outcome]
    assert [outcome_for(report["checks"][0], one) for one in ("REUSE-1", "REUSE-2")] == ["passed", outcome]
    assert inconsistencies(report) == []
    validate(report)


def test_a_check_for_one_of_its_requirements_failed_in_the_sentence_that_broke_for_it() -> None:
    broken = (
        replace(broke("a", "b"), requirements=("REUSE-1",), step=STEPS[2]),
        replace(broke("a", "b"), requirements=("REUSE-2",), step=STEPS[3]),
    )
    record = replace(went_on(), expectations=broken, failed_for=("REUSE-1", "REUSE-2"), failed_step=STEPS[2])
    (part,) = report_of(graded(ENTRIES[:2], [record]))["checks"]

    assert [check_for(part, one)["failed_step"] for one in ("REUSE-1", "REUSE-2")] == [STEPS[2], STEPS[3]]


def test_sarif_has_no_result_for_a_requirement_that_a_check_spares() -> None:
    first = replace(went_on(), id="b", failed_for=("REUSE-1",), requirements=("REUSE-1", "REUSE-3"))
    results = json.loads(sarif.render(report_of(graded(ENTRIES, [went_on(), first]))))["runs"][0]["results"]

    assert [one["ruleId"] for one in results] == ["REUSE-2", "REUSE-1"]


def test_sarif_tells_a_requirement_what_broke_for_it_and_nothing_else() -> None:
    results = json.loads(sarif.render(report_of(graded(ENTRIES, [failed("REUSE-2", "REUSE-3")]))))["runs"][0]["results"]
    messages = {one["ruleId"]: one["message"]["text"].splitlines()[0] for one in results}

    assert messages.keys() == {"REUSE-2", "REUSE-3"}
    assert messages["REUSE-2"].endswith('expected "a", got "b"')
    assert messages["REUSE-3"].endswith('expected "c", got "d"')


def test_the_sentences_after_one_that_broke_held_where_the_scenario_went_on() -> None:
    (part,) = report_of(graded(ENTRIES[:2], [went_on()]))["checks"]
    assert went(part, "failed", STEPS[3]) == ["held", "held", "held", "broke", "held"]

    part["expectations"][0].update({"held": False, "step": STEPS[2]})
    assert went(part, "failed", STEPS[2]) == ["held", "held", "broke", "broke", "held"]


def test_the_sentences_after_the_last_one_that_broke_are_unreached_where_nothing_is_spared() -> None:
    (part,) = report_of(graded(ENTRIES[:2], [replace(went_on(), failed_for=())]))["checks"]

    assert went(part, "failed", STEPS[2]) == ["held", "held", "broke", "broke", "unreached"]
    assert went(part, "failed", None) == ["unreached"] * 5


def test_every_format_that_shows_steps_shows_which_one_broke() -> None:
    report = report_of(graded(ENTRIES[:2], [went_on()]))
    messages = [json.loads(line) for line in cucumber.render(report).splitlines()]
    steps: list[dict[str, Any]] = [one["testStepFinished"] for one in messages if "testStepFinished" in one]

    assert [one["testStepResult"]["status"] for one in steps] == ["PASSED", "PASSED", "PASSED", "FAILED", "PASSED"]
    (test,) = [one for one in json.loads(ctrf(report))["results"]["tests"] if one.get("testId") == "a"]
    assert [one["status"] for one in test["steps"]] == ["passed", "passed", "passed", "failed", "passed"]


@pytest.mark.parametrize("render", [junit.render, cucumber.render, ctrf])
def test_what_is_to_be_repeated_is_a_requirement_that_broke(render: Any) -> None:  # noqa: ANN401 -- a writer
    text = render(report_of(graded(ENTRIES[:2], [went_on()])))

    assert "--requirement REUSE-2" in text
    assert "--requirement REUSE-1" not in text


def test_the_page_shows_the_steps_after_one_that_broke_as_done() -> None:
    text = html(report_of(graded(ENTRIES[:2], [went_on()])))

    assert [text.count(f'class="{state}"') > 0 for state in ("done", "failed", "left")] == [True, True, False]
