from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tck_driver.engine import Engine
from tck_driver.errors import (
    DriverCrashedError,
    DriverError,
    DriverTimeoutError,
    EngineError,
    EngineTimeoutError,
    FalseAdvertisingError,
    KitError,
    UnsupportedError,
    UntestableError,
)
from tck_driver.stimuli import RunDue, Stimulus, StimulusResult
from tck_kit.engine_choice import EngineChoice
from tck_kit.judging import ScenarioTimeoutError
from tck_kit.scenarios import Scenario
from tck_kit.trace.reading import Attempt, Trace, lines_of
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord

from .taped import again, plainly, scenario, scenarios, tape, with_steps

RESUMES = "resume/phases.feature::A second run in any phase resumes the session of the first[codex, ci_fix]"


@pytest.mark.parametrize("area", ["naming/", "isolate/place", "clean/ended", "fallback/refusals", "resume/interrupted"])
def test_a_run_of_the_simulator_is_judged_just_as_it_was(area: str, tmp_path: Path) -> None:
    some = scenarios(area)[:20]
    taped = tape(tmp_path / "run", some)

    assert plainly(again(tmp_path / "again", taped.trace, some)) == plainly(taped.gave)
    assert {one.outcome for one in taped.gave} == {Outcome.PASSED}


@pytest.mark.parametrize("fault", ["forgetful", "silent", "key-for-number"])
def test_a_faulty_engine_fails_by_the_same_values_again(fault: str, tmp_path: Path) -> None:
    some = [*scenarios("naming/")[:12], *scenarios("resume/phases")[:8], *scenarios("clean/ended")[:5]]
    taped = tape(tmp_path / "run", some, choice=EngineChoice("mutant", faulty=fault))

    assert plainly(again(tmp_path / "again", taped.trace, some)) == plainly(taped.gave)
    assert Outcome.FAILED in {one.outcome for one in taped.gave}


def test_a_run_of_an_engine_in_another_process_is_judged_just_as_it_was(tmp_path: Path) -> None:
    some = scenarios("clean/kept", "resume/phases", "isolate/mounts")[:15]
    taped = tape(tmp_path / "run", some, choice=EngineChoice("sim+stdio"))

    assert plainly(again(tmp_path / "again", taped.trace, some)) == plainly(taped.gave)


def test_an_expectation_that_is_stricter_fails_what_had_passed(tmp_path: Path) -> None:
    one = scenario(RESUMES)
    taped = tape(tmp_path / "run", [one])
    stricter = with_steps(
        one, ("the second run is recorded as resumed", "the second run is recorded as fresh because of refused")
    )

    (now,) = again(tmp_path / "again", taped.trace, [stricter])

    assert (taped.gave[0].outcome, now.outcome, now.blame) == (Outcome.PASSED, Outcome.FAILED, "engine")
    assert (now.expected, now.actual) == (False, True)


def test_an_expectation_that_was_wrong_passes_once_it_is_mended(tmp_path: Path) -> None:
    right = scenario(RESUMES)
    wrong = with_steps(right, ("the second run has succeeded", "the second run has failed"))
    taped = tape(tmp_path / "run", [wrong])

    (now,) = again(tmp_path / "again", taped.trace, [right])

    assert taped.gave[0].outcome is Outcome.FAILED
    # Everything after the broken expectation was never looked at in the run, and yet is there.
    assert (now.outcome, now.failed_step) == (Outcome.PASSED, None)
    assert len(now.expectations) > len(taped.gave[0].expectations)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("a ci_fix run of the issue is due", "a review_fix run of the issue is due"), "was asked to send"),
        (("a ci_fix run of the issue is due", "the issue is closed by merge"), "was asked to send"),
        (("an issue served by codex", "an issue served by copilot"), "was asked to open"),
    ],
)
def test_another_stimulus_is_not_judged(change: tuple[str, str], reason: str, tmp_path: Path) -> None:
    one = scenario(RESUMES)
    taped = tape(tmp_path / "run", [one])

    (now,) = again(tmp_path / "again", taped.trace, [with_steps(one, change)])

    assert now.outcome is Outcome.NOT_RUN
    assert now.reason is not None
    assert now.reason.startswith("the trace does not hold it: ")
    assert reason in now.reason


def test_a_stimulus_too_many_is_not_judged(tmp_path: Path) -> None:
    one = scenario(RESUMES)
    taped = tape(tmp_path / "run", [one])
    again_due = replace(one, steps=(*one.steps[:-1], replace(one.steps[2]), one.steps[-1]))

    (now,) = again(tmp_path / "again", taped.trace, [again_due])

    assert now.outcome is Outcome.NOT_RUN
    assert "it was not asked to send" in str(now.reason)
    assert "then came close" in str(now.reason)


def test_a_scenario_that_asks_less_is_judged_by_what_it_asks(tmp_path: Path) -> None:
    one = scenario(RESUMES)
    taped = tape(tmp_path / "run", [one])
    shorter = with_steps(one, ("the second run is recorded as resumed", None))

    (now,) = again(tmp_path / "again", taped.trace, [shorter])

    assert now.outcome is Outcome.PASSED
    assert len(now.expectations) < len(taped.gave[0].expectations)


def test_a_scenario_that_was_not_recorded_is_not_judged(tmp_path: Path) -> None:
    taped = tape(tmp_path / "run", [scenario(RESUMES)])

    (now,) = again(tmp_path / "again", taped.trace, [scenario("naming/")])

    assert (now.outcome, now.reason) == (
        Outcome.NOT_RUN,
        "the trace does not hold it: there is no such scenario in it",
    )


