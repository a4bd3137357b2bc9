"""The engines of turns that are wrong on purpose: what every run with courses begins with, and what it draws."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from tck_driver.courses import PROFILES
from tck_fakes.faults import FAULTS
from tck_fakes.faults.fault import Kind
from tck_fakes.faulty import CONTROLS, TURN_CONTROLS, policy_of
from tck_kit import controls
from tck_kit.catalogue import Catalogue, read_catalogue, select
from tck_kit.controls import drawn, trials
from tck_kit.failures_shown import SHOWN, Failed
from tck_kit.families import COURSES
from tck_kit.laboratory import Laboratory
from tck_kit.mutants.plan import Breadth, Plan, concerns
from tck_kit.performance import perform
from tck_reports.outcomes import Outcome
from tck_simulator.turns.kinds import KINDS

FAULTY = {name: one for name, one in FAULTS.items() if one.policy is not None}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(None, None, thorough=False, sentences=False, family=COURSES)


@pytest.fixture(scope="module")
def whole() -> Catalogue:
    return read_catalogue(None, None, thorough=False, sentences=False, family=None)


@pytest.mark.parametrize("name", TURN_CONTROLS)
def test_no_course_that_a_control_may_go_through_lets_it_pass(name: str, tmp_path: Path, catalogue: Catalogue) -> None:
    control = TURN_CONTROLS[name]
    fit = [one for one in catalogue.suite.scenarios if control.must_fail(one.tags)]
    laboratory = Laboratory.in_process(tmp_path, 1, "0", faulty=name)

    outcomes = {one.id: perform(one, laboratory).outcome for one in fit}
    laboratory.close()

    assert fit
    assert [scenario for scenario, outcome in outcomes.items() if outcome is not Outcome.FAILED] == []


def test_courses_have_controls_of_their_own(catalogue: Catalogue) -> None:
    begun = trials(catalogue.suite.scenarios, ("foreign-id",), 1)

    assert [trial.name for trial in begun] == [*TURN_CONTROLS, "foreign-id"]
    assert begun[-1].requirement == "CONTINUITY-5"
    assert not CONTROLS.keys() & TURN_CONTROLS.keys()


def test_a_run_with_courses_draws_faults_of_its_profiles_alone(catalogue: Catalogue) -> None:
    for profile in PROFILES:
        names = {name for seed in range(20) for name in drawn(catalogue, select(catalogue, (profile,), (), ()), seed)}
        assert len(names) > controls.DRAWN
        assert {FAULTS[name].requirement.rpartition("-")[0].lower() for name in names} == {profile}


def test_every_requirement_of_the_annex_can_be_broken_in_two_ways_at_least(catalogue: Catalogue) -> None:
    ways: defaultdict[str, set[Kind]] = defaultdict(set)
    for one in FAULTY.values():
        ways[one.requirement].add(one.kind)

    assert set(ways) == {entry.id for entry in catalogue.entries}
    assert [requirement for requirement, kinds in ways.items() if len(kinds) < 2] == []


def test_a_fault_is_committed_under_a_policy_that_claims_its_profile() -> None:
    profiles = {name: one.requirement.rpartition("-")[0].lower() for name, one in FAULTY.items()}

    assert [name for name, one in FAULTY.items() if profiles[name] not in KINDS[one.policy or ""].profiles] == []


def test_the_name_of_a_faulty_engine_tells_which_kind_it_is() -> None:
    assert {policy_of(name) for name in CONTROLS} == {None}
    assert {policy_of(name) for name in TURN_CONTROLS} == {"continuity"}
    assert (policy_of("restored-unproven"), policy_of("slug-of-60")) == ("reuse", None)
    assert policy_of("restored-unproven+kept-over-a-failure") == "reuse"


@pytest.mark.parametrize("names", ["restored-unproven+slug-of-60", "restored-unproven+foreign-id"])
def test_no_engine_is_of_two_kinds(names: str) -> None:
    with pytest.raises(ValueError, match="no engine can be wrong in all of these ways"):
        policy_of(names)


@pytest.mark.parametrize("breadth", Breadth)
def test_faults_of_one_kind_of_engine_do_not_meet_the_scenarios_of_the_other(
    whole: Catalogue, breadth: Breadth
) -> None:
    faults = (FAULTS["foreign-id"], FAULTS["slug-of-60"])
    plan = Plan(faults, whole.suite.scenarios, whole.entries, 1, breadth)

    for fault in faults:
        met = plan.order(fault)
        assert met
        assert all(concerns(scenario, fault) for scenario in met)
    for scenario in whole.suite.scenarios:
        assert {fault.policy is None for fault in plan.strangers(scenario)} <= {concerns(scenario, faults[1])}


def test_sarif_that_shows_a_requirement_which_a_control_spares_lets_no_control_pass() -> None:
    def text(*rules: str) -> str:
        return json.dumps({"runs": [{"results": [{"ruleId": one} for one in rules]}]})

    told = Failed(1, {"REUSE-2"}, badge=True, spared={"REUSE-1"})
    shown = SHOWN["report.sarif"]

    assert shown(text("REUSE-2"), told)
    assert not shown(text("REUSE-2", "REUSE-1"), told)
    assert not shown(text(), told)
