"""What exists in a history so far, as far as that says what can happen next.

It expects nothing of the engine; it keeps histories from saying what the specification leaves open, such as a run of an
issue that nobody has opened. What it knows of the engine it has from the tracker, as any human would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tck_driver.bench import TrackerAnswer
from tck_driver.configuration import Binding
from tck_driver.stimuli import (
    BindingChanged,
    InstallationChanged,
    IssueBlocked,
    IssueClosed,
    IssueDeleted,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    LeaseExpired,
    MergeRequestEventSent,
    PrefixChanged,
    ReconcileDue,
    ReviewRequested,
    RunDue,
    SettingChanged,
    Stimulus,
    WorkerWoken,
)
from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase, RunOutcome
from tck_driver.witness import ForgeWrite, Record
from tck_fakes.standins.shapes import TAKEN_BY
from tck_features.history.events import (
    Before,
    Damaged,
    Event,
    IdOverwritten,
    ProjectThere,
    RemovalBlocked,
    Restarted,
    Scripted,
    Sent,
    SettingStored,
    TrackerSet,
    VersionSet,
)
from tck_features.history.history import Happened
from tck_kit.fuzz.abilities import Abilities

Project = tuple[str, str]
_STATUS = "status::"


@dataclass(slots=True)
class Mailbox:
    """What is known of an issue, or of a human's merge request."""

    open: bool = True
    #: What the label on the tracker says.
    status: str = ""
    answer: TrackerAnswer = "normal"
    #: A worker has stopped answering, and not gone on.
    stalled: bool = False
    #: The agent's merge requests of this issue since it was opened last, and those from before.
    merge_requests: list[int] = field(default_factory=list[int])
    former: list[int] = field(default_factory=list[int])
    #: Its directory cannot be removed.
    held: bool = False


