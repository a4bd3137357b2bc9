"""The engine over the kit's fakes: what one stimulus after another leads to."""

from __future__ import annotations

import pytest

from tck_driver.bench import Script, Shape
from tck_driver.configuration import Binding
from tck_driver.stimuli import (
    BindingChanged,
    InstallationChanged,
    IssueBlocked,
    IssueRetitled,
    IssueRetry,
    LeaseExpired,
    MergeRequestEventSent,
    PrefixChanged,
    ReviewRequested,
    StimulusResult,
    WorkerWoken,
)
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, MergeRequestEvent, Phase, RunOutcome
from tck_driver.witness import CliAnswered, ContainerEnded, ModelCalled, VersionAsked
from tck_simulator.ports import ModelAnswer

from .house import ISSUE, MINUTE, REVIEW, TWIN, House

SESSIONS = (AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE, AdapterId.COPILOT)
NAME = "agent/issue-7-add-a-page"


# --- first and second runs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("adapter", SESSIONS)
def test_the_first_run_is_fresh_and_the_second_resumes_its_session(house: House, adapter: AdapterId) -> None:
    house.open(adapter)
    house.opened(ISSUE)
    assert house.run(phase=Phase.ANALYSIS) == StimulusResult("1", RunOutcome.SUCCEEDED)
    assert house.run(phase=Phase.DEVELOPMENT) == StimulusResult("2", RunOutcome.SUCCEEDED)
    first, second = house.rows()
    assert house.told() == [("succeeded", False, "no_prior_session"), ("succeeded", True, None)]
    assert first.native_session_id == second.native_session_id is not None
    assert [start.asked_id for start in house.starts()] == [None, first.native_session_id]
    assert {row.session_name for row in house.rows()} == {NAME}
    assert len(house.witness.of(CliAnswered)[-1].remembered) >= 1


def test_every_phase_of_an_issue_resumes(engine: House) -> None:
    for phase in ISSUE_PHASES:
        engine.run(phase=phase)
    assert [row.resumed for row in engine.rows()] == [False, True, True, True, True, True]
    assert len({row.native_session_id for row in engine.rows()}) == 1


def test_the_name_is_stored_before_the_first_cli_starts_and_pushed_from_development_on(engine: House) -> None:
    engine.run(phase=Phase.ANALYSIS, shape="hang")
    assert engine.mailbox().branch_name == NAME
    engine.runtime.release()
    engine.engine.quiesce(0)
    assert engine.wrote("branch") == []
    engine.engine.send(IssueRetitled(ISSUE, "Something else"))
    engine.engine.send(PrefixChanged("org", "app", "other-"))
    engine.run(phase=Phase.DEVELOPMENT)
    assert engine.wrote("branch") == [NAME]
    assert engine.mailbox().branch_name == NAME


def test_an_event_of_the_agents_merge_request_runs_in_its_issue(engine: House) -> None:
    engine.run()
    sent = engine.engine.send(MergeRequestEventSent("org", "app", 1001, MergeRequestEvent.CI_FAILED))
    assert sent.outcome is RunOutcome.SUCCEEDED
    assert engine.rows()[-1].phase == "ci_fix"
    assert engine.rows()[-1].resumed
    assert engine.mailbox().fix_attempts == 1
    assert engine.engine.send(MergeRequestEventSent("org", "app", 9, MergeRequestEvent.REVIEW)) == StimulusResult()


def test_a_merge_request_of_a_human_has_no_session_and_no_name(engine: House) -> None:
    engine.engine.send(ReviewRequested(REVIEW, "Mine"))
    engine.run(REVIEW, Phase.HUMAN_REVIEW)
    engine.engine.send(MergeRequestEventSent("org", "app", REVIEW.iid, MergeRequestEvent.REVIEW))
    assert [(row.session_name, row.native_session_id, row.resumed) for row in engine.rows(REVIEW)] == [
        (None, None, False)
    ] * 2
    assert engine.mailbox(REVIEW).branch_name is None
    assert engine.session_folders() == []


def test_api_mode_calls_the_provider_and_nothing_else(house: House) -> None:
    house.open(AdapterId.API)
    house.opened(ISSUE)
    house.run(phase=Phase.ANALYSIS)
    house.models.answers(ModelAnswer(ok=False, text=""))
    house.run(phase=Phase.ANALYSIS)
    assert house.told() == [("succeeded", False, None), ("failed", False, None)]
    assert len(house.witness.of(ModelCalled)) == 2
    assert house.containers() == []
    assert house.session_folders() == []


def test_a_run_with_another_adapter_has_a_session_of_its_own_and_both_are_resumed(engine: House) -> None:
    for adapter in (AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.CLAUDE_CODE, AdapterId.CODEX):
        engine.engine.send(BindingChanged("org", "app", Binding(adapter)))
        engine.run()
    assert engine.told() == [
        ("succeeded", False, "no_prior_session"),
        ("succeeded", False, "adapter_changed"),
        ("succeeded", True, None),
        ("succeeded", True, None),
    ]
    ids = [row.native_session_id for row in engine.rows()]
    assert ids[:2] == ids[2:]


