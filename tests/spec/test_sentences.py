"""Sentences: where a text is cut, and where it is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec.markdown import Span
from tck_spec.sentences import split_sentences


def _cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "It boils, e.g. Tea or i.e. Water",
        "As Smith et al. Showed it boils",
        "See Fig. 3 and Sec. 4 or No. 5 of it",
        "Version 1.2.3 of pot.md and example.com/a.b stays",
        "An Acme Inc. MUST boil, as all pots, kettles, etc. MUST",
        "The pot (of steel. Or of glass.) boils",
        "The pot [see 3. Or 4.] boils",
        'It says "Stop. Now." MUST',
        "It says “Stop. Now!” and boils",
        "As J. R. Brown says",
        "it ends. lower case goes on",
        "Is it so? no",
        "1. First it boils",
        "Wait ... and see",
        "A pot vs. A cup",
        "50 % approx. Half of it",
        "A dot . alone",
    ],
)
def test_these_are_one_sentence(sentence: str) -> None:
    assert _cut(sentence) == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "It boils.|It cools.",
        "It boils!|Does it?|Yes.",
        "It boils etc.|The rest cools.",
        "It is of Acme Inc.|The rest is not.",
        "It boils.[^1]|It cools.[2]",
        'It says "Stop."|It goes on.',
        "(It boils.|It cools.)|It stops.",
        "The pot (of steel).|It boils.",
        "See Appendix B.|It boils.",
        "The number is n.|It is odd.",
        "Choose option A.|It boils.",
        "It boils.|gRPC cools, iOS too.|max_heat stops.",
        "It boils.|3 cups are full.",
        "It boils.|“It cools.”",
        "It ( boils.|It cools.",
        "It [ boils.|It cools.",
        'It " boils.|It cools.',
        "The answer is no.|It cools.",
        "水。|茶\uff01|It boils.",
        "It boils.|\ufffc\ufffc cools.",
        "It boils.|É cools.",
        "It boils.|(It cools.)",
    ],
)
def test_these_are_several(text: str) -> None:
    assert _cut(text.replace("|", " ")) == text.split("|")


def test_nothing_ends_inside_what_is_one_piece() -> None:
    text = "See Kettles. Lids now. It boils."
    assert [span.end for span in split_sentences(text, [Span(4, 17)])] == [22, 32]


def test_a_break_ends_a_sentence_in_any_case() -> None:
    text = "one two (three four)"
    assert [(span.start, span.end) for span in split_sentences(text, (), [3, 14, 3])] == [(0, 3), (4, 14), (15, 20)]


@settings(deadline=None)
@given(st.text(alphabet="aB.!?() [] \"“”'\n。1_", max_size=80), st.lists(st.integers(0, 80), max_size=4))
def test_sentences_are_in_order_and_hold_all_but_white_space(text: str, breaks: list[int]) -> None:
    spans = list(split_sentences(text, (), [place for place in breaks if place <= len(text)]))
    place = 0
    for span in spans:
        assert span.start < span.end <= len(text)
        assert not text[place : span.start].strip()
        place = span.end
    assert not text[place:].strip()
