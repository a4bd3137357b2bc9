"""Faults of engines of turns: each changes what is seen of some course, and takes its hands off again."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_driver.bench import Shape
from tck_driver.courses import (
    Act,
    Course,
    Moved,
    NewSession,
    OtherProvider,
    Restart,
    SessionRemoved,
    Start,
    Switch,
    TakingUp,
    Turn,
    Unadvertised,
    capabilities_of,
)
from tck_driver.engine import Engine
from tck_driver.witness import CliStarted
from tck_fakes.bench import FakeBench
from tck_fakes.faults import FAULTS, FaultyEngine, Sabotage
from tck_fakes.in_process_turns import InProcessTurns
from tck_fakes.stage import Stage
from tck_simulator.turns.kinds import KINDS

FAULTY = {name: one for name, one in FAULTS.items() if one.policy is not None}
ONE, TWO = Turn("one"), Turn("two")


def failing(shape: Shape, scope: str = "one") -> Turn:
    return Turn(scope, (Start(shape),))


COURSES: tuple[tuple[Act, ...], ...] = (
    (ONE, TWO, ONE, TWO, ONE, Restart(), ONE, TWO),
    (failing("unsaved"), ONE, ONE, ONE, ONE, ONE),
    (ONE, failing("other_id"), ONE, failing("no_id"), ONE, ONE),
    (ONE, failing("two_ids"), ONE),
    (failing("two_ids"), ONE),
    (failing("no_id"), ONE),
    (failing("server_error"), ONE, failing("server_error"), ONE, ONE),
    (ONE, Turn("one", (Start(invalid=True),)), ONE),
    (Turn("one", hook_fails=True), ONE, Turn("one", hook_fails=True), ONE),
    (ONE, OtherProvider("one"), ONE, ONE, OtherProvider("one"), ONE, ONE),
    (ONE, Moved("one"), ONE, ONE),
    (ONE, Unadvertised(), ONE, ONE),
    (ONE, Switch(on=False), ONE, ONE),
    (ONE, TWO, Turn("one", killed=True), TWO, ONE),
    (
        ONE,
        NewSession("one"),
        ONE,
        TakingUp(on=True),
        NewSession("one"),
        ONE,
        TakingUp(on=False),
        NewSession("one"),
        ONE,
    ),
    (TakingUp(on=True), ONE, NewSession("one"), failing("other_id"), SessionRemoved("one"), NewSession("one"), ONE),
    (TakingUp(on=True), ONE, failing("other_id"), SessionRemoved("one"), Restart(), NewSession("one"), ONE, TWO),
    (TakingUp(on=True), failing("unsaved"), NewSession("one"), ONE),
    (TakingUp(on=True), ONE, NewSession("one"), failing("server_error"), ONE),
    (
        TakingUp(on=True),
        ONE,
        TWO,
        NewSession("two"),
        SessionRemoved("two"),
        NewSession("two"),
        TWO,
        NewSession("two"),
        TWO,
    ),
    (ONE, NewSession("one"), ONE, SessionRemoved("one"), TakingUp(on=True), NewSession("one"), ONE),
    (ONE, NewSession("one"), failing("other_id"), TakingUp(on=True), NewSession("one"), ONE),
)


def seen(place: Path, engine: Engine, stage: Stage, acts: tuple[Act, ...]) -> object:
    course = Course(acts)
    try:
        FakeBench(stage, place / "base", None).cast(engine.cast(course), course)
        played = engine.play()
    finally:
        engine.close()
    return played, [(one.argv, one.workdir) for one in stage.witness.of(CliStarted)]


def outcomes(folder: Path, policy: str, name: str | None) -> Iterator[str]:
    """Play every course, and give what was seen of each without the folder that it was seen in."""
    for number, acts in enumerate(COURSES):
        # One place for all, so that no two are different by it.
        place = folder / f"{number}"
        place.mkdir(parents=True)
        stage = Stage.at(place, 1, threading.RLock(), {})
        kind = KINDS[policy]
        right = InProcessTurns(kind, stage.runtime, place / "base", "0")
        engine: Engine = right if name is None else FaultyEngine(right, [FAULTY[name]])
        able = set(capabilities_of(Course(acts))) <= kind.capabilities
        yield re.sub(r"/[^ ',]*/x/", "/x/", repr(seen(place, engine, stage, acts))) if able else ""
        stage.close()


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return {name: [*outcomes(tmp_path_factory.mktemp("right") / "x", name, None)] for name in KINDS}


@pytest.mark.parametrize("name", sorted(FAULTY))
def test_a_fault_is_seen_in_what_some_course_leads_to(tmp_path: Path, name: str, right: dict[str, list[str]]) -> None:
    policy = FAULTY[name].policy or ""

    spoilt = outcomes(tmp_path / "x", policy, name)
    assert any(one != other for one, other in zip(spoilt, right[policy], strict=True))


def test_what_a_right_engine_does_is_the_same_each_time(tmp_path: Path, right: dict[str, list[str]]) -> None:
    assert {policy: [*outcomes(tmp_path / policy / "x", policy, None)] for policy in KINDS} == right


@pytest.mark.parametrize("name", sorted(FAULTY))
def test_what_a_fault_replaced_is_put_back(name: str) -> None:
    sabotage = Sabotage()
    FAULTY[name].commit(sabotage)
    replaced = list(reversed(vars(sabotage)["_held"]))
    sabotage.undo()

    assert replaced
    real = {(id(owner), attribute): (owner, value) for owner, attribute, value in replaced}
    assert all(vars(owner)[attribute] is value for (_, attribute), (owner, value) in real.items())


def test_sins_are_lines_of_plain_words_that_say_different_things() -> None:
    sins = [one.sin for one in FAULTY.values()]

    assert [sin for sin in sins if sin != sin.lower() or "\n" in sin or sin[-1] == "."] == []
    assert len(set(sins)) == len(sins)
