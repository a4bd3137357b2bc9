"""A report whose texts are as short as the kit writes them, whoever wrote the file that it came from.

A report that was built here is so already. One from a disk may hold ten megabytes in a message, or half of a surrogate
pair, and still be a valid report: what every format is rendered from goes through here first.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from tck_reports.explain import short
from tck_reports.plain import MAX_DEPTH, MAX_TEXT, Plainer
from tck_reports.shape import Json, Report

#: Names of what may be any JSON at all, and is cut as such; every other list and object is the report's own.
_ANY: Final = frozenset({"expected", "actual"})


def bounded(report: Report) -> Report:
    """Return the report with every text cut and encodable, and every value of an engine bounded."""
    plainer = Plainer()
    return cast(
        "Report",
        {
            name: [part if _short(part) else _bounded(part, plainer) for part in cast("Sequence[Any]", value)]
            if isinstance(value, list)
            else _bounded(value, plainer)
            for name, value in cast("dict[str, Any]", report).items()
        },
    )


def _bounded(value: Json, plainer: Plainer) -> Json:
    if isinstance(value, str):
        return plainer.text(_cut(value))
    if isinstance(value, dict):
        return {
            plainer.text(_cut(name)): plainer.value(_cut(one)) if name in _ANY else _bounded(one, plainer)
            for name, one in cast("dict[str, Any]", value).items()
        }
    return [_bounded(one, plainer) for one in cast("Sequence[Any]", value)] if isinstance(value, list) else value


def _short(value: Json) -> bool:
    """Whether all of it is so short that nothing in it can be too long; found out faster than by looking at each."""
    try:
        text = json.dumps(value)
    except (RecursionError, ValueError):
        return False
    return len(text) <= MAX_TEXT and "\\ud" not in text


def _cut(value: Json, depth: int = 0) -> Json:
    """Return the value with long texts cut; making megabytes plain, to throw them away then, would take a while."""
    if isinstance(value, str):
        # One that is hardly longer may have been cut already.
        return short(value, MAX_TEXT) if len(value) > 2 * MAX_TEXT else value
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return {_cut(name): _cut(one, depth + 1) for name, one in cast("dict[str, Any]", value).items()}
    return [_cut(one, depth + 1) for one in cast("Sequence[Any]", value)] if isinstance(value, list) else value
