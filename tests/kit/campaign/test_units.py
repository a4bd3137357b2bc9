"""Seeds as people write them, and how a campaign is put together again."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_kit.campaign.choice import executor
from tck_kit.campaign.fitness import Suites
from tck_kit.campaign.units import Ended, collected, failure, read_seeds, shown_seeds, split
from tck_kit.faults import UsageFault

SEEDS = [
    ("7", (7,)),
    ("1-4", (1, 2, 3, 4)),
    ("1,2,7", (1, 2, 7)),
    (" 9 , 1-3 ", (9, 1, 2, 3)),
    ("4294967295", (2**32 - 1,)),
    ("0-0", (0,)),
]


@pytest.mark.parametrize(("text", "seeds"), SEEDS, ids=[text for text, _ in SEEDS])
def test_seeds_are_a_range_or_a_list_or_both(text: str, seeds: tuple[int, ...]) -> None:
    assert read_seeds(text) == seeds


BAD_SEEDS = [
    ("", "'' is no seed"),
    ("1-", "'1-' is no seed"),
    ("3-1", "'3-1' is no seed"),
    ("-3", "'-3' is no seed"),
    ("1;2", "'1;2' is no seed"),
    ("1.5", "'1.5' is no seed"),
    ("٣", "'٣' is no seed"),
    ("4294967296", "'4294967296' is no seed"),
    ("9" * 5000, "is no seed"),
    ("0-100000", "more than 100,000"),
    ("1-3,2", "seed 2 stands there twice"),
]


@pytest.mark.parametrize(("text", "what"), BAD_SEEDS, ids=[what for _, what in BAD_SEEDS])
def test_what_is_no_seed_is_refused(text: str, what: str) -> None:
    with pytest.raises(UsageFault) as caught:
        read_seeds(text)

    assert str(caught.value).startswith("--seeds: ")
    assert what in str(caught.value)


@given(st.sets(st.integers(0, 200), min_size=1))
def test_seeds_that_are_shown_can_be_read(seeds: set[int]) -> None:
    assert read_seeds(shown_seeds(sorted(seeds))) == tuple(sorted(seeds))


@given(st.lists(st.integers()), st.integers(1, 9))
def test_units_of_seeds_hold_each_seed_once_and_in_order(seeds: list[int], size: int) -> None:
    units = split(seeds, size)

    assert [seed for unit in units for seed in unit] == seeds
    assert all(1 <= len(unit) <= size for unit in units)


@given(st.permutations(range(6)), st.integers(0, 6))
def test_units_come_back_in_the_order_in_which_they_were_given_whoever_was_first(
    order: list[int], finished: int
) -> None:
    names = [f"unit {number}" for number in range(6)]
    ended = [Ended(names[number], "done", number) for number in order[:finished]]

    harvest = collected(names, ended, None)

    assert [one.name for one in harvest.ended] == names
    assert harvest.results == tuple(sorted(order[:finished]))
    assert [one.name for one in harvest.ended if one.state == "not run"] == [
        names[number] for number in sorted(order[finished:])
    ]


def test_the_folder_of_a_process_does_not_stand_in_what_is_compared() -> None:
    said = [failure("one", "Fallen", f"no room in /dev/shm/session-tck-{pid}-{mark}/x") for pid, mark in NAMES]

    assert said[0] == said[1]
    assert said[0].text == "no room in /dev/shm/session-tck-…/x"


NAMES = [(12, "a_b3"), (34567, "zz90")]


@pytest.mark.parametrize(
    "cluster",
    [
        "local:0",
        "local:",
        "local:65",
        "local:two",
        "nonsense",
        "127.0.0.1:8786",
        "http://127.0.0.1:1",
        "tcp://127.0.0.1",
        "tcp://[::1",
        "tcp://127.0.0.1:99999",
        "tcp://:8786",
    ],
)
def test_what_names_no_cluster_is_refused(cluster: str) -> None:
    with pytest.raises(UsageFault) as caught, executor(cluster, Suites()):
        pass
    assert str(caught.value).startswith(f"--cluster {cluster}: this is no ")


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tck_kit.campaign.dask_cluster", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(UsageFault) as caught, executor("local:2", Suites()):
        pass
    assert str(caught.value) == (
        "--cluster local:2: dask.distributed is not installed (no module distributed); "
        "install it: pip install 'session-tck[cluster]'"
    )
