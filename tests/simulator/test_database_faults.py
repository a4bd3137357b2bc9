"""A database that cannot be used says so in one line: which, what is wrong, and what to do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tck_driver.vocabulary import MailboxRef
from tck_simulator import store as store_module
from tck_simulator.rows import Mailbox
from tck_simulator.store import Store, StoreError

REF = MailboxRef("org", "app", "issue", 7)


def url(file: Path) -> str:
    return f"sqlite:///{file}"


def fault(file: Path) -> str:
    """Use a database as the engine does, until it complains."""
    store = Store(url(file))
    try:
        with pytest.raises(StoreError) as caught:
            _use(store)
        return str(caught.value)
    finally:
        store.close()


def _use(store: Store) -> None:
    store.create()
    store.reset()
    store.open_mailbox(REF, "", "in_ci")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("These are notes.\n" * 100)
    assert fault(file) == (f"database {url(file)}: file is not a database; it is no SQLite file: give another file")
    assert file.read_text() == "These are notes.\n" * 100


def test_a_damaged_file(tmp_path: Path) -> None:
    file = tmp_path / "engine.sqlite"
    store = Store(url(file))
    store.create()
    for number in range(50):
        store.open_mailbox(MailboxRef("org", "app", "issue", number), "x" * 500, "in_ci")
    store.close()
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    for beside in tmp_path.glob("engine.sqlite-*"):
        beside.unlink()
    assert fault(file) == (f"database {url(file)}: database disk image is malformed; it is damaged: give another file")


def test_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "engine.sqlite"
    store = Store(url(file))
    store.create()
    store.close()
    monkeypatch.setattr(store_module, "_PRAGMAS", ("PRAGMA busy_timeout = 1",))
    holder = sqlite3.connect(file)
    holder.execute("BEGIN IMMEDIATE")
    said = fault(file)
    holder.close()
    assert said == (f"database {url(file)}: database is locked; end the program that holds it, or give another file")


@pytest.mark.parametrize("where", ["missing/engine.sqlite", "."])
def test_a_missing_folder_and_a_folder_in_the_files_place(tmp_path: Path, where: str) -> None:
    file = tmp_path / where
    assert fault(file) == (f"database {url(file)}: unable to open database file; make its folder, or give another file")
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_somebody_else(tmp_path: Path) -> None:
    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE mailboxes (name TEXT)")
    connection.close()
    said = fault(file)
    assert said.startswith(f"database {url(file)}: ")
    assert "\n" not in said


@pytest.mark.parametrize("text", ["nonsense", "", "foo://x", "sqlite+nothing://"])
def test_a_url_that_is_none(text: str) -> None:
    with pytest.raises(StoreError, match=r"^database .*: .*; give a URL such as sqlite:") as caught:
        Store(text)
    assert "\n" not in str(caught.value)


def test_a_failed_statement_leaves_nothing_behind(tmp_path: Path) -> None:
    store = Store(url(tmp_path / "engine.sqlite"))
    store.create()
    with pytest.raises(StoreError):
        store.add_merge_request(_unknown(store), 5)
    assert store.owner_of_merge_request("org", "app", 5) is None
    store.close()


def _unknown(store: Store) -> Mailbox:
    """Give a mailbox that is no longer in the database."""
    box = store.open_mailbox(REF, "", "in_ci")
    store.reset()
    return box
