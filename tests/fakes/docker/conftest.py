from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.real import docker_engine

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import Mount, Record, WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.docker.engine import ContainerEngine
from tck_fakes.docker.order import ORDINARY
from tck_fakes.docker.runtime import DockerRuntime
from tck_fakes.docker.ward import Ward
from tck_fakes.images.engine import connect
from tck_fakes.images.standin_image import standins
from tck_simulator.ports import ContainerRequest, ContainerState

from ..box import STATE, fresh, resume  # noqa: TID252 -- as its neighbours one folder up do

#: Who runs in the containers of these tests: whoever runs the tests, and for root an ordinary user.
USER = os.getuid() or ORDINARY


def given(path: Path) -> Path:
    """Give a folder to the user of the containers."""
    path.mkdir(parents=True, exist_ok=True)
    if os.getuid() == 0:
        os.chown(path, USER, USER)
    return path


@dataclass(slots=True)
class Yard:
    """A runtime on the real engine, with a folder for each CLI's state."""

    place: Path
    clock: VirtualClock
    witness: WitnessLog
    ward: Ward
    runtime: DockerRuntime

    def state(self, cli: str) -> Path:
        return given(given(self.place / "state") / cli)

    def request(self, cli: str, *argv: str, stdin: str = "") -> ContainerRequest:
        work = given(self.place / "work")
        state = (Mount(str(self.state(cli)), STATE[cli]),) if cli in STATE else ()
        mounts = (Mount(str(work), "/workspace"), *state)
        environment = (("HOME", "/home/agent"), ("OPENCODE_DB", "/home/agent/sessions/s.db"))
        user = f"{USER}:{USER}"
        return ContainerRequest(
            "image", (cli, *argv), environment, mounts, (("run", "r1"),), 60_000, user=user, stdin=stdin
        )

    def start(self, request: ContainerRequest, adapter: AdapterId | None = None, script: Script | None = None) -> str:
        if adapter is not None and script is not None:
            self.runtime.script(adapter, script)
        return self.runtime.start(request)

    def numbers(self) -> list[str]:
        """Give what the engine calls the containers of this runtime."""
        return list(self.ward.engine.find([self.runtime._label]))

    def fresh(self, cli: str) -> ContainerState:
        return self.runtime.poll(self.runtime.start(self.request(cli, *fresh(cli, "hello"))))

    def resume(self, cli: str, session: str) -> ContainerState:
        return self.runtime.poll(self.runtime.start(self.request(cli, *resume(cli, session, "again"))))

    def last(self, kind: type[Record]) -> Record:
        return [record for record in self.witness.records if isinstance(record, kind)][-1]


@pytest.fixture(scope="session")
def ward() -> Iterator[Ward]:
    """The engine and the image, for all tests."""
    docker_engine()
    engine = ContainerEngine()
    engine.sweep()
    maker = connect()
    held = Ward(engine, standins(maker))
    maker.close()
    yield held
    held.close()


@pytest.fixture
def yard(tmp_path: Path, ward: Ward) -> Iterator[Yard]:
    """A fresh runtime for one test."""
    clock, witness = VirtualClock(), WitnessLog()
    ward.answers.clear()
    runtime = DockerRuntime(ward, clock, witness, given(tmp_path / "0001"), seed=7)
    yield Yard(tmp_path / "0001", clock, witness, ward, runtime)
    runtime.close()
