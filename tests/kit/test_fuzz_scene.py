"""What can happen next: histories say nothing that the specification leaves open, and nothing that was declined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from tck_driver.bench import Script
from tck_driver.capabilities import CAPABILITIES
from tck_driver.configuration import Binding, ProjectConfig
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
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, MergeRequestEvent, Phase
from tck_driver.witness import ForgeWrite, Record
from tck_features.history.events import (
    CredentialMounted,
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
from tck_features.history.history import Happened
from tck_kit.faults import UsageFault
from tck_kit.fuzz.abilities import Abilities
from tck_kit.fuzz.scene import Scene

ALL: Mapping[str, str] = MappingProxyType(dict.fromkeys(CAPABILITIES, "supported"))
ISSUE = MailboxRef("a", "b", "issue", 1)
UNKNOWN = MailboxRef("a", "b", "issue", 99)
REVIEW = MailboxRef("a", "b", "merge_request", 5)
PROJECT = ProjectThere(ProjectConfig.of("a", "b", AdapterId.CODEX))
RUN = RunDue(ISSUE, Phase.DEVELOPMENT)
CLOSE = IssueClosed(ISSUE, Closing.MERGED)


def row(ref: MailboxRef = ISSUE, outcome: str = "succeeded", run: str = "1") -> SessionRow:
    return SessionRow(
        run=run,
        mailbox=ref,
        adapter_id="codex",
        phase="development",
        provider="p",
        model="m",
        session_name=None,
        native_session_id=None,
        resumed=False,
        resume_fallback=None,
        outcome=outcome,
    )


def scene(*events: Event | Stimulus, abilities: Abilities | None = None) -> Scene:
    """A project with one issue, and what happened then."""
    made = Scene(abilities or Abilities(ALL))
    for event in (PROJECT, IssueOpened(ISSUE, "x"), *events):
        happen(made, event)
    return made


def happen(
    made: Scene,
    event: Event | Stimulus,
    rows: Sequence[SessionRow] = (),
    records: Sequence[Record] = (),
    refusal: str | None = None,
) -> None:
    event = Sent(event) if isinstance(event, Stimulus) else event
    assert made.allows(event), event
    now = datetime(2026, 1, 1, tzinfo=UTC)
    made.took(Happened(event, None, 0, 0, now, now, tuple(rows), refusal), records)


def allowed(made: Scene, event: Event | Stimulus) -> bool:
    return made.allows(Sent(event) if isinstance(event, Stimulus) else event)


@pytest.mark.parametrize(
    "event",
    [
        RUN,
        CLOSE,
        IssueRetitled(ISSUE, "y"),
        IssueBlocked(ISSUE),
        IssueDeleted(ISSUE),
        IssueOpened(UNKNOWN, "y"),
        ReviewRequested(REVIEW, "y"),
        MergeRequestEventSent("a", "b", 77, MergeRequestEvent.REVIEW),
        SettingChanged("organization", "a", "", "X", None),
        SettingChanged("instance", "", "", "X", 0),
        BindingChanged("a", "b", Binding(AdapterId.API)),
        PrefixChanged("a", "b", "-x"),
        InstallationChanged(AdapterId.CODEX, "y"),
        ReconcileDue(),
        TimePassed(1),
        Released(),
        Restarted(),
        Scripted(AdapterId.CODEX, (Script("refuse"),)),
        VersionSet(AdapterId.CODEX, "1.0.0"),
        TrackerSet(ISSUE, "500"),
        Damaged(ISSUE, AdapterId.CODEX, "removed"),
        RemovalBlocked(ISSUE),
    ],
    ids=lambda one: type(one).__name__,
)
def test_this_can_happen_to_an_open_issue(event: Event | Stimulus) -> None:
    assert allowed(scene(), event)


@pytest.mark.parametrize(
    "event",
    [
        IssueOpened(ISSUE, "again"),
        IssueOpened(MailboxRef("no", "such", "issue", 1), "x"),
        RunDue(UNKNOWN, Phase.DEVELOPMENT),
        RunDue(ISSUE, Phase.HUMAN_REVIEW),
        RunDue(REVIEW, Phase.HUMAN_REVIEW),
        IssueReopened(ISSUE),
        IssueRetry(ISSUE),
        IssueRetitled(UNKNOWN, "x"),
        LeaseExpired(ISSUE),
        WorkerWoken(ISSUE),
        MergeRequestEventSent("no", "such", 77, MergeRequestEvent.REVIEW),
        SettingChanged("organization", "z", "", "X", None),
        SettingChanged("project", "a", "z", "X", None),
        BindingChanged("a", "z", Binding(AdapterId.API)),
        PrefixChanged("z", "b", "x"),
        TrackerSet(UNKNOWN, "500"),
        Damaged(UNKNOWN, AdapterId.CODEX, "removed"),
        IdOverwritten(ISSUE, 0, "x"),
        RemovalBlocked(ISSUE, blocked=False),
        RemovalBlocked(UNKNOWN),
        Scripted(AdapterId.CODEX, (Script("ok"), Script("rotate"))),
        PROJECT,
        SettingStored(("instance", "", "", "X", 1)),
        CredentialMounted("/x"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_this_cannot_happen_to_one_that_was_just_opened(event: Event | Stimulus) -> None:
    assert not allowed(scene(), event)


def test_to_an_issue_that_has_ended_little_happens_until_it_is_reopened() -> None:
    made = scene(CLOSE)

    assert not any(allowed(made, one) for one in (RUN, CLOSE, IssueBlocked(ISSUE), RemovalBlocked(ISSUE)))
    assert allowed(made, IssueRetitled(ISSUE, "y"))
    happen(made, IssueReopened(ISSUE))
    assert allowed(made, RUN)


def test_an_issue_is_reopened_only_when_the_tracker_shows_it_again() -> None:
    made = scene(IssueDeleted(ISSUE))

    assert not allowed(made, IssueReopened(ISSUE))
    assert not allowed(made, TrackerSet(ISSUE, "500"))
    happen(made, TrackerSet(ISSUE, "normal"))
    assert allowed(made, IssueReopened(ISSUE))


def test_an_issue_that_is_not_there_any_more_is_swept_at_once_and_has_ended() -> None:
    made = scene(TrackerSet(ISSUE, "404"))

    assert not any(allowed(made, one) for one in (RUN, TimePassed(1), Restarted()))
    happen(made, ReconcileDue())
    assert not allowed(made, RUN)


def test_a_blocked_issue_is_known_by_its_label_and_waits_for_a_retry() -> None:
    made = scene()
    happen(made, RUN, records=[ForgeWrite("label", str(ISSUE), "status::blocked")])

    assert allowed(made, IssueRetry(ISSUE))
    assert not allowed(made, RUN)
    happen(made, IssueRetry(ISSUE), records=[ForgeWrite("unlabel", str(ISSUE), "status::blocked")])
    assert allowed(made, RUN)


def test_an_issue_is_blocked_by_a_human_only_when_nothing_is_under_way_or_to_be_tried_again() -> None:
    made = scene()
    for outcome, right in (("live", False), ("failed", False), ("abandoned", False), ("succeeded", True)):
        happen(made, RUN, [row(outcome=outcome)])
        assert allowed(made, IssueBlocked(ISSUE)) is right, outcome


def test_an_issue_is_not_blocked_by_a_human_once_nobody_can_know_its_last_phase() -> None:
    made = scene()
    happen(made, RUN, [row()])
    happen(made, TimePassed(1), [])

    assert not allowed(made, IssueBlocked(ISSUE))


def test_a_worker_stops_only_while_it_has_a_run_and_wakes_only_once() -> None:
    made = scene()
    happen(made, RUN, [row(outcome="live")])

    happen(made, LeaseExpired(ISSUE), [row(outcome="live")])
    assert not allowed(made, LeaseExpired(ISSUE))
    happen(made, WorkerWoken(ISSUE))
    assert not allowed(made, WorkerWoken(ISSUE))


def test_no_worker_wakes_after_the_power_was_cut() -> None:
    made = scene()
    happen(made, RUN, [row(outcome="live")])
    happen(made, LeaseExpired(ISSUE), [row(outcome="live")])
    happen(made, Restarted())

    assert not allowed(made, WorkerWoken(ISSUE))


def test_state_is_damaged_and_ids_are_overwritten_between_runs() -> None:
    made = scene()
    happen(made, RUN, [row(), row(outcome="live", run="2")])

    assert not allowed(made, Damaged(ISSUE, AdapterId.CODEX, "cut"))
    assert allowed(made, IdOverwritten(ISSUE, 0, "x"))
    assert not allowed(made, IdOverwritten(ISSUE, 1, "x"))
    assert not allowed(made, IdOverwritten(ISSUE, 2, "x"))


def test_runs_of_an_issue_are_counted_from_its_first_whether_or_not_its_row_is_still_there() -> None:
    made = scene()
    happen(made, RUN, [row()])
    happen(made, RUN, [row(run="2")])

    assert not allowed(made, IdOverwritten(ISSUE, 0, "x"))
    assert allowed(made, IdOverwritten(ISSUE, 1, "x"))


def test_events_of_a_merge_request_are_of_an_open_issue_or_of_nobody() -> None:
    made = scene()
    report = MergeRequestEventSent("a", "b", 1001, MergeRequestEvent.REVIEW)
    happen(made, RUN, records=[ForgeWrite("merge_request", str(ISSUE), "x\ny", 1001)])

    assert allowed(made, report)
    happen(made, CLOSE)
    assert not allowed(made, report)
    happen(made, IssueReopened(ISSUE))
    assert not allowed(made, report)


def test_a_humans_merge_request_is_reviewed_once_it_was_handed_over() -> None:
    made = scene(ReviewRequested(REVIEW, "x"))

    assert allowed(made, RunDue(REVIEW, Phase.HUMAN_REVIEW))
    assert not allowed(made, RunDue(REVIEW, Phase.DEVELOPMENT))
    assert allowed(made, MergeRequestEventSent("a", "b", 5, MergeRequestEvent.CONFLICT))
    assert not allowed(made, ReviewRequested(REVIEW, "again"))


def test_a_version_changes_with_the_image_that_has_it() -> None:
    made = scene(VersionSet(AdapterId.CODEX, "9.0.0"))

    assert not allowed(made, RUN)
    assert not allowed(made, InstallationChanged(AdapterId.COPILOT, "x"))
    happen(made, InstallationChanged(AdapterId.CODEX, "x"))
    assert allowed(made, RUN)


def test_before_the_start_a_version_is_that_of_the_image_that_is_there() -> None:
    made = Scene(Abilities(ALL))
    happen(made, PROJECT)
    happen(made, VersionSet(AdapterId.CODEX, "9.0.0"))

    assert not allowed(made, InstallationChanged(AdapterId.CODEX, "x"))
    assert allowed(made, IssueOpened(ISSUE, "x"))


def test_an_issue_whose_directory_cannot_be_removed_ends_at_once() -> None:
    made = scene(RemovalBlocked(ISSUE))

    assert not any(
        allowed(made, one) for one in (RUN, TimePassed(1), Restarted(), IssueClosed(UNKNOWN, Closing.MERGED))
    )
    happen(made, CLOSE)
    assert allowed(made, TimePassed(1))
    assert allowed(made, RemovalBlocked(ISSUE, blocked=False))


def test_nothing_happens_to_an_engine_that_refused_its_configuration() -> None:
    made = Scene(Abilities(ALL))
    happen(made, PROJECT)
    happen(made, CredentialMounted("/home/agent/.codex"))
    happen(made, IssueOpened(ISSUE, "x"), refusal="AGENT_CREDENTIAL_MOUNTS overlap")

    assert not any(allowed(made, one) for one in (RUN, TimePassed(1), Restarted(), ReconcileDue()))


@pytest.mark.parametrize(
    ("declined", "event"),
    [
        ("control.clock", TimePassed(1)),
        ("control.clock", Released()),
        ("control.clock", Scripted(AdapterId.CODEX, (Script("hang"),))),
        ("control.clock", Scripted(AdapterId.CODEX, (Script("ok", 1000),))),
        ("control.clock", VersionSet(AdapterId.CODEX, "1.0.0", "hang")),
        ("control.kill", Restarted()),
        ("adapter.api", BindingChanged("a", "b", Binding(AdapterId.API))),
        ("adapter.codex", Scripted(AdapterId.CODEX, (Script(),))),
        ("adapter.copilot", InstallationChanged(AdapterId.COPILOT, "x")),
        ("mailbox.merge_request", ReviewRequested(REVIEW, "x")),
        ("stimulus.issue.blocked", IssueBlocked(ISSUE)),
        ("stimulus.prefix.changed", PrefixChanged("a", "b", "x")),
    ],
)
def test_what_was_declined_is_not_drawn(declined: str, event: Event | Stimulus) -> None:
    without = {name: support for name, support in ALL.items() if name != declined}

    made = scene()
    assert allowed(made, event)
    made.abilities = Abilities(without)
    assert not allowed(made, event)
    assert made.abilities.left_out == (declined,)


def test_an_id_is_overwritten_where_the_database_or_the_driver_lets_that_be_done() -> None:
    without = {name: support for name, support in ALL.items() if name != "control.overwrite"}
    event = IdOverwritten(ISSUE, 0, "x")

    assert Abilities(ALL, observed=False).allow(event)
    assert Abilities(without, observed=True).allow(event)
    assert not Abilities(without, observed=False).allow(event)
    assert Abilities(without, observed=True).left_out == ()


def test_a_folder_is_held_where_the_machine_can_do_that() -> None:
    without = Abilities(ALL, guards=False)

    assert not without.allow(RemovalBlocked(ISSUE))
    assert without.left_out == ("folders that cannot be removed",)


@pytest.mark.parametrize(
    ("declined", "words"),
    [
        (("sessions",), "sessions"),
        (("stimulus.run.due", "stimulus.issue.opened"), "stimulus.issue.opened, stimulus.run.due"),
        (("view.sessions",), "view.sessions, or --observe-db"),
        (tuple(f"adapter.{one}" for one in AdapterId if one is not AdapterId.API), "an adapter with a CLI"),
    ],
)
def test_an_engine_of_which_nothing_could_be_seen_is_not_searched(declined: tuple[str, ...], words: str) -> None:
    Abilities(ALL, observed=False).refuse_too_few()

    with pytest.raises(UsageFault, match=f"the engine does not support {words}"):
        Abilities({name: "supported" for name in ALL if name not in declined}, observed=False).refuse_too_few()
