"""What a run in a real container costs, as ratios taken in one run on one machine.

Each container of the kit is paired with a bare `docker run` of the same image, command, mounts and limits, one after
the other, so that whatever else the machine does falls on both. The kit's share is the socket, the look round from
inside, the account of it, and its own bookkeeping. Figures in seconds are this machine's and only tell what takes long.

    python benchmarks/bench_containers.py [--pairs 12] [--area ISOLATE]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from tck_driver.witness import Mount, WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.docker.engine import ContainerEngine
from tck_fakes.docker.order import MEMORY, ORDINARY, PIDS
from tck_fakes.docker.ordinary import become_ordinary
from tck_fakes.docker.runtime import DockerRuntime
from tck_fakes.docker.ward import Ward
from tck_fakes.images.standin_image import standins
from tck_simulator.ports import ContainerRequest

#: The most that the kit's wall may be of the bare container's.
MOST = 1.3
STATE = "/home/agent/.claude/projects"


def main() -> int:
    """Measure, print, and fail where the kit takes too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--area", help="also say how long a whole run of this area takes")
    given = parser.parse_args()
    if given.area:
        _area(given.area)
    with tempfile.TemporaryDirectory(prefix="tck-bench-") as folder:
        return _pairs(Path(folder), given.pairs)


def _pairs(folder: Path, count: int) -> int:
    engine = ContainerEngine()
    ward = Ward(engine, standins(engine.client))
    place = folder / "place"
    place.mkdir()
    become_ordinary(folder, engine.place)
    work, state = place / "work", place / "state"
    work.mkdir()
    state.mkdir()
    request = ContainerRequest(
        image="agents/claude:1",
        argv=("claude", "--version"),
        environment=(("HOME", "/home/agent"),),
        mounts=(Mount(str(work), "/workspace"), Mount(str(state), STATE)),
        labels=(("run", "1"),),
        time_limit_ms=60_000,
        user=f"{os.getuid()}:{os.getgid()}",
    )
    agent = replace(request, argv=("claude", "-p", "--output-format", "stream-json", "--verbose", "--", "hello"))
    runtime = DockerRuntime(ward, VirtualClock(), WitnessLog(), place)

    def kit(asked: ContainerRequest) -> None:
        ward.answers.clear()
        runtime.remove(runtime.start(asked))

    print(engine.about.shown)
    worst = 0.0
    try:
        for what, asked in (("version command", request), ("run of an agent", agent)):
            ours: list[float] = []
            bare: list[float] = []
            for _ in range(count):
                bare.append(_timed(partial(_bare, ward.image, asked)))
                ours.append(_timed(partial(kit, asked)))
            ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
            worst = max(worst, ratio)
            print(
                f"{what}: {ratio:.2f} of the bare container "
                f"({statistics.median(ours) * 1000:.0f} ms, {statistics.median(bare) * 1000:.0f} ms)"
            )
    finally:
        runtime.close()
        ward.close()
    return 0 if worst <= MOST else 1


def _bare(image: str, asked: ContainerRequest) -> None:
    mounts = [f"--mount=type=bind,src={mount.source},dst={mount.target}" for mount in asked.mounts]
    words = [
        *("docker", "run", "--rm", "--network=none", "--read-only", "--cap-drop=ALL"),
        *("--security-opt=no-new-privileges", f"--memory={MEMORY}", f"--memory-swap={MEMORY}", f"--pids-limit={PIDS}"),
        f"--user={asked.user}",
        f"--workdir={asked.workdir}",
        "--tmpfs=/tmp:mode=1777",
        *(f"--tmpfs={home}:uid={ORDINARY},gid={ORDINARY}" for home in ("/home/agent", "/home/agent/.claude")),
        *mounts,
        *(f"--env={name}={value}" for name, value in asked.environment),
        image,
        *asked.argv,
    ]
    subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _area(area: str) -> None:
    begun = time.perf_counter()
    words = [sys.executable, "-P", "-m", "tck_kit.command_line", "run", "--runtime", "docker", "--area", area]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    print(f"run --runtime docker --area {area}: {time.perf_counter() - begun:.0f} s, exit code {done.returncode}")


def _timed(call: Callable[[], None]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
