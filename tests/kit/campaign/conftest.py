"""A scheduler and workers of dask as separate processes on loopback, and a place for what is seen of a campaign."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from tck_kit.campaign.units import Ended

#: Where `tests.kit.campaign.errands` is found from.
ROOT = str(Path(__file__).resolve().parents[3])
LOOPBACK = "127.0.0.1"


@dataclass
class Seen:
    """What a watcher was told."""

    names: list[str] = field(default_factory=list[str])
    texts: list[str] = field(default_factory=list[str])

    def ended(self, unit: Ended[Any], done: int, total: int) -> None:
        assert done == len(self.names) + 1 <= total
        self.names.append(unit.name)

    def told(self, text: str) -> None:
        self.texts.append(text)


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture(autouse=True)
def _errands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every process that is started find the errands under the name that they have here."""
    monkeypatch.setenv("PYTHONPATH", ROOT)


def until(holds: Callable[[], object], what: str) -> None:
    """Wait until something holds, which is a matter of moments."""
    latest = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < latest, f"waited a minute for {what}"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Say whether a process has ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@dataclass
class Dask:
    """A scheduler and its workers."""

    address: str
    folder: Path
    processes: list[subprocess.Popen[bytes]]

    def worker(self, *options: str, **variables: str) -> int:
        """Start a worker of one thread, and give its process."""
        words = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60", *options)
        process = _dask("worker", self.folder, self.address, *words, **variables)
        self.processes.append(process)
        return process.pid

    def kill(self, pid: int) -> None:
        """Kill one of them without a word."""
        process = next(one for one in self.processes if one.pid == pid)
        process.send_signal(signal.SIGKILL)
        process.wait()


def _dask(kind: str, folder: Path, *words: str, **variables: str) -> subprocess.Popen[bytes]:
    with (folder / f"{kind}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words, "--host", LOOPBACK],
            cwd=folder,
            env={**os.environ, **variables},
            stdout=log,
            stderr=log,
        )


@contextmanager
def scheduler(folder: Path) -> Generator[Dask]:
    """Start a scheduler without workers; it and all workers that were started are gone afterwards."""
    written = folder / "scheduler.json"
    words = ("--port", "0", "--no-dashboard", "--dashboard-address", f"{LOOPBACK}:0", "--scheduler-file", str(written))
    process = _dask("scheduler", folder, *words)
    processes = [process]
    try:
        until(lambda: _address(written), "its address")
        yield Dask(_address(written), folder, processes)
    finally:
        for one in processes:
            one.kill()
        for one in processes:
            one.wait()


def _address(written: Path) -> str:
    try:
        return str(json.loads(written.read_text(encoding="utf-8"))["address"])
    except (OSError, ValueError, KeyError):
        return ""


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Generator[Dask]:
    """A scheduler with a worker of one thread."""
    with scheduler(tmp_path_factory.mktemp("dask")) as started:
        started.worker(PYTHONPATH=ROOT)
        yield started
