"""The scenario's time: it stands still until somebody lets it pass."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tck_driver.errors import KitError

#: Where a scenario's time begins unless it says otherwise; any fixed instant does.
EPOCH = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class VirtualClock:
    """A clock that only `advance` moves, and that wakes whoever asked for an instant on the way there.

    Waking in order of time is what makes two containers that end between two polls end in their right order.
    """

    def __init__(self, start: datetime = EPOCH) -> None:
        if start.tzinfo is None:
            raise KitError(f"a clock needs a start with a time zone, not {start.isoformat()}")
        self._now = start
        self._due: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = 0

    def now(self) -> datetime:
        """Give the present time, UTC."""
        return self._now

    def at(self, when: datetime, wake: Callable[[], None]) -> None:
        """Call `wake` once when time reaches `when`; an instant in the past is reached at the next `advance`."""
        self._order += 1
        heapq.heappush(self._due, (when, self._order, wake))

    def advance(self, ms: int) -> None:
        """Let `ms` milliseconds pass. Raises `KitError` for a negative number."""
        if ms < 0:
            raise KitError(f"time cannot pass backwards, by {ms} ms")
        self.set(self._now + timedelta(milliseconds=ms))

    def set(self, target: datetime) -> None:
        """Go to an instant; time that has passed it already stays where it is."""
        while self._due and self._due[0][0] <= target:
            when, _, wake = heapq.heappop(self._due)
            self._now = max(self._now, when)
            wake()
        # A woken caller may itself have let time pass, beyond our own target even.
        self._now = max(self._now, target)
