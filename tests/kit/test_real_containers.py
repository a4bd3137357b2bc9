"""`session-tck run --runtime docker`: real containers, and what is said where there are none."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.real import docker_engine

from tck_fakes.docker.engine import ContainerEngine, _ownerless
from tck_fakes.docker.order import OWNER

COMMAND = (sys.executable, "-P", "-m", "tck_kit.command_line", "run", "--runtime", "docker", "--no-project-file")


def _run(*words: str, limit: float = 600, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=limit,
    )


def _report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return found


def _left(*, swept: bool = False) -> list[str]:
    """Give the containers whose owners are no more, once they were swept or before."""
    engine = ContainerEngine()
    try:
        if swept:
            engine.sweep()
        found = engine.client.api.containers(all=True, filters={"label": OWNER})
        return [one["Id"] for one in found if _ownerless(one["Labels"][OWNER], one["State"], one["Created"])]
    finally:
        engine.close()


# Where there is none


def test_no_engine_is_a_mistake_that_is_told_in_one_line() -> None:
    pytest.importorskip("docker", reason="the Python package docker is missing: pip install 'session-tck[containers]'")
    done = _run("--requirement", "ISOLATE-12", DOCKER_HOST="unix:///no/such/docker.sock")
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "--runtime docker: no container engine answers" in said
    assert "start Docker, or name its socket in DOCKER_HOST" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("package", ["docker", "testcontainers"])
def test_a_missing_package_is_a_mistake_that_is_told_in_one_line(package: str) -> None:
    pytest.importorskip("docker", reason="the Python package docker is missing: pip install 'session-tck[containers]'")
    code = f"import sys; sys.modules[{package!r}] = None\nfrom tck_kit.command_line import main\nsys.exit(main())"
    words = ("run", "--runtime", "docker", "--no-project-file", "--requirement", "ISOLATE-12")
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert "pip install 'session-tck[containers]'" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("engine", ["sim+stdio", "sim+http", "node driver.js", "http://127.0.0.1:9"])
def test_real_containers_are_for_the_simulator_in_process(engine: str) -> None:
    done = _run("--engine", engine)
    assert done.returncode == 2
    assert "it is for the simulator in process" in " ".join(done.stderr.split())


def test_real_containers_are_for_this_machine() -> None:
    done = _run("--cluster", "local:2")
    assert done.returncode == 2
    assert "leave out --cluster" in " ".join(done.stderr.split())


@pytest.mark.parametrize("host", ["tcp://127.0.0.1:9", "ssh://nobody@127.0.0.1:9"])
def test_an_engine_of_another_machine_is_refused_before_anything_is_asked_of_it(host: str) -> None:
    pytest.importorskip("docker", reason="the Python package docker is missing: pip install 'session-tck[containers]'")
    done = _run("--requirement", "NAME-3", DOCKER_HOST=host)
    assert done.returncode == 2
    assert f"its containers would be on another machine, at {host}" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*COMMAND, "--base", "no/such:image", "--cluster", "local:2"), "leave out --cluster"),
        ((*COMMAND[:5], "--no-project-file", "--base", "python:3"), "--base: it is the base of real containers"),
    ],
)
def test_a_base_is_for_real_containers(words: Sequence[str], said: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_a_stand_in_of_an_engine_that_closes_nothing_is_taken_for_none() -> None:
    pytest.importorskip("docker", reason="the Python package docker is missing: pip install 'session-tck[containers]'")
    folder = Path(tempfile.mkdtemp(prefix="tck-api-"))
    listens = folder / "s"
    words = [sys.executable, "-P", "-m", "tck_kit.command_line", "docker-api", "--socket", str(listens)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as stand_in:
        try:
            while not listens.is_socket():
                assert stand_in.poll() is None
                time.sleep(0.05)
            done = _run("--requirement", "NAME-3", DOCKER_HOST=f"unix://{listens}")
        finally:
            stand_in.send_signal(signal.SIGINT)
    shutil.rmtree(folder)
    assert done.returncode == 2
    assert "did not come up" in " ".join(done.stderr.split())


# Where there is one


@pytest.mark.skipif(os.getuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare")
def test_an_engine_that_does_not_see_this_machines_folders_is_a_mistake_that_is_told_before_the_first_scenario() -> (
    None
):
    docker_engine()
    hidden = 'mount -t tmpfs none /dev/shm && mount -t tmpfs none /tmp && exec "$@"'
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hidden, "sh", *COMMAND, "--requirement", "ISOLATE-12"],
        # Its socket is still to be found where the folders of temporary files are hidden.
        env={**os.environ, "DOCKER_HOST": f"unix:///proc/{os.getpid()}/root{host.removeprefix('unix://')}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    said = " ".join(done.stderr.split())
    assert done.returncode == 2, said
    assert "starts no container of this machine" in said
    assert "bind source path does not exist" in said
    assert "session-tck containers check" in said


def test_scenarios_pass_in_real_containers_of_two_workers_at_once(tmp_path: Path) -> None:
    docker_engine()
    done = _run("--requirement", "ISOLATE-3", "--workers", "2", "--seed", "1", "--report-dir", str(tmp_path))
    assert done.returncode == 3, done.stderr
    report = _report(tmp_path)
    assert {check["outcome"] for check in report["checks"]} == {"passed"}
    met = report["run"]["surroundings"]
    assert met["containers"].startswith("docker ")
    assert met["isolation"] == "enforced"
    assert _left() == []


@pytest.mark.parametrize(("mutant", "requirement"), [("all-sessions-mounted", "ISOLATE-3")])
def test_an_engine_that_mounts_too_much_is_caught_on_real_containers_too(
    tmp_path: Path, mutant: str, requirement: str
) -> None:
    docker_engine()
    words = ("--engine", f"mutant:{mutant}", "--requirement", requirement, "--workers", "2", "--seed", "1")
    done = _run(*words, "--report-dir", str(tmp_path))
    assert done.returncode == 1, done.stderr
    failed = [check for check in _report(tmp_path)["checks"] if check["outcome"] == "failed"]
    assert failed
    assert {check["blame"] for check in failed} == {"engine"}


def test_an_interrupted_run_leaves_no_container(tmp_path: Path) -> None:
    docker_engine()
    words = ("--area", "ISOLATE", "--workers", "2", "--report-dir", str(tmp_path / "report"))
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "1 of" in line:
            break
    process.send_signal(signal.SIGINT)
    process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=120) == 3
    assert _left() == []


_HANGS = """
import sys, threading, time
from pathlib import Path
from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.docker.engine import ContainerEngine, _ownerless
from tck_fakes.docker.runtime import DockerRuntime
from tck_fakes.docker.ward import Ward
from tck_fakes.images.standin_image import standins
from tck_simulator.ports import ContainerRequest

