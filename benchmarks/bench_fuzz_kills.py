"""How many faulty engines a search finds out by itself, in one process: each is searched for so many seconds at most.

Seconds are of the processor, as other work on the machine is none of this. A sample is drawn where not all are wanted.

    python benchmarks/bench_fuzz_kills.py [FAULTS, 0 for all] [SECONDS] [SEED] [PART/PARTS]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from hypothesis.configuration import set_hypothesis_home_dir

from tck_driver.connection import About
from tck_fakes.faults import FAULTS
from tck_features.history.history import Happened
from tck_features.history.watchers import watchers
from tck_features.world import World
from tck_kit.engine_choice import EngineChoice
from tck_kit.fuzz.ground import Ground
from tck_kit.fuzz.hunt import Hunt, Limits
from tck_kit.workers import memory_folder

TARGET = 0.95


class Late(BaseException):
    """The seconds of a fault are over."""


class Clock:
    """Ends a search when its seconds of the processor are over, whatever the history it is in."""

    def __init__(self, seconds: float) -> None:
        """Begin now."""
        self._end = time.process_time() + seconds

    def saw(self, world: World, happened: Happened) -> None:  # noqa: ARG002 -- the signature of a watcher
        """Look at the clock."""
        if time.process_time() > self._end:
            raise Late


def hunt(folder: Path, name: str, seconds: float, seed: int) -> tuple[bool, float, int]:
    """Search one faulty engine; say whether it was found out, after how many seconds and histories."""
    about = About("0", "bench", "0", "0" * 64)
    ground = Ground(EngineChoice("mutant", faulty=name), folder / name, about, seed)
    begun = time.process_time()
    clock = Clock(seconds)
    limits = Limits(100_000, 40, None, 60.0, shrink_tries=0)
    search = Hunt(ground, lambda: (*watchers(), clock), limits)
    found = False
    try:
        finding = search.search(seed).finding
        found = finding is not None and finding.blames_engine
    except Late:
        pass
    finally:
        ground.close()
    return found, time.process_time() - begun, search.tally.examples


def main(count: int, seconds: float, seed: int, part: str) -> None:
    """Hunt them all and say who survived."""
    names = list(FAULTS)
    if count:
        names = random.Random(seed).sample(names, count)  # noqa: S311 -- a sample, no secret
    this, _, parts = part.partition("/")
    names = names[int(this) :: int(parts)]
    left: list[str] = []
    times: list[float] = []
    with tempfile.TemporaryDirectory(dir=memory_folder()) as place:
        set_hypothesis_home_dir(f"{place}/hypothesis")
        for name in names:
            found, took, examples = hunt(Path(place), name, seconds, seed)
            if found:
                times.append(took)
            else:
                left.append(name)
                print(
                    f"not found in {seconds:g} s, {examples} histories: {FAULTS[name].requirement} {name}", flush=True
                )
    times.sort()
    share = len(times) / len(names)
    print(f"{len(times)} of {len(names)} found: {share:.1%} (target {TARGET:.0%})")
    if times:
        print(f"seconds until then: median {times[len(times) // 2]:.1f}, longest {times[-1]:.1f}")


if __name__ == "__main__":
    given = [*sys.argv[1:], *["80", "60", "1", "0/1"][len(sys.argv) - 1 :]]
    main(int(given[0]), float(given[1]), int(given[2]), given[3])
