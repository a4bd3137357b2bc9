"""The JSON Schemas (2020-12) of the driver protocol, one file a method; every message is held against them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, cast

import jsonschema_rs
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, relevance
from referencing import Registry, Resource

#: Where the `$id` of every schema begins; the number is the protocol's version.
BASE = "https://session-tck.dev/schemas/driver/1/"
#: The file of each method, in the order in which a driver meets them.
METHODS: Mapping[str, str] = MappingProxyType(
    {
        "initialize": "initialize",
        "scenario/open": "scenario-open",
        "stimulus/send": "stimulus-send",
        "clock/advance": "clock-advance",
        "barrier/quiesce": "barrier-quiesce",
        "state/query": "state-query",
        "state/overwrite": "state-overwrite",
        "engine/kill": "engine-kill",
        "engine/start": "engine-start",
        "course/cast": "course-cast",
        "course/play": "course-play",
        "scenario/close": "scenario-close",
        "shutdown": "shutdown",
    }
)
_LONGEST = 300


class MisfitError(ValueError):
    """A message does not fit its schema: where in it, and why."""


@cache
def schema(name: str) -> Mapping[str, Any]:
    """Give the schema of one file, such as `scenario-open`."""
    text = resources.files(__package__ or "").joinpath(f"{name}.json").read_text(encoding="utf-8")
    read: Mapping[str, Any] = json.loads(text)
    return read


@cache
def _resources() -> tuple[tuple[str, dict[str, Any]], ...]:
    return tuple((f"{BASE}{name}.json", dict(schema(name))) for name in ("common", "envelope", *METHODS.values()))


def _part(name: str, path: tuple[str, ...]) -> dict[str, str]:
    return {"$ref": f"{BASE}{name}.json{'/'.join(('#', '$defs', *path))}"}


@cache
def _quick(name: str, *path: str) -> Callable[[object], bool]:
    registry = jsonschema_rs.Registry(list(_resources()))
    return jsonschema_rs.Draft202012Validator(_part(name, path), registry=registry).is_valid


@cache
def validator(name: str, *path: str) -> Draft202012Validator:
    """Give the validator of a part of a file, such as `("scenario-open", "params")`, that can say what is wrong."""
    known = [(uri, Resource.from_contents(content)) for uri, content in _resources()]
    return Draft202012Validator(_part(name, path), registry=Registry[Any]().with_resources(known))


def check(value: object, name: str, *path: str) -> None:
    """Hold a value against a part of a file. Raises `MisfitError` with the place and the reason.

    Two libraries do it: a fast one says whether, as every message of a run is looked at, and a talkative one says why.
    """
    try:
        if _quick(name, *path)(value):
            return
    except UnicodeError:
        # Half a surrogate pair, which JSON can say and no text can hold.
        raise MisfitError("a text in it is no Unicode (half a surrogate pair)") from None
    faults: Iterable[ValidationError] = validator(name, *path).iter_errors(value)  # pyright: ignore[reportArgumentType, reportUnknownMemberType] -- the stubs want a JSON type
    worst = min(faults, key=relevance, default=None)
    raise MisfitError("it does not fit its schema" if worst is None else describe(_innermost(worst)))


def _nearest(fault: ValidationError) -> tuple[int, bool, int]:
    """Order the faults of several alternatives: the deepest first, and "is not null" only where nothing else is."""
    return -len(fault.absolute_path), fault.validator == "type" and fault.validator_value == "null", len(fault.message)


def _innermost(fault: ValidationError) -> ValidationError:
    """Follow a violation of several alternatives into the one that came closest."""
    while fault.context:
        fault = min(fault.context, key=_nearest)
    return fault


def describe(fault: ValidationError) -> str:
    """Give a violation on one line: where, and what is wrong there."""
    place = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.absolute_path)
    said = fault.message
    if len(said) > _LONGEST:
        # The value comes first and may be long; the reason stands at the end.
        said = f"{said[: _LONGEST // 2]} … {said[-_LONGEST // 2 :]}"
    return f"{said} @ {place}"


def check_params(method: str, params: object) -> None:
    """Hold the params of a request against the method's schema."""
    check(params, METHODS[method], "params")


def check_result(method: str, params: Mapping[str, Any], result: object) -> None:
    """Hold a result against the method's schema, and rows against their view's."""
    check(result, METHODS[method], "result")
    if method == "state/query":
        rows: list[object] = cast("dict[str, Any]", result)["rows"]
        for number, row in enumerate(rows):
            try:
                check(row, METHODS[method], "rows", params["view"])
            except MisfitError as fault:
                raise MisfitError(f"{fault} of rows[{number}]") from None
