"""How things end: issues, crashed engines, old rows, and stimuli that make no sense."""

from __future__ import annotations

import pytest

from tck_driver.bench import Script, Write
from tck_driver.stimuli import (
    IssueClosed,
    IssueDeleted,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    PrefixChanged,
    ReconcileDue,
    RunDue,
    StimulusResult,
)
from tck_driver.vocabulary import Closing, MailboxRef, Phase, RunOutcome
from tck_simulator.naming import prefix_fault

from .house import ISSUE, MINUTE, REVIEW, TWIN, House

# --- ends ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "state"),
    [(Closing.MERGED, "done"), (Closing.UNASSIGNED, "cancelled"), (Closing.UNMERGED, "cancelled")],
)
def test_the_end_of_an_issue_removes_all_of_its_state_and_nothing_of_its_neighbour(
    engine: House, how: Closing, state: str
) -> None:
    for ref in (ISSUE, TWIN):
        engine.run(ref)
    engine.run(shape="hang")
    engine.engine.send(IssueClosed(ISSUE, how))
    assert engine.rows()[-1].outcome == "cancelled"
    assert engine.mailbox().state == state
    assert engine.session_folders() == ["org-web-issue-7"]
    assert engine.runtime.running() == []
    assert engine.worktrees() == []
    assert engine.run().error == "org/app#7 is closed"
    engine.run(TWIN)
    assert engine.rows(TWIN)[-1].resumed


def test_a_deleted_issue_is_orphaned_and_any_other_answer_ends_nothing(engine: House) -> None:
    for ref in (ISSUE, TWIN):
        engine.run(ref)
    engine.engine.send(IssueDeleted(ISSUE))
    assert engine.mailbox().state == "orphaned"
    for answer in ("500", "503", "401", "403", "429", "timeout"):
        engine.forge.tracker_answers(TWIN, answer)
        engine.engine.send(ReconcileDue())
        assert engine.mailbox(TWIN).open
    assert engine.session_folders() == ["org-web-issue-7"]


def test_a_reopened_issue_begins_anew(engine: House) -> None:
    engine.run()
    engine.engine.send(IssueClosed(ISSUE, Closing.MERGED))
    engine.engine.send(IssueRetitled(ISSUE, "Other title"))
    engine.engine.send(IssueReopened(ISSUE))
    engine.run()
    box = engine.mailbox()
    assert (box.generation, box.branch_name) == (2, "agent/issue-7-other-title")
    assert engine.told()[-1] == ("succeeded", False, "no_prior_session")
    assert engine.starts()[-1].asked_id is None


def test_a_removal_that_fails_is_on_record_and_tried_again_by_the_next_sweep(engine: House) -> None:
    engine.run()
    folder = engine.base / ".agent-sessions" / "org-app-issue-7"
    engine.remover.protect(folder)
    engine.engine.send(IssueClosed(ISSUE, Closing.MERGED))
    engine.engine.send(ReconcileDue())
    assert engine.session_folders() == ["org-app-issue-7"]
    assert {incident.kind for incident in engine.store.incidents()} == {"session_removal"}
    engine.remover.unprotect(folder)
    engine.engine.send(ReconcileDue())
    assert engine.session_folders() == []
    assert engine.mailbox().session_dir is None


def test_a_sweep_removes_what_belongs_to_no_open_mailbox(engine: House) -> None:
    engine.run()
    engine.run(TWIN, shape="hang")
    sessions, trees = engine.base / ".agent-sessions", engine.base / ".worktrees"
    (sessions / "nobody" / "codex").mkdir(parents=True)
    (sessions / "file").touch()
    (sessions / "link").symlink_to(engine.base)
    (trees / "org-app-issue-7-99").mkdir()
    engine.engine.send(ReconcileDue())
    assert engine.session_folders() == ["org-app-issue-7", "org-web-issue-7"]
    assert [path.name for path in engine.worktrees()] == ["org-web-issue-7-2"]
    assert engine.store.incidents() == []


def test_old_rows_go_and_the_next_run_begins_anew_in_a_directory_that_stays(engine: House) -> None:
    engine.run()
    engine.engine.advance(31 * 24 * 60 * MINUTE)
    engine.engine.send(ReconcileDue())
    assert engine.rows() == []
    assert engine.session_folders() == ["org-app-issue-7"]
    engine.run()
    assert engine.told() == [("succeeded", False, "no_prior_session")]
    assert engine.raw_rows()[0].id == 2


