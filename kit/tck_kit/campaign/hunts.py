"""Hunts of faulty engines on a cluster: some faults at a time, with a hunter of its own for each lot.

The hunter is the one that a hunt on this machine has, so a fault that brings it down, or never ends, comes to the same.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tck_kit.campaign.units import Ended, Executor, Unit
from tck_kit.mutants.hunters import Hunters
from tck_kit.mutants.unit import Hunted, Meeting
from tck_kit.mutants.unit import Unit as Hunt
from tck_kit.workers import Workers
from tck_reports.outcomes import Outcome

#: How many hunts make a unit: enough to be worth two processes, few enough to share out evenly. Full ones take longer.
LOT, FULL_LOT = 20, 10


def hunt_lot(lot: tuple[Hunt, ...]) -> tuple[Hunted, ...]:
    """Do some hunts, one after the other."""
    with Workers(0) as place, Hunters(1, place.folder) as pool:
        hunted, cut_short = pool.hunt(lot, math.inf, _nobody)
    if cut_short is not None:
        raise KeyboardInterrupt
    return hunted


def _nobody(_hunted: Hunted) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """Tells each hunt of a unit as soon as the unit is done."""

    heard: Callable[[Hunted], None]
    told_to: Callable[[str], None]

    def ended(self, unit: Ended[Any], done: int, total: int) -> None:  # noqa: ARG002 -- how far it is, the hearer counts
        """Tell its hunts."""
        hunts: tuple[Hunted, ...] = unit.result or ()
        for hunted in hunts:
            self.heard(hunted)

    def told(self, text: str) -> None:
        """Tell it."""
        self.told_to(text)


@dataclass(frozen=True, slots=True)
class SharedHunters:
    """Hunters on the workers of a cluster; `told` is given what a person should know of those."""

    executor: Executor
    told: Callable[[str], None]

    def hunt(
        self, units: Iterable[Hunt], until: float, heard: Callable[[Hunted], None]
    ) -> tuple[tuple[Hunted, ...], str | None]:
        """Do all hunts as `Hunters` does; a lot that cannot be hunted is an error of each of its faults."""
        hunts = tuple(units)
        size = FULL_LOT if any(one.full for one in hunts) else LOT
        lots = [hunts[at : at + size] for at in range(0, len(hunts), size)]
        named = {f"lot {number} of {len(lots)}": lot for number, lot in enumerate(lots, 1)}
        harvest = self.executor.perform(
            hunt_lot,
            [Unit(name, lot) for name, lot in named.items()],
            watch=_Heard(heard, self.told),
            seconds=max(0.0, until - time.monotonic()),
        )
        errors = [_error(hunt, one) for one in harvest.failed for hunt in named[one.name]]
        done = [hunted for lot in harvest.results for hunted in lot]
        return (*done, *errors), harvest.cut_short


def _error(hunt: Hunt, lot: Ended[object]) -> Hunted:
    reason = f"{lot.name}: {lot.kind}: {lot.text}"[:500]
    return Hunted(hunt.faults, (Meeting(hunt.scenarios[0].id, Outcome.ERROR, "kit", reason),))
