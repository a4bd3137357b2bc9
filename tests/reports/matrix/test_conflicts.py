"""Two reports that cannot both be the truth are named, both, and neither is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tck_reports.matrix.conflicts import sift
from tck_reports.outcomes import Outcome

from .given_reports import digest_of, given, report


def test_reports_that_can_stand_beside_each_other_are_all_kept() -> None:
    ones = [
        given(report(), "a.json"),
        given(report(version="1.0.1"), "b.json"),
        given(report(name="other"), "c.json"),
        given(report(run={"transport": "http"}), "d.json"),
        given(report(kit={"version": "0.2.0"}), "e.json"),
        given(report(spec="1.1.0"), "f.json"),
    ]
    sifted = sift(reversed(ones))
    assert sifted.given == tuple(ones)
    assert not sifted.refused


def test_of_the_same_report_twice_the_first_stays() -> None:
    made = report()
    sifted = sift([given(made, "b.json"), given(made, "a.json")])
    assert [one.source for one in sifted.given] == ["a.json"]
    (refused,) = sifted.refused
    assert refused.source == "b.json"
    assert refused.why == "is the same report as a.json; remove one of them"


@pytest.mark.parametrize(
    "other",
    [
        {"run": {"seed": 7}},
        {"day": 9},
        {"outcomes": {"RESUME-1": Outcome.FAILED}},
        {"implementation": {"language": "C"}},
    ],
)
def test_of_two_reports_on_one_version_neither_is_shown(other: Mapping[str, Any]) -> None:
    sifted = sift([given(report(), "a.json"), given(report(**other), "b.json"), given(report(name="x"), "c.json")])
    assert [one.source for one in sifted.given] == ["c.json"]
    assert [one.source for one in sifted.refused] == ["a.json", "b.json"]
    assert "as b.json is" in sifted.refused[0].why
    assert "as a.json is" in sifted.refused[1].why
    assert all("keep one of them" in one.why for one in sifted.refused)


def test_two_parts_of_one_run_are_told_to_be_merged() -> None:
    ones = [given(report(run={"shard": {"number": at, "count": 2}}), f"{at}.json") for at in (1, 2)]
    assert all("session-tck merge" in one.why for one in sift(ones).refused)


def test_what_contradicts_the_oldest_report_on_a_requirement_is_left_out() -> None:
    old = given(report(day=1), "old.json")
    same = given(report(name="same", day=3), "same.json")
    other = given(report(name="other", day=2, texts={"RESUME-1": "The engine MUST do something else."}), "other.json")
    sifted = sift([other, same, old])
    assert [one.source for one in sifted.given] == ["old.json", "same.json"]
    (refused,) = sifted.refused
    assert refused.source == "other.json"
    assert "old.json" in refused.why
    assert "RESUME-1" in refused.why


def test_another_set_of_the_same_version_may_say_something_else() -> None:
    edited = report(name="other", texts={"RESUME-1": "Something else."}, spec="1.0.0")
    edited["spec"]["set_digest"] = digest_of("edited")
    sifted = sift([given(report(), "a.json"), given(edited, "b.json")])
    assert len(sifted.given) == 2
