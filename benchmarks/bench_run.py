"""What a run costs: its wall time, the same steps called directly, and the memory of all its processes.

Prints each figure of each repetition and the medians. Times depend on the machine; the ratio is taken within one
repetition, one after the other, and is what to compare.

    python benchmarks/bench_run.py [REPETITIONS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from tck_kit.catalogue import read_catalogue
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_kit.workers import memory_folder

MEBI = 1024 * 1024


def command(workers: int, *options: str, expected: int = 0) -> tuple[float, float]:
    """Run the whole suite as a user does; give wall seconds, and the most MiB that all its processes held at once."""
    words = ["run", "--no-project-file", "--seed", "1", "--workers", str(workers), *options]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tck_kit.command_line", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.05):
            peak = max(peak, _resident(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    wall = time.perf_counter() - begun
    done.set()
    watcher.join()
    if code != expected:
        raise SystemExit(f"session-tck run gave exit code {code}: a figure of such a run means nothing")
    return wall, peak / MEBI


def _resident(pid: int) -> int:
    try:
        root = psutil.Process(pid)
        return sum(process.memory_info().rss for process in (root, *root.children(recursive=True)))
    except psutil.Error:
        return 0


def directly() -> float:
    """Call the steps of every scenario one after the other, in one process; give wall seconds."""
    scenarios = read_catalogue(None, None, thorough=False).suite.scenarios
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        laboratory = Laboratory.in_process(Path(folder), 1, "0")
        begun = time.perf_counter()
        for scenario in scenarios:
            perform(scenario, laboratory)
        wall = time.perf_counter() - begun
        laboratory.close()
    return wall


def main() -> None:
    """Measure, and print."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    count = len(read_catalogue(None, None, thorough=False).suite.scenarios)
    print(f"{count} scenarios, {psutil.cpu_count()} processors")
    print("repetition  run, 2 workers  run, 1 worker  directly  ratio 2w  ratio 1w  peak MiB")
    rows: list[tuple[float, ...]] = []
    for number in range(repetitions):
        two, peak = command(2)
        direct = directly()
        one, _ = command(1)
        rows.append((two, one, direct, two / direct, one / direct, peak))
        print(f"{number + 1:10}  {_line(rows[-1])}")
    print(f"    median  {_line(tuple(statistics.median(column) for column in zip(*rows, strict=True)))}")


def _line(row: tuple[float, ...]) -> str:
    two, one, direct, ratio_two, ratio_one, peak = row
    return f"{two:12.2f} s {one:12.2f} s {direct:7.2f} s {ratio_two:9.2f} {ratio_one:9.2f} {peak:9.0f}"


if __name__ == "__main__":
    main()
