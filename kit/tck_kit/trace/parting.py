"""The last look of a recorded scenario: what a newer kit's expectations would most likely ask at its end.

Where an expectation did not hold, the steps after it have asked nothing, and a kit that expects something else there
would find an empty trace. Nothing but looks is asked, and nothing follows that could be changed by them.
"""

from __future__ import annotations

from contextlib import suppress

from tck_driver.views import ROW_TYPES
from tck_features.world import World
from tck_kit.judging import ScenarioTimeoutError
from tck_kit.trace.recording import Recording


def part(world: World, recording: Recording, *, everything: bool) -> None:
    """Look at all that can be looked at, where an expectation did not hold; elsewhere at the kit's own side alone.

    Without `everything`, as of an engine in another process, only views are asked for that it has given in some
    scenario before: what it never was asked could bring it down.
    """
    broken = any(not one.held for one in world.checks.expectations)
    if not recording.may_part:
        return
    with suppress(ScenarioTimeoutError, Exception):
        for name, look in (
            ("now", world.bench.now),
            ("running", world.bench.running),
            ("sessions_table", world.bench.sessions_table),
        ):
            if not recording.known(name):
                look()
        for view in ROW_TYPES if broken else ():
            if (everything or view in recording.views) and not recording.known("query", [view]):
                world.engine.query(view)
