"""The crash sweep: it cuts where it says, finds what only a crash shows, and accuses no right engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tck_driver.witness import VersionAsked, WitnessLog
from tck_fakes.faults.after_crash import AFTER_CRASH
from tck_kit.crash import controls
from tck_kit.crash.controls import SCENARIO, check_controls
from tck_kit.crash.cut import Fuse, PowerCut
from tck_kit.crash.source import CutSource
from tck_kit.crash.sweep import Swept, sweep
from tck_kit.faults import SuiteFault
from tck_kit.laboratory import Laboratory
from tck_kit.scenarios import Scenario, ScenarioStep
from tck_kit.sources import InProcessSource
from tck_reports.outcomes import Outcome

ASKED = VersionAsked("codex", "runner", "1.0.0")


def swept(folder: Path, scenario: Scenario, *, every: int = 1) -> Swept:
    cuts = CutSource(InProcessSource(folder, "0", None, None), in_process=True)
    laboratory = Laboratory(folder / "scenarios", 1, cuts)
    try:
        return sweep(scenario, laboratory, cuts, every=every, seconds=20)
    finally:
        laboratory.close()


def scenario(*sentences: str) -> Scenario:
    *given, when = sentences
    steps = [ScenarioStep("given", text, at) for at, text in enumerate(given)]
    return replace(SCENARIO, steps=(*steps, ScenarioStep("when", when, len(given))))


def test_a_fuse_lets_the_effect_happen_and_keeps_the_answer() -> None:
    log = WitnessLog()
    fuse = Fuse(log, 2)
    fuse.through(log.add, ASKED)
    with pytest.raises(PowerCut):
        fuse.through(log.add, ASKED)
    assert len(log.records) == 2
    fuse.through(log.add, ASKED)
    assert len(log.records) == 3


def test_a_late_fuse_lets_the_answer_through_and_keeps_the_next_effect_from_happening() -> None:
    log = WitnessLog()
    fuse = Fuse(log, 1, late=True)
    fuse.through(log.add, ASKED)
    fuse.asked(log.mark)
    with pytest.raises(PowerCut):
        fuse.through(log.add, ASKED)
    assert len(log.records) == 1


def test_the_simulator_loses_nothing_wherever_the_power_goes(tmp_path: Path) -> None:
    result = swept(tmp_path, SCENARIO)
    assert result.left_out is None
    assert {cut.record.outcome for cut in result.cuts} == {Outcome.PASSED}
    events = {cut.events for cut in result.cuts}
    assert max(events) == result.events
    assert {(at, late) for at in events for late in (False, True)} == {(cut.events, cut.late) for cut in result.cuts}


def test_a_refused_resume_survives_the_power_cut_as_well(tmp_path: Path) -> None:
    played = scenario(
        "an issue served by codex",
        "an analysis run of the issue has ended",
        "at its next start the CLI refuses the session",
        "a development run of the issue is due",
    )
    result = swept(tmp_path, played, every=2)
    assert len(result.cuts) > 10
    assert [cut for cut in result.cuts if cut.record.outcome is not Outcome.PASSED] == []


@pytest.mark.parametrize("fault", AFTER_CRASH, ids=lambda fault: fault.name)
def test_an_engine_that_only_a_crash_shows_to_be_wrong_is_found(tmp_path: Path, fault: object) -> None:
    (one,) = [known for known in AFTER_CRASH if known is fault]
    (said,) = check_controls(tmp_path, 7, [one])
    assert said.startswith(f"{one.name}: found after ")


def test_the_same_engines_pass_while_the_power_stays(tmp_path: Path) -> None:
    for fault in AFTER_CRASH:
        place = tmp_path / fault.name
        place.mkdir()
        cuts = CutSource(InProcessSource(place, "0", None, None), in_process=True, faults=(fault,))
        laboratory = Laboratory(place / "scenarios", 1, cuts)
        result = sweep(SCENARIO, laboratory, cuts, every=1000, seconds=20)
        laboratory.close()
        assert (result.left_out, result.cuts) == (None, ())


def test_a_sweep_that_notices_nothing_is_worth_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controls, "first_failure", lambda *_given, **_named: None)
    with pytest.raises(SuiteFault, match="did not notice an engine that posts an answer"):
        check_controls(tmp_path, 1)


def test_a_scenario_that_fails_by_itself_is_left_out_and_named_so(tmp_path: Path) -> None:
    played = scenario(
        "an issue served by codex",
        "at its next start the CLI refuses its arguments",
        "an analysis run of the issue has ended",
        "the reconciler sweeps",
    )
    result = swept(tmp_path, played)
    assert result.cuts == ()
    assert result.left_out is not None
    assert result.left_out.startswith("it fails without any cut")
