"""The words that sentences may hold: each means something that the rest of the kit knows."""

from __future__ import annotations

from typing import get_args

import pytest

from tck_driver.bench import Shape, TrackerAnswer, VersionShape
from tck_driver.vocabulary import (
    ISSUE_PHASES,
    AdapterId,
    Closing,
    FallbackReason,
    MergeRequestEvent,
    RunOutcome,
)
from tck_features import words
from tck_features.sentences import SENTENCES


def regexps(name: str) -> str:
    (found,) = SENTENCES.parameters.lookup_by_type_name(name).regexps
    return str(found)


def test_every_phrase_for_a_behaviour_is_a_shape_and_no_two_are_the_same() -> None:
    shapes = get_args(Shape)
    assert set(words.BEHAVIOURS.values()) <= set(shapes)
    assert len(set(words.BEHAVIOURS.values())) == len(words.BEHAVIOURS)


def test_every_shape_but_the_one_with_an_id_of_its_own_has_a_phrase() -> None:
    assert set(get_args(Shape)) - set(words.BEHAVIOURS.values()) == {"odd_id"}


def test_every_way_that_a_version_command_fails_has_a_phrase() -> None:
    assert set(words.VERSION_BEHAVIOURS.values()) == set(get_args(VersionShape)) - {"plain"}


def test_every_end_and_every_event_has_one_phrase() -> None:
    assert sorted(words.CLOSINGS.values()) == sorted(Closing)
    assert sorted(words.MERGE_REQUEST_EVENTS.values()) == sorted(MergeRequestEvent)


def test_ordinals_count_up_from_the_first_and_the_last_is_last() -> None:
    numbers = [number for word, number in words.ORDINALS.items() if word != "last"]
    assert numbers == list(range(len(numbers)))
    assert words.ORDINALS["last"] == -1


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("adapter", AdapterId),
        ("phase", ISSUE_PHASES),
        ("reason", FallbackReason),
        ("outcome", RunOutcome),
        ("scope", ("organization", "project")),
        ("tracker_answer", [answer for answer in get_args(TrackerAnswer) if answer != "normal"]),
    ],
)
def test_a_closed_set_of_the_specification_can_be_said_in_full(name: str, values: list[str]) -> None:
    assert sorted(regexps(name).split("|")) == sorted(str(value) for value in values)


def test_a_longer_word_is_tried_before_one_that_it_begins_with() -> None:
    for name in ("behaviour", "version_behaviour", "title", "party", "ordinal"):
        said = regexps(name).split("|")
        assert said == sorted(said, key=len, reverse=True)


def test_titles_are_hard_and_none_is_like_another() -> None:
    assert len(set(words.TITLES.values())) == len(words.TITLES) > 0
    assert "" in words.TITLES.values()
    assert any(len(title) >= 5000 for title in words.TITLES.values())
    for mark in ("..", ".lock", "@{", "\x07", "\n", "\ud800", "\u202e", "\u200b", "\u0301"):
        assert any(mark in title for title in words.TITLES.values()), ascii(mark)
    assert any(title.startswith("-") for title in words.TITLES.values())
