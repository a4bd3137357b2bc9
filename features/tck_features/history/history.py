"""A history as it was played: each event with what lay before it and after it, and who watches.

A watcher sees every event together with what was witnessed meanwhile. It is how a model of the specification follows an
engine: it needs nothing of the engine but what any engine shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tck_driver.stimuli import StimulusResult
    from tck_driver.views import SessionRow
    from tck_features.history.events import Event
    from tck_features.world import World


@dataclass(frozen=True, slots=True)
class Happened:
    """One event, and what it led to.

    `since` and `until` are positions in the witness log; `table` holds the rows of `llm_sessions` afterwards; `result`
    is what the engine said of a stimulus, None for whatever is none; `refusal` is its text where it refused to start.
    `touched` is the folder that was damaged, or that cannot be removed now or can be again, None where there was none.
    """

    event: Event
    result: StimulusResult | None
    since: int
    until: int
    begun: datetime
    ended: datetime
    table: tuple[SessionRow, ...]
    refusal: str | None = None
    touched: Path | None = None


class Watcher(Protocol):
    """Follows a history, and records in the world's checks what it expects."""

    def saw(self, world: World, happened: Happened) -> None:
        """Take an event in. Raises `ExpectationFailedError` where the engine did something else than it had to."""
        ...
