"""A scenario that is served to real processes: the stand-ins in a folder, and the kit listening behind them."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tck_fakes.programs.install import install
from tck_fakes.programs.listener import ProgramListener
from tck_fakes.programs.programs import Programs

from .box import Box

#: How long anything may take before a test gives up; no test waits so long unless something is broken.
PATIENCE = 30


def until(true: Callable[[], object], what: str) -> None:
    """Wait until something has become true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"it never came to this: {what}"
        time.sleep(0.002)


@dataclass(slots=True)
class Outside:
    """What a process outside sees of a box."""

    box: Box
    folder: Path
    socket: Path
    lock: threading.RLock = field(default_factory=threading.RLock)
    programs: Programs | None = field(init=False)
    listener: ProgramListener = field(init=False)

    def __post_init__(self) -> None:
        self.programs = Programs(self.box.runtime, self.box.clock)
        self.listener = ProgramListener(self.socket, lambda: self.programs, self.lock)
        install(self.folder, self.socket)
        self.listener.start()

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return {"PATH": f"{self.folder}:{os.environ['PATH']}", "LANG": "C", **more}

    def start(self, *argv: str | bytes, stdin: int = subprocess.DEVNULL, **more: str) -> subprocess.Popen[str]:
        """Start a program and do not wait for it."""
        return subprocess.Popen(
            argv,
            env=self.environment(more),
            cwd=self.box.root,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *argv: str | bytes, stdin: str | None = None, **more: str) -> tuple[int, str, str]:
        """Run a program to its end."""
        done = subprocess.run(
            argv,
            env=self.environment(more),
            cwd=self.box.root,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def docker(self, words: str, stdin: str | None = None) -> tuple[int, str, str]:
        return self.run("docker", *shlex.split(words), stdin=stdin)

    def parked(self, name: str) -> None:
        """Wait until a container stands still."""

        def stands() -> bool:
            with self.lock:
                return self.box.runtime.parked(name)

        until(stands, f"{name} stands still")
