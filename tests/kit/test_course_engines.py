"""A run of an engine that plays courses: what it is judged by, and how long it may take."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tck_kit.asked_run import Asked, Prepared, prepare
from tck_kit.engine_choice import EngineChoice
from tck_kit.faults import DriverFault, UsageFault
from tck_kit.run_settings import COURSE_TIME_LIMIT, settings_of

TALKER = Path(__file__).parent.parent / "driver" / "course_engine.py"


def _prepared(
    tmp_path: Path, *profiles: str, words: tuple[str, ...] = (), limit: int | None = None, scale: float = 1.0
) -> Prepared:
    engine = EngineChoice("command", (sys.executable, str(TALKER), *words), directory=".", timeout_scale=scale)
    return _prepare(engine, tmp_path, *profiles, limit=limit)


def _prepare(engine: EngineChoice, tmp_path: Path, *profiles: str, limit: int | None = None) -> Prepared:
    settings = settings_of(
        None,
        engine=engine,
        profiles=profiles,
        workers=1,
        time_limit=None,
        scenario_time_limit=limit,
        seed=1,
        thorough=None,
        baseline=None,
        report_dir=None,
    )
    return prepare(Asked(settings, ()), tmp_path)


def test_without_a_profile_it_is_held_against_what_it_claims(tmp_path: Path) -> None:
    prepared = _prepared(tmp_path)

    assert prepared.selection.profiles == ("continuity", "reuse")
    areas = {entry.area for entry in prepared.catalogue.entries}
    assert areas == {"CONTINUITY", "REUSE", "REDELEGATION"}
    tags = {tag.rpartition("-")[0] for one in prepared.selection.scenarios for tag in one.tags}
    assert {"continuity", "reuse"} <= tags <= {"continuity", "reuse", "redelegation"}


def test_with_a_profile_it_is_held_against_that(tmp_path: Path) -> None:
    assert _prepared(tmp_path, "redelegation").selection.profiles == ("redelegation",)


def test_it_is_not_held_against_what_is_shown_with_mailboxes(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="it plays courses, and core and hardened is shown with mailboxes"):
        _prepared(tmp_path, "all")


def test_it_has_the_time_that_a_course_takes_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    assert _prepared(tmp_path / "a").asked.settings.scenario_time_limit == COURSE_TIME_LIMIT
    assert _prepared(tmp_path / "b", scale=2.0).asked.settings.scenario_time_limit == 2 * COURSE_TIME_LIMIT
    assert _prepared(tmp_path / "c", limit=7).asked.settings.scenario_time_limit == 7


def test_one_that_was_not_written_for_this_engine_is_no_verdict_on_it(tmp_path: Path) -> None:
    with pytest.raises(DriverFault, match=r"there is no runner\.start in 2\.0\.0"):
        _prepared(tmp_path, words=("moved",))


@pytest.mark.parametrize("name", ["continuity", "reuse", "redelegation"])
def test_the_simulator_under_a_policy_is_held_against_the_profile_of_that_name(tmp_path: Path, name: str) -> None:
    prepared = _prepare(EngineChoice("turns", policy=name), tmp_path)

    assert prepared.selection.profiles == (name,)
    assert {scenario.id for scenario in prepared.selection.scenarios}


def test_the_simulator_of_mailboxes_is_held_against_continuity_alone_of_them(tmp_path: Path) -> None:
    assert _prepare(EngineChoice(), tmp_path / "a", "continuity").selection.profiles == ("continuity",)
    with pytest.raises(UsageFault, match="use --engine sim:redelegation"):
        _prepare(EngineChoice(), tmp_path / "b", "continuity", "redelegation")


def test_an_ordinary_run_has_no_scenario_of_courses(tmp_path: Path) -> None:
    prepared = _prepare(EngineChoice(), tmp_path)

    assert prepared.selection.profiles == ("core", "hardened")
    assert len(prepared.catalogue.entries) == 96
    courses = {"CONTINUITY", "REUSE", "REDELEGATION"}
    named = {one.rpartition("-")[0] for scenario in prepared.catalogue.suite.scenarios for one in scenario.requirements}
    assert not named & courses


def test_quick_is_less_than_the_whole_of_each_profile_that_has_such_scenarios(tmp_path: Path) -> None:
    settings = _prepare(EngineChoice("turns", policy="continuity"), tmp_path).asked.settings
    prepared = prepare(Asked(replace(settings, quick=True), ()), tmp_path)

    assert 1 <= len(prepared.selection.scenarios) <= 3
    assert prepared.selection.only