engine = ContainerEngine()
place = Path(sys.argv[1])
runtime = DockerRuntime(Ward(engine, standins(engine.client)), VirtualClock(), WitnessLog(), place)
runtime.script(AdapterId.CODEX, Script("hang"))
words = ("codex", "exec", "--json", "--skip-git-repo-check", "--", "x")
runtime.start(ContainerRequest("i", words, (("HOME", "/home/agent"),), (), (), 1000, user="12345:12345"))
print(runtime._label, flush=True)
time.sleep(600)
"""


def test_what_a_killed_worker_has_left_is_swept_at_the_next_start_and_nothing_of_one_that_lives(tmp_path: Path) -> None:
    docker_engine()
    engine = ContainerEngine()
    workers: list[subprocess.Popen[str]] = []
    try:
        labels: list[str] = []
        for number in (0, 1):
            (tmp_path / str(number)).mkdir()
            words = [sys.executable, "-P", "-c", _HANGS, str(tmp_path / str(number))]
            workers.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        for worker in workers:
            assert worker.stdout is not None
            labels.append(worker.stdout.readline().strip())
        assert [len(engine.find([label], running=True)) for label in labels] == [1, 1]
        workers[0].kill()
        workers[0].wait()
        assert len(engine.find([labels[0]], running=True)) == 1
        engine.sweep()
        assert engine.find([labels[0]]) == []
        assert len(engine.find([labels[1]], running=True)) == 1
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
            if worker.stdout is not None:
                worker.stdout.close()
        engine.sweep()
        engine.close()


@dataclass(slots=True)
class Gate:
    """Stands between the kit and the engine, and can be shut: then the engine has vanished."""

    path: Path
    real: str
    listener: socket.socket
    links: list[socket.socket]
    shut: bool = False

    def serve(self) -> None:
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            other = socket.socket(socket.AF_UNIX)
            other.connect(self.real)
            self.links += [one, other]
            for source, sink in ((one, other), (other, one)):
                threading.Thread(target=_relay, args=(source, sink), daemon=True).start()

    def close(self) -> None:
        self.shut = True
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.path.unlink(missing_ok=True)
        for link in self.links:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)


def _relay(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture
def gate() -> Iterator[Gate]:
    docker_engine()
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not host.startswith("unix://"):
        pytest.skip("the engine is not reached through a socket of this host; set DOCKER_HOST to one")
    # A socket's path has to be short, and its folder one that an ordinary user gets to.
    folder = Path(tempfile.mkdtemp(prefix="tck-gate-"))
    folder.chmod(0o755)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "docker.sock"))
    listener.listen()
    (folder / "docker.sock").chmod(0o666)
    made = Gate(folder / "docker.sock", host.removeprefix("unix://"), listener, [])
    thread = threading.Thread(target=made.serve, daemon=True)
    thread.start()
    yield made
    made.close()
    thread.join(5)
    for link in made.links:
        link.close()
    shutil.rmtree(folder)


def test_an_engine_that_vanishes_is_one_clear_error_of_the_kits(gate: Gate, tmp_path: Path) -> None:
    words = ("--area", "ISOLATE", "--workers", "2", "--report-dir", str(tmp_path / "report"))
    process = subprocess.Popen(
        [*COMMAND, *words],
        env={**os.environ, "DOCKER_HOST": f"unix://{gate.path}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if "1 of" in line:
            break
    time.sleep(1)
    gate.close()
    said.append(process.stdout.read())
    process.stdout.close()
    assert process.wait(timeout=120) == 4
    text = " ".join("".join(said).split())
    assert text.count("the container engine is gone") == 1
    assert "Traceback" not in text
    # What was running goes on without anybody, until somebody comes again.
    assert _left(swept=True) == []
