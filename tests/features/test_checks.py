"""Expectations: what counts as the same, and what is kept of a judgement."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver.vocabulary import MailboxRef, Phase
from tck_features.checks import Checks, ExpectationFailedError, plain


def check(expected: object, actual: object) -> bool:
    checks = Checks()
    try:
        checks.expect("they are the same", expected=expected, actual=actual, rests_on="witnessed", evidence=("e",))
    except ExpectationFailedError as failed:
        assert failed.expectation is checks.expectations[-1]  # noqa: PT017 -- it is a value that is looked at here
    (found,) = checks.expectations
    assert (found.statement, found.evidence_class, found.evidence) == ("they are the same", "witnessed", ("e",))
    return found.held


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (True, True),
        (None, None),
        (0, 0),
        ("a", "a"),
        (Phase.ANALYSIS, "analysis"),
        ((1, 2), [1, 2]),
        ([], ()),
        ({"a": Phase.ANALYSIS}, {"a": "analysis"}),
        (MailboxRef("o", "p", "issue", 7), "o/p#7"),
    ],
)
def test_values_are_the_same_as_a_report_would_show_them(one: object, two: object) -> None:
    assert check(one, two)
    assert check(two, one)


@pytest.mark.parametrize(
    ("one", "two"),
    [(True, 1), (False, 0), (0, None), (False, None), ("", None), ("1", 1), (1.0, 1), ([], None), ({}, []), ("a", "A")],
)
def test_values_of_another_kind_are_not_the_same(one: object, two: object) -> None:
    assert not check(one, two)
    assert not check(two, one)


def test_an_expectation_that_does_not_hold_says_both_values_and_stops() -> None:
    checks = Checks()
    with pytest.raises(ExpectationFailedError, match=r"^runs: expected 1, but it was True$"):
        checks.expect("runs", expected=1, actual=True, rests_on="reported")
    assert [one.held for one in checks.expectations] == [False]


def test_expectations_are_kept_in_their_order() -> None:
    checks = Checks()
    for number in range(3):
        checks.expect(f"{number}", expected=number, actual=number, rests_on="reported")
    assert [one.statement for one in checks.expectations] == ["0", "1", "2"]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(_VALUES)
def test_a_plain_value_stays_as_it_is_and_equals_itself(value: object) -> None:
    assert plain(value) == value
    assert plain(plain(value)) == plain(value)
    assert check(value, value)


def test_text_of_a_closed_set_becomes_text() -> None:
    assert type(plain(Phase.ANALYSIS)) is str
    assert plain({Phase.ANALYSIS: (Phase.ANSWER,)}) == {"analysis": ["answer"]}
