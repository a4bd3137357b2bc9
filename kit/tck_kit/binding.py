"""With `bound_scenarios` the one place that knows pytest-bdd: binds scenarios to steps, and tells what each gave.

pytest-bdd sees three steps, one for each kind of sentence; which function a sentence means is for the register to say.
Every scenario that is executed is held against the reader of record: same file, line, row and sentences, or it is an
error of the kit. Specification: §28.1.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, cast

import pytest
from pytest_bdd.parsers import StepParser
from pytest_bdd.scenario import scenario_wrapper_template_registry

from tck_driver.errors import KitError
from tck_features.hygiene import check_hygiene
from tck_features.world import World
from tck_kit.controls import PATIENCE, Trial
from tck_kit.events import Controlled, Ended, Event, Ready, Started
from tck_kit.judging import ScenarioTimeoutError, record
from tck_kit.laboratory import Laboratory
from tck_kit.scenarios import Scenario
from tck_reports.records import CheckRecord

#: Where `bound_scenarios` finds the features; set before pytest imports it.
FOLDERS: list[Path] = []


class AnySentence(StepParser):
    """Takes every sentence of a kind, and hands it on as it is."""

    def is_matching(self, name: str) -> bool:  # noqa: ARG002 -- the register decides
        """Match."""
        return True

    def parse_arguments(self, name: str) -> dict[str, str]:
        """Hand the sentence on."""
        return {"sentence": name}


@dataclass(slots=True)
class _Under:
    """The scenario that is being executed."""

    scenario: Scenario
    begun: float
    world: World | None = None
    step: str | None = None
    stopped_by: BaseException | None = None

    def at(self, step: str | None) -> None:
        """Note the sentence that is being executed, here and for what it looks at."""
        self.step = step
        if self.world is not None:
            self.world.checks.step = step

    @property
    def playing(self) -> bool:
        """Whether it has a course that the engine's driver plays."""
        return self.world is not None and self.world.course is not None and not self.world.course.translated


