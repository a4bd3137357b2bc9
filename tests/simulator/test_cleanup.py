"""Removal of trees: everything of the tree and nothing beyond it, and failures on record."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tck_driver.vocabulary import MailboxRef
from tck_fakes.remover import ProtectingRemover
from tck_simulator.cleanup import Cleaner, LocalRemover
from tck_simulator.layout import Layout
from tck_simulator.rows import Incident
from tck_simulator.store import Store

from .ordinary import ordinary_user

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
REMOVER = LocalRemover()


def test_a_tree_goes_and_what_its_links_lead_to_stays(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "sub").mkdir(parents=True)
    (kept / "file").write_text("x")
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "file").write_text("x")
    (tree / "a" / "to-folder").symlink_to(kept)
    (tree / "a" / "b" / "to-file").symlink_to(kept / "file")
    (tree / "up").symlink_to("..")
    (tree / "itself").symlink_to("itself")
    os.mkfifo(tree / "pipe")
    kept.chmod(0o555)
    REMOVER.remove(tree)
    assert not tree.exists()
    assert (kept / "file").read_text() == "x"
    assert kept.stat().st_mode & 0o777 == 0o555


@pytest.mark.parametrize("target", ["kept", "nowhere"])
def test_a_link_itself_is_removed(tmp_path: Path, target: str) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "link").symlink_to(target)
    REMOVER.remove(tmp_path / "link")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept" / "file").exists()


def test_a_file_and_a_pipe_are_removed_and_nothing_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "pipe", "nothing"):
        REMOVER.remove(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o000, 0o100, 0o400, 0o500, 0o444])
def test_no_mode_that_a_container_left_stands_in_the_way(mode: int) -> None:
    with ordinary_user() as folder:
        tree = folder / "tree"
        (tree / "a" / "b").mkdir(parents=True)
        (tree / "a" / "b" / "file").write_text("x")
        for path in (tree / "a" / "b" / "file", tree / "a" / "b", tree / "a", tree):
            path.chmod(mode)
        REMOVER.remove(tree)
        assert list(folder.iterdir()) == []


@pytest.fixture
def store(memory: Store) -> Store:
    memory.reset()
    return memory


def test_the_state_of_one_mailbox_goes_and_that_of_its_neighbours_stays(store: Store, tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    for name in ("org-app-issue-1", "org-app-issue-12"):
        (layout.sessions / name / "codex").mkdir(parents=True)
    mailbox = store.open_mailbox(MailboxRef("org", "app", "issue", 1), "", "in_ci")
    store.claim_directory(mailbox.id, ["org-app-issue-1"])
    cleaner = Cleaner(store, layout, REMOVER)
    for _ in range(2):  # repeated, it does nothing: CLEAN-8
        cleaner.remove_state(store.mailbox_by_id(mailbox.id), NOW)
        assert [path.name for path in layout.sessions.iterdir()] == ["org-app-issue-12"]
        assert store.mailbox_by_id(mailbox.id).session_dir is None
    assert store.incidents() == []


def test_a_failure_is_put_on_record_and_the_directory_is_still_held(store: Store, tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    folder = layout.sessions / "org-app-issue-1"
    folder.mkdir(parents=True)
    mailbox = store.open_mailbox(MailboxRef("org", "app", "issue", 1), "", "in_ci")
    store.claim_directory(mailbox.id, [folder.name])
    remover = ProtectingRemover(REMOVER)
    remover.protect(folder)
    cleaner = Cleaner(store, layout, remover)
    cleaner.remove_state(store.mailbox_by_id(mailbox.id), NOW)
    assert folder.exists()
    assert store.mailbox_by_id(mailbox.id).session_dir == folder.name
    assert store.incidents() == [Incident("session_removal", str(folder), "Permission denied")]
    remover.unprotect(folder)
    cleaner.remove_state(store.mailbox_by_id(mailbox.id), NOW)
    assert not folder.exists()
    assert store.mailbox_by_id(mailbox.id).session_dir is None
