"""The engines that are wrong on purpose: a scenario that one of them passes is worth nothing, nor what comes after."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tck_fakes.faults import FAULTS
from tck_fakes.faulty import CONTROLS
from tck_kit import controls, failures_shown
from tck_kit.catalogue import Catalogue, Selection, read_catalogue, select
from tck_kit.controls import DRAWN, Trial, drawn, seen, trials
from tck_kit.events import Controlled, decode, encode
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_reports import files, grading, report, terminal, verdict
from tck_reports.formats import junit
from tck_reports.grading import Grading
from tck_reports.outcomes import Outcome
from tck_reports.reading import read
from tck_reports.records import (
    CheckRecord,
    Control,
    Declaration,
    Expectation,
    Implementation,
    KitFacts,
    RequirementEntry,
    RunFacts,
    SpecFacts,
)
from tck_reports.shape import Report
from tck_reports.verdict import Conclusion

from .conftest import Command


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(None, None, thorough=False, sentences=False)


@pytest.mark.parametrize("name", CONTROLS)
def test_no_scenario_that_a_control_may_go_through_lets_it_pass(
    name: str, tmp_path: Path, catalogue: Catalogue
) -> None:
    control = CONTROLS[name]
    fit = [one for one in catalogue.suite.scenarios if control.must_fail(one.tags)]
    laboratory = Laboratory.in_process(tmp_path, 1, "0", faulty=name)

    outcomes = {one.id: perform(one, laboratory).outcome for one in fit}
    laboratory.close()

    assert len(fit) > 5
    assert [scenario for scenario, outcome in outcomes.items() if outcome is not Outcome.FAILED] == []


# Which faults a run draws


def test_a_run_draws_faults_of_the_requirements_that_it_is_about_by_its_seed(catalogue: Catalogue) -> None:
    def about(*requirements: str) -> Selection:
        return select(catalogue, "all", (), requirements)

    whole = drawn(catalogue, about(), 1)
    narrow = drawn(catalogue, about("NAME-8"), 1)

    assert len(set(whole)) == min(DRAWN, len(FAULTS))
    assert whole == drawn(catalogue, about(), 1)
    assert {drawn(catalogue, about(), seed) for seed in range(9)} != {whole}
    assert {FAULTS[name].requirement for name in narrow} == {"NAME-8"}


def test_a_run_of_other_scenarios_draws_none_as_an_id_may_mean_something_else_there(small: Path) -> None:
    other = read_catalogue(small / "specification.md", small / "features")

    assert drawn(other, select(other, "all", (), ()), 1) == ()


def test_a_fault_goes_through_the_scenarios_of_its_requirement_and_no_others(catalogue: Catalogue) -> None:
    *usual, own = trials(catalogue.suite.scenarios, ("slug-of-60",), 1)

    assert [trial.name for trial in usual] == list(CONTROLS)
    assert [len(trial.scenarios) for trial in usual] == [controls.SIZE] * 2
    assert own.requirement == "NAME-8"
    assert own.scenarios
    assert all("NAME-8" in scenario.requirements for scenario in own.scenarios)


# What a control comes to

RED = Expectation("the name", "a", "b", held=False, evidence_class="witnessed")
GREEN = Expectation("the name", "a", "a", held=True, evidence_class="witnessed")


def _record(number: int, outcome: Outcome = Outcome.FAILED) -> CheckRecord:
    failed = outcome is Outcome.FAILED
    return CheckRecord(
        id=f"x.feature::Scenario {number}\u200b\n[a, é]",
        scenario=f"Scenario {number}",
        feature=f"x.feature:{number}",
        requirements=("NAME-8", "NAME-9") if number == 1 else ("NAME-8",),
        outcome=outcome,
        reason="assertion" if failed else None,
        blame="engine" if failed else "kit" if outcome is Outcome.ERROR else None,
        expectations=(RED,) if failed else (GREEN,),
        steps=("When it is so", "Then it is so"),
    )


@pytest.fixture(scope="module")
def one_fault(catalogue: Catalogue) -> Trial:
    return trials(catalogue.suite.scenarios, ("slug-of-60",), 1)[-1]


def test_a_fault_is_done_with_once_a_scenario_has_killed_it(one_fault: Trial) -> None:
    records = [_record(1, Outcome.PASSED), _record(2)]

    assert not one_fault.settled(records[:1])
    assert one_fault.settled(records)
    assert one_fault.judged(records) == Control(
        "slug-of-60",
        "failed a scenario of NAME-8",
        "failed a scenario of NAME-8",
        FAULTS["slug-of-60"].sin,
    )


@pytest.mark.parametrize(
    ("outcomes", "observed"),
    [
        ((Outcome.PASSED, Outcome.PASSED), "passed 2 of "),
        ((Outcome.PASSED, Outcome.ERROR), "error in x.feature::Scenario 1"),
        ((), "passed 0 of "),
    ],
)
def test_a_fault_that_nothing_kills_or_that_the_kit_trips_over_is_not_what_was_expected(
    one_fault: Trial, outcomes: tuple[Outcome, ...], observed: str
) -> None:
    judged = one_fault.judged([_record(number, outcome) for number, outcome in enumerate(outcomes)])

    assert judged.observed.startswith(observed)
    assert judged.observed != judged.expected


def _publish(graded: Grading, conclusion: Conclusion) -> Report:
    return report.build(
        kit=KitFacts("0", "0"),
        spec=SpecFacts("a", "1", "0", "0"),
        implementation=Implementation("e", "1"),
        declared=Declaration(),
        run=RunFacts(1, (), "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:01+00:00", {}, 1, "in process", {}),
        grading=graded,
        conclusion=conclusion,
    )


@pytest.fixture
def looked(catalogue: Catalogue, one_fault: Trial) -> Callable[[], Control]:
    """Let a control that was killed in the worker go the rest of its way."""

    def look() -> Control:
        records = (_record(1, Outcome.PASSED), _record(2))
        told = decode(encode(Controlled(one_fault.judged(records), records)))
        assert isinstance(told, Controlled)
        return seen(one_fault, told, catalogue.entries, _publish)

    return look


def test_a_control_that_is_red_all_the_way_gives_what_was_expected(looked: Callable[[], Control]) -> None:
    control = looked()

    assert control.observed == control.expected


def _held(checks: Sequence[CheckRecord]) -> list[CheckRecord]:
    """Make everything look as if it had held."""
    return [
        replace(
            check,
            outcome=Outcome.PASSED,
            reason=None,
            blame=None,
            expectations=tuple(replace(one, held=True) for one in check.expectations),
        )
        for check in checks
    ]


def _blind_grading(monkeypatch: pytest.MonkeyPatch) -> None:
    real = grading.grade

    def grade(
        entries: Sequence[RequirementEntry], checks: Sequence[CheckRecord], *rest: object, **named: object
    ) -> Grading:
        return real(entries, _held(checks), *rest, **named)  # type: ignore[arg-type] # handed on as it is

    monkeypatch.setattr(grading, "grade", grade)


def _blind_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    real = verdict.conclude

    def conclude(graded: Grading, **named: object) -> Conclusion:
        passed = [replace(one, outcome=Outcome.PASSED) for one in graded.requirements]
        return real(replace(graded, requirements=tuple(passed)), **named)  # type: ignore[arg-type] # handed on as it is

    monkeypatch.setattr(verdict, "conclude", conclude)


def _blind_report(monkeypatch: pytest.MonkeyPatch) -> None:
    real = report.encode

    def encoded(made: Report) -> bytes:
        return real(json.loads(json.dumps(made).replace('"failed"', '"passed"')))

    monkeypatch.setattr("tck_kit.controls.encode", encoded)


def _blind_format(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = files.FORMATS[name]

    def render(made: Report) -> str:
        changed: Report = json.loads(json.dumps(made).replace('"failed"', '"passed"'))
        return real(changed)

    monkeypatch.setattr(files, "FORMATS", {**files.FORMATS, name: render})


def _blind_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tck_kit.events._expectation", lambda _: GREEN)
    monkeypatch.setattr("tck_kit.events.Outcome", lambda _: Outcome.PASSED)


BLIND: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = {
    "the grading": _blind_grading,
    "the verdict": _blind_verdict,
    "report.json": _blind_report,
    "report.html": partial(_blind_format, "report.html"),
    "junit.xml": partial(_blind_format, "junit.xml"),
    "summary.md": partial(_blind_format, "summary.md"),
}


@pytest.mark.parametrize("place", BLIND)
def test_whatever_lets_a_control_pass_on_its_way_is_named(
    place: str, looked: Callable[[], Control], monkeypatch: pytest.MonkeyPatch
) -> None:
    BLIND[place](monkeypatch)

    assert looked().observed == f"failed a scenario of NAME-8, but {place} lets it pass"


def test_events_that_lose_a_failure_are_noticed(looked: Callable[[], Control], monkeypatch: pytest.MonkeyPatch) -> None:
    _blind_events(monkeypatch)

    assert looked().observed.startswith("passed 2 of ")


def test_a_terminal_that_shows_no_failure_is_noticed(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = replace(trials(catalogue.suite.scenarios, (), 1)[0], scenarios=catalogue.suite.scenarios[:2])
    records = (_record(1), _record(2))
    told = Controlled(trial.judged(records), records)

    assert seen(trial, told, catalogue.entries, _publish).observed == "2 of 2 failed"
    monkeypatch.setattr(terminal, "findings", lambda _: ())
    assert seen(trial, told, catalogue.entries, _publish).observed == "2 of 2 failed, but the terminal lets it pass"


# Whole runs, of a kit that sees nothing

_BLIND_KITS = {
    "steps that let everything hold": """
