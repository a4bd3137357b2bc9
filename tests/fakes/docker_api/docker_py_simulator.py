"""The reference simulator as a driver whose containers are asked of Docker's Engine API, with docker-py.

Everything else it meets as it does behind its own driver. It polls, as an engine does that has no events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError, NotFound
from docker.types import Mount

from tck_driver.server import Server, serve_stdio
from tck_fakes.clock import VirtualClock
from tck_fakes.desk import DeskClient, DeskForge, DeskModels, DeskRemover
from tck_fakes.in_process import InProcessEngine
from tck_fakes.served import DESK, ServedSimulator
from tck_simulator.ports import ContainerRequest, ContainerState

#: Made when the driver begins, before any scenario is open, as engines do.
CLIENT = docker.from_env()
_REFUSED = 125


class DockerPyRuntime:
    """Implements `ContainerRuntime`."""

    def __init__(self) -> None:
        self._gone: dict[str, ContainerState] = {}

    def start(self, request: ContainerRequest) -> str:
        try:
            return str(CLIENT.containers.run(**self._asked(request), detach=True).short_id)
        except APIError as refusal:
            # A container that cannot start has ended: the engine asks for its state as for any other's.
            number = f"refused-{len(self._gone)}"
            self._gone[number] = ContainerState(_REFUSED, "", f"Error response from daemon: {refusal.explanation}\n")
            return number

    def poll(self, container: str) -> ContainerState:
        if container in self._gone:
            return self._gone[container]
        if not container:
            return ContainerState(_REFUSED, "", "")
        try:
            there = CLIENT.containers.get(container)
        except NotFound:
            return ContainerState(_REFUSED, "", f"Error response from daemon: No such container: {container}\n")
        state = there.attrs["State"]
        code = None if state["Running"] else state["ExitCode"]
        streams = (there.logs(stdout=out, stderr=not out).decode() for out in (True, False))
        return ContainerState(code, *streams)

    def run(self, request: ContainerRequest) -> ContainerState:
        container = self.start(request)
        if container not in self._gone:
            CLIENT.containers.get(container).wait()
        state = self.poll(container)
        self.remove(container)
        return state

    def stop(self, container: str) -> None:
        for there in self._there(container):
            if there.status == "running":
                there.kill()

    def remove(self, container: str) -> None:
        for there in self._there(container):
            if there.status == "running":
                there.kill()
            self._gone[container] = self.poll(container)
            there.remove(force=True)

    def find(self, label: str, value: str | None) -> Sequence[str]:
        wanted = label if value is None else f"{label}={value}"
        found = CLIENT.containers.list(all=True, filters={"label": wanted})
        return [str(one.short_id) for one in reversed(found)]

    def _there(self, container: str) -> list[Any]:
        try:
            return [] if not container or container in self._gone else [CLIENT.containers.get(container)]
        except NotFound:
            return []

    def _asked(self, request: ContainerRequest) -> dict[str, Any]:
        return {
            "image": request.image,
            "command": list(request.argv),
            "environment": {"HOME": request.home, **dict(request.environment)},
            "labels": dict(request.labels),
            "mounts": [Mount(one.target, one.source, type="bind", read_only=one.read_only) for one in request.mounts],
            "working_dir": request.workdir,
            "user": request.user,
            "network": request.network,
            "read_only": request.read_only_root,
        }


class DockerPySimulator(ServedSimulator):
    """The simulator, with another way to its containers."""

    def prepare(self, now: datetime, endpoints: Mapping[str, str]) -> None:
        self._leave()
        self._clock = VirtualClock(now)
        self._desk = desk = DeskClient(Path(endpoints["path"]).with_name(DESK), self._clock)
        self._inner = InProcessEngine(
            clock=self._clock,
            runtime=DockerPyRuntime(),
            forge=DeskForge(desk),
            models=DeskModels(desk),
            remover=DeskRemover(desk),
            store=self._store,
            version=self._version,
        )


if __name__ == "__main__":
    serve_stdio(Server(DockerPySimulator, "docker-py simulator driver", metadata.version("session-tck")))
