"""One start of the docker command, as its actions get it, and the ways in which it can be refused."""

from __future__ import annotations

from dataclasses import dataclass

from tck_fakes.container import Container
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.errors import DaemonError
from tck_fakes.programs.call import Channel, ProgramCall
from tck_fakes.programs.flags import Words
from tck_fakes.runtime import FakeContainerRuntime


class RefusalError(Exception):
    """The command ends with this text on standard error, and this exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Job:
    """One command with its words read."""

    name: str
    words: Words
    call: ProgramCall
    channel: Channel
    daemon: Daemon

    @property
    def runtime(self) -> FakeContainerRuntime:
        """The containers."""
        return self.daemon.runtime

    def find(self, reference: str) -> Container:
        """Give the container that a word means. Raises `RefusalError`."""
        try:
            return self.daemon.find(reference)
        except DaemonError as error:
            raise RefusalError(f"Error response from daemon: {error}") from None

    def done(self, text: str = "", code: int = 0) -> None:
        """Answer in full."""
        if text:
            self.channel.out(text)
        self.channel.exit(code)
