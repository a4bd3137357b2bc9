"""The laws of lifetimes: one container of a mailbox at a time, none after its run, and no worktree either.

Specification: ISOLATE-6, ISOLATE-12, RESUME-13, RESUME-14, CAPABILITY-7, OFF-4; §11.7, §16.5.4.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tck_driver.stimuli import LeaseExpired, WorkerWoken
from tck_driver.vocabulary import AdapterId, RunOutcome
from tck_driver.witness import ForgeWrite, ModelCalled
from tck_features.history.events import Sent
from tck_features.laws import trees
from tck_features.laws.arguments import WORKSPACE
from tck_features.laws.runs import Leg, Run

if TYPE_CHECKING:
    from tck_features.history.history import Happened
    from tck_features.laws.known import Known

#: By how the run before ended, what is broken where its container goes on.
_OVERRUN = {
    RunOutcome.TIMED_OUT.value: ("ISOLATE-12",),
    RunOutcome.CANCELLED.value: ("ISOLATE-12",),
    RunOutcome.ABANDONED.value: ("ISOLATE-12", "RESUME-14"),
}


class Containers:
    """Holds starts and ends against each other."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._hold = known.judge
        self._worktrees = str(known.world.bench.base / ".worktrees")

    def began(self, run: Run) -> None:
        """Check that a mailbox has one live run at most."""
        live = self._known.live_in(run.mailbox)
        self._hold(
            "live runs of a mailbox, at most one",
            of=run.mailbox.ref,
            expected=[one.row.run for one in live][:1],
            actual=[one.row.run for one in live],
            rests_on=self._known.world.evidence,
            by=("RESUME-13",),
        )

    def started(self, leg: Leg) -> None:
        """Check what ran when a container began."""
        run = leg.run
        image = (leg.cli.adapter, leg.container.image)
        if leg.container.image:
            self._hold(
                "the version command was run in the image before the first run in it",
                of=leg.container.image,
                expected=True,
                actual=image in self._known.versions,
                by=("CAPABILITY-7",),
            )
        images = self._known.images.get(leg.cli.adapter, [])
        if leg.number == 1 and leg.container.image in images:
            self._hold(
                "a run takes place in the image that is installed",
                expected=images[-1],
                actual=leg.container.image,
                by=("CAPABILITY-7",),
            )
        if run is None:
            return
        self._hold(
            "the CLI that was started is that of the run's adapter",
            expected=run.row.adapter_id,
            actual=leg.cli.adapter,
            by=run.by if run.row.adapter_id == AdapterId.API else ("RESUME-1", "RESUME-3"),
        )
        others = [
            other
            for container in self._known.running
            if (other := self._known.legs.get(container)) is not None
            and other is not leg
            and other.run is not None
            and other.run.mailbox is run.mailbox
        ]
        self._hold(
            "containers of a mailbox that still ran when another one of it was started",
            of=run.mailbox.ref,
            expected=[],
            actual=[f"of run {other.run.row.run}" for other in others if other.run],
            by=self._together(run, others),
        )
        if leg.number > 1:
            before = run.legs[leg.number - 2]
            self._hold(
                "the container of the first start had ended and was removed before the second start",
                expected=[True, True],
                actual=[before.end is not None, before.removed],
                by=("FALLBACK-6", "ISOLATE-12"),
            )
        self._hold(
            "the run of this start was over before",
            expected=False,
            actual=run.row.run in self._known.over,
            by=("RESUME-14", "ISOLATE-12"),
        )

    def _together(self, run: Run, others: list[Leg]) -> tuple[str, ...]:
        if not others or others[0].run is None:
            return ("RESUME-13",)
        if others[0].run is run:
            return ("FALLBACK-6", "ISOLATE-12")
        return _OVERRUN.get(others[0].run.row.outcome, ("RESUME-13", "ISOLATE-12"))

    def finished(self, run: Run) -> None:
        """Check that a run which is over has left neither container nor worktree."""
        if run.live or not run.legs:
            return
        ended = [leg.end is not None for leg in run.legs]
        self._hold(
            "the containers of a run that is over have ended",
            of=run.row,
            expected=[True for _ in run.legs],
            actual=ended,
            by=_OVERRUN.get(run.row.outcome, ("ISOLATE-6", "ISOLATE-12")),
        )
        self._hold(
            "the containers of a run that is over were removed",
            of=run.row,
            expected=[True for _ in run.legs],
            actual=[leg.removed for leg in run.legs],
            by=("ISOLATE-6",),
        )
        places = {mount.source for leg in run.legs for mount in leg.container.mounts if mount.target == WORKSPACE}
        self._hold(
            "worktrees that are left of a run that is over",
            of=run.row,
            expected=[],
            actual=sorted(place for place in places if os.path.lexists(place)),
            by=("ISOLATE-6",) if run.mailbox.ended is None else ("ISOLATE-6", run.mailbox.ended),
        )

    def called(self, call: ModelCalled) -> None:
        """Check a request of API mode."""
        self._hold(
            "session fields in a request to the model provider",
            expected=[],
            actual=list(call.session_fields),
            by=("OFF-4",),
        )

    def after(self, happened: Happened, witnessed: int) -> None:
        """Check that nothing runs on where no run is under way, and that a late worker has no effect."""
        known = self._known
        if isinstance(happened.event, Sent) and isinstance(happened.event.stimulus, WorkerWoken | LeaseExpired):
            self._unchanged(happened)
        if not known.idle or witnessed == 0:
            return
        self._hold(
            "containers that run while no run is under way",
            expected=[],
            actual=list(known.running),
            by=("ISOLATE-6", "ISOLATE-12"),
        )
        left = trees.names(self._worktrees)
        self._hold(
            "worktrees while no run is under way",
            expected=[],
            actual=left,
            by=("ISOLATE-6",),
        )

    def _unchanged(self, happened: Happened) -> None:
        """Check that rows which were over stay as they were (RESUME-14)."""
        known = self._known
        there = {row.run: row for row in happened.table}
        for name in known.over:
            run, row = known.runs[name], there.get(name)
            if row is None or run.overwritten:
                continue
            self._hold(
                "the row of a run that was over",
                expected=str(run.row),
                actual=str(row),
                rests_on=known.world.evidence,
                by=("RESUME-14",),
            )
        if isinstance(happened.event, Sent) and isinstance(happened.event.stimulus, WorkerWoken):
            writes = known.world.bench.witness.of(ForgeWrite, happened.since)
            self._hold(
                "what a worker whose lease was reclaimed wrote to the tracker",
                expected=[],
                actual=[f"{write.kind} {write.text}" for write in writes],
                by=("RESUME-14",),
            )
