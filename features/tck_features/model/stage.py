"""What an event means for the model: which mailboxes there are, what waits in them, and what the world is like now.

Specification: §7.2, §11.1, §11.7, §23.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

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
    ReviewRequested,
    RunDue,
    SettingChanged,
    Stimulus,
    WorkerWoken,
)
from tck_driver.views import CounterRow
from tck_driver.vocabulary import ISSUE_PHASES, MailboxRef, Phase
from tck_features.history.events import Restarted, Sent
from tck_features.model.claims import Claims
from tck_features.model.course import Course
from tck_features.model.facts import ENDS, NUMBERS, PHASE_OF, PREFIX_SETTING, RESUME_SETTING, accepted_boolean
from tck_features.model.mailbox import Cause, Mailbox, Run, Work
from tck_features.model.page import Page
from tck_features.model.scene import Scene

#: Why a mailbox is not followed for the time being.
_OUT_OF_SIGHT = "its rows were deleted before they could be seen"
_REVIEW = frozenset({str(Phase.HUMAN_REVIEW)})


@dataclass(slots=True)
class Stage:
    """Every mailbox that there has been, and the scene that they are in."""

    scene: Scene
    course: Course
    claims: Claims
    boxes: list[Mailbox] = field(default_factory=list[Mailbox])
    current: dict[MailboxRef, Mailbox] = field(default_factory=dict[MailboxRef, Mailbox])
    #: Opened or reopened in a way of which the specification does not say whether it makes a new mailbox.
    perhaps: list[tuple[MailboxRef, str | None]] = field(default_factory=list[tuple[MailboxRef, str | None]])

    def turn_page(self) -> None:
        """Forget what holds for one event only."""
        for box in self.boxes:
            box.turn_page()

    def take_in(self, page: Page) -> None:
        """Take in what happened, before the mailboxes are followed."""
        event = page.happened.event
        if isinstance(event, Restarted):
            for box in self.current.values():
                if box.live is not None:
                    box.live.orphaned = page.since
        if isinstance(event, Sent):
            self._hear(event.stimulus, page)
        self._expect_ends(page)
        self._lose_sight(page)

    def overwrite(self, run: Run, value: str) -> None:
        """Take in that a stored id was overwritten."""
        run.row = replace(run.row, native_session_id=value)
        run.tampered = run.live

    def _hear(self, stimulus: Stimulus, page: Page) -> None:  # noqa: C901, PLR0912 -- one case per kind of stimulus
        scene = self.scene
        error = None if page.happened.result is None else page.happened.result.error
        match stimulus:
            case IssueOpened(mailbox=ref, title=title) | ReviewRequested(mailbox=ref, title=title):
                self._open(ref, title, page)
            case IssueRetitled(mailbox=ref, title=title):
                scene.titles[ref] = (title,)
                if ref in self.current:
                    self.current[ref].retitled = True
            case IssueReopened(mailbox=ref):
                self._reopen(ref, page)
            case IssueClosed(mailbox=ref, how=how):
                self._end(ref, ENDS[how])
            case IssueDeleted(mailbox=ref):
                scene.answers[ref], scene.answered_since[ref] = "404", page.since
                self._end(ref, "orphaned")
            case IssueBlocked(mailbox=ref):
                self._block(ref)
            case IssueRetry(mailbox=ref):
                self._retry(ref, page)
            case RunDue(mailbox=ref, phase=phase):
                box = self.current.get(ref)
                fits = (phase in ISSUE_PHASES) == (ref.kind == "issue")
                self._due(box, str(phase), page, "event", must=fits)
            case MergeRequestEventSent():
                self._route(stimulus, page)
            case SettingChanged():
                self._set(stimulus, page, error)
            case BindingChanged(organization=organization, project=project, binding=binding, phase=phase):
                if error is None:
                    scene.bind(organization, project, phase, binding)
            case PrefixChanged(organization=organization, project=project, prefix=prefix):
                if error is None:
                    scene.prefix(organization, project, prefix)
                    self._reprefixed(organization)
            case InstallationChanged(adapter=adapter, image=image):
                scene.images[adapter] = image
            case WorkerWoken(mailbox=ref):
                if ref in self.current:
                    self.current[ref].woken = True
            case LeaseExpired(mailbox=ref):
                box = self.current.get(ref)
                if box is not None and box.live is not None:
                    box.live.lease_lost = True
            case _:
                pass

    # Opening and ending

    def _add(self, ref: MailboxRef, generation: int, page: Page) -> Mailbox:
        box = Mailbox(ref, generation, page.since)
        self.boxes.append(box)
        self.current[ref] = box
        return box

    def _open(self, ref: MailboxRef, title: str, page: Page) -> None:
        box = self.current.get(ref)
        if box is None:
            self.scene.titles[ref] = (title,)
            box = self._add(ref, 1, page)
            if not box.issue:
                # Whether the request itself is answered by a run is not said.
                box.work.append(Work(_REVIEW, page.since, page.since, must=False, cause="offer"))
        elif box.open:
            self.scene.titles[ref] = tuple(dict.fromkeys((*self.scene.titles.get(ref, ()), title)))
        else:
            self.perhaps.append((ref, title))

    def _reopen(self, ref: MailboxRef, page: Page) -> None:
        box = self.current.get(ref)
        if box is None or box.open:
            return
        if box.issue:
            self._add(ref, box.generation + 1, page)
        else:
            self.perhaps.append((ref, None))

    def settle(self, page: Page) -> None:
        """Look up whether what may have made a mailbox has made one."""
        for ref, title in self.perhaps:
            last = self.current[ref]
            if page.mailboxes is None:
                last.loose = "it was opened again in a way that the specification does not speak of"
            elif (ref, last.generation + 1) in page.mailboxes:
                if title is not None:
                    self.scene.titles[ref] = tuple(dict.fromkeys((*self.scene.titles.get(ref, ()), title)))
                self._add(ref, last.generation + 1, page)
        self.perhaps.clear()
        for box in self.current.values():
            if box.ending is None and not box.may_end:
                continue
            if box.loose is not None and box.ending is not None:
                box.close(box.ending)
            row = None if page.mailboxes is None else page.mailboxes.get((box.ref, box.generation))
            if box.may_end and box.ending is None and row is not None and not row.open:
                box.ending = "orphaned"

    def _end(self, ref: MailboxRef, state: str) -> None:
        box = self.current.get(ref)
        if box is not None and box.open:
            box.ending = state

    def _expect_ends(self, page: Page) -> None:
        """See which issues the tracker has answered 404 for, and whether a sweep must have asked it (§21.2, CLEAN-10).

        An engine may ask at other times as well; an issue of which it has learned so has ended.
        """
        if "404" not in self.scene.answers.values():
            return
        sweep = timedelta(seconds=self.scene.longest("RECONCILE_SECONDS"))
        for ref, answer in self.scene.answers.items():
            box = self.current.get(ref)
            if answer != "404" or box is None or not box.open:
                continue
            box.may_end = True
            if page.sweeps or max(self.scene.answered_since[ref], box.opened) + sweep <= page.until:
                box.ending = box.ending or "orphaned"

    def _lose_sight(self, page: Page) -> None:
        """Let go of mailboxes in which runs can come and go, rows and all, before anybody can look."""
        if not page.timely or page.until - page.since <= timedelta(days=self.scene.number("RETENTION_DAYS")):
            return
        for box in self.current.values():
            if box.live is not None or box.work:
                box.loose = _OUT_OF_SIGHT

    def find_again(self, page: Page, counters: Mapping[MailboxRef, CounterRow]) -> None:
        """Go on with mailboxes that were out of sight, where nothing but what the engine says of them is left."""
        with_rows = {row.mailbox for row in page.rows.values()}
        for box in self.current.values():
            row = None if page.mailboxes is None else page.mailboxes.get((box.ref, box.generation))
            counter = counters.get(box.ref)
            if box.loose != _OUT_OF_SIGHT or row is None or counter is None or box.ref in with_rows:
                continue
            if box.issue and row.state != "blocked":
                # What waits in a blocked mailbox nobody can tell, and which of them are, of merge requests' neither.
                box.begin_anew(row, counter, page.until)

    # What is to be run

    def _due(self, box: Mailbox | None, phase: str, page: Page, cause: Cause, *, must: bool = True) -> None:
        if box is None or not box.open:
            return
        must = must and not (box.blocked or box.lenient)
        box.work.append(Work(frozenset({phase}), page.since, page.since, must=must, cause=cause))

    def _route(self, stimulus: MergeRequestEventSent, page: Page) -> None:
        """Find the mailbox of a merge request's event (§11.1)."""
        organization, project, number = stimulus.organization, stimulus.project, stimulus.merge_request
        owner = self.scene.requests.get((organization, project, number))
        if owner is not None:
            ref, generation = owner
            box = self.current.get(ref)
            # That of an earlier generation is still the agent's, and its issue is open again.
            present = box is not None and box.generation == generation
            self._due(box, str(PHASE_OF[stimulus.event]), page, "merge request", must=present)
            return
        human = self.current.get(MailboxRef(organization, project, "merge_request", number))
        self._due(human, str(Phase.HUMAN_REVIEW), page, "merge request")

    def _block(self, ref: MailboxRef) -> None:
        box = self.current.get(ref)
        if box is None or not box.open or box.blocked:
            return
        if not box.issue:
            box.lenient = True
            box.relax()
            return
        waiting = {phase for work in box.work if work.must for phase in work.phases}
        # Once its row is deleted, nobody needs to know any more which phase ran last.
        last = {run.row.phase for run in box.runs[-1:] if not run.gone}
        self.course.block(box, frozenset({*waiting, *last}))

    def _retry(self, ref: MailboxRef, page: Page) -> None:
        box = self.current.get(ref)
        if box is None or not box.open:
            return
        if box.blocked:
            self.course.unblock(box, page.since)
        elif box.lenient:
            box.work.append(Work(_REVIEW, page.since, page.since, must=False, cause="human"))

    # Settings

    def _set(self, change: SettingChanged, page: Page, error: str | None) -> None:
        if change.name == RESUME_SETTING and change.scope != "instance":
            self._check_boolean(change, error)
        if error is not None:
            return
        self.scene.store(change.scope, change.organization, change.project, change.name, change.value)
        if change.name == PREFIX_SETTING:
            self._reprefixed(change.organization)
        if change.name in NUMBERS:
            self._change_times()
        del page

    def _check_boolean(self, change: SettingChanged, error: str | None) -> None:
        """Check that a boolean is taken, and that anything else is refused by name and scope (OFF-1, OFF-10)."""
        good = change.value is None or accepted_boolean(change.value) is not None
        statement = f"{RESUME_SETTING} at {change.scope} scope: {change.value!r} is accepted"
        ids = ("OFF-1", "OFF-10") if good else ("OFF-10",)
        self.claims.reported(statement, good, error is None, *ids, evidence=error or "")
        if error is not None:
            named = RESUME_SETTING in error and change.scope in error.lower()
            self.claims.told("the error names setting and scope", "OFF-10", holds=named, evidence=error)

    def _change_times(self) -> None:
        """Leave open by which of the two limits a run that is live is timed."""
        limit = timedelta(minutes=self.scene.number("PHASE_TIMEOUT_MINUTES"))
        for box in self.current.values():
            run = box.live
            if run is not None and run.deadlines is not None:
                early, late = run.deadlines
                run.deadlines = (min(early, run.began + limit), max(late, run.began + limit))

    def _reprefixed(self, organization: str) -> None:
        for box in self.current.values():
            if box.ref.organization == organization:
                box.reprefixed = True
