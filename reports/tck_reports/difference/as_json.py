"""A difference as JSON, for programs; `schemas/difference-1.json` says what stands where."""

import json
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any, Final, cast

from tck_reports.difference.values import Difference

SCHEMA_ID: Final = "urn:session-tck:schemas/difference-1.json"
#: What stands there as it does in the value.
_FIELDS: Final = (
    "requirements",
    "checks",
    "new_requirements",
    "gone_requirements",
    "new_checks",
    "gone_checks",
    "evidence",
    "redefined",
    "reasons",
)


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a difference."""
    text = (files("tck_reports") / "schemas" / "difference-1.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def content(difference: Difference) -> dict[str, Any]:
    """Return everything as plain JSON values."""
    everything = asdict(difference)
    return {
        "schema": SCHEMA_ID,
        "exit_code": int(difference.exit_code),
        "comparable": difference.comparable,
        "empty": difference.empty,
        "old": everything["old"],
        "new": everything["new"],
        "caveats": list(everything["caveats"]),
        "verdicts": list(everything["verdicts"]),
        "totals": {str(outcome): {"old": old, "new": new} for outcome, (old, new) in difference.totals.items()},
        "regressions": [one.id for one in difference.regressions],
        "hidden_regressions": [one.id for one in difference.hidden],
        "withdrawn": [one.id for one in difference.withdrawn],
        "vanished": [one.id for one in difference.vanished],
        "fallen": [one.profile for one in difference.fallen],
        "unwitnessed": [one.profile for one in difference.unwitnessed],
        "judged_otherwise": [one.id for one in difference.judged_otherwise],
        "fixes": [one.id for one in difference.fixes],
        **{name: [_plain(one) for one in everything[name]] for name in _FIELDS},
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- of any JSON


def render(difference: Difference) -> str:
    """Return the JSON as text: ASCII, two spaces of indent."""
    return json.dumps(content(difference), indent=2, allow_nan=False) + "\n"
