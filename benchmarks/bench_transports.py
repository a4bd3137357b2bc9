"""What a driver costs: the whole suite through stdio and HTTP beside the same in process, and what flooding takes.

Prints each figure of each repetition and the medians. Times depend on the machine; the ratios are taken within one
repetition, one run after the other, and are what to compare.

    python benchmarks/bench_transports.py [REPETITIONS]
"""

from __future__ import annotations

import shlex
import statistics
import sys
import tempfile
from pathlib import Path

import psutil
from bench_run import command

#: A driver that answers `initialize` and then writes without end.
FLOOD = """
import json, sys
asked = json.loads(sys.stdin.readline())
who = {"name": "flood", "version": "1", "language": "Python"}
told = dict.fromkeys(asked["params"]["capabilities"], "supported")
said = {"protocol": 1, "driver": {"name": "flood", "version": "1"}, "implementation": who, "capabilities": told}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said | {"clock": "virtual"}}), flush=True)
while True:
    sys.stdout.write(%s)
"""
FLOODS = {"without a line's end": "'x' * 65536", "in lines": "'x' * 100 + chr(10)"}


def main() -> None:
    """Measure, and print."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(f"{psutil.cpu_count()} processors; ratios are to the run in process with as many workers")
    print("repetition  in process     stdio      http  stdio, 1 worker  stdio ratio  http ratio  1 worker to 2")
    rows: list[tuple[float, ...]] = []
    for number in range(repetitions):
        inside, _ = command(2)
        stdio, _ = command(2, "--engine", "sim+stdio")
        http, _ = command(2, "--engine", "sim+http")
        alone, _ = command(1, "--engine", "sim+stdio")
        rows.append((inside, stdio, http, alone, stdio / inside, http / inside, alone / stdio))
        print(f"{number + 1:10}  {_line(rows[-1])}")
    print(f"    median  {_line(tuple(statistics.median(column) for column in zip(*rows, strict=True)))}")
    for name, what in FLOODS.items():
        with tempfile.TemporaryDirectory() as folder:
            driver = Path(folder) / "flood.py"
            driver.write_text(FLOOD % what, encoding="utf-8")
            engine = shlex.join((sys.executable, str(driver)))
            wall, peak = command(2, "--engine", engine, "--requirement", "RESUME-2", expected=4)
        print(f"a driver that floods standard output {name}: {peak:.0f} MiB at most, {wall:.2f} s")


def _line(row: tuple[float, ...]) -> str:
    inside, stdio, http, alone, stdio_ratio, http_ratio, speed = row
    times = f"{inside:8.2f} s {stdio:7.2f} s {http:7.2f} s {alone:14.2f} s"
    return f"{times} {stdio_ratio:12.2f} {http_ratio:11.2f} {speed:14.2f}"


if __name__ == "__main__":
    main()
