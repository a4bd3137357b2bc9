"""What every scenario checks at its end, whatever it is about: nothing left behind, nothing asked for wrongly.

Specification: ISOLATE-6, RESUME-10, §13.1, §17.2.
"""

from __future__ import annotations

from tck_driver.errors import DriverError, UnsupportedError, UntestableError
from tck_driver.views import SessionRow
from tck_driver.vocabulary import RunOutcome
from tck_features.world import World


def check_hygiene(world: World) -> None:
    """Check once the engine waits for the outside world. Runs that are still live may hold what they need."""
    if not world.opened or world.refusal is not None:
        return
    live = world.live()
    loose = [" ".join(start.cli.argv) for start in world.starts() if start.cli.asked_loosely]
    world.checks.expect(
        "no CLI was asked for its most recent session, or for one by name",
        expected=[],
        actual=[*loose],
        rests_on="witnessed",
    )
    if live or any(row.outcome == RunOutcome.QUEUED for row in world.table()):
        return
    world.checks.expect(
        "no container runs on after the runs have ended",
        expected=[],
        actual=[*world.bench.running()],
        rests_on="witnessed",
    )
    worktrees = world.bench.base / ".worktrees"
    left = sorted(path.name for path in worktrees.iterdir()) if worktrees.is_dir() else []
    world.checks.expect(
        "no worktree is left after the runs have ended", expected=[], actual=[*left], rests_on="witnessed"
    )
    _compare_tables(world)


def _compare_tables(world: World) -> None:
    """Hold the driver's rows against the engine's own, where both can be had: a false row is the driver's fault."""
    observed = world.bench.sessions_table()
    if observed is None:
        return
    try:
        reported = world.view("sessions", SessionRow)
    except (UnsupportedError, UntestableError):
        return
    told, held = ([str(row) for row in rows] for rows in (reported, observed))
    if told != held:
        false = next((row for row in told if row not in held), "fewer rows, or in another order")
        raise DriverError(f"the view of sessions says what the engine's database does not: {false}")
