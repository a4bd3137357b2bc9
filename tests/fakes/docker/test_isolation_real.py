"""Isolation that is tried from inside: what holds on a real engine, and that the kit notices where it does not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tck_driver.errors import KitError
from tck_driver.witness import CliAnswered, ContainerStarted, Mount
from tck_fakes.docker import runtime as module
from tck_fakes.docker.order import Order, order
from tck_simulator.ports import ContainerRequest

from ..box import STATE, fresh, resume  # noqa: TID252 -- as its neighbours one folder up do
from .conftest import USER, Yard, given

ROOT = pytest.mark.skipif(os.getuid() != 0, reason="files of another user can be made by root alone")


def _secret(yard: Yard) -> Path:
    """Leave another mailbox's session beside the own one."""
    other = given(yard.place / "other")
    (other / "secret.jsonl").write_text("another mailbox's", encoding="utf-8")
    return other


def _wide(words: dict[str, Any], yard: Yard) -> None:
    words["mounts"].append({"Target": "/srv/all", "Source": str(_secret(yard)), "Type": "bind", "ReadOnly": True})


def _exchanged(words: dict[str, Any], yard: Yard) -> None:
    words["mounts"][1]["Source"] = str(_secret(yard))


def _open_worktree(words: dict[str, Any], _yard: Yard) -> None:
    words["mounts"][0]["ReadOnly"] = False


def _ro_state(words: dict[str, Any], _yard: Yard) -> None:
    words["mounts"][1]["ReadOnly"] = True


