"""One hunter: lets faulty engines go through scenarios in this process, one engine at a time.

As a program it serves a pool: it is told units over a pipe, and tells each meeting as soon as there is one, so that a
fault which brings the process down costs no more than the scenario that it was in.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from tck_kit import assets
from tck_kit.judging import ScenarioTimeoutError, record
from tck_kit.laboratory import Laboratory
from tck_kit.mutants.unit import Hunted, Meeting, Unit, met
from tck_kit.performance import perform
from tck_kit.scenarios import Scenario
from tck_kit.sources import InProcessSource
from tck_kit.workers import memory_folder

#: A fault lays hands on modules, which a process has once.
_ALONE = threading.Lock()
#: Seconds after which a scenario that has swallowed the word that it is late hears it again.
_AGAIN = 1.0


def _unheard(_scenario: str) -> None:
    """Tell nobody."""


def hunt(unit: Unit) -> Hunted:
    """Do one unit of work, in a folder of its own that goes with it.

    What it gives depends on the unit and on nothing else. It may be called in any thread, and waits for its turn there.
    """
    prefix = f"session-tck-{os.getpid()}-"
    with (
        _ALONE,
        tempfile.TemporaryDirectory(prefix=prefix, dir=memory_folder(), ignore_cleanup_errors=True) as folder,
        Hunter(Path(folder)) as hunter,
    ):
        return Hunted(unit.faults, tuple(hunter.meetings(unit)))


class Hunter:
    """Makes one faulty engine after the other on a database that all of them share, emptied for each scenario."""

    def __init__(self, folder: Path) -> None:
        """Work below this folder."""
        self._folder = folder
        self._count = 0
        self._source: InProcessSource | None = None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the database go."""
        self._let_go()

    def meetings(self, unit: Unit, begun: Callable[[str], None] = _unheard) -> Iterator[Meeting]:
        """Let the engine go through the unit's scenarios; `begun` is told each before it begins."""
        laboratory = self._laboratory(unit)
        for scenario in unit.scenarios:
            begun(scenario.id)
            meeting = _meet(scenario, laboratory, unit)
            yield meeting
            if meeting.kills and not unit.full:
                return
            if meeting.erred or meeting.way == "timeout":
                # Nobody knows in what state this one has left the database.
                self._let_go()
                laboratory = self._laboratory(unit)

    def _laboratory(self, unit: Unit) -> Laboratory:
        self._count += 1
        if self._source is None:
            place = self._folder / f"database-{self._count}"
            place.mkdir(parents=True)
            self._source = InProcessSource(place, assets.version(), None, None)
        self._source.faulty = "+".join(unit.faults)
        return Laboratory(self._folder / f"scenarios-{self._count}", unit.seed, self._source)

    def _let_go(self) -> None:
        if self._source is not None:
            with suppress(Exception):
                self._source.close()
        self._source = None


def _meet(scenario: Scenario, laboratory: Laboratory, unit: Unit) -> Meeting:
    try:
        with limited(unit.patience):
            gave = perform(scenario, laboratory)
    except Exception as fault:  # noqa: BLE001 -- the end of a scenario can go wrong, too, and is judged
        gave = record(scenario, fault, (), duration_ms=0, failed_step=None)
    return met(gave, unit.requirements)


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Raise `ScenarioTimeoutError` in what lies within, should it take longer than this, and again until it ends."""
    if threading.current_thread() is not threading.main_thread():
        with _limited_elsewhere(seconds):
            yield
        return
    previous = signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise ScenarioTimeoutError("the scenario took longer than its time limit")


@contextmanager
def _limited_elsewhere(seconds: float) -> Generator[None]:
    """Do the same in a thread that gets no signals; one that waits outside of Python hears of it afterwards."""
    thread = ctypes.c_ulong(threading.get_ident())
    over, turn = threading.Event(), threading.Lock()

    def watch() -> None:
        patience = seconds
        while not over.wait(patience):
            with turn:
                if not over.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(ScenarioTimeoutError))
            patience = _AGAIN

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        while not over.is_set():
            # What was raised last may arrive only here, where the scenario has ended after all.
            with suppress(ScenarioTimeoutError), turn:
                over.set()
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, None)
        watcher.join()


def main() -> None:
    """Serve the pool at the other end of the pipe whose number is the first argument, in the folder of the second."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pool = Connection(int(sys.argv[1]))
    with Hunter(Path(sys.argv[2])) as hunter:
        pool.send(None)
        while True:
            try:
                unit: Unit = pool.recv()
            except EOFError:
                return
            for meeting in hunter.meetings(unit, pool.send):
                pool.send(meeting)
            pool.send(None)


if __name__ == "__main__":
    main()