@dataclass(slots=True)
class Scene:
    """What exists. `allows` says whether an event makes sense now, `took` notes that it happened."""

    abilities: Abilities
    bindings: dict[Project, dict[Phase, Binding]] = field(default_factory=dict[Project, dict[Phase, Binding]])
    mailboxes: dict[MailboxRef, Mailbox] = field(default_factory=dict[MailboxRef, Mailbox])
    #: Every run so far; a row that was deleted is remembered as it was.
    runs: dict[str, SessionRow] = field(default_factory=dict[str, SessionRow])
    table: Sequence[SessionRow] = ()
    begun: bool = False
    #: The engine has refused its configuration.
    refused: bool = False
    #: What has to come next: an image whose version was changed is installed, an issue whose directory is held ends.
    to_install: AdapterId | None = None
    to_end: MailboxRef | None = None
    to_sweep: bool = False

    # --- what there is ---------------------------------------------------------------------------------------------

    def issues(self, *, open_: bool = True) -> list[MailboxRef]:
        """Give the issues that are open, or those that have ended."""
        return [ref for ref, box in self.mailboxes.items() if ref.kind == "issue" and box.open is open_]

    def reviews(self) -> list[MailboxRef]:
        """Give the merge requests that humans have handed to the agent."""
        return [ref for ref, box in self.mailboxes.items() if ref.kind == "merge_request" and box.open]

    def ready(self) -> list[MailboxRef]:
        """Give the issues in which a run can be due."""
        return [ref for ref in self.issues() if self.mailboxes[ref].status != "blocked"]

    def live(self) -> set[MailboxRef]:
        """Give the mailboxes in which a run is under way."""
        return {row.mailbox for row in self.table if row.outcome == RunOutcome.LIVE}

    def rests(self) -> bool:
        """Say whether nothing is under way anywhere, and nothing waits to be tried again."""
        return all(self._rests(ref) for ref, box in self.mailboxes.items() if box.open)

    def rows(self, ref: MailboxRef) -> list[SessionRow]:
        """Give the rows of a mailbox, oldest first."""
        return [row for row in self.runs.values() if row.mailbox == ref]

    def binding(self, ref: MailboxRef, phase: Phase) -> Binding:
        """Give what serves a phase of a mailbox's project."""
        return self.bindings[ref.organization, ref.project][phase]

    # --- what can happen -------------------------------------------------------------------------------------------

    def allows(self, event: Event) -> bool:
        """Say whether the specification says what follows from this event, and the engine has what it needs."""
        if self.refused or not self.abilities.allow(event):
            return False
        if isinstance(event, Before):
            return not self.begun and self._fits_before(event)
        if isinstance(event, Scripted):
            return all(event.adapter in TAKEN_BY[script.shape] for script in event.scripts)
        return self._due(event) and self._fits(event)

    def _fits(self, event: Event) -> bool:
        match event:
            case Sent(stimulus=stimulus):
                return self._may_be_sent(stimulus)
            case TrackerSet(mailbox=ref, answer=answer):
                return self._open(ref) or (answer == "normal" and ref in self.mailboxes)
            case Damaged(mailbox=ref):
                return ref in self.mailboxes and ref not in self.live()
            case IdOverwritten(mailbox=ref, run=run):
                rows = self.rows(ref)
                return run < len(rows) and rows[run] in self.table and rows[run].outcome != RunOutcome.LIVE
            case RemovalBlocked(mailbox=ref, blocked=blocked):
                box = self.mailboxes.get(ref)
                return box is not None and box.held is not blocked and (box.open or not blocked)
            case _:
                return bool(self.bindings)

    def _fits_before(self, event: Before) -> bool:
        if isinstance(event, ProjectThere):
            return (event.project.organization, event.project.name) not in self.bindings
        if isinstance(event, SettingStored):
            scope, organization, project, *_ = event.setting
            return scope == "instance" or any(
                organization == one and project in {"", other} for one, other in self.bindings
            )
        return True

    def _due(self, event: Event) -> bool:
        """Say whether an event is the one that has to come next, where one has to."""
        told = event.stimulus if isinstance(event, Sent) else None
        if self.to_install is not None:
            return isinstance(told, InstallationChanged) and told.adapter is self.to_install
        if self.to_end is not None:
            return isinstance(told, IssueClosed | IssueDeleted) and told.mailbox == self.to_end
        return not self.to_sweep or isinstance(told, ReconcileDue)

    def _may_be_sent(self, stimulus: Stimulus) -> bool:  # noqa: C901, PLR0911, PLR0912 -- a case for each condition
        match stimulus:
            case IssueOpened(mailbox=ref) | ReviewRequested(mailbox=ref):
                return ref not in self.mailboxes and (ref.organization, ref.project) in self.bindings
            case IssueReopened(mailbox=ref):
                return ref in self.mailboxes and not self.mailboxes[ref].open and self.mailboxes[ref].answer != "404"
            case IssueRetitled(mailbox=ref):
                return ref in self.mailboxes
            case IssueClosed(mailbox=ref) | IssueDeleted(mailbox=ref):
                return self._open(ref)
            case IssueBlocked(mailbox=ref):
                return self._open(ref) and self._rests(ref)
            case IssueRetry(mailbox=ref):
                return self._open(ref) and self.mailboxes[ref].status == "blocked"
            case RunDue(mailbox=ref, phase=phase):
                fits = (phase is Phase.HUMAN_REVIEW) is (ref.kind == "merge_request")
                return fits and self._open(ref) and self.mailboxes[ref].status != "blocked"
            case MergeRequestEventSent():
                return self._is_of_nobody_or_ready(stimulus)
            case BindingChanged() | PrefixChanged():
                return (stimulus.organization, stimulus.project) in self.bindings
            case SettingChanged(scope=scope, organization=organization, project=project):
                return self._fits_before(SettingStored((scope, organization, project, "", None)))
            case LeaseExpired(mailbox=ref):
                return ref in self.live() and not self.mailboxes[ref].stalled
            case WorkerWoken(mailbox=ref):
                return ref in self.mailboxes and self.mailboxes[ref].stalled
            case InstallationChanged():
                # Before the start, what a version command says is about the image that is there.
                return self.begun
            case ReconcileDue():
                return bool(self.bindings)

    def _open(self, ref: MailboxRef) -> bool:
        return ref in self.mailboxes and self.mailboxes[ref].open

    def _rests(self, ref: MailboxRef) -> bool:
        """Say whether nothing is under way in a mailbox or to be tried again, and its last phase is on record."""
        rows = self.rows(ref)
        return not rows or (rows[-1].outcome == RunOutcome.SUCCEEDED and rows[-1] in self.table)

    def _is_of_nobody_or_ready(self, event: MergeRequestEventSent) -> bool:
        place, number = (event.organization, event.project), event.merge_request
        if place not in self.bindings:
            return False
        for ref, box in self.mailboxes.items():
            if (ref.organization, ref.project) != place:
                continue
            mine = [*box.merge_requests, *box.former] if ref.kind == "issue" else [ref.iid]
            if number in mine:
                return box.open and box.status != "blocked" and number not in box.former
        return True

    # --- what has happened -----------------------------------------------------------------------------------------

    def took(self, happened: Happened, records: Sequence[Record]) -> None:
        """Note an event, and what the tracker was told meanwhile."""
        event = happened.event
        self.table = happened.table
        self.runs.update((row.run, row) for row in happened.table)
        self.refused = self.refused or happened.refusal is not None
        self.begun = self.begun or not isinstance(event, Before | Scripted | VersionSet | TrackerSet)
        for record in records:
            if isinstance(record, ForgeWrite):
                self._heard(record)
        match event:
            case ProjectThere(project=project):
                self.bindings[project.organization, project.name] = dict(project.bindings)
            case Sent(stimulus=stimulus):
                self._told(stimulus)
            case VersionSet(adapter=adapter) if self.begun:
                self.to_install = adapter
            case TrackerSet(mailbox=ref, answer=answer):
                self.mailboxes[ref].answer = answer
                self.to_sweep = answer == "404"
            case RemovalBlocked(mailbox=ref, blocked=blocked):
                self.mailboxes[ref].held = blocked
                self.to_end = ref if blocked else None
            case Restarted():
                for box in self.mailboxes.values():
                    box.stalled = False
            case _:
                pass

    def _told(self, stimulus: Stimulus) -> None:  # noqa: C901, PLR0912 -- a case for each word that changes something
        match stimulus:
            case IssueOpened(mailbox=ref) | ReviewRequested(mailbox=ref):
                self.mailboxes[ref] = Mailbox()
            case IssueReopened(mailbox=ref):
                box = self.mailboxes[ref]
                former = [*box.former, *box.merge_requests]
                self.mailboxes[ref] = replace(box, open=True, status="", merge_requests=[], former=former)
            case IssueClosed(mailbox=ref):
                self._ended(ref)
            case IssueDeleted(mailbox=ref):
                self.mailboxes[ref].answer = "404"
                self._ended(ref)
            case BindingChanged(organization=organization, project=project, binding=binding, phase=phase):
                for one in Phase if phase is None else (phase,):
                    self.bindings[organization, project][one] = binding
            case LeaseExpired(mailbox=ref):
                self.mailboxes[ref].stalled = True
            case WorkerWoken(mailbox=ref):
                self.mailboxes[ref].stalled = False
            case InstallationChanged():
                self.to_install = None
            case ReconcileDue():
                self.to_sweep = False
                for ref, box in self.mailboxes.items():
                    if box.answer == "404":
                        self._ended(ref)
            case _:
                pass

    def _ended(self, ref: MailboxRef) -> None:
        self.mailboxes[ref].open = False
        self.to_end = None if self.to_end == ref else self.to_end

    def _heard(self, write: ForgeWrite) -> None:
        box = next((box for ref, box in self.mailboxes.items() if str(ref) == write.subject), None)
        if box is None:
            return
        if write.kind == "label" and write.text.startswith(_STATUS):
            box.status = write.text.removeprefix(_STATUS)
        elif write.kind == "unlabel" and write.text == f"{_STATUS}{box.status}":
            box.status = ""
        elif write.kind == "merge_request" and write.number is not None:
            box.merge_requests.append(write.number)
