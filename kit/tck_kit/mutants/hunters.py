"""Several hunters at once, each a process of its own: none of them is lost sight of, however it ends.

A hunter that dies in a scenario has met that one: the fault is named, and goes on with the next scenario in another
process. One that hangs beyond its own time limit is ended, and that counts as the judging says of a scenario that is
late.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Self

from tck_kit.faults import SuiteFault
from tck_kit.judging import ScenarioTimeoutError, record
from tck_kit.mutants.unit import Hunted, Meeting, Unit, met
from tck_kit.workers import undisturbed
from tck_reports.outcomes import Outcome

#: Seconds that a scenario has to end after its time limit.
GRACE = 5.0
#: How many processes may end without having met anything before the hunt gives up.
MOST_BREAKDOWNS = 3

Heard = Callable[[Hunted], None]


@dataclass(slots=True)
class _Job:
    """A unit in work, and what has come of it so far."""

    unit: Unit
    meetings: list[Meeting] = field(default_factory=list[Meeting])

    @property
    def hunted(self) -> Hunted:
        return Hunted(self.unit.faults, tuple(self.meetings))

    @property
    def rest(self) -> Unit:
        return replace(self.unit, scenarios=self.unit.scenarios[len(self.meetings) :])

    @property
    def settled(self) -> bool:
        killed = not self.unit.full and any(meeting.kills for meeting in self.meetings)
        return killed or len(self.meetings) == len(self.unit.scenarios)


@dataclass(slots=True)
class _Process:
    """A hunter as its pool holds it. `scenario` is the one that it is in, `since` when that began."""

    process: subprocess.Popen[bytes]
    pipe: Connection
    errors: Path
    ready: bool = False
    job: _Job | None = None
    scenario: str | None = None
    since: float = 0.0
    overdue: bool = False

    def last_words(self) -> str:
        return self.errors.read_text(encoding="utf-8", errors="replace")[-2000:].strip()

    def kill(self) -> int:
        self.process.kill()
        self.pipe.close()
        return self.process.wait()


class Hunters:
    """A pool of hunters in a folder; all of them are gone when it is left."""

    def __init__(self, count: int, folder: Path) -> None:
        """Prepare for so many processes."""
        self._count = count
        self._folder = folder
        self._started = 0
        self._breakdowns = 0
        self._all: list[_Process] = []
        self._waiting: deque[_Job] = deque()

    def __enter__(self) -> Self:
        """Start the processes, so that they load while units are made."""
        try:
            for _ in range(self._count):
                self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what still runs."""
        for hunter in self._all:
            hunter.kill()
        self._all.clear()

    def hunt(self, units: Iterable[Unit], until: float, heard: Heard) -> tuple[tuple[Hunted, ...], str | None]:
        """Do all units; give what came of them, and whether `until` (monotonic) or an interrupt cut that short.

        `heard` is told each unit that is done. What a unit had met when it was cut short is not lost.
        """
        done: list[Hunted] = []
        self._waiting.extend(_Job(unit) for unit in units)

        def finish(job: _Job) -> None:
            done.append(job.hunted)
            heard(done[-1])

        cut_short: str | None = None
        try:
            while self._go_on():
                if time.monotonic() > until:
                    cut_short = "the time limit was reached"
                    break
                self._end_overdue()
                for pipe in wait([hunter.pipe for hunter in self._all], timeout=0.5):
                    self._listen(next(hunter for hunter in self._all if hunter.pipe is pipe), finish)
        except KeyboardInterrupt:
            cut_short = "interrupted"
        done.extend(hunter.job.hunted for hunter in self._all if hunter.job is not None and hunter.job.meetings)
        done.extend(job.hunted for job in self._waiting if job.meetings)
        return tuple(done), cut_short

    def _go_on(self) -> bool:
        """Hand out what waits to whoever is free; say whether anything is still to come."""
        for hunter in self._all:
            if hunter.ready and hunter.job is None and self._waiting:
                hunter.job = self._waiting.popleft()
                hunter.scenario, hunter.since = None, time.monotonic()
                try:
                    hunter.pipe.send(hunter.job.rest)
                except OSError:
                    continue  # it has gone, which its pipe will say
        return bool(self._waiting) or any(hunter.job is not None for hunter in self._all)

    def _end_overdue(self) -> None:
        for hunter in self._all:
            if hunter.job is not None and time.monotonic() - hunter.since > hunter.job.unit.patience + GRACE:
                hunter.overdue = True
                hunter.process.kill()

    def _listen(self, hunter: _Process, finish: Callable[[_Job], None]) -> None:
        """Take in one thing that a hunter says: nothing, the scenario that it begins, what it has met, or its end."""
        try:
            said: object = hunter.pipe.recv()
        except (EOFError, OSError):
            self._bury(hunter, finish)
            return
        if isinstance(said, str):
            hunter.scenario, hunter.since = said, time.monotonic()
        elif isinstance(said, Meeting) and hunter.job is not None:
            hunter.scenario, hunter.since = None, time.monotonic()
            hunter.job.meetings.append(said)
        elif hunter.job is not None:
            job, hunter.job = hunter.job, None
            finish(job)
        else:
            hunter.ready = True

    def _bury(self, hunter: _Process, finish: Callable[[_Job], None]) -> None:
        """Write down what became of a hunter that has ended, and start another one for what it left."""
        self._all.remove(hunter)
        words = hunter.last_words()
        code = hunter.kill()
        job = hunter.job
        if job is None or hunter.scenario is None:
            self._breakdowns += 1
            if self._breakdowns >= MOST_BREAKDOWNS:
                raise SuiteFault(f"hunters break down, last with exit code {code}\n{words}".rstrip())
        else:
            job.meetings.append(_end(job, overdue=hunter.overdue, code=code, words=words))
        if job is not None and job.settled:
            finish(job)
        elif job is not None:
            self._waiting.appendleft(job)
        self._start()

    def _start(self) -> None:
        self._started += 1
        place = self._folder / f"hunter-{self._started}"
        place.mkdir(parents=True)
        errors = self._folder / f"hunter-{self._started}.stderr"
        ours, theirs = multiprocessing.Pipe()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
        with undisturbed(), theirs, errors.open("wb") as sink:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tck_kit.mutants.hunter", str(theirs.fileno()), str(place)],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                env=environment,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            self._all.append(_Process(process, ours, errors))


def _end(job: _Job, *, overdue: bool, code: int, words: str) -> Meeting:
    """Say what a scenario has come to whose process is gone."""
    scenario = job.rest.scenarios[0]
    if overdue:
        late = ScenarioTimeoutError("the scenario never ended, and its process was ended")
        return met(record(scenario, late, (), duration_ms=0, failed_step=None))
    reason = f"the process ended with exit code {code} in this scenario. {words}".strip()
    return Meeting(scenario.id, Outcome.ERROR, "kit", reason)
