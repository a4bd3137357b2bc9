"""Folders on the host: session directories that nobody shares, and state that is looked at without following links."""

from __future__ import annotations

import hashlib
import os
import re
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver.vocabulary import AdapterId, MailboxRef
from tck_simulator import layout
from tck_simulator.layout import (
    Layout,
    StateOnDisk,
    directory_names,
    entries,
    fingerprint,
    look,
    prepare,
    saved,
    top_level,
)
from tck_simulator.store import Store

from .laws import law
from .ordinary import ordinary_user


def issue(organization: str, project: str, iid: int = 1) -> MailboxRef:
    return MailboxRef(organization, project, "issue", iid)


def digest(organization: str, project: str, iid: int) -> str:
    return hashlib.sha256(f"{organization}\0{project}\0{iid}".encode()).hexdigest()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The path of a state directory, not made yet; `{base}/.agent-sessions` is."""
    (tmp_path / ".agent-sessions").mkdir()
    return Layout(tmp_path).state("org-app-issue-7", AdapterId.CODEX)


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("organization", "project", "plain"),
    [
        ("org", "app", "org-app-issue-7"),
        ("Org_1", "my.app-x", "Org_1-my.app-x-issue-7"),
        ("-org", "app", "-org-app-issue-7"),
        ("o" * 96, "p" * 95, f"{'o' * 96}-{'p' * 95}-issue-7"),  # 200 characters
    ],
)
def test_a_plain_name_comes_first(organization: str, project: str, plain: str) -> None:
    names = directory_names(issue(organization, project, 7))
    sha = digest(organization, project, 7)
    assert names == (plain, *(f"{plain}~{sha[:digits]}" for digits in (8, 16, 32, 64)))


@pytest.mark.parametrize(
    ("organization", "project", "safe"),
    [
        ("group/sub", "app", "group_sub-app-issue-7"),
        (".org", "app", "_org-app-issue-7"),
        ("..", "..", "_.-..-issue-7"),
        ("org", "a p\0p\n", "org-a_p_p_-issue-7"),
        ("é", "修", "_-_-issue-7"),
        ("~", "app", "_-app-issue-7"),
        ("o" * 97, "p" * 95, f"{'o' * 97}-{'p' * 95}-issue-"),  # 201 characters, cut to 200
    ],
)
def test_any_other_name_is_made_safe_and_told_apart_by_a_digest(organization: str, project: str, safe: str) -> None:
    names = directory_names(issue(organization, project, 7))
    sha = digest(organization, project, 7)
    assert names == tuple(f"{safe}~{sha[:digits]}" for digits in (8, 16, 32, 64))


_WORDS = st.text(st.sampled_from("aAbB-._/~\0é") | st.characters(), min_size=1, max_size=12) | st.text("a-", min_size=1)
ADDRESSES = st.builds(issue, _WORDS, _WORDS, st.integers(1, 30) | st.integers(1, 2**63 - 1))


@law
@given(ADDRESSES)
def test_every_name_is_one_harmless_part_of_a_path(address: MailboxRef) -> None:
    for name in directory_names(address):
        assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(~[0-9a-f]+)?", name)
        assert len(name) <= 200 + 1 + 64


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(ADDRESSES, min_size=2, max_size=8, unique=True))
def test_distinct_mailboxes_never_hold_one_name_even_where_case_is_folded(
    memory: Store, addresses: list[MailboxRef]
) -> None:
    memory.reset()
    held: list[str] = []
    for address in addresses:
        # A lone surrogate has no place in a database; what makes the names is its code alone.
        stored = MailboxRef("o", str(len(held)), "issue", 1)
        name = memory.claim_directory(memory.open_mailbox(stored, "", "in_ci").id, directory_names(address))
        assert name is not None
        held.append(name)
    assert len({name.casefold() for name in held}) == len(addresses)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (issue("a-b", "c"), issue("a", "b-c")),
        (issue("Org", "app"), issue("org", "APP")),
        (issue("a/b", "c"), issue("a_b", "c")),
        (issue("a", "b-issue-1", 2), issue("a-b-issue-1", "", 2)),
    ],
)
def test_mailboxes_whose_joined_names_are_alike_get_two_directories(
    memory: Store, one: MailboxRef, two: MailboxRef
) -> None:
    memory.reset()
    names = [
        memory.claim_directory(memory.open_mailbox(ref, "", "in_ci").id, directory_names(ref)) for ref in (one, two)
    ]
    assert None not in names
    assert len({(name or "").lower() for name in names}) == 2


def test_a_worktree_is_named_after_its_run_and_lies_outside_of_all_session_state(tmp_path: Path) -> None:
    place = Layout(tmp_path)
    tree = place.worktree(MailboxRef("org", "a/b", "merge_request", 7), "12")
    assert tree == tmp_path / ".worktrees" / "org-a_b-mr-7-12"
    assert place.worktree(issue("org", "app", 7), "12").name == "org-app-issue-7-12"
    assert not tree.is_relative_to(place.sessions)


# --- what is there ---------------------------------------------------------------------------------------------------


def test_nothing_is_missing_a_folder_is_empty_and_a_file_makes_it_present(state: Path) -> None:
    assert look(state) is StateOnDisk.MISSING
    state.mkdir(parents=True)
    assert look(state) is StateOnDisk.EMPTY
    (state / "a" / "b").mkdir(parents=True)
    assert look(state) is StateOnDisk.EMPTY
    (state / "a" / "b" / "file").touch()  # no bytes, and at any depth
    assert look(state) is StateOnDisk.PRESENT


def test_a_file_behind_a_link_is_not_there(state: Path, tmp_path: Path) -> None:
    state.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("x")
    (state / "file").symlink_to(elsewhere / "file")
    (state / "folder").symlink_to(elsewhere)
    os.mkfifo(state / "pipe")
    assert look(state) is StateOnDisk.EMPTY
    assert fingerprint(state) == {}
    assert top_level(state) == ()


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_link_in_place_of_a_folder_on_the_way_counts_as_gone(state: Path, tmp_path: Path, level: int) -> None:
    state.mkdir(parents=True)
    (state / "file").write_text("x")
    path = (state, state.parent, state.parent.parent)[level]
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert look(state) is StateOnDisk.MISSING


def test_a_file_in_place_of_the_state_directory_counts_as_gone(state: Path) -> None:
    state.parent.mkdir()
    state.write_text("x")
    assert look(state) is StateOnDisk.MISSING


def test_a_folder_that_cannot_be_listed_counts_as_empty() -> None:
    with ordinary_user() as base:
        state = Layout(base).state("x", AdapterId.CODEX)
        state.mkdir(parents=True)
        (state / "file").touch()
        assert look(state) is StateOnDisk.PRESENT
        state.chmod(0)
        assert look(state) is StateOnDisk.EMPTY
        assert fingerprint(state) == {}


def test_the_search_gives_up_after_so_many_entries(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state.mkdir(parents=True)
    for number in range(20):
        (state / f"{number}").mkdir()
    (state / "0" / "file").touch()
    assert layout._MOST_ENTRIES == 10_000  # §16.5.3
    monkeypatch.setattr(layout, "_MOST_ENTRIES", 20)
    assert len(list(layout._files(state, "", most=20))) == 0
    assert len(list(layout._files(state, "", most=21))) == 1


# --- fingerprints ----------------------------------------------------------------------------------------------------


def test_a_fingerprint_holds_size_and_time_of_every_file_by_its_path(state: Path) -> None:
    (state / "a").mkdir(parents=True)
    (state / "a" / "one").write_text("xyz")
    (state / "two").touch()
    os.utime(state / "two", ns=(5, 7))
    found = fingerprint(state)
    assert found is not None
    assert set(found) == {"a/one", "two"}
    assert found["two"] == (0, 7)
    assert found["a/one"][0] == 3
    assert top_level(state) == ("two",)


def test_a_new_file_another_size_and_another_time_are_changes_and_a_removal_is_none(state: Path) -> None:
    state.mkdir(parents=True)
    file = state / "one"
    file.write_text("x")
    before = fingerprint(state)
    assert not saved(before, fingerprint(state))
    os.utime(file, ns=(1, 1))
    assert saved(before, touched := fingerprint(state))
    file.write_text("xx")
    os.utime(file, ns=(1, 1))
    assert saved(touched, grown := fingerprint(state))
    (state / "two").touch()
    assert saved(grown, fingerprint(state))
    (state / "two").unlink()
    file.unlink()
    assert not saved(grown, fingerprint(state))


def test_above_so_many_files_the_check_is_left_out(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state.mkdir(parents=True)
    monkeypatch.setattr(layout, "_MOST_ENTRIES", 5)
    for number in range(5):
        (state / f"{number}").touch()
    small = fingerprint(state)
    assert small is not None
    assert len(small) == 5
    (state / "5").touch()
    assert fingerprint(state) is None
    assert saved(None, None)
    assert saved(small, None)
    assert saved(None, small)


# --- preparation -----------------------------------------------------------------------------------------------------


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_prepared_directory_is_its_owners_alone_and_keeps_what_it_holds(state: Path) -> None:
    prepare(state)
    (state / "file").write_text("x")
    state.chmod(0o777)
    state.parent.chmod(0o755)
    prepare(state)
    assert [mode(path) for path in (state, state.parent, state.parent.parent)] == [0o700] * 3
    assert (state / "file").read_text() == "x"


def test_the_mode_is_0700_whatever_the_umask(state: Path) -> None:
    before = os.umask(0)
    try:
        prepare(state)
    finally:
        os.umask(before)
    assert mode(state) == 0o700


@pytest.mark.parametrize("level", [0, 1])
def test_a_link_is_replaced_and_what_it_leads_to_stays_as_it_is(state: Path, tmp_path: Path, level: int) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    (other / "file").write_text("x")
    path = (state, state.parent)[level]
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(other)
    prepare(state)
    assert not path.is_symlink()
    assert look(state) is StateOnDisk.EMPTY
    assert mode(other) == 0o755
    assert sorted(other.iterdir()) == [other / "file"]


@pytest.mark.parametrize("kind", ["file", "pipe", "socket", "dangling link"])
def test_whatever_is_no_directory_makes_room_for_one(state: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state.parent.mkdir()
    match kind:
        case "file":
            state.write_text("x")
        case "pipe":
            os.mkfifo(state)
        case "socket":
            monkeypatch.chdir(state.parent)  # the path of a socket is short
            with socket.socket(socket.AF_UNIX) as open_socket:
                open_socket.bind(state.name)
        case _:
            state.symlink_to("nowhere")
    prepare(state)
    assert look(state) is StateOnDisk.EMPTY


def test_the_entries_of_a_folder_are_given_as_they_are_and_none_where_there_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".a").touch()
    (tmp_path / "c").symlink_to("nowhere")
    assert [path.name for path in entries(tmp_path)] == [".a", "b", "c"]
    assert entries(tmp_path / "no") == entries(tmp_path / ".a") == []
