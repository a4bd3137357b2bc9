"""The simulator behind its driver, with rows that fit their schema and are not true.

Each argument is one lie, `VIEW.FIELD=VALUE` with a value in JSON, told in every row of that view; a field within a
field is named by a further dot. An engine that lies so behaves as it should and only says otherwise.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tck_driver.server import Server, serve_stdio
from tck_driver.views import Row, ViewName
from tck_fakes.served import ServedSimulator

Lie = tuple[str, list[str], Any]


def read(text: str) -> Lie:
    """Read an argument."""
    place, _, value = text.partition("=")
    view, *path = place.split(".")
    return view, path, json.loads(value)


def told(row: Row, path: list[str], value: object) -> Row:
    """Give a row as the lie has it; where there is no such field within a field, there is nothing to lie about."""
    name, *inner = path
    if not inner:
        return replace(row, **{name: value})  # type: ignore[arg-type] # the field's type is the caller's matter
    held = getattr(row, name)
    return row if held is None else replace(row, **{name: {**held, inner[0]: value}})  # type: ignore[arg-type] # the same


class LyingSimulator(ServedSimulator):
    """The simulator, but for what it says."""

    lies: Sequence[Lie] = ()

    def query(self, view: ViewName) -> Sequence[Row]:
        """Answer from the bookkeeping, and lie."""
        rows = list(super().query(view))
        for of, path, value in self.lies:
            if of == view:
                rows = [told(row, path, value) for row in rows]
        return rows


def main() -> None:
    """Serve over standard streams."""
    LyingSimulator.lies = tuple(read(text) for text in sys.argv[1:])
    serve_stdio(Server(LyingSimulator, "a lying driver", "1.0.0"))


if __name__ == "__main__":
    main()
