"""The statements for an observed database, built from its layout; no name ever becomes part of a text of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import (
    ColumnClause,
    ColumnElement,
    Executable,
    FromClause,
    TableClause,
    and_,
    bindparam,
    column,
    exists,
    literal_column,
    select,
    table,
    update,
)
from sqlalchemy.sql import quoted_name
from sqlalchemy.types import NullType

from tck_fakes.observed_mapping import FIELDS, ColumnName, Layout, TableName


class Statements:
    """Builds the statements for one layout."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._tables: Mapping[TableName, TableClause] = {name: _table(name, layout) for name in layout.tables()}
        self.fields: Sequence[str] = tuple(name for name in FIELDS if name in layout.columns)

    def rows(self) -> Executable:
        """Give the columns of `fields`, oldest run first."""
        chosen = [self._column(self._layout.columns[name]).label(name) for name in self.fields]
        order = [self._column(name) for name in self._layout.order]
        return select(*chosen).select_from(self._joined()).order_by(*order)

    def runs(self) -> Executable:
        """Give the key of every run, as the database has it."""
        run = self._layout.columns["run"]
        return select(self._column(run)).select_from(self._tables[run.table])

    def tamper(self, key: object, value: str) -> Executable:
        """Set the native id of one run.

        Both are handed over untyped, so that the database takes them for what its columns are, and without
        names, which could be those of columns.
        """
        native, run = self._layout.columns["native_session_id"], self._layout.columns["run"]
        target = self._tables[native.table]
        where = self._column(run) == bindparam(None, key, type_=NullType())
        if run.table != native.table:
            others = [one for name, one in self._tables.items() if name != native.table]
            on = [condition for join in self._layout.joins for condition in self._on(join.on)]
            where = exists(literal_column("1")).select_from(*others).where(and_(*on, where)).correlate(target)
        return update(target).where(where).values({self._column(native): bindparam(None, value, type_=NullType())})

    def _column(self, name: ColumnName) -> ColumnElement[object]:
        return self._tables[name.table].c[name.name]

    def _joined(self) -> FromClause:
        joined: FromClause = self._tables[self._layout.table]
        for join in self._layout.joins:
            joined = joined.join(self._tables[join.table], and_(*self._on(join.on)))
        return joined

    def _on(self, pairs: Sequence[tuple[ColumnName, ColumnName]]) -> list[ColumnElement[bool]]:
        return [self._column(left) == self._column(right) for left, right in pairs]


def _table(name: TableName, layout: Layout) -> TableClause:
    columns: list[ColumnClause[object]] = [
        column(quoted_name(one.name, quote=True))
        for one in layout.keys
        if isinstance(one, ColumnName) and one.table == name
    ]
    schema = None if name.schema is None else quoted_name(name.schema, quote=True)
    return table(quoted_name(name.name, quote=True), *columns, schema=schema)
