"""Small watchers for histories: enough to find out engines that are wrong in a known way, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from tck_driver.stimuli import RunDue
from tck_features.history.events import Sent
from tck_features.history.history import Happened, Watcher
from tck_features.world import World

LONGEST_SLUG = 40


class Rows:
    """Sees runs that leave no row, and resumed ones that leave no id."""

    def saw(self, world: World, happened: Happened) -> None:
        event = happened.event
        if isinstance(event, Sent) and isinstance(event.stimulus, RunDue):
            ref = event.stimulus.mailbox
            world.checks.expect(
                f"a run of {ref} has a row, or waits",
                expected=True,
                actual=any(row.mailbox == ref for row in happened.table)
                or (happened.result is not None and happened.result.outcome == "queued"),
                rests_on="witnessed",
                requirements=("RESUME-13",),
            )
        before = {row.native_session_id for row in happened.table}
        for row in happened.table:
            world.checks.expect(
                "something was named by a run that resumed",
                expected=True,
                actual=not (row.resumed and row.outcome == "succeeded" and before == {None}),
                rests_on="witnessed",
                requirements=("RESUME-9",),
            )


class Slugs:
    """Sees names that are too long."""

    def saw(self, world: World, happened: Happened) -> None:
        for row in happened.table:
            if row.session_name is not None:
                slug = row.session_name.partition(f"issue-{row.mailbox.iid}-")[2]
                world.checks.expect(
                    "a slug has at most 40 characters",
                    expected=True,
                    actual=len(slug) <= LONGEST_SLUG,
                    rests_on="witnessed",
                    evidence=(row.session_name,),
                    requirements=("NAME-8",),
                )


class Nobody:
    """Sees nothing at all."""

    def saw(self, world: World, happened: Happened) -> None:
        pass


def watching() -> Sequence[Watcher]:
    return (Rows(), Slugs())
