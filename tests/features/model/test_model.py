"""The model on whole histories: the right engine passes, and of a wrong one the right requirement is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.configuration import Binding, ProjectConfig
from tck_driver.stimuli import (
    BindingChanged,
    InstallationChanged,
    IssueBlocked,
    IssueClosed,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    LeaseExpired,
    MergeRequestEventSent,
    ReconcileDue,
    RunDue,
    SettingChanged,
    Stimulus,
    WorkerWoken,
)
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, Closing, MailboxRef, MergeRequestEvent, Phase
from tck_features.checks import Checks, ExpectationFailedError
from tck_features.history.events import (
    Damaged,
    Event,
    IdOverwritten,
    ProjectThere,
    Released,
    Restarted,
    Scripted,
    Sent,
    TimePassed,
    TrackerSet,
    VersionSet,
)
from tck_features.history.play import Player
from tck_features.model import Model
from tck_kit.laboratory import Laboratory

ISSUE = MailboxRef("acme", "shop", "issue", 7)
OTHER = MailboxRef("acme", "shop", "issue", 8)
CLAUDE, CODEX, OPENCODE, COPILOT = AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE, AdapterId.COPILOT
MINUTE = 60_000
#: The agent's merge requests are counted from here.
FIRST = 1001


def beginning(adapter: AdapterId = CLAUDE) -> list[Event]:
    project = ProjectConfig.of("acme", "shop", adapter)
    return [ProjectThere(project), sent(IssueOpened(ISSUE, "Mend the door")), sent(IssueOpened(OTHER, "Mend the door"))]


def sent(stimulus: Stimulus) -> Event:
    return Sent(stimulus)


def due(phase: Phase, mailbox: MailboxRef = ISSUE) -> Event:
    return Sent(RunDue(mailbox, phase))


def minutes(count: int) -> Event:
    return TimePassed(count * MINUTE)


def scripted(adapter: AdapterId, *scripts: Script) -> Event:
    return Scripted(adapter, scripts)


def turned(*, value: bool | str) -> Event:
    return sent(SettingChanged("project", "acme", "shop", "AGENT_SESSION_RESUME", value))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "scenarios"


def played(folder: Path, events: Sequence[Event], faulty: str | None = None) -> Checks:
    laboratory = Laboratory.in_process(folder, 1, "0", faulty=faulty)
    world = laboratory.world("a history")
    try:
        Player(world, [Model()]).play(events)
    finally:
        laboratory.end(world)
        laboratory.close()
    return world.checks


def every_phase(adapter: AdapterId) -> list[Event]:
    return [
        *beginning(adapter),
        *(due(phase) for phase in ISSUE_PHASES),
        *(sent(MergeRequestEventSent("acme", "shop", FIRST, event)) for event in MergeRequestEvent),
        sent(IssueRetitled(ISSUE, "Mend the window")),
        due(Phase.ANSWER),
        sent(IssueClosed(ISSUE, Closing.MERGED)),
        sent(IssueReopened(ISSUE)),
        due(Phase.ANALYSIS),
    ]


HISTORIES: dict[str, list[Event]] = {
    **{f"every phase with {adapter}": every_phase(adapter) for adapter in AdapterId},
    "a refusal, and a session of its own": [
        *beginning(CODEX),
        due(Phase.ANALYSIS),
        scripted(CODEX, Script("refuse"), Script()),
        due(Phase.DEVELOPMENT),
        scripted(CODEX, Script("other_id")),
        due(Phase.CI_FIX),
        due(Phase.ANSWER),
    ],
    "retries until the issue is blocked": [
        *beginning(),
        due(Phase.ANALYSIS),
        scripted(CLAUDE, *[Script("rate_limited")] * 3, Script("server_error")),
        due(Phase.DEVELOPMENT),
        minutes(30),
        sent(IssueRetry(ISSUE)),
    ],
    "a poisoned session": [
        *beginning(COPILOT),
        due(Phase.ANALYSIS),
        scripted(COPILOT, Script("bad_request")),
        due(Phase.DEVELOPMENT),
        minutes(30),
    ],
    "a power cut in the middle of a run, and an event that waits": [
        *beginning(OPENCODE),
        scripted(OPENCODE, Script("hang")),
        due(Phase.DEVELOPMENT),
        due(Phase.ANSWER),
        Restarted(),
        minutes(10),
    ],
    "a lost lease and a late worker": [
        *beginning(CODEX),
        scripted(CODEX, Script("hang"), Script("hang")),
        due(Phase.DEVELOPMENT),
        sent(LeaseExpired(ISSUE)),
        sent(WorkerWoken(ISSUE)),
        Released(),
        due(Phase.CI_FIX),
    ],
    "state that is lost and damaged": [
        *beginning(CODEX),
        due(Phase.ANALYSIS),
        Damaged(ISSUE, CODEX, "removed"),
        due(Phase.ANSWER),
        Damaged(ISSUE, CODEX, "zeroed"),
        due(Phase.ANSWER),
        Damaged(ISSUE, CODEX, "linked"),
        due(Phase.ANSWER),
    ],
    "ids that somebody overwrote": [
        *beginning(CODEX),
        due(Phase.ANALYSIS),
        due(Phase.ANSWER),
        IdOverwritten(ISSUE, 1, "--help"),
        due(Phase.ANSWER),
        IdOverwritten(ISSUE, 2, "019b8d62-7a80-71e7-a8e2-5d940ed90475"),
        due(Phase.ANSWER),
    ],
    "other versions and other agents": [
        *beginning(),
        due(Phase.ANALYSIS),
        VersionSet(CLAUDE, "1.0.100"),
        sent(InstallationChanged(CLAUDE, "runner-claude-code:old")),
        due(Phase.DEVELOPMENT),
        VersionSet(CLAUDE, "2.1.198"),
        sent(InstallationChanged(CLAUDE, "runner-claude-code:new")),
        due(Phase.CI_FIX),
        sent(BindingChanged("acme", "shop", Binding(CODEX))),
        due(Phase.REVIEW_FIX),
        sent(BindingChanged("acme", "shop", Binding(CLAUDE, "provider-b", "model-b"))),
        due(Phase.ANSWER),
    ],
    "off and on again": [
        *beginning(OPENCODE),
        due(Phase.ANALYSIS),
        turned(value=False),
        due(Phase.DEVELOPMENT),
        turned(value="off"),
        due(Phase.CI_FIX),
        turned(value="TRUE"),
        due(Phase.ANSWER),
    ],
    "rows that are old": [*beginning(), due(Phase.ANALYSIS), minutes(60 * 24 * 31), due(Phase.ANSWER)],
    "runs that came and went, rows and all, before anybody could look": [
        *beginning(CODEX),
        scripted(CODEX, Script("hang"), Script("rate_limited")),
        due(Phase.DEVELOPMENT),
        due(Phase.ANSWER),
        minutes(60 * 24 * 40),
        due(Phase.CI_FIX),
        due(Phase.ANSWER),
    ],
    "a tracker that is busy, and then knows nothing": [
        *beginning(),
        due(Phase.ANALYSIS),
        TrackerSet(ISSUE, "500"),
        minutes(6),
        TrackerSet(ISSUE, "404"),
        sent(ReconcileDue()),
        due(Phase.ANALYSIS),
    ],
    "blocked by a human while a run lasts": [
        *beginning(CODEX),
        scripted(CODEX, Script("hang")),
        due(Phase.DEVELOPMENT),
        sent(IssueBlocked(ISSUE)),
        due(Phase.ANSWER),
        Released(),
        sent(IssueRetry(ISSUE)),
    ],
}


@pytest.mark.parametrize("history", list(HISTORIES))
def test_a_right_engine_does_what_the_model_predicts(folder: Path, history: str) -> None:
    checks = played(folder, HISTORIES[history])
    assert checks.expectations
    assert all(expectation.held for expectation in checks.expectations)
    assert all(expectation.requirements for expectation in checks.expectations)


@pytest.mark.parametrize(
    ("fault", "requirement", "history"),
    [
        ("slug-of-60", "NAME-8", [*beginning(), sent(IssueRetitled(ISSUE, "word " * 20)), due(Phase.ANALYSIS)]),
        ("all-at-once", "RESUME-13", HISTORIES["a power cut in the middle of a run, and an event that waits"]),
        ("absent-state-asked", "FALLBACK-4", HISTORIES["state that is lost and damaged"]),
        (
            "first-failure-counts",
            "FALLBACK-20",
            [*beginning(), scripted(CLAUDE, *[Script("rate_limited")] * 3), due(Phase.ANSWER), minutes(30)],
        ),
        (
            "off-wins",
            "OFF-9",
            [
                *beginning(),
                sent(SettingChanged("organization", "acme", "", "AGENT_SESSION_RESUME", False)),  # noqa: FBT003 -- the value
                turned(value=True),
                due(Phase.ANALYSIS),
            ],
        ),
        ("pause-ends-the-session", "OFF-11", HISTORIES["off and on again"]),
        ("id-at-the-end", "RESUME-15", HISTORIES["a lost lease and a late worker"]),
        ("refused-id-kept", "FALLBACK-14", HISTORIES["a refusal, and a session of its own"]),
        ("rows-for-ever", "CLEAN-7", HISTORIES["rows that are old"]),
        ("server-error-is-gone", "CLEAN-10", HISTORIES["a tracker that is busy, and then knows nothing"]),
        ("blocked-cleared", "CLEAN-5", [*beginning(), due(Phase.ANALYSIS), sent(IssueBlocked(ISSUE))]),
        ("fallback-is-a-failure", "FALLBACK-11", HISTORIES["a refusal, and a session of its own"]),
        ("session-for-each-provider", "RESUME-6", HISTORIES["other versions and other agents"]),
    ],
)
def test_of_a_wrong_engine_the_requirement_that_it_breaks_is_named(
    folder: Path, fault: str, requirement: str, history: list[Event]
) -> None:
    with pytest.raises(ExpectationFailedError) as caught:
        played(folder, history, fault)
    assert requirement in caught.value.expectation.requirements
