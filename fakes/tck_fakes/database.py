"""The engine's own database, read from outside: what its rows say is witnessed, not reported.

Any engine can be observed this way whose database SQLAlchemy can open; a `SessionMapping` says where in it the fields
of the specification are (RECORD-1, §22.3). Looking must not disturb the engine: nothing is held between two looks but
the connection, and what is read with cannot write.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, inspect
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from tck_driver.errors import DriverError, UntestableError
from tck_driver.views import SessionRow
from tck_fakes.observed_mapping import ColumnName, Layout, MappingError, MappingFault, SessionMapping, layout
from tck_fakes.observed_query import Statements
from tck_fakes.observed_url import masked, parsed, without_secrets
from tck_fakes.observed_values import RowReader, run_text


class SessionTable(Protocol):
    """Reads and tampers with the session rows behind the engine's back."""

    def rows(self) -> Sequence[SessionRow] | None:
        """Give all rows, oldest first; None where there is no access."""
        ...

    def tamper(self, run: str, value: str) -> None:
        """Overwrite the native id of one row."""
        ...


@dataclass(frozen=True, slots=True)
class _Manners:
    """How to look into one kind of database without getting in its engine's way, nor waiting for it for ever."""

    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    reading: tuple[str, ...] = ()
    writing: tuple[str, ...] = ()


_MANNERS: Mapping[str, _Manners] = {
    # Not opened read-only: after a crash of the engine only who may write can see what was committed.
    "sqlite": _Manners({"timeout": 5.0, "check_same_thread": False}, ("PRAGMA query_only = ON",)),
    "postgresql": _Manners(
        {"connect_timeout": 5, "client_encoding": "utf8"},
        ("SET statement_timeout = 5000", "SET default_transaction_read_only = on"),
        ("SET LOCAL statement_timeout = 5000",),
    ),
}
#: The PostgreSQL drivers that take the arguments of libpq.
_LIBPQ = frozenset({"psycopg", "psycopg2"})

#: What the text of a database's error is about, and what to do.
#: How many rows are kept as they were read.
_MOST_KNOWN = 10_000
_CURES = (
    ("locked", "the engine must let go of it between its writes"),
    ("statement timeout", "the engine must let go of it between its writes"),
    ("not a database", "give the URL of the engine's database"),
    ("unable to open", "check the path; the engine must have made the file by the time of its first run"),
    ("authentication", "check user and password; PGPASSWORD and a password file are read as well"),
    ("password supplied", "check user and password; PGPASSWORD and a password file are read as well"),
    ("permission denied", "give a user that may read these tables, and change native_session_id"),
    ("readonly", "give a user that may write the file: some scenarios change native_session_id"),
)


class ObservedDatabase:
    """The database of an engine at a SQLAlchemy URL."""

    def __init__(self, url: str, mapping: SessionMapping | None = None) -> None:
        """Connect at the first look and stay connected until `close`.

        Raises `MappingError` for a URL or a mapping that cannot be meant, and a dialect that is not installed.
        """
        self._url = parsed(url)
        self._layout: Layout = layout(mapping or SessionMapping())
        self._statements = Statements(self._layout)
        # Always the same object, so that it is compiled once.
        self._rows = self._statements.rows()
        self._reader = RowReader(self._layout, self._statements.fields)
        self._manners = _MANNERS.get(self._url.get_backend_name(), _Manners())
        self._file = _sqlite_file(self._url)
        self._engine = _engine(self._url, self._manners, self._file)
        #: Rows that were read before, by what their columns hold.
        self._known: dict[tuple[object, ...], SessionRow] = {}
        self._connection: Connection | None = None
        self._connected_to: tuple[int, int] | None = None

    def rows(self) -> Sequence[SessionRow]:
        """Give all rows, oldest first, as they are committed by now.

        Raises `DriverError` for a database that cannot be reached or read, and for values that are not of their field's
        type.
        """
        return [self._read(values) for values in self._look()]

    def _read(self, values: Sequence[object]) -> SessionRow:
        """Read a row, unless one that holds the same was read before: most rows never change again."""
        held = tuple(values)
        try:
            known = self._known.get(held)
        except TypeError:  # some column holds a list
            return self._reader.row(held)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[held] = self._reader.row(held)
        return known

    def close(self) -> None:
        """Let the database go, so that the engine can drop it; the next look connects again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()
        self._engine.dispose()

    def tamper(self, run: str, value: str) -> None:
        """Overwrite the native id of one row.

        Raises `DriverError` where there is no such row or it cannot be written, and `UntestableError` where the column
        is of a type that cannot hold such a value.
        """
        try:
            with self._engine.begin() as connection:
                for statement in self._manners.writing:
                    connection.exec_driver_sql(statement)
                keys = [key for (key,) in connection.execute(self._statements.runs()) if run_text(key) == run]
                if len(keys) != 1:
                    where = self._layout.columns["run"]
                    raise self._fault(f"{len(keys)} rows have {run!r} in {where}", "map `run` to the id that is told")
                found = connection.execute(self._statements.tamper(keys[0], value))
                if found.rowcount != 1:
                    native = self._layout.columns["native_session_id"]
                    what = f"{found.rowcount} rows hold the native id of run {run!r} in {native}"
                    raise self._fault(what, "map `native_session_id` to a column with one row for each run")
        except DBAPIError as fault:
            if _is_refusal_of_a_value(fault):
                native = self._layout.columns["native_session_id"]
                raise UntestableError(f"{native} cannot hold {value!r}: {self._told(fault)}") from fault
            raise self._explained(fault) from fault
        except (SQLAlchemyError, TypeError) as fault:
            raise self._explained(fault) from fault

    def _look(self) -> Sequence[Sequence[object]]:
        """Fetch the rows; where the connection was lost since the last look, over a new one."""
        kept = self._connection is not None
        try:
            return self._reading().execute(self._rows).all()
        except (SQLAlchemyError, TypeError) as fault:
            self.close()
            if kept and isinstance(fault, DBAPIError) and fault.connection_invalidated:
                return self._look()
            raise self._explained(fault) from fault

    def _reading(self) -> Connection:
        """Give the connection for reading, a new one where another file lies in the place of the one it leads to."""
        if self._file is not None:
            held = _identity(self._file)
            if self._connection is not None and held != self._connected_to:
                self.close()
            self._connected_to = held
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> Connection:
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        for statement in self._manners.reading:
            connection.exec_driver_sql(statement)
        return connection

    def _explained(self, fault: Exception) -> DriverError:
        """Say what is wrong: which names the database does not know, or else in its own words."""
        told = self._told(fault)
        cure = next((cure for word, cure in _CURES if word in told), None)
        if cure is None and isinstance(fault, DBAPIError) and (missing := self._missing()):
            return self._fault(missing, "name what the engine has, under [observe] in session-tck.toml")
        return self._fault(told, cure or "check the URL, and that the database is up")

    def _told(self, fault: Exception) -> str:
        """Give the database's own words, in one line and without the password."""
        told = " ".join(str(getattr(fault, "orig", None) or fault).split()).strip()
        return without_secrets(told, self._url) or type(fault).__name__

    def _fault(self, what: str, cure: str) -> DriverError:
        return DriverError(f"observed database {masked(self._url)}: {what}; {cure}")

    def _missing(self) -> str:
        """Name the tables and columns of the mapping that the database does not have."""
        found: list[str] = []
        try:
            with self._connect() as connection:
                inspector = inspect(connection)
                for table in self._layout.tables():
                    if not inspector.has_table(table.name, schema=table.schema):
                        near = _near(table.name, inspector.get_table_names(table.schema))
                        found.append(f"there is no table {table} (observe.{self._layout.keys[table]}){near}")
                        continue
                    has = [str(one["name"]) for one in inspector.get_columns(table.name, schema=table.schema)]
                    for name, key in self._layout.keys.items():
                        if isinstance(name, ColumnName) and name.table == table and name.name not in has:
                            found.append(f"there is no column {name} (observe.{key}){_near(name.name, has)}")
        except SQLAlchemyError:
            return ""
        return ", ".join(found)


