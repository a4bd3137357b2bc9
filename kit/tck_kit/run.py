"""A run: it shares the scenarios out to workers, gathers what they tell, and grades it.

Each worker is a process of its own with an engine of its own, so a scenario that brings its process down costs that one
scenario: what was left is given to a new worker, a bounded number of times. An interrupt or the end of the time limit
ends the workers; what they have told by then is graded, and the report says that it is not complete.
"""

from __future__ import annotations

import os
import platform
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tck_kit import assets
from tck_kit.catalogue import Catalogue, Selection
from tck_kit.events import Broken, Controlled, Declared, Ended, Event, Finished, Ready, Started, decode
from tck_kit.faults import SuiteFault
from tck_kit.scenarios import Scenario
from tck_kit.worker import Task
from tck_reports import grading, report, verdict
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord, Control, Declaration, Implementation, KitFacts, RunFacts, SpecFacts
from tck_reports.shape import Report

#: How often the scenarios of a broken worker are given to a new one.
MOST_RESTARTS = 3
_MEMORY = Path("/dev/shm")  # noqa: S108 -- below it the run makes a folder of its own, for its user alone
_ROOM = 256 * 1024 * 1024
#: What pytest gives when everything was run, whether or not tests failed.
_PYTEST_DONE = (0, 1)
#: Where pytest and Python would look for configuration of the user's.
_SEALED = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONSTARTUP", "PYTHONWARNINGS", "PYTEST_THEME", "FORCE_COLOR")


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is made. Times are seconds."""

    seed: int
    workers: int
    time_limit: int
    scenario_limit: int
    argv: tuple[str, ...]
    database_url: str | None = None


@dataclass(slots=True)
class _Worker:
    """One worker process and what is known of it."""

    number: int
    process: subprocess.Popen[str]
    wanted: list[Scenario]
    stderr: Path
    current: str | None = None
    finished: bool = False
    broken: str | None = None


@dataclass(slots=True)
class Run:
    """One run, from its start to its report. `watch` is told every event, for a display."""

    catalogue: Catalogue
    selection: Selection
    options: Options
    watch: Callable[[Event], None]
    _records: list[CheckRecord] = field(default_factory=list[CheckRecord])
    _controls: list[Control] = field(default_factory=list[Control])
    _declared: Declared | None = None
    _faults: list[str] = field(default_factory=list[str])
    _restarts: int = 0

    def perform(self) -> Report:
        """Run everything and give the report. Raises `SuiteFault` where nothing can be said at all."""
        started = datetime.now(UTC)
        order = list(self.selection.scenarios)
        random.Random(self.options.seed).shuffle(order)  # noqa: S311 -- an order, no secret
        folder = Path(tempfile.mkdtemp(prefix="session-tck-", dir=memory_folder()))
        cut_short: str | None = None
        try:
            cut_short = self._all(order, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return self._report(started, cut_short)

    def _all(self, order: list[Scenario], folder: Path) -> str | None:
        """Run the scenarios; give the reason where that was cut short."""
        events: queue.Queue[tuple[_Worker, Event | None]] = queue.Queue()
        count = max(1, min(self.options.workers, len(order)))
        workers = [self._start(number, order[number::count], folder, events) for number in range(count)]
        deadline = time.monotonic() + self.options.time_limit
        try:
            while any(not worker.finished for worker in workers):
                left = deadline - time.monotonic()
                if left <= 0:
                    return f"the time limit of {self.options.time_limit} s was reached"
                try:
                    worker, event = events.get(timeout=left)
                except queue.Empty:
                    continue
                replacement = self._take(worker, event, folder, events, len(workers))
                if replacement is not None:
                    workers.append(replacement)
        except KeyboardInterrupt:
            return "interrupted"
        finally:
            for worker in workers:
                _end(worker)
        return None

    def _start(
        self, number: int, wanted: list[Scenario], folder: Path, events: queue.Queue[tuple[_Worker, Event | None]]
    ) -> _Worker:
        place = folder / f"worker-{number}"
        place.mkdir()
        task = Task(
            features=str(self.catalogue.suite.folder.resolve()),
            folder=str(place),
            known=tuple(sorted(one.id.lower() for one in self.catalogue.specification.requirements)),
            wanted=tuple(scenario.id for scenario in wanted),
            seed=self.options.seed,
            version=assets.version(),
            database_url=self.options.database_url,
            scenario_seconds=self.options.scenario_limit,
            lead=number == 0,
        )
        environment = {name: value for name, value in os.environ.items() if name not in _SEALED}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        stderr = place / "stderr"
        with stderr.open("w", encoding="utf-8") as errors:
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
        worker = _Worker(number, process, wanted, stderr)
        if process.stdin is not None:
            process.stdin.write(task.encode())
            process.stdin.close()
        threading.Thread(target=_listen, args=(worker, events), daemon=True).start()
        return worker

    def _take(  # noqa: C901 -- one case per kind of event
        self,
        worker: _Worker,
        event: Event | None,
        folder: Path,
        events: queue.Queue[tuple[_Worker, Event | None]],
        count: int,
    ) -> _Worker | None:
        """Take an event in; give the worker that goes on for one that has broken down."""
        if event is not None:
            self.watch(event)
        match event:
            case Started(id=scenario):
                worker.current = scenario
            case Ended(record=record):
                worker.current = None
                self._records.append(record)
                worker.wanted = [scenario for scenario in worker.wanted if scenario.id != record.id]
            case Declared():
                self._declared = event
            case Controlled(control=control):
                self._controls.append(control)
            case Broken(message=message):
                worker.broken = message
            case Finished(exit_code=code):
                if code not in _PYTEST_DONE:
                    worker.broken = f"pytest ended with exit code {code}"
            case None:
                return self._ended(worker, folder, events, count)
            case Ready():
                pass
        return None

    def _ended(
        self, worker: _Worker, folder: Path, events: queue.Queue[tuple[_Worker, Event | None]], count: int
    ) -> _Worker | None:
        """Say what became of a worker whose output has ended; give one that goes on with what it left."""
        worker.finished = True
        code = worker.process.wait()
        if worker.broken is not None:
            raise SuiteFault(f"a worker cannot go on: {worker.broken}\n{_tail(worker.stderr)}".rstrip())
        if not worker.wanted:
            return None
        if worker.current is not None:
            lost = next(scenario for scenario in worker.wanted if scenario.id == worker.current)
            worker.wanted = [scenario for scenario in worker.wanted if scenario is not lost]
            self._records.append(_fallen(lost, code, _tail(worker.stderr)))
        self._restarts += 1
        if self._restarts > MOST_RESTARTS:
            raise SuiteFault(
                f"workers broke down {self._restarts} times, last with exit code {code}\n{_tail(worker.stderr)}"
            )
        if not worker.wanted:
            return None
        return self._start(count, worker.wanted, folder, events)

    def _report(self, started: datetime, cut_short: str | None) -> Report:
        if self._declared is None and cut_short is None:
            raise SuiteFault("no worker said which engine it drives")
        said = self._declared or Declared("unknown", "unknown", "", "", {})
        graded = grading.grade(
            self.catalogue.entries,
            self._records,
            self.catalogue.expected,
            profiles=self.selection.profiles,
            only=self.selection.only,
            cut_short=cut_short,
        )
        conclusion = verdict.conclude(graded, asked=self.selection.profiles, controls=self._controls)
        spec = self.catalogue.specification
        return report.build(
            kit=KitFacts(assets.version(), assets.suite_digest(self.catalogue.suite.folder)),
            spec=SpecFacts(spec.identifier, spec.version, spec.digest, spec.set_digest),
            implementation=Implementation(said.name, said.version, said.language, said.homepage),
            declared=Declaration(self.selection.profiles, said.capabilities),
            run=RunFacts(
                seed=self.options.seed,
                argv=self.options.argv,
                started=started.isoformat(timespec="milliseconds"),
                finished=datetime.now(UTC).isoformat(timespec="milliseconds"),
                host={"system": platform.system(), "machine": platform.machine(), "python": platform.python_version()},
                workers=self.options.workers,
                transport="in process",
                budgets={"run": float(self.options.time_limit), "scenario": float(self.options.scenario_limit)},
            ),
            grading=graded,
            conclusion=conclusion,
            controls=self._controls,
        )


def memory_folder() -> Path | None:
    """Give a folder in memory where there is one with room: scenarios make and remove thousands of directories."""
    try:
        return _MEMORY if shutil.disk_usage(_MEMORY).free > _ROOM and os.access(_MEMORY, os.W_OK | os.X_OK) else None
    except OSError:
        return None


def _listen(worker: _Worker, events: queue.Queue[tuple[_Worker, Event | None]]) -> None:
    """Read a worker's events until its output ends; a line that is none is the kit's own mistake."""
    if worker.process.stdout is not None:
        for line in worker.process.stdout:
            try:
                events.put((worker, decode(line)))
            except (ValueError, TypeError, KeyError) as fault:
                events.put((worker, Broken(f"it said something that is no event: {fault}")))
    events.put((worker, None))


def _end(worker: _Worker) -> None:
    """End a worker that still runs, and everything that it started."""
    if worker.process.poll() is None:
        os.killpg(worker.process.pid, signal.SIGKILL)
        worker.process.wait()


def _tail(stderr: Path) -> str:
    try:
        return stderr.read_text(encoding="utf-8", errors="replace")[-2000:].strip()
    except OSError:
        return ""


def _fallen(scenario: Scenario, code: int, tail: str) -> CheckRecord:
    """Write down that a scenario brought its worker down: nobody can say whose fault that was, so it is the kit's."""
    return CheckRecord(
        id=scenario.id,
        scenario=scenario.name,
        feature=scenario.place,
        requirements=scenario.requirements,
        outcome=Outcome.ERROR,
        reason=f"the worker process ended with exit code {code} in this scenario. {tail}".strip(),
        blame="kit",
        steps=tuple(f"{step.kind.capitalize()} {step.text}" for step in scenario.steps),
    )
