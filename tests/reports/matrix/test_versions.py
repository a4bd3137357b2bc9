"""What is a version and what the name of a branch, and which of two versions is the newer one."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.matrix.versions import fault_of, order

ORDERED = [
    "0.9",
    "1.0.dev3",
    "1.0a1",
    "1.0a2",
    "1.0.0-alpha.10",
    "1.0b1",
    "1.0-rc.1",
    "1.0rc2",
    "1.0",
    "1.0+build.5",
    "1.0.post1",
    "1.0.1",
    "v1.2",
    "1.2.3-4-g3f2a9c1",
    "1.9",
    "1.10",
    "2",
    "2024.12.31",
    "2026-11-29",
    "2026-11-30",
]


@pytest.mark.parametrize(
    "version",
    [
        *ORDERED,
        "3f2a9c1",
        "3f2a9c1d5e6f708192a3b4c5d6e7f8091a2b3c4d",
        "main-3f2a9c1",
        "main@3f2a9c1d",
        "feature/quick-3f2a9c1d",
        "nightly-2026-11-30",
        "build 1234",
        "node-engine 0.1.0",
        "release-1.2",
        "r17",
        "1.2-main",
        "mainframe 3",
        "1.0 mainframe",
        "1.0 branching",
    ],
)
def test_a_release_a_commit_and_a_day_are_versions(version: str) -> None:
    assert fault_of(version) is None


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("", "states no version"),
        (" \t", "states no version"),
        ("main", "name of a branch"),
        ("HEAD", "name of a branch"),
        ("latest", "name of a branch"),
        ("feature/x", "name of a branch"),
        ("branch-1", "name of a branch"),
        ("1.0 main", "name of a branch"),
        ("1.0 (latest)", "name of a branch"),
        ("unknown", "no digit"),
        ("main-2", "name of a branch"),
        ("Master 2", "name of a branch"),
        ("develop_3", "name of a branch"),
        ("HEAD~1", "name of a branch"),
        ("HEAD^2", "name of a branch"),
        ("latest2", "name of a branch"),
        ("feature/resume-2", "name of a branch"),
        ("release/1.2", "name of a branch"),
        ("refs/heads/v2", "name of a branch"),
        ("issue-42", "name of a branch"),
        ("fix-1234-resume", "name of a branch"),
        ("nightly 7", "name of a branch"),
    ],
)
def test_a_branch_and_whatever_is_newest_are_none(version: str, why: str) -> None:
    fault = fault_of(version)
    assert fault is not None
    assert why in fault


def test_a_fault_quotes_no_more_than_a_line() -> None:
    fault = fault_of("main " + "9" * 10_000)
    assert fault is not None
    assert len(fault) < 200


def test_versions_come_in_the_order_in_which_they_were_released() -> None:
    for seed in range(9):
        shuffled = random.Random(seed).sample(ORDERED, len(ORDERED))  # noqa: S311 -- nothing secret is drawn
        assert sorted(shuffled, key=order) == ORDERED


@pytest.mark.parametrize(
    ("one", "other"), [("1.0", "1.0.0"), ("v1.2", "1.2"), ("V1.2", "1.2.0"), ("3f2a9c1", "9c1d3f2")]
)
def test_versions_without_an_order_among_each_other_are_left_to_their_dates(one: str, other: str) -> None:
    assert order(one) == order(other)


def test_a_commit_comes_before_every_release() -> None:
    assert order("f2a9c1d") < order("0.0.0.dev1")


@given(st.text())
def test_every_text_has_a_place_in_the_order(version: str) -> None:
    assert order(version) == order(version)
    assert (order(version) < order("1.0")) or (order(version) >= order("1.0"))


@given(
    st.lists(st.integers(0, 10**40), min_size=1, max_size=6), st.lists(st.integers(0, 10**9), min_size=1, max_size=6)
)
def test_numbers_are_compared_as_numbers(one: list[int], other: list[int]) -> None:
    def release(numbers: list[int]) -> list[int]:
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers = numbers[:-1]
        return [min(number, 10**30) for number in numbers]

    shown = [".".join(map(str, numbers)) for numbers in (one, other)]
    expected = (release(one) > release(other)) - (release(one) < release(other))
    assert (order(shown[0]) > order(shown[1])) - (order(shown[0]) < order(shown[1])) == expected
