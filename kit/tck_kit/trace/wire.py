"""Values of the vocabulary as a trace holds them, and back: arguments, results, witness records, exceptions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from functools import partial
from typing import Any, Final, cast, get_args

from cattrs.preconf.json import JsonConverter, make_converter

from tck_driver.bench import Act, Link, Script, Write
from tck_driver.configuration import EngineConfig, SettingValue
from tck_driver.engine import Declaration, Leaks, Quiescence
from tck_driver.errors import (
    DriverCrashedError,
    DriverError,
    DriverIncompatibleError,
    DriverTimeoutError,
    EngineError,
    EngineTimeoutError,
    FalseAdvertisingError,
    KitError,
    UnsupportedError,
    UntestableError,
)
from tck_driver.messages import config_params, stimulus_params
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import ROW_TYPES, Row, SessionRow, ViewName
from tck_driver.vocabulary import MailboxRef
from tck_driver.witness import Mount, Record
from tck_fakes.clock import EPOCH
from tck_kit.judging import ScenarioTimeoutError

Json = Any
#: The kinds of witness records, by name.
_RECORDS: Final[Mapping[str, type[Record]]] = {kind.__name__: kind for kind in get_args(Record)}
#: Exceptions whose type decides what a scenario comes to; a subclass stands before its base.
_KNOWN: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind
    for kind in (
        FalseAdvertisingError,
        EngineTimeoutError,
        EngineError,
        ScenarioTimeoutError,
        UnsupportedError,
        UntestableError,
        DriverCrashedError,
        DriverTimeoutError,
        DriverIncompatibleError,
        DriverError,
        KitError,
    )
}
#: The text of an exception that is longer than this is cut, as a report does.
_MOST_TEXT: Final = 4_000


def _converter() -> JsonConverter:
    made = make_converter()
    # Unions of plain values stay as they are.
    for union in (SettingValue, str | bool | None, str | None):
        made.register_structure_hook(union, lambda value, _: value)
    made.register_unstructure_hook(Act, lambda act: {type(act).__name__: made.unstructure(act)})
    made.register_structure_hook(Act, partial(_act, made))
    return made


def _act(made: JsonConverter, held: Mapping[str, Json], _: object) -> Act:
    ((name, told),) = held.items()
    if name == "Write":
        return made.structure(told, Write)
    return made.structure(told, Link)


_CONVERTER: Final = _converter()
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def plain(value: object) -> Json:
    """Give a value of the vocabulary as JSON has it."""
    return _CONVERTER.unstructure(value)


def config_of(config: EngineConfig) -> Json:
    """Give what an engine is opened with; where its database lies is nothing that a scenario asks."""
    held = {name: value for name, value in config_params(config, EPOCH).items() if name != "now"}
    return {**held, "seed": config.seed}


def stimulus_of(stimulus: Stimulus) -> Json:
    """Give a stimulus with its name."""
    return stimulus_params(stimulus)


def records_of(records: Sequence[Record]) -> Json:
    """Give witness records, each with its kind."""
    return [{type(one).__name__: _fields(one)} for one in records]


def _fields(record: Record | Mount) -> dict[str, Json]:
    # What only courses have is left out elsewhere, so that a kit without courses reads the traces of all other runs.
    held = {one: getattr(record, one.name) for one in fields(record)}
    return {one.name: _value(value) for one, value in held.items() if value is not None or one.default is MISSING}


def _value(value: object) -> Json:
    match value:
        case tuple():
            return [_value(one) for one in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- what a record holds
        case datetime():
            return value.isoformat()
        case Mount():
            return _fields(value)
        case _:
            return value


def read_records(held: Sequence[Mapping[str, Mapping[str, Json]]]) -> list[Record]:
    """Read what `records_of` gave. Raises an exception of any kind for records that this kit does not know."""
    return [_RECORDS[name](**_read_fields(told)) for one in held for name, told in one.items()]


def _read_fields(told: Mapping[str, Json]) -> dict[str, Json]:
    return {name: datetime.fromisoformat(value) if name == "at" else _read(value) for name, value in told.items()}


def _read(value: Json) -> Json:
    match value:
        case list():
            return tuple(_read(one) for one in value)  # pyright: ignore[reportUnknownVariableType] -- whatever a record holds
        case dict():
            return Mount(**value)  # pyright: ignore[reportUnknownArgumentType] -- the same
        case _:
            return value


def rows_of(rows: Sequence[Row]) -> Json:
    """Give the rows of a view; a driver may have given another type than was asked for."""
    return [{_VIEWS[type(one)]: plain(one)} for one in rows]


_VIEWS: Final[Mapping[type[Row], ViewName]] = {kind: name for name, kind in ROW_TYPES.items()}


def read_rows(held: Sequence[Mapping[str, Json]]) -> list[Row]:
    """Read what `rows_of` gave."""
    kinds: Mapping[str, type[Row]] = {str(name): kind for name, kind in ROW_TYPES.items()}
    return [_CONVERTER.structure(told, kinds[name]) for one in held for name, told in one.items()]


def read_sessions(held: Sequence[Json] | None) -> list[SessionRow] | None:
    """Read the rows of the engine's own database."""
    return None if held is None else [_CONVERTER.structure(one, SessionRow) for one in held]


def read_result(held: Json) -> StimulusResult:
    """Read the answer to a stimulus."""
    return _CONVERTER.structure(held, StimulusResult)


def read_quiescence(held: Json) -> Quiescence:
    """Read whether an engine was idle."""
    return _CONVERTER.structure(held, Quiescence)


def read_leaks(held: Json) -> Leaks:
    """Read what an engine left behind."""
    return _CONVERTER.structure(held, Leaks)


def read_declaration(held: Json) -> Declaration:
    """Read what an engine said of itself."""
    return _CONVERTER.structure(held, Declaration)


def mailbox_of(mailbox: MailboxRef) -> Json:
    """Give the address of a mailbox."""
    return plain(mailbox)


def scripts_of(scripts: Sequence[Script]) -> Json:
    """Give what a CLI is told to do."""
    return [plain(one) for one in scripts]


def raised_of(fault: BaseException) -> Json:
    """Give an exception: its type, the type by which it is judged, and its text."""
    base = next((name for name, kind in _KNOWN.items() if isinstance(fault, kind)), "")
    what = {"what": fault.what} if isinstance(fault, UnsupportedError) else {}
    return {"type": type(fault).__name__, "base": base, "text": str(fault)[:_MOST_TEXT], **what}


def raised(held: Mapping[str, str]) -> Exception:
    """Make the exception that was raised; one of an unknown type has the same name and the same text."""
    name, base = held["type"], _KNOWN.get(held["base"])
    if base is UnsupportedError and "what" in held:
        return UnsupportedError(held["what"])
    if name in _KNOWN:
        return _KNOWN[name](held["text"])
    kind = cast("type[Exception]", type(name, (base or Exception,), {}))
    return kind(held["text"])


def same(one: Json, other: Json) -> bool:
    """Tell whether two values are the same JSON."""
    return canonical(one) == canonical(other)


def canonical(value: Json) -> str:
    """Give a value as one text, whatever the order of its names."""
    return _CANONICAL(value)
