"""All stand-in programs of a scenario, by the names that an engine starts them with."""

from __future__ import annotations

from dataclasses import replace

from tck_fakes.clock import VirtualClock
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.errors import REFUSED
from tck_fakes.programs.call import Channel, Over, Process, ProgramCall
from tck_fakes.programs.direct import begin_direct
from tck_fakes.programs.docker import Docker
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.standins.base import KILLED
from tck_fakes.standins.dialogues import converses
from tck_fakes.standins.programs import PROGRAMS

#: The names under which stand-ins are found on an engine's PATH.
NAMES: tuple[str, ...] = ("docker", *PROGRAMS)


class _Tracked:
    """A channel that is remembered until its program ends."""

    def __init__(self, channel: Channel, open_ones: set[_Tracked]) -> None:
        self._channel = channel
        self._open = open_ones
        open_ones.add(self)

    def out(self, text: str) -> None:
        """Write to standard output."""
        self._channel.out(text)

    def err(self, text: str) -> None:
        """Write to standard error."""
        self._channel.err(text)

    def exit(self, code: int) -> None:
        """End the program."""
        self._open.discard(self)
        self._channel.exit(code)


def _clean(text: str) -> str:
    """Give a text without the bytes that are no UTF-8, as docker and the CLIs read it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class Programs:
    """Begins what an engine starts. `unknown` holds what a stand-in could not do: the kit's lack, not the engine's."""

    def __init__(self, runtime: FakeContainerRuntime, clock: VirtualClock) -> None:
        #: What the docker program and docker's API have in common.
        self.daemon = Daemon(runtime, clock)
        self._docker = Docker(self.daemon)
        self._open: set[_Tracked] = set()

    @property
    def unknown(self) -> list[str]:
        """What was asked of the stand-ins and is not in them, in order."""
        return self.daemon.unknown

    def wants_stdin(self, call: ProgramCall) -> bool:
        """Tell whether a program reads its standard input before it begins."""
        return self._docker.wants_stdin(call) if call.program == "docker" else not call.terminal

    def converses(self, call: ProgramCall) -> bool:
        """Tell whether a program begins at once, and is given its standard input as it comes."""
        return converses(call.program, call.argv)

    def begin(self, call: ProgramCall, channel: Channel) -> Process:
        """Begin a program. What it puts out and its end go to the channel, now or later."""
        channel = _Tracked(channel, self._open)
        call = replace(
            call,
            argv=tuple(_clean(word) for word in call.argv),
            environment={_clean(name): _clean(value) for name, value in call.environment.items()},
            stdin=_clean(call.stdin),
        )
        if call.program == "docker":
            return self._docker.begin(call, channel)
        if call.program in PROGRAMS:
            return begin_direct(self.daemon.runtime, call, channel, converses=self.converses(call))
        self.unknown.append(f"the program {call.program}")
        channel.err(f"session-tck has no stand-in for {call.program}\n")
        channel.exit(REFUSED)
        return Over()

    def close(self) -> None:
        """End every program that still runs: the scenario is over."""
        for channel in list(self._open):
            channel.err("session-tck: the scenario is over\n")
            channel.exit(KILLED)
        self.daemon.close()
