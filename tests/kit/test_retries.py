"""What has failed is tried again in a fresh world, and told as flaky where it passes then."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tck_kit.retries import Retries
from tck_reports.baseline.applying import Ground, apply_baseline
from tck_reports.baseline.entries import Baseline, Known
from tck_reports.outcomes import Outcome
from tck_reports.reading import read
from tck_reports.records import Attempt, BaselineEntry, CheckRecord, Expectation

from .conftest import Command

NAMED = "small.feature::The first run is named"
#: The simulator, which in its first N times takes a certain issue for another one, or breaks off; it notes each time.
FLAKY = """\
import os, sys
from dataclasses import replace
from pathlib import Path
from tck_driver.server import Server, serve_stdio
from tck_driver.stimuli import IssueOpened
from tck_fakes.served import ServedSimulator

NOTES, TIMES, SIN = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

class Flaky(ServedSimulator):
    def send(self, stimulus):
        if isinstance(stimulus, IssueOpened) and stimulus.title == "Mend the door":
            noted = NOTES.read_text() if NOTES.exists() else ""
            NOTES.write_text(f"{noted}{stimulus}\\n")
            if noted.count("\\n") < TIMES:
                if SIN == "breaks off":
                    os._exit(3)
                stimulus = replace(stimulus, title="Mend the window")
        return super().send(stimulus)

