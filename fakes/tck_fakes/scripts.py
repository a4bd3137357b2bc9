"""What the CLIs of a scenario do at their next starts: by the queues of the bench, or by the roles of a course."""

from __future__ import annotations

from collections import deque

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_fakes.casting import Casting, Part
from tck_fakes.standins.base import Request, Stop
from tck_fakes.standins.shapes import check


class Scripts:
    """One queue for each adapter, and a course once there is one; what is nobody's in it goes by the queues."""

    def __init__(self) -> None:
        """Begin with nothing: every CLI does what it is asked."""
        self._queues: dict[AdapterId, deque[Script]] = {}
        self._casting: Casting | None = None

    def queue(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the adapter's CLI does at its next starts. Raises `KitError` for a shape that it cannot take."""
        for script in scripts:
            check(adapter, script)
        self._queues.setdefault(adapter, deque()).extend(scripts)

    def cast(self, casting: Casting) -> None:
        """From now on tell starts apart by the roles of a course."""
        self._casting = casting

    @property
    def advertised(self) -> bool:
        """Whether the help of the CLIs offers to resume."""
        return self._casting is None or self._casting.advertised

    def next(self, adapter: AdapterId, asked: Request | Stop) -> tuple[Script, Part | None]:
        """Give what a CLI does at this start, which is used up by that, and what the start is in the course."""
        part = None if self._casting is None else _part(self._casting, adapter, asked)
        if part is not None:
            return part.script, part
        queue = self._queues.get(adapter)
        return (queue.popleft() if queue else Script()), None

    def reported(self, part: Part | None, session_id: str | None) -> None:
        """Take note of the session that a line of this start names, if it names one."""
        if self._casting is not None and part is not None and session_id is not None:
            self._casting.reported(part, session_id)


def _part(casting: Casting, adapter: AdapterId, asked: Request | Stop) -> Part | None:
    if isinstance(asked, Request):
        return casting.take(adapter, asked.prompt, asked.asked_id)
    # A CLI that has refused its arguments is known by its prompt alone, where one could be read.
    return None if asked.meant is None else casting.take(adapter, asked.meant.prompt, None)
