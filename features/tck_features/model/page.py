"""One event as the model reads it: what was witnessed, what the table holds since, and what had to be done by when."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime

from tck_driver.stimuli import (
    IssueClosed,
    IssueDeleted,
    MergeRequestEventSent,
    ReconcileDue,
    SettingChanged,
    WorkerWoken,
)
from tck_driver.views import MailboxRow, SessionRow
from tck_driver.vocabulary import MailboxRef
from tck_features.history.events import Restarted, Sent, TimePassed
from tck_features.history.history import Happened
from tck_features.model.logbook import Chapter
from tck_features.model.mailbox import Mailbox

Generation = tuple[MailboxRef, int]


@dataclass(slots=True)
class Page:
    """What there is to read of one event."""

    happened: Happened
    chapter: Chapter
    #: The table, by run.
    rows: dict[str, SessionRow]
    #: Rows that were not there before, oldest first, by mailbox.
    fresh: dict[MailboxRef, deque[SessionRow]] = field(default_factory=dict[MailboxRef, deque[SessionRow]])
    #: The view of mailboxes, where it was asked for.
    mailboxes: dict[Generation, MailboxRow] | None = None

    @property
    def since(self) -> datetime:
        """When it began."""
        return self.happened.begun

    @property
    def until(self) -> datetime:
        """When everything had come to rest."""
        return self.happened.ended

    @property
    def timely(self) -> bool:
        """Whether it is time that passed, so that what was due meanwhile must have happened."""
        return isinstance(self.happened.event, TimePassed)

    @property
    def woken(self) -> bool:
        """Whether it is a late worker that goes on (RESUME-14)."""
        event = self.happened.event
        return isinstance(event, Sent) and isinstance(event.stimulus, WorkerWoken)

    @property
    def strict(self) -> bool:
        """Whether an engine has no cause to show again how things are, as it may at its start and when it sweeps."""
        event = self.happened.event
        return not isinstance(event, Restarted | TimePassed) and not (
            isinstance(event, Sent) and isinstance(event.stimulus, ReconcileDue)
        )

    @property
    def sweeps(self) -> bool:
        """Whether the reconciler's sweeps run at this event, whatever the time (§21.1)."""
        event = self.happened.event
        return isinstance(event, Restarted) or (isinstance(event, Sent) and isinstance(event.stimulus, ReconcileDue))

    @property
    def ends(self) -> bool:
        """Whether an issue ends, or may be found to have ended."""
        event = self.happened.event
        return self.sweeps or (isinstance(event, Sent) and isinstance(event.stimulus, IssueClosed | IssueDeleted))

    def addresses(self, box: Mailbox) -> bool:
        """Whether somebody has just said something to a mailbox, so that an engine may answer."""
        event = self.happened.event
        if not isinstance(event, Sent) or isinstance(event.stimulus, WorkerWoken):
            return False
        if isinstance(event.stimulus, MergeRequestEventSent):
            return (event.stimulus.organization, event.stimulus.project) == (box.ref.organization, box.ref.project)
        return getattr(event.stimulus, "mailbox", None) == box.ref

    def concerns(self, box: Mailbox) -> bool:
        """Whether a mailbox, or all of them, can have changed by it, so that it is worth to look."""
        event = self.happened.event
        if box.begun or box.concluded or self.timely or self.ends or self.configures:
            return True
        return isinstance(event, Sent) and getattr(event.stimulus, "mailbox", None) == box.ref

    @property
    def configures(self) -> bool:
        """Whether somebody has changed a setting."""
        event = self.happened.event
        return isinstance(event, Sent) and isinstance(event.stimulus, SettingChanged)
