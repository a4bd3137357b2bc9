"""Searches with many seeds: what they found is kept once, and what they came to is the same in whatever order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tck_kit.campaign import searches
from tck_kit.campaign.searches import CANONICAL, SearchGiven, keep, merge, search_many, units_of
from tck_kit.engine_choice import EngineChoice
from tck_kit.faults import UsageFault
from tck_kit.fuzz.command import fuzz
from tck_kit.fuzz.search import Asked

MUTANT = EngineChoice("mutant", faulty="silent")


def asked(output: Path, engine: EngineChoice = MUTANT) -> Asked:
    return Asked(
        engine=engine.shown, choice=engine, seed=0, examples=5, steps=10, seconds=600, shrink_seconds=0, output=output
    )


def test_each_seed_finds_its_counterexample_which_says_how_it_is_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "what was found"

    assert search_many(asked(output), (1, 2), cluster=None) == 1

    merged = json.loads((output / CANONICAL).read_text(encoding="utf-8"))
    assert [(one["seed"], one["ended_by"], one["exit_code"]) for one in merged["searches"]] == [
        (1, "counterexample", 1),
        (2, "counterexample", 1),
    ]
    names = {one["counterexample"] for one in merged["searches"]}
    assert names == {path.name for path in output.glob("*.feature")}
    for name in names:
        again = f"session-tck run --engine mutant:silent --feature '{output / name}'"
        assert again in (output / name).read_text(encoding="utf-8")
        assert again in capsys.readouterr().out or len(names) > 1
    assert merged["stimuli"] == sum(one["stimuli"] for one in merged["searches"]) > 0


FOUND = SearchGiven(1, 1, "counterexample", 3, 9, 5, {"issue.opened": 5}, ("R-1",), "it has a row", "r-1.feature", "1")
AGAIN = SearchGiven(2, 1, "counterexample", 4, 9, 5, {"issue.opened": 5}, ("R-1",), "it has a row", "r-1.feature", "2")
NOTHING = SearchGiven(3, 0, "examples", 5, 50, 30, {"time": 20, "issue.opened": 10})
FAULT = SearchGiven(4, 4, "fault", faults=("the driver cannot be started",))


@given(st.permutations([FOUND, AGAIN, NOTHING, FAULT]))
def test_in_whatever_order_searches_come_the_same_comes_of_them(given_searches: list[SearchGiven]) -> None:
    merged = merge("an engine", (1, 2, 3, 4, 5), given_searches, "interrupted")

    assert merged == merge("an engine", (1, 2, 3, 4, 5), [FOUND, AGAIN, NOTHING, FAULT], "interrupted")
    assert [one["ended_by"] for one in merged["searches"]] == [
        "counterexample",
        "counterexample",
        "examples",
        "fault",
        "not run",
    ]
    assert (merged["histories"], merged["kinds"]) == (12, {"issue.opened": 20, "time": 20})


SHARED = [
    (("--seeds", "1-3"), ((1, 2, 3), None)),
    (("--seed", "7", "--cluster", "local:2"), ((7,), "local:2")),
    (("--seeds", "1,5", "--cluster", "tcp://127.0.0.1:8786"), ((1, 5), "tcp://127.0.0.1:8786")),
]


@pytest.mark.parametrize(("options", "heard"), SHARED)
def test_fuzz_makes_many_searches_where_seeds_or_a_cluster_are_named(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], heard: tuple[tuple[int, ...], str | None]
) -> None:
    made: list[tuple[object, ...]] = []

    def search(asked: Asked, seeds: tuple[int, ...], *, cluster: str | None) -> int:
        made.append((asked.choice, seeds, cluster))
        return 1

    monkeypatch.setattr(searches, "search_many", search)
    done = CliRunner().invoke(fuzz, ("--engine", "mutant:silent", *options), standalone_mode=False)

    assert (done.return_value, made) == (1, [(MUTANT, *heard)])


def test_fuzz_refuses_two_ways_to_name_seeds() -> None:
    with pytest.raises(UsageFault, match="both --seed and --seeds are given"):
        CliRunner().invoke(fuzz, ("--seed", "1", "--seeds", "1-3"), standalone_mode=False, catch_exceptions=False)


WORST = [
    ((NOTHING,), 0),
    ((NOTHING, FOUND), 1),
    ((NOTHING, FOUND, FAULT), 4),
]


@pytest.mark.parametrize(("runs", "code"), WORST)
def test_the_exit_code_is_the_worst(runs: tuple[SearchGiven, ...], code: int) -> None:
    seeds = tuple(one.seed for one in runs)

    assert merge("an engine", seeds, runs, None)["exit_code"] == code
    assert merge("an engine", (*seeds, 9), runs, "interrupted")["exit_code"] == (code or 3)


def test_a_counterexample_that_several_seeds_have_shown_tells_of_the_first(tmp_path: Path) -> None:
    for order in ((FOUND, AGAIN), (AGAIN, FOUND)):
        keep(order, tmp_path)
        assert (tmp_path / "r-1.feature").read_text(encoding="utf-8") == "1"


def test_searches_that_would_meet_at_one_driver_are_one_unit(tmp_path: Path) -> None:
    listening = EngineChoice("url", urls=("http://127.0.0.1:8700",))

    assert [unit.name for unit in units_of(asked(tmp_path), (1, 2, 5))] == ["seed 1", "seed 2", "seed 5"]
    assert [unit.name for unit in units_of(asked(tmp_path, listening), (1, 2, 5))] == ["seeds 1-2,5"]
