"""The reference simulator behind the engine protocol, in the kit's own process.

Time is virtual: `advance` goes from one instant at which something is due to the next, whether a deadline of the engine
or the end of a container, so that hours pass in no time and in the right order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from tck_driver.capabilities import Support
from tck_driver.configuration import EngineConfig
from tck_driver.courses import COURSE_FEATURES, Cast, Course, Played
from tck_driver.engine import Declaration, Leaks, Quiescence
from tck_driver.errors import EngineError, UnsupportedError
from tck_driver.messages import Pending, Rest
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, ViewName
from tck_fakes.clock import VirtualClock
from tck_simulator.engine import ConfigurationError
from tck_simulator.engine import Engine as Simulator
from tck_simulator.ports import ContainerRuntime, Forge, ModelProvider, Remover
from tck_simulator.settings import SettingError, accept
from tck_simulator.store import Store, StoreError

T = TypeVar("T")


def _deaf(_stimulus: Stimulus) -> None:
    """Let somebody else tell the tracker."""


def _never() -> datetime | None:
    """Let somebody else watch the containers."""
    return None


class InProcessEngine:
    """The simulator, with the kit's fakes for surroundings."""

    def __init__(
        self,
        *,
        clock: VirtualClock,
        runtime: ContainerRuntime,
        forge: Forge,
        models: ModelProvider,
        remover: Remover,
        store: Store,
        version: str,
        hear: Callable[[Stimulus], None] = _deaf,
        next_end: Callable[[], datetime | None] = _never,
    ) -> None:
        """Prepare; nothing is started before `open`. The store stays open, and is emptied for each scenario.

        `hear` lets the tracker know of a stimulus; `next_end` says when a container ends by itself. Where somebody else
        does both, they are left out.
        """
        self._hear = hear
        self._next_end = next_end
        self._clock = clock
        self._runtime = runtime
        self._forge = forge
        self._models = models
        self._remover = remover
        self._version = version
        self._store = store
        self._config: EngineConfig | None = None
        self._engine: Simulator | None = None
        self._processes = 0

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Support everything that the kit asks an engine of mailboxes about."""
        supported: dict[str, Support] = {name: "supported" for name in capabilities if name not in COURSE_FEATURES}
        return Declaration("session-tck reference simulator", self._version, "Python", capabilities=supported)

    def open(self, config: EngineConfig) -> str | None:
        """Begin with an empty store and a first process."""
        try:
            self._store.reset()
            self._store.configure(config, config.images)
            for scope, organization, project, name, value in config.settings:
                accepted = None if value is None else accept(name, scope, value)
                self._store.set_setting(scope, organization, project, name, value=accepted)
        except StoreError as fault:
            raise EngineError(str(fault)) from fault
        except SettingError as refusal:
            return str(refusal)
        self._config = config
        return self.start()

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Let the tracker know first what the tracker would, then tell the engine."""
        self._hear(stimulus)
        return self._call(lambda engine: engine.handle(stimulus))

    def advance(self, milliseconds: int) -> None:
        """Let time pass, stopping at each instant at which something is due."""
        target = self._clock.now() + timedelta(milliseconds=milliseconds)
        while True:
            deadline = None if self._engine is None else self._call(lambda engine: engine.next_deadline())
            instants = [instant for instant in (deadline, self._next_end()) if instant is not None]
            instant = min((instant for instant in instants if self._clock.now() < instant <= target), default=target)
            self._clock.set(instant)
            if self._engine is not None:
                self._call(lambda engine: engine.pump())
            if instant >= target:
                return

    def quiesce(self, deadline_ms: int) -> Quiescence:  # noqa: ARG002 -- nothing happens by itself in virtual time
        """Do what is due; what is still under way then waits for time or for the outside world."""
        self._call(lambda engine: engine.pump())
        pending = self._call(lambda engine: engine.pending())
        return Quiescence(idle=not pending, pending=pending)

    def query(self, view: ViewName) -> Sequence[Row]:
        """Answer from the bookkeeping."""
        return self._call(lambda engine: engine.query(view))

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Overwrite a stored native id in the database."""
        try:
            self._store.overwrite_native_id(int(run), native_session_id)
        except (StoreError, ValueError) as fault:
            raise EngineError(str(fault)) from fault

    def kill(self) -> None:
        """Throw the process away; store, folders and containers stay as they are."""
        self._engine = None

    def rest(self) -> Rest:
        """Say what is under way, and when there is something to do by itself."""
        if self._engine is None:
            return Rest(idle=True)
        pending = self._call(lambda engine: engine.waits())
        due = self._call(lambda engine: engine.next_deadline())
        waits = tuple(
            Pending(what, "run" if container is None else "container", container) for what, container in pending
        )
        return Rest(not waits, waits, due)

    def start(self) -> str | None:
        """Make a new process on what is there; give its text where it refuses its configuration."""
        config = self._config
        if config is None:
            raise EngineError("the engine was started before it was opened")
        self._processes += 1
        try:
            self._engine = Simulator(
                store=self._store,
                base=Path(config.base),
                runtime=self._runtime,
                forge=self._forge,
                models=self._models,
                clock=self._clock,
                remover=self._remover,
                credentials=config.credential_mounts,
                seed=config.seed,
                process=f"engine-{self._processes}",
            )
        except ConfigurationError as refusal:
            return str(refusal)
        self._call(lambda engine: engine.begin())
        return None

    def cast(self, course: Course) -> Cast:  # noqa: ARG002 -- none is played here
        """Decline: what it is to do with a course, the kit itself makes out of stimuli."""
        raise UnsupportedError("course/cast")

    def play(self) -> Played:
        """Decline."""
        raise UnsupportedError("course/play")

    def close(self) -> Leaks:
        """End the scenario and say what is still under way."""
        pending = () if self._engine is None else self._call(lambda engine: engine.pending())
        self._engine = None
        return Leaks(pending)

    def _call(self, action: Callable[[Simulator], T]) -> T:
        if self._engine is None:
            raise EngineError("the engine does not run")
        try:
            return action(self._engine)
        except StoreError as fault:
            raise EngineError(str(fault)) from fault
        except (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError) as fault:
            raise EngineError(f"{type(fault).__name__}: {fault}") from fault
