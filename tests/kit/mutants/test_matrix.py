"""What a hunt comes to: the same whatever the order of its pieces, and red wherever something is not shown."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tck_fakes.faults import Fault, Kind
from tck_kit.mutants import words
from tck_kit.mutants.fields import encode
from tck_kit.mutants.hunter import hunt
from tck_kit.mutants.matrix import Fate, Matrix, merge
from tck_kit.mutants.page import page
from tck_kit.mutants.pairs import Pair, replaced, sample
from tck_kit.mutants.plan import Breadth, Plan
from tck_kit.mutants.unit import Hunted, Meeting
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.records import KitFacts, SpecFacts

from . import made_up
from .made_up import ENDED, FAULTS, NAMED, PUSHED, entry

KILL = Meeting("", Outcome.FAILED, "engine", "assertion")
CRASH = Meeting("", Outcome.FAILED, "engine", "crashed: no slug")
PASS = Meeting("", Outcome.PASSED)
ERROR = Meeting("", Outcome.ERROR, "kit", "a step is wrong")
DRIVER = Meeting("", Outcome.FAILED, "driver", "crashed")


def faults(*names: str) -> tuple[Fault, ...]:
    return tuple(FAULTS[name] for name in names)


def plan(
    *names: str, breadth: Breadth = Breadth.FIRST, entries: Sequence[str] = ("NAME-1",), status: str = "agreed"
) -> Plan:
    judged = tuple(entry(name, status) for name in entries)
    return Plan(faults(*names), (PUSHED, NAMED, ENDED), judged, 1, breadth)


def met(name: str, *meetings: Meeting) -> Hunted:
    """Let a fault meet the first scenarios in this way."""
    order = (PUSHED, NAMED, ENDED) if FAULTS[name].requirement == "NAME-1" else (ENDED, PUSHED, NAMED)
    return Hunted((name,), tuple(replace(one, scenario=two.id) for one, two in zip(meetings, order, strict=False)))


BOTH = (met("reversed", KILL), met("emptied", PASS, KILL))


def test_two_kinds_of_fault_that_are_killed_show_an_agreed_requirement() -> None:
    matrix = merge(plan("reversed", "emptied"), BOTH)

    assert matrix.exit_code is ExitCode.CONFORMANT
    assert words.counts(matrix) == (
        "2 of 2 faults killed by scenarios of their own requirement; 1 of 1 requirements shown able to fail"
    )
    assert list(words.findings(matrix)) == []


WRONG: dict[str, tuple[Matrix, ExitCode, tuple[str, str]]] = {
    "a survivor": (
        merge(plan("reversed", "emptied", "harmless"), (*BOTH, met("harmless", PASS, PASS))),
        ExitCode.NONCONFORMANT,
        ("SURVIVED", "harmless"),
    ),
    "a requirement without a fault": (
        merge(plan("reversed", "emptied", entries=("NAME-1", "OFF-1")), BOTH),
        ExitCode.NONCONFORMANT,
        ("VACUOUS", "OFF-1"),
    ),
    "an agreed requirement with one kind of fault": (
        merge(plan("reversed", "reversed-again"), (met("reversed", KILL), met("reversed-again", KILL))),
        ExitCode.NONCONFORMANT,
        ("ONE-SIDED", "NAME-1"),
    ),
    "an error of the kit beside a kill": (
        merge(plan("reversed", "emptied"), (met("reversed", KILL), met("emptied", ERROR, KILL))),
        ExitCode.FAULT,
        ("ERROR", "emptied"),
    ),
    "a failure that the engine is not blamed for": (
        merge(plan("reversed", "emptied"), (met("reversed", KILL), met("emptied", DRIVER, KILL))),
        ExitCode.FAULT,
        ("ERROR", "emptied"),
    ),
    "a pair that hides itself": (
        merge(
            plan("reversed", "emptied"),
            (*BOTH, Hunted(("reversed", "emptied"), met("reversed", PASS, PASS).meetings)),
            (Pair(FAULTS["reversed"], FAULTS["emptied"], "same requirement"),),
        ),
        ExitCode.NONCONFORMANT,
        ("MASKED", "reversed+emptied"),
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_whatever_is_wrong_is_named_and_makes_the_exit_code(case: str) -> None:
    matrix, code, named = WRONG[case]

    found = [(word, about) for word, about, _ in words.findings(matrix)]

    assert matrix.exit_code is code
    assert found == [named]
    assert f"**{named[0]}** {named[1]}" in page(matrix)


def test_one_fault_is_enough_for_a_requirement_that_is_proposed() -> None:
    assert merge(plan("reversed", status="proposed"), BOTH).exit_code is ExitCode.CONFORMANT


def test_an_error_alone_is_no_kill() -> None:
    matrix = merge(plan("unsound"), (met("unsound", ERROR, ERROR),))

    assert matrix.faults[0].fate is Fate.SURVIVED
    assert matrix.exit_code is ExitCode.FAULT
    assert len(matrix.errors) == 2


def test_a_kill_by_another_requirements_scenario_is_luck_and_does_not_count() -> None:
    matrix = merge(
        plan("elsewhere", breadth=Breadth.FULL, entries=("RESUME-2",)), (met("elsewhere", PASS, KILL, KILL),)
    )

    (row,) = matrix.faults
    assert row.fate is Fate.SURVIVED
    assert words.survivor(matrix, row) == (
        "is elsewhere (RESUME-2, wrong value); none of 1 scenarios noticed, by luck elsewhere: x.feature::Pushed and "
        "1 others"
    )
    assert matrix.exit_code is ExitCode.NONCONFORMANT


def test_in_full_a_scenario_that_kills_nothing_is_shown() -> None:
    complete = merge(
        plan("reversed", "emptied", breadth=Breadth.FULL),
        (met("reversed", PASS, KILL, PASS), met("emptied", PASS, KILL, KILL)),
    )

    assert [scenario.id for scenario in complete.idle] == [PUSHED.id]
    assert [(row.scenario.id, row.kills) for row in complete.scenarios] == [
        (PUSHED.id, 0),
        (NAMED.id, 2),
        (ENDED.id, 1),
    ]
    assert complete.exit_code is ExitCode.CONFORMANT
    assert ("idle", PUSHED.id, "kills no fault") in words.notes(complete)
    assert "1 of 3 scenarios kill no fault" in page(complete)


def test_a_hunt_that_was_cut_short_holds_nothing_against_what_was_not_run() -> None:
    matrix = merge(plan("reversed", "emptied"), (met("reversed", KILL), met("emptied", PASS)), cut_short="interrupted")

    assert [row.fate for row in matrix.faults] == [Fate.KILLED, Fate.OPEN]
    assert list(words.findings(matrix)) == []
    assert matrix.exit_code is ExitCode.INCOMPLETE


def test_a_fault_that_only_a_crash_gives_away_is_noted() -> None:
    matrix = merge(plan("crashing", "reversed"), (met("crashing", CRASH), met("reversed", KILL)))

    assert [about for word, about, _ in words.notes(matrix) if word == "crash"] == ["crashing"]


def test_the_pieces_may_come_in_any_order_and_number_and_twice() -> None:
    hunted = [met("reversed", PASS, KILL, PASS), met("emptied", PASS, KILL, KILL), met("unsound", ERROR, PASS, PASS)]
    whole = merge(plan("reversed", "emptied", "unsound", breadth=Breadth.FULL), hunted)
    pieces = [Hunted(one.faults, (meeting,)) for one in hunted for meeting in one.meetings]

    for seed in range(5):
        random.Random(seed).shuffle(pieces)  # noqa: S311 -- an order, no secret
        assert merge(whole.plan, [*pieces, pieces[0]]) == whole

    facts = (KitFacts("0", "0"), SpecFacts("a", "1", "0", "0"))
    assert encode(whole, *facts) == encode(merge(whole.plan, pieces), *facts)
    assert page(whole) == page(merge(whole.plan, pieces))


def test_what_is_told_twice_in_two_ways_is_believed_the_worse() -> None:
    wanted = merge(plan("reversed"), (met("reversed", ERROR),))

    assert merge(plan("reversed"), (met("reversed", ERROR), met("reversed", KILL))) == wanted
    assert merge(plan("reversed"), (met("reversed", KILL), met("reversed", ERROR))) == wanted


def test_the_file_for_programs_has_every_fault_and_says_what_only_a_full_hunt_knows() -> None:
    facts = (KitFacts("0", "0"), SpecFacts("a", "1", "0", "0"))
    first = json.loads(encode(merge(plan("reversed", "emptied"), BOTH), *facts))
    full = json.loads(
        encode(merge(plan("reversed", breadth=Breadth.FULL), (met("reversed", PASS, KILL, KILL),)), *facts)
    )

    assert [(one["name"], one["fate"], one["first_killer"]) for one in first["faults"]] == [
        ("reversed", "killed", PUSHED.id),
        ("emptied", "killed", NAMED.id),
    ]
    assert (first["exit_code"], first["faults"][0]["killers"], first["scenarios"]) == (0, None, None)
    assert (full["faults"][0]["killers"], full["faults"][0]["elsewhere"]) == ([NAMED.id], [ENDED.id])
    assert [one["kills"] for one in full["scenarios"]] == [0, 1, 1]


def test_in_full_a_plan_has_every_fault_meet_every_scenario_once() -> None:
    units = plan("reversed", "elsewhere", breadth=Breadth.FULL).units()

    met_by = {(one.faults[0], scenario.id) for one in units for scenario in one.scenarios}
    assert len(met_by) == 6 == sum(len(one.scenarios) for one in units)
    assert units[1].scenarios[0].id == ENDED.id


# Two faults at once


def test_pairs_are_drawn_from_what_has_something_in_common_by_the_seed() -> None:
    held = faults("reversed", "emptied", "harmless", "elsewhere", "crashing")
    killers = {"reversed": {"a"}, "emptied": {"b"}, "elsewhere": {"b"}, "crashing": {"c"}}
    frozen = {name: frozenset(ids) for name, ids in killers.items()}

    every = sample(held, frozen, 100, 1)

    assert [(pair.name, pair.why) for pair in every] == [
        ("reversed+emptied", "same requirement"),
        ("reversed+elsewhere", "both replace tck_simulator.naming.slug"),
        ("reversed+crashing", "same requirement"),
        ("emptied+elsewhere", "both replace tck_simulator.naming.slug"),
        ("emptied+crashing", "same requirement"),
        ("elsewhere+crashing", "both replace tck_simulator.naming.slug"),
    ]
    assert sample(held, frozen, 2, 1) == sample(held, frozen, 2, 1)
    assert set(sample(held, frozen, 2, 1)) < set(every)


def test_faults_that_one_scenario_kills_can_hide_one_another() -> None:
    other = replace(FAULTS["harmless"], requirement="OFF-1", kind=Kind.ONCE)

    (pair,) = sample((FAULTS["reversed"], other), dict.fromkeys(("reversed", "harmless"), frozenset({"a"})), 9, 1)

    assert pair.why == "killed by one scenario"


def test_what_a_fault_replaces_is_known_without_replacing_it() -> None:
    assert replaced(FAULTS["reversed"]) == {":tck_simulator.naming.slug"}
    assert replaced(FAULTS["harmless"]) == frozenset()


def test_two_faults_that_undo_one_another_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tck_fakes.faulty.FAULTS", made_up.FAULTS)
    wanted = plan("reversed", "reversed-again", "emptied")
    pairs = (
        Pair(FAULTS["reversed"], FAULTS["reversed-again"], "same requirement"),
        Pair(FAULTS["reversed"], FAULTS["emptied"], "same requirement"),
    )
    units = (*wanted.units(), *(pair.unit(wanted) for pair in pairs))

    matrix = merge(wanted, map(hunt, units), pairs)

    assert [row.fate for row in matrix.faults] == [Fate.KILLED] * 3
    assert [row.fate for row in matrix.pairs] == [Fate.SURVIVED, Fate.KILLED]
    assert words.pair_counts(matrix) == "1 of 2 pairs of faults killed"
    assert words.masked(matrix.masked[0]) == (
        "same requirement, and each is killed alone; one is reversed, the other is reversed-again"
    )
