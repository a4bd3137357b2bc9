"""The catalogue of faults and the suite, held against each other: every requirement can fail, every fault is seen."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tck_fakes.faults import FAULTS
from tck_kit.catalogue import Catalogue, read_catalogue
from tck_kit.mutants.command import mutants
from tck_reports.outcomes import ExitCode

PAGE = Path(__file__).parents[3] / "docs" / "kill-matrix.md"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(None, None, thorough=False, sentences=False, family=None)


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `session-tck mutants` says of everything."""
    folder = tmp_path_factory.mktemp("mutants")
    code = mutants.main(["--report-dir", str(folder)], standalone_mode=False)
    content: dict[str, Any] = json.loads((folder / "kill-matrix.json").read_text(encoding="utf-8"))
    return content | {"code": code}


def test_every_fault_is_killed_by_a_scenario_of_its_own_requirement(hunted: dict[str, Any]) -> None:
    assert [(one["name"], one["fate"]) for one in hunted["faults"] if one["fate"] != "killed"] == []
    assert [one["name"] for one in hunted["faults"] if one["errors"]] == []
    assert {one["name"] for one in hunted["faults"]} == set(FAULTS)


def test_every_requirement_that_is_graded_was_seen_to_fail(hunted: dict[str, Any], catalogue: Catalogue) -> None:
    assert [one["id"] for one in hunted["requirements"] if not one["killed"]] == []
    assert {one["id"] for one in hunted["requirements"]} == {entry.id for entry in catalogue.entries}


def test_every_requirement_that_is_no_proposal_was_seen_to_fail_in_two_ways(hunted: dict[str, Any]) -> None:
    due = [one for one in hunted["requirements"] if one["status"] != "proposed"]

    assert [one["id"] for one in due if one["killed"] < 2 or len(one["kinds"]) < 2] == []
    assert {one["status"] for one in due} == {"agreed", "continuity", "reuse", "redelegation"}


def test_all_of_it_is_said_by_the_exit_code(hunted: dict[str, Any]) -> None:
    assert hunted["code"] is ExitCode.CONFORMANT


def test_names_and_sins_of_faults_read_well() -> None:
    assert [name for name in FAULTS if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) is None] == []
    assert [one.name for one in FAULTS.values() if not one.sin or one.sin[0].isupper() or one.sin.endswith(".")] == []
    sins = Counter((one.requirement, one.sin) for one in FAULTS.values())
    assert [sin for sin, count in sins.items() if count > 1] == []


# The page in docs/, which `session-tck mutants --matrix` makes: what it says of the catalogue is still so

_MAKE = "run session-tck mutants --matrix --report-dir build/mutants, and copy build/mutants/kill-matrix.md to docs/"
_ROW = re.compile(
    r"\| (?P<requirement>[A-Z]+-\d+) \| (?P<name>[^|]+) \| (?P<kind>[^|]+) \| (?P<sin>(?:[^|\\]|\\.)+) "
    r"\| (?P<own>\d+) of (?P<scenarios>\d+) \| (?P<first>.+?)(?: \((?:crashed|timeout)\))? \|"
)


def _plain(cell: str) -> str:
    return re.sub(r"\\(.)", r"\1", cell).replace("&lt;", "<").replace("&amp;", "&")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    text = PAGE.read_text(encoding="utf-8")
    found = [match.groupdict() for match in map(_ROW.fullmatch, text.splitlines()) if match is not None]
    return [{name: _plain(cell) for name, cell in row.items()} for row in found]


def test_the_page_has_the_faults_of_the_catalogue_with_their_requirements_kinds_and_sins(
    rows: list[dict[str, str]],
) -> None:
    told = {row["name"]: (row["requirement"], row["kind"], row["sin"]) for row in rows}

    assert told == {one.name: (one.requirement, one.kind.value, one.sin) for one in FAULTS.values()}, _MAKE


def test_the_page_counts_the_scenarios_of_each_requirement_as_they_are(
    rows: list[dict[str, str]], catalogue: Catalogue
) -> None:
    scenarios = Counter(one for scenario in catalogue.suite.scenarios for one in scenario.requirements)

    assert [row["name"] for row in rows if int(row["scenarios"]) != scenarios[row["requirement"]]] == [], _MAKE
    assert [row["name"] for row in rows if not 1 <= int(row["own"]) <= int(row["scenarios"])] == []


def test_the_page_names_the_first_killer_of_each_fault(rows: list[dict[str, str]], hunted: dict[str, Any]) -> None:
    told = {row["name"]: row["first"] for row in rows}

    assert told == {one["name"]: " ".join(one["first_killer"].split()) for one in hunted["faults"]}, _MAKE


def test_the_page_counts_the_faults_of_each_scenario_and_each_kills_one(catalogue: Catalogue) -> None:
    faults = Counter(one.requirement for one in FAULTS.values())
    due = [sum(faults[one] for one in scenario.requirements) for scenario in catalogue.suite.scenarios]
    text = PAGE.read_text(encoding="utf-8")
    told = re.findall(r"^\| .+ \| (\d+) of (\d+) \|$", text, re.MULTILINE)

    assert sorted(int(count) for _, count in told) == sorted(due), _MAKE
    assert "\nEvery scenario kills a fault" in text, f"{_MAKE}; what the page names may be worth nothing"


def test_the_page_says_the_same_in_its_summary(rows: list[dict[str, str]], catalogue: Catalogue) -> None:
    text = PAGE.read_text(encoding="utf-8")
    counts = f"- {len(rows)} of {len(rows)} faults killed by scenarios of their own requirement; "
    requirements = f"{len(catalogue.entries)} of {len(catalogue.entries)} requirements shown able to fail\n"

    assert counts + requirements in text, _MAKE
    assert f"- seed 1, {len(catalogue.suite.scenarios)} scenarios\n" in text, _MAKE
    assert len(PAGE.read_bytes()) < 300_000
