"""Reads what an observed database holds as what the specification says that it is, or says what it is instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from tck_driver.errors import DriverError
from tck_driver.views import SessionRow
from tck_driver.vocabulary import MailboxKind, MailboxRef, RunOutcome
from tck_fakes.observed_mapping import FIELDS, NULL, Layout

_UUID_BYTES = 16
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
_MOST_SHOWN = 80


class _UnfitError(Exception):
    """A value is not of the type of its field; the text says what it must be."""


_OUTCOMES = frozenset(str(outcome) for outcome in RunOutcome)


def _text(value: object) -> str:
    if type(value) is str:
        return value
    if isinstance(value, UUID):
        return str(value)
    raise _UnfitError("text")


def _text_or_null(value: object) -> str | None:
    return None if value is None else _text(value)


def _whole(value: object) -> int | None:
    """Give an integer as databases have it; a truth value is none."""
    if type(value) is int:
        return value
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        return int(value)
    return None


def run_text(value: object) -> str:
    """Give the id of a run as the engine tells it."""
    if (number := _whole(value)) is not None:
        return str(number)
    if isinstance(value, bytes) and len(value) == _UUID_BYTES:
        return str(UUID(bytes=value))
    if isinstance(value, str | UUID) and value:
        return str(value)
    raise _UnfitError("a number, a text or a UUID")


def _number(value: object) -> int:
    if (number := _whole(value)) is not None:
        return number
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    raise _UnfitError("an integer")


def _flag(value: object) -> bool:
    if value is True or value is False:
        return value
    if _whole(value) in {0, 1}:
        return value == 1
    raise _UnfitError("a boolean, or 0 or 1")


def _kind(value: object) -> MailboxKind:
    if value == "issue":
        return "issue"
    if value == "merge_request":
        return "merge_request"
    raise _UnfitError("issue or merge_request; say under observe.values.kind what the engine's words mean")


def _outcome(value: object) -> str:
    if value in _OUTCOMES:
        return str(value)
    raise _UnfitError("an outcome of §13.4; say under observe.values.outcome what the engine's words mean")


Reader = Callable[[object], object]

#: How the value of each field is read; all others are texts that cannot be null.
_READERS: Mapping[str, Reader] = {
    "run": run_text,
    "kind": _kind,
    "iid": _number,
    "session_name": _text_or_null,
    "native_session_id": _text_or_null,
    "resumed": _flag,
    "resume_fallback": _text_or_null,
    "outcome": _outcome,
}


def _translated(reader: Reader, words: Mapping[str, object]) -> Reader:
    """Read what a word of the engine means; a word that is not translated stays as it is."""

    def read(value: object) -> object:
        if isinstance(value, bool | int | str):
            value = words.get(str(value).lower() if isinstance(value, bool) else str(value), value)
        return reader(value)

    return read


class RowReader:
    """Makes session rows of what the columns of `fields` hold."""

    def __init__(self, layout: Layout, fields: Sequence[str]) -> None:
        """Prepare for columns in this order. Raises `DriverError` for a constant that does not fit its field."""
        self._layout = layout
        readers = {name: _READERS.get(name, _text) for name in FIELDS}
        for name, words in layout.values.items():
            meant = {word: None if one == NULL else one for word, one in words.items()}
            readers[name] = _translated(readers[name], meant)
        self._fields = fields
        self._readers = [readers[name] for name in fields]
        constants = [name for name in FIELDS if name not in fields]
        self._constants = [self._constant(name, _READERS.get(name, _text)) for name in constants]
        given = [*fields, *constants]
        self._in_order = None if given == list(FIELDS) else [given.index(name) for name in FIELDS]

    def row(self, values: Sequence[object]) -> SessionRow:
        """Read one row. Raises `DriverError` where a value is not of its field's type."""
        read: list[Any]
        try:
            read = [reader(value) for reader, value in zip(self._readers, values, strict=True)]
        except _UnfitError:
            raise self._unfit(values) from None
        if self._in_order is not None:
            read += self._constants
            read = [read[at] for at in self._in_order]
        run, organization, project, kind, iid, *session = read
        return SessionRow(run, MailboxRef(organization, project, kind, iid), *session)

    def _constant(self, name: str, reader: Reader) -> object:
        value = self._layout.constants[name]
        try:
            return reader(value)
        except _UnfitError as fault:
            raise DriverError(f"observe.columns.{name} is the constant {value!r}; it must be {fault}") from None

    def _unfit(self, values: Sequence[object]) -> DriverError:
        """Say which value it was; only here, so that good rows need not keep count."""
        run = values[self._fields.index("run")]
        for name, reader, value in zip(self._fields, self._readers, values, strict=True):
            try:
                reader(value)
            except _UnfitError as fault:
                where = self._layout.columns[name]
                held = "null" if value is None else f"{_short(value)} ({type(value).__name__})"
                return DriverError(f"{where} of run {_short(run)} holds {held}; as {name} it must be {fault}")
        raise AssertionError("a row was refused whose values all fit")  # pragma: no cover -- readers keep no state


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"
