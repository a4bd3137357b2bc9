"""A place that an agent can be started in without reaching anything, or anybody, outside of it.

On Linux that is a network with loopback alone, and a file system in which the caller's home, the sockets of the
machine's services and everybody's temporary files are not there. Where the system cannot do so, it is said in one line;
the agent then still has its own environment, HOME and user, and nothing that it was configured with leads outside.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import pwd
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from tck_kit.probe import network

CLOSED = "network namespace with loopback alone"
#: Whom an agent runs as where we are root: nobody else, so that what is read-only for others is so for it.
ORDINARY = 12345
#: Seconds for the namespaces to be made.
_PATIENCE = 10.0
#: What the holder and whoever enters find programs by; they need none.
_NO_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8"}
#: Places that may hold sockets, credentials, settings or notes of the machine's people, and the mode of what is there
#: instead: where anybody may write, an agent may.
_HIDDEN = {
    "/home": 0o755,
    "/root": 0o755,
    "/run": 0o755,
    "/tmp": 0o1777,  # noqa: S108 -- hidden from the agent, not used
    "/var/tmp": 0o1777,  # noqa: S108 -- the same
    "/dev/shm": 0o1777,  # noqa: S108 -- the same
    "/etc/claude-code": 0o755,
    "/etc/codex": 0o755,
    "/etc/opencode": 0o755,
    "/etc/github-copilot": 0o755,
}
#: How to have it closed where it was not.
_WAY = "root may, and others where users get namespaces"
#: What an agent's programs need; a home that holds one of these is not hidden.
_SYSTEM = ("/usr", "/bin", "/lib", "/etc", "/dev", "/proc", "/sys")
#: Programs of systems that keep them in places that are hidden.
_PROGRAMS = ("/run/current-system", "/run/wrappers", "/home/linuxbrew")


@dataclass(frozen=True, slots=True)
class Closure:
    """What of the outside world an agent cannot reach. Each is a sentence for a report.

    `closed` is `CLOSED`, or "not closed: " and why; `hidden` says the same of the caller's files.
    """

    closed: str
    hidden: str

    @property
    def network(self) -> bool:
        """Whether nothing but loopback can be reached."""
        return self.closed == CLOSED


class LeftError(Exception):
    """Something was to be started in a place that has been left, or that broke down."""


class Running(Protocol):
    """What runs inside, and has to end with it."""

    def end(self) -> object:
        """End it, with everything that it started."""
        ...


class Seal:
    """The place itself, for as long as it is entered.

    `keep` names what must be seen inside, (path, writable). `doomed` is a folder that the caller is going to remove; it
    is removed in the caller's stead where that is killed before. `ordinary` is whom an agent runs as where we are root.
    """

    def __init__(
        self, keep: Iterable[tuple[Path, bool]] = (), doomed: Path | None = None, ordinary: int = ORDINARY
    ) -> None:
        self._keep = tuple(_named(keep))
        self._doomed = doomed
        self._holder: subprocess.Popen[bytes] | None = None
        self._talk: socket.socket | None = None
        self._namespaces: tuple[str, ...] = ()
        self._left = True
        #: What runs inside at the moment.
        self.running: set[Running] = set()
        self._lock = threading.Lock()
        self.closure = Closure("not closed: it is not entered", "not hidden: it is not entered")
        self.user, self.group = (ordinary, ordinary) if _may_become_others() else (os.geteuid(), os.getegid())

    @property
    def closed(self) -> str:
        """What is closed of the network, in one line."""
        return self.closure.closed

    @property
    def runs_as(self) -> str:
        """Whom an agent runs as, in one line."""
        if self.user == 0:
            return "root, which may not become anybody else here: what is read-only is not so for it"
        return f"an ordinary user ({self.user})"

    @property
    def holder(self) -> int | None:
        """The number of the process that holds the place, None where there is none."""
        return None if self._holder is None else self._holder.pid

    def __enter__(self) -> Self:
        """Make the namespaces."""
        self.closure = self._made()
        self._left = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let them go, with everything that is still in there; whoever waits for it in another thread waits no more."""
        self._left = True
        for process in tuple(self.running):
            process.end()
        if self._talk is not None:
            with contextlib.suppress(OSError):
                self._talk.sendall(struct.pack(network.PORT, network.FAREWELL))
            self._talk.close()
        if self._holder is not None:
            try:
                self._holder.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._holder.kill()
                self._holder.wait()
        self._holder = self._talk = None
        self._namespaces = ()

    def bound(self, port: int) -> socket.socket:
        """Give a socket at a port of 127.0.0.1 inside, 0 for a free one; it does not listen yet."""
        if self._left:
            raise OSError(errno.ESHUTDOWN, os.strerror(errno.ESHUTDOWN), f"127.0.0.1:{port}")
        if self._talk is None or not self._namespaces:
            return network.bound(port)
        with self._lock:
            self._talk.sendall(struct.pack(network.PORT, port))
            said, descriptors, _, _ = socket.recv_fds(self._talk, 16, 1)
        if not descriptors:
            number = int(said[1:] or errno.EPIPE)
            raise OSError(number, os.strerror(number), f"127.0.0.1:{port}")
        return socket.socket(fileno=descriptors[0])

    def words(self, report: int, directory: Path, program: tuple[str, ...]) -> list[str]:
        """Give the words that go inside and become the program; what hinders them is written to `report`.

        Raises `LeftError` where there is no inside any more: nothing may ever be started outside instead.
        """
        if self._left or (self._holder is not None and self._holder.poll() is not None):
            raise LeftError("the sealed place has been left")
        holder = 0 if self._holder is None else self._holder.pid
        numbers = (str(number) for number in (report, self.user, self.group, holder))
        return [*_python("enter"), *numbers, ",".join(self._namespaces), str(directory), *program]

    def own(self, *paths: Path) -> None:
        """Give files, and folders with all that is in them, to whom the agent runs as."""
        if self.user != os.geteuid():
            for path in paths:
                _given(path, self.user, self.group)

    def disown(self, *paths: Path) -> None:
        """Take them back."""
        if self.user != os.geteuid():
            for path in paths:
                _given(path, os.geteuid(), os.getegid())

    def _made(self) -> Closure:
        if not sys.platform.startswith("linux"):
            return Closure(f"not closed: {sys.platform} has no network namespaces", "not hidden: the same")
        ours, theirs = socket.socketpair()
        with theirs:
            self._holder = subprocess.Popen(
                [*_python("hold"), str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_NO_ENVIRONMENT,
                cwd="/",
                start_new_session=True,
            )
        self._talk = ours
        ours.settimeout(_PATIENCE)
        doomed = "" if self._doomed is None else str(self._doomed)
        asked = {"hide": _hideable(), "keep": self._keep, "doomed": doomed}
        try:
            ours.sendall((json.dumps(asked) + "\n").encode())
            told = json.loads(_line(ours))
        except (OSError, ValueError) as fault:
            self._holder.kill()
            self._holder.wait()
            self._holder = None
            return Closure(f"not closed: what holds the namespaces broke down: {fault}", "not hidden: the same")
        self._namespaces = tuple(told["namespaces"])
        if not self._namespaces:
            return Closure(f"not closed: {told['why']} ({_WAY})", "not hidden: the same")
        unhidden = told["unhidden"]
        return Closure(
            CLOSED,
            f"not hidden: {unhidden}" if unhidden else "homes, /run and temporary folders are hidden",
        )


@contextmanager
def sealed(keep: Iterable[tuple[Path, bool]] = ()) -> Generator[Seal]:
    """Give a place that is closed as far as the system can; it goes at the end with everything that runs in it."""
    with Seal(keep) as seal:
        yield seal


def _given(path: Path, user: int, group: int) -> None:
    """Give a path and all below it to a user; no link is followed, even one that is put there meanwhile."""
    os.chown(path, user, group, follow_symlinks=False)
    for _, folders, files, descriptor in os.fwalk(path, follow_symlinks=False):
        for name in (*folders, *files):
            with contextlib.suppress(FileNotFoundError):
                os.chown(name, user, group, dir_fd=descriptor, follow_symlinks=False)


def _python(mode: str) -> tuple[str, ...]:
    """Start the other program: its own interpreter, and nothing of site-packages or of the caller's variables."""
    return (os.path.realpath(sys.executable), "-I", "-S", str(Path(network.__file__).resolve()), mode)


def _line(talk: socket.socket) -> str:
    told = b""
    while not told.endswith(b"\n"):
        part = talk.recv(4096)
        if not part:
            raise OSError("it ended without an answer")
        told += part
    return told.decode()


def _named(keep: Iterable[tuple[Path, bool]]) -> Iterator[tuple[str, bool]]:
    """Give each path as it is written and as it really is: a link on the way may be hidden, or what it leads to."""
    needed = (*(Path(path) for path in _PROGRAMS), *_ours())
    for path, writable in (*keep, *((path, False) for path in needed)):
        for name in dict.fromkeys((path.absolute(), path.resolve())):
            if name.exists():
                yield str(name), writable


def _ours() -> Iterator[Path]:
    """Give what the program that enters is made of: it is read after the caller's files have been hidden."""
    yield Path(network.__file__).resolve()
    yield Path(os.path.realpath(sys.executable))
    yield Path(sys.base_prefix)


def _homes() -> Iterator[str]:
    yield os.environ.get("HOME", "")
    yield str(Path(os.environ["HOME"]).resolve()) if os.environ.get("HOME") else ""
    with contextlib.suppress(KeyError):
        yield pwd.getpwuid(os.geteuid()).pw_dir


def _hideable() -> list[tuple[str, int]]:
    """Give the folders to be hidden with their modes: outermost only, and none that the system itself lies in."""
    modes = {os.path.realpath(each): 0o755 for each in _homes() if each}
    modes |= {os.path.realpath(place): mode for place, mode in _HIDDEN.items()}
    found: dict[str, int] = {}
    for place in sorted(modes, key=len):
        within = any(place.startswith(f"{other}/") for other in found)
        needed = any(f"{system}/".startswith(f"{place.rstrip('/')}/") for system in _SYSTEM)
        if Path(place).is_dir() and not within and not needed:
            found[place] = modes[place]
    return list(found.items())


def _may_become_others() -> bool:
    """Say whether we are root with the privileges that it takes to hand files to another user and to become it."""
    if os.geteuid() != 0:
        return False
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return True
    effective = int(next(line for line in status.splitlines() if line.startswith("CapEff:")).split()[1], 16)
    wanted = (1 << 0) | (1 << 6) | (1 << 7)  # CAP_CHOWN, CAP_SETGID, CAP_SETUID
    return effective & wanted == wanted
