"""Processes of a peer: run one to its end, and find again what outlives the process that started it.

An engine may put its controller into a session of its own, so that no process group holds everything. What its
processes have in common is the HOME that no other course has, and that they descend from one process of the driver's.
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
    """Run a process to its end; raises `EngineTimeoutError`, after killing what it started, where it takes longer."""
    # Leaving it closes the pipes, whoever else holds their other ends.
    with start(argv, environment=environment, cwd=cwd) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            kill_group(process.pid)
            home = Path(environment.get("HOME", os.devnull))
            # Its own HOME would be that of drivers of other courses too.
            if home.is_dir() and str(home) != os.environ.get("HOME"):
                end_all(home)
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


def left_over(home: Path, patience: float = GRACE_SECONDS, root: int | None = None) -> tuple[Left, ...]:
    """Give the processes that do not end within the time, of those that `running` gives."""
    end = time.monotonic() + patience
    while (there := running(home, root)) and time.monotonic() < end:
        time.sleep(0.05)
    return there


def running(home: Path, root: int | None = None) -> tuple[Left, ...]:
    """Give the processes that have this HOME or descend from `root`; none where the system does not tell."""
    pids = _pids()
    family = set[int]() if root is None else _descendants(root, pids)
    return tuple(
        left for left in map(_look, pids) if left is not None and (left.pid in family or _is_at(left.pid, home))
    )


def end_all(home: Path, root: int | None = None) -> None:
    """Kill every process that `running` gives, and wait until they are gone."""
    end = time.monotonic() + GRACE_SECONDS
    while (there := running(home, root)) and time.monotonic() < end:
        for one in there:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
        time.sleep(0.02)


def _pids() -> list[int]:
    try:
        return [int(one.name) for one in _PROCESSES.iterdir() if one.name.isdigit() and int(one.name) != os.getpid()]
    except OSError:
        return []


def _descendants(root: int, pids: Sequence[int]) -> set[int]:
    """Give those of the processes whose parent is `root`, or has one that is, and so on."""
    parents = {pid: parent_of(pid) for pid in (*pids, os.getpid())}
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}


def parent_of(pid: int) -> int | None:
    """Give the number of a process's parent; None for one that has gone."""
    try:
        told = (_PROCESSES / str(pid) / "stat").read_bytes()
        # The name stands in brackets before, and may hold anything.
        return int(told[told.rindex(b")") + 1 :].split()[1])
    except (OSError, ValueError):
        return None


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
