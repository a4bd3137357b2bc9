"""A request in the words of the Docker SDK: nothing is added that an engine could be blamed for, nothing left open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tck_driver.witness import Mount
from tck_fakes.docker.order import MEMORY, ORDINARY, PIDS, order, ordinary
from tck_simulator.ports import ContainerRequest

pytest.importorskip("docker", reason="the Python package docker is missing: pip install 'session-tck[containers]'")

REQUEST = ContainerRequest(
    image="agents/codex:1",
    argv=("codex", "exec", "--", "say hello"),
    environment=(("HOME", "/home/agent"), ("OPENCODE_DB", "/x")),
    mounts=(
        Mount("/base/worktree", "/workspace", read_only=True),
        Mount("/base/state", "/home/agent/.codex/sessions"),
        Mount("/base/credentials", "/home/agent/.config/codex/auth.json", read_only=True),
    ),
    labels=(("run", "7"), ("mailbox", "3")),
    time_limit_ms=1000,
    user="1000:1001",
    network="host",
)


def test_what_an_engine_asks_for_is_asked_of_the_container_engine() -> None:
    words = order(REQUEST, "stand-ins:1", "/base/kit/a", {"ours": "x"}).words
    assert (words["image"], words["command"]) == ("stand-ins:1", ["codex", "exec", "--", "say hello"])
    assert words["environment"] == {"HOME": "/home/agent", "OPENCODE_DB": "/x"}
    assert (words["user"], words["working_dir"], words["read_only"]) == ("1000:1001", "/workspace", True)
    assert words["labels"] == {"run": "7", "mailbox": "3", "ours": "x"}
    assert [(one["Source"], one["Target"], one["Type"], one["ReadOnly"]) for one in words["mounts"]] == [
        ("/base/worktree", "/workspace", "bind", True),
        ("/base/state", "/home/agent/.codex/sessions", "bind", False),
        ("/base/credentials", "/home/agent/.config/codex/auth.json", "bind", True),
        ("/base/kit/a", "/run/session-tck/kit", "bind", True),
    ]


def test_whatever_is_left_open_is_closed() -> None:
    words = order(REQUEST, "stand-ins:1", "/base/kit/a", {}).words
    assert (words["network"], words["cap_drop"], words["security_opt"]) == ("none", ["ALL"], ["no-new-privileges"])
    assert (words["mem_limit"], words["memswap_limit"], words["pids_limit"]) == (MEMORY, MEMORY, PIDS)
    assert not words["stdin_open"]
    assert not words["use_config_proxy"]
    assert order(replace(REQUEST, stdin="hello"), "i", "/s", {}).words["stdin_open"]


def test_the_parents_of_what_is_mounted_in_the_home_directory_are_in_memory_and_the_users() -> None:
    asked = order(REQUEST, "stand-ins:1", "/base/kit/a", {})
    assert asked.memory_mounts == (
        "/home/agent",
        "/home/agent/.codex",
        "/home/agent/.config",
        "/home/agent/.config/codex",
    )
    assert all(asked.words["tmpfs"][place].startswith("uid=1000,gid=1001,mode=0755") for place in asked.memory_mounts)


@pytest.mark.parametrize(
    ("mounted", "in_memory"),
    [
        ((), ("/home/agent",)),
        (("/home/agent",), ()),
        (("/home/agent/.codex", "/home/agent/.codex/sessions"), ("/home/agent",)),
        (("/home/agent", "/home/agent/.codex/sessions"), ()),
        (("/srv/data",), ("/home/agent",)),
    ],
)
def test_nothing_in_memory_covers_what_an_engine_mounts(mounted: tuple[str, ...], in_memory: tuple[str, ...]) -> None:
    mounts = tuple(Mount("/base", target) for target in mounted)
    assert order(replace(REQUEST, mounts=mounts), "i", "/s", {}).memory_mounts == in_memory


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("1000:1000", "1000:1000"),
        ("1000:50", "1000:50"),
        ("1000", "1000:1000"),
        ("1000:0", "1000:1000"),
        ("0:0", f"{ORDINARY}:{ORDINARY}"),
        ("00", f"{ORDINARY}:{ORDINARY}"),
        ("root", f"{ORDINARY}:{ORDINARY}"),
        ("", f"{ORDINARY}:{ORDINARY}"),
    ],
)
def test_nobody_gets_to_be_root(asked: str, given: str) -> None:
    assert ordinary(asked) == given