import tck_features.checks as checks
checks._same = lambda expected, actual: True
""",
    "a judge that passes everything": """
import tck_kit.judging as judging
judging.judge = lambda *_, **__: judging.Judged(judging.Outcome.PASSED, None, None)
""",
    "a grading that passes everything": """
from dataclasses import replace
import tck_reports.grading as grading
def held(check):
    looked = tuple(replace(one, held=True) for one in check.expectations)
    return replace(check, outcome=grading.Outcome.PASSED, blame=None, expectations=looked)
real = grading.grade
grading.grade = lambda entries, checks, *rest, **named: real(entries, map(held, checks), *rest, **named)
""",
    "a writer that shows no failure": """
import tck_reports.formats.junit as junit
real = junit.render
junit.render = lambda report: real({**report, "checks": [{**one, "outcome": "passed"} for one in report["checks"]]})
""",
}


@pytest.mark.parametrize("kit", _BLIND_KITS)
def test_a_run_of_a_kit_that_sees_nothing_ends_as_an_error_and_not_as_conformant(
    kit: str, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(_BLIND_KITS[kit], encoding="utf-8")

    done = command(
        "run", "--requirement", "NAME-8", "--workers", "1", "--report-dir", "report", PYTHONPATH=str(tmp_path)
    )

    assert done.returncode == 4, done.stdout + done.stderr
    assert "control: silent (takes every event and does nothing) gave" in done.stdout
    assert "core: indeterminate" in done.stdout
    assert read(tmp_path / "report" / "report.json")["exit_code"] == 4


def test_a_run_shows_its_controls_with_their_sins_and_what_they_were_killed_by(
    command: Command, tmp_path: Path
) -> None:
    done = command("run", "--requirement", "NAME-8", "--seed", "1", "--workers", "1", "--report-dir", "report")

    made = read(tmp_path / "report" / "report.json")
    killed = {one["id"]: one["killed"] for one in made["requirements"] if one["killed"]}
    faults = [one for one in made["controls"] if one["name"] not in CONTROLS]
    assert done.returncode == 3, done.stderr  # it was narrowed down
    assert [one["name"] for one in made["controls"]][:2] == list(CONTROLS)
    assert faults
    assert killed == {"NAME-8": [one["name"] for one in faults]}
    for one in faults:
        assert one["expected"] == one["observed"] == "failed a scenario of NAME-8"
        assert one["sin"] == FAULTS[one["name"]].sin
    for name in ("report.html", "junit.xml"):
        text = (tmp_path / "report" / name).read_text(encoding="utf-8")
        assert [one["name"] for one in faults if one["name"] not in text or one["sin"] not in text] == []


def test_junit_of_a_control_is_read_as_it_is_written() -> None:
    records = [_record(1), _record(2)]
    graded = grading.grade([], records, {one.id: one.requirements for one in records}, profiles=("core",))

    text = junit.render(_publish(graded, verdict.conclude(graded)))

    assert failures_shown.junit_failures(text) == 0  # what names unknown requirements is an error, and no failure
