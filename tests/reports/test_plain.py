"""Whatever an engine hands over becomes plain, bounded JSON without secrets."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.outcomes import Outcome
from tck_reports.plain import MAX_ITEMS, MAX_TEXT, Plainer, visible

from .samples import held


@pytest.mark.parametrize(
    ("value", "right"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2**80, str(2**80)),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ("plain", "plain"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        (b"\xff", "b'\\xff'"),
        (Path("a/b"), "a/b"),
        (Outcome.PASSED, "passed"),
        ((1, "two"), [1, "two"]),
        ({"b", "a"}, ["a", "b"]),
        ({1: {"x": (None,)}}, {"1": {"x": [None]}}),
        (int, "<class 'int'>"),
    ],
    ids=repr,
)
def test_a_value_becomes_its_plain_form(value: object, right: object) -> None:
    assert Plainer().value(value) == right


def test_a_dataclass_becomes_its_fields() -> None:
    assert Plainer().value(held())["expected"] == "s-1"


def test_endless_text_and_lists_are_cut_with_a_note() -> None:
    assert Plainer().text("x" * (MAX_TEXT + 7)).endswith("… (7 more characters)")
    assert Plainer().value(list(range(MAX_ITEMS + 3)))[-1] == "… (3 more)"
    assert Plainer().value({str(place): place for place in range(MAX_ITEMS + 3)})["…"] == "3 more"
    assert len(Plainer().value(10**5000)) > 0


def test_a_structure_that_contains_itself_ends() -> None:
    loop: list[Any] = []
    loop.extend([loop, loop])
    assert len(json.dumps(Plainer().value(loop))) < 10_000_000


def test_secrets_and_passwords_in_urls_are_replaced_and_counted() -> None:
    plainer = Plainer(["hunter22", "no"])
    assert plainer.value({"key hunter22": ["a hunter22 b"]}) == {"key [redacted]": ["a [redacted] b"]}
    assert (
        plainer.text("postgresql://me:pa55@db/x and http://h:80/") == "postgresql://me:[redacted]@db/x and http://h:80/"
    )
    assert plainer.text("no short secrets") == "no short secrets"
    assert plainer.redactions == 3


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists))
def test_every_value_can_be_said_in_strict_json(value: object) -> None:
    assert json.loads(json.dumps(Plainer().value(value), allow_nan=False).encode("ascii")) == Plainer().value(value)


def test_control_characters_are_spelled_out_and_ordinary_text_stays() -> None:
    assert visible("\x1b[31m\x00\r\u202e\U000e0001") == "\\x1b[31m\\x00\\x0d\\u202e\\U000e0001"
    assert visible("Ünïcode 漢字 👍🏽 tab\tline\n") == "Ünïcode 漢字 👍🏽 tab\tline\n"


@given(st.text(st.characters(codec="utf-8")))
def test_visible_text_has_no_control_characters(text: str) -> None:
    assert all(one in "\n\t" or ord(one) >= 0x20 for one in visible(text))
