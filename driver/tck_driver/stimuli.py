"""What can happen to an engine: the closed vocabulary of stimuli.

A stimulus is something the outside world does (a tracker event, a changed setting, a due timer). It never says what
the engine should answer, and carries nothing that an engine could take for the name of a scenario.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tck_driver.configuration import Binding, SettingScope, SettingValue
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, MergeRequestEvent, Phase, RunOutcome


@dataclass(frozen=True, slots=True)
class IssueOpened:
    """An issue was opened and assigned to the agent: `issue.opened`."""

    mailbox: MailboxRef
    title: str


@dataclass(frozen=True, slots=True)
class IssueRetitled:
    """Somebody edited the title: `issue.retitled`."""

    mailbox: MailboxRef
    title: str


@dataclass(frozen=True, slots=True)
class IssueClosed:
    """The issue was closed by merge, unassigned, or closed without a merge: `issue.closed` (§7.2)."""

    mailbox: MailboxRef
    how: Closing


@dataclass(frozen=True, slots=True)
class IssueReopened:
    """A closed issue was opened again and assigned to the agent: `issue.reopened`."""

    mailbox: MailboxRef


@dataclass(frozen=True, slots=True)
class IssueDeleted:
    """The tracker announces that the issue is gone; it answers 404 from now on: `issue.deleted`."""

    mailbox: MailboxRef


@dataclass(frozen=True, slots=True)
class IssueBlocked:
    """The issue waits for a human: `issue.blocked`."""

    mailbox: MailboxRef


@dataclass(frozen=True, slots=True)
class IssueRetry:
    """A human set the label `ai::retry` on a blocked issue: `issue.retry`. The phase that blocked runs again."""

    mailbox: MailboxRef


@dataclass(frozen=True, slots=True)
class ReviewRequested:
    """A human's merge request was handed to the agent for review: `merge_request.review_requested` (§8.5)."""

    mailbox: MailboxRef
    title: str


@dataclass(frozen=True, slots=True)
class MergeRequestEventSent:
    """A pipeline failed, a review came in, or a conflict arose on a merge request: `merge_request.event`.

    The address is the merge request's own; the engine finds the mailbox (§11.1).
    """

    organization: str
    project: str
    merge_request: int
    event: MergeRequestEvent


@dataclass(frozen=True, slots=True)
class RunDue:
    """A run of this phase is due in this mailbox: `run.due`."""

    mailbox: MailboxRef
    phase: Phase


@dataclass(frozen=True, slots=True)
class SettingChanged:
    """An administrator stores a runtime setting, or with None removes it: `setting.changed`.

    `project` is empty at organization scope, both are at instance scope.
    """

    scope: SettingScope
    organization: str
    project: str
    name: str
    value: SettingValue


@dataclass(frozen=True, slots=True)
class BindingChanged:
    """A project binds a phase to something else: `binding.changed`. Without a phase: all phases."""

    organization: str
    project: str
    binding: Binding
    phase: Phase | None = None


@dataclass(frozen=True, slots=True)
class PrefixChanged:
    """A project changes `BRANCH_PREFIX`: `prefix.changed`."""

    organization: str
    project: str
    prefix: str


@dataclass(frozen=True, slots=True)
class InstallationChanged:
    """A new runner image was installed for an adapter: `installation.changed` (§16.6)."""

    adapter: AdapterId
    image: str


@dataclass(frozen=True, slots=True)
class LeaseExpired:
    """The worker that holds this mailbox stops answering and its lease runs out: `lease.expired` (§11.7)."""

    mailbox: MailboxRef


@dataclass(frozen=True, slots=True)
class WorkerWoken:
    """The worker that had stopped answering goes on with what it had in hand: `worker.woken` (RESUME-14)."""

    mailbox: MailboxRef


@dataclass(frozen=True, slots=True)
class ReconcileDue:
    """The reconciler's sweeps are due: `reconcile.due` (§21.2)."""


Stimulus = (
    IssueOpened
    | IssueRetitled
    | IssueClosed
    | IssueReopened
    | IssueDeleted
    | IssueBlocked
    | IssueRetry
    | ReviewRequested
    | MergeRequestEventSent
    | RunDue
    | SettingChanged
    | BindingChanged
    | PrefixChanged
    | InstallationChanged
    | LeaseExpired
    | WorkerWoken
    | ReconcileDue
)


#: The name of each stimulus on the wire and in capabilities.
STIMULUS_TYPES: Mapping[str, type[Stimulus]] = MappingProxyType(
    {
        "issue.opened": IssueOpened,
        "issue.retitled": IssueRetitled,
        "issue.closed": IssueClosed,
        "issue.reopened": IssueReopened,
        "issue.deleted": IssueDeleted,
        "issue.blocked": IssueBlocked,
        "issue.retry": IssueRetry,
        "merge_request.review_requested": ReviewRequested,
        "merge_request.event": MergeRequestEventSent,
        "run.due": RunDue,
        "setting.changed": SettingChanged,
        "binding.changed": BindingChanged,
        "prefix.changed": PrefixChanged,
        "installation.changed": InstallationChanged,
        "lease.expired": LeaseExpired,
        "worker.woken": WorkerWoken,
        "reconcile.due": ReconcileDue,
    }
)


@dataclass(frozen=True, slots=True)
class StimulusResult:
    """What the engine says of a stimulus: the run that it led to, if any, and an error text where it refused it."""

    run: str | None = None
    outcome: RunOutcome | None = None
    error: str | None = None
