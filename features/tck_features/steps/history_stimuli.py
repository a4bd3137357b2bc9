"""What the outside world tells the engine in a history: one sentence for each word of the vocabulary."""

from __future__ import annotations

from tck_driver.configuration import Binding, SettingScope, SettingValue
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
    WorkerWoken,
)
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, MergeRequestEvent, Phase
from tck_features.history.events import Sent
from tck_features.history.sentence import happens


@happens("{mailbox}, titled {text}, is assigned to the agent")
def opened(ref: MailboxRef, title: str) -> Sent:
    """Read `issue.opened`."""
    return Sent(IssueOpened(ref, title))


@happens("{mailbox} is retitled to {text}")
def retitled(ref: MailboxRef, title: str) -> Sent:
    """Read `issue.retitled`."""
    return Sent(IssueRetitled(ref, title))


@happens("{mailbox} is {closing}")
def closed(ref: MailboxRef, how: Closing) -> Sent:
    """Read `issue.closed`."""
    return Sent(IssueClosed(ref, how))


@happens("{mailbox} is reopened")
def reopened(ref: MailboxRef) -> Sent:
    """Read `issue.reopened`."""
    return Sent(IssueReopened(ref))


@happens("{mailbox} is deleted from the tracker")
def deleted(ref: MailboxRef) -> Sent:
    """Read `issue.deleted`."""
    return Sent(IssueDeleted(ref))


@happens("{mailbox} is blocked")
def blocked(ref: MailboxRef) -> Sent:
    """Read `issue.blocked`."""
    return Sent(IssueBlocked(ref))


@happens("a human retries {mailbox}")
def retried(ref: MailboxRef) -> Sent:
    """Read `issue.retry`."""
    return Sent(IssueRetry(ref))


@happens("{mailbox}, titled {text}, is handed to the agent for review")
def review_requested(ref: MailboxRef, title: str) -> Sent:
    """Read `merge_request.review_requested`."""
    return Sent(ReviewRequested(ref, title))


@happens("{mailbox} reports {event}")
def merge_request_event(ref: MailboxRef, event: MergeRequestEvent) -> Sent:
    """Read `merge_request.event`."""
    return Sent(MergeRequestEventSent(ref.organization, ref.project, ref.iid, event))


@happens("a(n) {run_phase} run of {mailbox} is due")
def run_due(phase: Phase, ref: MailboxRef) -> Sent:
    """Read `run.due`."""
    return Sent(RunDue(ref, phase))


@happens("{word} is set to {value} for {holder}")
def setting_changed(name: str, value: SettingValue, holder: tuple[SettingScope, str, str]) -> Sent:
    """Read `setting.changed`."""
    return Sent(SettingChanged(*holder, name, value))


@happens("every phase of project {project_address} is bound to {binding}")
def bound(address: tuple[str, str], binding: Binding) -> Sent:
    """Read `binding.changed` for a whole project."""
    return Sent(BindingChanged(*address, binding))


@happens("the phase {run_phase} of project {project_address} is bound to {binding}")
def phase_bound(phase: Phase, address: tuple[str, str], binding: Binding) -> Sent:
    """Read `binding.changed` for one phase."""
    return Sent(BindingChanged(*address, binding, phase))


@happens("the branch prefix of project {project_address} is changed to {text}")
def prefix_changed(address: tuple[str, str], prefix: str) -> Sent:
    """Read `prefix.changed`."""
    return Sent(PrefixChanged(*address, prefix))


@happens("the image {text} is installed for {adapter}")
def installed(image: str, adapter: AdapterId) -> Sent:
    """Read `installation.changed`."""
    return Sent(InstallationChanged(adapter, image))


@happens("the lease of {mailbox} expires")
def lease_expired(ref: MailboxRef) -> Sent:
    """Read `lease.expired`."""
    return Sent(LeaseExpired(ref))


@happens("the worker that had {mailbox} wakes up")
def worker_woken(ref: MailboxRef) -> Sent:
    """Read `worker.woken`."""
    return Sent(WorkerWoken(ref))


@happens("the sweeps of the reconciler are due")
def swept() -> Sent:
    """Read `reconcile.due`."""
    return Sent(ReconcileDue())
