"""Puts together what one scenario needs: the kit's fakes, the engine among them, and the world that steps talk to."""

from __future__ import annotations

import shutil
from pathlib import Path

from tck_driver.capabilities import CAPABILITIES
from tck_driver.engine import Declaration
from tck_fakes.bench import FakeBench
from tck_fakes.stage import Stage
from tck_features.world import World
from tck_kit.sources import InProcessSource, Source


class Laboratory:
    """Makes a fresh world for each scenario, each in a folder of its own that goes with it."""

    def __init__(self, folder: Path, seed: int, source: Source) -> None:
        """Work below `folder`, with engines of this source."""
        self._folder = folder
        self._seed = seed
        self._source = source
        self._count = 0
        self._open: dict[int, Stage] = {}
        folder.mkdir(parents=True, exist_ok=True)

    @classmethod
    def in_process(
        cls, folder: Path, seed: int, version: str, database_url: str | None = None, *, faulty: str | None = None
    ) -> Laboratory:
        """Work with the simulator; `faulty` names one that is wrong on purpose, to be put in its place."""
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, seed, InProcessSource(folder, version, database_url, faulty))

    def world(self, scenario: str) -> World:
        """Make a world whose names and numbers come from the run's seed and the scenario's own name."""
        self._count += 1
        place = self._folder / f"{self._count:04d}"
        place.mkdir()
        seed = f"{self._seed}/{scenario}"
        stage = self._source.stage(place, seed)
        try:
            engine = self._source.engine(stage)
            bench = FakeBench(stage, place / "base", self._source.table(stage))
        except BaseException:
            self._clear(stage)
            raise
        self._open[id(bench)] = stage
        return World(engine, bench, seed, self._source.database_url)

    def end(self, world: World) -> None:
        """Close the engine and remove the scenario's folder. Raises what the driver did wrong in the end."""
        stage = self._open.pop(id(world.bench))
        try:
            if world.opened:
                world.engine.close()
            self._source.ending(stage)
        finally:
            self._clear(stage)

    def close(self) -> str | None:
        """Let the engine go; say what was wrong with its driver's end."""
        return self._source.close()

    def declaration(self) -> Declaration:
        """Ask the engine who it is and what it can do."""
        world = self.world("declaration")
        try:
            return world.engine.declare(CAPABILITIES)
        finally:
            self.end(world)

    def _clear(self, stage: Stage) -> None:
        self._source.let_go(stage)
        stage.close()
        shutil.rmtree(stage.place, ignore_errors=True)
