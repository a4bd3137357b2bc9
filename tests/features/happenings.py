"""Every kind of event, drawn at random: what a sentence has to be able to say."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from tck_driver.bench import Link, Script, Shape, TrackerAnswer, VersionShape, Write
from tck_driver.configuration import Binding, ProjectConfig, SettingValue, StoredSetting
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
from tck_driver.vocabulary import AdapterId, Closing, MailboxKind, MailboxRef, MergeRequestEvent, Phase
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
from tck_features.words import TITLES

#: Any text at all, half surrogate pairs included, and those that are known to have broken something.
TEXTS = (
    st.text(st.characters())
    | st.text(st.characters(categories=["Cs", "Cc", "Cf", "Zs", "Mn"]))
    | st.text('"\\#!/ ,an')
    | st.sampled_from(list(TITLES.values()))
    | st.builds(lambda unit, count: unit * count, st.text(min_size=1, max_size=30), st.integers(1, 2000))
)
NUMBERS = st.integers(1, 2**53 - 1)
ADAPTERS = st.sampled_from(AdapterId)
PHASES = st.sampled_from(Phase)
DURATIONS = st.integers(0, 10**12)
BINDINGS = st.builds(Binding, ADAPTERS) | st.builds(Binding, ADAPTERS, TEXTS, TEXTS)
VALUES: st.SearchStrategy[SettingValue] = st.none() | st.booleans() | st.integers() | TEXTS
NAMES = st.from_regex(r"[A-Z][A-Z_]{2,20}", fullmatch=True)


def mailboxes(kind: MailboxKind) -> st.SearchStrategy[MailboxRef]:
    """Addresses of one kind."""
    return st.builds(MailboxRef, TEXTS, TEXTS, st.just(kind), NUMBERS)


ISSUES, REVIEWS = mailboxes("issue"), mailboxes("merge_request")
ANY_MAILBOX = ISSUES | REVIEWS


@st.composite
def projects(draw: st.DrawFn) -> ProjectConfig:
    usual = draw(BINDINGS)
    bindings = tuple((phase, draw(BINDINGS) if draw(st.booleans()) else usual) for phase in Phase)
    return ProjectConfig(draw(TEXTS), draw(TEXTS), draw(st.just("agent/") | TEXTS), bindings)


@st.composite
def settings_for_somebody(draw: st.DrawFn) -> StoredSetting:
    name, value = draw(NAMES), draw(VALUES)
    match draw(st.sampled_from(["instance", "organization", "project"])):
        case "instance":
            return ("instance", "", "", name, value)
        case "organization":
            return ("organization", draw(TEXTS), "", name, value)
        case _:
            return ("project", draw(TEXTS), draw(TEXTS), name, value)


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    shape: Shape = draw(st.sampled_from(get_args(Shape)))
    return Script(
        shape=shape,
        duration_ms=draw(DURATIONS),
        reported_id=draw(TEXTS) if shape == "odd_id" else None,
        acts=tuple(draw(st.lists(st.builds(Write, TEXTS, TEXTS) | st.builds(Link, TEXTS, TEXTS), max_size=3))),
        answer=draw(st.just("Done.") | TEXTS),
    )


STIMULI: st.SearchStrategy[Stimulus] = st.one_of(
    st.builds(IssueOpened, ISSUES, TEXTS),
    st.builds(IssueRetitled, ANY_MAILBOX, TEXTS),
    st.builds(IssueClosed, ANY_MAILBOX, st.sampled_from(Closing)),
    *(st.builds(kind, ANY_MAILBOX) for kind in (IssueReopened, IssueDeleted, IssueBlocked, IssueRetry)),
    *(st.builds(kind, ANY_MAILBOX) for kind in (LeaseExpired, WorkerWoken)),
    st.builds(ReviewRequested, REVIEWS, TEXTS),
    st.builds(MergeRequestEventSent, TEXTS, TEXTS, NUMBERS, st.sampled_from(MergeRequestEvent)),
    st.builds(RunDue, ANY_MAILBOX, PHASES),
    settings_for_somebody().map(lambda one: SettingChanged(*one)),
    st.builds(BindingChanged, TEXTS, TEXTS, BINDINGS, st.none() | PHASES),
    st.builds(PrefixChanged, TEXTS, TEXTS, TEXTS),
    st.builds(InstallationChanged, ADAPTERS, TEXTS),
    st.just(ReconcileDue()),
)

EVENTS: st.SearchStrategy[Event] = st.one_of(
    projects().map(ProjectThere),
    settings_for_somebody().map(SettingStored),
    st.builds(CredentialMounted, TEXTS),
    STIMULI.map(Sent),
    st.builds(Scripted, ADAPTERS, st.lists(scripts(), min_size=1, max_size=3).map(tuple)),
    st.builds(VersionSet, ADAPTERS, TEXTS, st.sampled_from(get_args(VersionShape))),
    st.builds(TrackerSet, ANY_MAILBOX, st.sampled_from(get_args(TrackerAnswer))),
    st.builds(TimePassed, DURATIONS),
    st.just(Released()),
    st.just(Restarted()),
    st.builds(Damaged, ANY_MAILBOX, ADAPTERS, st.sampled_from(get_args(Damage))),
    st.builds(IdOverwritten, ANY_MAILBOX, st.integers(0, 99), TEXTS),
    st.builds(RemovalBlocked, ANY_MAILBOX, st.booleans()),
)
