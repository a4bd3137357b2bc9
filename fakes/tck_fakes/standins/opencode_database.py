"""The one database of opencode: where it lies, how it is opened, and what is said where it cannot be."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from tck_fakes.standins.base import Invocation

#: Real databases also have the tables for credentials, which is why this one has them.
_SCHEMA = """
create table if not exists project (id text primary key, worktree text) without rowid;
create table if not exists session (id text primary key, project_id text, directory text, title text, time_updated real)
    without rowid;
create table if not exists message (id integer primary key, session_id text, role text, content text);
create table if not exists account (id text primary key, access_token text, refresh_token text) without rowid;
create table if not exists account_state (id integer primary key, active_account_id text);
create table if not exists control_account (email text, url text, access_token text, refresh_token text);
create table if not exists credential (id text primary key, value text) without rowid;
create table if not exists session_share (session_id text primary key, secret text) without rowid;
"""
#: A real database is larger than its few turns: most of it lies before them, so one that is cut off has lost them.
_FURNITURE = """
create table if not exists event (id integer primary key, data blob);
with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 40)
    insert into event select number, zeroblob(4000) from numbers where not exists (select 1 from event);
"""
_UNOPENED = "unable to open database file"
_UNINSERTED = 'Failed query: insert into "project" ("id", "worktree") values (?, ?)'
_UNWRITTEN = "Failed query: PRAGMA wal_checkpoint(PASSIVE)\nparams: "


class CannotOpenError(Exception):
    """The database cannot be used; the text is what opencode says."""


def _data(call: Invocation) -> str:
    return f"{call.environment.get('XDG_DATA_HOME') or f'{call.home}/.local/share'}/opencode"


def place_of(call: Invocation) -> str:
    """Give the database's path."""
    named = call.environment.get("OPENCODE_DB")
    if not named:
        return f"{_data(call)}/opencode.db"
    return named if named.startswith("/") else f"{_data(call)}/{named}"


@functools.cache
def _empty() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.executescript(_SCHEMA)
        image = database.serialize()
    database.close()
    return image


def _ready(call: Invocation) -> str:
    """Give the host path of the database file, made where it is missing; say what opencode says where it cannot be."""
    data, place, view = _data(call), place_of(call), call.view
    log = f"{data}/log/opencode.log"
    try:
        view.names(data)
    except FileNotFoundError:
        pass
    except OSError:
        raise CannotOpenError(f"EACCES: permission denied, mkdir '{data}/repos'") from None
    if not view.may_write(f"{data}/log"):
        raise CannotOpenError(f"PermissionDenied: FileSystem.open ({log})")
    try:
        if place != f"{data}/opencode.db" and not view.is_dir(place.rpartition("/")[0]):
            # It makes the folder that is its own, and no other.
            raise CannotOpenError(_UNOPENED)
        if not view.exists(place) or (view.is_file(place) and not view.read(place)):
            # From a file without a byte SQLite itself begins anew, whatever lies beside it.
            view.write(place, b"" if call.alone else _empty())
        elif not view.is_file(place):
            raise CannotOpenError(_UNOPENED)
        else:
            # One that may not be read is told from one that may not be written.
            view.read(place)
        host = view.resolve(place)
    except OSError:
        raise CannotOpenError(_UNOPENED) from None
    if not view.may_write(place) or (call.alone and not view.may_write(f"{place}-wal")):
        raise CannotOpenError(_UNWRITTEN if call.alone else _UNINSERTED)
    return host


@contextmanager
def opened(call: Invocation) -> Generator[sqlite3.Connection]:
    """Open the database for one transaction. Raises `CannotOpenError` and `sqlite3.Error`."""
    host = _ready(call)
    database = sqlite3.connect(host, isolation_level=None)
    try:
        # In process nothing outlives a power cut, and no second process has the file open.
        for pragma in _REAL if call.alone else ("synchronous = off", "journal_mode = memory"):
            database.execute(f"pragma {pragma}")
        if call.alone and not _KEPT_OPEN:
            # Once for each run, before anything else.
            database.execute("pragma wal_checkpoint(passive)")
            database.executescript(_FURNITURE + _SCHEMA)
        database.execute("begin immediate")
        database.execute("insert or replace into project values ('global', '/')")
        yield database
        database.execute("commit")
    finally:
        if call.alone:
            _KEPT_OPEN.append(database)
        else:
            database.close()


#: The real one never closes its database, so what it wrote stays in the `-wal` file beside it until the next run.
_REAL = ("journal_mode = wal", "wal_autocheckpoint = 0")
_KEPT_OPEN: list[sqlite3.Connection] = []
