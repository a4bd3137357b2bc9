"""Programs that last as long as a container does: attached to it, following its log, or waiting for its end."""

from __future__ import annotations

import signal
from collections.abc import Callable

from tck_fakes.container import Container
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.errors import SIGNALLED
from tck_fakes.programs.call import Channel

_TERMINATION = (signal.SIGINT, signal.SIGTERM)
#: How many of these end even a client that hands them on.
_PATIENCE = 3


class Attached:
    """`docker run` or `docker start --attach`: shows the streams, hands signals on, ends as the container does."""

    def __init__(
        self,
        daemon: Daemon,
        live: Container,
        channel: Channel,
        streams: tuple[str, ...] = (),
        *,
        proxied: bool = True,
    ) -> None:
        self._daemon = daemon
        self._live = live
        self._channel = channel
        self._streams = streams or ("stdout", "stderr")
        self._proxied = proxied
        self._terminations = 0

    def out(self, text: str) -> None:
        """Show text of standard output."""
        if "stdout" in self._streams:
            self._channel.out(text)

    def err(self, text: str) -> None:
        """Show text of standard error."""
        if "stderr" in self._streams:
            self._channel.err(text)

    def ended(self, exit_code: int) -> None:
        """End as the container did."""
        self._channel.exit(exit_code)

    def signal(self, number: int) -> None:
        """Hand a signal on, or die from it."""
        if not self._proxied:
            self._channel.exit(SIGNALLED + number)
            return
        self._daemon.deliver(self._live, number)
        self._terminations += number in _TERMINATION
        if self._terminations == _PATIENCE:
            self._channel.err(f"\ngot {_PATIENCE} SIGTERM/SIGINTs, forcefully exiting\n")
            self._channel.exit(1)

    def gone(self) -> None:
        """Do nothing: a container outlives the client that started it."""

    def heard(self, data: bytes) -> None:
        """Do nothing: standard input was read to its end before the container began."""


class Following:
    """`docker logs --follow` and `docker wait`: look on, and die from any signal."""

    def __init__(self, channel: Channel, ended: Callable[[int], None], *, shows: bool) -> None:
        self._channel = channel
        self._ended = ended
        self._shows = shows

    def out(self, text: str) -> None:
        """Show text of standard output."""
        if self._shows:
            self._channel.out(text)

    def err(self, text: str) -> None:
        """Show text of standard error."""
        if self._shows:
            self._channel.err(text)

    def ended(self, exit_code: int) -> None:
        """Go on to what follows a container's end."""
        self._ended(exit_code)

    def signal(self, number: int) -> None:
        """Die from it."""
        self._channel.exit(SIGNALLED + number)

    def gone(self) -> None:
        """Do nothing: it only looked on."""

    def heard(self, data: bytes) -> None:
        """Do nothing: it has no use for standard input."""
