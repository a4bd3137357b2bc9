"""Puts together what one scenario needs: the kit's fakes, the engine among them, and the world that steps talk to."""

from __future__ import annotations

import shutil
from pathlib import Path

from tck_driver.bench import Bench
from tck_driver.capabilities import ASKED
from tck_driver.engine import Declaration, Engine
from tck_fakes.stage import Stage
from tck_features.world import World
from tck_kit.sources import NOBODY, InProcessSource, Source
from tck_kit.trace.parting import part
from tck_kit.trace.recorder import Recorder, recorded
from tck_kit.trace.recording import Recording
from tck_reports.records import CheckRecord


class Laboratory:
    """Makes a fresh world for each scenario, each in a folder of its own that goes with it."""

    def __init__(self, folder: Path, seed: int, source: Source, recorder: Recorder | None = None) -> None:
        """Work below `folder`, with engines of this source; with a recorder, write down what steps ask and are told."""
        self._folder = folder
        self._seed = seed
        self._source = source
        self._recorder = recorder
        self._count = 0
        self._open: dict[int, tuple[Stage, Recording | None]] = {}
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
        recording = None if self._recorder is None or scenario == NOBODY else self._recorder.begin(scenario, place)
        stage = self._source.stage(place, seed)
        try:
            engine, bench = self._made(stage, recording)
        except BaseException:
            self._clear(stage)
            raise
        self._open[id(bench)] = (stage, recording)
        return World(engine, bench, seed, self._source.database_url)

    def _made(self, stage: Stage, recording: Recording | None) -> tuple[Engine, Bench]:
        if recording is None:
            return self._source.engine(stage), self._source.bench(stage)
        engine = recording.act("engine", list, lambda: self._source.engine(stage), lambda _: None)
        return recorded(recording, engine, self._source.bench(stage))

    def end(self, world: World) -> None:
        """Close the engine and remove the scenario's folder. Raises what the driver did wrong in the end."""
        stage, recording = self._open.pop(id(world.bench))
        try:
            if world.opened:
                if recording is not None:
                    part(world, recording, everything=self._source.in_process)
                world.engine.close()
            if recording is None:
                self._source.ending(stage)
            else:
                recording.act("ending", list, lambda: self._source.ending(stage), lambda _: None)
        finally:
            self._clear(stage)

    def told(self, record: CheckRecord, stopped_by: BaseException | None) -> None:
        """Hear what the last scenario came to, and what stopped it."""
        if self._recorder is not None:
            self._recorder.end(record, stopped_by)

    def close(self) -> str | None:
        """Let the engine go; say what was wrong with its driver's end."""
        return self._source.close()

    def declaration(self) -> Declaration:
        """Ask the engine who it is and what it can do."""
        world = self.world(NOBODY)
        try:
            return world.engine.declare(ASKED)
        finally:
            self.end(world)

    def _clear(self, stage: Stage) -> None:
        self._source.let_go(stage)
        stage.close()
        shutil.rmtree(stage.place, ignore_errors=True)
