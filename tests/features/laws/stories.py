"""Short histories for the tests of laws, and a way to let a right engine look like a wrong one.

What a law sees is the witness log, the rows and the disk. A test spoils one of these between the engine and the laws,
so that it needs no wrong engine and says exactly what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tck_driver.bench import Script
from tck_driver.configuration import Binding, ProjectConfig, SettingScope
from tck_driver.stimuli import (
    BindingChanged,
    IssueBlocked,
    IssueClosed,
    IssueDeleted,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    LeaseExpired,
    PrefixChanged,
    ReconcileDue,
    ReviewRequested,
    RunDue,
    SettingChanged,
    Stimulus,
    WorkerWoken,
)
from tck_driver.views import SessionRow
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, Closing, MailboxRef, Phase
from tck_driver.witness import Record
from tck_features.checks import Expectation, ExpectationFailedError
from tck_features.history.events import (
    CredentialMounted,
    Damaged,
    Event,
    ProjectThere,
    Released,
    RemovalBlocked,
    Restarted,
    Scripted,
    Sent,
    TimePassed,
    TrackerSet,
)
from tck_features.history.history import Happened
from tck_features.history.play import Player
from tck_features.laws import Laws
from tck_features.world import World
from tck_kit.laboratory import Laboratory

ISSUE = MailboxRef("acme", "shop", "issue", 1)
OTHER = MailboxRef("acme", "shop", "issue", 12)
REVIEW = MailboxRef("acme", "shop", "merge_request", 1)

ChangeRecord = Callable[[Record], Record]
ChangeRow = Callable[[SessionRow], SessionRow]


def same(record: Record) -> Record:
    return record


def same_row(row: SessionRow) -> SessionRow:
    return row


@dataclass(slots=True)
class Spoilt:
    """Watches through a glass that changes what it shows, from a number of events on."""

    laws: Laws
    record: ChangeRecord = same
    row: ChangeRow = same_row
    disk: Callable[[World], None] = lambda _: None
    after: int = 0
    seen: int = 0

    def saw(self, world: World, happened: Happened) -> None:
        self.seen += 1
        if self.seen > self.after:
            records = world.bench.witness.records
            records[happened.since : happened.until] = map(self.record, records[happened.since : happened.until])
            happened = replace(happened, table=tuple(map(self.row, happened.table)))
            self.disk(world)
        self.laws.saw(world, happened)


def sent(*stimuli: Stimulus) -> tuple[Sent, ...]:
    return tuple(map(Sent, stimuli))


def beginning(adapter: AdapterId) -> tuple[Event, ...]:
    return (
        ProjectThere(ProjectConfig.of("acme", "shop", adapter)),
        CredentialMounted("/home/agent/.netrc"),
        *sent(
            IssueOpened(ISSUE, "Add a thing"),
            IssueOpened(OTHER, "Add another"),
            ReviewRequested(REVIEW, "Look at this"),
        ),
    )


def life(adapter: AdapterId) -> tuple[Event, ...]:
    """Nearly all that can happen to two issues and a merge request."""
    other = next(one for one in (AdapterId.CODEX, AdapterId.OPENCODE) if one is not adapter)

    def off(scope: SettingScope, *, value: bool | None) -> Sent:
        project = "shop" if scope == "project" else ""
        return Sent(SettingChanged(scope, "acme", project, "AGENT_SESSION_RESUME", value))

    return (
        *beginning(adapter),
        *sent(RunDue(ISSUE, Phase.ANALYSIS), RunDue(OTHER, Phase.DEVELOPMENT), RunDue(REVIEW, Phase.HUMAN_REVIEW)),
        *sent(*(RunDue(ISSUE, phase) for phase in ISSUE_PHASES)),
        *sent(IssueRetitled(ISSUE, "Something else"), PrefixChanged("acme", "shop", "bot-")),
        *sent(*(RunDue(OTHER, phase) for phase in ISSUE_PHASES)),
        Scripted(adapter, (Script("refuse"),)),
        *sent(RunDue(ISSUE, Phase.DEVELOPMENT), RunDue(ISSUE, Phase.REVIEW_FIX)),
        Damaged(ISSUE, adapter, "emptied"),
        *sent(RunDue(ISSUE, Phase.CI_FIX)),
        Damaged(ISSUE, adapter, "linked"),
        *sent(RunDue(ISSUE, Phase.CI_FIX), RunDue(ISSUE, Phase.CI_FIX)),
        *(off("organization", value=False), *sent(RunDue(OTHER, Phase.ANALYSIS)), off("organization", value=None)),
        *(off("project", value=False), *sent(RunDue(OTHER, Phase.ANALYSIS)), off("project", value=True)),
        *sent(RunDue(OTHER, Phase.ANALYSIS)),
        *sent(BindingChanged("acme", "shop", Binding(AdapterId.API)), RunDue(ISSUE, Phase.ANSWER)),
        *sent(BindingChanged("acme", "shop", Binding(AdapterId.GROK_BUILD)), RunDue(ISSUE, Phase.ANSWER)),
        *sent(BindingChanged("acme", "shop", Binding(other)), RunDue(ISSUE, Phase.ANSWER)),
        *sent(BindingChanged("acme", "shop", Binding(adapter)), RunDue(ISSUE, Phase.ANSWER)),
        Scripted(adapter, (Script("hang"),)),
        *sent(RunDue(ISSUE, Phase.ANALYSIS), LeaseExpired(ISSUE), WorkerWoken(ISSUE)),
        Scripted(adapter, (Script("hang"), Script("hang_early"))),
        *sent(RunDue(ISSUE, Phase.ANALYSIS), RunDue(ISSUE, Phase.ANALYSIS)),
        TimePassed(3_600_000),
        Released(),
        Restarted(),
        TimePassed(120_000),
        *sent(IssueBlocked(OTHER), ReconcileDue(), IssueRetry(OTHER)),
        TrackerSet(OTHER, "503"),
        *sent(ReconcileDue(), ReconcileDue()),
        TrackerSet(OTHER, "normal"),
        *sent(IssueClosed(ISSUE, Closing.MERGED), ReconcileDue(), IssueReopened(ISSUE)),
        *sent(RunDue(ISSUE, Phase.DEVELOPMENT), RunDue(ISSUE, Phase.DEVELOPMENT)),
        RemovalBlocked(ISSUE),
        *sent(IssueClosed(ISSUE, Closing.UNASSIGNED), ReconcileDue(), IssueReopened(ISSUE)),
        *sent(RunDue(ISSUE, Phase.DEVELOPMENT)),
        RemovalBlocked(ISSUE, blocked=False),
        *sent(ReconcileDue(), IssueDeleted(OTHER), ReconcileDue()),
        TimePassed(40 * 86_400_000),
    )


def play(folder: Path, events: Iterable[Event], watcher: Spoilt | Laws) -> tuple[Expectation | None, World]:
    """Play a history on the simulator; give what did not hold, and the world for a look at the rest."""
    laboratory = Laboratory.in_process(folder, 1, "0")
    world = laboratory.world("a test")
    try:
        Player(world, [watcher]).play(events)
    except ExpectationFailedError as failed:
        return failed.expectation, world
    finally:
        laboratory.end(world)
        laboratory.close()
    return None, world
