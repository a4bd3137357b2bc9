"""The durable log: what was begun and what it came to, each in one line that is only ever added to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cattrs import Converter

from tck_driver.vocabulary import AdapterId
from tck_simulator.turns.continuation import Continuation, Due

_CONVERTER = Converter()

#: What a turn is known to have come to; `began` where nobody has seen its end.
Event = Literal["began", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log. `native_id` is what a completed turn leaves to go on with."""

    position: int
    event: Event
    scope: str
    generation: int
    provider: AdapterId
    digest: str
    native_id: str | None = None

    def proves(self, kept: Continuation) -> bool:
        """Say whether this is the record of the completion that the continuation comes from (REUSE-7)."""
        return self.event == "completed" and self == Entry(
            kept.position, self.event, kept.scope, kept.generation, kept.provider, kept.digest, kept.native_id
        )


class Log:
    """The file that holds the log. Raises `OSError` where it cannot be written."""

    def __init__(self, path: Path) -> None:
        """Go on with what stands there."""
        self._path = path

    def add(self, event: Event, due: Due, native_id: str | None = None) -> None:
        """Write down what became of a turn."""
        entry = Entry(len(self), event, due.scope, due.generation, due.provider, due.digest, native_id)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(_CONVERTER.unstructure(entry)) + "\n")

    def __len__(self) -> int:
        """Give the position that the next entry has."""
        return len(self.entries())

    def entries(self) -> tuple[Entry, ...]:
        """Read everything, oldest first."""
        if not self._path.exists():
            return ()
        lines = self._path.read_text("utf-8").splitlines()
        return tuple(_CONVERTER.structure(json.loads(line), Entry) for line in lines)

    def last(self, scope: str) -> Entry | None:
        """Give the last entry of a scope."""
        return next((entry for entry in reversed(self.entries()) if entry.scope == scope), None)
