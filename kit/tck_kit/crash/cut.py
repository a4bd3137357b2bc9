"""Power cuts: after a certain number of witnessed events the engine is gone, and starts again on what it left.

In process the cut falls at one of two moments: between an effect and its answer (a comment was posted, and the engine
never hears of it), or just before the next effect (the engine has written down what it heard, and does not get to act
on it). What a container goes on to do is not the engine's, so it goes on. Behind a driver the kit can kill only an
engine that has come to rest; the cut then falls after the call in which the event was witnessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import ParamSpec, TypeVar

from tck_driver.configuration import EngineConfig
from tck_driver.courses import Cast, Course, Played
from tck_driver.engine import Declaration, Engine, Leaks, Quiescence
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, ViewName
from tck_driver.vocabulary import MailboxRef
from tck_driver.witness import WitnessLog
from tck_fakes.stage import Stage
from tck_simulator.ports import (
    ContainerRequest,
    ContainerRuntime,
    ContainerState,
    Forge,
    IssueState,
    ModelAnswer,
    ModelProvider,
    Remover,
)

P = ParamSpec("P")
T = TypeVar("T")


class PowerCut(BaseException):
    """The power is gone, in the middle of whatever the engine was doing."""


class Fuse:
    """Blows once, after the witness has written down so many `events`; it never does where that is None.

    A `late` one lets the answer through, and blows when the engine is about to do the next thing.
    """

    def __init__(self, witness: WitnessLog, events: int | None, *, late: bool = False) -> None:
        """Watch a log."""
        self._witness = witness
        self._limit = events
        self._late = late
        self.blown = False

    @property
    def events(self) -> int:
        """How many events there were so far."""
        return self._witness.mark()

    @property
    def due(self) -> bool:
        """Whether the moment has come."""
        return not self.blown and self._limit is not None and self.events >= self._limit

    def through(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Let a call of the engine's have its effect; its answer gets through only if the fuse holds."""
        if self._late and self.due:
            self._blow()
        result = call(*args, **kwargs)
        if self.due and not self._late:
            self._blow()
        return result

    def asked(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Let the engine look at something; a late fuse holds while it does."""
        return call(*args, **kwargs) if self._late else self.through(call, *args, **kwargs)

    def _blow(self) -> None:
        self.blown = True
        raise PowerCut


class CutRuntime:
    """The container runtime behind a fuse. When a container ends the kit wants to know, whatever the engine does."""

    def __init__(self, real: ContainerRuntime, fuse: Fuse, next_end: Callable[[], datetime | None]) -> None:
        """Wrap it."""
        self._real, self._fuse = real, fuse
        self.next_end = next_end

    def start(self, request: ContainerRequest) -> str:
        """Start a container."""
        return self._fuse.through(self._real.start, request)

    def poll(self, container: str) -> ContainerState:
        """Look at a container."""
        return self._fuse.asked(self._real.poll, container)

    def run(self, request: ContainerRequest) -> ContainerState:
        """Run a short command."""
        return self._fuse.through(self._real.run, request)

    def stop(self, container: str) -> None:
        """Stop a container."""
        self._fuse.through(self._real.stop, container)

    def remove(self, container: str) -> None:
        """Remove a container."""
        self._fuse.through(self._real.remove, container)

    def find(self, label: str, value: str | None) -> Sequence[str]:
        """Find containers."""
        return self._fuse.asked(self._real.find, label, value)


class CutForge:
    """The tracker behind a fuse. What the kit tells it goes past the fuse."""

    def __init__(self, real: Forge, fuse: Fuse, hear: Callable[[Stimulus], None]) -> None:
        """Wrap it."""
        self._real, self._fuse = real, fuse
        self.hear = hear

    def issue(self, mailbox: MailboxRef) -> IssueState:
        """Look an issue up."""
        return self._fuse.asked(self._real.issue, mailbox)

    def comment(self, mailbox: MailboxRef, text: str) -> None:
        """Post a comment."""
        self._fuse.through(self._real.comment, mailbox, text)

    def add_label(self, mailbox: MailboxRef, label: str) -> None:
        """Set a label."""
        self._fuse.through(self._real.add_label, mailbox, label)

    def remove_label(self, mailbox: MailboxRef, label: str) -> None:
        """Take a label away."""
        self._fuse.through(self._real.remove_label, mailbox, label)

    def push_branch(self, organization: str, project: str, branch: str) -> None:
        """Push a branch."""
        self._fuse.through(self._real.push_branch, organization, project, branch)

    def open_merge_request(self, mailbox: MailboxRef, branch: str, title: str) -> int:
        """Open a merge request."""
        return self._fuse.through(self._real.open_merge_request, mailbox, branch, title)


class CutModels:
    """The model provider behind a fuse."""

    def __init__(self, real: ModelProvider, fuse: Fuse) -> None:
        """Wrap it."""
        self._real, self._fuse = real, fuse

    def complete(self, provider: str, model: str, prompt: str) -> ModelAnswer:
        """Call a model."""
        return self._fuse.through(self._real.complete, provider, model, prompt)


class CutRemover:
    """The removal of trees behind a fuse."""

    def __init__(self, real: Remover, fuse: Fuse) -> None:
        """Wrap it."""
        self._real, self._fuse = real, fuse

    def remove(self, path: Path) -> None:
        """Remove a tree."""
        self._fuse.through(self._real.remove, path)


def behind(stage: Stage, fuse: Fuse) -> Stage:
    """Give the surroundings as an engine has them whose answers go through a fuse."""
    return replace(
        stage,
        runtime=CutRuntime(stage.runtime, fuse, stage.runtime.next_end),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- the engine's share of it
        forge=CutForge(stage.forge, fuse, stage.forge.hear),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- the same
        models=CutModels(stage.models, fuse),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- the same
        remover=CutRemover(stage.remover, fuse),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- the same
    )


class CutEngine:
    """An engine whose power goes once, and that is then started again at once."""

    def __init__(self, engine: Engine, fuse: Fuse) -> None:
        """Wrap an engine."""
        self._engine = engine
        self._fuse = fuse
        self.cut = False
        #: How many events there were when the engine had started.
        self.started = 0

    def _under(self, call: Callable[[], T], otherwise: T) -> T:
        """Do something; where the power goes meanwhile, start again, and give what nobody has answered."""
        try:
            result = call()
        except PowerCut:
            self._again()
            return otherwise
        if self._fuse.due:
            self._fuse.blown = True
            self._again()
        return result

    def _again(self) -> None:
        self.cut = True
        self._engine.kill()
        self._engine.start()

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Say who it is."""
        return self._engine.declare(capabilities)

    def open(self, config: EngineConfig) -> str | None:
        """Begin."""
        refused = self._under(lambda: self._engine.open(config), None)
        self.started = self._fuse.events
        return refused

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Let something happen."""
        return self._under(lambda: self._engine.send(stimulus), StimulusResult())

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self._under(lambda: self._engine.advance(milliseconds), None)

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Wait for rest."""
        return self._engine.quiesce(deadline_ms)

    def query(self, view: ViewName) -> Sequence[Row]:
        """Ask."""
        return self._engine.query(view)

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Overwrite a stored id."""
        self._engine.overwrite(run, native_session_id)

    def kill(self) -> None:
        """End it, as the scenario wants."""
        self._engine.kill()

    def start(self) -> str | None:
        """Start it, as the scenario wants."""
        return self._under(self._engine.start, None)

    def cast(self, course: Course) -> Cast:
        """Begin with a course."""
        return self._engine.cast(course)

    def play(self) -> Played:
        """Play it; where a course has a power cut, it says so itself."""
        return self._engine.play()

    def close(self) -> Leaks:
        """End the scenario."""
        return self._engine.close()