# --- crashes ---------------------------------------------------------------------------------------------------------


def test_after_a_crash_the_run_is_abandoned_once_its_lease_is_over_and_its_event_runs_again(engine: House) -> None:
    engine.run(shape="hang")
    engine.engine.kill()
    engine.engine.start()
    assert [row.outcome for row in engine.rows()] == ["live"]
    engine.engine.advance(MINUTE)
    assert engine.told() == [("abandoned", False, "no_prior_session"), ("succeeded", True, None)]
    assert engine.runtime.running() == []
    assert engine.worktrees() == []
    assert engine.mailbox().llm_retries == 0


def test_an_issue_that_ends_after_a_crash_leaves_nothing_behind(engine: House) -> None:
    engine.run(shape="hang")
    engine.engine.kill()
    engine.engine.start()
    engine.engine.send(IssueClosed(ISSUE, Closing.MERGED))
    assert [row.outcome for row in engine.rows()] == ["cancelled"]
    assert engine.runtime.running() == []
    assert engine.worktrees() == []
    assert engine.session_folders() == []
    assert engine.mailbox().lease_owner is None
    engine.engine.advance(10 * MINUTE)
    assert len(engine.rows()) == 1


def test_a_restarted_engine_goes_on_with_the_queue_and_the_sessions(engine: House) -> None:
    engine.run()
    engine.run(shape="server_error")
    engine.engine.kill()
    engine.engine.start()
    engine.engine.advance(MINUTE)
    assert engine.told()[-1] == ("succeeded", True, None)


# --- what the engine refuses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stimulus", "error"),
    [
        (RunDue(REVIEW, Phase.HUMAN_REVIEW), "org/app!7 is not known"),
        (RunDue(ISSUE, Phase.HUMAN_REVIEW), "org/app#7: human_review is no phase of a mailbox of this kind"),
        (
            PrefixChanged("org", "app", "a..b"),
            "BRANCH_PREFIX 'a..b' of org/app is refused: " + (prefix_fault("a..b") or ""),
        ),
    ],
)
def test_a_stimulus_that_makes_no_sense_is_refused_and_changes_nothing(
    engine: House, stimulus: RunDue | PrefixChanged, error: str
) -> None:
    before = engine.store.mailboxes(), engine.store.sessions()
    assert engine.engine.send(stimulus) == StimulusResult(error=error)
    assert (engine.store.mailboxes(), engine.store.sessions()) == before


def test_what_an_agent_writes_beside_its_sessions_is_gone_with_its_container(engine: House) -> None:
    planted = Write("/home/agent/.claude/settings.json", "{}")
    engine.run(shape=Script("ok", acts=(planted,)))
    left = [path.name for path in engine.base.rglob("*")]
    assert "settings.json" not in left


def test_a_run_of_a_project_that_nobody_configured_is_refused_and_the_engine_goes_on(engine: House) -> None:
    stranger = MailboxRef("org", "nowhere", "issue", 1)
    engine.engine.send(IssueOpened(stranger, "Unknown"))

    refused = engine.engine.send(RunDue(stranger, Phase.ANALYSIS))
    again = engine.engine.send(RunDue(ISSUE, Phase.ANALYSIS))

    assert "org/nowhere#1 cannot start" in str(refused.error)
    assert again.outcome is RunOutcome.SUCCEEDED
    (box,) = [box for box in engine.store.mailboxes() if box.ref == stranger]
    assert box.lease_owner is None


def test_the_engine_sweeps_at_its_start(engine: House) -> None:
    stray = engine.base / ".agent-sessions" / "org-app-issue-99"
    stray.mkdir(parents=True)

    engine.engine.kill()
    engine.engine.start()

    assert not stray.exists()


def test_the_engine_sweeps_by_itself_once_the_time_between_two_sweeps_is_over(engine: House) -> None:
    stray = engine.base / ".agent-sessions" / "org-app-issue-99"
    stray.mkdir(parents=True)

    engine.engine.advance(299_000)
    before = stray.exists()
    engine.engine.advance(1_000)

    assert before
    assert not stray.exists()
