"""What a container run takes over the stand-in of Docker's API, against a real engine, in one run.

`python benchmarks/bench_docker_api.py [RUNS]`: with the docker command and with docker-py, one after the other on each.
Without an engine at DOCKER_HOST there is nothing to compare with, and it says so.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import docker
import docker.errors

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))


from tck_fakes.docker_api.alone import Alone

#: The stand-in's share of the real engine's time that is to be kept.
MOST = 0.25
#: What makes the image's files; the tests compare with the same image.
LAYER = Path(__file__).resolve().parents[1] / "tests" / "fakes" / "docker_api" / "layer.py"
LABEL, IMAGE = "session-tck-bench", "session-tck/bench-docker-api:1"


def by_command(url: str) -> None:
    """Run one container with the docker command."""
    words = ("docker", "run", "--rm", "--network", "none", "-l", LABEL, IMAGE, "claude", "--version")
    subprocess.run(words, env={**os.environ, "DOCKER_HOST": url}, check=True, capture_output=True)


def by_docker_py(client: docker.DockerClient) -> None:
    """Run one container with docker-py."""
    client.containers.run(IMAGE, ["claude", "--version"], remove=True, network_mode="none", labels=[LABEL])


def median(runs: int, act: Callable[[], None]) -> float:
    """Give the milliseconds of the middle one."""
    took: list[float] = []
    for _ in range(runs + 1):
        begun = time.perf_counter()
        act()
        took.append((time.perf_counter() - begun) * 1000)
    return statistics.median(took[1:])


def main() -> int:
    """Measure, print, and say whether the aim is reached."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    reached = True
    real_url = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    try:
        real_client = docker.DockerClient(base_url=real_url)
    except docker.errors.DockerException as fault:
        print(f"no container engine answers at {real_url} ({fault}): start Docker, or set DOCKER_HOST")
        return 2
    api: Any = real_client.api
    api.import_image_from_data(runpy.run_path(str(LAYER))["layer"](), repository=IMAGE.partition(":")[0], tag="1")
    with (
        contextlib.closing(real_client),
        tempfile.TemporaryDirectory(prefix="tck-") as folder,
        Alone(Path(folder) / "s", lambda _: None),
    ):
        urls = (f"unix://{folder}/s", real_url)
        clients = [docker.DockerClient(base_url=urls[0]), real_client]
        ways: dict[str, list[Callable[[], None]]] = {
            "docker-py": [partial(by_docker_py, client) for client in clients],
        }
        if shutil.which("docker") is not None:
            ways["docker command"] = [partial(by_command, url) for url in urls]
        for name, (ours, theirs) in ways.items():
            # Turn by turn, so that whatever else the machine does falls on both.
            half = max(1, runs // 2)
            pairs = [(median(half, ours), median(half, theirs)) for _ in range(2)]
            stand_in, real = (statistics.mean(pair[side] for pair in pairs) for side in (0, 1))
            reached &= stand_in <= MOST * real
            share = stand_in / real
            print(f"{name:<15} stand-in {stand_in:7.1f} ms   real {real:7.1f} ms   share {share:.2f} (at most {MOST})")
        clients[0].close()
        real_client.images.remove(IMAGE, force=True)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
