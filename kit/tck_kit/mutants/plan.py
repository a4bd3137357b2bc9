"""What is to be hunted: which faults, through which scenarios, and in which pieces."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from tck_fakes.faults import Fault
from tck_kit.catalogue import Catalogue, select
from tck_kit.faults import UsageFault
from tck_kit.mutants.unit import Unit, hunting_order
from tck_kit.scenarios import Scenario
from tck_reports.records import RequirementEntry

#: How many scenarios a unit of a full hunt has: enough to be worth sending, few enough to share out evenly.
PIECE = 70


@dataclass(frozen=True, slots=True)
class Plan:
    """Some faults, the scenarios of the suite, and the requirements that are judged by what comes of it.

    `full` lets every fault meet every scenario. `entries` are those that are to be shown able to fail: none where
    single faults were named, as others could show it.
    """

    faults: tuple[Fault, ...]
    scenarios: tuple[Scenario, ...]
    entries: tuple[RequirementEntry, ...]
    seed: int
    full: bool = False
    #: Whether less than the whole catalogue was asked for.
    narrowed: bool = False
    patience: float = 10.0

    def own(self, *faults: Fault) -> tuple[Scenario, ...]:
        """Give the scenarios of the requirements of these faults, in the order in which they are tried."""
        return hunting_order(self.scenarios, {fault.requirement for fault in faults})

    def order(self, fault: Fault) -> tuple[Scenario, ...]:
        """Give every scenario that a fault is to meet, those of its own requirement first."""
        own = self.own(fault)
        if not self.full:
            return own
        ids = {scenario.id for scenario in own}
        return (*own, *(scenario for scenario in self.scenarios if scenario.id not in ids))

    def units(self) -> tuple[Unit, ...]:
        """Cut the hunt into pieces that can be done anywhere and in any order."""
        return tuple(self._units())

    def _units(self) -> Iterator[Unit]:
        for fault in self.faults:
            order = self.order(fault)
            for start in range(0, len(order), PIECE) if self.full else [0]:
                part = order[start : start + PIECE] if self.full else order
                yield Unit((fault.name,), part, self.seed, self.full, self.patience)


def choose(
    catalogue: Catalogue,
    faults: Mapping[str, Fault],
    *,
    names: Collection[str] = (),
    areas: Collection[str] = (),
    requirements: Collection[str] = (),
) -> tuple[tuple[Fault, ...], tuple[RequirementEntry, ...]]:
    """Choose faults, and the requirements to judge. Raises `UsageFault` for a name of nothing, or where none is left.

    Faults of requirements that the specification does not have are left out: it is another one.
    """
    unknown = next((name for name in names if name not in faults), None)
    if unknown is not None:
        near = get_close_matches(unknown, list(faults), n=1)
        raise UsageFault(
            "there is no fault of this name",
            unknown,
            f"did you mean {near[0]}?" if near else "`session-tck mutants --list` shows all",
        )
    selection = select(catalogue, "all", areas, requirements)
    wanted = {entry.id: entry for entry in catalogue.entries if selection.only is None or entry.id in selection.only}
    place = {requirement: number for number, requirement in enumerate(wanted)}
    chosen = sorted(
        (one for one in faults.values() if one.requirement in wanted and (not names or one.name in names)),
        key=lambda one: (place[one.requirement], one.name),
    )
    if not chosen:
        raise UsageFault(
            "no fault is left", ", ".join((*names, *areas, *requirements)) or "--specification", "ask for more"
        )
    return tuple(chosen), () if names else tuple(wanted.values())
