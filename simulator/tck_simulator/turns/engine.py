"""An engine of turns: it plays a course, act by act, and dies and restarts where the course says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from tck_driver.courses import (
    Act,
    Cast,
    Come,
    Course,
    Moved,
    NewSession,
    OtherProvider,
    Played,
    Restart,
    Role,
    SessionRemoved,
    Switch,
    TakingUp,
    Turn,
    Unadvertised,
)
from tck_simulator.ports import ContainerRuntime
from tck_simulator.turns import prompts
from tck_simulator.turns.kinds import PROVIDERS, Kind
from tck_simulator.turns.log import Log
from tck_simulator.turns.memory import Memory, Notebook, Scope, Session, restore
from tck_simulator.turns.starting import Starter
from tck_simulator.turns.turn import Carrier, KilledError


class TurnEngine:
    """The simulator of one kind, for one course. All that it keeps lies in its folder."""

    def __init__(self, kind: Kind, runtime: ContainerRuntime, folder: Path, course: Course) -> None:
        """Begin with nothing kept. Raises `OSError` where the folder cannot be written."""
        self._kind = kind
        self._course = course
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        home = folder / "home"
        home.mkdir()
        self._starter = Starter(runtime, home)
        self._notebook = Notebook(folder / "memory.json")
        self._log = Log(folder / "log.jsonl")
        self._memory = Memory(kind.policy.default == "on")
        for name in course.scopes:
            # One folder for all: nothing but the id keeps their sessions apart.
            self._memory.scopes[name] = Scope(name, PROVIDERS[0], self._place("work"), prompts.instructions_of(name))
        self._notebook.write(self._memory)

    def cast(self) -> Cast:
        """Say by what the starts of each scope can be told."""
        return Cast(
            tuple(
                Role(scope, provider, prompts.pattern_of(scope), prompts.FULL, (prompts.ANSWER,), prompts.INVALID)
                for scope in self._course.scopes
                for provider in PROVIDERS
            )
        )

    def play(self) -> Played:
        """Play the whole course."""
        acts = tuple(self._play(act) for act in self._course.acts)
        return Played(acts, next((come.visible for come in acts if come.visible), ""))

    def _play(self, act: Act) -> Come:
        match act:
            case Turn():
                return self._turn(act)
            case Restart():
                self._restart()
            case _:
                self._change(act)
                self._notebook.write(self._memory)
        return Come("done")

    def _turn(self, act: Turn) -> Come:
        """Carry out a turn; one in which the engine dies is taken up again once it has been started."""
        self._memory.scopes[act.scope].generation += 1
        self._notebook.write(self._memory)
        deaths = iter((True,) if act.killed else ())
        while True:
            carrier = self._carrier(deaths)
            try:
                return carrier.carry_out(self._memory.scopes[act.scope].due(), hook_fails=act.hook_fails)
            except KilledError:
                self._restart()

    def _carrier(self, deaths: Iterator[bool]) -> Carrier:
        return Carrier(
            self._kind, self._memory, self._notebook, self._log, self._starter, dies=lambda: next(deaths, False)
        )

    def _restart(self) -> None:
        self._memory = restore(self._notebook, self._log, proven=self._kind.proven)

    def _change(self, act: Act) -> None:
        """Take note of what has changed around the engine."""
        memory = self._memory
        match act:
            case Switch(on):
                memory.on = on
            case TakingUp(on):
                memory.taking_up = on
            case OtherProvider(name):
                scope = memory.scopes[name]
                scope.provider = PROVIDERS[(PROVIDERS.index(scope.provider) + 1) % len(PROVIDERS)]
            case Moved(name):
                memory.scopes[name].directory = self._place("elsewhere")
            case NewSession(name):
                scope = memory.scopes[name]
                scope.sessions.append(Session(scope.present.number + 1))
            case SessionRemoved(name):
                scope = memory.scopes[name]
                scope.put(replace(scope.present, kept=None, live=False))
            case Unadvertised():
                # The CLI is asked for its help before each turn.
                pass
            case Turn() | Restart():
                raise ValueError(f"{act} is no change")
            case _:
                assert_never(act)

    def _place(self, name: str) -> str:
        folder = self._folder / name
        folder.mkdir(exist_ok=True)
        return str(folder)
