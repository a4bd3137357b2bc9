"""Positions in the units of a client, and the changes that it sends."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from tck_kit.authors.language_server.positions import Encoding, Text, apply, choose_encoding

#: A letter, one of two bytes, a combining mark, one of three bytes, one beyond the first plane, a joined family.
LINE = "aé\u0301→🫖👩‍👩‍👧z"

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


@pytest.mark.parametrize(
    ("encoding", "units"),
    [
        ("utf-8", [0, 1, 3, 5, 8, 12, 16, 19, 23, 26, 30, 31]),
        ("utf-16", [0, 1, 2, 3, 4, 6, 8, 9, 11, 12, 14, 15]),
        ("utf-32", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ],
)
def test_each_character_has_its_units_and_each_unit_its_character(encoding: Encoding, units: list[int]) -> None:
    text = Text(f"first\n{LINE}\nlast", encoding)
    assert [text.position(2, column).character for column in range(1, len(LINE) + 2)] == units
    assert [text.spot(types.Position(1, unit)) for unit in units] == [(2, one) for one in range(1, len(LINE) + 2)]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_unit_inside_a_character_is_its_start(encoding: Encoding) -> None:
    text = Text(LINE, encoding)
    starts = [text.position(1, column).character for column in range(1, len(LINE) + 2)]
    for number, (start, end) in enumerate(pairwise(starts), start=1):
        assert {text.spot(types.Position(0, unit)) for unit in range(start, end)} == {(1, number)}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_end_where_the_protocol_says_and_nowhere_else(ending: str) -> None:
    text = Text(f"one\x0btwo\x0cthree\u2028four\x85{ending}five")
    assert text.lines == 2
    assert text.line(2) == "five"
    assert text.position(2, 3) == types.Position(1, 2)


def test_a_position_behind_a_line_is_its_end_and_one_behind_the_text_is_the_end_of_the_text() -> None:
    text = Text("ab\r\ncd\n")
    assert text.offset_of(types.Position(0, 99)) == 2
    assert text.offset_of(types.Position(1, 99)) == 6
    assert text.offset_of(types.Position(2, 5)) == 7
    assert text.offset_of(types.Position(9, 0)) == 7
    assert text.position(9, 1) == types.Position(2, 0)


def test_a_byte_order_mark_is_a_unit_of_the_client_and_no_column_of_ours() -> None:
    text = Text("\ufeff# Tea\nPot")
    assert text.line(1) == "# Tea"
    assert text.position(1, 3) == types.Position(0, 3)
    assert text.spot(types.Position(0, 3)) == (1, 3)
    assert text.spot(types.Position(0, 0)) == (1, 1)
    assert text.position(2, 1) == types.Position(1, 0)


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-7", types.PositionEncodingKind.Utf8], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        ([types.PositionEncodingKind.Utf16, "utf-8"], "utf-16"),
    ],
)
def test_the_first_choice_of_the_client_that_is_known_holds(offered: list[str] | None, chosen: str) -> None:
    assert choose_encoding(offered) == chosen


def _change(text: str, first: tuple[int, int], last: tuple[int, int]) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(types.Range(types.Position(*first), types.Position(*last)), text)


def test_a_change_counts_in_the_result_of_the_one_before() -> None:
    text = apply(Text("one\ntwo\n"), [_change("🫖\n", (0, 0), (0, 0)), _change("!", (0, 2), (0, 2))])
    assert text.string == "🫖!\none\ntwo\n"


def test_a_change_without_a_range_is_the_whole_text() -> None:
    assert apply(Text("one"), [types.TextDocumentContentChangeWholeDocument("two")]).string == "two"


def test_a_change_may_join_lines_and_reach_behind_their_ends() -> None:
    assert apply(Text("one\r\ntwo"), [_change("", (0, 3), (1, 0))]).string == "onetwo"
    assert apply(Text("one\ntwo"), [_change("", (0, 99), (9, 9))]).string == "one"
    assert apply(Text("one\ntwo"), [_change("x", (1, 1), (0, 1))]).string == "oxwo"


def test_a_character_that_comes_in_two_halves_is_one() -> None:
    text = apply(Text("a\n"), [_change("\ud83e", (0, 1), (0, 1)), _change("\uded6", (0, 2), (0, 2))])
    assert text.string == "a🫖\n"


@given(
    st.text(alphabet="a\né🫖\u0301\r→", max_size=30),
    st.sampled_from(ENCODINGS),
    st.tuples(st.integers(0, 8), st.integers(0, 30)),
    st.tuples(st.integers(0, 8), st.integers(0, 30)),
    st.text(alphabet="b🫖\n", max_size=4),
)
def test_a_change_does_what_it_does_to_the_encoded_text(
    string: str, encoding: Encoding, start: tuple[int, int], end: tuple[int, int], new: str
) -> None:
    """The model counts in the encoded lines themselves, as an editor does that keeps its text so."""
    text = Text(string, encoding)

    def offset(line: int, units: int) -> int:
        if line >= text.lines:
            return len(string)
        codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        encoded = text.line(line + 1).encode(codec)[: units * width]
        return text.offset(line + 1, 1) + len(encoded.decode(codec, "ignore"))

    first, last = sorted((offset(*start), offset(*end)))
    changed = apply(text, [_change(new, start, end)])
    assert changed.string == string[:first] + new + string[last:]
