"""One start of the docker command, as its actions get it, and the ways in which it can be refused."""

from __future__ import annotations

from dataclasses import dataclass, field

from tck_fakes.clock import VirtualClock
from tck_fakes.container import Container
from tck_fakes.programs.call import Channel, ProgramCall
from tck_fakes.programs.flags import Words
from tck_fakes.runtime import FakeContainerRuntime

#: What each text about something that the stand-in lacks begins with, so that nobody takes it for docker's.
UNKNOWN = "session-tck's stand-in for docker does not know"


class RefusalError(Exception):
    """The command ends with this text on standard error, and this exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class UnknownError(Exception):
    """Real docker may do what is asked, and the stand-in does not: the kit's lack, and no fault of the engine's."""


@dataclass(slots=True)
class Services:
    """What all commands work on."""

    runtime: FakeContainerRuntime
    clock: VirtualClock
    unknown: list[str] = field(default_factory=list[str])
    #: Networks, those that are always there and those that were made.
    networks: list[str] = field(default_factory=lambda: ["bridge", "host", "none"])


@dataclass(frozen=True, slots=True)
class Job:
    """One command with its words read."""

    name: str
    words: Words
    call: ProgramCall
    channel: Channel
    services: Services

    @property
    def runtime(self) -> FakeContainerRuntime:
        """The containers."""
        return self.services.runtime

    def find(self, reference: str) -> Container:
        """Give the container that a word means. Raises `RefusalError`."""
        live = self.runtime.look(reference)
        if live is None:
            raise RefusalError(f"Error response from daemon: No such container: {reference}")
        return live

    def done(self, text: str = "", code: int = 0) -> None:
        """Answer in full."""
        if text:
            self.channel.out(text)
        self.channel.exit(code)
