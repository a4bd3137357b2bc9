"""Courses that an engine of turns plays, under the policy of each profile, and what the CLIs saw of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tck_driver.bench import Shape
from tck_driver.courses import (
    NewSession,
    OtherProvider,
    Restart,
    SessionRemoved,
    Switch,
    TakingUp,
    Unadvertised,
)
from tck_driver.vocabulary import AdapterId
from tck_simulator.turns.kinds import KINDS, Kind

from .turns import show, turn

CONTINUITY, REUSE, REDELEGATION = KINDS.values()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_turn_after_turn_goes_on_in_one_session(tmp_path: Path, kind: Kind) -> None:
    shown = show(tmp_path, kind, turn(), turn(), Restart(), turn())

    assert shown.asked() == [None, 0, 0]
    assert [come.outcome for come in shown.played.acts] == ["done"] * 4


def test_only_the_policy_delta_shortens_the_prompt_of_a_resume(tmp_path: Path) -> None:
    for kind in (CONTINUITY, REUSE):
        (tmp_path / kind.name).mkdir()
    whole = show(tmp_path / "continuity", CONTINUITY, turn(), turn())
    short = show(tmp_path / "reuse", REUSE, turn(), turn())

    assert [[one.full for one in shown.seen] for shown in (whole, short)] == [[True, True], [True, False]]


# Reuse


@pytest.mark.parametrize("shape", ["server_error", "killed", "no_output", "no_id", "two_ids"])
def test_a_continuation_is_made_by_a_turn_that_went_well_under_one_id(tmp_path: Path, shape: Shape) -> None:
    assert show(tmp_path, REUSE, turn(shape), turn(), turn()).asked() == [None, None, 1]


@pytest.mark.parametrize("shape", ["server_error", "refuse", "other_id", "no_id", "two_ids"])
def test_a_resumed_turn_that_failed_is_followed_by_a_fresh_one_with_everything(tmp_path: Path, shape: Shape) -> None:
    shown = show(tmp_path, REUSE, turn(), turn(shape), turn())

    assert shown.asked() == [None, 0, None]
    assert [one.full for one in shown.seen] == [True, False, True]
    assert [come.outcome for come in shown.played.acts] == ["done", "failed", "done"]


def test_neither_a_failed_hook_nor_a_wrong_answer_leaves_a_continuation(tmp_path: Path) -> None:
    shown = show(tmp_path, REUSE, turn(hook_fails=True), turn(invalid=True), turn(), turn(hook_fails=True), turn())

    assert shown.asked() == [None, None, None, 2, None]
    assert [come.outcome for come in shown.played.acts] == ["failed", "failed", "done", "failed", "done"]


def test_a_turn_in_which_the_engine_died_is_begun_afresh_and_another_agent_goes_on(tmp_path: Path) -> None:
    other = turn(scope="two")
    shown = show(tmp_path, REUSE, turn(), other, turn(killed=True), other)

    assert [(one.scope, asked) for one, asked in zip(shown.seen, shown.asked(), strict=True)] == [
        ("one", None),
        ("two", None),
        ("one", 0),
        ("one", None),
        ("two", 1),
    ]


def test_a_continuation_holds_for_the_very_next_turn_alone(tmp_path: Path) -> None:
    there_and_back = (OtherProvider("one"), turn(), OtherProvider("one"), turn(), turn())
    shown = show(tmp_path, REUSE, turn(), *there_and_back)

    assert shown.asked() == [None, None, None, 2]
    assert [one.adapter for one in shown.seen][:3] == [AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.CLAUDE_CODE]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_the_help_does_not_offer_is_not_asked_for(tmp_path: Path, kind: Kind) -> None:
    shown = show(tmp_path, kind, turn(), turn(), Unadvertised(), turn(), turn())

    assert shown.asked() == [None, 0, None, None]
    assert [one.full for one in shown.seen][2:] == [True, True]


# Continuity


def test_a_lost_session_is_got_over_in_the_same_turn(tmp_path: Path) -> None:
    shown = show(tmp_path, CONTINUITY, turn("unsaved"), turn(), turn())

    assert shown.asked() == [None, 0, None, 2]
    assert [come.outcome for come in shown.played.acts] == ["done"] * 3


def test_a_fork_is_adopted(tmp_path: Path) -> None:
    assert show(tmp_path, CONTINUITY, turn(), turn("other_id"), turn()).asked() == [None, 0, 1]


def test_a_failed_turn_leaves_what_was_kept_before(tmp_path: Path) -> None:
    assert show(tmp_path, CONTINUITY, turn(), turn("server_error"), turn()).asked() == [None, 0, 0]


def test_nothing_is_kept_of_turns_for_which_resuming_is_off(tmp_path: Path) -> None:
    shown = show(tmp_path, CONTINUITY, turn(), Switch(on=False), turn(), turn(), Switch(on=True), turn())

    assert shown.asked() == [None, None, None, 0]


# Redelegation


def test_a_new_session_is_cold_unless_taking_up_is_on(tmp_path: Path) -> None:
    new = NewSession("one")
    shown = show(tmp_path, REDELEGATION, turn(), new, turn(), turn(), TakingUp(on=True), new, turn())

    assert shown.asked() == [None, None, 1, 1]


def test_the_record_outlives_session_and_engine_and_holds_what_was_reported_last(tmp_path: Path) -> None:
    end = (SessionRemoved("one"), Restart(), NewSession("one"))
    shown = show(tmp_path, REDELEGATION, TakingUp(on=True), turn(), turn("other_id_fails"), *end, turn())

    assert shown.asked() == [None, 0, 1]


def test_the_living_come_before_the_record(tmp_path: Path) -> None:
    new = NewSession("one")
    shown = show(
        tmp_path, REDELEGATION, turn(), new, turn(), SessionRemoved("one"), TakingUp(on=True), new, turn(), turn()
    )

    assert shown.asked() == [None, None, 0, 0]


def test_a_session_that_is_not_found_is_followed_by_one_cold_start_with_everything(tmp_path: Path) -> None:
    shown = show(tmp_path, REDELEGATION, TakingUp(on=True), turn("unsaved"), NewSession("one"), turn())

    assert shown.asked() == [None, 0, None]
    assert [one.full for one in shown.seen] == [True, False, True]
    assert shown.played.acts[-1].outcome == "done"


@pytest.mark.parametrize("shape", ["server_error", "rate_limited", "not_found_text", "no_output", "killed"])
def test_no_other_failure_leads_to_a_cold_start(tmp_path: Path, shape: Shape) -> None:
    shown = show(tmp_path, REDELEGATION, TakingUp(on=True), turn(), NewSession("one"), turn(shape), turn())

    assert shown.asked() == [None, 0, 0]
    assert shown.played.acts[-2].outcome == "failed"
    assert shown.played.visible == shown.played.acts[-2].visible != ""


def test_nothing_of_one_issue_is_taken_up_by_another(tmp_path: Path) -> None:
    shown = show(
        tmp_path, REDELEGATION, TakingUp(on=True), turn(), turn(scope="two"), NewSession("two"), turn(scope="two")
    )

    assert shown.asked() == [None, None, 1]
