"""The container of a run: what it is given, and which mounts would let something in."""

# ruff: noqa: FBT001 -- pytest and hypothesis hand parameters over by name

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver.witness import Mount
from tck_simulator.adapters import Invocation
from tck_simulator.engine import credential_faults
from tck_simulator.ports import ContainerRequest
from tck_simulator.sandbox import container_request, overlaps

from .laws import law

STATE = (Path("/base/.agent-sessions/org-app-issue-7/codex"), "/home/agent/.codex/sessions")
CREDENTIALS = (("/home/agent/.codex/auth.json", "/secrets/auth.json"),)


def requested(state: tuple[Path, str] | None, *, read_only: bool = False) -> ContainerRequest:
    return container_request(
        image="runner:1",
        invocation=Invocation(("codex", "exec"), (("OPENCODE_DB", "/x"),)),
        worktree=Path("/base/.worktrees/w"),
        read_only=read_only,
        state=state,
        credentials=CREDENTIALS,
        labels=(("run", "1"),),
        time_limit_ms=5,
    )


@pytest.mark.parametrize("read_only", [True, False])
def test_a_session_adds_one_writable_mount_and_nothing_else(read_only: bool) -> None:
    without, within = requested(None, read_only=read_only), requested(STATE, read_only=read_only)
    assert without.mounts == (
        Mount("/base/.worktrees/w", "/workspace", read_only),
        Mount("/secrets/auth.json", "/home/agent/.codex/auth.json", read_only=True),
    )
    assert within.mounts == (*without.mounts, Mount(str(STATE[0]), STATE[1], read_only=False))


def test_the_container_is_the_one_of_the_specification() -> None:
    request = requested(STATE)
    assert request.workdir == "/workspace"
    assert request.home == "/home/agent"
    assert request.user == f"{os.getuid()}:{os.getgid()}"
    assert request.read_only_root
    assert request.stdin == ""
    assert request.network == "restricted"
    assert request.environment == (("HOME", "/home/agent"), ("OPENCODE_DB", "/x"))
    assert request.argv == ("codex", "exec")


@pytest.mark.parametrize(
    ("one", "two", "overlap"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b", "/a/b/c", True),
        ("/a/b/", "/a", True),
        ("/", "/a", True),
        ("/a/b", "/a/bc", False),
        ("/a/b", "/a/c", False),
        ("/a/x/../b", "/a/b", True),
        ("/a//b/./", "/a/b", True),
        ("/a/b/..", "/a/c", True),
    ],
)
def test_paths_overlap_where_one_is_or_holds_the_other(one: str, two: str, overlap: bool) -> None:
    assert overlaps(one, two) is overlap
    assert overlaps(two, one) is overlap


_PATHS = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=4).map(lambda parts: "/" + "/".join(parts))


@law
@given(_PATHS, _PATHS)
def test_overlap_means_that_the_parts_of_one_begin_those_of_the_other(one: str, two: str) -> None:
    first, second = one.strip("/").split("/"), two.strip("/").split("/")
    first, second = [part for part in first if part], [part for part in second if part]
    shorter = min(len(first), len(second))
    assert overlaps(one, two) is (first[:shorter] == second[:shorter])


@pytest.mark.parametrize(
    ("target", "source", "faults"),
    [
        ("/home/agent/.codex/auth.json", "secrets/auth.json", 0),
        ("/home/agent/.codex", "secrets", 1),  # lies above the sessions of codex
        ("/home/agent/.codex/sessions", "secrets", 1),
        ("/home/agent/.codex/sessions/x", "secrets", 1),
        ("/home/agent/.codex/sessions2", "secrets", 0),
        ("/home/agent", "secrets", 4),  # above those of all four CLIs
        ("/secret", ".agent-sessions", 1),
        ("/secret", ".agent-sessions/org-app-issue-7", 1),
        ("/secret", ".", 1),
        ("/secret", "secrets/../.agent-sessions", 1),
        ("/secret", "link-to-sessions", 1),
        ("/home/agent/.codex/x/../sessions", "secrets", 1),
    ],
)
def test_a_credential_mount_that_overlaps_session_state_is_a_fault(
    tmp_path: Path, target: str, source: str, faults: int
) -> None:
    (tmp_path / ".agent-sessions" / "org-app-issue-7").mkdir(parents=True)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "link-to-sessions").symlink_to(".agent-sessions")
    found = list(credential_faults([(target, str(tmp_path / source))], tmp_path))
    assert len(found) == faults
    assert all(text.startswith("AGENT_CREDENTIAL_MOUNTS: ") and "overlaps" in text for text in found)
