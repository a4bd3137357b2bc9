"""Engines whose power goes: another source's engines, each behind a fuse."""

from __future__ import annotations

from pathlib import Path

from tck_driver.bench import Bench
from tck_driver.engine import Engine
from tck_fakes.faults.fault import Fault, FaultyEngine
from tck_fakes.stage import Stage
from tck_kit.crash.cut import CutEngine, Fuse, behind
from tck_kit.sources import Source


class CutSource:
    """Gives every scenario an engine that ends after `events` witnessed events; None never ends it.

    A `late` end comes just before the next effect, any other one just after the event. With `faults` the engine is
    wrong in these ways besides.
    """

    def __init__(self, source: Source, *, in_process: bool, faults: tuple[Fault, ...] = ()) -> None:
        """Take the engines of a source; in process the cut can fall in the middle of a call."""
        self._source = source
        self._faults = faults
        self.in_process = in_process
        self.database_url = source.database_url
        self.events: int | None = None
        self.late = False
        self.last: CutEngine | None = None

    def stage(self, place: Path, seed: str) -> Stage:
        """Make the surroundings of a scenario."""
        return self._source.stage(place, seed)

    def engine(self, stage: Stage) -> Engine:
        """Give the engine of a scenario, behind its fuse."""
        fuse = Fuse(stage.witness, self.events, late=self.late)
        engine = self._source.engine(behind(stage, fuse) if self.in_process else stage)
        self.last = CutEngine(FaultyEngine(engine, self._faults) if self._faults else engine, fuse)
        return self.last

    def bench(self, stage: Stage) -> Bench:
        """Give what steps can do to the surroundings."""
        return self._source.bench(stage)

    def ending(self, stage: Stage) -> None:
        """Hear that a scenario is over."""
        self._source.ending(stage)

    def let_go(self, stage: Stage) -> None:
        """Take the surroundings away."""
        self._source.let_go(stage)

    def close(self) -> str | None:
        """Let everything go."""
        return self._source.close()
