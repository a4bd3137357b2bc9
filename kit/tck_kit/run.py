"""A run: it hands the scenarios to the workers, gathers what they tell, and grades it.

Each worker is a process of its own with an engine of its own, so a scenario that brings its process down costs that one
scenario: another worker is started and goes on, a bounded number of times. An interrupt or the end of the time limit
ends the workers; what they have told by then is graded, and the report says that it is not complete.
"""

from __future__ import annotations

import platform
import queue
import random
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tck_driver.connection import About
from tck_kit import assets, surroundings
from tck_kit.catalogue import Catalogue, Selection
from tck_kit.controls import Trial, drawn, seen, trials
from tck_kit.driver_keeper import Introduction
from tck_kit.engine_choice import EngineChoice
from tck_kit.events import Broken, Controlled, Declared, Ended, Event, Finished, Misbehaved, Ready, Started
from tck_kit.faults import DriverFault, SuiteFault, UsageFault
from tck_kit.real_containers import RealContainers
from tck_kit.retries import Retries
from tck_kit.scenarios import Scenario, write_suite
from tck_kit.shards import elsewhere
from tck_kit.task import Task
from tck_kit.trace.of_run import Recorded, Retold
from tck_kit.workers import Worker, Workers
from tck_reports import grading, report, verdict
from tck_reports.baseline.applying import Ground, apply_baseline
from tck_reports.baseline.entries import Baseline
from tck_reports.outcomes import Outcome
from tck_reports.records import (
    Artifact,
    CheckRecord,
    Control,
    Declaration,
    Implementation,
    KitFacts,
    RunFacts,
    Shard,
    SpecFacts,
    Surroundings,
    UsedBaseline,
)
from tck_reports.shape import Report