def test_two_issues_never_see_each_others_state(engine: House) -> None:
    for ref in (ISSUE, TWIN, ISSUE, TWIN):
        engine.run(ref)
    assert engine.session_folders() == ["org-app-issue-7", "org-web-issue-7"]
    for start in engine.containers():
        (mount,) = [mount for mount in start.mounts if ".agent-sessions" in mount.source]
        box = engine.mailbox(ISSUE if "app" in mount.source else TWIN)
        assert ("mailbox", str(box.id)) in start.labels


def test_a_setting_that_is_off_leaves_state_alone_and_on_again_resumes(engine: House) -> None:
    engine.run()
    assert engine.set("AGENT_SESSION_RESUME", "false", "app") == StimulusResult()
    engine.run()
    assert engine.set("AGENT_SESSION_RESUME", "off", "app").error is not None
    assert engine.set("AGENT_SESSION_RESUME", None, "app") == StimulusResult()
    engine.run()
    assert engine.told() == [
        ("succeeded", False, "no_prior_session"),
        ("succeeded", False, None),
        ("succeeded", True, None),
    ]
    assert engine.rows()[1].session_name is None
    sources = [[mount.source for mount in start.mounts] for start in engine.containers()]
    assert [any(".agent-sessions" in source for source in one) for one in sources] == [True, False, True]


# --- one writer ------------------------------------------------------------------------------------------------------


def test_a_second_event_waits_until_the_first_run_has_ended(engine: House) -> None:
    first = engine.run(shape=Script("ok", duration_ms=MINUTE))
    second = engine.run(phase=Phase.ANSWER)
    other = engine.run(TWIN)
    assert first == StimulusResult("1", RunOutcome.LIVE)
    assert second == StimulusResult(None, RunOutcome.QUEUED)
    assert other.outcome is RunOutcome.SUCCEEDED
    engine.engine.advance(MINUTE)
    assert [row.phase for row in engine.rows()] == ["development", "answer"]
    assert engine.rows()[1].resumed


def test_a_late_worker_changes_nothing(engine: House) -> None:
    engine.run(shape="hang")
    engine.engine.send(LeaseExpired(ISSUE))
    assert [row.outcome for row in engine.rows()] == ["abandoned", "succeeded"]
    assert engine.rows()[1].resumed  # by the id that was named before
    before, wrote = engine.raw_rows(), engine.witness.mark()
    engine.runtime.release()
    assert engine.engine.send(WorkerWoken(ISSUE)) == StimulusResult()
    assert engine.raw_rows() == before
    assert engine.witness.mark() == wrote
    assert engine.worktrees() == []


# --- refusals and failures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("adapter", SESSIONS)
@pytest.mark.parametrize("shape", ["refuse", "damaged"])
def test_a_refused_resume_is_started_afresh_once_and_the_new_session_goes_on(
    house: House, adapter: AdapterId, shape: Shape
) -> None:
    house.open(adapter)
    house.opened(ISSUE)
    house.run()
    before = house.mailbox()
    wrote = len(house.wrote("comment"))
    house.script(shape)
    house.run(phase=Phase.CI_FIX)
    house.run(phase=Phase.CI_FIX)
    assert house.told()[1:] == [("succeeded", False, "refused"), ("succeeded", True, None)]
    assert len(house.starts()) == 4
    old, new = house.rows()[0].native_session_id, house.rows()[1].native_session_id
    assert [start.asked_id for start in house.starts()] == [None, old, None, new]
    assert old != new
    assert house.mailbox().llm_retries == before.llm_retries == 0
    assert len(house.wrote("comment")) == wrote


def test_the_first_container_is_gone_before_the_second_one_starts(engine: House) -> None:
    engine.run()
    engine.run(shape="refuse")
    first, second = engine.containers()[1:]
    removed = next(
        end for end in engine.witness.of(ContainerEnded) if end.container == first.container and end.how == "removed"
    )
    assert engine.witness.records.index(removed) < engine.witness.records.index(second)
    assert not {"--resume", old_id(engine)} & set(" ".join(second.argv).replace("=", " ").split())


def old_id(house: House) -> str:
    found = house.rows()[0].native_session_id
    assert found is not None
    return found


def test_a_second_leg_gets_what_is_left_of_the_time(engine: House) -> None:
    engine.run()
    engine.script(Script("refuse", duration_ms=29 * MINUTE), Script("hang"))
    engine.run()
    engine.engine.advance(29 * MINUTE)
    assert engine.told()[1] == ("live", False, "refused")
    engine.engine.advance(MINUTE)
    assert engine.told()[1] == ("timed_out", False, "refused")


def test_a_fresh_leg_that_fails_has_its_own_outcome_and_counts_as_one_retry(engine: House) -> None:
    engine.run()
    engine.script("refuse", "server_error")
    engine.run()
    assert engine.told()[1] == ("failed", False, "refused")
    assert engine.mailbox().llm_retries == 1


