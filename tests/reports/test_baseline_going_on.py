"""The baseline excuses a check that went on after something did not hold only where all of that is known."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.baseline.entries import Known
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord

from .samples import broke, check
from .test_baseline import CHECK, against, known, state


def went_on(*statements: str, failed_for: tuple[str, ...] = ("RESUME-1",)) -> CheckRecord:
    """Give a failure of a check of two requirements in which these statements did not hold."""
    record = check(CHECK, "RESUME-1", "RESUME-2", outcome=Outcome.FAILED)
    broken = tuple(
        replace(broke(), statement=one, requirements=(failed_for or record.requirements)[:1], step=f"Then {one}")
        for one in statements
    )
    return replace(record, expectations=broken, failed_for=failed_for, failed_step=f"Then {statements[0]}")


WENT_ON: list[tuple[CheckRecord, tuple[Known, ...], bool]] = [
    (went_on("old"), (known(CHECK, statement="old"),), True),
    (went_on("old", "new"), (known(CHECK, statement="old"),), False),
    (went_on("new", "old"), (known(CHECK, statement="old"),), False),
    (went_on("old", "new"), (known(CHECK, statement="old"), known(CHECK, statement="n*")), True),
    (went_on("old", "new"), (known(CHECK, statement="old"), known(CHECK, statement="new", step="Then old")), False),
    (went_on("old", "new"), (known(CHECK, statement="old"), known(CHECK, statement="new", step="Then new")), True),
    (went_on("old", "new"), (known(CHECK),), True),
    # A requirement that it spares needs no entry, and one that it breaks does.
    (went_on("old"), (known("RESUME-1"),), True),
    (went_on("old"), (known("RESUME-2"),), False),
    (went_on("old", failed_for=()), (known("RESUME-1"),), False),
    (went_on("old", failed_for=()), (known("RESUME-1"), known("RESUME-2")), True),
]


@pytest.mark.parametrize(("record", "entries", "excused"), WENT_ON)
def test_what_went_on_is_excused_where_all_is_known_that_did_not_hold(
    record: CheckRecord, entries: tuple[Known, ...], *, excused: bool
) -> None:
    (held,) = against(record, *entries).checks
    assert held.outcome is (Outcome.EXPECTED_FAILURE if excused else Outcome.FAILED)
    assert excused or "not excused" in (held.reason or "")


def test_a_new_failure_beside_a_known_one_is_named() -> None:
    (held,) = against(went_on("old", "new"), known(CHECK, statement="old")).checks
    assert held.reason == "assertion; not excused: no entry is about another statement that did not hold, 'new'"


@given(st.sets(st.sampled_from("abcd"), min_size=1), st.sets(st.sampled_from("abcd")))
def test_statements_excuse_a_check_where_they_are_all_of_those_that_did_not_hold(
    broken: set[str], listed: set[str]
) -> None:
    (held,) = against(went_on(*sorted(broken)), *(known(CHECK, statement=one) for one in sorted(listed))).checks
    assert (held.outcome is Outcome.EXPECTED_FAILURE) == (broken <= listed)


def test_a_flaky_check_is_excused_by_the_requirement_that_it_broke() -> None:
    flaky = replace(went_on("old"), outcome=Outcome.FLAKY, reason="passed on try 2")
    assert against(flaky, known("RESUME-1", kind="flaky")).checks[0].outcome is Outcome.EXPECTED_FAILURE
    assert against(flaky, known("RESUME-2", kind="flaky")).checks[0].outcome is Outcome.FLAKY


def test_an_entry_for_a_requirement_that_every_failure_spares_is_stale() -> None:
    held = against(went_on("old"), known("RESUME-1"), known("RESUME-2"))
    assert state(held) == [("used", (CHECK,)), ("stale", ())]
    assert held.stale == ("RESUME-2: none of its checks fails any more",)
