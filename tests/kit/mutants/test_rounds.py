"""The hunt for the matrix: a fault meets all of its own scenarios, and a scenario that killed none meets the others."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tck_fakes.faults import Fault
from tck_kit.mutants import rounds, words
from tck_kit.mutants.fields import encode
from tck_kit.mutants.matrix import Fate, Matrix, merge
from tck_kit.mutants.page import page
from tck_kit.mutants.plan import Breadth, Plan
from tck_kit.mutants.rounds import next_round
from tck_kit.mutants.unit import Hunted, Meeting, Unit
from tck_kit.scenarios import Scenario
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.records import KitFacts, SpecFacts

from .made_up import ENDED, FAULTS, NAMED, PUSHED, entry

FACTS = (KitFacts("0", "0"), SpecFacts("a", "1", "0", "0"))


def fault(name: str, requirement: str) -> Fault:
    one: Fault = replace(FAULTS["reversed"], name=name, requirement=requirement)
    return one


NAME, RESUME, OFF = fault("name", "NAME-1"), fault("resume", "RESUME-2"), fault("off", "OFF-1")
NEAR = fault("near", "NAME-2")


def plan(*faults: Fault, narrowed: bool = False) -> Plan:
    entries = (entry("NAME-1", "proposed"), entry("RESUME-2", "proposed"))
    return Plan(faults, (PUSHED, NAMED, ENDED), entries, 1, Breadth.MATRIX, narrowed)


def met(one: Fault, *scenarios: Scenario, killed_by: tuple[Scenario, ...] = ()) -> Hunted:
    """Let a fault meet scenarios, of which some kill it."""
    return Hunted(
        (one.name,),
        tuple(
            Meeting(scenario.id, Outcome.FAILED, "engine", "assertion")
            if scenario in killed_by
            else Meeting(scenario.id, Outcome.PASSED)
            for scenario in scenarios
        ),
    )


def _told(units: tuple[Unit, ...]) -> list[tuple[str, list[str]]]:
    return [(unit.faults[0], [scenario.name for scenario in unit.scenarios]) for unit in units]


OWN = (met(NAME, PUSHED, NAMED, killed_by=(NAMED,)), met(RESUME, ENDED, killed_by=(ENDED,)))


def test_at_first_each_fault_meets_all_scenarios_of_its_own_requirement_whatever_kills_it() -> None:
    units = plan(NAME, RESUME).units()

    assert _told(units) == [("name", ["Pushed", "Named"]), ("resume", ["Ended"])]
    assert all(unit.full for unit in units)


def test_then_what_has_killed_nothing_meets_the_faults_of_others() -> None:
    matrix = merge(plan(NAME, RESUME, OFF), (*OWN, met(OFF)))

    assert [scenario.name for scenario in matrix.barren] == ["Pushed"]
    assert _told(next_round(matrix, 0)) == [("resume", ["Pushed"]), ("off", ["Pushed"])]
    assert next_round(matrix, 1) == ()


def test_one_fault_meets_all_those_scenarios_at_a_stretch() -> None:
    matrix = merge(plan(NAME, RESUME, OFF), (met(NAME, PUSHED, NAMED), met(RESUME, ENDED)))

    assert _told(next_round(matrix, 0)) == [
        ("name", ["Ended"]),
        ("resume", ["Pushed", "Named"]),
        ("off", ["Pushed", "Named", "Ended"]),
    ]


def test_the_faults_of_its_area_come_in_earlier_rounds_and_each_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "FIRST_ROUND", 1)
    matrix = merge(plan(OFF, RESUME, NAME, NEAR), OWN)

    assert [_told(next_round(matrix, number)) for number in range(3)] == [
        [("near", ["Pushed"])],
        [("off", ["Pushed"]), ("resume", ["Pushed"])],
        [],
    ]


def test_a_scenario_that_has_killed_in_one_round_is_not_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "FIRST_ROUND", 1)
    wanted = plan(OFF, RESUME, NAME, NEAR)

    assert next_round(merge(wanted, (*OWN, met(NEAR, PUSHED, killed_by=(PUSHED,)))), 1) == ()
    assert next_round(merge(wanted, (*OWN, met(NEAR, PUSHED))), 1) != ()


def _after(*more: Hunted, cut_short: str | None = None, narrowed: bool = False) -> Matrix:
    return merge(plan(NAME, RESUME, narrowed=narrowed), (*OWN, *more), cut_short=cut_short)


def test_a_scenario_that_no_fault_fails_is_named() -> None:
    matrix = _after(met(RESUME, PUSHED))

    assert matrix.idle == (PUSHED,)
    assert list(words.notes(matrix)) == [("idle", PUSHED.id, "kills no fault")]
    assert "1 of 3 scenarios kill no fault:\n\n- x.feature::Pushed\n" in page(matrix)
    assert matrix.exit_code is ExitCode.CONFORMANT


def test_where_every_scenario_kills_a_fault_of_its_own_the_page_says_so() -> None:
    killed = met(NAME, PUSHED, NAMED, killed_by=(PUSHED, NAMED))

    assert "Every scenario kills a fault of a requirement of its own.\n" in page(
        merge(plan(NAME, RESUME), (killed, OWN[1]))
    )


def test_a_scenario_that_only_anothers_fault_fails_is_told_apart() -> None:
    matrix = _after(met(RESUME, PUSHED, killed_by=(PUSHED,)))
    text = page(matrix)

    assert matrix.idle == ()
    assert "Every scenario kills a fault.\n" in text
    assert "1 of 3 scenarios kill only faults of requirements that are not theirs:\n" in text
    assert "\n- x.feature::Pushed: resume (RESUME-2)\n" in text
    assert [row.stray for row in matrix.scenarios] == [RESUME, None, None]


@pytest.mark.parametrize("matrix", [_after(cut_short="interrupted"), _after(narrowed=True)], ids=["cut", "narrowed"])
def test_what_was_not_asked_of_every_fault_is_held_against_no_scenario(matrix: Matrix) -> None:
    assert matrix.idle == ()
    assert "kill no fault" not in page(matrix)
    assert "Every scenario kills" not in page(matrix)
    assert "then met the faults of all other requirements" not in page(matrix)


def test_what_it_meets_of_others_decides_nothing_about_a_fault() -> None:
    matrix = merge(plan(NAME, RESUME), (met(NAME, PUSHED, NAMED, ENDED, killed_by=(ENDED,)), OWN[1]))

    assert [row.fate for row in matrix.faults] == [Fate.SURVIVED, Fate.KILLED]
    assert "by luck elsewhere: x.feature::Ended" in words.survivor(matrix, matrix.faults[0])
    assert merge(plan(NAME), (met(NAME, PUSHED, ENDED),)).faults[0].fate is Fate.OPEN


def test_the_page_says_how_it_was_made_and_how_many_notice_each_fault() -> None:
    text = page(_after(met(RESUME, PUSHED)))

    assert "Made by `session-tck mutants --matrix`: " in text
    assert "then met the faults of all other requirements" in text
    assert "| requirement | fault | kind | sin | killed by | first killer |\n" in text
    assert "| NAME-1 | name | wrong value | is reversed | 1 of 2 | x.feature::Named |\n" in text
    assert "| Pushed | 0 of 1 |\n| Named | 1 of 1 |\n| Ended | 1 of 1 |\n" in text


def test_the_file_for_programs_says_what_the_matrix_knows() -> None:
    content = json.loads(encode(_after(met(RESUME, PUSHED, killed_by=(PUSHED,))), *FACTS))

    assert content["breadth"] == "matrix"
    assert [(one["killers"], one["elsewhere"]) for one in content["faults"]] == [([NAMED.id], None), ([ENDED.id], None)]
    assert [(one["own_kills"], one["own_faults"], one["stray_kill"], one["kills"]) for one in content["scenarios"]] == [
        (0, 1, "resume", None),
        (1, 1, None, None),
        (1, 1, None, None),
    ]
