"""Docker's API as an engine outside finds it."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.connection import About
from tck_driver.process import Command, DriverProcess
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ContainerStarted
from tck_fakes.outside import Outside, client_environment
from tck_fakes.stage import Stage
from tck_kit.driver_keeper import introduce
from tck_kit.engine_choice import EngineChoice

from .house import CODEX, ask

#: A driver that asks docker for its version before anything else, and says in its own version what it was told.
DRIVER = """
import json, os, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect(os.environ["DOCKER_HOST"].removeprefix("unix://"))
link.sendall(b"GET /version HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n")
said = b""
while block := link.recv(65536):
    said += block
version = json.loads(said.partition(b"\\r\\n\\r\\n")[2])["Version"]
for line in sys.stdin:
    asked = json.loads(line)
    who = {"name": "d", "version": version}
    result = {"protocol": 1, "driver": who, "implementation": who | {"language": "Python"}, "capabilities": {},
              "clock": "virtual"} if asked["method"] == "initialize" else {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("d")


def test_a_scenario_is_told_of_it_and_its_containers_are_those_of_the_docker_program(folder: Path) -> None:
    with Outside(folder / "outside") as outside:
        place = Path(outside.urls["docker"].removeprefix("unix://"))
        assert ask(place, "GET", "/containers/json").status == 503
        outside.stage = stage = Stage.at(folder, 1, outside.lock, outside.urls)
        assert stage.endpoints()["docker"] == f"unix://{folder}/outside/docker.sock"
        stage.runtime.script(AdapterId.CODEX, Script("hang"))
        assert ask(place, "POST", "/containers/create?name=nn", {"Image": "image", "Cmd": CODEX}).status == 201
        assert ask(place, "POST", "/containers/nn/start").status == 204
        assert stage.stands_still("nn")
        assert [record.image for record in stage.witness.of(ContainerStarted)] == ["image"]
        assert ask(place, "GET", "/volumes").status == 501
        assert stage.programs.unknown == ["the request GET /volumes"]
        stage.programs.unknown.clear()
        outside.stage = None
        stage.close()
    assert not place.exists()


def test_what_a_driver_starts_reaches_no_other_docker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"):
        monkeypatch.setenv(name, "elsewhere")
    code = "import os; print(*(os.environ.get(n, '') for n in ('DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CERT_PATH')))"
    command = Command((sys.executable, "-c", code), str(folder), client_environment(folder / "bin"))
    process = DriverProcess(command)
    said = b""
    while block := process.read():
        said += block
    process.kill()
    assert said.decode().split() == [f"unix://{folder}/docker.sock"]


def test_a_driver_that_asks_for_docker_as_soon_as_it_begins_is_answered(folder: Path) -> None:
    (folder / "driver.py").write_text(DRIVER)
    choice = EngineChoice("command", (sys.executable, "driver.py"), directory=str(folder))
    said = introduce(choice, folder / "introduction", About("0", "spec", "1", "0" * 64))
    assert (said.declaration.version, said.declaration.capabilities) == ("28.2.2", {})
    assert not (folder / "introduction" / "docker.sock").exists()
    assert [thread.name for thread in threading.enumerate() if "docker" in thread.name] == []
