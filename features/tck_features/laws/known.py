"""All that the laws know of a history so far, kept up event by event.

Nothing is looked at twice: a position in the witness log is kept, rows that have ended are passed over, and starts
belong to their runs by the label of §17.2, or where an engine has none of that form, by the moment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tck_driver.errors import UnsupportedError, UntestableError
from tck_driver.stimuli import (
    InstallationChanged,
    MergeRequestEventSent,
    PrefixChanged,
    ReconcileDue,
    RunDue,
    SettingChanged,
)
from tck_driver.views import MailboxRow, Row, SessionRow, ViewName
from tck_driver.vocabulary import AdapterId, MailboxRef, MergeRequestEvent, Phase, RunOutcome
from tck_driver.witness import (
    CliAnswered,
    CliStarted,
    ContainerEnded,
    ContainerStarted,
    Record,
    VersionAsked,
)
from tck_features.history.events import Event, IdOverwritten, Restarted, Sent, TimePassed, TrackerSet
from tck_features.laws.folders import folder_names
from tck_features.laws.judging import Judge
from tck_features.laws.mailboxes import GONE, Mailbox, Mailboxes
from tck_features.laws.manuals import MANUALS
from tck_features.laws.runs import Leg, Run
from tck_features.laws.settings import Settings
from tck_features.laws.versions import Version, version_in
from tck_features.world import STATE_PATHS

if TYPE_CHECKING:
    from typing import TypeVar

    from tck_features.history.history import Happened
    from tck_features.world import World

    R = TypeVar("R", bound=Row)

_PHASES = {
    MergeRequestEvent.CI_FAILED: Phase.CI_FIX,
    MergeRequestEvent.REVIEW: Phase.REVIEW_FIX,
    MergeRequestEvent.CONFLICT: Phase.CONFLICT_RESOLUTION,
}


class Known:
    """What was told, what was witnessed, and which rows there are."""

    def __init__(self, world: World) -> None:
        """Begin with a world whose engine has been opened."""
        self.world = world
        self.judge = Judge(world.checks)
        self.root = str(world.bench.base / ".agent-sessions")
        self._real_root = os.path.realpath(self.root)
        self._places: dict[str, str] = {}
        self.settings = Settings(world.before.projects, world.before.settings)
        self.mailboxes = Mailboxes()
        self.runs: dict[str, Run] = {}
        self.live: dict[str, Run] = {}
        #: Runs that were over before the present event, and those that are since.
        self.over: set[str] = set()
        self._ended: list[str] = []
        self.legs: dict[str, Leg] = {}
        #: The containers that run, and those that ran at some time during the present event.
        self.running: dict[str, ContainerStarted] = {}
        self.active: set[str] = set()
        #: Every version that was told by the CLI of an adapter in an image.
        self.versions: dict[tuple[str, str], set[Version | None]] = {}
        #: The images that were installed for an adapter, where that was changed; the last one is there now.
        self.images: dict[str, list[str]] = {}
        #: The containers in which a version command was run.
        self.detecting: dict[str, ContainerStarted] = {}
        #: Session directories that were made so that they cannot be removed.
        self.protected: set[str] = set()
        #: How many events there were in which the engine has certainly swept.
        self.sweeps = 0
        self._position = 0
        self._containers: dict[str, ContainerStarted] = {}
        self._unseen: set[ViewName] = set()
        self._seen: dict[ViewName, Sequence[Row]] = {}
        #: Whether the labels of this engine name runs as its rows do.
        self._labelled = False
        self._queued: set[str] = set()
        #: The container that began last, and those in which a version command runs.
        self._latest = ""
        self._asking: dict[str, VersionAsked] = {}

    # --- what was told -----------------------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """Take in what an event says by itself."""
        self.active = set(self.running)
        self._seen.clear()
        match event:
            case Sent(stimulus=SettingChanged() | PrefixChanged() as change):
                self.settings.take(change)
            case Sent(stimulus=RunDue(mailbox=ref, phase=phase)):
                self._ask(ref, phase, "due")
            case Sent(stimulus=MergeRequestEventSent() as told):
                where = (told.organization, told.project, told.merge_request)
                issue = self.mailboxes.merge_requests.get(where)
                if issue is not None:
                    self._ask(issue, _PHASES[told.event], told.event)
                own = MailboxRef(told.organization, told.project, "merge_request", told.merge_request)
                self._ask(own, Phase.HUMAN_REVIEW, told.event)
            case TrackerSet(mailbox=ref, answer=answer):
                self.mailboxes.answers[ref] = answer
            case Sent(stimulus=InstallationChanged(adapter=adapter, image=image)):
                self.images.setdefault(adapter, [f"runner-{adapter}:1"]).append(image)
            case _:
                pass
        if isinstance(event, Sent):
            self.mailboxes.hear(event.stimulus)

    def _ask(self, ref: MailboxRef, phase: Phase, cause: str) -> None:
        mailbox = self.mailboxes.open_at(ref)
        if mailbox is not None:
            mailbox.causes[phase].add(cause)

    # --- rows --------------------------------------------------------------------------------------------------------

    def rows(self, happened: Happened) -> tuple[list[Run], list[Run]]:
        """Take the rows in: give the runs that are new, and all that have changed, the new ones among them."""
        began: list[Run] = []
        changed: list[Run] = []
        self.over.update(self._ended)
        self._ended.clear()
        over = self.over
        for row in happened.table:
            if row.run in over:
                continue
            run = self.runs.get(row.run)
            if run is None and self._waits(row):
                continue
            if run is None:
                run = self._begin(row)
                began.append(run)
            elif row == run.row:
                continue
            run.row = row
            changed.append(run)
            if not run.live:
                self._ended.append(row.run)
                self.live.pop(row.run, None)
        if self.live:
            there = {row.run for row in happened.table}
            for name in [name for name in self.live if name not in there]:
                run = self.live.pop(name)
                self._ended.append(name)
                run.deleted = True
                changed.append(run)
        if isinstance(happened.event, IdOverwritten):
            self._overwritten(happened.event)
        return began, changed

    def _waits(self, row: SessionRow) -> bool:
        """Say whether a row is of a run that waits, or never did anything else, where an engine shows such rows."""
        if row.outcome == RunOutcome.QUEUED:
            self._queued.add(row.run)
            return True
        waited = row.run in self._queued
        self._queued.discard(row.run)
        if waited and row.outcome == RunOutcome.CANCELLED:
            self.over.add(row.run)
            return True
        return False

    @property
    def idle(self) -> bool:
        """Whether no run is under way or waits."""
        return not self.live and not self._queued

    def _begin(self, row: SessionRow) -> Run:
        mailbox = self.mailboxes.present(row.mailbox) or self.mailboxes.add(row.mailbox)
        session, by = self._session(row)
        causes = mailbox.causes[row.phase]
        run = Run(row, mailbox, session, by, next(iter(causes)) if len(causes) == 1 else None)
        self.runs[row.run] = run
        self.live[row.run] = run
        return run

    def _session(self, row: SessionRow) -> tuple[bool, tuple[str, ...]]:
        """Say whether a session applies to a run that begins now (§16.5.2), and by which requirements."""
        on, by = self.settings.resumes(row.mailbox.organization, row.mailbox.project)
        never: tuple[str, ...] = ()
        if row.adapter_id == AdapterId.API:
            never = ("OFF-4",)
        elif row.adapter_id not in STATE_PATHS:
            never = ("OFF-5", "CAPABILITY-3")
        elif row.mailbox.kind != "issue":
            never = ("OFF-6",)
        return (on, by) if not never else (False, never if on else (*never, *by))

    def _overwritten(self, event: IdOverwritten) -> None:
        rows = [run for run in self.runs.values() if run.row.mailbox == event.mailbox]
        if event.run < len(rows):
            run = rows[event.run]
            run.overwritten = True
            run.mailbox.ids[run.row.adapter_id].add(event.value)

    # --- what was witnessed ------------------------------------------------------------------------------------------

    def records(self, happened: Happened) -> Iterator[tuple[Record, Leg | None]]:
        """Give what was witnessed since the last call, one after the other, each with the leg that it is about."""
        records = self.world.bench.witness.records
        while self._position < happened.until:
            record = records[self._position]
            self._position += 1
            yield record, self._note(record)

    def _note(self, record: Record) -> Leg | None:
        match record:
            case ContainerStarted(container=container):
                self._containers[container] = record
                self.running[container] = record
                self.active.add(container)
                self._latest = container
                return None
            case CliStarted(container=container):
                started = self._containers[container]
                run = self._run_of(started, record)
                mailbox = run.mailbox if run is not None else self._mailbox_of(started, record.adapter)
                leg = Leg(record, started, run, mailbox, 1 + len(run.legs) if run else 1)
                self.legs[container] = leg
                if run is not None:
                    run.legs.append(leg)
                return leg
            case CliAnswered(container=container):
                leg = self.legs[container]
                leg.answer = record
                if leg.mailbox is not None:
                    leg.mailbox.ids[record.adapter].update(leg.believed)
                return leg
            case ContainerEnded(container=container):
                self.running.pop(container, None)
                self._told(container, record)
                found = self.legs.get(container)
                if found is not None:
                    found.end = found.end or record
                    found.removed = found.removed or record.how == "removed"
                return found
            case VersionAsked():
                self.versions.setdefault((record.adapter, record.image), set())
                self._asking[self._latest] = record
                self.detecting[self._latest] = self._containers[self._latest]
                return None
            case _:
                return None

    def _told(self, container: str, end: ContainerEnded) -> None:
        """Take the version that a command told, where it ended by itself and well (§16.6)."""
        asked = self._asking.pop(container, None)
        if asked is not None:
            well = end.how == "exited" and end.exit_code == 0
            self.versions[asked.adapter, asked.image].add(version_in(asked.answer) if well else None)

    def _run_of(self, container: ContainerStarted, cli: CliStarted) -> Run | None:
        """Give the run of a start: by its label, else the one run that it can belong to."""
        label = next((value for name, value in container.labels if name == "run"), None)
        run = None if label is None else self.runs.get(label)
        if run is not None or self._labelled:
            self._labelled = True
            return run
        able = [run for run in self.runs.values() if run.row.run not in self.over and run.row.adapter_id == cli.adapter]
        return able[0] if len(able) == 1 else None

    def _mailbox_of(self, container: ContainerStarted, adapter: str) -> Mailbox | None:
        """Give the mailbox whose session directory a container has, where its run is not known."""
        name = self.session_dir(container)
        if name is None:
            return None
        for mailbox in self.mailboxes:
            if mailbox.ref.kind != "issue":
                continue
            known = mailbox.folders or (folder_names(mailbox.ref) if mailbox.ended is None else ())
            if name in known:
                mailbox.folders = mailbox.folders or (name,)
                mailbox.adapters.add(adapter)
                return mailbox
        return None

    def version(self, leg: Leg) -> Version | None:
        """Give the version in the image of a leg; None where none was told, or one now and another then."""
        versions = self.versions.get((leg.cli.adapter, leg.container.image), set())
        return next(iter(versions)) if len(versions) == 1 else None

    # --- endings -----------------------------------------------------------------------------------------------------

    def endings(self, happened: Happened) -> list[Mailbox]:
        """Give the mailboxes that have ended with this event, and count the sweeps."""
        event = happened.event
        swept = self._sweep(event, happened.ended - happened.begun)
        ended: list[Mailbox] = []
        if isinstance(event, Sent):
            mailbox = self.mailboxes.ended_by(event.stimulus)
            if mailbox is not None:
                ended.append(mailbox)
        missing = self.mailboxes.gone()
        if missing and not swept:
            # Whenever the engine asks the tracker it may have learnt of it.
            closed = self._closed()
            missing = [mailbox for mailbox in missing if (str(mailbox.ref), mailbox.generation) in closed]
        for mailbox in missing:
            mailbox.ended = GONE
        return ended + missing

    def _sweep(self, event: Event, lasted: timedelta) -> bool:
        certain = isinstance(event, Restarted) or (isinstance(event, Sent) and isinstance(event.stimulus, ReconcileDue))
        certain = certain or (isinstance(event, TimePassed) and lasted > self.settings.between_sweeps)
        self.sweeps += certain
        return certain

    def swept_since(self, sweeps: int, when: datetime) -> bool:
        """Say whether the engine has certainly swept since there were so many sweeps, which was at this time."""
        return self.sweeps > sweeps or self.world.bench.now() - when > self.settings.between_sweeps

    def _closed(self) -> set[tuple[str, int]]:
        rows = self.view("mailboxes", MailboxRow)
        return {(str(row.mailbox), row.generation) for row in rows or [] if not row.open}

    # --- what the engine tells ---------------------------------------------------------------------------------------

    def view(self, name: ViewName, kind: type[R]) -> list[R] | None:
        """Ask the engine for a view, once in an event; None where it has none."""
        if name in self._unseen:
            return None
        if name not in self._seen:
            try:
                found: list[R] = self.world.view(name, kind)
            except (UnsupportedError, UntestableError):
                self._unseen.add(name)
                return None
            self._seen[name] = found
        return [row for row in self._seen[name] if isinstance(row, kind)]

    # --- places ------------------------------------------------------------------------------------------------------

    def place(self, path: str) -> str:
        """Give a host path as the laws write it: without detours, and by the folder's own name where that is a link."""
        place = self._places.get(path)
        if place is None:
            place = os.path.normpath(path)
            if place == self._real_root or place.startswith(f"{self._real_root}/"):
                place = f"{self.root}{place.removeprefix(self._real_root)}"
            self._places[path] = place
        return place

    def session_dir(self, container: ContainerStarted) -> str | None:
        """Give the name of the session directory that a container has something of."""
        root = f"{self.root}/"
        for mount in container.mounts:
            path = self.place(mount.source)
            if path.startswith(root):
                return path.removeprefix(root).partition("/")[0]
        return None

    def held_by_others(self, mailbox: Mailbox) -> tuple[set[str], set[str]]:
        """Give the names that other mailboxes hold, in lower case: for certain, and perhaps."""
        certain: set[str] = set()
        perhaps: set[str] = set()
        for other in self.mailboxes:
            if other is not mailbox and other.folders:
                sure = len(other.folders) == 1 and (other.ended is None or other.folders[0] in self.protected)
                (certain if sure else perhaps).update(name.lower() for name in other.folders)
        return certain, perhaps

    def live_in(self, mailbox: Mailbox) -> list[Run]:
        """Give the runs of a mailbox that are live."""
        return [run for run in self.live.values() if run.mailbox is mailbox and run.row.outcome == RunOutcome.LIVE]


def matches(adapter: str, native_id: str) -> bool:
    """Say whether a text as a whole is an id of an adapter."""
    manual = MANUALS.get(adapter)
    return manual is not None and manual.native_id.fullmatch(native_id) is not None
