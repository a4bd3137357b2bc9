"""Values as Go's templates print, encode and handle them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from tck_fakes.daemon.values import Free


def json_text(value: object) -> str:
    """Give a value as Go's encoder writes it."""
    if isinstance(value, Mapping):
        # Methods can be called by a template, and are no part of the document.
        items = cast("Mapping[str, object]", value).items()
        value = {name: item for name, item in items if not callable(item)}
    plain = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def shown(value: object) -> str:
    """Give a value as Go prints it."""
    if value is None:
        return "<no value>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        pairs = sorted(cast("Mapping[str, object]", value).items())
        return "map[" + " ".join(f"{key}:{shown(item)}" for key, item in pairs) + "]"
    if isinstance(value, list | tuple):
        return "[" + " ".join(shown(item) for item in cast("Sequence[object]", value)) + "]"
    return str(value)


def _index(at: object, *keys: object) -> object:
    for key in keys:
        if isinstance(at, Free):
            at = at.get(str(key), "")
        elif isinstance(at, Mapping):
            at = cast("Mapping[object, object]", at).get(key)
        else:
            at = cast("Sequence[object]", at)[cast("int", key)]
    return at


def _join(values: object, by: object) -> str:
    return str(by).join(shown(value) for value in cast("Sequence[object]", values))


def _split(value: object, by: object) -> list[str]:
    return str(value).split(str(by))


def _slice(value: object, begin: object, end: object = None) -> object:
    return cast("Sequence[object]", value)[cast("int", begin) : cast("int | None", end)]


def _length(value: object) -> int:
    return len(cast("Sequence[object]", value))


def _print(*values: object) -> str:
    return " ".join(shown(value) for value in values)


def _println(*values: object) -> str:
    return _print(*values) + "\n"


def _printf(text: object, *values: object) -> str:
    pending = iter(values)

    def put(found: re.Match[str]) -> str:
        value = next(pending, "%!(MISSING)")
        return json.dumps(str(value)) if found[0] == "%q" else shown(value)

    return re.sub(r"%[sdvq]", put, str(text))


def _eq(value: object, *others: object) -> bool:
    return value in others


def _ne(value: object, other: object) -> bool:
    return value != other


def _lt(value: object, other: object) -> bool:
    return cast("int", value) < cast("int", other)


def _gt(value: object, other: object) -> bool:
    return cast("int", value) > cast("int", other)


def _not(value: object) -> bool:
    return not value


def _and(*values: object) -> object:
    return next((value for value in values if not value), values[-1])


def _or(*values: object) -> object:
    return next((value for value in values if value), values[-1])


#: The functions of a template, by name.
FUNCTIONS: dict[str, Callable[..., object]] = {
    "json": json_text,
    "index": _index,
    "len": _length,
    "join": _join,
    "split": _split,
    "slice": _slice,
    "lower": str.lower,
    "upper": str.upper,
    "print": _print,
    "println": _println,
    "printf": _printf,
    "eq": _eq,
    "ne": _ne,
    "lt": _lt,
    "gt": _gt,
    "not": _not,
    "and": _and,
    "or": _or,
}
