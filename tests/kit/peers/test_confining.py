"""What a peer's driver can reach, asked of a program that is started as one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tck_kit.engine_choice import EngineChoice
from tck_kit.faults import UsageFault
from tck_kit.peers.confining import NOBODY, confined
from tck_kit.peers.table import PEERS
from tck_kit.workers import Workers

#: Tells in JSON what it finds; each try is told as what came of it.
PROGRAM = """
import json, os, pathlib, socket, sys
def tried(do):
    try:
        do()
    except OSError as fault:
        return fault.__class__.__name__
    return "done"
def connect(address):
    with socket.create_connection(address, 2):
        pass
listening = socket.create_server(("127.0.0.1", 0))
given = pathlib.Path(os.environ["TCK_PEER_FOLDER"])
print(json.dumps({
    "user": os.getuid(),
    "variables": dict(os.environ),
    "folder": os.getcwd(),
    "home": tried(lambda: pathlib.Path(os.environ["HOME"], "x").write_text("x")),
    "peer": given.joinpath("program").read_text(),
    "over the peer": tried(lambda: given.joinpath("program").write_text("x")),
    "secret": os.path.exists(sys.argv[1]),
    "loopback": tried(lambda: connect(listening.getsockname())),
    "outside": tried(lambda: connect(("127.0.0.1", int(sys.argv[2])))),
    "drivers": tried(lambda: __import__("tck_peers")),
}))
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """The folder of a run, as a run has it."""
    with Workers(0) as pool:
        yield pool.folder


def _started(choice: EngineChoice, *arguments: str) -> dict[str, Any]:
    # The last words are the driver's module.
    words = (*choice.words[: choice.words.index("-m")], "-c", PROGRAM, *arguments)
    done = subprocess.run(
        words, cwd=choice.directory, env=dict(choice.environment), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_driver_has_its_own_user_home_and_environment_and_no_network(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket  # noqa: PLC0415 -- for this test alone

    secret = tmp_path / "secret"
    secret.write_text("x", encoding="utf-8")
    folder = tmp_path / "peer"
    folder.mkdir()
    (folder / "program").write_text("theirs", encoding="utf-8")
    monkeypatch.setenv("A_TOKEN", "x")
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        confined(replace(PEERS["zeroshot-10"], needs=()), folder, place, 1.0) as choice,
    ):
        told = _started(choice, str(secret), str(listening.getsockname()[1]))
        limits = choice.confined

    assert limits is not None
    assert told["user"] == limits.user == (NOBODY if os.geteuid() == 0 else os.geteuid())
    assert "A_TOKEN" not in told["variables"]
    assert told["variables"]["TCK_PEER"] == "zeroshot-10"
    assert told["variables"]["TCK_PEER_VERSION"] == "10.19.1.post1"
    assert told["folder"] == told["variables"]["HOME"] == str(place / "home")
    assert (told["home"], told["peer"], told["loopback"], told["drivers"]) == ("done", "theirs", "done", "done")
    if not limits.network:
        assert told["outside"] == "ConnectionRefusedError"
        assert not told["secret"]
        assert told["over the peer"] == "OSError"


def test_what_it_runs_with_is_found_after_the_stand_ins_and_nothing_else_of_the_caller_is(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools" / "bin"
    tools.mkdir(parents=True)
    program = tools / "of-its-own"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{tmp_path}:{os.environ['PATH']}")
    with confined(replace(PEERS["zeroshot-10"], needs=("of-its-own",)), tmp_path, place, 1.0) as choice:
        path = dict(choice.environment)["PATH"].split(":")

    assert path == [str(tools.resolve()), "/usr/local/bin", "/usr/bin", "/bin"]


def test_a_run_of_a_peer_is_named_after_it(place: Path, tmp_path: Path) -> None:
    with confined(replace(PEERS["cyrus-main"], needs=()), tmp_path, place, 2.0) as choice:
        assert (choice.shown, choice.transport, choice.timeout_scale) == ("peer:cyrus-main", "stdio", 2.0)


def test_where_no_program_of_ours_can_be_started_that_is_no_drivers_fault(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho it has no library >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr("tck_kit.peers.confining.sys.executable", str(broken))
    with (
        pytest.raises(UsageFault, match="cannot start it: it has no library; let everybody read it"),
        confined(replace(PEERS["zeroshot-10"], needs=()), tmp_path, place, 1.0),
    ):
        raise AssertionError
