"""Holds every event of a history against what the specification says of each single start, name, mount and removal.

The laws predict no decision: whether a run resumes, what it records, and when the next one comes is the model's
(`tck_features.model`). They say what must hold whatever was decided, and name the requirement that does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tck_driver.witness import (
    CliAnswered,
    CliStarted,
    ContainerEnded,
    ForgeWrite,
    ModelCalled,
    Record,
    VersionAsked,
)
from tck_features.history.events import Damaged, TimePassed
from tck_features.laws.accounts import Accounts
from tck_features.laws.arguments import Arguments
from tck_features.laws.containers import Containers
from tck_features.laws.detection import Detection
from tck_features.laws.disk import Disk
from tck_features.laws.judging import Judge
from tck_features.laws.known import Known
from tck_features.laws.likeness import Likeness
from tck_features.laws.mounts import Mounts
from tck_features.laws.naming import Naming
from tck_features.laws.planting import Planting
from tck_features.laws.prompts import Prompts
from tck_features.laws.refusals import Refusals, opening
from tck_features.laws.removal import Removal

if TYPE_CHECKING:
    from tck_features.history.history import Happened
    from tck_features.laws.mailboxes import Mailbox
    from tck_features.laws.runs import Leg
    from tck_features.world import World


class Laws:
    """Watches one history. `plants` is whether it puts links, strangers and open modes in the engine's way."""

    def __init__(self, *, plants: bool = True) -> None:
        """Begin without a history."""
        self._plants = plants
        self._opened = False
        self._bench: _Bench | None = None

    def saw(self, world: World, happened: Happened) -> None:
        """Take an event in. Raises `ExpectationFailedError` where a law is broken."""
        if world.opened and not self._opened:
            self._opened = True
            opening(world, Judge(world.checks))
        if not self._opened or world.refusal is not None or happened.refusal is not None:
            return
        if self._bench is None:
            self._bench = _Bench(Known(world), plants=self._plants)
        self._bench.sit(happened)


class _Bench:
    """All laws of one history, and what they know."""

    def __init__(self, known: Known, *, plants: bool) -> None:
        self._known = known
        self._naming = Naming(known)
        self._mounts = Mounts(known)
        self._containers = Containers(known)
        self._arguments = Arguments(known)
        self._prompts = Prompts(known)
        self._likeness = Likeness(known)
        self._disk = Disk(known)
        self._accounts = Accounts(known)
        self._planting = Planting(known, self._disk)
        self._removal = Removal(known, self._planting)
        self._refusals = Refusals(known)
        self._detection = Detection(known)
        self._plants = plants
        for ref, title in known.world.titles.items():
            known.mailboxes.opened(ref, title)

    def sit(self, happened: Happened) -> None:
        """Go through one event."""
        known = self._known
        known.hear(happened.event)
        self._disk.hear(happened.event)
        self._removal.hear(happened)
        began, changed = known.rows(happened)
        for run in began:
            self._naming.began(run)
            self._mounts.began(run)
            self._removal.began(run)
            self._disk.began(run)
            self._containers.began(run)
        for run in changed:
            self._naming.row(run)
        self._naming.stored(happened)
        witnessed = 0
        for record, leg in known.records(happened):
            witnessed += 1
            self._witnessed(record, leg)
        sweeps = known.sweeps
        ended = known.endings(happened)
        swept = known.sweeps > sweeps
        for run in changed:
            self._accounts.row(run)
            self._containers.finished(run)
        if self._plants:
            self._planting.chosen()
        self._disk.after(happened, quiet=not (witnessed or swept or ended))
        may_sweep = swept or isinstance(happened.event, TimePassed)
        self._removal.after(ended, swept=swept if may_sweep else None, looked=bool(ended or swept))
        self._containers.after(happened, witnessed)
        self._naming.after()
        self._refusals.after(happened)
        self._detection.after()
        self._accounts.after(happened)
        if self._plants and (witnessed or ended or swept or isinstance(happened.event, TimePassed | Damaged)):
            moved = swept or bool(ended) or isinstance(happened.event, TimePassed | Damaged)
            self._planting.after(happened, self._busy(happened), moved=moved)

    def _witnessed(self, record: Record, leg: Leg | None) -> None:
        match record:
            case CliStarted() if leg is not None:
                self._naming.started(leg)
                self._mounts.started(leg)
                self._disk.started(leg)
                self._containers.started(leg)
                self._arguments.started(leg)
                self._prompts.started(leg)
                self._likeness.started(leg)
            case CliAnswered() if leg is not None:
                self._arguments.answered(leg, record)
            case VersionAsked():
                self._detection.asked(record)
            case ContainerEnded():
                self._detection.ended(record)
            case ForgeWrite():
                self._naming.wrote(record)
            case ModelCalled():
                self._containers.called(record)
            case _:
                pass

    def _busy(self, happened: Happened) -> set[Mailbox]:
        """Give the mailboxes in whose directories something can be planted after this event."""
        known = self._known
        busy = {
            leg.mailbox
            for container in known.active
            if (leg := known.legs.get(container)) is not None and leg.mailbox is not None
        }
        if isinstance(happened.event, Damaged):
            busy.update(known.mailboxes.generations(happened.event.mailbox))
        return busy
