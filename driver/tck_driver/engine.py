"""How the kit holds an engine: start it, stimulate it, ask it, stop it.

The reference simulator implements this in process; any other engine is reached through a driver that speaks the same
calls over a wire. A step never knows which of them it drives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tck_driver.capabilities import Support
from tck_driver.courses import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_driver.configuration import EngineConfig
    from tck_driver.courses import Cast, Course, Played
    from tck_driver.stimuli import Stimulus, StimulusResult
    from tck_driver.views import Row, ViewName


@dataclass(frozen=True, slots=True)
class Declaration:
    """What an engine says of itself: name, version (never a branch name), language, and each capability asked.

    `policy` is how an engine resumes that plays courses itself; for an engine of mailboxes it is None.
    """

    name: str
    version: str
    language: str
    homepage: str = ""
    capabilities: Mapping[str, Support] = field(default_factory=dict[str, Support])
    policy: Policy | None = None


@dataclass(frozen=True, slots=True)
class Quiescence:
    """The anchor for "never happens": idle, or what is still under way."""

    idle: bool
    pending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaks:
    """What an engine left behind at the end of a scenario, by its own account."""

    runs: tuple[str, ...] = ()


class MailboxEngine(Protocol):
    """An engine that is told what happens to issues and merge requests, one thing at a time.

    Calls raise `EngineError`, `UnsupportedError`, `UntestableError` or `DriverError`, and nothing else.
    """

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Say who it is and which of these capabilities it supports."""
        ...

    def open(self, config: EngineConfig) -> str | None:
        """Begin a scenario with an empty engine; give the engine's error text where it refuses the configuration."""
        ...

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Let something happen, and go on until the engine waits for the outside world again."""
        ...

    def advance(self, milliseconds: int) -> None:
        """Let time pass. Every deadline within that time takes effect, in order."""
        ...

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Wait until nothing is under way, or the deadline passes."""
        ...

    def query(self, view: ViewName) -> Sequence[Row]:
        """Give the rows of one view."""
        ...

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Overwrite a stored native id past the engine's own checks, where the kit cannot reach its database."""
        ...

    def kill(self) -> None:
        """End the engine without warning, as a power cut would."""
        ...

    def start(self) -> str | None:
        """Start it again on the state that it left; give its error text where it refuses its configuration."""
        ...

    def close(self) -> Leaks:
        """End the scenario."""
        ...


class Engine(MailboxEngine, Protocol):
    """An engine under test, as steps hold it. Which of its calls are of use, its declaration says.

    One that has declared a policy is cast and plays; any other one is opened and sent stimuli.
    """

    def cast(self, course: Course) -> Cast:
        """Begin a scenario with an empty engine that is to play this course, and say whose starts of a CLI will come.

        Called in place of `open`, of an engine that has declared a policy.
        """
        ...

    def play(self) -> Played:
        """Play the course to its end, and say what came of each act."""
        ...
