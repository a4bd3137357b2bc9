"""`session-tck docker-api`: the stand-in by itself."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import click
import pytest

from tck_kit.docker_api_command import docker_api

PATIENCE = 60
COMMAND = (sys.executable, "-m", "tck_kit.command_line", "docker-api")


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("d")


@contextlib.contextmanager
def serving(folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Serve until the end of the block; the first line has been read."""
    words = (*COMMAND, "--socket", str(folder / "s"), *more)
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        text = "it records what containers are asked for, and isolates nothing"
        assert line == f"Docker's API at unix://{folder}/s: {text}\n", running.stderr
        yield running
    finally:
        if running.poll() is None:
            running.kill()
        running.communicate(timeout=PATIENCE)


def ask(folder: Path, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 -- whatever was answered
    with contextlib.closing(HTTPConnection("docker", timeout=PATIENCE)) as link:
        link.sock = socket.socket(socket.AF_UNIX)
        link.sock.settimeout(PATIENCE)
        link.sock.connect(str(folder / "s"))
        sent = None if body is None else json.dumps(body).encode()
        link.request(method, path, sent, {"Content-Type": "application/json"})
        said = link.getresponse().read()
    return json.loads(said) if said else None


def refused(*words: str) -> str:
    done = subprocess.run((*COMMAND, *words), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("Traceback")) == (2, "", 0)
    return done.stderr


def run(folder: Path) -> float:
    """Run a container to its end; give the seconds that it took."""
    body = {"Image": "image", "Cmd": ["claude", "-p", "--", "a secret"], "Env": ["A=b"]}
    made = ask(folder, "POST", "/containers/create", body)["Id"]
    begun = time.monotonic()
    ask(folder, "POST", f"/containers/{made}/start")
    assert ask(folder, "POST", f"/containers/{made}/wait")["StatusCode"] == 0
    return time.monotonic() - begun


def test_what_is_asked_and_what_was_witnessed_is_logged_for_its_owner_alone(folder: Path) -> None:
    log = folder / "log"
    with serving(folder, "--log", str(log)) as running:
        run(folder)
        ask(folder, "GET", "/volumes")
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out, err) == (0, "", "not known to the stand-in: the request GET /volumes\n")
    assert not (folder / "s").exists()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["status"] for line in lines if "request" in line] == [201, 204, 200, 501]
    assert lines[-1] == {"request": "GET /volumes", "status": 501, "unknown": ["the request GET /volumes"]}
    kinds = [line["witnessed"] for line in lines if "witnessed" in line]
    assert kinds == ["ContainerStarted", "CliStarted", "CliAnswered", "ContainerEnded"]
    started = next(line for line in lines if line.get("witnessed") == "ContainerStarted")
    assert (started["argv"], started["environment"]) == (["claude", "-p", "--", "a secret"], [["A", "b"]])


def test_a_run_takes_as_long_as_it_is_said_to(folder: Path) -> None:
    with serving(folder, "--duration", "0.3"):
        # Each of them, and not just the first.
        assert min(run(folder), run(folder)) >= 0.3


def test_a_socket_that_nobody_listens_at_any_more_is_no_hindrance(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "s"))
    with serving(folder) as running:
        assert "somebody listens there" in refused("--socket", str(folder / "s"))
        running.terminate()
        assert running.wait(PATIENCE) == 0


def test_it_may_be_ended_as_soon_as_its_first_line_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(text: str) -> None:
        assert text.startswith("Docker's API at ")
        raise KeyboardInterrupt

    monkeypatch.setattr(click, "echo", interrupt)
    assert docker_api.main(["--socket", str(folder / "s")], standalone_mode=False) == 0
    assert not (folder / "s").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
def test_a_log_that_cannot_be_written_ends_it_with_one_line(folder: Path) -> None:
    with serving(folder, "--log", "/dev/full") as running:
        with contextlib.suppress(OSError, HTTPException):
            # It may end before it answers.
            ask(folder, "GET", "/version")
        out, err = running.communicate(timeout=PATIENCE)
    said = "session-tck: --log /dev/full: it cannot be written: No space left on device; name another file\n"
    assert (running.returncode, out, err) == (2, "", said)
    assert not (folder / "s").exists()


def test_what_cannot_be_listened_at_is_refused_in_one_line(folder: Path) -> None:
    (folder / "file").write_text("mine")
    for place, text in (
        (folder / "file", "there is a file already"),
        (folder / "none" / "s", "nothing can listen at"),
        (folder / ("x" * 104), "is longer than 103 bytes"),
    ):
        said = refused("--socket", str(place))
        assert (text in said, said.count("\n")) == (True, 1), said
    assert (folder / "file").read_text() == "mine"
    assert "cannot be written" in refused("--socket", str(folder / "s"), "--log", str(folder / "none" / "log"))
    assert "Missing option '--socket'" in refused()
    assert "--duration" in refused("--socket", str(folder / "s"), "--duration", "-1")
