"""Puts together what one scenario needs: the kit's fakes, the engine among them, and the world that steps talk to."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

from tck_driver.engine import CAPABILITIES, Declaration, Engine
from tck_driver.witness import WitnessLog
from tck_fakes.bench import FakeBench
from tck_fakes.clock import VirtualClock
from tck_fakes.database import ObservedDatabase
from tck_fakes.faulty import CONTROLS
from tck_fakes.forge import FakeForge
from tck_fakes.in_process import InProcessEngine
from tck_fakes.model import FakeModelProvider
from tck_fakes.remover import ProtectingRemover
from tck_fakes.runtime import FakeContainerRuntime
from tck_features.world import World
from tck_simulator.cleanup import LocalRemover
from tck_simulator.store import Store


class Laboratory:
    """Makes a fresh world for each scenario, each in a folder of its own that goes with it."""

    def __init__(
        self, folder: Path, seed: int, version: str, database_url: str | None = None, *, faulty: str | None = None
    ) -> None:
        """Work below `folder`. With a database URL the simulator uses that one, emptied for each scenario.

        `faulty` names an engine of `CONTROLS` to be put in the simulator's place.
        """
        self._folder = folder
        self._seed = seed
        self._version = version
        self._faulty = faulty
        self._count = 0
        self._open: dict[int, FakeContainerRuntime] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._url = database_url or f"sqlite:///{folder / 'engine.sqlite'}"
        self._store = Store(self._url)
        self._store.create()
        self._table = ObservedDatabase(self._url)

    def world(self, scenario: str) -> World:
        """Make a world whose names and numbers come from the run's seed and the scenario's own name."""
        self._count += 1
        place = self._folder / f"{self._count:04d}"
        place.mkdir()
        seed = f"{self._seed}/{scenario}"
        witness = WitnessLog()
        clock = VirtualClock()
        runtime = FakeContainerRuntime(clock, witness, place / "containers", zlib.crc32(seed.encode()))
        forge = FakeForge(witness)
        remover = ProtectingRemover(LocalRemover())
        engine: Engine = InProcessEngine(
            clock=clock,
            runtime=runtime,
            forge=forge,
            models=FakeModelProvider(witness),
            remover=remover,
            store=self._store,
            version=self._version,
        )
        if self._faulty is not None:
            engine = CONTROLS[self._faulty].make(engine)
        bench = FakeBench(
            witness=witness,
            clock=clock,
            runtime=runtime,
            forge=forge,
            remover=remover,
            base=place / "base",
            table=self._table,
        )
        self._open[id(bench)] = runtime
        return World(engine, bench, seed, self._url)

    def end(self, world: World) -> None:
        """Close the engine and remove the scenario's folder."""
        if world.opened:
            world.engine.close()
        self._open.pop(id(world.bench)).close()
        shutil.rmtree(world.bench.base.parent, ignore_errors=True)

    def close(self) -> None:
        """Let the database go."""
        self._table.close()
        self._store.close()

    def declaration(self) -> Declaration:
        """Ask the engine who it is and what it can do."""
        world = self.world("declaration")
        try:
            return world.engine.declare(CAPABILITIES)
        finally:
            self.end(world)
