"""Proof that a crash sweep can go red: engines that only a power cut shows to be wrong have to be found first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tck_fakes.faults.after_crash import AFTER_CRASH
from tck_fakes.faults.fault import Fault
from tck_kit import assets
from tck_kit.crash.source import CutSource
from tck_kit.crash.sweep import first_failure
from tck_kit.faults import SuiteFault
from tck_kit.laboratory import Laboratory
from tck_kit.scenarios import Scenario, ScenarioStep
from tck_kit.sources import InProcessSource

#: Two runs, one of which posts an answer and one of which pushes: every one of the faults shows in it somewhere.
SCENARIO = Scenario(
    id="crash sweep::two runs",
    name="two runs",
    path="two_runs.feature",
    line=1,
    row_line=0,
    values=(),
    tags=(),
    steps=(
        ScenarioStep("given", "an issue served by claude-code", 1),
        ScenarioStep("given", "an analysis run of the issue has ended", 2),
        ScenarioStep("when", "a development run of the issue is due", 3),
    ),
)


def check_controls(folder: Path, seed: int, faults: Sequence[Fault] = AFTER_CRASH, *, patience: int = 20) -> list[str]:
    """Sweep engines that must be found out, each until it is, and say how. Raises `SuiteFault` for one that is not."""
    found: list[str] = []
    for fault in faults:
        place = folder / fault.name
        place.mkdir(parents=True)
        inner = InProcessSource(place, assets.version(), None, None)
        cuts = CutSource(inner, in_process=True, faults=(fault,))
        laboratory = Laboratory(place / "scenarios", seed, cuts)
        try:
            failure = first_failure(SCENARIO, laboratory, cuts, seconds=patience)
        finally:
            laboratory.close()
        if failure is None:
            raise SuiteFault(f"the sweep did not notice an engine that {fault.sin}, so what it finds proves nothing")
        found.append(f"{fault.name}: found after {failure.events} events")
    return found
