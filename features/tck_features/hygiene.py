"""What every scenario checks at its end, whatever it is about: nothing left behind, nothing asked for wrongly.

Specification: ISOLATE-6, RESUME-10, §13.1, §17.2.
"""

from __future__ import annotations

from dataclasses import asdict

from tck_driver.errors import DriverError, UnsupportedError, UntestableError
from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, RunOutcome
from tck_features.world import World


def check_hygiene(world: World) -> None:
    """Check once the engine waits for the outside world. Runs that are still live may hold what they need.

    Raises `UntestableError` for a course that has shown nothing.
    """
    if world.course is not None and world.course.doubts and all(one.held for one in world.checks.expectations):
        raise UntestableError("; ".join(dict.fromkeys(world.course.doubts)))
    if not world.opened or world.refusal is not None:
        return
    if world.course is not None and not world.course.translated:
        # Nobody knows what an engine without mailboxes may leave behind, nor which program it should have started; and
        # what it may ask for is for the sentences about its course to say.
        return
    _check_programs(world)
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


def _check_programs(world: World) -> None:
    """Check that each run started the CLI of its adapter, and that its phase is bound to that one."""
    wrong: list[str] = []
    for row in world.table():
        starts = world.starts_of(row)
        others = [start for start in starts if start.cli.adapter != row.adapter_id]
        # Without a label a start is known by its moment alone, and another run's can have fallen into that.
        labelled = any(("run", row.run) in start.container.labels for start in starts)
        alone = len(others) == len(starts) and row.outcome == RunOutcome.SUCCEEDED and row.adapter_id != AdapterId.API
        if others and (labelled or alone):
            wrong.append(f"run {row.run}: {row.adapter_id} was due, and {others[0].cli.adapter} was started")
    world.checks.expect("CLIs that were started for another adapter", expected=[], actual=wrong, rests_on="witnessed")
    if world.rebound:
        return
    bound = {
        (project.organization, project.name, str(phase)): str(binding.adapter)
        for project in world.before.projects
        for phase, binding in project.bindings
    }
    strange = [
        f"run {row.run}: {row.phase} is bound to {due}, and was run by {row.adapter_id}"
        for row in world.table()
        if (due := bound.get((row.mailbox.organization, row.mailbox.project, row.phase))) not in {None, row.adapter_id}
    ]
    if strange:
        statement = "runs by another adapter than is bound"
        world.checks.expect(statement, expected=[], actual=strange, rests_on=world.evidence)


def _compare_tables(world: World) -> None:
    """Hold the driver's rows against the engine's own, where both can be had: a false row is the driver's fault."""
    observed = world.bench.sessions_table()
    if observed is None:
        return
    try:
        reported = world.view("sessions", SessionRow)
    except (UnsupportedError, UntestableError):
        return
    if list(reported) == list(observed):
        return
    held = {row.run: asdict(row) for row in observed}
    for row in reported:
        told = asdict(row)
        wrong = [name for name, value in told.items() if held.get(row.run, {}).get(name, value) != value]
        if row.run not in held or wrong:
            what = "it is not in the database"
            if wrong:
                what = f"{wrong[0]} is told as {told[wrong[0]]!r}, and held as {held[row.run][wrong[0]]!r}"
            raise DriverError(f"the view of sessions and the engine's database differ in run {row.run}: {what}")
    raise DriverError("the view of sessions has fewer rows than the engine's database, or in another order")
