"""Processes of a peer: run one to its end, and find again what outlives the process that started it.

An engine may put its controller into a session of its own, so that no process group holds everything. What all its
processes have in common is the HOME that no other course has.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tck_driver.errors import EngineTimeoutError

#: How long processes have to end by themselves once the peer has stopped.
GRACE_SECONDS = 5.0
_PROCESSES = Path("/proc")
#: How much of an output is kept; a peer that floods it must not fill the memory of the kit.
_KEPT = 4_000_000


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended, and what it wrote."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Left:
    """A process that is still there."""

    pid: int
    command: str


def run(argv: Sequence[str], *, environment: Mapping[str, str], cwd: Path, seconds: float) -> Finished:
    """Run a process to its end; raises `EngineTimeoutError`, after killing its group, where it takes longer."""
    with start(argv, environment=environment, cwd=cwd) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            kill_group(process.pid)
            process.communicate()
            raise EngineTimeoutError(f"{Path(argv[0]).name} did not end within {seconds:g} s") from None
    return Finished(process.returncode, _text(out), _text(err))


def start(argv: Sequence[str], *, environment: Mapping[str, str], cwd: Path) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own, with this environment and no other."""
    return subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def kill_group(pid: int) -> None:
    """End a process group without warning."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def left_over(home: Path, patience: float = GRACE_SECONDS) -> tuple[Left, ...]:
    """Give the processes with this HOME that do not end within the time; none where the system does not tell."""
    end = time.monotonic() + patience
    while (there := running(home)) and time.monotonic() < end:
        time.sleep(0.05)
    return there


def running(home: Path) -> tuple[Left, ...]:
    """Give the processes with this HOME that are there now."""
    return tuple(left for left in map(_look, _pids()) if left is not None and _is_at(left.pid, home))


def end_all(home: Path) -> None:
    """Kill every process with this HOME, and wait until they are gone."""
    end = time.monotonic() + GRACE_SECONDS
    while (there := running(home)) and time.monotonic() < end:
        for one in there:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
        time.sleep(0.02)


def _pids() -> list[int]:
    try:
        return [int(one.name) for one in _PROCESSES.iterdir() if one.name.isdigit() and int(one.name) != os.getpid()]
    except OSError:
        return []


def _look(pid: int) -> Left | None:
    """Give the process with its command; None for one that has ended and waits for its parent."""
    try:
        command = (_PROCESSES / str(pid) / "cmdline").read_bytes()
    except OSError:
        return None
    return Left(pid, _text(command).replace("\0", " ").strip()) if command else None


def _is_at(pid: int, home: Path) -> bool:
    try:
        environment = (_PROCESSES / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return f"HOME={home}".encode() in environment.split(b"\0")


def _text(data: bytes) -> str:
    return data[-_KEPT:].decode("utf-8", "replace")
