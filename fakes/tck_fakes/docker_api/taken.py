"""Whether whoever is at the other end of a socket has taken what was written to it, and done what follows from that.

Time must not pass while a client has not yet seen what a container did. A client of the API may be the engine itself or
a command that it has started, so there is no word back. The system knows, though: what has been written and not been
read, and whether the other process has anything to do. One whose threads all sleep has drawn its conclusions.
"""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import select
import socket as sockets
import struct
import sys
import termios
import time
from pathlib import Path

#: Seconds after which a process that never rests counts as one that has done what follows.
PATIENCE = 1.0
#: The same for a process that nothing can be learned about.
MOMENT = 0.02
_LINUX = sys.platform == "linux"
_PROC = Path("/proc")
#: States of a thread that can do something without anything coming from outside.
_BUSY = frozenset("RDtT")


def _process(link: sockets.socket) -> int:
    """Give the number of the process that connected, 0 where it is our own or the system does not say."""
    process = 0
    if _LINUX:
        with contextlib.suppress(OSError):
            said = link.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, struct.calcsize("3i"))
            process = int(struct.unpack("3i", said)[0])
    # Whoever asks is awake.
    return 0 if process == os.getpid() else process


class Peer:
    """The other end of one connection."""

    def __init__(self, link: sockets.socket) -> None:
        self._link = link
        self._process = _process(link)
        self._last = time.monotonic()

    def told(self) -> None:
        """Take note that something was written to it, or read from it."""
        self._last = time.monotonic()

    def took(self, resting: dict[int, bool]) -> bool:
        """Say whether it has. `resting` keeps what was found out about a process, for others who ask meanwhile."""
        try:
            if _gone(self._link):
                return True
            if _count(self._link, termios.FIONREAD) or (_LINUX and _count(self._link, termios.TIOCOUTQ)):
                return False
        except (OSError, ValueError):
            return True
        silent = time.monotonic() - self._last
        if not self._process:
            return silent > MOMENT
        if self._process not in resting:
            resting[self._process] = rests(self._process)
        return resting[self._process] or silent > PATIENCE


def _gone(link: sockets.socket) -> bool:
    poll = select.poll()
    poll.register(link, 0)
    return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def _count(link: sockets.socket, what: int) -> int:
    size = array.array("i", [0])
    fcntl.ioctl(link.fileno(), what, size)
    return size[0]


def rests(process: int) -> bool:
    """Say whether every thread of a process sleeps; one that is not there any more rests."""
    try:
        tasks = list((_PROC / str(process) / "task").iterdir())
    except OSError:
        return True
    return not any(_state(task) in _BUSY for task in tasks)


def _state(task: Path) -> str:
    try:
        said = (task / "stat").read_text("latin-1")
    except OSError:
        return "X"
    # The name of the process comes before the state, and may hold anything.
    return said.rpartition(") ")[2][:1]
