"""What is to be hunted: which faults, through which scenarios, and in which pieces."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from tck_driver.courses import PROFILES
from tck_fakes.faults import Fault
from tck_kit.catalogue import Catalogue, select
from tck_kit.faults import UsageFault
from tck_kit.mutants.unit import Unit, hunting_order
from tck_kit.scenarios import Scenario
from tck_reports.records import RequirementEntry

#: How many scenarios a unit of a full hunt has: enough to be worth sending, few enough to share out evenly.
PIECE = 70


class Breadth(StrEnum):
    """How much a fault meets: each breadth shows what the one before it shows, and costs some times as much."""

    #: The scenarios of its own requirement, until one kills it.
    FIRST = "first"
    #: All of those; and in `rounds`, every scenario that has killed nothing by then meets the faults of others.
    MATRIX = "matrix"
    #: Every scenario.
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Plan:
    """Some faults, the scenarios of the suite, and the requirements that are judged by what comes of it.

    `entries` are those that are to be shown able to fail: none where single faults were named, as others could show
    it.
    """

    faults: tuple[Fault, ...]
    scenarios: tuple[Scenario, ...]
    entries: tuple[RequirementEntry, ...]
    seed: int
    breadth: Breadth = Breadth.FIRST
    #: Whether less than the whole catalogue was asked for.
    narrowed: bool = False
    patience: float = 10.0

    def own(self, *faults: Fault) -> tuple[Scenario, ...]:
        """Give the scenarios of the requirements of these faults, in the order in which they are tried."""
        return hunting_order(self.scenarios, {fault.requirement for fault in faults})

    def order(self, fault: Fault) -> tuple[Scenario, ...]:
        """Give every scenario that a fault is to meet, those of its own requirement first."""
        own = self.own(fault)
        if self.breadth is not Breadth.FULL:
            return own
        ids = {scenario.id for scenario in own}
        others = (scenario for scenario in self.scenarios if scenario.id not in ids and concerns(scenario, fault))
        return (*own, *others)

    def strangers(self, scenario: Scenario) -> tuple[Fault, ...]:
        """Give the faults that break no requirement of a scenario, those of its area first: they are likely kills."""
        areas = {area(requirement) for requirement in scenario.requirements}
        others = (
            fault
            for fault in self.faults
            if fault.requirement not in scenario.requirements and concerns(scenario, fault)
        )
        return tuple(sorted(others, key=lambda fault: area(fault.requirement) not in areas))

    def units(self) -> tuple[Unit, ...]:
        """Cut the hunt into pieces that can be done anywhere and in any order."""
        return tuple(self._units())

    def _units(self) -> Iterator[Unit]:
        for fault in self.faults:
            order = self.order(fault)
            if self.breadth is Breadth.FIRST:
                yield self.unit(fault, order, full=False)
                continue
            for start in range(0, len(order), PIECE):
                yield self.unit(fault, order[start : start + PIECE], full=True)

    def unit(self, fault: Fault, scenarios: tuple[Scenario, ...], *, full: bool) -> Unit:
        """Give one piece."""
        return Unit((fault.name,), scenarios, self.seed, full, self.patience, (fault.requirement,))


def concerns(scenario: Scenario, fault: Fault) -> bool:
    """Say whether scenario and fault are about engines of one kind: those that play courses, or those of mailboxes."""
    return any(area(one).lower() in PROFILES for one in scenario.requirements) == (fault.policy is not None)


def area(requirement: str) -> str:
    """Give the area that a requirement is of."""
    return requirement.rpartition("-")[0]


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
