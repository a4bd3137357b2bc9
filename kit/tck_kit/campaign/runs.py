"""Many runs as units: one engine with one seed, or with several where they must not happen at the same time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tck_kit.campaign.units import Unit, shown_seeds
from tck_kit.faults import DriverFault, SuiteFault, UsageFault

if TYPE_CHECKING:
    from tck_kit.asked_run import Asked
    from tck_kit.engine_choice import EngineChoice
    from tck_reports.shape import Report

#: The name of a folder is no longer than this.
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class RunsOrder:
    """An engine that is to be run with each of these seeds, one after the other."""

    engine: str
    asked: Asked
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RunGiven:
    """What one run gave: its report, or the kind and the text of the fault that kept it from one."""

    engine: str
    seed: int
    report: Report | None = None
    kind: str = ""
    text: str = ""


def perform_runs(order: RunsOrder) -> tuple[RunGiven, ...]:
    """Do the runs of one unit, in this process and its workers, and say nothing on the way."""
    return tuple(_one(order, seed) for seed in order.seeds)


def _one(order: RunsOrder, seed: int) -> RunGiven:
    from rich.console import Console  # noqa: PLC0415 -- whoever makes orders starts faster

    from tck_kit.asked_run import perform, prepare  # noqa: PLC0415 -- the same
    from tck_kit.workers import Workers  # noqa: PLC0415 -- the same

    asked = replace(order.asked, settings=replace(order.asked.settings, seed=seed))
    try:
        with Workers(asked.settings.workers) as pool:
            report = perform(prepare(asked, pool.folder), pool, Console(quiet=True))
    except (UsageFault, SuiteFault, DriverFault) as fault:
        return RunGiven(order.engine, seed, None, type(fault).__name__, str(fault))
    return RunGiven(order.engine, seed, report)


def units_of(asked: Sequence[tuple[str, Asked]], seeds: Sequence[int]) -> list[Unit[RunsOrder]]:
    """Cut runs into units, engine by engine; each engine comes with the name of its folder."""
    units: list[Unit[RunsOrder]] = []
    for name, one in asked:
        parts = [tuple(seeds)] if one_at_a_time(one.settings.engine) else [(seed,) for seed in seeds]
        for part in parts:
            words = f"seed {part[0]}" if len(part) == 1 else f"seeds {shown_seeds(part)}"
            units.append(Unit(f"{one.settings.engine.shown}, {words}", RunsOrder(name, one, part)))
    return units


def one_at_a_time(engine: EngineChoice) -> bool:
    """Whether two runs would meet: at a driver that listens, or in a database that is the same for all."""
    return engine.kind == "url" or (engine.observed is not None and "{" not in engine.observed.url)


def folders_of(engines: Sequence[EngineChoice]) -> list[str]:
    """Name a folder for each engine, after what a person calls it. Raises `UsageFault` where one comes twice."""
    names: list[str] = []
    for at, engine in enumerate(engines):
        if engine in engines[:at]:
            raise UsageFault("the same engine stands there twice", f"--engine {engine.shown}", "give each once")
        slug = re.sub(r"[^a-z0-9+._]+", "-", engine.shown.lower())[:_LONGEST].strip("-.") or "engine"
        number = 1
        while (name := slug if number == 1 else f"{slug}-{number}") in names:
            number += 1
        names.append(name)
    return names
