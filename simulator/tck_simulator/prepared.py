"""Statements that are put together once and then handed to the database driver as they are.

The engine executes the same few dozen statements over and over. On a small database SQLAlchemy's way from a statement
to the driver costs several times what SQLite needs for it, so on SQLite that way is gone once for each statement and
each set of parameters. The statements stay SQLAlchemy's, with its types; other databases are reached through it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import ClauseElement, Column, Connection, Dialect, Executable, Insert, Select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

Values = Mapping[str, object]
Processor = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a statement gave: its rows, how many rows it touched, and the key of a row that it inserted."""

    rows: Sequence[Mapping[str, Any]] = ()
    count: int = 0
    key: int = 0

    @property
    def first(self) -> Mapping[str, Any] | None:
        """Give the first row, if there is one."""
        return self.rows[0] if self.rows else None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The text for the driver, its parameters in order (name, value where none is given, processor), its columns."""

    text: str
    parameters: tuple[tuple[str, object, Processor | None], ...]
    columns: tuple[tuple[str, Processor | None], ...]

    def arguments(self, values: Values) -> list[object]:
        """Give the parameters as the driver takes them."""
        found: list[object] = []
        for name, otherwise, processor in self.parameters:
            value = values.get(name, otherwise)
            found.append(value if processor is None else processor(value))
        return found

    def row(self, held: Sequence[Any]) -> dict[str, Any]:
        """Give a row of the driver's by the names of its columns."""
        return {
            name: value if processor is None else processor(value)
            for (name, processor), value in zip(self.columns, held, strict=True)
        }


def _processor(kind: TypeEngine[Any], dialect: Dialect, *, result: bool) -> Processor | None:
    there = kind.dialect_impl(dialect)
    found = there.result_processor(dialect, None) if result else there.bind_processor(dialect)
    return cast("Processor | None", found)


def _prefetched(compiled: SQLCompiler) -> Sequence[Column[Any]]:
    """Give the columns for which a default has to be handed in."""
    return compiled.insert_prefetch if compiled.isinsert else ()


@lru_cache(maxsize=512)
def _prepare(statement: Executable, dialect: Dialect, names: tuple[str, ...]) -> _Prepared:
    writes = not isinstance(statement, Select)
    element = cast("ClauseElement", statement)
    compiled = cast("SQLCompiler", element.compile(dialect=dialect, column_keys=list(names) if writes else None))
    defaults = {column.key: getattr(column.default, "arg", None) for column in _prefetched(compiled)}
    parameters: list[tuple[str, object, Processor | None]] = []
    for name in compiled.positiontup or ():
        bind = compiled.binds[name]
        value = defaults.get(bind.key, bind.value)
        parameters.append((bind.key, value, _processor(bind.type, dialect, result=False)))
    columns = (
        tuple(
            (column.key or "", _processor(column.type, dialect, result=True)) for column in statement.selected_columns
        )
        if isinstance(statement, Select)
        else ()
    )
    return _Prepared(str(compiled), tuple(parameters), columns)


def execute(connection: Connection, statement: Executable, values: Values | None = None) -> Outcome:
    """Execute a statement with values for its parameters, or for the columns of an insert or update."""
    values = values or {}
    if connection.dialect.name != "sqlite":
        return _through_sqlalchemy(connection, statement, values)
    prepared = _prepare(statement, connection.dialect, tuple(values))
    cursor = connection.connection.cursor()
    try:
        cursor.execute(prepared.text, prepared.arguments(values))
        if prepared.columns:
            return Outcome([prepared.row(held) for held in cursor.fetchall()])
        key = cursor.lastrowid if isinstance(statement, Insert) else None
        return Outcome(count=cursor.rowcount, key=key or 0)
    except sqlite3.Error as fault:
        raise DBAPIError(prepared.text, None, fault) from fault
    finally:
        cursor.close()


def _through_sqlalchemy(connection: Connection, statement: Executable, values: Values) -> Outcome:
    result = connection.execute(statement, dict(values))
    if isinstance(statement, Select):
        return Outcome([dict(row) for row in result.mappings()])
    key: Any = result.inserted_primary_key if isinstance(statement, Insert) else None
    return Outcome(count=result.rowcount, key=key[0] if key is not None and isinstance(key[0], int) else 0)
