"""Failures that look alike stand together, and no requirement that failed is left out."""

from __future__ import annotations

from dataclasses import replace

from tck_reports.explain import findings
from tck_reports.formats.causes import Cause, causes
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord

from .samples import broke, check, entry, graded, mixed_report, report_of


def failed(name: str, requirement: str, statement: str, actual: object = None) -> CheckRecord:
    return check(
        name,
        requirement,
        outcome=Outcome.FAILED,
        expectations=[replace(broke("s-1", actual), statement=statement)],
    )


def found(*records: CheckRecord) -> list[tuple[str, list[str], list[str]]]:
    entries = [entry(name) for name in sorted({name for record in records for name in record.requirements})]
    return [
        (one.what, [each["id"] for each in one.checks], [each["id"] for each in one.requirements])
        for one in causes(findings(report_of(graded(entries, records))))
    ]


def test_what_differs_in_numbers_and_quoted_names_alone_looks_alike() -> None:
    assert found(
        failed("a", "RESUME-1", "outcome of run 2 of 'x'"),
        failed("b", "RESUME-2", "outcome of run 3 of 'y'"),
        failed("c", "RESUME-2", "comments of run 3"),
    ) == [
        ("outcome of run 2 of 'x'", ["a", "b"], ["RESUME-1", "RESUME-2"]),
        ("comments of run 3", ["c"], ["RESUME-2"]),
    ]


def test_what_was_found_tells_failures_apart_by_its_kind() -> None:
    assert [
        checks
        for _, checks, _ in found(
            failed("a", "RESUME-1", "the id", None),
            failed("b", "RESUME-1", "the id", "0000-1"),
            failed("c", "RESUME-1", "the id", "0000-2"),
            failed("d", "RESUME-1", "the id", "no_prior_session"),
            failed("e", "RESUME-1", "the id", []),
            failed("f", "RESUME-1", "the id", ["x"]),
            failed("g", "RESUME-1", "the id", 2),
            failed("h", "RESUME-1", "the id", 3),
        )
    ] == [["a"], ["b", "c"], ["d"], ["e"], ["f"], ["g"], ["h"]]


def test_a_check_of_several_requirements_is_there_once() -> None:
    both = replace(failed("a", "RESUME-1", "the id"), requirements=("RESUME-1", "RESUME-2"))

    assert found(both) == [("the id", ["a"], ["RESUME-1", "RESUME-2"])]


def test_the_worst_comes_first_and_then_what_fails_most() -> None:
    assert [
        what
        for what, *_ in found(
            failed("a", "RESUME-1", "one"),
            failed("b", "RESUME-2", "many"),
            failed("c", "RESUME-3", "many"),
            check("d", "RESUME-4", outcome=Outcome.ERROR, reason="the driver died"),
        )
    ] == ["the driver died", "many", "one"]


def test_every_requirement_that_failed_has_a_cause_also_without_a_check() -> None:
    report = mixed_report()
    every: tuple[Cause, ...] = causes(findings(report))

    assert {one["id"] for cause in every for one in cause.requirements} == {
        one.requirement["id"] for one in findings(report)
    }
    assert [(one.what, one.checks) for one in every if not one.checks] == [("no scenario", ())]


def test_nothing_failed_has_no_cause() -> None:
    assert found(check("a", "RESUME-1")) == []
