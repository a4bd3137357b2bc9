"""Agent CLIs that are started without a container."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tck_driver.bench import Link, Script, Write
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted, ContainerEnded, ContainerStarted, Mount

from .box import ADAPTERS, Box, fresh, resume
from .desk import Desk, Reply


def made(folder: Path) -> Path:
    """Make a folder that is the desk's caller's as well, whoever runs the tests."""
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    return folder


@pytest.fixture
def desk(box: Box) -> Desk:
    for name in ("home", "work"):
        made(box.root / name)
    return Desk(box, {"HOME": str(box.root / "home"), "OPENCODE_DB": str(box.root / "home" / "s.db"), "A": "b"})


def start(desk: Desk, cli: str, *argv: str, stdin: str = "") -> Reply:
    return desk.start(cli, *argv, stdin=stdin, cwd=str(desk.root / "work"))


def test_a_cli_without_a_container_is_witnessed_as_the_process_that_it_is(desk: Desk) -> None:
    assert start(desk, "claude", "-p", stdin="hello").code == 0
    (started,) = desk.box.witness.of(ContainerStarted)
    assert started.mounts == (Mount("/", "/", real_source="/"),)
    assert (started.image, started.network, started.user, started.read_only_root) == ("", "host", "7:7", False)
    assert (started.home, started.workdir) == (str(desk.root / "home"), str(desk.root / "work"))
    assert ("A", "b") in started.environment
    assert (started.argv, started.stdin) == (("claude", "-p"), "hello")
    assert [record.how for record in desk.box.witness.of(ContainerEnded)] == ["exited", "removed"]


@pytest.mark.parametrize("cli", ADAPTERS)
def test_a_session_is_kept_below_the_caller_s_home_and_found_again(desk: Desk, cli: str) -> None:
    work = str(desk.root / "work")
    assert start(desk, cli, *fresh(cli, "first")).code == 0
    session = desk.box.witness.of(CliAnswered)[0].session_id
    assert session is not None
    assert any(path.is_file() for path in (desk.root / "home").rglob("*"))
    argv = tuple(work if word == "/workspace" else word for word in resume(cli, session, "second"))
    assert start(desk, cli, *argv).code == 0
    assert desk.box.witness.of(CliAnswered)[1].remembered[:1] == ("first",)
    assert desk.box.witness.of(CliStarted)[1].asked_id == session


def test_sessions_follow_a_home_of_the_cli_s_own(desk: Desk) -> None:
    desk.environment = {"HOME": "/", "CODEX_HOME": str(desk.root / "elsewhere" / "codex")}
    made(desk.root / "elsewhere" / "codex")
    assert start(desk, "codex", *fresh("codex", "hello")).code == 0
    assert any((desk.root / "elsewhere" / "codex" / "sessions").rglob("*.jsonl"))


def test_what_an_agent_writes_stays_below_the_caller_s_folders(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    acts = (
        Write("/workspace/notes.txt", "n"),
        Write("/home/agent/notes.txt", "h"),
        Write(str(outside), "o"),
        Link("/workspace/link", "/home/agent/notes.txt"),
    )
    desk.box.runtime.script(AdapterId.CODEX, Script(acts=acts))
    assert start(desk, "codex", *fresh("codex", "hello")).code == 0
    assert (desk.root / "work" / "notes.txt").read_text() == "n"
    assert (desk.root / "home" / "notes.txt").read_text() == "h"
    assert (desk.root / "work" / "link").readlink() == desk.root / "home" / "notes.txt"
    assert not outside.exists()


def test_a_home_reached_through_a_link_is_written_where_it_leads(desk: Desk) -> None:
    (desk.root / "alias").symlink_to(desk.root / "home")
    desk.environment = {"HOME": str(desk.root / "alias")}
    assert start(desk, "claude", *fresh("claude", "hello")).code == 0
    assert any((desk.root / "home" / ".claude" / "projects").rglob("*.jsonl"))


def test_a_process_of_the_host_is_no_container_of_docker_s(desk: Desk) -> None:
    desk.box.runtime.script(AdapterId.CODEX, Script("hang"))
    start(desk, "codex", *fresh("codex", "hello"))
    (container,) = desk.box.runtime.running()
    assert desk.docker("ps -aq").stdout == ""
    assert desk.docker(f"kill {container}").code == 1
    assert desk.box.runtime.parked(container)


@pytest.mark.parametrize(("how", "code"), [("gone", 137), ("signal", 143)])
def test_a_process_of_the_host_dies_with_its_client(desk: Desk, how: str, code: int) -> None:
    desk.box.runtime.script(AdapterId.CODEX, Script("hang"))
    reply = start(desk, "codex", *fresh("codex", "hello"))
    if how == "gone":
        reply.gone()
    else:
        reply.signal(signal.SIGTERM)
    assert (reply.code, desk.box.runtime.running()) == (code, [])
    ends = [(record.how, record.exit_code) for record in desk.box.witness.of(ContainerEnded)]
    assert ends == [("stopped", code), ("removed", code)]


def test_a_version_is_asked_for_on_the_host_too(desk: Desk) -> None:
    assert start(desk, "grok", "--version").said == (0, "grok 0.1.0\n", "")


def test_a_program_without_a_stand_in_is_the_kit_s_lack(desk: Desk) -> None:
    assert start(desk, "vim").code == 125
    assert desk.programs.unknown == ["the program vim"]


def test_bytes_that_are_no_text_are_read_as_a_real_cli_reads_them(desk: Desk) -> None:
    assert start(desk, "claude", "-p", "--", "caf\udce9").code == 0
    assert desk.box.witness.of(CliStarted)[0].prompt == "caf\ufffd"
