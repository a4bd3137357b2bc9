"""The simulator as an engine of turns behind the engine protocol: what it declares, plays, and has nothing of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tck_driver.capabilities import ASKED
from tck_driver.configuration import EngineConfig
from tck_driver.courses import COURSE_FEATURES, Course, NewSession, Start, TakingUp, Turn, capabilities_of
from tck_driver.engine import Leaks, Quiescence
from tck_driver.errors import EngineError, UnsupportedError
from tck_driver.stimuli import RunDue
from tck_driver.vocabulary import MailboxRef, Phase
from tck_driver.witness import CliStarted
from tck_fakes.bench import FakeBench
from tck_fakes.faulty import TURN_CONTROLS
from tck_fakes.in_process_turns import InProcessTurns
from tck_fakes.stage import Stage
from tck_simulator.turns.kinds import KINDS, Kind

TWO_TURNS = Course((Turn("one"), Turn("one")))


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage.at(tmp_path, 1, threading.RLock(), {})
    yield made
    made.close()


@pytest.fixture(params=list(KINDS.values()), ids=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture
def engine(stage: Stage, kind: Kind) -> InProcessTurns:
    return InProcessTurns(kind, stage.runtime, stage.place / "base", "1.2")


def test_it_declares_its_policy_and_answers_for_everything_that_is_asked(engine: InProcessTurns, kind: Kind) -> None:
    said = engine.declare(ASKED)

    assert said.policy == kind.policy
    assert said.version == "1.2"
    assert set(said.capabilities) == set(ASKED)
    assert {name for name, support in said.capabilities.items() if support == "supported"} == kind.capabilities


def test_what_a_kind_claims_is_asked_about_and_its_name_is_one_of_its_profiles(kind: Kind) -> None:
    assert kind.capabilities <= set(ASKED)
    assert kind.name in kind.profiles
    assert "continuity" in kind.profiles
    assert ("act.switch" in kind.capabilities) is bool(kind.policy.switch)


def test_together_the_kinds_can_play_whatever_a_course_may_hold() -> None:
    claimed = frozenset[str]().union(*(one.capabilities for one in KINDS.values()))

    assert set(COURSE_FEATURES) <= claimed


def test_it_plays_a_course_whose_starts_are_told_apart_by_its_cast(engine: InProcessTurns, stage: Stage) -> None:
    FakeBench(stage, stage.place / "base", None).cast(engine.cast(TWO_TURNS), TWO_TURNS)
    played = engine.play()

    starts = stage.witness.of(CliStarted)
    assert [come.outcome for come in played.acts] == ["done", "done"]
    assert [one.scope for one in starts] == ["one", "one"]
    assert [one.asked_id is None for one in starts] == [True, False]
    assert engine.close() == Leaks()


def test_it_cannot_play_before_it_was_cast_nor_after_it_was_closed(engine: InProcessTurns) -> None:
    with pytest.raises(EngineError, match="before it was cast"):
        engine.play()
    engine.cast(TWO_TURNS)
    engine.close()
    with pytest.raises(EngineError, match="before it was cast"):
        engine.play()


def test_an_error_inside_is_an_error_of_the_engine(engine: InProcessTurns, stage: Stage) -> None:
    engine.cast(TWO_TURNS)
    for file in (stage.place / "base").glob("*.json"):
        file.unlink()
        file.mkdir()

    with pytest.raises(EngineError, match=r"memory\.json"):
        engine.play()


CALLS: list[Callable[[InProcessTurns], object]] = [
    lambda engine: engine.open(EngineConfig("/nowhere", (), ())),
    lambda engine: engine.send(RunDue(MailboxRef("o", "p", "issue", 1), Phase.ANALYSIS)),
    lambda engine: engine.advance(1),
    lambda engine: engine.query("sessions"),
    lambda engine: engine.overwrite("1", "a"),
    lambda engine: engine.kill(),
    lambda engine: engine.start(),
]


@pytest.mark.parametrize("call", CALLS)
def test_it_has_no_mailboxes(engine: InProcessTurns, call: Callable[[InProcessTurns], object]) -> None:
    with pytest.raises(UnsupportedError):
        call(engine)
    assert engine.quiesce(1) == Quiescence(idle=True)


def test_the_mute_control_claims_everything_and_starts_nothing(engine: InProcessTurns, stage: Stage) -> None:
    mute = TURN_CONTROLS["mute"].make(engine)
    course = Course(
        (Turn("one", (Start("other_id"),), hook_fails=True, killed=True), TakingUp(on=True), NewSession("one"))
    )
    cast = mute.cast(course)

    assert set(capabilities_of(course)) <= {
        name for name, support in mute.declare(ASKED).capabilities.items() if support == "supported"
    }
    assert {role.scope for role in cast.roles} == {"one"}
    assert [come.outcome for come in mute.play().acts] == ["done"] * 3
    assert stage.witness.of(CliStarted) == []
