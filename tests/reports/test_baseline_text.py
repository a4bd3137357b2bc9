"""A first baseline excuses exactly what failed in the report that it is made of."""

import tomllib
from dataclasses import replace
from datetime import date

import pytest

from tck_reports.baseline.applying import Ground, apply_baseline
from tck_reports.baseline.entries import MOST_TEXT, Baseline, Known, matches
from tck_reports.baseline.text import first_baseline
from tck_reports.outcomes import Outcome
from tck_reports.records import Attempt, BaselineEntry, CheckRecord

from .samples import DIGEST, broke, check, entry, graded, mixed_report, report_of

DAY, LAST = date(2026, 11, 30), date(2026, 12, 30)
HOSTILE = 'a"b\\c\n# [[x]]\x7f\x1b\u202e'
FAILED = check(f"x::{HOSTILE}", "RESUME-1", outcome=Outcome.FAILED, expectations=[replace(broke(), statement="run r1")])
LATE = check("x::late", "RESUME-1", outcome=Outcome.FAILED, reason="timeout: it never ended", expectations=())
FLAKY = check(
    "x::flaky", "RESUME-1", outcome=Outcome.FLAKY, reason="passed on try 2; before: assertion", blame="engine"
)


def made(*checks: CheckRecord) -> tuple[list[Known], list[tuple[str, str]]]:
    report = report_of(graded([entry("RESUME-1")], checks))
    written = first_baseline(report, owner="us", reason=HOSTILE, since=DAY, until=LAST)
    held = tomllib.loads(written.text)
    found = [
        Known(
            BaselineEntry(kind, "check", one["check"], one["reason"], one["owner"], str(one["since"]), _day(one)),
            one.get("statement"),
            one.get("fails"),
            one.get("step"),
        )
        for kind in ("failure", "flaky")
        for one in held.get(kind, ())
    ]
    assert len(found) == written.entries
    return found, list(written.left_out)


def _day(row: dict[str, object]) -> str | None:
    return str(row["until"]) if "until" in row else None


def test_every_failure_has_an_entry_with_what_did_not_hold() -> None:
    entries, left_out = made(FAILED, LATE, FLAKY, check("x::fine", "RESUME-1"))
    assert [(one.entry.kind, one.entry.name, one.entry.until) for one in entries] == [
        ("failure", FAILED.id, None),
        ("failure", "x::late", None),
        ("flaky", "x::flaky", "2026-12-30"),
    ]
    assert [(one.statement, one.fails, one.step) for one in entries] == [
        ("run *", None, "Then it resumes"),
        (None, "timeout", "Then it resumes"),
        (None, None, None),
    ]
    assert {(one.entry.reason, one.entry.owner, one.entry.since) for one in entries} == {(HOSTILE, "us", "2026-11-30")}
    assert left_out == []


def test_what_it_has_an_entry_for_is_excused_by_it() -> None:
    checks = (FAILED, LATE, replace(FLAKY, attempts=(Attempt(Outcome.FAILED, "assertion"),)))
    entries, _ = made(*checks)
    ground = Ground({one.id: one.requirements for one in checks}, {"RESUME-1"})
    held = apply_baseline(checks, Baseline(DIGEST, tuple(entries), DAY), ground)
    assert {one.outcome for one in held.checks} == {Outcome.EXPECTED_FAILURE}
    again = first_baseline(
        report_of(graded([entry("RESUME-1")], held.checks), baseline=held.used),
        owner="another",
        reason="another",
        since=date(2027, 1, 1),
        until=date(2027, 2, 1),
    )
    assert (
        again.text.partition("\n\n")[2]
        == first_baseline(
            report_of(graded([entry("RESUME-1")], checks)), owner="us", reason=HOSTILE, since=DAY, until=LAST
        ).text.partition("\n\n")[2]
    )