#: A runtime that does something else than it was asked, and what the kit says of it.
LIES: dict[str, tuple[Callable[[dict[str, Any], Yard], object], str]] = {
    "a mount that nobody asked for": (_wide, "/srv/all is mounted, and nobody asked for that"),
    "another mailbox's state": (_exchanged, "is not what lies at"),
    "a read-only mount that can be written": (_open_worktree, "/workspace is mounted read-write"),
    "state that cannot be written": (_ro_state, "/home/agent/.claude/projects is mounted read-only"),
    "a lost mount": (lambda words, _: words["mounts"].pop(1), "/home/agent/.claude/projects is not mounted"),
    "another user": (lambda words, _: words.update(user="4242:4242"), "did not come up: exit code 1, "),
    "a root that can be written": (lambda words, _: words.update(read_only=False), "the root file system is mounted"),
    "capabilities": (lambda words, _: words.update(cap_drop=[]), "the process holds capabilities: CapBnd"),
    "new privileges": (lambda words, _: words.pop("security_opt"), "the process may gain privileges"),
    "no limit of memory": (lambda words, _: [words.pop(one) for one in ("mem_limit", "memswap_limit")], "memory"),
    "no limit of processes": (lambda words, _: words.pop("pids_limit"), "the limit of pids is max in place of"),
    "the network of the host": (lambda words, _: words.update(network="host"), "there is a network"),
    "another directory": (lambda words, _: words.update(working_dir="/"), "the working directory is / in place"),
    "a variable": (lambda words, _: words["environment"].update(MORE="x"), "nobody asked for: MORE"),
    "other arguments": (lambda words, _: words["command"].append("--more"), "the arguments are"),
    "the home directory of nobody": (lambda words, _: words["tmpfs"].pop("/home/agent"), "the home directory cannot"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_container_engine_that_does_something_else_is_found_out(
    yard: Yard, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    change, said = LIES[lie]

    def lying(request: ContainerRequest, image: str, socket: str, labels: dict[str, str]) -> Order:
        asked = order(request, image, socket, labels)
        words = dict(asked.words)
        change(words, yard)
        return replace(asked, words=words)

    monkeypatch.setattr(module, "order", lying)
    request = yard.request("claude", *fresh("claude", "x"))
    request = replace(request, mounts=(replace(request.mounts[0], read_only=True), request.mounts[1]))
    with pytest.raises(KitError, match=r"did not do what it was asked|did not come up") as caught:
        yard.runtime.start(request)
    assert said in str(caught.value)
    yard.runtime.close()
    assert yard.numbers() == []


def test_an_engine_under_test_that_asks_for_too_much_gets_it_and_is_graded_by_that(yard: Yard) -> None:
    request = yard.request("claude", *fresh("claude", "x"))
    other = _secret(yard)
    greedy = replace(request, mounts=(*request.mounts, Mount(str(other), "/home/agent/.others", read_only=True)))
    assert yard.runtime.poll(yard.runtime.start(greedy)).exit_code == 0
    everything = replace(request, mounts=(*request.mounts, Mount(str(yard.place), "/home/agent/.all", read_only=True)))
    assert yard.runtime.poll(yard.runtime.start(everything)).exit_code == 0


def test_links_in_a_state_directory_lead_nowhere_from_inside(yard: Yard) -> None:
    other = _secret(yard)
    yard.fresh("claude")
    state = yard.state("claude")
    for name, target in (("dir", str(other)), ("file", f"{other}/secret.jsonl"), ("round", ".."), ("host", "/etc")):
        (state / name).symlink_to(target)
    assert yard.fresh("claude").exit_code == 0
    assert (other / "secret.jsonl").read_text(encoding="utf-8") == "another mailbox's"


def test_a_link_in_place_of_a_source_is_followed_as_asked_and_on_record(yard: Yard) -> None:
    other = _secret(yard)
    request = yard.request("claude", *fresh("claude", "x"))
    shutil.rmtree(yard.state("claude"))
    (yard.place / "state" / "claude").symlink_to(other)
    yard.runtime.start(request)
    started = yard.witness.of(ContainerStarted)[0]
    assert (started.mounts[1].source, started.mounts[1].real_source) == (request.mounts[1].source, str(other))


@pytest.mark.parametrize("cli", ["claude", "codex", "copilot"])
def test_a_pipe_among_the_files_of_a_session_keeps_nobody_waiting(yard: Yard, cli: str) -> None:
    yard.fresh(cli)
    session = yard.witness.of(CliAnswered)[-1].session_id
    assert session is not None
    for folder in {path.parent for path in yard.state(cli).rglob("*") if path.is_file()} | {yard.state(cli)}:
        os.mkfifo(folder / "aaa.jsonl")
    yard.resume(cli, session)
    assert yard.witness.of(CliAnswered)[-1].exit_code is not None


def test_state_that_cannot_be_written_saves_nothing_and_says_so_to_the_kit(yard: Yard) -> None:
    request = yard.request("claude", *fresh("claude", "x"))
    yard.state("claude").chmod(0o500)
    yard.runtime.start(request)
    assert not yard.witness.of(CliAnswered)[-1].saved
    assert list(yard.state("claude").iterdir()) == []


@ROOT
def test_state_of_another_user_can_be_neither_read_nor_written(yard: Yard) -> None:
    yard.fresh("claude")
    session = yard.witness.of(CliAnswered)[-1].session_id
    assert session is not None
    held = next(path for path in yard.state("claude").rglob(f"{session}.jsonl"))
    os.chown(held, 4242, 4242)
    held.chmod(0o600)
    before = held.read_bytes()
    yard.resume("claude", session)
    assert yard.witness.of(CliAnswered)[-1].remembered == ()
    assert held.read_bytes() == before


@ROOT
def test_a_state_directory_of_root_saves_nothing(yard: Yard) -> None:
    request = yard.request("claude", *fresh("claude", "x"))
    os.chown(yard.state("claude"), USER, USER)
    os.chown(yard.place / "state" / "claude", 0, 0)
    yard.runtime.start(request)
    assert not yard.witness.of(CliAnswered)[-1].saved


def test_an_image_without_a_stand_in_that_speaks_is_no_engines_fault(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mute(request: ContainerRequest, image: str, socket: str, labels: dict[str, str]) -> Order:
        asked = order(request, image, socket, labels)
        return replace(asked, words={**asked.words, "command": ["sh", "-c", "echo broken >&2; exit 3"]})

    monkeypatch.setattr(module, "order", mute)
    with pytest.raises(KitError, match="did not come up: exit code 3, broken"):
        yard.fresh("claude")


def test_every_place_of_state_belongs_to_the_user_who_runs_there(yard: Yard) -> None:
    """Credentials lie beside the sessions in a home directory whose every folder the CLI can write."""
    secret = yard.place / "secret"
    secret.write_text("key", encoding="utf-8")
    request: ContainerRequest = yard.request("codex", *fresh("codex", "x"))
    mounts = (*request.mounts, Mount(str(secret), "/home/agent/.codex/auth.json", read_only=True))
    assert yard.runtime.poll(yard.runtime.start(replace(request, mounts=mounts))).exit_code == 0
    assert STATE["codex"].startswith("/home/agent/.codex/")


def test_a_session_of_another_mailbox_is_not_there_to_be_resumed(yard: Yard) -> None:
    yard.fresh("claude")
    session = yard.witness.of(CliAnswered)[-1].session_id
    assert session is not None
    request = yard.request("claude", *resume("claude", session, "x"))
    mine = given(yard.place / "mine")
    state = yard.runtime.poll(
        yard.runtime.start(replace(request, mounts=(request.mounts[0], Mount(str(mine), STATE["claude"]))))
    )
    assert state.exit_code == 1
    assert "No conversation found" in state.stdout + state.stderr
