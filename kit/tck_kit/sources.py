"""Where the engine of a scenario comes from: made in process around the kit's fakes, or reached through a driver."""

from __future__ import annotations

import shutil
import threading
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tck_driver.bench import Bench
from tck_driver.connection import About
from tck_driver.engine import Engine
from tck_driver.errors import DriverError
from tck_driver.remote import RemoteEngine
from tck_fakes.bench import FakeBench
from tck_fakes.database import ObservedDatabase, SessionTable
from tck_fakes.faulty import policy_of, spoilt
from tck_fakes.in_process import InProcessEngine
from tck_fakes.in_process_turns import InProcessTurns
from tck_fakes.observed_url import fill
from tck_fakes.outside import Outside
from tck_fakes.served import DATABASE
from tck_fakes.stage import Stage
from tck_kit.driver_keeper import DriverKeeper, Introduction
from tck_kit.engine_choice import EngineChoice, Observed
from tck_kit.trace.held import Held
from tck_kit.trace.source import TraceSource
from tck_simulator.store import Store
from tck_simulator.turns.kinds import KINDS

if TYPE_CHECKING:
    from tck_fakes.docker.ward import Ward

#: The name of the world in which an engine is asked who it is.
NOBODY = "declaration"
#: The engine's own folder, within that of a scenario.
BASE = "base"


class Source(Protocol):
    """Gives each scenario its surroundings and its engine."""

    #: The database that the simulator in process is to use.
    database_url: str | None
    #: Whether nobody but the kit's own process has a hand in what happens.
    in_process: bool

    def stage(self, place: Path, seed: str) -> Stage:
        """Make the surroundings of a scenario in its folder."""
        ...

    def engine(self, stage: Stage) -> Engine:
        """Give the engine of a scenario."""
        ...

    def bench(self, stage: Stage) -> Bench:
        """Give what steps can do to the surroundings."""
        ...

    def ending(self, stage: Stage) -> None:
        """Hear that a scenario is over, once its engine was closed. Raises what is wrong with that."""
        ...

    def let_go(self, stage: Stage) -> None:
        """Take the surroundings away from the engine, however the scenario ended."""
        ...

    def close(self) -> str | None:
        """Let everything go; say what was wrong with the driver's end."""
        ...


class InProcessSource:
    """The simulator, or with `faulty` one that is wrong on purpose. The store is emptied for each scenario.

    With a `policy`, it is one that plays courses; whether one that is wrong does, is told by its name.
    """

    in_process = True

    def __init__(
        self,
        folder: Path,
        version: str,
        database_url: str | None,
        faulty: str | None,
        ward: Ward | None = None,
        *,
        policy: str | None = None,
    ) -> None:
        """Make the database. With a `ward`, containers are real ones."""
        url = database_url or f"sqlite:///{folder / 'engine.sqlite'}"
        self.database_url: str | None = url
        self._lock = threading.RLock()
        self._version = version
        self._ward = ward
        #: Which engine that is wrong on purpose is made from now on, if any.
        self.faulty = faulty
        self._policy = policy
        self._store = Store(url)
        self._store.create()
        self._table = ObservedDatabase(url)

    def stage(self, place: Path, seed: str) -> Stage:
        """Make the surroundings of a scenario."""
        number = zlib.crc32(seed.encode())
        if self._ward is None:
            return Stage.at(place, number, self._lock, {})
        from tck_fakes.docker.runtime import DockerRuntime  # noqa: PLC0415 -- with optional packages, and seldom needed

        return Stage.at(place, number, self._lock, {}, partial(DockerRuntime, self._ward))

    def engine(self, stage: Stage) -> Engine:
        """Make an engine around them."""
        engine = self._right(stage)
        return engine if self.faulty is None else spoilt(engine, self.faulty)

    def _right(self, stage: Stage) -> Engine:
        policy = self._policy if self.faulty is None else policy_of(self.faulty)
        if policy is not None:
            return InProcessTurns(KINDS[policy], stage.runtime, stage.place / BASE, self._version)
        return InProcessEngine(
            clock=stage.clock,
            runtime=stage.runtime,
            forge=stage.forge,
            models=stage.models,
            remover=stage.remover,
            store=self._store,
            version=self._version,
            hear=stage.forge.hear,
            next_end=stage.runtime.next_end,
        )

    def table(self, stage: Stage) -> SessionTable:  # noqa: ARG002 -- one for all scenarios
        """Give the simulator's database."""
        return self._table

    def bench(self, stage: Stage) -> Bench:
        """Give the bench over the fakes."""
        return FakeBench(stage, stage.place / BASE, self._table)

    def ending(self, stage: Stage) -> None:
        """Do nothing."""

    def let_go(self, stage: Stage) -> None:
        """Do nothing: nothing goes on by itself."""

    def close(self) -> str | None:
        """Let the database go."""
        self._table.close()
        self._store.close()
        return None


