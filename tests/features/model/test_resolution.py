"""The table of §16.5.3: situations, and what follows from them."""

from __future__ import annotations

import pytest

from tck_driver.vocabulary import FallbackReason
from tck_features.model.resolution import Decision, Situation, reasons, resolve

REFUSED = FallbackReason.REFUSED
MISSING = FallbackReason.STATE_MISSING
UNFIT = FallbackReason.UNSUPPORTED_VERSION


def situation(
    *,
    setting: bool = True,
    declares: bool = True,
    issue: bool = True,
    good: bool = True,
    holds: bool = True,
    failures: bool = False,
) -> Situation:
    return Situation(setting, declares, issue, "of this adapter", good, holds, failures, "an id")


@pytest.mark.parametrize(
    ("given", "due"),
    [
        (situation(setting=False), Decision(1, applies=False)),
        (situation(declares=False), Decision(2, applies=False)),
        (situation(issue=False), Decision(3, applies=False)),
        (Situation(setting=True, declares=True, issue=True), Decision(4, True, None, FallbackReason.NO_PRIOR_SESSION)),  # noqa: FBT003 -- as the table has it
        (
            Situation(setting=True, declares=True, issue=True, rows="of others"),
            Decision(5, True, None, FallbackReason.ADAPTER_CHANGED),  # noqa: FBT003 -- as the table has it
        ),
        (situation(good=False), Decision(6, True, None, UNFIT)),  # noqa: FBT003 -- as the table has it
        (situation(holds=False), Decision(7, True, None, MISSING)),  # noqa: FBT003 -- as the table has it
        (situation(failures=True), Decision(8, True, None, REFUSED)),  # noqa: FBT003 -- as the table has it
        (situation(), Decision(9, True, "an id")),  # noqa: FBT003 -- as the table has it
    ],
)
def test_each_row_of_the_table_decides_what_it_says(given: Situation, due: Decision) -> None:
    assert resolve(given) == due


@pytest.mark.parametrize(
    ("given", "row"),
    [
        (situation(setting=False, good=False, holds=False), 1),
        (situation(declares=False, holds=False), 2),
        (situation(issue=False, failures=True), 3),
        (Situation(setting=True, declares=True, issue=True, good=False, holds=False), 4),
        (Situation(setting=True, declares=True, issue=True, rows="of others", good=False, holds=False), 5),
        (situation(good=False, holds=False, failures=True), 6),
        (situation(holds=False, failures=True), 7),
    ],
)
def test_the_first_row_that_fits_decides(given: Situation, row: int) -> None:
    assert resolve(given).row == row


def test_all_reasons_that_hold_are_given_in_the_order_of_the_specification() -> None:
    assert reasons(situation(good=False, holds=False, failures=True)) == (UNFIT, MISSING, REFUSED)
    assert reasons(situation(holds=False)) == (MISSING,)
    assert reasons(situation()) == ()
    assert reasons(Situation(setting=True, declares=True, issue=True, rows="of others", good=False)) == ()