#: Where a run keeps the scenarios as its workers are to read them.
FEATURES = "features"
#: How many scenarios a worker has in hand: one that it executes, and one so that it need not wait for the next.
IN_HAND = 2
#: Seconds that a scenario has to end after its time limit.
GRACE = 10
#: How many workers may break down before the run gives up.
MOST_RESTARTS = 3


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is made. Times are seconds."""

    seed: int
    time_limit: int
    scenario_limit: int
    argv: tuple[str, ...]
    thorough: bool = False
    database_url: str | None = None
    engine: EngineChoice = field(default_factory=EngineChoice)
    #: What the driver said of itself before the run.
    introduced: Introduction | None = None
    #: What the driver is expected to declare, by capability: supported, unsupported or undeclared.
    expected_capabilities: Mapping[str, str] = field(default_factory=dict[str, str])
    #: Real containers for the simulator, where they are asked for.
    containers: RealContainers | None = None
    #: Which part of the scenarios is run, for the report; None for all of them.
    shard: Shard | None = None
    #: Known failures, where there is a list of them.
    baseline: Baseline | None = None
    #: How often a scenario that has failed is tried again.
    retries: int = 0
    #: Where to write what every scenario asked and was given; None for nowhere.
    trace: Path | None = None
    #: What was recorded of another run, to be judged in the place of an engine.
    retold: Retold | None = None


@dataclass(slots=True)
class Run:
    """One run, from its start to its report. `watch` is told every event, for a display."""

    catalogue: Catalogue
    selection: Selection
    options: Options
    workers: Workers
    watch: Callable[[Event], None]
    _waiting: deque[Scenario] = field(default_factory=deque[Scenario])
    _handed: dict[int, list[Scenario]] = field(default_factory=dict[int, list[Scenario]])
    #: What each try of a scenario gave.
    _records: list[CheckRecord] = field(default_factory=list[CheckRecord])
    #: What is tried again once nothing else is left, and the workers that wait for that.
    _again: deque[Scenario] = field(default_factory=deque[Scenario])
    _retries: Retries = field(default_factory=Retries)
    _ready: list[Worker] = field(default_factory=list[Worker])
    #: What known-bad engines go through, and what each gave there, by its name.
    _trials: tuple[Trial, ...] = ()
    _faults: tuple[str, ...] = ()
    _tried: dict[str, Controlled] = field(default_factory=dict[str, Controlled])
    _declared: Declared | None = None
    _lead: int = 0
    _restarts: int = 0
    #: How many real containers the workers say that they have started.
    _started: int = 0
    #: What drivers did wrong outside of any scenario.
    _misdeeds: list[str] = field(default_factory=list[str])

    def perform(self) -> Report:
        """Run everything and give the report. Raises `SuiteFault` where nothing can be said at all."""
        started = datetime.now(UTC)
        order = list(self.selection.scenarios)
        random.Random(self.options.seed).shuffle(order)  # noqa: S311 -- an order, no secret
        self._waiting.extend(order)
        self._retries = Retries(self.options.retries, self.options.baseline)
        self._faults = drawn(self.catalogue, self.selection, self.options.seed)
        self._trials = trials(self.catalogue.suite.scenarios, self._faults, self.options.seed)
        cut_short = self._all()
        # What was found out is not to be lost to a second Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return self._report(started, cut_short)

    def _all(self) -> str | None:
        """Run the scenarios; give the reason where that was cut short."""
        deadline = time.monotonic() + self.options.time_limit
        try:
            suite = self.catalogue.suite
            paths = {one.path for one in suite.scenarios}
            write_suite(suite.folder, self.workers.folder / FEATURES, thorough=self.options.thorough, paths=paths)
            for worker in list(self.workers.all):
                self._brief(worker)
            while any(not worker.finished for worker in self.workers.all):
                left = deadline - time.monotonic()
                if left <= 0:
                    return f"the time limit of {self.options.time_limit} s was reached"
                self._end_overdue()
                try:
                    worker, event = self.workers.events.get(timeout=min(left, 1))
                except queue.Empty:
                    continue
                self._take(worker, event)
        except KeyboardInterrupt:
            return "interrupted"
        return None

    def _end_overdue(self) -> None:
        """Kill a worker whose scenario goes on although its own time limit has told it to end."""
        latest = time.monotonic() - self.options.scenario_limit - GRACE
        for worker in self.workers.all:
            if worker.current is not None and not worker.finished and worker.since < latest:
                worker.overdue = True
                worker.kill()

    def _brief(self, worker: Worker) -> None:
        """Tell a worker what its run is about."""
        task = Task(
            features=str(self.workers.folder / FEATURES),
            folder=str(worker.folder),
            known=tuple(sorted(one.id.lower() for one in self.catalogue.specification.requirements)),
            seed=self.options.seed,
            about=self._about(),
            engine=self.options.engine,
            database_url=self.options.database_url,
            scenario_seconds=self.options.scenario_limit,
            number=worker.number,
            lead=worker.number == self._lead,
            introduced=self.options.introduced,
            faults=self._faults,
            containers=self.options.containers,
            recorded=self.options.trace is not None,
            trace=None if self.options.retold is None else self.options.retold.held,
        )
        self._handed[worker.number] = []
        worker.tell(task.encode())

    def _about(self) -> About:
        spec = self.catalogue.specification
        return About(assets.version(), spec.identifier, spec.version, spec.digest)

    def _hand_out(self, worker: Worker) -> None:
        """Give a worker what it can take; dismiss it once nothing is left for it, nor can be."""
        mine = self._handed[worker.number]
        busy = any(self._handed.values())
        if not self._waiting and not busy:
            self._waiting.extend(self._again)
            self._again.clear()
        while self._waiting and len(mine) < IN_HAND:
            scenario = self._waiting.popleft()
            mine.append(scenario)
            worker.tell(scenario.id)
        if not mine and not (self.options.retries and busy):
            self._ready.remove(worker)
            worker.dismiss()

    def _hand_out_to_all(self) -> None:
        """Give every worker that waits what it can take: a scenario that has ended may have left others to be done."""
        for worker in list(self._ready):
            self._hand_out(worker)

    def _take(self, worker: Worker, event: Event | None) -> None:  # noqa: C901 -- one case per kind of event
        """Take an event in. None says that the worker's output has ended."""
        if event is not None and not (isinstance(event, Ended) and self._retries.further(event.record.id)):
            self.watch(event)
        match event:
            case Ready():
                self._ready.append(worker)
                self._hand_out(worker)
            case Started(id=scenario):
                worker.current = scenario
                worker.since = time.monotonic()
            case Ended(record=record):
                worker.current = None
                self._records.append(record)
                mine = self._handed[worker.number]
                self._handed[worker.number] = [scenario for scenario in mine if scenario.id != record.id]
                if self._retries.due(record):
                    self._again.extend(scenario for scenario in mine if scenario.id == record.id)
                self._hand_out_to_all()
            case Declared():
                self._declared = event
                self._hold_against_expectations(event)
            case Controlled(control=control):
                self._tried[control.name] = event
            case Broken(message=message):
                worker.broken = message
            case Misbehaved(message=message):
                self._misdeeds.append(message)
            case Finished(containers=count):
                self._started += count
                worker.finished = not self._handed[worker.number]
            case None:
                self._ended(worker)

    def _hold_against_expectations(self, said: Declared) -> None:
        """Raise `UsageFault` where the driver declares something else than the project file says."""
        for name, expected in self.options.expected_capabilities.items():
            declared = said.capabilities.get(name, "undeclared")
            if declared != expected:
                raise UsageFault(
                    f"the driver declares it {declared}, and {expected} is expected",
                    f"capability {name}",
                    "mend the driver, or the [capabilities] of session-tck.toml",
                )

    def _ended(self, worker: Worker) -> None:
        """Say what became of a worker whose output has ended; start another one for what it left."""
        if worker.finished:
            return
        worker.finished = True
        if worker in self._ready:
            self._ready.remove(worker)
        code = worker.process.wait()
        words = worker.last_words()
        if worker.broken is not None:
            raise SuiteFault(f"a worker cannot go on: {worker.broken}\n{words}".rstrip())
        if self._declared is None and self._misdeeds:
            raise DriverFault(self._misdeeds[0])
        left = self._handed[worker.number]
        if not left and code == 0 and not self._again:
            return
        lost = next((scenario for scenario in left if scenario.id == worker.current), None)
        if lost is not None:
            self._records.append(_too_long(lost) if worker.overdue else _fallen(lost, code, words))
        self._waiting.extendleft(scenario for scenario in left if scenario is not lost)
        self._restarts += 1
        if self._restarts > MOST_RESTARTS:
            raise SuiteFault(f"workers broke down {self._restarts} times, last with exit code {code}\n{words}".rstrip())
        self._handed[worker.number] = []
        if self._waiting or self._again:
            replacement = self.workers.start()
            if worker.number == self._lead and len(self._tried) < len(self._trials):
                self._lead = replacement.number
                self._tried.clear()
            self._brief(replacement)
        self._hand_out_to_all()

    def _report(self, started: datetime, cut_short: str | None) -> Report:
        if self._declared is None and cut_short is None:
            raise SuiteFault("no worker said which engine it drives")
        if cut_short is None and self._tried.keys() != {trial.name for trial in self._trials}:
            raise SuiteFault("not every known-bad engine went through the scenarios, so their outcomes prove nothing")
        said = self._declared or Declared("unknown", "unknown", "", "", {})
        records = (*self._retries.settled(self._records), *elsewhere(self.selection))
        baseline, catalogue = self.options.baseline, self.catalogue
        expected = {name: ids for name, ids in catalogue.expected.items() if name not in self.selection.unasked}
        ground = Ground(expected, {entry.id for entry in catalogue.entries}, catalogue.left_out)
        held = None if baseline is None else apply_baseline(records, baseline, ground)
        graded = grading.grade(
            self.catalogue.entries,
            records if held is None else held.checks,
            expected,
            profiles=self.selection.profiles,
            only=self.selection.only,
            cut_short=cut_short,
            faults=tuple(
                f"driver: {misdeed}" for misdeed in dict.fromkeys((*self._recorded_misdeeds(), *self._misdeeds))
            ),
        )
        kit = KitFacts(assets.version(), assets.suite_digest(self.catalogue.suite.folder))
        publish = partial(self._published, kit, said, started)
        controls = [
            seen(trial, self._tried[trial.name], self.catalogue.entries, publish)
            for trial in self._trials
            if trial.name in self._tried
        ]
        conclusion = verdict.conclude(
            graded, asked=self.selection.profiles, controls=controls, stale_entries=() if held is None else held.stale
        )
        artifacts = self._traced(kit, said, started, cut_short)
        used = None if held is None else held.used
        return publish(graded, conclusion, controls=controls, baseline=used, artifacts=artifacts)

    def _published(
        self,
        kit: KitFacts,
        said: Declared,
        started: datetime,
        graded: grading.Grading,
        conclusion: verdict.Conclusion,
        *,
        controls: Sequence[Control] = (),
        baseline: UsedBaseline | None = None,
        artifacts: Sequence[Artifact] = (),
    ) -> Report:
        return report.build(
            kit=kit,
            spec=self._spec(),
            implementation=self._implementation(said),
            declared=Declaration(self.selection.profiles, said.capabilities, said.policy),
            run=self._facts(started),
            grading=graded,
            conclusion=conclusion,
            controls=controls,
            killed=self._killed(controls),
            baseline=baseline,
            artifacts=artifacts,
        )

    def _spec(self) -> SpecFacts:
        spec = self.catalogue.specification
        return SpecFacts(spec.identifier, spec.version, spec.digest, spec.set_digest)

    def _implementation(self, said: Declared) -> Implementation:
        engine = self.options.engine
        # What is wrong on purpose must not pass for the simulator in a table of engines.
        name = engine.shown if engine.kind == "mutant" else said.name
        return Implementation(name, said.version, said.language, said.homepage)

    def _facts(self, started: datetime) -> RunFacts:
        facts = RunFacts(
            seed=self.options.seed,
            argv=self.options.argv,
            started=started.isoformat(timespec="milliseconds"),
            finished=datetime.now(UTC).isoformat(timespec="milliseconds"),
            host={"system": platform.system(), "machine": platform.machine(), "python": platform.python_version()},
            workers=self.workers.count,
            transport=self.options.engine.transport,
            budgets={"run": float(self.options.time_limit), "scenario": float(self.options.scenario_limit)},
            surroundings=self._surroundings(),
            engine=self.options.engine.shown,
            shard=self.options.shard,
            retries=self.options.retries,
        )
        return facts if self.options.retold is None else self.options.retold.facts(facts)

    def _recorded_misdeeds(self) -> tuple[str, ...]:
        return () if self.options.retold is None else self.options.retold.head.misdeeds

    def _traced(self, kit: KitFacts, said: Declared, started: datetime, cut_short: str | None) -> tuple[Artifact, ...]:
        """Write the trace, where one is wanted; it is an artifact of the report."""
        if self.options.trace is None:
            return ()
        baseline = self.options.baseline
        recorded = Recorded(
            kit=kit,
            spec=self._spec(),
            implementation=self._implementation(said),
            declared=Declaration(self.selection.profiles, said.capabilities, said.policy),
            run=self._facts(started),
            only=self.selection.only,
            thorough=self.options.thorough,
            baseline=None if baseline is None else baseline.digest,
            cut_short=cut_short,
            misdeeds=self._misdeeds,
        )
        folders = [worker.folder for worker in self.workers.all]
        return (recorded.write(self.options.trace, folders, self._records),)

    def _surroundings(self) -> Surroundings:
        options, containers = self.options, self.options.containers
        if containers is None:
            return surroundings.met(options.engine, database=options.database_url)
        records = (*self._records, *(record for tried in self._tried.values() for record in tried.records))
        return surroundings.met(
            options.engine,
            database=options.database_url,
            containers=containers.shown,
            enforced=surroundings.enforced(self._started, [record.reason for record in records]),
        )

    def _killed(self, controls: Sequence[Control]) -> Mapping[str, Sequence[str]]:
        """Give the faults that were killed, by requirement."""
        killed = {control.name for control in controls if control.expected == control.observed}
        by_requirement: dict[str, list[str]] = {}
        for trial in self._trials:
            if trial.requirement is not None and trial.name in killed:
                by_requirement.setdefault(trial.requirement, []).append(trial.name)
        return by_requirement


def _too_long(scenario: Scenario) -> CheckRecord:
    """Write down that the engine did not come to rest in a scenario, not even when it was told to."""
    return replace(_fallen(scenario, 0, ""), outcome=Outcome.FAILED, blame="engine", reason="timeout: it never ended")


def _fallen(scenario: Scenario, code: int, words: str) -> CheckRecord:
    """Write down that a scenario brought its worker down: nobody can say whose fault that was, so it is the kit's."""
    return CheckRecord(
        id=scenario.id,
        scenario=scenario.name,
        feature=scenario.place,
        requirements=scenario.requirements,
        outcome=Outcome.ERROR,
        reason=f"the worker process ended with exit code {code} in this scenario. {words}".strip(),
        blame="kit",
        steps=tuple(f"{step.kind.capitalize()} {step.text}" for step in scenario.steps),
    )
