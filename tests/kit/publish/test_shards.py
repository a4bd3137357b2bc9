"""A run that is shared out over jobs: every scenario is in one part, and all jobs agree which."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_kit.catalogue import Selection
from tck_kit.faults import UsageFault
from tck_kit.scenarios import Scenario
from tck_kit.shards import chosen_part, elsewhere, read_shard, shared_out
from tck_reports.records import Shard

from ..conftest import Command  # noqa: TID252 -- the fixtures of the room that this one is in


def selection_of(names: set[str]) -> Selection:
    scenarios = tuple(Scenario(name, name, "a.feature", 3, 0, (), ("name-1",), ()) for name in sorted(names))
    return Selection(("core",), None, scenarios)


NAMES = st.sets(st.text("abcdefgh[], ", min_size=1, max_size=12), min_size=1, max_size=60)


@given(names=NAMES, seed=st.integers(0, 2**32 - 1), data=st.data())
def test_the_parts_are_disjoint_complete_and_of_the_same_size(names: set[str], seed: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(names)))
    chosen = selection_of(names)
    parts = [shared_out(chosen, Shard(number, count), seed) for number in range(1, count + 1)]
    ids = [one.id for part in parts for one in part.scenarios]
    sizes = {len(part.scenarios) for part in parts}
    assert sorted(ids) == sorted(names)
    assert max(sizes) - min(sizes) <= 1
    assert all({*part.scenarios, *part.elsewhere} == {*chosen.scenarios} for part in parts)
    assert all([one.id for one in part.scenarios] == sorted(one.id for one in part.scenarios) for part in parts)


@given(names=NAMES, seed=st.integers(0, 2**32 - 1))
def test_which_part_a_scenario_is_in_does_not_depend_on_the_order_of_the_suite(names: set[str], seed: int) -> None:
    chosen = selection_of(names)
    turned = Selection(chosen.profiles, None, chosen.scenarios[::-1])
    shard = Shard(1, min(2, len(names)))
    there = {one.id for one in shared_out(turned, shard, seed).scenarios}
    assert {one.id for one in shared_out(chosen, shard, seed).scenarios} == there


def test_the_shares_are_the_same_on_every_machine_and_python() -> None:
    chosen = selection_of({"a", "b", "c", "d", "e"})
    assert [one.id for one in shared_out(chosen, Shard(1, 2), 1).scenarios] == FIRST_OF_TWO
    assert [one.id for one in shared_out(chosen, Shard(1, 2), 3).scenarios] != FIRST_OF_TWO


#: Set down once: jobs of one run may have different Pythons, and have to agree.
FIRST_OF_TWO = ["a", "d", "e"]


def test_what_another_part_runs_is_told_as_not_run() -> None:
    part = shared_out(selection_of({"a", "b", "c"}), Shard(1, 3), 1)
    told = [(one.id, str(one.outcome), one.reason) for one in elsewhere(part)]
    mine = part.scenarios[0].id
    assert told == [(name, "not_run", "shard") for name in "abc" if name != mine]


@pytest.mark.parametrize("text", ["1/1", "2/5", "1000/1000"])
def test_a_number_of_a_count_is_a_part(text: str) -> None:
    number, count = text.split("/")
    assert read_shard(text) == Shard(int(number), int(count))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "this is not one part of several"),
        ("2", "this is not one part of several"),
        ("2/", "this is not one part of several"),
        ("2/5/7", "this is not one part of several"),
        ("-1/5", "this is not one part of several"),
        ("2 / 5", "this is not one part of several"),
        ("\u0662/\u0665", "this is not one part of several"),
        ("9999999/9999999", "this is not one part of several"),
        ("0/5", "parts are counted from 1 to 5"),
        ("6/5", "parts are counted from 1 to 5"),
        ("1/0", "a run is shared out in 1 to 1,000 parts"),
        ("1/1001", "a run is shared out in 1 to 1,000 parts"),
    ],
)
def test_anything_else_is_refused_with_an_example(text: str, told: str) -> None:
    with pytest.raises(UsageFault) as fault:
        read_shard(text)
    assert told in str(fault.value)
    assert "such as --shard 2/5" in str(fault.value)


def test_without_a_seed_the_jobs_would_not_agree() -> None:
    with pytest.raises(UsageFault, match=r"the seed decides which scenarios are in which part.*such as --seed 1"):
        chosen_part("1/2", None, alone=True)
    assert chosen_part("1/2", 0, alone=True) == Shard(1, 2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--shard", "1/2"), "--shard 1/2: the seed decides"),
        (("--shard", "1/2", "--seeds", "1,2"), "--shard 1/2: it is for one run"),
        (("--shard", "1/2", "--seed", "1", "--engine", "sim", "--engine", "sim+stdio"), "it is for one run"),
        (("--shard", "3/2", "--seed", "1"), "--shard 3/2: parts are counted from 1 to 2"),
        (("--shard", "1/5", "--seed", "1"), "4 scenarios are selected, so some of the parts would have none"),
    ],
)
def test_a_part_that_cannot_be_meant_is_a_usage_error(on_small: Command, options: tuple[str, ...], told: str) -> None:
    done = on_small("run", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_seed_in_the_project_file_is_as_good_as_the_option(on_small: Command, small: Path) -> None:
    (small / "session-tck.toml").write_text("[run]\nseed = 5\n", encoding="utf-8")
    assert on_small("run", "--shard", "1/2").returncode == 3


def test_a_part_is_incomplete_by_choice_and_names_the_rest(on_small: Command, small: Path) -> None:
    done = on_small("run", "--seed", "1", "--shard", "2/4", "--report-dir", str(small / "part"))
    report = json.loads((small / "part" / "report.json").read_text(encoding="utf-8"))
    assert done.returncode == 3
    assert ", part 2/4" in done.stderr
    assert report["run"]["shard"] == {"number": 2, "count": 4}
    assert report["run"]["filtered"] == "shard: 3 scenarios are of other parts of the run"
    assert (report["complete"], report["run"]["cut_short"], report["missing_checks"]) == (False, None, [])
    outcomes = sorted((check["outcome"], check["reason"]) for check in report["checks"])
    assert outcomes == [("not_run", "shard")] * 3 + [("passed", None)]
    assert {one["result"] for one in report["verdict"].values()} == {"indeterminate"}
    assert {one["outcome"] for one in report["requirements"]} <= {"passed", "not_run"}
    assert len(report["controls"]) >= 2


def test_a_failure_in_a_part_is_its_exit_code(on_small: Command) -> None:
    wrong = ("run", "--seed", "1", "--engine", "mutant:key-for-number")
    assert {on_small(*wrong, "--shard", f"{number}/2").returncode for number in (1, 2)} == {1, 3}


def test_one_part_of_one_is_the_whole(on_small: Command, small: Path) -> None:
    done = on_small("run", "--seed", "1", "--shard", "1/1", "--report-dir", str(small / "part"))
    report = json.loads((small / "part" / "report.json").read_text(encoding="utf-8"))
    assert (done.returncode, report["complete"]) == (0, True)
    assert report["run"]["shard"] == {"number": 1, "count": 1}


def test_every_part_has_the_controls_of_the_whole(command: Command, tmp_path: Path) -> None:
    chosen = ("run", "--seed", "3", "--requirement", "NAME-1", "--no-project-file")
    names: list[list[str]] = []
    for part in ((), ("--shard", "1/2"), ("--shard", "2/2")):
        folder = tmp_path / "-".join(("whole", *part)).replace("/", "of")
        command(*chosen, *part, "--report-dir", str(folder))
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        assert all(one["observed"] == one["expected"] for one in report["controls"])
        names.append([one["name"] for one in report["controls"]])
    assert names[0] == names[1] == names[2]
    assert len(names[0]) > 2