serve_stdio(Server(Flaky, "flaky", "1"))
"""
Json = dict[str, Any]
Flaky = Callable[..., tuple[int, Json, list[str]]]


@pytest.fixture
def flaky(on_small: Command, small: Path) -> Flaky:
    """Run an engine that does wrong so many times; give exit code, check, and what it was told each time."""
    (small / "flaky.py").write_text(FLAKY, encoding="utf-8")

    def run(times: int, *arguments: str, sin: str = "takes it for another") -> tuple[int, Json, list[str]]:
        driver = f"{sys.executable} -P flaky.py notes {times} '{sin}'"
        done = on_small("run", "--engine", driver, "--seed", "1", "--report-dir", "report", *arguments)
        path = small / "report" / "report.json"
        assert path.exists(), done.stderr
        report = read(path)
        checks = {one["id"]: one for one in report["checks"]}
        assert {one["outcome"] for name, one in checks.items() if name != NAMED} == {"passed"}
        notes = next(small.rglob("notes"), small / "notes")
        return done.returncode, dict(checks[NAMED]), notes.read_text(encoding="utf-8").splitlines()

    return run


def _entry(small: Path, kind: str) -> None:
    until = "until = 2999-12-31\n" if kind == "flaky" else ""
    text = f'[[{kind}]]\ncheck = "{NAMED}"\nreason = "issue 12"\nowner = "us"\nsince = 2026-01-31\n{until}'
    (small / "known.toml").write_text(text, encoding="utf-8")


def test_what_passes_on_the_second_try_is_flaky_and_not_passed(flaky: Flaky) -> None:
    code, check, told = flaky(1, "--retries", "1")
    assert (code, check["outcome"]) == (1, "flaky")
    assert check["attempts"] == [{"outcome": "failed", "reason": "assertion"}]
    assert check["reason"] == "passed on try 2; before: assertion"
    assert (check["expected"], check["actual"]) == ("agent/issue-7-mend-the-door", "agent/issue-7-mend-the-window")
    assert len(told) == 2
    assert told[0] == told[1], "a further try is the same scenario with the same names"


def test_what_fails_on_every_try_is_failed_and_says_how_often(flaky: Flaky) -> None:
    code, check, told = flaky(99, "--retries", "2", "--workers", "2")
    assert (code, check["outcome"], len(told)) == (1, "failed", 3)
    assert check["attempts"] == [{"outcome": "failed", "reason": "assertion"}] * 2


def test_without_retries_nothing_is_tried_again(flaky: Flaky) -> None:
    code, check, told = flaky(1)
    assert (code, check["outcome"], check["attempts"], len(told)) == (1, "failed", [], 1)


def test_what_is_known_to_be_flaky_is_excused_and_not_counted_as_passed(flaky: Flaky, small: Path) -> None:
    _entry(small, "flaky")
    code, check, _ = flaky(1, "--retries", "1", "--baseline", "known.toml")
    assert (code, check["outcome"], check["excused"]["owner"]) == (0, "expected_failure", "us")
    report = read(small / "report" / "report.json")
    assert report["verdict"]["core"]["result"] == "nonconformant"
    assert report["run"]["retries"] == 1


def test_what_is_known_to_be_flaky_is_not_excused_where_it_fails_on_every_try(flaky: Flaky, small: Path) -> None:
    _entry(small, "flaky")
    code, check, _ = flaky(99, "--retries", "1", "--baseline", "known.toml")
    assert (code, check["outcome"], check["excused"]) == (1, "failed", None)
    assert "it is known to be flaky, and passed on no try" in check["reason"]


def test_a_driver_that_breaks_off_once_is_flaky_and_never_excused(flaky: Flaky, small: Path) -> None:
    _entry(small, "flaky")
    code, check, _ = flaky(1, "--retries", "1", "--baseline", "known.toml", sin="breaks off")
    assert (code, check["outcome"], check["excused"]) == (1, "flaky", None)
    assert check["attempts"][0]["reason"].startswith("crashed")
    assert check["reason"].endswith("; not excused: it is the driver's")


def test_a_known_failure_is_not_tried_again(flaky: Flaky, small: Path) -> None:
    _entry(small, "failure")
    code, check, told = flaky(99, "--retries", "3", "--baseline", "known.toml")
    assert (code, check["outcome"], len(told)) == (0, "expected_failure", 1)


# What several tries come to


def record(outcome: Outcome, reason: str | None = None, **more: Any) -> CheckRecord:  # noqa: ANN401 -- fields of a record
    expectation = Expectation("a statement", 1, 2, held=outcome is Outcome.PASSED, evidence_class="witnessed")
    made = CheckRecord("a", "A", "a.feature:1", ("R-1",), outcome, reason, expectations=(expectation,))
    return replace(made, **more)


PASSED, FAILED = record(Outcome.PASSED), record(Outcome.FAILED, "assertion", blame="engine")
LATE, CRASHED = record(Outcome.FAILED, "timeout", blame="engine"), record(Outcome.FAILED, "crashed", blame="engine")
ERROR, DECLINED = record(Outcome.ERROR, "a worker fell", blame="kit"), record(Outcome.UNTESTABLE, "no view")
TRIES: list[tuple[Sequence[CheckRecord], Outcome, str, list[Outcome]]] = [
    ([FAILED, PASSED], Outcome.FLAKY, "passed on try 2; before: assertion", [Outcome.FAILED]),
    ([LATE, FAILED, PASSED], Outcome.FLAKY, "passed on try 3; before: timeout", [Outcome.FAILED, Outcome.FAILED]),
    ([FAILED, CRASHED, PASSED], Outcome.FLAKY, "passed on try 3; before: crashed", [Outcome.FAILED, Outcome.FAILED]),
    ([FAILED, LATE], Outcome.FAILED, "assertion", [Outcome.FAILED]),
    ([LATE, FAILED], Outcome.FAILED, "timeout", [Outcome.FAILED]),
    ([FAILED, CRASHED], Outcome.FAILED, "crashed", [Outcome.FAILED]),
    ([FAILED, ERROR], Outcome.ERROR, "a worker fell", [Outcome.FAILED]),
    ([FAILED, DECLINED], Outcome.FAILED, "assertion", [Outcome.UNTESTABLE]),
]


@pytest.mark.parametrize(("tries", "outcome", "reason", "attempts"), TRIES)
def test_several_tries_come_to_one_record(
    tries: Sequence[CheckRecord], outcome: Outcome, reason: str, attempts: list[Outcome]
) -> None:
    retries = Retries(5)
    for one in tries[:-1]:
        assert retries.due(one)
    (settled,) = retries.settled(tries)
    assert (settled.outcome, settled.reason) == (outcome, reason)
    assert [one.outcome for one in settled.attempts] == attempts


def test_what_was_told_twice_and_never_asked_for_again_stays_doubled() -> None:
    assert Retries(1).settled([PASSED, PASSED]) == (PASSED, PASSED)
    retries = Retries(1)
    assert retries.due(FAILED)
    assert len(retries.settled([FAILED, PASSED, PASSED])) == 3


@pytest.mark.parametrize("one", [PASSED, ERROR, DECLINED, record(Outcome.NOT_RUN), record(Outcome.UNSUPPORTED)])
def test_what_did_not_fail_is_not_tried_again(one: CheckRecord) -> None:
    assert not Retries(5).due(one)


def test_nothing_is_tried_more_often_than_was_asked_for() -> None:
    retries = Retries(2)
    assert [retries.due(FAILED) for _ in range(4)] == [True, True, False, False]
    assert retries.settled([FAILED]) == (FAILED,), "a run that was cut short before the next try"


def test_a_crash_is_tried_again_although_an_entry_speaks_of_its_check() -> None:
    entry = BaselineEntry("failure", "check", "a", "issue 12", "us", "2026-01-31")
    retries = Retries(1, Baseline("sha256:0", (Known(entry),), date(2026, 11, 30)))
    assert (retries.due(FAILED), retries.due(CRASHED)) == (False, True)


KNOWN = BaselineEntry("failure", "check", "a", "issue 12", "us", "2026-01-31")
BASELINE = Baseline("sha256:0", (Known(KNOWN, statement="the old failure"),), date(2026, 11, 30))
EXPECTED = replace(FAILED, expectations=(replace(FAILED.expectations[0], statement="the old failure"),))


@pytest.mark.parametrize(
    "first",
    [
        FAILED,
        LATE,
        CRASHED,
        replace(EXPECTED, failed_step="Given an issue"),
        replace(LATE, blame="driver"),
        replace(EXPECTED, blame="driver"),
    ],
    ids=["another statement", "a timeout", "a crash", "in a Given", "the driver's timeout", "the driver's"],
)
def test_a_known_failure_on_a_further_try_does_not_excuse_a_new_one(first: CheckRecord) -> None:
    retries = Retries(1, BASELINE)
    assert retries.due(first)
    settled = retries.settled([first, EXPECTED])
    assert settled == (replace(first, attempts=(Attempt(Outcome.FAILED, "assertion"),)),)
    (graded,) = apply_baseline(settled, BASELINE, Ground({"a": ("R-1",)}, {"R-1"})).checks
    assert (graded.outcome, graded.excused) == (Outcome.FAILED, None)


def test_of_several_new_failures_one_that_nothing_can_excuse_decides() -> None:
    retries = Retries(2, BASELINE)
    early = replace(FAILED, failed_step="Given an issue")
    assert retries.due(FAILED)
    assert retries.due(early)
    (settled,) = retries.settled([FAILED, early, EXPECTED])
    assert settled.failed_step == "Given an issue"
    assert len(settled.attempts) == 2


def test_attempts_are_what_a_report_has_of_them() -> None:
    retries = Retries(1)
    retries.due(FAILED)
    (settled,) = retries.settled([FAILED, PASSED])
    assert settled.attempts == (Attempt(Outcome.FAILED, "assertion"),)
    assert json.dumps([str(one.outcome) for one in settled.attempts]) == '["failed"]'


def whole(*failed_for: str, step: str = "Then it is so") -> CheckRecord:
    """Give a failure of a check of three requirements that names those it is for."""
    broken = tuple(Expectation(f"{one} is kept", 1, 2, False, "witnessed", (), (one,), step) for one in failed_for)  # noqa: FBT003 -- a record
    return replace(FAILED, requirements=("R-1", "R-2", "R-3"), failed_for=failed_for, expectations=broken)


def settle(*tries: CheckRecord) -> CheckRecord:
    retries = Retries(5)
    for one in tries[:-1]:
        assert retries.due(one)
    (settled,) = retries.settled(tries)
    return settled


def test_what_any_try_has_failed_for_is_held_against_all_of_them() -> None:
    settled = settle(whole("R-2"), whole("R-1"))

    assert (settled.outcome, settled.failed_for) == (Outcome.FAILED, ("R-1", "R-2"))
    assert [one.statement for one in settled.expectations] == ["R-2 is kept", "R-1 is kept"]
    assert [settled.spares(one) for one in settled.requirements] == [False, False, True]


def test_what_held_on_every_try_is_not_flaky_and_what_did_not_is() -> None:
    settled = settle(whole("R-2"), whole("R-1"), replace(PASSED, requirements=("R-1", "R-2", "R-3")))

    assert (settled.outcome, settled.failed_for) == (Outcome.FLAKY, ("R-1", "R-2"))
    assert [settled.spares(one) for one in settled.requirements] == [False, False, True]


@pytest.mark.parametrize("place", [0, 1])
def test_a_try_that_failed_as_a_whole_has_failed_for_all(place: int) -> None:
    tries = [whole("R-2")]
    tries.insert(place, replace(FAILED, requirements=("R-1", "R-2", "R-3")))
    settled = settle(*tries)

    assert (settled.failed_for, settled.expectations) == ((), FAILED.expectations)


def test_a_try_of_which_nothing_can_be_said_spares_nothing() -> None:
    settled = settle(whole("R-2"), replace(DECLINED, requirements=("R-1", "R-2", "R-3")))

    assert (settled.outcome, settled.failed_for) == (Outcome.FAILED, ())
    assert all(one.requirements == () for one in settled.expectations)
