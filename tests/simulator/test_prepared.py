"""Prepared statements: the short way to SQLite gives what SQLAlchemy's own way gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, Executable, Insert, Select, create_engine, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from tck_simulator import statements as q
from tck_simulator import tables as t
from tck_simulator.prepared import Outcome, Values, execute

from .laws import law

MOMENT = datetime(2026, 1, 5, 10, 30, 0, 250_000, tzinfo=timezone(timedelta(hours=5)))
MAILBOX = {
    "organization": "o",
    "project": "p",
    "kind": "issue",
    "iid": 7,
    "generation": 1,
    "title": "t",
    "state": "s",
    "open": True,
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    t.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        yield connection
        connection.rollback()


def plainly(connection: Connection, statement: Executable, values: Values) -> Outcome:
    result = connection.execute(statement, dict(values))
    if isinstance(statement, Select):
        return Outcome([dict(row) for row in result.mappings()])
    key = result.inserted_primary_key if isinstance(statement, Insert) else None
    return Outcome(count=result.rowcount, key=0 if key is None else key[0])


def test_defaults_that_the_tables_give_are_stored_and_the_key_comes_back(connection: Connection) -> None:
    assert execute(connection, q.INSERT_MAILBOX, MAILBOX).key == 1
    assert execute(connection, q.INSERT_MAILBOX, {**MAILBOX, "iid": 8}).key == 2
    row = execute(connection, q.MAILBOX_BY_ID, {"key": 1}).first
    assert row is not None
    assert (row["llm_retries"], row["fix_attempts"], row["lease_epoch"], row["branch_name"]) == (0, 0, 0, None)
    assert row["open"] is True


def test_a_moment_comes_back_in_utc(connection: Connection) -> None:
    execute(connection, q.INSERT_MAILBOX, {**MAILBOX, "lease_expires_at": MOMENT})
    row = execute(connection, q.MAILBOX_BY_ID, {"key": 1}).first
    assert row is not None
    assert row["lease_expires_at"] == MOMENT
    assert row["lease_expires_at"].tzinfo is UTC


def test_a_stored_setting_comes_back_as_what_it_was(connection: Connection) -> None:
    key = {"scope": "project", "organization": "o", "project": "p"}
    connection.execute(t.settings.insert(), {**key, "name": "A", "value": False})
    connection.execute(t.settings.insert(), {**key, "name": "B", "value": 3})
    rows = execute(connection, q.SETTINGS, {"organization": "o", "project": "p"}).rows
    assert [(row["name"], row["value"], type(row["value"])) for row in rows] == [("A", False, bool), ("B", 3, int)]


def test_what_the_database_refuses_is_the_same_error_as_through_sqlalchemy(connection: Connection) -> None:
    execute(connection, q.INSERT_MAILBOX, MAILBOX)
    with pytest.raises(DBAPIError, match="UNIQUE"):
        execute(connection, q.INSERT_MAILBOX, MAILBOX)


values = st.fixed_dictionaries(
    {
        "iid": st.integers(1, 2**40),
        "title": st.text(max_size=9),
        "state": st.sampled_from(["in_ci", "blocked"]),
        "llm_retries": st.integers(0, 5),
        "lease_owner": st.none() | st.text(max_size=3),
        "lease_expires_at": st.none() | st.datetimes(timezones=st.just(UTC)),
    }
)


@law
@given(
    boxes=st.lists(values, min_size=1, max_size=4, unique_by=lambda one: one["iid"]),
    change=values,
    key=st.integers(1, 5),
)
def test_both_ways_give_the_same(
    engine: Engine, boxes: list[dict[str, object]], change: dict[str, object], key: int
) -> None:
    told: list[list[Outcome]] = []
    for way in (execute, plainly):
        with engine.connect() as connection:
            seen = [way(connection, q.INSERT_MAILBOX, {**MAILBOX, **box}) for box in boxes]
            changed = {name: value for name, value in change.items() if name != "iid"}
            seen.append(way(connection, q.UPDATE_MAILBOX, {"key": key, **changed}))
            seen.append(way(connection, q.FREEZE_NAME, {"key": key, "branch_name": "x"}))
            seen.append(way(connection, q.TAKE_LEASE, {"key": key, "epoch": 0, "lease_epoch": 1, "lease_owner": "w"}))
            seen.append(way(connection, q.INSERT_JOB, {"mailbox_id": 1, "phase": "answer", "due_at": MOMENT}))
            seen.append(way(connection, q.NEXT_JOB, {"now": MOMENT, "blocked": "blocked"}))
            seen.append(way(connection, q.EXPIRED_LEASES, {"now": MOMENT}))
            seen.append(way(connection, q.MAILBOXES, {}))
            seen.append(way(connection, q.DROP_JOBS, {"key": key}))
            seen.append(Outcome([dict(row) for row in connection.execute(select(t.mailboxes)).mappings()]))
            connection.rollback()
        told.append([Outcome(one.rows, one.count if not one.rows else 0, one.key) for one in seen])
    assert told[0] == told[1]
