"""What each shape of a stand-in comes to: refusals, reported ids, and ids named early."""

from __future__ import annotations

import pytest

from tck_driver.bench import Script, Shape
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted
from tck_features.model.shapes import names_early, refuses, reported

A = "68f2e256-2044-419c-8be0-534e723d556e"
B = "0d1c1c53-8f6b-4f7c-9b1e-1d2b3c4d5e6f"
CLAUDE, CODEX, OPENCODE, COPILOT = AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE, AdapterId.COPILOT


def answer(
    adapter: AdapterId,
    shape: str,
    *ids: str,
    session: str | None = None,
    saved: bool = False,
    exit_code: int = 1,
) -> CliAnswered:
    return CliAnswered("c", adapter, shape, session, (), ids, saved, exit_code)


@pytest.mark.parametrize(
    ("seen", "refused"),
    [
        (answer(CLAUDE, "refuse", A), True),
        (answer(CLAUDE, "refuse_exit_zero", A, exit_code=0), True),
        (answer(OPENCODE, "refuse_silent", exit_code=0), True),
        (answer(AdapterId.GROK_BUILD, "refuse"), False),
        (answer(CODEX, "damaged"), True),
        (answer(CODEX, "usage_error", exit_code=2), False),
        (answer(COPILOT, "no_output"), False),
        (answer(CODEX, "generic_error"), False),
        (answer(CODEX, "killed_early", exit_code=137), False),
        (answer(CODEX, "rate_limited", A, session=A, saved=True), False),
        (answer(CODEX, "ok"), True),
        (answer(CODEX, "rate_limited"), True),
        (answer(CODEX, "ok", exit_code=137), False),
        (answer(CODEX, "ok", A, session=A, saved=True, exit_code=0), False),
        (answer(OPENCODE, "other_id", session=B), True),
        (answer(OPENCODE, "unauthorized", A, session=A, saved=True), False),
    ],
)
def test_a_refusal_is_told_from_a_failure(seen: CliAnswered, refused: bool) -> None:  # noqa: FBT001 -- a right value
    assert refuses(seen, A, silent=False) is refused


def test_a_start_that_asked_for_nothing_cannot_be_refused() -> None:
    assert not refuses(answer(CLAUDE, "refuse"), None, silent=False)


def test_a_session_that_makes_its_cli_end_without_a_word_is_not_refused() -> None:
    assert not refuses(answer(COPILOT, "ok"), A, silent=True)


def test_the_event_that_announces_a_refusal_reports_no_id() -> None:
    assert reported(answer(CLAUDE, "refuse", A), A, refused=True) == ()
    assert reported(answer(CLAUDE, "refuse_decoy", B), A, refused=True) == (B,)
    assert reported(answer(CLAUDE, "ok", A), A, refused=False) == (A,)


def test_what_is_no_id_was_not_reported() -> None:
    assert reported(answer(CODEX, "odd_id", "--help"), A, refused=False) == ()
    assert reported(answer(CODEX, "odd_id", A.upper()), A, refused=False) == ()
    assert reported(answer(OPENCODE, "odd_id", A), A, refused=False) == ()


@pytest.mark.parametrize(
    ("adapter", "shape", "duration", "asked", "early"),
    [
        (CLAUDE, "ok", 1000, None, True),
        (CODEX, "hang", 0, None, True),
        (CODEX, "hang", 0, A, True),
        (CODEX, "ok", 1000, A, None),
        (CODEX, "no_id", 1000, None, False),
        (CODEX, "hang_early", 0, None, False),
        (OPENCODE, "ok", 1000, None, False),
        (OPENCODE, "hang", 0, None, True),
        (COPILOT, "hang", 0, None, False),
        (CLAUDE, "refuse", 1000, None, True),
        (CLAUDE, "id_in_use", 1000, None, False),
        (CLAUDE, "id_in_use", 1000, A, None),
    ],
)
def test_a_cli_at_work_has_named_its_session_or_not(
    adapter: AdapterId,
    shape: Shape,
    duration: int,
    asked: str | None,
    early: bool | None,  # noqa: FBT001 -- a right value
) -> None:
    chosen = None if asked is not None or adapter in {CODEX, OPENCODE} else B
    cli = CliStarted(
        "c", adapter, (), (), "/workspace", "Do it.", asked, chosen, None, asked_loosely=False, usage_error=None
    )
    assert names_early(cli, Script(shape, duration)) is early


def test_an_id_that_nobody_chose_is_not_in_use() -> None:
    cli = CliStarted(
        "c", CLAUDE, (), (), "/workspace", "Do it.", None, None, None, asked_loosely=False, usage_error=None
    )
    assert names_early(cli, Script("id_in_use", 1000)) is True