@pytest.mark.parametrize(
    ("was", "then"),
    [
        ("state of a-b-issue-7 is there", "state of c-d-issue-8 is there"),
        ("the loaded history", "the loaded history"),
        ("outcome of run 7f of the issue", "outcome of run 9a of the issue"),
    ],
)
def test_what_is_written_for_one_step_does_not_excuse_what_another_step_looks_at(was: str, then: str) -> None:
    steps = ("Given an issue", "Then the first of it is right", "Then the second of it is right")
    first = check("x::a", "RESUME-1", outcome=Outcome.FAILED, expectations=[replace(broke(), statement=was)])
    first = replace(first, steps=steps, failed_step=steps[1])
    second = replace(first, expectations=(replace(broke(), statement=then),), failed_step=steps[2])
    entries, _ = made(first)
    baseline, ground = Baseline(DIGEST, tuple(entries), DAY), Ground({first.id: first.requirements}, {"RESUME-1"})
    assert [apply_baseline([one], baseline, ground).checks[0].outcome for one in (first, second)] == [
        Outcome.EXPECTED_FAILURE,
        Outcome.FAILED,
    ]


def test_a_failure_after_the_last_step_has_no_step() -> None:
    entries, _ = made(replace(FAILED, failed_step=None))
    assert [one.step for one in entries] == [None]


def test_half_a_character_of_a_report_is_spelled_out_and_excused() -> None:
    statement = "the version command was run in x\udcff"
    record = replace(FAILED, expectations=(replace(broke(), statement=statement),))
    report = report_of(graded([entry("RESUME-1")], [record]))
    report["checks"][0]["expectations"][0]["statement"] = statement
    written = first_baseline(report, owner="us", reason="why", since=DAY, until=LAST)
    (row,) = tomllib.loads(written.text.encode("utf-8").decode("utf-8"))["failure"]
    assert row["statement"] == "the version command was run in x\\udcff"
    assert matches(row["statement"], statement)


def test_a_statement_of_any_length_makes_an_entry_that_can_be_read() -> None:
    entries, _ = made(replace(FAILED, expectations=(replace(broke(), statement="x" * 9_000),)))
    (pattern,) = (one.statement or "" for one in entries)
    assert len(pattern) == MOST_TEXT
    assert matches(pattern, "x" * 9_000)


def test_what_no_entry_excuses_is_left_out_and_told() -> None:
    crash = check("x::crash", "RESUME-1", outcome=Outcome.FAILED, reason="crashed: gone")
    late = replace(LATE, id="x::driver", blame="driver")
    early = replace(FAILED, id="x::given", failed_step="Given an issue")
    once = replace(FLAKY, id="x::once", attempts=(Attempt(Outcome.FAILED, "crashed"),))
    entries, left_out = made(crash, late, early, once)
    assert entries == []
    assert left_out == [
        ("x::crash", "a crash may be any fault at all"),
        ("x::driver", "it is the driver's"),
        ("x::given", "it did not get as far as its question"),
        ("x::once", "a crash may be any fault at all"),
    ]


def test_of_a_report_with_every_outcome_only_failures_are_spoken_of() -> None:
    written = first_baseline(mixed_report(), owner="us", reason="why", since=DAY, until=LAST)
    assert {name for name, _ in written.left_out} == {"gives_error", "gives_untestable"}
    assert written.entries == len({Outcome.FAILED, Outcome.FLAKY, Outcome.EXPECTED_FAILURE})


def test_what_went_on_has_an_entry_for_each_expectation_that_did_not_hold() -> None:
    broken = [
        replace(broke(), statement="run r1", step="When a second run is due"),
        replace(broke(), statement="run r1", step="Then it resumes"),
        replace(broke(), statement="another", step="Then it resumes"),
    ]
    record = replace(
        check("x::on", "RESUME-1", outcome=Outcome.FAILED, expectations=broken), failed_step=broken[0].step
    )
    entries, left_out = made(record)

    assert [(one.statement, one.step) for one in entries] == [
        ("run *", "When a second run is due"),
        ("run *", "Then it resumes"),
        ("another", "Then it resumes"),
    ]
    assert left_out == []
    baseline = Baseline(DIGEST, tuple(entries), DAY)
    (excused,) = apply_baseline([record], baseline, Ground({record.id: ("RESUME-1",)}, {"RESUME-1"})).checks
    assert excused.outcome is Outcome.EXPECTED_FAILURE
    more = replace(record, expectations=(*broken, replace(broke(), statement="new", step="Then it resumes")))
    (new,) = apply_baseline([more], baseline, Ground({record.id: ("RESUME-1",)}, {"RESUME-1"})).checks
    assert new.outcome is Outcome.FAILED
