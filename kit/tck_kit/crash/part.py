"""A part of a crash sweep, as any process can do it: some scenarios, one engine, a folder of its own."""

from __future__ import annotations

from dataclasses import dataclass

from tck_driver.connection import About
from tck_kit.crash.source import CutSource
from tck_kit.crash.sweep import Swept, sweep
from tck_kit.driver_keeper import Introduction
from tck_kit.engine_choice import EngineChoice
from tck_kit.laboratory import Laboratory
from tck_kit.scenarios import Scenario
from tck_kit.sources import source
from tck_kit.workers import Workers


@dataclass(frozen=True, slots=True)
class Part:
    """What is to be swept. `at` names one cut alone: after how many events, and whether late."""

    scenarios: tuple[Scenario, ...]
    engine: EngineChoice
    about: About
    introduced: Introduction | None
    seed: int
    every: int
    #: Seconds that a scenario may take, with what comes after the cut.
    patience: int
    at: tuple[int, bool] | None = None
    #: The first part also has the cuts during the engine's start; the number is the driver's where several are named.
    number: int = 0


def sweep_part(part: Part) -> tuple[Swept, ...]:
    """Sweep the scenarios of a part, one after the other."""
    with Workers(0) as place:
        inner = source(
            part.engine,
            place.folder,
            part.about,
            database_url=None,
            number=part.number,
            introduced=part.introduced,
        )
        cuts = CutSource(inner, in_process=part.engine.in_process)
        laboratory = Laboratory(place.folder / "scenarios", part.seed, cuts)
        try:
            return tuple(
                sweep(
                    one,
                    laboratory,
                    cuts,
                    every=part.every,
                    seconds=part.patience,
                    start=part.number == 0 and one is part.scenarios[0],
                    at=part.at,
                )
                for one in part.scenarios
            )
        finally:
            laboratory.close()
