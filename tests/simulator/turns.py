"""Engines of turns with the kit's fakes around them, and what was seen of each start of a CLI."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from pathlib import Path

from tck_driver.bench import Shape
from tck_driver.courses import Act, Come, Course, Played, Start, Turn
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted
from tck_fakes.bench import FakeBench
from tck_fakes.stage import Stage
from tck_simulator.turns.engine import TurnEngine
from tck_simulator.turns.kinds import Kind

_TURN = re.compile(r"^Turn (\d+):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Seen:
    """One start of a CLI: whose it was and in which turn, what it asked for, and what came of it."""

    scope: str
    turn: int
    adapter: AdapterId
    asked: str | None
    loosely: bool
    full: bool
    workdir: str
    served: str | None
    reported: tuple[str, ...]
    ended_well: bool

    @property
    def lost(self) -> bool:
        """Whether the CLI did not find what it was asked for."""
        return self.asked is not None and self.served is None


@dataclass(frozen=True, slots=True)
class Show:
    """A course that was played."""

    course: Course
    played: Played
    seen: tuple[Seen, ...]

    def turns(self) -> list[tuple[Turn, Come, list[Seen]]]:
        """Give every turn with what it came to, and the starts in it."""
        count = dict.fromkeys(self.course.scopes, 0)
        found: list[tuple[Turn, Come, list[Seen]]] = []
        for act, come in zip(self.course.acts, self.played.acts, strict=True):
            if isinstance(act, Turn):
                count[act.scope] += 1
                key = (act.scope, count[act.scope])
                found.append((act, come, [one for one in self.seen if (one.scope, one.turn) == key]))
        return found

    def asked(self) -> list[int | None]:
        """Give of each start which one it was, counted from 0, that had reported the id that it asked for."""
        reported: dict[str, int] = {}
        found: list[int | None] = []
        for number, one in enumerate(self.seen):
            found.append(None if one.asked is None else reported.get(one.asked, -1))
            for native_id in one.reported:
                reported.setdefault(native_id, number)
        return found


def show(place: Path, kind: Kind, *acts: Act) -> Show:
    """Play a course."""
    course = Course(acts)
    stage = Stage.at(place, 1, threading.RLock(), {})
    engine = TurnEngine(kind, stage.runtime, place / "base", course)
    FakeBench(stage, place / "base", None).cast(engine.cast(), course)
    played = engine.play()
    answers = {one.container: one for one in stage.witness.of(CliAnswered)}
    stage.close()
    return Show(course, played, tuple(_seen(one, answers[one.container]) for one in stage.witness.of(CliStarted)))


def _seen(start: CliStarted, answer: CliAnswered) -> Seen:
    found = _TURN.search(start.prompt)
    assert start.scope is not None
    assert start.full is not None
    assert start.usage_error is None
    assert found is not None
    return Seen(
        scope=start.scope,
        turn=int(found[1]),
        adapter=AdapterId(start.adapter),
        asked=start.asked_id,
        loosely=start.asked_loosely,
        full=start.full,
        workdir=start.workdir,
        served=answer.session_id,
        reported=answer.reported_ids,
        ended_well=answer.exit_code == 0,
    )


def turn(
    *shapes: Shape, scope: str = "one", invalid: bool = False, hook_fails: bool = False, killed: bool = False
) -> Turn:
    """Give a turn whose CLI behaves so at its starts."""
    starts = tuple(Start(shape, invalid=invalid) for shape in shapes or ("ok",))
    return Turn(scope, starts, hook_fails=hook_fails, killed=killed)
