"""What counts in a text and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_spec.lock.fingerprints import context_of, fingerprint, loose, named, readable, strict


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a  pot", "a pot"),
        ("a\n\tpot ", "a pot"),
        ("a\u00a0pot", "a pot"),
        ("the guest\u2019s", "the guest's"),
        ("\u201cgreen\u201d", '"green"'),
        ("hot \u2014 or cold", "hot - or cold"),
        ("hot -- or cold", "hot - or cold"),
        ("and so on\u2026", "and so on..."),
        ("te\u0301", "t\u00e9"),
        ("tea\u00adpot\u200b", "teapot"),
    ],
)
def test_what_no_reader_can_see_does_not_count(one: str, other: str) -> None:
    assert strict(one) == strict(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Pot", "pot"), ("a pot", "pot"), ("--all", "-all"), ("a, b", "a b"), ("t >= 80", "t <= 80"), ("1.5", "15")],
)
def test_code_capitals_and_signs_count(one: str, other: str) -> None:
    assert strict(one) != strict(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Pot", "the pot"),
        ("a pot, warm.", "a pot warm"),
        ('the "warm" pot', "the warm pot"),
        ("a (warm) pot", "a warm pot"),
        ("non-empty", "non empty"),
        ("hot - or cold", "hot or cold"),
        ("'warm'", "warm"),
        ("Is it warm?", "is it warm"),
        ("see [the lid]", "see the lid"),
    ],
)
def test_capitals_and_punctuation_do_not_count_loosely(one: str, other: str) -> None:
    assert loose(one) == loose(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("t >= 80", "t <= 80"),
        ("a != b", "a = b"),
        ("-1", "1"),
        ("1.5", "15"),
        ("string[]", "string"),
        ("a/b", "a b"),
        ("$ref", "ref"),
        ("task_id", "task id"),
        ("don't", "dont"),
    ],
)
def test_what_code_and_numbers_need_counts_loosely_as_well(one: str, other: str) -> None:
    assert loose(one) != loose(other)


def test_a_reference_to_a_section_is_the_section() -> None:
    text = named("See {§1}, not {§0}.", ["tea#S-AAAAA", "tea#S-BBBBB"])
    assert text == "See {tea#S-BBBBB}, not {tea#S-AAAAA}."
    assert readable(text, {"tea#S-BBBBB": "§2", "tea#S-AAAAA": "§1"}) == "See §2, not §1."


def test_braces_that_name_no_section_are_text() -> None:
    assert named("{§7} and {x}", ["tea#S-AAAAA"]) == "{§7} and {x}"
    assert readable("{tea#S-AAAAA}", {}) == "{tea#S-AAAAA}"


def test_a_context_knows_no_number_of_a_section() -> None:
    assert context_of("As Section 4.2 says:", "", "") == context_of("As §5 says:", "", "")
    assert context_of("", "", "") == ()
    assert context_of("", "Rule", "")


def test_a_fingerprint_has_eight_digits() -> None:
    assert fingerprint("The cook MUST warm the pot.") == "a60e1de8"


@given(st.text(max_size=200))
def test_both_forms_are_fixed_points(text: str) -> None:
    assert strict(strict(text)) == strict(text)
    assert loose(strict(text)) == loose(text)
    assert len(fingerprint(text)) == 8


@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=9), min_size=1), st.data())
def test_white_space_never_counts(words: list[str], data: st.DataObject) -> None:
    spaces = st.sampled_from([" ", "\n", "\t", "  ", "\u00a0", "\u2003"])
    spread = "".join(word + data.draw(spaces) for word in words)
    assert strict(spread) == strict(" ".join(words))
