"""Every event as the sentence that says it, so that a history can be kept as a feature file and read by people.

`tck_features.steps.history_before` and its neighbours read the sentences; what is written here is read there as
exactly the same event.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import assert_never

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
from tck_driver.vocabulary import MailboxRef
from tck_features.history.events import (
    CredentialMounted,
    Damage,
    Damaged,
    Event,
    IdOverwritten,
    ProjectThere,
    Released,
    RemovalBlocked,
    Restarted,
    Scripted,
    Sent,
    SettingStored,
    TimePassed,
    TrackerSet,
    VersionSet,
)
from tck_features.history.spelling import (
    binding_words,
    bindings_words,
    duration_words,
    holder_words,
    mailbox_words,
    project_words,
    quoted,
    scripts_words,
    value_words,
)
from tck_features.words import CLOSINGS, MERGE_REQUEST_EVENTS, VERSION_BEHAVIOURS

#: What a history begins with, and how it ends, as a scenario.
BEGINNING = "everything that happens is held against the specification"
END = "everything has been as the specification has it"
#: How a sentence says what befalls a state directory.
DAMAGES: MappingProxyType[str, Damage] = MappingProxyType(
    {
        "is removed": "removed",
        "is emptied": "emptied",
        "is cut off in the first line of every file": "cut",
        "is overwritten with zero bytes": "zeroed",
        "is replaced by a link": "linked",
    }
)
_DAMAGES = {damage: words for words, damage in DAMAGES.items()}
_CLOSINGS = {closing: words for words, closing in CLOSINGS.items()}
_EVENTS = {event: words for words, event in MERGE_REQUEST_EVENTS.items()}
_VERSIONS = {shape: words for words, shape in VERSION_BEHAVIOURS.items()}


def word(event: Event) -> str:  # noqa: C901, PLR0911, PLR0912 -- one case for each kind of event
    """Give the sentence of an event, without its Given or When."""
    match event:
        case ProjectThere(project=project):
            prefix = (
                "" if project.branch_prefix == "agent/" else f" with the branch prefix {quoted(project.branch_prefix)}"
            )
            address = project_words(project.organization, project.name)
            return f"project {address}{prefix} is served by {bindings_words(project)}"
        case SettingStored(setting=(scope, organization, project, name, value)):
            return f"{name} is stored as {value_words(value)} for {holder_words(scope, organization, project)}"
        case CredentialMounted(target=target):
            return f"a credential is mounted at {quoted(target)}"
        case Sent(stimulus=stimulus):
            return _stimulus(stimulus)
        case Scripted(adapter=adapter, scripts=scripts):
            starts = "start" if len(scripts) == 1 else "starts"
            return f"at its next {starts} the CLI of {adapter} {scripts_words(scripts)}"
        case VersionSet(adapter=adapter, version=version, shape=shape):
            if shape == "plain":
                return f"the version command of {adapter} says {quoted(version)} from now on"
            return f"the version command of {adapter} {_VERSIONS[shape]} from now on, being {quoted(version)}"
        case TrackerSet(mailbox=ref, answer=answer):
            said = "as usual" if answer == "normal" else answer
            return f"the tracker answers {said} for {mailbox_words(ref)}"
        case TimePassed(milliseconds=milliseconds):
            words = duration_words(milliseconds)
            return f"{words} {'goes' if words.startswith('1 ') else 'go'} by"
        case Released():
            return "every CLI that hangs goes on to its end"
        case Restarted():
            return "the power is cut and the engine starts again"
        case Damaged(mailbox=ref, adapter=adapter, how=how):
            return f"the {adapter} state of {mailbox_words(ref)} {_DAMAGES[how]}"
        case IdOverwritten(mailbox=ref, run=run, value=value):
            return f"the native id of run {run + 1} of {mailbox_words(ref)} is overwritten with {quoted(value)}"
        case RemovalBlocked(mailbox=ref, blocked=blocked):
            can = "fails from now on" if blocked else "works again"
            return f"removing the session directory of {mailbox_words(ref)} {can}"
        case _:
            assert_never(event)


def _stimulus(stimulus: Stimulus) -> str:  # noqa: C901, PLR0911, PLR0912 -- one case for each word of the vocabulary
    match stimulus:
        case IssueOpened(mailbox=ref, title=title):
            return f"{mailbox_words(ref)}, titled {quoted(title)}, is assigned to the agent"
        case IssueRetitled(mailbox=ref, title=title):
            return f"{mailbox_words(ref)} is retitled to {quoted(title)}"
        case IssueClosed(mailbox=ref, how=how):
            return f"{mailbox_words(ref)} is {_CLOSINGS[how]}"
        case IssueReopened(mailbox=ref):
            return f"{mailbox_words(ref)} is reopened"
        case IssueDeleted(mailbox=ref):
            return f"{mailbox_words(ref)} is deleted from the tracker"
        case IssueBlocked(mailbox=ref):
            return f"{mailbox_words(ref)} is blocked"
        case IssueRetry(mailbox=ref):
            return f"a human retries {mailbox_words(ref)}"
        case ReviewRequested(mailbox=ref, title=title):
            return f"{mailbox_words(ref)}, titled {quoted(title)}, is handed to the agent for review"
        case MergeRequestEventSent(organization=organization, project=project, merge_request=number, event=event):
            ref = MailboxRef(organization, project, "merge_request", number)
            return f"{mailbox_words(ref)} reports {_EVENTS[event]}"
        case RunDue(mailbox=ref, phase=phase):
            article = "an" if phase[0] in "aeiou" else "a"
            return f"{article} {phase} run of {mailbox_words(ref)} is due"
        case SettingChanged(scope=scope, organization=organization, project=project, name=name, value=value):
            return f"{name} is set to {value_words(value)} for {holder_words(scope, organization, project)}"
        case BindingChanged(organization=organization, project=project, binding=binding, phase=phase):
            what = "every phase" if phase is None else f"the phase {phase}"
            return f"{what} of project {project_words(organization, project)} is bound to {binding_words(binding)}"
        case PrefixChanged(organization=organization, project=project, prefix=prefix):
            return f"the branch prefix of project {project_words(organization, project)} is changed to {quoted(prefix)}"
        case InstallationChanged(adapter=adapter, image=image):
            return f"the image {quoted(image)} is installed for {adapter}"
        case LeaseExpired(mailbox=ref):
            return f"the lease of {mailbox_words(ref)} expires"
        case WorkerWoken(mailbox=ref):
            return f"the worker that had {mailbox_words(ref)} wakes up"
        case ReconcileDue():
            return "the sweeps of the reconciler are due"
        case _:
            assert_never(stimulus)
