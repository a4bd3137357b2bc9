"""Everything through which an engine in another process meets the fakes of the scenario that is open."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tck_fakes.daemon.daemon import Daemon
from tck_fakes.desk import Desk
from tck_fakes.docker_api.listener import DockerListener
from tck_fakes.programs.install import install
from tck_fakes.programs.listener import ProgramListener
from tck_fakes.programs.programs import Programs
from tck_fakes.served import DESK
from tck_fakes.stage import Stage
from tck_fakes.web import Web

#: The folder of the stand-in programs, and the socket that they call.
PROGRAMS, SOCKET = "bin", "programs"
#: The socket of docker's API.
DOCKER = "docker.sock"
#: Whoever gets as far as the worker's folder may start the programs: the engine may be another user's.
_ENTERED, _CALLED = 0o755, 0o666


class Outside:
    """Programs, docker's API, the forge, the model, and the simulator's desk, below one folder, for one worker."""

    def __init__(self, folder: Path) -> None:
        """Listen from now on."""
        self.lock = threading.RLock()
        self.stage: Stage | None = None
        self._path = folder / PROGRAMS
        self._path.mkdir(parents=True)
        install(self._path, folder / SOCKET)
        self._programs = ProgramListener(folder / SOCKET, self._current_programs, self.lock)
        self._programs.start()
        self._docker_socket = folder / DOCKER
        self._docker = DockerListener(self._docker_socket, self._current_daemon, self.lock)
        self._docker.start()
        for place, mode in ((folder, _ENTERED), (folder / SOCKET, _CALLED), (self._docker_socket, _CALLED)):
            place.chmod(mode)
        self._desk = Desk(folder / DESK, lambda: self.stage)
        self._web = Web(lambda: self.stage)

    def __enter__(self) -> Self:
        """Give it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Listen no more."""
        self.close()

    @property
    def path(self) -> Path:
        """The folder that belongs first on an engine's PATH."""
        return self._path

    @property
    def urls(self) -> Mapping[str, str]:
        """The endpoints of a scenario."""
        return {"path": str(self._path), "docker": docker_url(self._docker_socket), **self._web.urls}

    def relayed(self) -> bool:
        """Say whether every stand-in program has written what it was given, and every client of docker taken it."""
        return self._programs.relayed() and self._docker.relayed()

    def close(self) -> None:
        """Listen no more."""
        self._programs.close()
        self._docker.close()
        self._desk.close()
        self._web.close()

    def _current_programs(self) -> Programs | None:
        stage = self.stage
        return None if stage is None else stage.programs

    def _current_daemon(self) -> Daemon | None:
        programs = self._current_programs()
        return None if programs is None else programs.daemon


def docker_url(socket: Path) -> str:
    """Give what DOCKER_HOST has to be for clients to find a socket."""
    return f"unix://{socket}"


def client_environment(path: Path) -> tuple[tuple[str, str], ...]:
    """Give the variables by which clients of docker find the API that is beside the folder of stand-in programs.

    Whatever else leads a client elsewhere is emptied: nothing that an engine starts may reach a real container engine.
    """
    return (
        ("DOCKER_HOST", docker_url(path.with_name(DOCKER))),
        ("DOCKER_CONTEXT", ""),
        ("DOCKER_TLS_VERIFY", ""),
        ("DOCKER_CERT_PATH", ""),
        # It would need a network and a socket of its own; containers that are left over are looked for by the kit.
        ("TESTCONTAINERS_RYUK_DISABLED", "true"),
    )
