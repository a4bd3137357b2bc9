"""Courses in a trace: what an engine was told to play, whose starts came, and what became of it, judged again."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from tck_driver.capabilities import ASKED, CAPABILITIES
from tck_driver.courses import Policy
from tck_driver.engine import Declaration
from tck_driver.errors import DriverIncompatibleError
from tck_driver.witness import CliStarted
from tck_fakes.in_process_turns import declaration_of
from tck_kit.engine_choice import EngineChoice
from tck_kit.scenarios import Scenario
from tck_kit.trace.head import Head
from tck_kit.trace.lines import LAST
from tck_kit.trace.reading import lines_of
from tck_kit.trace.wire import raised, raised_of, read_declaration, read_records, records_of
from tck_reports.outcomes import Outcome
from tck_simulator.turns.kinds import KINDS

from .taped import Taped, again, courses, plainly, some_head, tape

REUSE = declaration_of(KINDS["reuse"], "0.1.0", ASKED)
POLICY = {"scope": ["issue", "adapter"], "valid": "success", "switch": "RESUME"}


def _of(profile: str) -> list[Scenario]:
    return [one for one in courses() if any(name.startswith(profile) for name in one.tags)]


def _outcomes(taped: Taped) -> set[Outcome]:
    return {one.outcome for one in taped.gave}


def _told(taped: Taped) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for tries in taped.trace.scenarios.values()
        for one in tries
        for line in lines_of(taped.trace.path, one.offset, one.length)
    ]


def _acts(taped: Taped) -> list[str]:
    return [line["act"] for line in _told(taped) if "act" in line]


@pytest.mark.parametrize(
    "choice",
    [
        EngineChoice("turns", policy="reuse"),
        EngineChoice("command", words=(sys.executable, "-P", "-m", "tck_fakes.served_turns", "reuse"), directory="/"),
    ],
    ids=["in process", "behind a driver"],
)
def test_an_engine_that_plays_courses_is_judged_just_as_it_was(choice: EngineChoice, tmp_path: Path) -> None:
    some = _of("reuse")
    taped = tape(tmp_path / "run", some, choice=choice)

    assert _outcomes(taped) == {Outcome.PASSED}
    assert plainly(again(tmp_path / "again", taped.trace, some, REUSE)) == plainly(taped.gave)
    assert {"cast", "cast_clis", "play"} <= set(_acts(taped))


def test_a_faulty_engine_that_plays_courses_fails_by_the_same_values_again(tmp_path: Path) -> None:
    some = _of("reuse")
    taped = tape(tmp_path / "run", some, choice=EngineChoice("mutant", faulty="kept-over-a-failure", policy="reuse"))

    assert Outcome.FAILED in _outcomes(taped)
    assert plainly(again(tmp_path / "again", taped.trace, some, REUSE)) == plainly(taped.gave)


def test_courses_that_the_kit_plays_with_stimuli_are_judged_just_as_they_were(tmp_path: Path) -> None:
    some = _of("continuity")[:4]
    taped = tape(tmp_path / "run", some)
    declared = Declaration("engine", "1.0", "", capabilities=dict.fromkeys(CAPABILITIES, "supported"))

    assert plainly(again(tmp_path / "again", taped.trace, some, declared)) == plainly(taped.gave)
    assert Outcome.PASSED in _outcomes(taped)
    assert "cast" not in _acts(taped)


def test_another_course_than_was_played_is_not_judged(tmp_path: Path) -> None:
    one = next(one for one in _of("reuse") if any(step.text == "2 turns of the scope" for step in one.steps))
    taped = tape(tmp_path / "run", [one], choice=EngineChoice("turns", policy="reuse"))
    steps = [replace(step, text=step.text.replace("2 turns", "3 turns")) for step in one.steps]

    (now,) = again(tmp_path / "again", taped.trace, [replace(one, steps=tuple(steps))], REUSE)

    assert now.outcome is Outcome.NOT_RUN
    assert str(now.reason).startswith("the trace does not hold it: it was asked to cast ")


def test_the_policy_stands_in_the_first_line_and_is_read_back() -> None:
    line = json.loads(replace(some_head(), policy=POLICY).line())

    assert line["policy"] == POLICY
    assert Head.read({name: value for name, value in line.items() if name != "schema"}).policy == POLICY


def test_the_trace_of_any_other_run_says_nothing_of_policies_and_courses(tmp_path: Path) -> None:
    taped = tape(tmp_path / "run", _of("continuity")[:1])
    text = taped.trace.path.read_text(encoding="ascii")

    assert LAST in text
    assert "policy" not in json.loads(some_head().line())
    assert '"scope":null' not in text
    assert '"full":null' not in text
    assert '"scope_by"' not in text


def test_a_declaration_with_a_policy_comes_back_as_it_went() -> None:
    policy = Policy(("issue",), "assigned", "init", "adopt", "fail", "full", "on", "RESUME")
    said = Declaration("engine", "1.0", "Go", "", {"act.moved": "supported"}, policy)
    held = {"name": "engine", "version": "1.0", "language": "Go", "homepage": "", "capabilities": said.capabilities}

    assert read_declaration({**held, "policy": _fields(policy)}) == said
    assert read_declaration({**held, "policy": None}) == replace(said, policy=None)


def _fields(policy: Policy) -> object:
    return json.loads(json.dumps({name: getattr(policy, name) for name in Policy.__slots__}))


@pytest.mark.parametrize(("scope", "full", "by"), [(None, None, None), ("", False, "prompt"), ("a", True, "id")])
def test_whose_start_it_was_comes_back_as_it_went(
    scope: str | None,
    full: bool | None,  # noqa: FBT001 -- as it stands in a record
    by: Literal["prompt", "id"] | None,
    tmp_path: Path,
) -> None:
    taped = tape(tmp_path / "run", _of("continuity")[:1])
    seen = [record for line in _told(taped) for record in read_records(line.get("witnessed", ()))]
    start = replace(next(one for one in seen if isinstance(one, CliStarted)), scope=scope, full=full, scope_by=by)

    assert read_records(json.loads(json.dumps(records_of([start])))) == [start]


def test_an_engine_that_moved_is_told_apart_from_a_broken_driver_in_a_trace_too() -> None:
    again_raised = raised(raised_of(DriverIncompatibleError("runner.start is gone")))

    assert type(again_raised) is DriverIncompatibleError
    assert str(again_raised) == "runner.start is gone"
