"""The tables of states, held against the tables of §7.2 and §11.1."""

from __future__ import annotations

from tck_driver.vocabulary import ISSUE_PHASES, Closing, MergeRequestEvent, Phase
from tck_simulator.prompt import READ_ONLY_PHASES, full_prompt
from tck_simulator.states import CLOSED, FIXING, LABELLED, PHASE_OF_EVENT, PUSHING, RUNNING, SUCCEEDED, IssueState

from .house import ISSUE, REVIEW


def test_every_state_but_cancelled_and_orphaned_is_shown_as_a_label() -> None:
    assert set(IssueState) - LABELLED == {IssueState.CANCELLED, IssueState.ORPHANED}


def test_a_phase_runs_in_the_state_that_the_table_gives_it() -> None:
    assert {str(phase): str(state) for phase, state in RUNNING.items()} == {
        "development": "in_development",
        "ci_fix": "in_ci",
        "review_fix": "in_review",
        "conflict_resolution": "in_review",
    }


def test_success_leads_on_as_rows_4_5_and_7_say() -> None:
    assert {(str(phase), str(state)): str(to) for (phase, state), to in SUCCEEDED.items()} == {
        ("analysis", "functional_analysis"): "technical_analysis",
        ("analysis", "technical_analysis"): "waiting_validation",
        ("development", "in_development"): "in_ci",
    }


def test_a_merge_means_done_and_any_other_end_cancelled() -> None:
    assert {how: str(CLOSED[how]) for how in Closing} == {
        Closing.MERGED: "done",
        Closing.UNASSIGNED: "cancelled",
        Closing.UNMERGED: "cancelled",
    }


def test_every_event_of_a_merge_request_asks_for_a_phase_of_its_issue() -> None:
    assert set(PHASE_OF_EVENT) == set(MergeRequestEvent)
    assert set(PHASE_OF_EVENT.values()) <= set(ISSUE_PHASES)
    assert PHASE_OF_EVENT[MergeRequestEvent.CI_FAILED] is Phase.CI_FIX


def test_phases_push_exactly_where_they_may_write_and_fix_attempts_counts_three_of_them() -> None:
    assert frozenset(Phase) - READ_ONLY_PHASES == PUSHING
    assert frozenset({Phase.CI_FIX, Phase.REVIEW_FIX, Phase.CONFLICT_RESOLUTION}) == FIXING


def test_a_prompt_names_its_subject_its_phase_and_its_branch_where_it_writes() -> None:
    for phase in ISSUE_PHASES:
        text = full_prompt(ISSUE, "Add a page", phase, "agent/issue-7-add-a-page")
        assert "issue 7 of org/app" in text
        assert "Issue: Add a page" in text
        assert f"Phase: {phase}" in text
        assert ("Branch: agent/issue-7-add-a-page" in text) is (phase in PUSHING)
    assert "merge request 7 of org/app" in full_prompt(REVIEW, "Mine", Phase.HUMAN_REVIEW, None)
    assert len({full_prompt(ISSUE, "t", phase, "b") for phase in ISSUE_PHASES}) == len(ISSUE_PHASES)
