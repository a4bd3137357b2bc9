"""What many runs come to, and that it is the same bytes in whatever order they came."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tck_kit.campaign import pages
from tck_kit.campaign.fitness import Facts
from tck_kit.campaign.merged import Campaign, Frame, encode, merge, schema
from tck_kit.campaign.runs import RunGiven
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

FACTS = Facts("1.0", "3.11", "sha256:abc", "def")
VALIDATOR = Draft202012Validator(schema())
ENGINES = {"sim": "sim", "node": "node driver.js"}


def given_by(engine: str, seed: int, *outcomes: str, code: int = 0, why: str = "fine", cut: bool = False) -> RunGiven:
    """Give a run with these outcomes of R-1, R-2 and so on."""
    requirements = [
        {"id": f"R-{number}", "level": "MUST", "status": "agreed", "profile": "core", "outcome": outcome}
        for number, outcome in enumerate(outcomes, 1)
    ]
    report: dict[str, Any] = {
        "exit_code": code,
        "exit_reason": why,
        "run": {"cut_short": "interrupted" if cut else None},
        "verdict": {"core": {"result": "conformant" if code == 0 else "nonconformant"}},
        "requirements": requirements,
    }
    return RunGiven(engine, seed, cast("Report", report))


def merged(*given_runs: RunGiven, seeds: Sequence[int] = (1, 2, 3), cut_short: str | None = None) -> Campaign:
    return merge(Frame({name: ENGINES[name] for name in ("sim",)}, seeds, FACTS), given_runs, cut_short)


def test_the_worst_outcome_of_all_seeds_counts_and_the_seeds_that_show_it_are_named() -> None:
    campaign = merged(
        given_by("sim", 1, "passed", "passed", "unsupported"),
        given_by("sim", 2, "failed", "passed", "unsupported", code=1, why="R-1: failed"),
        given_by("sim", 3, "failed", "passed", "unsupported", code=1, why="R-1: failed"),
    )

    first, second, third = (one["engines"]["sim"] for one in campaign["requirements"])
    assert first == {
        "outcome": "failed",
        "seeds": [2, 3],
        "outcomes": {"failed": [2, 3], "passed": [1]},
        "flaky": True,
    }
    assert second == {"outcome": "passed", "seeds": [1, 2, 3], "outcomes": {"passed": [1, 2, 3]}, "flaky": False}
    assert (third["outcome"], third["flaky"]) == ("unsupported", False)
    assert campaign["engines"][0]["flaky"] == ["R-1"]
    assert (campaign["exit_code"], campaign["exit_reason"]) == (1, "sim, seed 2: R-1: failed")


def test_what_was_not_run_for_want_of_time_makes_nothing_flaky() -> None:
    campaign = merged(given_by("sim", 1, "passed"), given_by("sim", 2, "not_run", code=3, cut=True), seeds=(1, 2))

    assert campaign["requirements"][0]["engines"]["sim"]["outcome"] == "not_run"
    assert campaign["engines"][0]["flaky"] == []


DRIVER = RunGiven("sim", 1, None, "DriverFault", "the driver cannot be started")
USAGE = RunGiven("sim", 1, None, "UsageFault", "capability x: it is declared otherwise")
FALLEN = RunGiven("sim", 1, None, "Fallen", "its process ended with exit code -9.")
FAILED = given_by("sim", 2, "failed", code=1, why="R-1: failed")
CUT = given_by("sim", 3, "not_run", code=3, why="interrupted", cut=True)
NARROWED = given_by("sim", 3, "passed", code=3, why="filter")
STALE = given_by("sim", 3, "stale", code=5, why="stale")
FINE = given_by("sim", 1, "passed")
#: Runs of seed 1, 2 and 3, and what all of them come to; the order is that of a single run's verdict.
WORST: list[tuple[tuple[RunGiven, ...], int, str]] = [
    ((FINE, given_by("sim", 2, "passed"), given_by("sim", 3, "passed")), 0, "fine"),
    ((DRIVER, FAILED, CUT), 4, "sim, seed 1: the driver cannot be started"),
    ((FALLEN, FAILED, CUT), 4, "sim, seed 1: Fallen: its process ended with exit code -9."),
    ((USAGE, FAILED, CUT), 2, "sim, seed 1: capability x: it is declared otherwise"),
    ((FINE, FAILED, CUT), 3, "sim, seed 3: interrupted"),
    ((FINE, FAILED, NARROWED), 1, "sim, seed 2: R-1: failed"),
    ((FINE, given_by("sim", 2, "passed"), NARROWED), 3, "sim, seed 3: filter"),
    ((FINE, given_by("sim", 2, "passed"), STALE), 5, "sim, seed 3: stale"),
    ((FINE, FAILED), 3, "sim, seed 3: it was not run, or not to its end"),
]


@pytest.mark.parametrize(("runs", "code", "why"), WORST)
def test_the_exit_code_is_that_of_the_worst_run(runs: tuple[RunGiven, ...], code: int, why: str) -> None:
    campaign = merged(*runs)

    assert (campaign["exit_code"], campaign["exit_reason"]) == (code, why)
    assert campaign["engines"][0]["exit_code"] == code


RUNS: st.SearchStrategy[dict[tuple[str, int], Any]] = st.fixed_dictionaries(
    {
        (engine, seed): st.one_of(
            st.none(),
            st.builds(
                lambda outcomes, code: ("report", outcomes, code),
                st.lists(st.sampled_from([str(one) for one in Outcome]), min_size=2, max_size=2),
                st.sampled_from([0, 1, 3, 4, 5]),
            ),
            st.just(("fault", [], 4)),
        )
        for engine in ENGINES
        for seed in (1, 2, 3)
    }
)


@given(RUNS, st.randoms(use_true_random=False))
def test_in_whatever_order_runs_come_the_report_has_the_same_bytes(
    runs: dict[tuple[str, int], Any], draw: Random
) -> None:
    came = [
        given_by(engine, seed, *what[1], code=what[2])
        if what[0] == "report"
        else RunGiven(engine, seed, None, "ValueError", "it is odd")
        for (engine, seed), what in runs.items()
        if what is not None
    ]
    frame = Frame(ENGINES, (1, 2, 3), FACTS)
    first = merge(frame, came)
    draw.shuffle(came)
    second = merge(frame, came)

    assert encode(first) == encode(second)
    assert not list(VALIDATOR.iter_errors(json.loads(encode(first))))
    assert pages.markdown(first) == pages.markdown(second)
    assert [run["seed"] for engine in second["engines"] for run in engine["runs"]] == [1, 2, 3, 1, 2, 3]


def test_a_person_sees_each_engine_what_is_flaky_and_what_has_no_report() -> None:
    frame = Frame(ENGINES, (1, 2), FACTS)
    campaign = merge(
        frame,
        [
            given_by("sim", 1, "passed", "not_run"),
            given_by("sim", 2, "failed", "not_run", code=1, why="R-1: failed"),
            given_by("node", 1, "passed", "not_run"),
            RunGiven("node", 2, None, "DriverFault", "the | driver\nended"),
        ],
        "interrupted",
    )
    stream = io.StringIO()
    pages.write(campaign, stream)
    told, page = stream.getvalue(), pages.markdown(campaign)

    assert "not the same with every seed: R-1 of sim: failed with 2; passed with 1" in told
    assert "no report: node driver.js, seed 2: the | driver\n" in told
    assert "incomplete: interrupted" in told
    assert "exit code 4, kit or driver error: node driver.js, seed 2: the | driver\n" in told
    assert "| R-1 | **failed** (2) | passed |" in page
    assert "R-2" not in page
    assert "1 more requirements were not run." in page
    assert r"| node driver.js | 2 | no report | 4 | the \| driver ended |" in page
    assert "| [sim](sim/seed-1/report.html) | 1 | core conformant | 0 | fine |" in page
