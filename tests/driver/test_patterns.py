"""A driver's regular expressions are searched for as Python does, and one that never ends is ended."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver import patterns
from tck_driver.patterns import AstrayError, fault_of, found

PLAIN = ("", "^the task", "(?m)^Scope: a$", r"\bred\.green\b", "(?i)SCOPE", "a.c", r"\Aa")
#: What repeats or chooses is searched for by another process, and comes to the same.
OTHERS = ("x+y", "(?:one|two)$", "[ab]c", "a{2}", r"(?s)first.*last", "(a)(b)?", "no|thing")
TEXTS = ("", "abc", "the task\nScope: a\nred.green", "first\nlast", "scope: \udc80 one", "xxy aa ünï")


def python(searched: tuple[str, ...], text: str) -> list[bool]:
    return [re.search(pattern, text) is not None for pattern in searched]


@given(st.lists(st.sampled_from(PLAIN), max_size=4), st.text() | st.sampled_from(TEXTS))
def test_what_can_only_fit_or_not_is_found_as_python_finds_it(searched: list[str], text: str) -> None:
    assert found(searched, text) == python(tuple(searched), text)


@settings(max_examples=20)
@given(st.text(), st.text())
def test_a_text_that_was_escaped_is_found_where_it_stands(wanted: str, text: str) -> None:
    assert found([re.escape(wanted)], text) == [wanted in text]


@pytest.mark.parametrize("text", TEXTS)
def test_what_repeats_or_chooses_is_found_as_python_finds_it(text: str) -> None:
    searched = (*OTHERS, *PLAIN)
    assert found(searched, text) == python(searched, text)


def test_a_search_that_does_not_end_is_ended_and_says_which_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 1.0)
    with pytest.raises(AstrayError, match="1 s") as caught:
        found(["x", "x+", "(?:x+)+$", "y"], "x" * 64 + "!")
    assert caught.value.pattern == 2


@pytest.mark.parametrize("pattern", ["(", "*", "a{99999999999}", "(?:" * 5000 + ")" * 5000, "(?P<x>a)(?P<x>b)", "\\"])
def test_whatever_python_refuses_is_no_expression(pattern: str) -> None:
    assert fault_of(pattern)


@pytest.mark.parametrize("pattern", [*PLAIN, *OTHERS])
def test_any_other_is_one(pattern: str) -> None:
    assert fault_of(pattern) is None
