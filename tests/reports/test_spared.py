"""A scenario that has failed for one of its requirements: what is told of the others, by whoever tells it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tck_reports.explain import findings
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
