"""What a peer's driver can reach, asked of a program that is started as one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from unittest.mock import Mock

import pytest

from tck_kit.engine_choice import EngineChoice
from tck_kit.faults import UsageFault
from tck_kit.peers import confining
from tck_kit.peers.confining import NOBODY, confined
from tck_kit.peers.table import PEERS
from tck_kit.probe import sealed
from tck_kit.probe.sealed import Closure, Seal
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
    tmp_path.chmod(0o755)
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


@pytest.fixture
def unsealed(monkeypatch: pytest.MonkeyPatch) -> Closure:
    """A system that gives no namespaces."""
    closure = Closure("not closed: no namespaces", "not hidden: the same")

    def made(_seal: Seal) -> Closure:
        return closure

    monkeypatch.setattr(Seal, "_made", made)
    return closure


def _peer_in(folder: Path) -> None:
    """Make a peer that its owner alone can read."""
    (folder / "site").mkdir(parents=True)
    (folder / "program").write_text("theirs", encoding="utf-8")
    (folder / "site" / "run").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "program").chmod(0o600)
    (folder / "site" / "run").chmod(0o700)
    folder.chmod(0o700)


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user takes root")
OURS = replace(PEERS["zeroshot-10"], built=("site/run",), needs=())


@AS_ROOT
def test_a_package_that_the_other_user_cannot_read_is_copied_for_the_time_of_the_run(
    place: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "peer"
    _peer_in(folder)
    with confined(OURS, folder, place, 1.0) as choice:
        told = _started(choice, "nowhere", "1")
        assert (place / "peer" / "site" / "run").stat().st_mode & 0o777 == 0o755

    assert told["variables"]["TCK_PEER_FOLDER"] == str(place / "peer")
    assert (told["peer"], told["over the peer"]) == ("theirs", "PermissionError")
    assert folder.stat().st_mode & 0o777 == 0o700


@AS_ROOT
@pytest.mark.parametrize(("kind", "most"), [("git", 1000), ("pip", 1)])
def test_a_peer_that_is_not_copied_and_cannot_be_read_is_refused_with_the_cure(
    kind: Literal["git", "pip"], most: int, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tck_kit.peers.confining.MOST_STAGED", most)
    _peer_in(tmp_path / "peer")
    with (
        pytest.raises(UsageFault, match=r"65534\) cannot read it: Permission denied: .*; let everybody read it"),
        confined(replace(OURS, kind=kind), tmp_path / "peer", place, 1.0),
    ):
        raise AssertionError
    assert not (place / "peer").exists()


def test_what_a_driver_is_not_cut_off_from_is_told(
    unsealed: Closure, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed, "_may_become_others", lambda: False)
    with confined(OURS, tmp_path, place, 1.0) as choice:
        limits = choice.confined
    assert limits is not None
    assert limits.open_to == dict.fromkeys(("network", "files", "processes"), unsealed.closed)


@AS_ROOT
def test_another_user_cannot_look_into_our_processes(
    unsealed: Closure, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not unsealed.network
    # That user may not even be able to start our Python where nothing can be hidden.
    monkeypatch.setattr(confining, "_unread", Mock(return_value=""))
    with confined(OURS, tmp_path, place, 1.0) as choice:
        limits = choice.confined
    assert limits is not None
    assert set(limits.open_to) == {"network", "files"}


def test_the_folder_of_a_run_goes_although_the_run_was_killed(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    tmp_path.chmod(0o755)
    (tmp_path / "peer").mkdir()
    script = (
        "import os, pathlib, time\n"
        "from tck_kit.peers.confining import confined\n"
        "from tck_kit.peers.table import PEERS\n"
        f"with confined(PEERS['cyrus-main'], pathlib.Path({str(tmp_path / 'peer')!r}), "
        f"pathlib.Path({str(place)!r}), 1.0):\n"
        "    print(flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-P", "-c", script], stdout=subprocess.PIPE, text=True) as kit:
        assert kit.stdout is not None
        assert kit.stdout.readline() == "\n"
        assert (place / "home").is_dir()
        kit.kill()
    until = time.monotonic() + 20
    while place.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not place.exists()
