"""How a leg is judged: every row of the table of §16.5.4, and the rule that only a confirmed resume counts."""

# ruff: noqa: FBT001 -- pytest and hypothesis hand parameters over by name

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_simulator.adapters.base import UUID_PATTERN, Reading
from tck_simulator.outcomes import Judgement, Verdict, back_off_seconds, judge

from .laws import law

A = "a0be0c93-d022-4b61-b67b-44eb3d0ed457"
B = "6bb83803-0e89-4a15-a460-2928817ba68f"
C = "d1944779-b94b-4121-b846-28a027a53d6b"
MALFORMED = ("", "--help", "../../etc/passwd", A.upper(), A[:-1], f"{A} ", f"{A}\n", f" {A}", A.replace("-", ""), "x")

DONE, FAILED, REFUSED = Verdict.DONE, Verdict.FAILED, Verdict.REFUSED


def read(*reported: str, ok: bool = False, turn: bool = False, refuses: bool = False) -> Reading:
    return Reading(ok=ok, reported=reported, turn=turn or ok, cannot_resume=refuses, text="text" if ok else "")


def judged(reading: Reading, asked: str | None = A, *, rotates: bool = False) -> Judgement:
    return judge(reading, asked, UUID_PATTERN, rotates=rotates)


@pytest.mark.parametrize(
    ("row", "reading", "rotates", "judgement"),
    [
        (1, read(refuses=True), False, Judgement(REFUSED, None, resumed=False)),
        (1, read(B, refuses=True), True, Judgement(REFUSED, None, resumed=False)),  # a decoy: FALLBACK-17
        (1, read(B, C, refuses=True), False, Judgement(REFUSED, None, resumed=False)),
        (2, read(A, ok=True), False, Judgement(DONE, A, resumed=True)),
        (2, read(A), False, Judgement(FAILED, A, resumed=True)),
        (2, read(A, turn=True), True, Judgement(FAILED, A, resumed=True)),
        (2, read(A, refuses=True), False, Judgement(FAILED, A, resumed=True)),  # confirmed, whatever it says besides
        (3, read(B, ok=True), True, Judgement(DONE, B, resumed=True)),
        (3, read(B, turn=True), True, Judgement(FAILED, B, resumed=True)),
        (4, read(B, ok=True), False, Judgement(DONE, B, resumed=False, went_fresh=True)),
        (5, read(ok=True), False, Judgement(DONE, None, resumed=False, went_fresh=True)),
        (5, read(A, B, ok=True), True, Judgement(DONE, None, resumed=False, went_fresh=True)),
        (5, read(B, C, ok=True), True, Judgement(DONE, None, resumed=False, went_fresh=True)),
        (6, read(), False, Judgement(FAILED, None, resumed=False)),
        (6, read(B), True, Judgement(FAILED, None, resumed=False)),  # no model turn
        (6, read(B, turn=True), False, Judgement(FAILED, None, resumed=False)),
        (6, read(A, B), True, Judgement(FAILED, None, resumed=False)),
        (6, read(A, B, refuses=True), False, Judgement(FAILED, None, resumed=False)),  # A is among them
        (6, read(turn=True, refuses=True), False, Judgement(FAILED, None, resumed=False)),  # a model turn ran
    ],
)
def test_the_table_judges_a_leg_that_was_to_resume(
    row: int,
    reading: Reading,
    rotates: bool,
    judgement: Judgement,
) -> None:
    assert judged(reading, rotates=rotates) == judgement, f"row {row} of §16.5.4"


@pytest.mark.parametrize(
    ("reading", "judgement"),
    [
        (read(B, ok=True), Judgement(DONE, B, resumed=False)),
        (read(B), Judgement(FAILED, B, resumed=False)),  # RESUME-15: named before it failed
        (read(ok=True), Judgement(DONE, None, resumed=False)),
        (read(B, C, ok=True), Judgement(DONE, None, resumed=False)),
        (read(refuses=True), Judgement(FAILED, None, resumed=False)),  # there was nothing to refuse: FALLBACK-16
    ],
)
def test_a_fresh_leg_has_the_one_id_that_it_reported(reading: Reading, judgement: Judgement) -> None:
    assert judged(reading, None) == judgement
    assert judged(reading, None, rotates=True) == judgement


@pytest.mark.parametrize("odd", MALFORMED)
def test_an_id_without_the_adapters_form_is_no_id(odd: str) -> None:
    assert judged(read(odd, ok=True)) == judged(read(ok=True))
    assert judged(read(odd, A, ok=True)) == judged(read(A, ok=True))
    assert judged(read(odd, ok=True), None) == Judgement(DONE, None, resumed=False)
    assert judged(read(odd, refuses=True)).verdict is REFUSED


READINGS = st.builds(
    Reading,
    ok=st.booleans(),
    reported=st.lists(st.sampled_from([A, B, C, *MALFORMED]), unique=True, max_size=4).map(tuple),
    turn=st.booleans(),
    cannot_resume=st.booleans(),
    text=st.just(""),
)


@law
@given(READINGS, st.sampled_from([None, A]), st.booleans())
def test_resumed_means_that_the_cli_confirmed_it(reading: Reading, asked: str | None, rotates: bool) -> None:
    judgement = judged(reading, asked, rotates=rotates)
    ids = [native_id for native_id in reading.reported if UUID_PATTERN.fullmatch(native_id)]
    by_rule = asked is not None and (ids == [asked] or (rotates and reading.turn and len(ids) == 1))
    assert judgement.resumed is by_rule


@law
@given(READINGS, st.sampled_from([None, A]), st.booleans())
def test_a_stored_id_is_the_only_well_formed_one_reported(reading: Reading, asked: str | None, rotates: bool) -> None:
    judgement = judged(reading, asked, rotates=rotates)
    if judgement.native_id is not None:
        assert [judgement.native_id] == [one for one in reading.reported if UUID_PATTERN.fullmatch(one)]


@law
@given(READINGS, st.sampled_from([None, A]), st.booleans())
def test_a_refusal_needs_a_question_a_shape_and_no_model_turn(
    reading: Reading,
    asked: str | None,
    rotates: bool,
) -> None:
    judgement = judged(reading, asked, rotates=rotates)
    refused = asked is not None and asked not in reading.reported and not reading.turn and reading.cannot_resume
    assert (judgement.verdict is REFUSED) is refused
    if not refused:
        assert judgement.verdict is (DONE if reading.ok else FAILED)


@law
@given(READINGS, st.booleans())
def test_a_success_that_was_to_resume_is_either_resumed_or_went_fresh(reading: Reading, rotates: bool) -> None:
    judgement = judged(reading, rotates=rotates)
    if judgement.verdict is DONE:
        assert judgement.resumed is not judgement.went_fresh


@pytest.mark.parametrize(("retries", "seconds"), [(1, 60), (2, 120), (3, 240), (4, 480)])
def test_each_retry_waits_twice_as_long_as_the_one_before(retries: int, seconds: int) -> None:
    assert back_off_seconds(60, retries) == seconds
    assert back_off_seconds(0, retries) == 0
