"""The simulator as an engine of turns behind the engine protocol, in the kit's own process.

It has no mailboxes, so nothing but a course can be asked of it. A CLI that it starts has ended, or stands still for
good, before the call comes back, so no time passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tck_driver.capabilities import Support
from tck_driver.configuration import EngineConfig
from tck_driver.courses import Cast, Course, Played
from tck_driver.engine import Declaration, Leaks, Quiescence
from tck_driver.errors import EngineError, UnsupportedError
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, ViewName
from tck_simulator.ports import ContainerRuntime
from tck_simulator.turns.engine import TurnEngine
from tck_simulator.turns.kinds import Kind


def declaration_of(kind: Kind, version: str, capabilities: Sequence[str]) -> Declaration:
    """Give what an engine of this kind declares, asked about these capabilities."""
    supported = kind.capabilities
    answers: dict[str, Support] = {name: "supported" if name in supported else "unsupported" for name in capabilities}
    return Declaration(
        f"session-tck simulator, {kind.name}", version, "Python", capabilities=answers, policy=kind.policy
    )


class InProcessTurns:
    """The simulator of one kind, with the kit's fakes for surroundings."""

    def __init__(self, kind: Kind, runtime: ContainerRuntime, base: Path, version: str) -> None:
        """Prepare; `base` is the folder of the engine, which it makes when it is cast."""
        self._kind = kind
        self._runtime = runtime
        self._base = base
        self._version = version
        self._engine: TurnEngine | None = None

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Declare the policy, and what the kind of engine has."""
        return declaration_of(self._kind, self._version, capabilities)

    def cast(self, course: Course) -> Cast:
        """Begin with nothing kept."""
        try:
            self._engine = TurnEngine(self._kind, self._runtime, self._base, course)
        except OSError as fault:
            raise EngineError(str(fault)) from fault
        return self._engine.cast()

    def play(self) -> Played:
        """Play the course."""
        if self._engine is None:
            raise EngineError("the engine was asked to play before it was cast")
        try:
            return self._engine.play()
        except (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError) as fault:
            raise EngineError(f"{type(fault).__name__}: {fault}") from fault

    def open(self, config: EngineConfig) -> str | None:  # noqa: ARG002 -- there are none
        """Decline: there are no mailboxes."""
        raise UnsupportedError("scenario/open")

    def send(self, stimulus: Stimulus) -> StimulusResult:  # noqa: ARG002 -- the same
        """Decline."""
        raise UnsupportedError("stimulus")

    def advance(self, milliseconds: int) -> None:  # noqa: ARG002 -- the same
        """Decline."""
        raise UnsupportedError("clock/advance")

    def quiesce(self, deadline_ms: int) -> Quiescence:  # noqa: ARG002 -- the same
        """Be idle: nothing goes on by itself."""
        return Quiescence(idle=True)

    def query(self, view: ViewName) -> Sequence[Row]:
        """Decline."""
        raise UnsupportedError(f"view.{view}")

    def overwrite(self, run: str, native_session_id: str) -> None:  # noqa: ARG002 -- the same
        """Decline."""
        raise UnsupportedError("control.overwrite")

    def kill(self) -> None:
        """Decline: a course says when the engine dies."""
        raise UnsupportedError("control.kill")

    def start(self) -> str | None:
        """Decline."""
        raise UnsupportedError("control.kill")

    def close(self) -> Leaks:
        """End the scenario; nothing is under way."""
        self._engine = None
        return Leaks()
