"""`session-tck model-server`, as its users start and end it."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tck_fakes.modelserver.asked import heard, read_log
from tck_fakes.modelserver.faults import FAULTS

from .conftest import Command

MARK = "tck-0a1b2c3d"
SAID = b'{"model": "m", "messages": [{"role": "user", "content": "%b"}]}' % MARK.encode()


@contextmanager
def started(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command; give it, and the line that it prints."""
    given = [sys.executable, "-P", "-m", "tck_kit.command_line", "model-server", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(given, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().rstrip("\n")
        finally:
            process.kill()


def ended(process: subprocess.Popen[str], number: int) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def _post(url: str, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
    link = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        link.request("POST", "/v1/messages", SAID, dict(headers or {}))
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_says_where_it_is_and_ends_cleanly(tmp_path: Path, number: int) -> None:
    log = tmp_path / "log.jsonl"
    with started("--log", str(log)) as (process, url):
        status, answer = _post(url, {"x-api-key": "sk-opens-nothing"})
        assert (status, heard(answer)) == (200, (MARK,))
        assert ended(process, number) == (0, "", "")
    assert [one.marks for one in read_log(log)] == [(MARK,)]
    assert "sk-opens" not in log.read_text()


def test_a_request_that_hangs_does_not_keep_it_from_ending() -> None:
    with started("--fault", "hang") as (process, url):
        words = [sys.executable, "-c", "import sys, urllib.request as u; u.urlopen(sys.argv[1], sys.argv[2].encode())"]
        with subprocess.Popen([*words, f"{url}/v1/messages", SAID], stderr=subprocess.DEVNULL) as client:
            assert ended(process, signal.SIGTERM) == (0, "", "")
            assert client.wait(60) != 0


def test_faults_are_given_by_name() -> None:
    with started("--fault", "429=2", "--fault", "401") as (_, url):
        assert [_post(url)[0] for _ in range(4)] == [429, 429, 401, 401]


def test_a_socket_goes_when_it_ends(tmp_path: Path) -> None:
    place = tmp_path / "model.sock"
    with started("--socket", str(place)) as (process, url):
        assert url == f"unix:{place}"
        assert place.is_socket()
        assert ended(process, signal.SIGTERM) == (0, "", "")
    assert not place.exists()


def test_help_names_every_fault(command: Command) -> None:
    shown = command("model-server", "--help").stdout
    assert [fault for fault in FAULTS if f"\n    {fault} " not in shown] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--fault", "nope"), "--fault: there is no fault 'nope'; there are down, 401"),
        (("--fault", "429=0"), "--fault: '429=0' has no usable count"),
        (("--fault", "429", "--fault", "500"), "--fault: 429 and 500 cannot both be always"),
        (("--port", "70000"), "70000"),
        (("--port", "1", "--socket", "x"), "--socket: a port and a socket are both given"),
        (("--log", "nowhere/log"), "--log nowhere/log: No such file or directory"),
        (("--log", "."), "--log .: Is a directory"),
        (("--socket", "file"), "--socket file: File exists"),
        (("--socket", "nowhere/s"), "--socket nowhere/s: No such file or directory"),
        (("--socket", "x" * 200), "too long"),
        (("more",), "unexpected extra argument"),
    ],
)
def test_bad_input_is_one_clear_error(command: Command, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (tmp_path / "file").write_text("mine")
    done = command("model-server", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_a_port_that_somebody_has_is_said(command: Command) -> None:
    with started() as (_, url):
        port = url.rpartition(":")[2]
        done = command("model-server", "--port", port)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--port {port}: Address already in use" in done.stderr
