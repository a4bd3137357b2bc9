"""What a second worker of a cluster is worth: the same runs shared out among two, and done by one.

Prints the time of each repetition and the medians. Times depend on the machine; the ratio is taken within one
repetition, one campaign right after the other, and is what to compare. 1.6 is wanted of two free processors.

    python benchmarks/bench_cluster.py [REPETITIONS] [UNITS]
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import psutil

from tck_kit.asked_run import Asked
from tck_kit.campaign.choice import executor
from tck_kit.campaign.fitness import Suites
from tck_kit.campaign.runs import perform_runs, units_of
from tck_kit.campaign.units import Ended, Executor
from tck_kit.engine_choice import EngineChoice
from tck_kit.run_settings import Settings

WANTED = 1.6


class Silent:
    """Is told and says nothing."""

    def ended(self, unit: Ended[Any], done: int, total: int) -> None:
        """Take it in."""

    def told(self, text: str) -> None:
        """End: the time of a campaign that lost a worker is no measure."""
        raise SystemExit(text)


def campaign(work: Executor, count: int) -> float:
    """Run the whole suite with so many seeds; give wall seconds."""
    settings = Settings(
        engine=EngineChoice(),
        profiles=(),
        workers=1,
        time_limit=900,
        scenario_time_limit=60,
        seed=None,
        thorough=False,
        baseline=None,
        report_dir=None,
        capabilities={},
        source=None,
    )
    units = units_of([("sim", Asked(settings, ("bench_cluster",)))], range(1, count + 1))
    begun = time.perf_counter()
    harvest = work.perform(perform_runs, units, watch=Silent())
    wall = time.perf_counter() - begun
    codes = [run.report["exit_code"] if run.report else run.text for runs in harvest.results for run in runs]
    if codes != [0] * count:
        raise SystemExit(f"the runs gave {codes}: a figure of such runs means nothing")
    return wall


def main() -> None:
    """Measure, and print."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    print(f"{count} runs of the whole suite, {psutil.cpu_count()} processors; a ratio of {WANTED} is wanted")
    print("repetition   one worker  two workers  ratio  load before")
    rows: list[tuple[float, float, float]] = []
    with executor("local:1", Suites()) as one, executor("local:2", Suites()) as two:
        for number in range(repetitions):
            load = psutil.getloadavg()[0]
            # Whichever is first may find the machine otherwise than the second, so they take turns.
            first, second = (one, two) if number % 2 == 0 else (two, one)
            times = [campaign(work, count) for work in (first, second)]
            alone, both = times if number % 2 == 0 else times[::-1]
            rows.append((alone, both, alone / both))
            print(f"{number + 1:10}  {_line(rows[-1])}  {load:11.2f}", flush=True)
    print(f"    median  {_line((*[statistics.median(column) for column in zip(*rows, strict=True)],))}")


def _line(row: tuple[float, ...]) -> str:
    alone, both, ratio = row
    return f"{alone:9.2f} s {both:10.2f} s {ratio:7.2f}"


if __name__ == "__main__":
    main()
