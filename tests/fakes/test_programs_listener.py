"""The kit's side of the socket: what comes is answered, whatever it is, and nothing holds the kit up."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId
from tck_fakes.programs import listener
from tck_fakes.programs.listener import ProgramListener

from .box import Box
from .outside import PATIENCE, Outside, until

CODEX = ("image", "codex", "exec", "--json", "--skip-git-repo-check", "--", "hello")


@pytest.fixture
def outside(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    made = Outside(box, box.root / "bin", tmp_path_factory.mktemp("s") / "kit")
    yield made
    made.listener.close()


def visit(outside: Outside) -> socket.socket:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(PATIENCE)
    link.connect(str(outside.socket))
    return link


def call(*argv: str, program: str = "docker") -> bytes:
    given = {"program": program, "argv": argv, "cwd": "/", "environment": {}, "terminal": False, "user": "1:1"}
    return json.dumps(given).encode() + b"\n"


def everything(link: socket.socket) -> bytes:
    data = b""
    while block := link.recv(65_536):
        data += block
    link.close()
    return data


def framed(text: str, code: int) -> bytes:
    return f"err {len(text)}\n{text}exit {code}\n".encode()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"hello\n", "session-tck: what a program sent is no JSON object\n"),
        (b"[]\n", "session-tck: what a program sent is no JSON object\n"),
        (b"\xff\xfe\n", "session-tck: what a program sent is no JSON object\n"),
        (b"{}\n", "session-tck: what a program sent is no call\n"),
        (b'{"argv": 1, "environment": {}}\n', "session-tck: what a program sent is no call\n"),
    ],
)
def test_what_is_no_call_is_refused(outside: Outside, sent: bytes, said: str) -> None:
    link = visit(outside)
    link.sendall(sent)
    assert everything(link) == framed(said, 125)


def test_a_line_that_is_too_long_is_refused(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MAX_LINE", 1000)
    link = visit(outside)
    link.sendall(b"x" * 1001)
    assert everything(link) == framed("session-tck: a program's call or input is longer than 1000 bytes\n", 125)


def test_whoever_says_nothing_is_let_go(outside: Outside) -> None:
    visit(outside).close()
    assert outside.docker("ps -q") == (0, "", "")


def test_without_a_scenario_nothing_can_be_started(outside: Outside) -> None:
    outside.programs = None
    assert outside.docker("ps") == (125, "", "session-tck: no scenario is open, so nothing can be started\n")


def test_a_fault_of_the_kit_s_own_is_told_and_remembered(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(outside.box.runtime, "create", break_down)
    assert outside.docker("run image claude") == (
        125,
        "",
        "session-tck: a fault of the kit: RuntimeError: out of order\n",
    )
    assert outside.programs is not None
    assert outside.programs.unknown == ["how to begin docker (RuntimeError: out of order)"]


def test_a_signal_while_standard_input_is_read_ends_the_program(outside: Outside) -> None:
    link = visit(outside)
    link.sendall(call("run", "-i", *CODEX))
    assert link.recv(6) == b"stdin\n"
    link.sendall(b'{"signal": 15}\n')
    assert everything(link) == b"exit 143\n"
    assert outside.box.witness.records == []


def test_a_program_that_does_not_read_holds_nobody_up(outside: Outside) -> None:
    answer = "x" * 20_000_000
    outside.box.runtime.script(AdapterId.CLAUDE_CODE, Script("ok", duration_ms=1000, answer=answer))
    link = visit(outside)
    link.sendall(call("run", "--name", "nn", "image", "claude", "-p", "--", "hello"))
    outside.parked("nn")
    with outside.lock:
        outside.box.clock.advance(1000)
    assert outside.docker("ps -aq --filter status=exited")[1] != ""
    assert everything(link) == f"out {len(answer) + 1}\n{answer}\nexit 0\n".encode()


def test_a_program_that_never_reads_is_given_up(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MAX_WAITING", 1_000_000)
    answer = "x" * 2_000_000
    outside.box.runtime.script(AdapterId.CLAUDE_CODE, Script("ok", duration_ms=1000, answer=answer))
    link = visit(outside)
    link.sendall(call("run", "--name", "nn", "image", "claude", "-p", "--", "hello"))
    outside.parked("nn")
    with outside.lock:
        outside.box.clock.advance(1000)
    assert everything(link) == b""


def test_closing_leaves_neither_thread_nor_file_nor_program(outside: Outside) -> None:
    outside.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = outside.start("docker", "run", "--name", "nn", *CODEX)
    outside.parked("nn")
    outside.listener.close()
    outside.listener.close()
    _, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, err.splitlines()[-1]) == (125, "session-tck: the test kit is gone, and docker with it")
    assert not outside.socket.exists()
    assert [thread.name for thread in threading.enumerate() if "program" in thread.name] == []


def test_closing_succeeds_while_the_lock_is_held(outside: Outside) -> None:
    with outside.lock:
        waiting = outside.start("docker", "ps")
        until(lambda: any(thread.name == "program reader" for thread in threading.enumerate()), "a call came")
        outside.listener.close()
    waiting.communicate(timeout=PATIENCE)
    assert waiting.returncode == 125
    assert [thread.name for thread in threading.enumerate() if "program" in thread.name] == []


def test_a_place_without_room_for_a_socket_is_the_kit_s_mistake(tmp_path: Path) -> None:
    lock = threading.RLock()
    with pytest.raises(KitError, match="longer than 103 bytes; use a shorter folder"):
        ProgramListener(tmp_path / ("x" * 104), lambda: None, lock).start()
    with pytest.raises(KitError, match=r"nothing can listen at .*: No such file or directory"):
        ProgramListener(Path("/no/such/folder/s"), lambda: None, lock).start()


def test_a_new_scenario_is_served_by_the_same_listener(outside: Outside) -> None:
    outside.docker("run --name nn image tool-runner")
    assert outside.docker("ps -aq")[1] != ""
    outside.programs = None
    assert outside.docker("ps -aq")[0] == 125


def test_a_program_ends_with_its_scenario(outside: Outside) -> None:
    outside.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = outside.start("docker", "run", "--name", "nn", *CODEX, stdin=subprocess.DEVNULL)
    outside.parked("nn")
    assert outside.programs is not None
    with outside.lock:
        outside.programs.close()
    _, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, err.splitlines()[-1]) == (137, "session-tck: the scenario is over")
