"""What differs between two values is marked, what is the same is cut, and nothing fills the page."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.formats.sides import Line, beside, brief
from tck_reports.plain import visible
from tck_reports.shape import Json


def shown(lines: tuple[Line, ...]) -> str:
    """Return a side as text, what is marked in brackets."""
    return "\n".join(
        line.sign + "".join(f"[{one.text}]" if one.differs else one.text for one in line.stretches) for line in lines
    )


@pytest.mark.parametrize(
    ("expected", "actual", "left", "right"),
    [
        (True, False, "-[true]", "+[false]"),
        ("s-1", "s-2", '-"s-[1]"', '+"s-[2]"'),
        ("s-1", None, '-["s-1"]', "+[null]"),
        (1, "1", "-[1]", '+["1"]'),
        (2, 12, "-2", "+[1]2"),
        ("agent/issue-7", "agent/issue-77", '-"agent/issue-7"', '+"agent/issue-7[7]"'),
        (["a", "b"], ["a"], '-["a"[, "b"]]', '+["a"]'),
        ({"a": 1}, {"a": 2}, '-{"a": [1]}', '+{"a": [2]}'),
        ("same", "same", '"same"', '"same"'),
    ],
)
def test_what_differs_is_marked(expected: Json, actual: Json, left: str, right: str) -> None:
    sides = beside(expected, actual)

    assert (shown(sides.expected), shown(sides.actual)) == (left, right)


def test_long_structures_are_compared_line_by_line() -> None:
    expected = [f"a line of some length, the {place}th of them all" for place in range(30)]
    actual = [*expected[:15], *expected[16:]]

    sides = beside(expected, actual)

    assert [line for line in shown(sides.expected).split("\n") if line.startswith("-")] == [
        '-[  "a line of some length, the 15th of them all",]'
    ]
    assert "+" not in shown(sides.actual)
    assert "… 13 lines that are the same" in shown(sides.expected)
    assert sides.remark == "1 of 30 items missing"


def test_lines_of_a_text_are_compared_one_by_one() -> None:
    sides = beside("You work on 5.\nPhase: a\nGo", "You work on 5.\nPhase: b\nGo")

    assert shown(sides.actual).split("\n") == ['"You work on 5.\\n', "+Phase: [b]\\n", 'Go"']


def test_a_difference_far_inside_a_long_text_is_shown_with_its_surroundings() -> None:
    long = "x" * 9_000
    sides = beside(f"{long}1{long}", f"{long}2{long}")

    assert shown(sides.expected) == f"-…{'x' * 60}[1]{'x' * 60}…"


@pytest.mark.parametrize(
    ("expected", "actual", "remark"),
    [
        (1, "1", "a number was expected, and a text came"),
        (None, "None", "null was expected, and a text came"),
        ("a b", "a  b", "they differ in white space alone"),
        ("a b", "a\u00a0b", "they differ in white space alone"),
        ("Name", "name", "they differ in upper and lower case alone"),
        ("name", "n\u0430me", "at character 2, U+0061 was expected, and U+0430 came"),
        ([1, 2], [2, 1], "the same items in another order"),
        ([1, 2], [1, 3, 4], "1 of 2 items missing, 2 that were not expected"),
        ([1], [1, 1], "1 that was not expected"),
        ("one", "other", ""),
        (1, 2, ""),
        ({"a": 1}, {"a": 2}, ""),
    ],
)
def test_what_is_easily_overlooked_is_said(expected: Json, actual: Json, remark: str) -> None:
    assert beside(expected, actual).remark == remark


def test_no_value_fills_the_page() -> None:
    floods: list[tuple[Json, Json]] = [
        ("x" * 10_000_000, "y" * 10_000_000),
        ("x\n" * 1_000_000, "y\n" * 1_000_000),
        (list(range(100_000)), []),
        ({str(one): "z" * 1_000 for one in range(2_000)}, None),
    ]
    for expected, actual in floods:
        sides = beside(expected, actual)
        assert len(shown(sides.expected)) < 12_000
        assert len(shown(sides.actual)) < 12_000
        assert "more" in shown(sides.expected)


def test_nothing_hides_in_a_value() -> None:
    assert shown(beside("\u202e\x1b[0m", None).expected) == '-["\\u202e\\u001b[0m"]'


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab\n é", max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
        max_leaves=6,
    ),
    st.recursive(st.none() | st.text("ab\n é", max_size=8), lambda inner: st.lists(inner, max_size=3), max_leaves=6),
)
def test_short_values_are_shown_whole_and_marked_only_where_they_differ(expected: Json, actual: Json) -> None:
    sides = beside(expected, actual)

    for value, lines in ((expected, sides.expected), (actual, sides.actual)):
        text = "".join(one.text for line in lines for one in line.stretches)
        assert json.loads(text) == json.loads(visible(json.dumps(value, ensure_ascii=False)))
    marked = any(one.differs for line in (*sides.expected, *sides.actual) for one in line.stretches)
    assert marked == (json.dumps(expected) != json.dumps(actual))


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), ("a\nb", '"a\\nb"'), ("x" * 100, f'"{"x" * 31}…{"x" * 11}"'), ([1, "\u202e"], '[1, "\\u202e"]')],
)
def test_a_value_fits_on_one_line(value: Json, text: str) -> None:
    assert brief(value) == text
