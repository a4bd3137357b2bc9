"""A run survives whatever happens to a worker, and says whose fault it was."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tck_driver.errors import DriverError, EngineError, FalseAdvertisingError, KitError, UnsupportedError
from tck_features.checks import Expectation as StepExpectation
from tck_features.checks import ExpectationFailedError
from tck_features.library import LIBRARY
from tck_kit.events import Broken, Controlled, Declared, Ended, Event, Finished, Ready, Started, decode, encode
from tck_kit.judging import ScenarioTimeoutError, judge, record
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_kit.scenarios import Scenario, ScenarioStep
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord, Control, Expectation

BROKEN = StepExpectation("it is so", 1, 2, held=False, evidence_class="reported")
HELD = StepExpectation("it is so", 1, 1, held=True, evidence_class="witnessed")

#: What stopped a scenario, and the outcome and blame that it must get.
MEANINGS: Sequence[tuple[Exception, Outcome, str | None]] = (
    (
        ExpectationFailedError(StepExpectation("s", 1, 2, held=False, evidence_class="reported")),
        Outcome.FAILED,
        "engine",
    ),
    (EngineError("it is gone"), Outcome.FAILED, "engine"),
    (FalseAdvertisingError("it said it could"), Outcome.FAILED, "engine"),
    (ScenarioTimeoutError("too long"), Outcome.FAILED, "engine"),
    (UnsupportedError("view.details"), Outcome.UNSUPPORTED, None),
    (DriverError("no JSON"), Outcome.ERROR, "driver"),
    (KitError("a step is wrong"), Outcome.ERROR, "kit"),
    (ValueError("nobody foresaw this"), Outcome.ERROR, "kit"),
)


@pytest.mark.parametrize(("fault", "outcome", "blame"), MEANINGS, ids=lambda value: type(value).__name__)
def test_the_type_of_what_stopped_a_scenario_says_whose_fault_it_is(
    fault: Exception, outcome: Outcome, blame: str | None
) -> None:
    judged = judge(fault, [HELD])

    assert (judged.outcome, judged.blame) == (outcome, blame)


def test_a_scenario_that_looked_at_nothing_is_an_error_of_the_kit() -> None:
    judged = judge(None, [])

    assert judged.outcome is Outcome.ERROR
    assert judged.blame == "kit"


def test_an_expectation_that_did_not_hold_is_a_failure_whatever_became_of_its_exception() -> None:
    judged = judge(None, [HELD, BROKEN, HELD])

    assert (judged.outcome, judged.blame) == (Outcome.FAILED, "engine")


def test_a_scenario_with_an_expectation_that_held_has_passed() -> None:
    assert judge(None, [HELD]).outcome is Outcome.PASSED


EVENTS: Sequence[Event] = (
    Ready(3),
    Declared("engine", "1.0", "Go", "", {"sessions": "supported"}),
    Controlled(Control("silent", "all failed", "all failed")),
    Started("x.feature::One"),
    Ended(
        CheckRecord(
            id="x.feature::One",
            scenario="One",
            feature="x.feature:3",
            requirements=("NAME-1",),
            outcome=Outcome.FAILED,
            reason="assertion",
            blame="engine",
            expectations=(
                Expectation("s", [1, {"a": None}], "ü\n", held=False, evidence_class="reported", evidence=("e",)),
            ),
            duration_ms=1.5,
            steps=("Given a", "Then b"),
            failed_step="Then b",
        )
    ),
    Finished(0, 7),
    Broken("no"),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_from_its_line_as_it_was(event: Event) -> None:
    line = encode(event)

    assert "\n" not in line
    assert decode(line) == event


@pytest.mark.parametrize("line", ["", "junk", "{}", '{"event": "Nothing"}', "[1]"])
def test_a_line_that_is_no_event_is_refused(line: str) -> None:
    with pytest.raises((ValueError, AttributeError, TypeError)):
        decode(line)


def _scenario(*sentences: tuple[str, str]) -> Scenario:
    kinds = {"given": "given", "when": "when", "then": "then"}
    steps = tuple(ScenarioStep(kinds[kind], text, 1) for kind, text in sentences)  # type: ignore[arg-type] # the keys are the kinds
    return Scenario("x::s", "s", "x", 1, 0, (), ("name-1",), steps)


def test_a_world_is_gone_after_its_scenario(tmp_path: Path) -> None:
    laboratory = Laboratory.in_process(tmp_path, 1, "0")

    gave = perform(
        _scenario(
            ("given", "an issue served by codex"),
            ("when", "a development run of the issue is due"),
            ("then", "the last run has succeeded"),
        ),
        laboratory,
    )
    laboratory.close()

    assert gave.outcome is Outcome.PASSED, gave
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_two_worlds_of_one_seed_draw_the_same_names(tmp_path: Path) -> None:
    names = []
    for folder in ("one", "two"):
        laboratory = Laboratory.in_process(tmp_path / folder, 5, "0")
        world = laboratory.world("a scenario")
        names.append((world.word(), world.title()))
        laboratory.end(world)
        laboratory.close()

    assert names[0] == names[1]


def test_a_scenario_speaks_of_somebody_who_is_not_there_and_the_kit_is_to_blame(tmp_path: Path) -> None:
    laboratory = Laboratory.in_process(tmp_path, 1, "0")

    gave = perform(
        _scenario(
            ("given", "an issue served by codex"),
            ("when", "a development run of the other issue is due"),
            ("then", "no branch has been pushed"),
        ),
        laboratory,
    )
    laboratory.close()

    assert (gave.outcome, gave.blame) == (Outcome.ERROR, "kit")


def test_a_record_names_scenario_place_and_sentences() -> None:
    scenario = _scenario(("when", "the reconciler sweeps"), ("then", "no branch has been pushed"))

    gave = record(scenario, None, [HELD], duration_ms=1.0, failed_step=None)

    assert gave.feature == "x:1"
    assert gave.steps == ("When the reconciler sweeps", "Then no branch has been pushed")
    assert gave.requirements == ("NAME-1",)


def test_the_library_is_filled() -> None:
    assert len(LIBRARY.definitions) > 100
    assert os.path.sep in LIBRARY.definitions[0].origin
