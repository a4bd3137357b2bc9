"""What a person sees while a search goes on: one line in place on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tck_kit.fuzz.hunt import Tally

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

_ON_A_TERMINAL, _ELSEWHERE = 0.1, 5.0


def rate(tally: Tally, seconds: float) -> str:
    """Say how many stimuli a second an engine was told of."""
    return f"{tally.stimuli / seconds:,.0f} stimuli a second" if seconds > 0 else "no time"


class Display:
    """Shows a tally as it grows. It takes little time: it looks at the clock, and seldom writes."""

    def __init__(self, console: Console) -> None:
        """Show on this console."""
        self._console = console
        self._begun = self._last = time.monotonic()
        self._status: Status | None = None

    def __enter__(self) -> Self:
        """Begin."""
        if self._console.is_terminal:
            self._status = self._console.status("searching")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        if self._status is not None:
            self._status.stop()

    def __call__(self, tally: Tally, what: str) -> None:
        """Show how far a search is."""
        now = time.monotonic()
        if now - self._last < (_ELSEWHERE if self._status is None else _ON_A_TERMINAL):
            return
        self._last = now
        words = f"{tally.examples:,} histories, {tally.stimuli:,} stimuli, {rate(tally, now - self._begun)}; {what}"
        if self._status is None:
            self._console.print(words, highlight=False, markup=False, soft_wrap=True)
        else:
            self._status.update(words)
