"""Ends what takes too long, in real time: only an engine that hangs does."""

from __future__ import annotations

import signal
from types import FrameType

from tck_kit.judging import ScenarioTimeoutError


class Within:
    """A stretch that has so many seconds, and then is ended by a `ScenarioTimeoutError`."""

    def __init__(self, seconds: float) -> None:
        """Give it so long."""
        self._seconds = seconds

    def __enter__(self) -> None:
        """Begin."""
        self._previous = signal.signal(signal.SIGALRM, _too_long)
        # Again every second, should something swallow the first one.
        signal.setitimer(signal.ITIMER_REAL, self._seconds, 1)

    def __exit__(self, *_: object) -> None:
        """End."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._previous)


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise ScenarioTimeoutError("the engine did not come to rest")
