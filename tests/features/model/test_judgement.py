"""The table of §16.5.4: what was seen of a leg, and what is on record after it."""

from __future__ import annotations

import pytest

from tck_driver.vocabulary import FallbackReason, RunOutcome
from tck_features.model.judgement import LegSeen, Verdict, judge

REFUSED = FallbackReason.REFUSED
SUCCEEDED, FAILED = RunOutcome.SUCCEEDED, RunOutcome.FAILED
NOT_DONE = (FAILED, RunOutcome.TIMED_OUT, RunOutcome.CANCELLED, RunOutcome.ABANDONED)


def leg(
    *reported: str,
    asked: str | None = "A",
    end: RunOutcome = SUCCEEDED,
    turn: bool = True,
    refused: bool = False,
    rotates: bool = False,
) -> LegSeen:
    return LegSeen(asked, reported, turn, refused, rotates, end)


@pytest.mark.parametrize(
    ("seen", "due"),
    [
        (leg(turn=False, refused=True, end=FAILED), Verdict(1, reason=REFUSED, again=True)),
        (leg(turn=False, refused=True), Verdict(1, reason=REFUSED, again=True)),
        (leg("B", turn=False, refused=True, end=FAILED), Verdict(1, reason=REFUSED, again=True)),
        (leg("A"), Verdict(2, resumed=True, native_id="A")),
        (leg("A", end=FAILED), Verdict(2, resumed=True, native_id="A")),
        (leg("A", turn=False, refused=True, end=FAILED), Verdict(2, resumed=True, native_id="A")),
        (leg("B", rotates=True), Verdict(3, resumed=True, native_id="B")),
        (leg("B", rotates=True, end=RunOutcome.TIMED_OUT), Verdict(3, resumed=True, native_id="B")),
        (leg("B"), Verdict(4, native_id="B", reason=REFUSED)),
        (leg("B", rotates=True, turn=False), Verdict(4, native_id="B", reason=REFUSED)),
        (leg(), Verdict(5, reason=REFUSED)),
        (leg("A", "B"), Verdict(5, reason=REFUSED)),
        *((leg("B", end=end), Verdict(6)) for end in NOT_DONE),
        *((leg("A", "B", end=end), Verdict(6)) for end in NOT_DONE),
        *((leg(end=end), Verdict(6)) for end in NOT_DONE),
        (leg("B", rotates=True, turn=False, end=FAILED), Verdict(6)),
    ],
)
def test_each_row_of_the_table_says_what_a_leg_was(seen: LegSeen, due: Verdict) -> None:
    assert judge(seen, None) == due


@pytest.mark.parametrize(("reported", "native_id"), [((), None), (("B",), "B"), (("B", "C"), None)])
def test_a_fresh_leg_has_the_one_id_that_it_reported_and_the_reason_from_before(
    reported: tuple[str, ...], native_id: str | None
) -> None:
    for end in (SUCCEEDED, *NOT_DONE):
        seen = leg(*reported, asked=None, end=end, refused=True, turn=False)
        assert judge(seen, FallbackReason.STATE_MISSING) == Verdict(
            0, native_id=native_id, reason=FallbackReason.STATE_MISSING
        )