def test_failures_are_tried_again_with_doubled_pauses_then_block_and_a_human_lets_it_go_on(engine: House) -> None:
    engine.run()
    engine.script("rate_limited", "rate_limited", "rate_limited", "rate_limited")
    engine.run(phase=Phase.REVIEW_FIX)
    for pause, retries in ((60, 1), (120, 2), (240, 3)):
        assert engine.mailbox().llm_retries == retries
        engine.engine.advance(pause * 1000 - 1)
        runs = len(engine.rows())
        engine.engine.advance(1)
        assert len(engine.rows()) == runs + 1
    blocked = engine.mailbox()
    assert (blocked.state, blocked.blocked_from, blocked.llm_retries) == ("blocked", "in_review", 3)
    # The third failure on one id is the last: the fourth try was fresh (FALLBACK-20).
    assert [row.resume_fallback for row in engine.rows()] == ["no_prior_session", None, None, None, "refused"]
    engine.engine.advance(24 * 60 * MINUTE)
    assert engine.run(phase=Phase.ANSWER).outcome is RunOutcome.QUEUED
    again = engine.engine.send(IssueRetry(ISSUE))
    assert again.outcome is RunOutcome.SUCCEEDED
    assert engine.rows()[-1].resumed or engine.rows()[-2].resumed
    assert engine.mailbox().llm_retries == 0
    assert engine.mailbox().state == "in_review"
    assert engine.forge.labels[ISSUE] == {"status::in_review"}


def test_an_issue_that_is_blocked_twice_returns_to_where_it_was_blocked_first(engine: House) -> None:
    engine.run()
    for _ in range(2):
        engine.engine.send(IssueBlocked(ISSUE))
    engine.engine.send(IssueRetry(ISSUE))
    assert engine.mailbox().state == "in_ci"
    assert [row.phase for row in engine.rows()] == ["development", "development"]


def test_an_issue_that_is_not_blocked_cannot_be_retried(engine: House) -> None:
    assert engine.engine.send(IssueRetry(ISSUE)).error == "org/app#7 is not blocked"


@pytest.mark.parametrize("shape", ["other_id", "no_id", "two_ids"])
def test_a_success_without_confirmation_is_a_fallback_and_is_not_repeated(house: House, shape: Shape) -> None:
    house.open(AdapterId.CODEX)  # which declares no rotation
    house.opened(ISSUE)
    house.run()
    house.run(shape=shape)
    assert house.told()[1] == ("succeeded", False, "refused")
    assert len(house.starts()) == 2
    new = house.rows()[1].native_session_id
    assert (new is not None) is (shape == "other_id")
    house.run()
    assert house.starts()[-1].asked_id == (new or old_id(house))


def test_a_rotated_id_is_asked_for_next(engine: House) -> None:
    engine.run()
    engine.run(shape="rotate")
    first, second = engine.rows()
    assert second.resumed
    assert second.native_session_id not in (None, first.native_session_id)
    engine.run()
    assert engine.starts()[-1].asked_id == second.native_session_id


def test_while_a_resume_runs_no_id_is_stored_but_the_one_that_was_asked_for(engine: House) -> None:
    engine.run()
    engine.run(shape="hang_early")
    (container,) = engine.runtime.running()
    said = engine.runtime._containers[container].log
    other = "6bb83803-0e89-4a15-a460-2928817ba68f"
    # This would confirm a rotation in the end.
    said.append((False, f'{{"type": "assistant", "session_id": "{other}"}}\n'))
    engine.engine.quiesce(0)
    assert engine.rows()[1].native_session_id is None
    said[:] = [(False, f'{{"type": "system", "session_id": "{old_id(engine)}"}}\n')]
    engine.engine.quiesce(0)
    assert engine.rows()[1].native_session_id == old_id(engine)


def test_a_run_that_saved_nothing_has_no_id(engine: House) -> None:
    engine.run(shape="unsaved")
    assert engine.rows()[0].native_session_id is None
    engine.run()
    assert engine.told() == [("succeeded", False, "no_prior_session")] * 2


def test_a_malformed_id_is_stored_nowhere(engine: House) -> None:
    engine.run(shape=Script("odd_id", reported_id="--help"))
    assert engine.rows()[0].native_session_id is None
    engine.run()
    assert engine.starts()[-1].asked_id is None


def test_a_time_out_stops_the_container_and_keeps_the_id(engine: House) -> None:
    engine.run(shape="hang")
    named = engine.rows()[0].native_session_id
    assert named is not None
    engine.engine.advance(30 * MINUTE)
    assert engine.rows()[0].outcome == "timed_out"
    assert engine.runtime.running() == []
    engine.engine.advance(MINUTE)
    assert engine.rows()[1].native_session_id == named
    assert engine.rows()[1].resumed


def test_a_changed_image_is_looked_at_before_the_next_run_and_an_older_version_does_not_resume(engine: House) -> None:
    engine.run()
    engine.runtime.set_version(AdapterId.CLAUDE_CODE, "1.0.124", "plain")
    engine.engine.send(InstallationChanged(AdapterId.CLAUDE_CODE, "runner-claude-code:0"))
    engine.run()
    assert engine.told()[1] == ("succeeded", False, "unsupported_version")
    asked = [record for record in engine.witness.of(VersionAsked) if record.image == "runner-claude-code:0"]
    assert len(asked) == 1
