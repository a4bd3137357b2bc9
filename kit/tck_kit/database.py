"""Looks at a database that a user gives for the simulator, before anything in it is touched."""

from __future__ import annotations

from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from tck_kit.faults import UsageFault
from tck_simulator.store import explain
from tck_simulator.tables import metadata


def refuse_unusable(url: str, workers: int) -> None:
    """Refuse a database that is locked, damaged, in use by something else, or shared by several workers."""
    if workers != 1:
        raise UsageFault("one database serves one worker", "--database", "add --workers 1")
    try:
        engine = create_engine(url, poolclass=NullPool)
    except (ArgumentError, NoSuchModuleError, ImportError) as fault:
        raise UsageFault(
            f"this is no usable database URL ({fault})", "--database", "give one such as sqlite:////tmp/tck.sqlite"
        ) from fault
    try:
        with engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.execute(text("PRAGMA busy_timeout = 1000"))
            foreign = set(inspect(connection).get_table_names()) - set(metadata.tables)
            if connection.dialect.name == "sqlite":
                connection.rollback()
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                damage = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
                connection.rollback()
                if damage != "ok":
                    raise UsageFault(f"the file is damaged: {damage}", f"--database {url}", "give another file")
    except SQLAlchemyError as fault:
        what, cure = explain(fault)
        raise UsageFault(what, f"--database {url}", cure) from fault
    if foreign:
        raise UsageFault(
            f"it holds tables that are not the simulator's ({', '.join(sorted(foreign)[:5])})",
            f"--database {url}",
            "give an empty database: it is emptied for every scenario",
        )