class DriverSource:
    """Engines behind a driver, one scenario after the other. `folder` is this worker's."""

    database_url: str | None = None
    in_process = False

    def __init__(
        self, choice: EngineChoice, folder: Path, about: About, number: int, introduced: Introduction | None = None
    ) -> None:
        """Begin to listen; the driver is started for the first scenario."""
        self._choice = choice
        self._outside = Outside(folder / "outside")
        self._keeper = DriverKeeper(choice, folder, about, self._outside.path, number=number, introduced=introduced)
        self._tables: dict[str, ObservedDatabase] = {}
        self._observed = choice.observed
        if choice.simulated:
            self._observed = Observed(f"sqlite:///{{directory}}/{DATABASE}")

    def stage(self, place: Path, seed: str) -> Stage:
        """Make the surroundings of a scenario, and open them to the engine."""
        if self._choice.confined is not None:
            self._choice.confined.hand_over(place)
        stage = Stage.at(place, zlib.crc32(seed.encode()), self._outside.lock, self._outside.urls)
        stage.guarded_for_real = not self._choice.simulated
        stage.relayed = self._outside.relayed
        self._outside.stage = stage
        return stage

    def engine(self, stage: Stage) -> Engine:
        """Give the engine behind the driver. Raises `DriverError` where the driver cannot be had."""
        return RemoteEngine(self._keeper.connection(), stage, stage.place.name, str(stage.place))

    def table(self, stage: Stage) -> SessionTable | None:
        """Give the database that was named, with the folders in its URL filled in."""
        if self._observed is None:
            return None
        url = fill(self._observed.url, directory=self._keeper.directory, workdir=stage.place)
        if url not in self._tables:
            if "{workdir}" in self._observed.url:
                self._let_tables_go()
            self._tables[url] = ObservedDatabase(url, self._observed.mapping)
        return self._tables[url]

    def bench(self, stage: Stage) -> Bench:
        """Give the bench over the fakes."""
        return FakeBench(stage, stage.place / BASE, self.table(stage))

    def ending(self, stage: Stage) -> None:
        """Look whether anything lies outside of the scenario's folder; if so, only this scenario is to pay for it."""
        self._keeper.went_well()
        strangers = sorted(
            path for path in stage.place.parent.iterdir() if path != stage.place and not path.name.isdecimal()
        )
        for stranger in strangers:
            if stranger.is_dir() and not stranger.is_symlink():
                shutil.rmtree(stranger, ignore_errors=True)
            else:
                stranger.unlink(missing_ok=True)
        if strangers:
            raise DriverError(f"something was written outside of the scenario's workdir: ../{strangers[0].name}")

    def let_go(self, stage: Stage) -> None:  # noqa: ARG002 -- there is one at a time
        """Let nobody in any more."""
        self._outside.stage = None

    def close(self) -> str | None:
        """End the driver and let everything go."""
        try:
            return self._keeper.end()
        finally:
            self._let_tables_go()
            self._outside.close()

    def _let_tables_go(self) -> None:
        for table in self._tables.values():
            table.close()
        self._tables.clear()


def source(
    choice: EngineChoice,
    folder: Path,
    about: About,
    *,
    database_url: str | None,
    number: int,
    introduced: Introduction | None,
    ward: Ward | None = None,
    trace: Held | None = None,
) -> Source:
    """Make the source of the chosen engine, in a worker's folder; `number` is the worker's.

    With a `trace`, what was recorded of that engine stands in its place.
    """
    if trace is not None:
        return TraceSource(trace, BASE, NOBODY)
    if choice.in_process:
        return InProcessSource(folder, about.kit_version, database_url, choice.faulty, ward, policy=choice.policy)
    return DriverSource(choice, folder, about, number, introduced)
