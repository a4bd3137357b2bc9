"""An agent CLI that the engine starts without a container: it has the caller's home, folder and rights."""

from __future__ import annotations

from tck_fakes.daemon.errors import SIGNALLED
from tck_fakes.direct import HOST, other_user
from tck_fakes.programs.call import Channel, Process, ProgramCall
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.standins.base import KILLED
from tck_simulator.ports import ContainerRequest


class Direct:
    """A running CLI; it ends with the program that stands for it."""

    def __init__(self, runtime: FakeContainerRuntime, container: str, channel: Channel) -> None:
        self._runtime = runtime
        self._container = container
        self._channel = channel
        self._unread = b""

    def out(self, text: str) -> None:
        """Show text of standard output."""
        self._channel.out(text)

    def err(self, text: str) -> None:
        """Show text of standard error."""
        self._channel.err(text)

    def ended(self, exit_code: int) -> None:
        """End as it did; nothing of a process is left to be removed later."""
        self._runtime.remove(self._container)
        self._channel.exit(exit_code)

    def signal(self, number: int) -> None:
        """Die from it."""
        self._runtime.stop(self._container, SIGNALLED + number)

    def gone(self) -> None:
        """Be killed."""
        self._runtime.stop(self._container, KILLED)

    def heard(self, data: bytes) -> None:
        """Hand on what comes, line by line; a last line without an end is one as well."""
        *lines, self._unread = (self._unread + data).split(b"\n")
        if not data and self._unread:
            lines.append(self._unread)
        for line in lines:
            self._runtime.hear(self._container, line.decode("utf-8", "replace"))
        if not data:
            self._runtime.hear(self._container, None)


def begin_direct(
    runtime: FakeContainerRuntime, call: ProgramCall, channel: Channel, *, converses: bool = False
) -> Process:
    """Start the CLI; `converses`: its standard input comes later.

    Its record has no image, which says that there is no container, and the whole host for a mount.
    """
    home = call.environment.get("HOME") or call.cwd
    request = ContainerRequest(
        image="",
        argv=(call.program, *call.argv),
        environment=tuple(call.environment.items()),
        mounts=(HOST,),
        labels=(),
        time_limit_ms=0,
        workdir=call.cwd,
        home=home,
        user=call.user,
        network="host",
        read_only_root=False,
        stdin=call.stdin,
    )
    container = runtime.create(request)
    process = Direct(runtime, container, channel)
    runtime.watch(container, process)
    runtime.begin(container, owner=other_user(call.user), converses=converses)
    return process
