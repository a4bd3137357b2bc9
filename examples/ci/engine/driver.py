"""The engine of this example: the simulator that session-tck brings, behind a driver, with one mistake of its own.

It stands where your engine stands. Put in its place what `session-tck driver new` writes, or any program that speaks
the protocol; the rest of this folder can stay as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tck_driver.engine import Declaration
from tck_driver.server import Server, serve_stdio
from tck_driver.views import DetailRow, Row, ViewName
from tck_fakes.served import ServedSimulator

#: What was built, and never the name of a branch.
VERSION = "0.2.0"


class TinyEngine(ServedSimulator):
    """An engine whose page of a session does not show the id that the CLI gave it."""

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Support everything."""
        return Declaration("tiny-engine", VERSION, "Python", capabilities=dict.fromkeys(capabilities, "supported"))

    def query(self, view: ViewName) -> Sequence[Row]:
        """Answer from the bookkeeping."""
        return [_without_id(row) if isinstance(row, DetailRow) else row for row in super().query(view)]


def _without_id(row: DetailRow) -> DetailRow:
    return replace(row, lines=tuple((label, value) for label, value in row.lines if label != "Native id"))


if __name__ == "__main__":
    serve_stdio(Server(TinyEngine, "tiny-driver", VERSION))
