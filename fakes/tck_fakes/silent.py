"""Engines that take every call and do little or nothing: whatever lets one of them pass looks at nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from tck_driver.configuration import EngineConfig
from tck_driver.courses import Cast, Come, Course, Played
from tck_driver.engine import Declaration, Engine, Leaks, Quiescence
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, ViewName


class SilentEngine:
    """Takes every call, says that all is well, and does nothing at all."""

    def __init__(self, engine: Engine) -> None:
        """Keep the real one, only to have its tables made."""
        self._engine = engine
        self._acts = 0

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Claim everything."""
        return self._engine.declare(capabilities)

    def open(self, config: EngineConfig) -> str | None:
        """Make the tables, leave them empty, and take any configuration."""
        self._engine.open(config)
        return None

    def send(self, stimulus: Stimulus) -> StimulusResult:  # noqa: ARG002 -- that is its sin
        """Do nothing."""
        return StimulusResult()

    def advance(self, milliseconds: int) -> None:
        """Do nothing."""

    def quiesce(self, deadline_ms: int) -> Quiescence:  # noqa: ARG002 -- that is its sin
        """Be idle, always."""
        return Quiescence(idle=True)

    def query(self, view: ViewName) -> Sequence[Row]:  # noqa: ARG002 -- that is its sin
        """Know nothing."""
        return ()

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Do nothing."""

    def kill(self) -> None:
        """Do nothing."""

    def start(self) -> None:
        """Do nothing."""

    def cast(self, course: Course) -> Cast:
        """Name everybody."""
        self._acts = len(course.acts)
        return self._engine.cast(course)

    def play(self) -> Played:
        """Say that all is done, and do nothing."""
        return Played((Come("done"),) * self._acts)

    def close(self) -> Leaks:
        """Leave nothing behind."""
        return self._engine.close()


class ForgetfulEngine(SilentEngine):
    """Works like the simulator, and after every event forgets each native id that it had stored."""

    def __init__(self, engine: Engine) -> None:
        """Wrap the simulator."""
        super().__init__(engine)
        self._url: str | None = None

    def open(self, config: EngineConfig) -> str | None:
        """Begin, and remember where the database is."""
        self._url = config.database_url
        return self._engine.open(config)

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Do it, and forget."""
        result = self._engine.send(stimulus)
        self._forget()
        return result

    def advance(self, milliseconds: int) -> None:
        """Go on, and forget."""
        self._engine.advance(milliseconds)
        self._forget()

    def _forget(self) -> None:
        engine = create_engine(self._url or "", poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text("UPDATE llm_sessions SET native_session_id = NULL"))

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Answer as the simulator does."""
        return self._engine.quiesce(deadline_ms)

    def query(self, view: ViewName) -> Sequence[Row]:
        """Answer as the simulator does."""
        return self._engine.query(view)

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Answer as the simulator does."""
        self._engine.overwrite(run, native_session_id)

    def kill(self) -> None:
        """End as the simulator does."""
        self._engine.kill()

    def start(self) -> None:
        """Start as the simulator does."""
        self._engine.start()

    def play(self) -> Played:
        """Play as the simulator does: what it forgets is in a database."""
        return self._engine.play()


class MuteEngine(SilentEngine):
    """Plays every course by saying that all of it was done. It claims whatever is asked, as it does nothing anyway."""

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Claim everything."""
        said = self._engine.declare(capabilities)
        return replace(said, capabilities=dict.fromkeys(capabilities, "supported"))
