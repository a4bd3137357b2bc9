"""What a scenario of several requirements has failed for: what broke for it, and what nothing held for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tck_driver.errors import (
    DriverCrashedError,
    DriverTimeoutError,
    EngineError,
    FalseAdvertisingError,
    UnsupportedError,
    UntestableError,
)
from tck_features.checks import Expectation, ExpectationFailedError
from tck_kit.judging import judge, record
from tck_kit.scenarios import Scenario
from tck_reports.baseline.applying import unexcusable
from tck_reports.outcomes import Outcome

SCENARIO = Scenario("x::s", "s", "x", 1, 0, (), ("reuse-1", "reuse-2", "reuse-3"), ())


def held(*requirements: str) -> Expectation:
    return Expectation("so", expected=1, actual=1, held=True, evidence_class="witnessed", requirements=requirements)


def broke(*requirements: str) -> Expectation:
    return Expectation("so", expected=1, actual=2, held=False, evidence_class="witnessed", requirements=requirements)


ALL = ()


@pytest.mark.parametrize(
    ("expectations", "failed_for"),
    [
        ([held("REUSE-1", "REUSE-2"), broke("REUSE-3")], ("REUSE-3",)),
        ([broke("REUSE-3"), held("REUSE-1", "REUSE-2")], ("REUSE-3",)),
        # What was not looked at for a requirement holds nothing for it.
        ([held("REUSE-1"), broke("REUSE-3")], ("REUSE-2", "REUSE-3")),
        # What held and then did not has failed.
        ([held("REUSE-1", "REUSE-2", "REUSE-3"), broke("REUSE-2")], ("REUSE-2",)),
        ([held("REUSE-1", "REUSE-2"), broke("REUSE-3", "OTHER-1")], ("REUSE-3",)),
        # What is about the scenario as a whole, or about something else, is held against all.
        ([held("REUSE-1", "REUSE-2"), broke()], ALL),
        ([held("REUSE-1", "REUSE-2"), broke("REUSE-3"), broke()], ALL),
        ([held("REUSE-1", "REUSE-2"), broke("OTHER-1")], ALL),
        ([broke("REUSE-1", "REUSE-2", "REUSE-3")], ALL),
        ([held("REUSE-1", "REUSE-2", "REUSE-3")], ALL),
    ],
)
def test_a_scenario_says_what_it_has_failed_for_where_that_is_not_all(
    expectations: list[Expectation], failed_for: tuple[str, ...]
) -> None:
    found = record(SCENARIO, None, expectations, duration_ms=1, failed_step=None)

    assert found.failed_for == failed_for
    assert found.outcome is (Outcome.PASSED if all(one.held for one in expectations) else Outcome.FAILED)


def test_a_scenario_that_was_stopped_has_failed_for_all() -> None:
    expectations = [held("REUSE-1", "REUSE-2"), broke("REUSE-3")]
    found = record(SCENARIO, EngineError("gone"), expectations, duration_ms=1, failed_step=None)

    assert (found.outcome, found.failed_for) == (Outcome.FAILED, ())


def test_a_requirement_that_failed_for_want_of_anything_to_look_at_says_so() -> None:
    found = record(SCENARIO, None, [held("REUSE-1"), broke("REUSE-3")], duration_ms=1, failed_step=None)

    wrong = [(one.statement, one.requirements) for one in found.expectations if not one.held]
    assert wrong == [
        ("so", ("REUSE-3",)),
        ("something was there by which REUSE-2 could be judged", ("REUSE-2",)),
    ]


@pytest.mark.parametrize("stop", [UntestableError("no session was asked for"), UnsupportedError("act.switch")])
def test_what_did_not_hold_stays_a_failure_where_there_is_nothing_more_to_look_at(stop: Exception) -> None:
    expectations = [held("REUSE-1", "REUSE-2"), replace(broke("REUSE-3"), step="Then a")]
    found = record(SCENARIO, stop, expectations, duration_ms=1, failed_step="Then b")

    assert (found.outcome, found.blame, found.failed_for) == (Outcome.FAILED, "engine", ())
    assert (found.reason, found.failed_step) == (f"stopped: {stop}", "Then a")
    assert unexcusable(found) == "what came after it could not be looked at"


@pytest.mark.parametrize(
    ("stop", "outcome"),
    [(UntestableError("no view"), Outcome.UNTESTABLE), (UnsupportedError("act.switch"), Outcome.UNSUPPORTED)],
)
def test_where_everything_held_before_it_what_cannot_be_looked_at_is_no_failure(
    stop: Exception, outcome: Outcome
) -> None:
    assert judge(stop, [held("REUSE-1")]).outcome is outcome


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (DriverCrashedError("it ended"), "crashed"),
        (DriverTimeoutError("it did not answer"), "timeout"),
        (FalseAdvertisingError("act.moved is declared as supported"), "false_advertising"),
    ],
)
def test_what_a_driver_breaks_off_is_its_own_error_where_it_plays_courses_for_an_engine(
    stop: Exception, reason: str
) -> None:
    own, between = judge(stop, []), judge(stop, [], plays_courses=True)

    assert (own.outcome, own.reason) == (Outcome.FAILED, reason)
    assert (between.outcome, between.reason, between.blame) == (Outcome.ERROR, str(stop), "driver")


def test_what_the_engine_itself_breaks_off_is_its_failure_whoever_plays_its_courses() -> None:
    assert judge(EngineError("gone"), [], plays_courses=True) == judge(EngineError("gone"), [])
    assert judge(EngineError("gone"), []).blame == "engine"


def test_of_a_scenario_that_went_on_the_first_sentence_that_broke_has_failed() -> None:
    expectations = [
        replace(held("REUSE-1"), step="Then a"),
        replace(broke("REUSE-2"), step="Then b"),
        replace(broke("REUSE-3"), step="Then c"),
    ]
    found = record(SCENARIO, None, expectations, duration_ms=1, failed_step=None)

    assert found.failed_step == "Then b"
    assert [one.step for one in found.expectations] == [None, "Then b", "Then c"]


def test_a_scenario_that_ended_with_what_broke_says_where_in_its_failed_step_alone() -> None:
    broken = replace(broke(), step="Then b")
    stop = ExpectationFailedError(broken)
    found = record(SCENARIO, stop, [held("REUSE-1"), broken], duration_ms=1, failed_step="Then b")

    assert found.failed_step == "Then b"
    assert [one.step for one in found.expectations] == [None, None]