@dataclass(slots=True, repr=False)
class Binding:
    """The plugin of one worker: `wanted` gives the ids of the scenarios to execute, a line each, as they are due."""

    folder: Path
    known: tuple[Scenario, ...]
    wanted: TextIO
    markers: tuple[str, ...]
    laboratory: Laboratory
    emit: Callable[[Event], None]
    time_limit: int
    #: What known-bad engines go through before anybody asks, and the laboratory of each, by its name.
    trials: tuple[Trial, ...] = ()
    faulty: Callable[[str], Laboratory] | None = None
    #: Seconds that a scenario of theirs may take.
    patience: int = PATIENCE
    _found: dict[str, pytest.Item] = field(default_factory=dict[str, pytest.Item])
    _items: dict[str, Scenario] = field(default_factory=dict[str, Scenario])
    _under: _Under | None = None

    def pytest_configure(self, config: pytest.Config) -> None:
        """Register exactly the requirements of the specification as markers; any other tag is refused."""
        for marker in self.markers:
            config.addinivalue_line("markers", f"{marker}: a requirement of the specification")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Hold what was collected against what was read."""
        keys = {scenario.key: scenario for scenario in self.known}
        found = self._found
        for item in items:
            scenario = keys.get(self._key(item))
            if scenario is None or scenario.id in found:
                raise KitError(f"{item.nodeid} was collected, and the reader of record knows no such scenario")
            found[scenario.id] = item
            self._items[item.nodeid] = scenario
        lost = [scenario.id for scenario in self.known if scenario.id not in found]
        if lost:
            raise KitError(f"{len(lost)} scenarios were read and not collected, {lost[0]} among them")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Execute each scenario as it is asked for, until nobody asks any more."""
        for trial in self.trials:
            self._try(trial)
        self.emit(Ready(session.testscollected))
        for line in iter(self.wanted.readline, ""):
            self._execute(line.rstrip("\n"))
        return True

    def _execute(self, scenario: str) -> None:
        item = self._found[scenario]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def _try(self, trial: Trial) -> None:
        """Let a known-bad engine go through scenarios just as the engine under test will, and tell what came of it."""
        if self.faulty is None:
            raise KitError("there is no laboratory for known-bad engines")
        records: list[CheckRecord] = []
        ours = self.laboratory, self.emit, self.time_limit
        self.laboratory, self.time_limit = self.faulty(trial.name), min(self.time_limit, self.patience)
        self.emit = lambda event: records.append(event.record) if isinstance(event, Ended) else None
        try:
            for scenario in trial.scenarios:
                self._execute(scenario.id)
                if trial.settled(records):
                    break
        finally:
            self.laboratory, self.emit, self.time_limit = ours
        self.emit(Controlled(trial.judged(records), tuple(records)))

    def _key(self, item: pytest.Item) -> tuple[str, int, tuple[str, ...]]:
        template: Any = None
        row: dict[str, str] = {}
        if isinstance(item, pytest.Function):
            template = scenario_wrapper_template_registry.get(cast("Callable[..., object]", item.function))  # pyright: ignore[reportUnknownMemberType] -- pytest leaves it open
            row = (
                cast("dict[str, str]", item.callspec.params.get("_pytest_bdd_example", {}))
                if hasattr(item, "callspec")
                else {}
            )
        if template is None:
            raise KitError(f"{item.nodeid} is no scenario")
        path = Path(template.feature.filename).resolve().relative_to(self.folder.resolve()).as_posix()
        return (path, int(template.line_number), tuple(row.values()))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Tell when a scenario begins, and what it gave."""
        scenario = self._items[item.nodeid]
        self._under = _Under(scenario, time.perf_counter())
        self.emit(Started(scenario.id))
        result = yield
        under = self._under
        duration = (time.perf_counter() - under.begun) * 1000
        expectations = under.world.checks.expectations if under.world else []
        stopped_by = under.stopped_by
        if stopped_by is None and under.world is None:
            stopped_by = KitError("the scenario was collected and not executed")
        hints = under.world.hints() if under.world else ()
        gave = record(
            scenario,
            stopped_by,
            expectations,
            duration_ms=duration,
            failed_step=under.step,
            hints=hints,
            plays_courses=under.playing,
        )
        self.laboratory.told(gave, stopped_by)
        self.emit(Ended(gave))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, object, object]:
        """Keep what stopped the scenario first, in whichever phase of the test that was."""
        if self._under is not None and call.excinfo is not None and self._under.stopped_by is None:
            self._under.stopped_by = call.excinfo.value
        return (yield)

    @pytest.fixture
    def tck_world(self) -> Iterator[World]:
        """Make a world for one scenario, and end it within its time limit."""
        under = self._under
        if under is None:
            raise KitError("a world was asked for outside of a scenario")
        under.world = world = self.laboratory.world(under.scenario.id)
        under.at(under.step)
        previous = signal.signal(signal.SIGALRM, _too_long)
        # Again every second, should something swallow the first one.
        signal.setitimer(signal.ITIMER_REAL, self.time_limit, 1)
        try:
            try:
                yield world
            finally:
                self.laboratory.end(world)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)

    def pytest_bdd_before_scenario(self, scenario: Any) -> None:  # noqa: ANN401 -- pytest-bdd's scenario
        """Refuse to execute sentences that the reader of record did not read."""
        if self._under is None:
            return
        read = [step.text for step in self._under.scenario.steps]
        rendered = [step.name for step in scenario.steps]
        if read != rendered:
            raise KitError(f"pytest-bdd would execute {rendered}, and the reader of record read {read}")

    def pytest_bdd_before_step(self, step: Any) -> None:  # noqa: ANN401 -- pytest-bdd's step
        """Note the sentence that is being executed."""
        if self._under is not None:
            self._under.at(f"{str(step.type).capitalize()} {step.name}")

    def pytest_bdd_after_step(self) -> None:
        """Note that it has ended."""
        if self._under is not None:
            self._under.at(None)

    def pytest_bdd_after_scenario(self) -> None:
        """Check that nothing was left behind, unless the scenario has been stopped already."""
        under = self._under
        if under is not None and under.world is not None and under.step is None:
            check_hygiene(under.world)


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise ScenarioTimeoutError("the scenario took longer than its time limit")
