"""Engines that are wrong on purpose: if a scenario lets one of these pass, the scenario is worth nothing.

They go through the same steps before an engine is graded, and what they gave stands in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from tck_driver.configuration import EngineConfig
from tck_driver.engine import Declaration, Engine, Leaks, Quiescence
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, ViewName
from tck_fakes.faults import FAULTS, FaultyEngine


class SilentEngine:
    """Takes every call, says that all is well, and does nothing at all."""

    def __init__(self, engine: Engine) -> None:
        """Keep the real one, only to have its tables made."""
        self._engine = engine

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


@dataclass(frozen=True, slots=True)
class Control:
    """A faulty engine, its sin in one line, and the tags of the scenarios that must notice (none: all)."""

    sin: str
    make: Callable[[Engine], Engine]
    tags: frozenset[str] = frozenset()

    def must_fail(self, tags: Collection[str]) -> bool:
        """Say whether a scenario with these tags must notice the sin."""
        return not self.tags or not self.tags.isdisjoint(tags)


#: The engines that every run begins with.
CONTROLS: Mapping[str, Control] = MappingProxyType(
    {
        "silent": Control("takes every event and does nothing", SilentEngine),
        "forgetful": Control("forgets every native id", ForgetfulEngine, frozenset({"resume-2"})),
    }
)


def spoilt(engine: Engine, name: str) -> Engine:
    """Give the faulty engine of this name: one of `CONTROLS`, a fault, or several faults with `+` between them.

    Raises `KeyError` for a name that there is not.
    """
    if name in CONTROLS:
        return CONTROLS[name].make(engine)
    return FaultyEngine(engine, [FAULTS[one] for one in name.split("+")])


def unknown_fault(name: str) -> str | None:
    """Give what of a faulty engine's name is the name of nothing, None where all of it is known."""
    return None if name in CONTROLS else next((one for one in name.split("+") if one not in FAULTS), None)
