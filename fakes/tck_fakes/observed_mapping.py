"""Where an engine keeps its session rows: the table and columns that stand for the fields of the specification.

What an implementer writes under `observe` is a `SessionMapping`, by names alone. `layout` says what these names mean
together, or everything that is wrong with them. A layout that cannot be said here can be made into a view of the
database, which reads like a table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from tck_driver.errors import DriverError
from tck_driver.vocabulary import AdapterId, FallbackReason, Phase, RunOutcome

#: What a mapping has a column for, in the order of the query; the four after `run` are the address of the mailbox.
FIELDS = (
    *("run", "organization", "project", "kind", "iid", "adapter_id", "phase", "provider", "model"),
    *("session_name", "native_session_id", "resumed", "resume_fallback", "outcome"),
)
#: What an engine may do without, and give a constant for. The rest is what the kit looks for in the database.
MAY_BE_CONSTANT = frozenset(FIELDS[1:9])
#: Stands for null among the words that a translation leads to.
NULL = "null"
#: The fields whose words can be translated, and the words that a translation can lead to; None: any text.
TRANSLATIONS: Mapping[str, frozenset[str | bool] | None] = {
    "kind": frozenset({"issue", "merge_request"}),
    "adapter_id": frozenset(str(adapter) for adapter in AdapterId),
    "phase": frozenset(str(phase) for phase in Phase),
    "provider": None,
    "model": None,
    "session_name": frozenset({NULL}),
    "native_session_id": frozenset({NULL}),
    "resumed": frozenset({True, False}),
    "resume_fallback": frozenset({NULL, *(str(reason) for reason in FallbackReason)}),
    "outcome": frozenset(str(outcome) for outcome in RunOutcome),
}

_SPECIFIED_TABLE = "llm_sessions"
_SPECIFIED_JOINS = ("llm_sessions.mailbox_id = mailboxes.id",)
_OWN_COLUMNS = {name: "id" if name == "run" else name for name in FIELDS}
_SPECIFIED_COLUMNS = {
    name: f"mailboxes.{column}" if name in {"organization", "project", "kind", "iid"} else column
    for name, column in _OWN_COLUMNS.items()
}
#: One part of a name: bare, or in double quotes where it has a dot, a quote or a blank in it.
_PART = re.compile(r'\s*(?:"((?:[^"\0]|"")+)"|([^\s."=\0]+))\s*(\.|$)')
_TABLE_PARTS, _COLUMN_PARTS = 2, 3


@dataclass(frozen=True, slots=True)
class MappingFault:
    """One mistake in a mapping: at which key, what, and what to do."""

    key: str
    what: str
    cure: str

    def __str__(self) -> str:
        """Give it in one line."""
        return f"{self.key} {self.what}; {self.cure}"


class MappingError(DriverError):
    """What was said of the engine's database cannot be meant. Before a run it is a mistake of the user."""

    def __init__(self, faults: Sequence[MappingFault]) -> None:
        """Keep the faults, one by one."""
        super().__init__("\n".join(f"observe.{fault}" for fault in faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Constant:
    """What stands for a column that an engine does not have."""

    value: str | int


@dataclass(frozen=True, slots=True)
class SessionMapping:
    """The names of a layout, as they were written; left to itself the layout of §22.3."""

    table: str = _SPECIFIED_TABLE
    joins: tuple[str, ...] = _SPECIFIED_JOINS
    columns: Mapping[str, str | Constant] = field(default_factory=lambda: dict(_SPECIFIED_COLUMNS))
    order: tuple[str, ...] = ("id",)
    values: Mapping[str, Mapping[str, str | bool]] = field(default_factory=dict[str, Mapping[str, str | bool]])

    @classmethod
    def read(cls, given: Mapping[str, object]) -> SessionMapping:
        """Read what `plain` gives, or a user wrote and the schema let through.

        In a layout of the user's own, what is left out is the column of the field's name in `table`, `id` for the run.
        """
        own = "joins" in given or given.get("table", _SPECIFIED_TABLE) != _SPECIFIED_TABLE
        written = cast("Mapping[str, str | Mapping[str, str | int]]", given.get("columns", {}))
        columns: dict[str, str | Constant] = dict(_OWN_COLUMNS if own else _SPECIFIED_COLUMNS)
        for name, column in written.items():
            columns[name] = column if isinstance(column, str) else Constant(column["value"])
        run = columns["run"]
        order = cast("str | Sequence[str]", given.get("order", run))
        return cls(
            table=cast("str", given.get("table", _SPECIFIED_TABLE)),
            joins=tuple(cast("Sequence[str]", given.get("joins", () if own else _SPECIFIED_JOINS))),
            columns=columns,
            order=(order,) if isinstance(order, str) else tuple(order),
            values=cast("Mapping[str, Mapping[str, str | bool]]", given.get("values", {})),
        )

    def plain(self) -> dict[str, object]:
        """Give it as JSON and TOML can have it."""
        columns = {
            name: {"value": column.value} if isinstance(column, Constant) else column
            for name, column in self.columns.items()
        }
        return {
            "table": self.table,
            "joins": list(self.joins),
            "columns": columns,
            "order": list(self.order),
            "values": {name: dict(words) for name, words in self.values.items()},
        }


@dataclass(frozen=True, slots=True)
class TableName:
    """A table, in a schema where one was named."""

    schema: str | None
    name: str

    def __str__(self) -> str:
        """Give it as a person reads it."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(frozen=True, slots=True)
class ColumnName:
    """A column of one of the tables."""

    table: TableName
    name: str

    def __str__(self) -> str:
        """Give it as a person reads it."""
        return f"{self.table}.{self.name}"


@dataclass(frozen=True, slots=True)
class Join:
    """A further table, and the pairs of columns that must be equal."""

    table: TableName
    on: tuple[tuple[ColumnName, ColumnName], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What the names of a mapping mean. `keys` says where each table and column was named first."""

    table: TableName
    joins: tuple[Join, ...]
    columns: Mapping[str, ColumnName]
    constants: Mapping[str, str | int]
    order: tuple[ColumnName, ...]
    values: Mapping[str, Mapping[str, str | bool]]
    keys: Mapping[TableName | ColumnName, str]

    def tables(self) -> tuple[TableName, ...]:
        """Give all tables, the one with the runs first."""
        return (self.table, *(join.table for join in self.joins))


def layout(mapping: SessionMapping) -> Layout:
    """Say what the names of a mapping mean. Raises `MappingError` with all that is wrong."""
    reading = _Reading(mapping)
    if reading.faults:
        raise MappingError(reading.faults)
    return Layout(
        table=reading.table,
        joins=tuple(Join(table, tuple(pairs)) for table, pairs in reading.joins.items()),
        columns=reading.columns,
        constants={name: one.value for name, one in mapping.columns.items() if isinstance(one, Constant)},
        order=reading.order,
        values=mapping.values,
        keys=reading.keys,
    )


class _Reading:
    """Goes through a mapping from its table to its columns, and collects what is wrong on the way."""

    def __init__(self, mapping: SessionMapping) -> None:
        self.faults: list[MappingFault] = []
        self.keys: dict[TableName | ColumnName, str] = {}
        self.joins: dict[TableName, list[tuple[ColumnName, ColumnName]]] = {}
        parts = self._parts("table", mapping.table, _TABLE_PARTS)
        self.table = _table(parts or ("",))
        self.keys[self.table] = "table"
        if parts is None:
            return
        for number, text in enumerate(mapping.joins, 1):
            self._join(f"joins[{number}]", text)
        self._fields(mapping.columns)
        found = ((f"columns.{name}", name, text) for name, text in mapping.columns.items() if isinstance(text, str))
        self.columns = {name: column for key, name, text in found if (column := self._known(key, text))}
        self.order = tuple(column for text in mapping.order if (column := self._known("order", text)))
        self._translations(mapping.values)

    def _fault(self, key: str, what: str, cure: str) -> None:
        self.faults.append(MappingFault(key, what, cure))

    def _parts(self, key: str, text: str, most: int) -> tuple[str, ...] | None:
        """Split a name at its dots."""
        parts: list[str] = []
        at = 0
        while match := _PART.match(text, at):
            quoted, bare, dot = match.groups()
            parts.append(bare or quoted.replace('""', '"'))
            at = match.end()
            if not dot:
                break
        else:
            parts.clear()
        if 0 < len(parts) <= most:
            return tuple(parts)
        form = "schema.table.column" if most == _COLUMN_PARTS else "schema.table"
        cure = f'write {form}, in full or the end of it, and a part with dots or blanks in double quotes ("my part")'
        self._fault(key, f"is {_short(text)}, which is no name", cure)
        return None

    def _column(self, key: str, text: str) -> ColumnName | None:
        parts = self._parts(key, text, _COLUMN_PARTS)
        if parts is None:
            return None
        column = ColumnName(_table(parts[:-1]) if parts[:-1] else self.table, parts[-1])
        self.keys.setdefault(column, key)
        return column

    def _known(self, key: str, text: str) -> ColumnName | None:
        """Give a column of a table that is part of the query."""
        column = self._column(key, text)
        if column is not None and column.table != self.table and column.table not in self.joins:
            known = ", ".join(map(str, (self.table, *self.joins)))
            self._fault(
                key,
                f"is {_short(text)}, and no join leads to a table {column.table}",
                f'known are {known}; add a join such as "{self.table}.key = {column.table}.id"',
            )
            return None
        return column

    def _join(self, key: str, text: str) -> None:
        sides = text.split("=")
        if len(sides) != 2:  # noqa: PLR2004 -- an equation has two sides
            self._fault(key, f"is {_short(text)}, which is no equation", 'write "one.column = other.column"')
            return
        left, right = (self._column(key, side) for side in sides)
        if left is None or right is None:
            return
        reached = {self.table: 0, **{table: number for number, table in enumerate(self.joins, 1)}}
        new = [side.table for side in (left, right) if side.table not in reached]
        if len(new) > 1 or left.table == right.table:
            self._fault(
                key,
                f"is {_short(text)}, which leads from no table before it to another",
                f"begin at {self.table}, and write the joins in the order in which tables are reached",
            )
            return
        joined = new[0] if new else max(left.table, right.table, key=reached.__getitem__)
        self.joins.setdefault(joined, []).append((left, right))
        self.keys.setdefault(joined, key)

    def _fields(self, columns: Mapping[str, str | Constant]) -> None:
        for name in sorted({*columns} - {*FIELDS}):
            self._fault(f"columns.{name}", "is no field", f"the fields are {', '.join(FIELDS)}")
        for name in sorted({*FIELDS} - {*columns}):
            self._fault(f"columns.{name}", "is missing", "name a column")
        for name, column in columns.items():
            if isinstance(column, Constant) and name in FIELDS and name not in MAY_BE_CONSTANT:
                self._fault(f"columns.{name}", "is a constant", "name a column: this is what the kit looks for")

    def _translations(self, values: Mapping[str, Mapping[str, str | bool]]) -> None:
        for name, words in values.items():
            if name not in TRANSLATIONS:
                self._fault(f"values.{name}", "cannot be translated", f"these can: {', '.join(TRANSLATIONS)}")
                continue
            allowed = TRANSLATIONS[name]
            for word, meant in words.items():
                if allowed is not None and meant not in allowed:
                    told = ", ".join(sorted(map(_word, allowed)))
                    key = f"values.{name}.{word}"
                    self._fault(key, f"leads to {_short(meant)}, which is no {name}", f"known are {told}")


def _table(parts: Sequence[str]) -> TableName:
    return TableName(parts[0] if len(parts) == _TABLE_PARTS else None, parts[-1])


def _word(value: str | bool) -> str:  # noqa: FBT001 -- it is the value that is told
    return str(value).lower() if isinstance(value, bool) else value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 -- a line of a terminal
