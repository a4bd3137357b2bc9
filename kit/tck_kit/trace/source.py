"""Engines out of a trace, one scenario after the other."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import zlib
from pathlib import Path

from tck_driver.bench import Bench
from tck_driver.engine import Declaration, Engine
from tck_fakes.stage import Stage
from tck_kit.judging import NotHeldError
from tck_kit.trace.held import Held
from tck_kit.trace.places import Words
from tck_kit.trace.reading import lines_of
from tck_kit.trace.replay import Replay
from tck_kit.trace.replayed import ReplayedBench, ReplayedEngine
from tck_kit.trace.tape import Tape, read_tape
from tck_kit.trace.wire import read_declaration


class TraceSource:
    """Gives each scenario what was recorded of it, in the order of its tries."""

    database_url: str | None = None
    in_process = True

    def __init__(self, held: Held, base: str, nobody: str) -> None:
        """Read the index; `base` is the name of the engine's folder, `nobody` the world that asks who the engine is."""
        self._path = Path(held.path)
        self._index: dict[str, list[tuple[int, int]]] = json.loads(Path(held.index).read_text(encoding="ascii"))
        self._declaration: Declaration = read_declaration(json.loads(held.declared))
        self._base = base
        self._nobody = nobody
        # Any worker may be given the next try of a scenario.
        self._tries = Path(held.index).with_name("tries")
        self._tries.mkdir(exist_ok=True)
        self._replay: Replay | None = None
        self._lock = threading.RLock()
        # Steps make files, and are held against those that they made then.
        os.umask(held.umask)

    def stage(self, place: Path, seed: str) -> Stage:
        """Make the surroundings of a scenario: its folder, and the way through its recording."""
        stage = Stage.at(place, zlib.crc32(seed.encode()), self._lock, {})
        words = Words(place)
        scenario = seed.partition("/")[2]
        tape = Tape(end={"lost": "there is no such scenario in it"})
        if scenario != self._nobody:
            tape = self._tape(scenario, words) or tape
        self._replay = Replay(place, tape, words)
        return stage

    def engine(self, stage: Stage) -> Engine:
        """Give the engine that is not there. Raises what kept the kit from having one then."""
        replay = self._now(stage)
        if replay.first == "engine":
            replay.act("engine", None, lambda _: None)
        return ReplayedEngine(replay, self._declaration)

    def bench(self, stage: Stage) -> Bench:
        """Give the bench that is not there."""
        return ReplayedBench(self._now(stage), stage.place / self._base)

    def ending(self, stage: Stage) -> None:
        """Hear that a scenario is over. Raises what was wrong with that then."""
        self._now(stage).ending()

    def let_go(self, stage: Stage) -> None:  # noqa: ARG002 -- there is one at a time
        """Let the folder go."""
        if self._replay is not None:
            self._replay.let_go()
            self._replay = None

    def close(self) -> str | None:
        """Have nothing to close."""
        return None

    def _now(self, stage: Stage) -> Replay:
        if self._replay is None:
            raise NotHeldError(f"nothing is judged again in {stage.place.name}")
        return self._replay

    def _tape(self, scenario: str, words: Words) -> Tape | None:
        for number, (offset, length) in enumerate(self._index.get(scenario, ())):
            if self._mine(f"{hashlib.sha256(scenario.encode()).hexdigest()}-{number}"):
                return read_tape(words.heard(line) for line in lines_of(self._path, offset, length))
        return None

    def _mine(self, name: str) -> bool:
        """Take one try for this worker, and say whether nobody had it before."""
        try:
            os.close(os.open(self._tries / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            return False
        return True
