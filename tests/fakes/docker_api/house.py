"""Docker's API over a box, served to whatever clients there are; and the clients."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.real import lacking

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ContainerStarted
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.docker_api.listener import DockerListener
from tck_fakes.outside import docker_url
from tck_fakes.programs.programs import Programs

from ..box import Box  # noqa: TID252 -- the room that this one is in
from ..outside import PATIENCE, until  # noqa: TID252 -- the room that this one is in

ROOT = Path(__file__).parents[3]
CODEX = ("codex", "exec", "--json", "--skip-git-repo-check", "--", "hello")
#: Where the variables lead nobody to another docker.
CLEAN = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_API_VERSION")


class UnixConnection(HTTPConnection):
    """A connection of the standard library's, to a Unix socket."""

    def __init__(self, place: Path) -> None:
        super().__init__("docker", timeout=PATIENCE)
        self._place = place

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(str(self._place))


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 -- whatever was answered
        return json.loads(self.body)

    @property
    def message(self) -> str:
        return str(self.json["message"])


def ask(place: Path, method: str, path: str, body: object = None) -> Reply:
    """Send one request on a connection of its own."""
    with contextlib.closing(UnixConnection(place)) as link:
        link.request(method, path, *_sent(body))
        answer = link.getresponse()
        return Reply(answer.status, dict(answer.headers), answer.read())


def _sent(body: object) -> tuple[bytes | None, dict[str, str]]:
    if body is None:
        return None, {}
    return json.dumps(body).encode(), {"Content-Type": "application/json"}


@dataclass(slots=True)
class House:
    """The API over a box."""

    box: Box
    socket: Path
    lock: threading.RLock = field(default_factory=threading.RLock)
    daemon: Daemon | None = field(init=False)
    programs: Programs = field(init=False)
    listener: DockerListener = field(init=False)

    def __post_init__(self) -> None:
        self.programs = Programs(self.box.runtime, self.box.clock)
        self.daemon = self.programs.daemon
        self.listener = DockerListener(self.socket, lambda: self.daemon, self.lock)
        self.listener.start()

    @property
    def url(self) -> str:
        return docker_url(self.socket)

    @property
    def unknown(self) -> list[str]:
        return self.programs.unknown

    def ask(self, method: str, path: str, body: object = None) -> Reply:
        return ask(self.socket, method, path, body)

    def create(self, *argv: str, name: str = "nn", **body: object) -> str:
        reply = self.ask("POST", f"/containers/create?name={name}", {"Image": "image", "Cmd": argv or CODEX, **body})
        assert reply.status == 201, reply.body
        return str(reply.json["Id"])

    def run(self, *argv: str, name: str = "nn", **body: object) -> str:
        made = self.create(*argv, name=name, **body)
        reply = self.ask("POST", f"/containers/{made}/start")
        assert reply.status == 204, reply.body
        return made

    def hang(self, name: str = "nn", **body: object) -> str:
        """Start a codex that names its session and then hangs."""
        self.box.runtime.script(AdapterId.CODEX, Script("hang"))
        return self.run(name=name, **body)

    def started(self, mark: int = 0) -> ContainerStarted:
        (record,) = self.box.witness.of(ContainerStarted, mark)
        return record

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in CLEAN}
        return {**kept, "DOCKER_HOST": self.url, "TESTCONTAINERS_RYUK_DISABLED": "true", **more}

    def docker(self, *words: str, stdin: str | None = None) -> tuple[int, str, str]:
        """Run the real docker command to its end."""
        done = subprocess.run(
            (docker_command(), *words),
            env=self.environment(),
            cwd=self.box.root,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def spawn(self, *words: str) -> subprocess.Popen[str]:
        """Start the real docker command, and do not wait."""
        return subprocess.Popen(
            (docker_command(), *words),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def parked(self, name: str) -> None:
        """Wait until a container stands still."""

        def stands() -> bool:
            with self.lock:
                return self.box.runtime.parked(name)

        until(stands, f"{name} stands still")

    def release(self) -> None:
        with self.lock:
            self.box.runtime.release()


@contextlib.contextmanager
def opened(box: Box, place: Path) -> Iterator[House]:
    house = House(box, place)
    try:
        yield house
    finally:
        with house.lock:
            house.programs.close()
        house.listener.close()


def docker_command() -> str:
    """Need the docker command; any that speaks the API will do."""
    found = shutil.which("docker")
    if found is None:
        lacking(
            "docker-cli", "the docker command is missing; install it with: apt-get install docker-cli, or docker.io"
        )
        pytest.fail("not reached")
    return found


def dockerode() -> dict[str, str]:
    """Need dockerode; give the variables that node finds it by."""
    peers = ROOT / "build" / "peers" / "node_modules"
    if shutil.which("node") is None:
        lacking("node", "node is missing; install it with: apt-get install nodejs")
    if not (peers / "dockerode").exists():
        lacking("dockerode", "dockerode is missing; install it with: npm install --prefix build/peers dockerode@5")
    return {"NODE_PATH": str(peers)}
