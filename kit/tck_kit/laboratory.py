"""Puts together what one scenario needs: the kit's fakes, the engine among them, and the world that steps talk to."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

from tck_fakes.bench import FakeBench
from tck_fakes.clock import VirtualClock
from tck_fakes.database import ObservedDatabase
from tck_fakes.forge import FakeForge
from tck_fakes.in_process import InProcessEngine
from tck_fakes.model import FakeModelProvider
from tck_fakes.remover import ProtectingRemover
from tck_fakes.runtime import FakeContainerRuntime
from tck_features.world import World
from tck_simulator.cleanup import LocalRemover
from tck_simulator.store import Store

from tck_driver.engine import CAPABILITIES, Declaration
from tck_driver.witness import WitnessLog


class Laboratory:
    """Makes a fresh world for each scenario, each in a folder of its own that goes with it."""

    def __init__(self, folder: Path, seed: int, version: str, database_url: str | None = None) -> None:
        """Work below `folder`. With a database URL the simulator uses that one, emptied for each scenario."""
        self._folder = folder
        self._seed = seed
        self._version = version
        self._database_url = database_url
        self._count = 0
        self._open: dict[int, tuple[ObservedDatabase, FakeContainerRuntime]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._template = folder / "template.sqlite"
        store = Store(f"sqlite:///{self._template}")
        store.create()
        store.close()

    def world(self, scenario: str) -> World:
        """Make a world whose names and numbers come from the run's seed and the scenario's own name."""
        self._count += 1
        place = self._folder / f"{self._count:04d}"
        place.mkdir()
        seed = f"{self._seed}/{scenario}"
        url = self._database_url or f"sqlite:///{place / 'engine.sqlite'}"
        witness = WitnessLog()
        clock = VirtualClock()
        runtime = FakeContainerRuntime(clock, witness, place / "containers", zlib.crc32(seed.encode()))
        forge = FakeForge(witness)
        remover = ProtectingRemover(LocalRemover())
        engine = InProcessEngine(
            clock=clock,
            runtime=runtime,
            forge=forge,
            models=FakeModelProvider(witness),
            remover=remover,
            version=self._version,
            template=None if self._database_url else self._template,
        )
        table = ObservedDatabase(url)
        bench = FakeBench(
            witness=witness,
            clock=clock,
            runtime=runtime,
            forge=forge,
            remover=remover,
            base=place / "base",
            table=table,
        )
        self._open[id(bench)] = (table, runtime)
        return World(engine, bench, seed, url)

    def end(self, world: World) -> None:
        """Close the engine and remove the scenario's folder."""
        if world.opened:
            world.engine.close()
        table, runtime = self._open.pop(id(world.bench))
        table.close()
        runtime.close()
        shutil.rmtree(world.bench.base.parent, ignore_errors=True)

    def declaration(self) -> Declaration:
        """Ask the engine who it is and what it can do."""
        world = self.world("declaration")
        try:
            return world.engine.declare(CAPABILITIES)
        finally:
            self.end(world)
