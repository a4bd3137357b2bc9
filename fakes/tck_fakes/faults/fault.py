"""What an engine that is wrong on purpose consists of: the simulator, and one thing about it that is replaced.

A fault lays hands on the simulator's own functions and tables, for as long as one scenario lasts. The scenario then
sees an engine that is right in everything else, so that nothing but the fault can make it fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tck_driver.configuration import EngineConfig
from tck_driver.courses import Cast, Course, Played
from tck_driver.engine import Declaration, Engine, Leaks, Quiescence
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, ViewName


class Kind(StrEnum):
    """In which way an engine is wrong."""

    WRONG_VALUE = "wrong value"
    MISSING_EFFECT = "missing effect"
    EXTRA_EFFECT = "extra effect"
    WRONG_MOMENT = "wrong moment"
    WRONG_SCOPE = "wrong scope"
    ONCE = "works once"


class Sabotage:
    """The hands that a fault lays on the simulator; `undo` takes them off again, in reverse order."""

    def __init__(self) -> None:
        """Begin with nothing replaced."""
        self._held: list[tuple[object, str, object]] = []

    def replace(self, owner: object, name: str, make: Callable[[Any], object]) -> None:
        """Put `make(what was there)` in place of an attribute of a module or class of the simulator.

        A module that has imported a name holds it by itself: what is replaced is the name where it is used.
        """
        real = vars(owner)[name]
        self._held.append((owner, name, real))
        setattr(owner, name, make(real))

    def undo(self) -> None:
        """Put everything back."""
        while self._held:
            owner, name, real = self._held.pop()
            setattr(owner, name, real)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to be wrong: its name, the requirement that it breaks, its kind, its sin in one line, and how to do it.

    `commit` is called at the start of each scenario, so whatever it counts begins anew with each.
    """

    name: str
    requirement: str
    kind: Kind
    sin: str
    commit: Callable[[Sabotage], None]
    #: The kind of engine of turns that is wrong in this way; None where it is the engine of mailboxes.
    policy: str | None = None


class FaultyEngine:
    """The simulator with one fault or several, from `open` to `close`. One at a time in a process."""

    def __init__(self, engine: Engine, faults: Sequence[Fault]) -> None:
        """Wrap the simulator; nothing is replaced before it is opened."""
        self._engine = engine
        self._faults = tuple(faults)
        self._sabotage = Sabotage()

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Claim what the simulator claims."""
        return self._engine.declare(capabilities)

    def open(self, config: EngineConfig) -> str | None:
        """Become faulty, and begin."""
        self._become_faulty()
        return self._engine.open(config)

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Answer as the faulty simulator does."""
        return self._engine.send(stimulus)

    def advance(self, milliseconds: int) -> None:
        """Go on as the faulty simulator does."""
        self._engine.advance(milliseconds)

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Answer as the faulty simulator does."""
        return self._engine.quiesce(deadline_ms)

    def query(self, view: ViewName) -> Sequence[Row]:
        """Answer as the faulty simulator does."""
        return self._engine.query(view)

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Answer as the faulty simulator does."""
        self._engine.overwrite(run, native_session_id)

    def kill(self) -> None:
        """End as the simulator does."""
        self._engine.kill()

    def start(self) -> str | None:
        """Start as the faulty simulator does."""
        return self._engine.start()

    def cast(self, course: Course) -> Cast:
        """Become faulty, and begin."""
        self._become_faulty()
        return self._engine.cast(course)

    def play(self) -> Played:
        """Play as the faulty simulator does."""
        return self._engine.play()

    def close(self) -> Leaks:
        """End the scenario, and be the simulator again."""
        try:
            return self._engine.close()
        finally:
            self._sabotage.undo()

    def _become_faulty(self) -> None:
        try:
            for fault in self._faults:
                fault.commit(self._sabotage)
        except BaseException:
            self._sabotage.undo()
            raise