def test_steps_that_lay_something_else_on_the_disk_are_not_judged(tmp_path: Path) -> None:
    cut = next(one for one in scenarios("") if any("was cut off in its first line" in step.text for step in one.steps))
    was = next(step.text for step in cut.steps if "was cut off in its first line" in step.text)
    taped = tape(tmp_path / "run", [cut])
    other = with_steps(cut, (was, was.replace("was cut off in its first line", "was emptied")))

    (now,) = again(tmp_path / "again", taped.trace, [other])

    assert now.outcome is Outcome.NOT_RUN, now
    assert now.reason is not None
    assert "steps had made base/.agent-sessions/" in now.reason


class _Breaking:
    """Raises something at the second run, and is otherwise the engine that it has around it."""

    def __init__(self, engine: Engine, fault: Exception) -> None:
        self._engine = engine
        self._fault = fault
        self._runs = 0
        for name in ("declare", "open", "advance", "quiesce", "query", "overwrite", "kill", "start", "close"):
            setattr(self, name, getattr(engine, name))

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Hand it on, but for the second run."""
        self._runs += isinstance(stimulus, RunDue)
        if self._runs == 2:
            raise self._fault
        return self._engine.send(stimulus)


class StrangeError(Exception):
    """Nobody has foreseen it."""


@pytest.mark.parametrize(
    "fault",
    [
        EngineError("it broke"),
        EngineTimeoutError("it hangs"),
        FalseAdvertisingError("it cannot"),
        DriverError("nonsense"),
        DriverCrashedError("gone"),
        DriverTimeoutError("late"),
        UnsupportedError("adapter.codex"),
        UntestableError("out of reach"),
        KitError("our own"),
        StrangeError("<b>\x1b[31m{place}"),
        ScenarioTimeoutError("longer than 20 s"),
        OSError(28, "no room"),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_what_an_engine_raised_is_raised_again(fault: Exception, tmp_path: Path) -> None:
    one = scenario(RESUMES)
    broken: Callable[[Engine], Engine] = lambda engine: _Breaking(engine, fault)  # type: ignore[assignment,return-value] # noqa: E731 -- its methods are another's
    taped = tape(tmp_path / "run", [one], around=broken)

    assert plainly(again(tmp_path / "again", taped.trace, [one])) == plainly(taped.gave)
    assert taped.gave[0].outcome is not Outcome.PASSED


def test_what_the_clock_stopped_between_two_calls_is_stopped_by_it_again(tmp_path: Path) -> None:
    one = scenario(RESUMES)
    late = ScenarioTimeoutError("longer than 20 s")
    taped = tape(tmp_path / "run", [one], stopped=late)

    (now,) = again(tmp_path / "again", taped.trace, [one])

    assert (now.outcome, now.reason, now.blame) == (Outcome.FAILED, "timeout: longer than 20 s", "engine")


def test_tries_of_one_scenario_are_given_in_their_order(tmp_path: Path) -> None:
    one = scenario(RESUMES)
    taped = tape(
        tmp_path / "run", [one, with_steps(one, ("the second run has succeeded", "the second run has failed"))]
    )

    first, second, third = again(tmp_path / "again", taped.trace, [one, one, one])

    assert [first.outcome, second.outcome, third.outcome] == [Outcome.PASSED, Outcome.PASSED, Outcome.NOT_RUN]


def _planted(
    record: CheckRecord, trace: Trace, one: Scenario, change: Mapping[str, object], folder: Path
) -> CheckRecord:
    """Judge a scenario again after its first run has left something else on the disk."""
    ((attempt, *_),) = trace.scenarios.values()
    lines = [json.loads(line) for line in lines_of(trace.path, attempt.offset, attempt.length)]
    first = next(line for line in lines if any("sessions" in one["path"] for one in line.get("disk", ())))
    directory = next(one["path"] for one in first["disk"] if one["path"].endswith("/codex"))
    first["disk"].append({**change, "path": f"{directory}/planted.jsonl"})
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    edited = folder / "edited.ndjson"
    edited.write_text(text, encoding="ascii")
    place = replace(attempt, offset=0, length=len(text))
    (now,) = again(folder / "again", replace_path(trace, edited, {record.id: [place]}), [one])
    return now


def replace_path(trace: Trace, path: Path, held: dict[str, list[Attempt]]) -> Trace:
    """Give a trace in another file."""
    return Trace(path, trace.head, trace.digest, complete=True, scenarios=held)


def _damaging() -> Scenario:
    return next(
        one for one in scenarios("fallback/refusals.feature::A damaged transcript is neither") if "[codex" in one.id
    )


def test_steps_that_follow_a_link_of_the_trace_out_of_its_folder_are_stopped_before_they_do(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("mine", encoding="utf-8")
    one = _damaging()
    taped = tape(tmp_path / "run", [one])

    now = _planted(taped.gave[0], taped.trace, one, {"is": "link", "to": str(outside)}, tmp_path)

    assert now.outcome is Outcome.NOT_RUN, now
    assert "leads out of the scenario's folder" in str(now.reason)
    assert outside.read_text(encoding="utf-8") == "mine"


def test_steps_that_read_a_file_which_was_too_large_come_to_no_judgement(tmp_path: Path) -> None:
    one = _damaging()
    taped = tape(tmp_path / "run", [one])
    large = {"is": "file", "mode": "600", "size": 10_000_000, "digest": "0" * 64}

    now = _planted(taped.gave[0], taped.trace, one, large, tmp_path)

    assert now.outcome is Outcome.NOT_RUN, now
    assert "was too large, and steps read it" in str(now.reason)
