"""The process of a driver: started apart from ours, listened to on standard error, and ended with all that it started.

What it started is found by a mark in the environment, which a child inherits whatever process group it is in, by the
session, which a child keeps that was given another environment, and by descent as long as the driver runs.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from tck_driver.errors import DriverError

#: The variable by which whatever a driver starts can be found.
MARK = "SESSION_TCK_DRIVER"
#: How much of standard error is kept, bytes.
KEPT = 16 * 1024
#: Seconds that a process may take to go once it was killed.
_DYING = 2.0


@dataclass(frozen=True, slots=True)
class Command:
    """How a driver is started: its words, the folder, and variables that come on top of the environment.

    One that does not inherit has these variables alone.
    """

    words: tuple[str, ...]
    directory: str
    environment: tuple[tuple[str, str], ...] = ()
    inherits: bool = True


class DriverProcess:
    """A driver that runs, with pipes to its standard streams."""

    def __init__(self, command: Command, first_on_path: Path | None = None) -> None:
        """Start it. Raises `DriverError` where it cannot be started."""
        self._mark = secrets.token_hex(8)
        inherited: dict[str, str] = dict(os.environ) if command.inherits else {}
        environment = {**inherited, **dict(command.environment), MARK: self._mark}
        if first_on_path is not None:
            environment["PATH"] = os.pathsep.join((str(first_on_path), environment.get("PATH", os.defpath)))
        try:
            self._process = subprocess.Popen(
                command.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=command.directory,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
            raise DriverError(
                f"the driver cannot be started: {' '.join(command.words)!r} in {command.directory}: {reason}"
            ) from fault
        self._said = bytearray()
        self._swept = False
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def stdin(self) -> int:
        """The descriptor to write to."""
        return _pipe(self._process.stdin).fileno()

    @property
    def stdout(self) -> int:
        """The descriptor to read from."""
        return _pipe(self._process.stdout).fileno()

    def read(self) -> bytes:
        """Give what it has written to standard output, once there is something; nothing at its end."""
        return os.read(self.stdout, 65536)

    def close_stdin(self) -> None:
        """Say that nothing follows."""
        _close(self._process.stdin)

    def ended(self, seconds: float) -> int | None:
        """Give the exit status once it has ended, waiting so long at most; None while it runs."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def words(self) -> str:
        """Give the end of what it wrote to standard error."""
        self._listener.join(0.1)
        return bytes(self._said[-2000:]).decode("utf-8", "backslashreplace").strip()

    def kill(self) -> None:
        """End it and everything that it started."""
        self.sweep()

    def sweep(self) -> list[str]:
        """End it and everything that it started; give the names of what was still there besides itself."""
        family: list[psutil.Process] = []
        if self._process.poll() is None:
            family = _descendants(self._process.pid)
            self._process.kill()
        self._process.wait()
        left: list[str] = []
        # One that is just being started can be missed once, but not again and again.
        for _ in range(3):
            found = self._relatives()
            left.extend(_end(relative) for relative in found)
            if not found:
                break
        self._swept = True
        for one in family:
            # These neither have the mark nor are of the session.
            _end(one)
        for stream in (self._process.stdin, self._process.stdout):
            _close(stream)
        self._listener.join(1)
        if not self._listener.is_alive():
            _close(self._process.stderr)
        return left

    def _relatives(self) -> list[psutil.Process]:
        """Find what the driver left running, whichever process group it is in."""
        # A session's number is free again once the last process of it has gone, so it is looked at only once.
        return _found(MARK, self._mark, -1 if self._swept else self._process.pid)

    def _listen(self) -> None:
        stream = _pipe(self._process.stderr)
        while True:
            try:
                said = os.read(stream.fileno(), 65536)
            except (OSError, ValueError):
                return
            if not said:
                return
            self._said += said
            del self._said[:-KEPT]


def end_all(variable: str, value: str) -> list[str]:
    """End every process that has this variable in its environment, this one apart; give their names."""
    return [_end(process) for process in _found(variable, value)]


def _found(variable: str, value: str, session: int = -1) -> list[psutil.Process]:
    """Find the processes that have this variable in their environment, or are of this session."""
    mark = f"{variable}={value}"
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            mine = _session(process) == session or _marked(process, mark)
            if mine and process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def _descendants(pid: int) -> list[psutil.Process]:
    """Find what a process that runs has started, and that in turn."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except (psutil.Error, OSError):
        return []


def _session(process: psutil.Process) -> int | None:
    try:
        return os.getsid(process.pid)
    except OSError:
        return None


def _marked(process: psutil.Process, mark: str) -> bool:
    place = Path(f"/proc/{process.pid}/environ")
    if place.exists():
        return mark.encode() in place.read_bytes().split(b"\0")
    name, _, value = mark.partition("=")
    return process.environ().get(name) == value


def _end(process: psutil.Process) -> str:
    """Kill a process, and give its name and number."""
    name = f"process {process.pid}"
    until = time.monotonic() + _DYING
    with contextlib.suppress(psutil.Error):
        name = f"{process.name()} ({process.pid})"
        process.kill()
        # Whoever is its parent by now may take its time to look after it; dead it is all the same.
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < until:
            time.sleep(0.005)
    return name


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise DriverError("the driver was started without its standard streams")
    return stream


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with contextlib.suppress(OSError):
            stream.close()
