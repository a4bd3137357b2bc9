"""Looks at a database that a user gives for the simulator, before anything in it is touched."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from tck_kit.faults import UsageFault
from tck_simulator.store import explain
from tck_simulator.tables import metadata


def usable(given: str, workers: int) -> str:
    """Give the URL as a worker can use it, which stands in another folder.

    Raises `UsageFault` for a database that is locked, damaged, in use by something else, or shared by several workers.
    """
    if workers != 1:
        raise UsageFault("one database serves one worker", "--database", "add --workers 1")
    try:
        url = _absolute(given)
        engine = create_engine(url, poolclass=NullPool)
    except ImportError as fault:
        raise UsageFault(
            f"it needs the Python package {fault.name}",
            f"--database {given}",
            "for PostgreSQL: pip install 'session-tck[postgres]', and a URL that begins with postgresql+psycopg://",
        ) from fault
    except (ArgumentError, NoSuchModuleError) as fault:
        raise UsageFault(
            f"this is no usable database URL ({fault})",
            f"--database {given}",
            "give one such as sqlite:////tmp/tck.sqlite",
        ) from fault
    try:
        with engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.execute(text("PRAGMA busy_timeout = 1000"))
            foreign = _foreign(connection)
            if connection.dialect.name == "sqlite":
                connection.rollback()
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                damage = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
                connection.rollback()
                if damage != "ok":
                    raise UsageFault(f"the file is damaged: {damage}", f"--database {url}", "give another file")
    except TypeError as fault:
        # psycopg gives bytes where the database has no encoding, as one made in the locale C.
        raise UsageFault(
            "its encoding is SQL_ASCII", f"--database {url}", "add client_encoding=utf8 to the URL's options"
        ) from fault
    except SQLAlchemyError as fault:
        what, cure = explain(fault)
        raise UsageFault(what, f"--database {url}", cure) from fault
    if foreign:
        raise UsageFault(
            f"it holds tables that are not the simulator's ({', '.join(sorted(foreign)[:5])})",
            f"--database {url}",
            "give an empty database: it is emptied for every scenario",
        )
    return url


def _absolute(given: str) -> str:
    url = make_url(given)
    if url.get_backend_name() != "sqlite":
        return given
    if url.database in {None, "", ":memory:"} or "mode=memory" in given:
        raise UsageFault(
            "a database in memory is gone after every connection",
            f"--database {given}",
            "give a file such as sqlite:////tmp/tck.sqlite",
        )
    if str(url.database).startswith("file:"):
        return given
    return url.set(database=str(Path(str(url.database)).absolute())).render_as_string(hide_password=False)


def _foreign(connection: Connection) -> set[str]:
    """Find the tables that are not the simulator's, or have its names and other columns."""
    inspector = inspect(connection)
    return {
        name
        for name in inspector.get_table_names()
        if name not in metadata.tables
        or {column["name"] for column in inspector.get_columns(name)} != set(metadata.tables[name].columns.keys())
    }
