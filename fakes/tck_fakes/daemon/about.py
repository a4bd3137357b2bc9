"""What the daemon says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tck_fakes.container import Container
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.defaults import INFO, VERSION


def information(daemon: Daemon | None) -> dict[str, Any]:
    """Give the document of `docker info`: the little that is true of a daemon that is none."""
    there: Sequence[Container] = () if daemon is None else daemon.runtime.containers()
    running = sum(live.phase == "running" for live in there)
    return INFO | {
        "ServerVersion": VERSION["Version"],
        "Containers": len(there),
        "ContainersRunning": running,
        "ContainersPaused": 0,
        "ContainersStopped": len(there) - running,
        "SystemTime": "" if daemon is None else daemon.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