def _engine(url: URL, manners: _Manners, file: Path | None) -> Engine:
    """Make the engine, which connects only when it is asked to."""
    if file is not None:
        # `rw` does not make the file where there is none.
        url = url.set(database=f"file:{quote(str(file))}").update_query_dict({"mode": "rw", "uri": "true"})
    elif url.get_backend_name() == "sqlite" and not str(url.database or "").startswith("file:"):
        raise _unusable("is a database in memory, which nobody else can see", "give the URL of a file")
    try:
        engine = create_engine(url, poolclass=NullPool, connect_args=_arguments(url, manners))
    except ImportError as fault:
        cure = "install it beside session-tck; for PostgreSQL: pip install 'session-tck[postgres]', and a URL that "
        raise _unusable(f"needs the Python package {fault.name}", f"{cure}begins with postgresql+psycopg://") from None
    except NoSuchModuleError:
        raise _unusable(f"has the unknown dialect {url.drivername}", "write sqlite or postgresql+psycopg") from None
    except (SQLAlchemyError, TypeError, ValueError) as fault:
        raise _unusable(f"cannot be used: {str(fault).splitlines()[0]}", "write it as SQLAlchemy has it") from None
    if engine.dialect.is_async:
        raise _unusable(f"has the asynchronous dialect {url.drivername}", "write sqlite or postgresql+psycopg")
    return engine


def _arguments(url: URL, manners: _Manners) -> dict[str, object]:
    """Give the arguments for the driver; what the URL itself says stays as it is."""
    libpq = url.get_driver_name() in _LIBPQ
    arguments = dict(manners.arguments) if libpq or url.get_backend_name() != "postgresql" else {}
    if url.get_driver_name() == "psycopg":
        # A prepared statement would fail after the engine has changed its table.
        arguments["prepare_threshold"] = None
    return {name: value for name, value in arguments.items() if name not in url.query}


def _unusable(what: str, cure: str) -> MappingError:
    return MappingError([MappingFault("url", what, cure)])


def _sqlite_file(url: URL) -> Path | None:
    """Give the file of an SQLite URL; None for other databases, for those in memory and for URIs of SQLite's own."""
    name = url.database or ""
    if url.get_backend_name() != "sqlite" or name in {"", ":memory:"} or name.startswith("file:"):
        return None
    return Path(name).absolute()


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116 -- a third of the time of Path.stat, at every look
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_refusal_of_a_value(fault: DBAPIError) -> bool:
    """Whether it is the value that the database does not take: SQLSTATE of class 22 or 23."""
    state = str(getattr(fault.orig, "sqlstate", None) or getattr(fault.orig, "pgcode", None) or "")
    return re.match(r"2[23]", state) is not None


def _near(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f", did you mean {near[0]}?" if near else ""
