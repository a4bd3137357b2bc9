"""What the outside world has told of each issue and merge request: its titles, its generations, and how it ended.

An engine keeps mailboxes of its own. These are kept from the events alone, so that an engine which forgets to end one,
or ends one too many, is held against what was told and not against its own account. Specification: §7.2, §21.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tck_driver.stimuli import (
    IssueBlocked,
    IssueClosed,
    IssueDeleted,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    ReviewRequested,
    Stimulus,
)
from tck_driver.vocabulary import Closing, MailboxRef

if TYPE_CHECKING:
    from tck_driver.bench import TrackerAnswer

#: By what an issue ended, the requirement that its state goes.
_ENDINGS = {Closing.MERGED: "CLEAN-1", Closing.UNASSIGNED: "CLEAN-2", Closing.UNMERGED: "CLEAN-2"}
GONE = "CLEAN-3"


@dataclass(slots=True, eq=False)
class Mailbox:
    """One generation of one issue, or one merge request."""

    ref: MailboxRef
    generation: int
    #: The requirement by which its state has to be gone; None while it is open.
    ended: str | None = None
    blocked: bool = False
    #: What its name can be by the first run's moment; one once it was seen.
    names: tuple[str, ...] = ()
    #: What it can have been called at a first run that nothing is left of.
    past_names: tuple[str, ...] = ()
    #: What its session directory can be called; one once it was seen. None is held after the clean-up.
    folders: tuple[str, ...] = ()
    #: By adapter, the ids that the CLI named in its runs, and those that were written into its rows from outside.
    ids: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: By adapter, the prompts that its sessions can remember.
    prompts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: The adapters that a session of its was mounted for.
    adapters: set[str] = field(default_factory=set[str])
    #: By phase, through which kinds of events runs of it were asked for.
    causes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: The phases of its runs so far, and whether its issue was shown to be in development.
    phases: set[str] = field(default_factory=set[str])
    in_development: bool = False
    #: The texts that were posted on it.
    comments: list[str] = field(default_factory=list[str])

    @property
    def name(self) -> str | None:
        """Its name, once it can be one only."""
        return self.names[0] if len(self.names) == 1 else None

    @property
    def folder(self) -> str | None:
        """The name of its session directory, once it can be one only."""
        return self.folders[0] if len(self.folders) == 1 else None


class Mailboxes:
    """All mailboxes, by what was told."""

    def __init__(self) -> None:
        """Begin without any."""
        self._all: dict[MailboxRef, list[Mailbox]] = {}
        #: What the title of an issue is; more than one where it was told twice.
        self.titles: dict[MailboxRef, tuple[str, ...]] = {}
        #: What an issue has been called so far, the present title last.
        self.called: dict[MailboxRef, list[str]] = {}
        self.answers: dict[MailboxRef, TrackerAnswer] = {}
        #: The agent's merge requests: organization, project, number.
        self.merge_requests: dict[tuple[str, str, int], MailboxRef] = {}

    def __iter__(self) -> Iterator[Mailbox]:
        """Give all of them, the generations of an issue in order."""
        for generations in self._all.values():
            yield from generations

    def generations(self, ref: MailboxRef) -> list[Mailbox]:
        """Give those of one address, oldest first."""
        return self._all.get(ref, [])

    def present(self, ref: MailboxRef) -> Mailbox | None:
        """Give the latest of an address."""
        generations = self._all.get(ref)
        return generations[-1] if generations else None

    def open_at(self, ref: MailboxRef) -> Mailbox | None:
        """Give the open one of an address."""
        latest = self.present(ref)
        return latest if latest is not None and latest.ended is None else None

    def add(self, ref: MailboxRef) -> Mailbox:
        """Begin the next generation."""
        generations = self._all.setdefault(ref, [])
        generations.append(Mailbox(ref, len(generations) + 1))
        return generations[-1]

    def opened(self, ref: MailboxRef, title: str) -> None:
        """Take in that an issue was assigned or a merge request handed over."""
        known = self.titles.get(ref, ())
        self.titles[ref] = (title,) if not known else tuple(dict.fromkeys((*known, title)))
        self._call(ref, title)
        if not self.generations(ref):
            self.add(ref)

    def hear(self, stimulus: Stimulus) -> None:
        """Take in what a stimulus says of mailboxes, endings aside."""
        match stimulus:
            case IssueOpened(mailbox=ref, title=title) | ReviewRequested(mailbox=ref, title=title):
                self.opened(ref, title)
            case IssueRetitled(mailbox=ref, title=title):
                self.titles[ref] = (title,)
                self._call(ref, title)
            case IssueReopened(mailbox=ref):
                latest = self.present(ref)
                if latest is not None and latest.ended is not None:
                    self.add(ref)
            case IssueBlocked(mailbox=ref) | IssueRetry(mailbox=ref):
                latest = self.open_at(ref)
                if latest is not None:
                    latest.blocked = isinstance(stimulus, IssueBlocked)
            case IssueDeleted(mailbox=ref):
                self.answers[ref] = "404"
            case _:
                pass

    def ended_by(self, stimulus: Stimulus) -> Mailbox | None:
        """Give the mailbox that a stimulus has ended, marked so; None where it ended none."""
        if not isinstance(stimulus, IssueClosed | IssueDeleted):
            return None
        mailbox = self.open_at(stimulus.mailbox)
        if mailbox is not None:
            mailbox.ended = _ENDINGS[stimulus.how] if isinstance(stimulus, IssueClosed) else GONE
        return mailbox

    def gone(self) -> list[Mailbox]:
        """Give the open ones whose issue the tracker answers 404 for."""
        missing = [ref for ref, answer in self.answers.items() if answer == "404"]
        return [mailbox for ref in missing if (mailbox := self.open_at(ref)) is not None]

    def _call(self, ref: MailboxRef, title: str) -> None:
        called = self.called.setdefault(ref, [])
        if title in called:
            called.remove(title)
        called.append(title)
