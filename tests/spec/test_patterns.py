"""Patterns that authors give: what they find, and that none can hang a check."""

from __future__ import annotations

import pytest

from tck_spec.errors import SpecificationError
from tck_spec.patterns import Pattern


def test_a_pattern_finds_what_is_not_empty() -> None:
    pattern = Pattern(r"\d*", "here")
    assert list(pattern.find("a12b3")) == [(1, 3), (4, 5)]
    assert pattern.search("ab") is None
    assert pattern.match("12", 1) == (1, 2)
    assert pattern.match("a1") is None


def test_capitals_are_ignored_where_that_is_asked_for() -> None:
    assert Pattern("error", "here", ignore_case=True).search("An ERROR") == (3, 8)
    assert Pattern("error", "here").search("An ERROR") is None


def test_what_is_no_pattern_is_an_error_that_names_it() -> None:
    with pytest.raises(SpecificationError, match=r"here: '\(a' is no regular expression"):
        Pattern("(a", "here")


@pytest.mark.parametrize("method", ["search", "match", "find"])
def test_a_pattern_that_takes_too_long_is_an_error_that_says_what_to_do(method: str) -> None:
    pattern = Pattern(r"(a|aa)+\Z", "here", seconds=0.05)
    with pytest.raises(SpecificationError, match="repetitions inside repetitions"):
        list(getattr(pattern, method)("a" * 60 + "b") or ())


def test_the_time_is_for_all_texts_together() -> None:
    pattern = Pattern(r"(a|aa)+\Z", "here", seconds=0.2)
    with pytest.raises(SpecificationError):
        list(map(pattern.search, ["a" * 22 + "b"] * 10_000))
