"""A real container engine to compare with, and an image on it whose `claude` answers as the stand-in does."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.real import docker_engine, lacking

from .layer import layer


@dataclass(frozen=True, slots=True)
class RealEngine:
    """Where it is, an image on it, and a label by which everything is removed in the end."""

    socket: Path
    image: str
    label: str


@contextmanager
def real_engine() -> Iterator[RealEngine]:
    """Need one; leave nothing on it."""
    docker_engine()
    import docker  # noqa: PLC0415 -- an optional package

    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not host.startswith("unix://"):
        lacking("docker", f"the container engine is at {host}, and these tests need one at a Unix socket")
    label = f"tck-{secrets.token_hex(4)}"
    image = f"session-tck/{label}:1"
    client = docker.from_env()
    try:
        client.api.import_image_from_data(layer(), repository=image.partition(":")[0], tag="1")
        yield RealEngine(Path(host.removeprefix("unix://")), image, label)
    finally:
        for container in client.containers.list(all=True, filters={"label": label}):
            container.remove(force=True)
        client.images.remove(image, force=True)
        client.close()
