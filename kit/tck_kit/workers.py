"""The worker processes of a run, as the run holds them.

They are started before anything else is done, so that they load while the specification and the scenarios are read.
Each is given scenarios one after the other, so none waits while another still has many.
"""

from __future__ import annotations

import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from tck_driver.process import end_all
from tck_fakes.protection import free
from tck_kit.events import Broken, Event, decode

#: Where pytest and Python would look for configuration of the user's.
_SEALED = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONSTARTUP", "PYTHONWARNINGS", "PYTEST_THEME", "FORCE_COLOR")
#: The variable by which whatever a run has started can be found.
MARK = "SESSION_TCK_RUN"
#: What ends a run from outside.
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MEMORY = Path("/dev/shm")  # noqa: S108 -- below it the run makes a folder of its own, for its user alone
_ROOM = 256 * 1024 * 1024


def memory_folder() -> Path | None:
    """Give a folder in memory where there is one with room: scenarios make and remove thousands of directories."""
    try:
        return _MEMORY if shutil.disk_usage(_MEMORY).free > _ROOM and os.access(_MEMORY, os.W_OK | os.X_OK) else None
    except OSError:
        return None


def clear_after_the_dead() -> None:
    """Remove the folders of commands that were killed before they could: those in memory would stay there."""
    usual = Path(tempfile.gettempdir())
    for place in {memory_folder() or usual, usual}:
        for folder in place.glob("session-tck-[0-9]*-*"):
            number = folder.name.split("-")[2]
            with suppress(OSError):
                # Of a link of somebody else's, what it leads to may well be ours.
                mine = folder.lstat().st_uid == os.getuid() and not folder.is_symlink()
                if mine and number.isdecimal() and not psutil.pid_exists(int(number)):
                    free(folder)
                    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def undisturbed() -> Generator[None]:
    """Let an interrupt wait until the end: one between a process's start and its being known would leave it behind."""
    waiting: list[int] = []
    before = {one: signal.signal(one, lambda number, _: waiting.append(number)) for one in _ENDINGS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    if waiting:
        raise KeyboardInterrupt


@dataclass(slots=True)
class Worker:
    """One worker process and what is known of it. `current` is the scenario that it executes, `since` when it began."""

    number: int
    folder: Path
    process: subprocess.Popen[str]
    current: str | None = None
    since: float = 0.0
    overdue: bool = False
    finished: bool = False
    broken: str | None = None

    def tell(self, line: str) -> None:
        """Write a line to it; one that is gone is found out by its output."""
        if self.process.stdin is None or self.process.stdin.closed:
            return
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.process.stdin = None

    def dismiss(self) -> None:
        """Tell it that there is nothing left to do."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                self.process.stdin = None

    def last_words(self) -> str:
        """Give the end of what it wrote to standard error."""
        try:
            return (self.folder / "stderr").read_text(encoding="utf-8", errors="replace")[-2000:].strip()
        except OSError:
            return ""

    def kill(self) -> None:
        """End it, and everything that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Workers:
    """The workers of a run and the folder that they work in; both are gone when it is left."""

    def __init__(self, count: int) -> None:
        """Prepare for so many workers."""
        self.count = count
        self.all: list[Worker] = []
        self.events: queue.Queue[tuple[Worker, Event | None]] = queue.Queue()
        self.folder = Path()
        #: Takes away what workers have left that were ended before they could do so.
        self.clear: Callable[[], None] | None = None
        self._mark = secrets.token_hex(8)

    def __enter__(self) -> Self:
        """Make the folder and start the processes."""
        clear_after_the_dead()
        self.folder = Path(tempfile.mkdtemp(prefix=f"session-tck-{os.getpid()}-", dir=memory_folder()))
        try:
            for _ in range(self.count):
                self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what still runs, and remove the folder."""
        for worker in self.all:
            worker.kill()
        # A worker that was killed could not end its driver, which may hear of nothing.
        end_all(MARK, self._mark)
        if self.clear is not None:
            self.clear()
        free(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> Worker:
        """Start one process, sealed off from the folder that the run was started in."""
        number = len(self.all)
        place = self.folder / f"worker-{number}"
        place.mkdir()
        environment = {name: value for name, value in os.environ.items() if name not in _SEALED}
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", MARK: self._mark}
        with undisturbed(), (place / "stderr").open("w", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tck_kit.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=place,
                env=environment,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
            worker = Worker(number, place, process)
            self.all.append(worker)
        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()
        return worker

    def _listen(self, worker: Worker) -> None:
        """Read a worker's events until its output ends; a line that is none is the kit's own mistake."""
        if worker.process.stdout is not None:
            for line in worker.process.stdout:
                try:
                    self.events.put((worker, decode(line)))
                except (ValueError, TypeError, KeyError, AttributeError) as fault:
                    self.events.put((worker, Broken(f"it said something that is no event: {fault}")))
        self.events.put((worker, None))
