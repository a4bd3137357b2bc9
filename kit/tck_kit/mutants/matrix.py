"""The kill matrix: what came of a hunt, put together from its pieces and judged.

Exit codes, the first that applies: 4 where something else than an engine was at fault, 3 where the hunt was cut short,
1 where a fault has survived the scenarios of its own requirement, a requirement was not shown able to fail, an agreed
one by fewer than two faults of different kinds, or a pair of faults hides itself; 0 otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tck_fakes.faults import Fault, Kind
from tck_kit.mutants.pairs import Pair
from tck_kit.mutants.plan import Breadth, Plan
from tck_kit.mutants.unit import Hunted, Meeting
from tck_kit.scenarios import Scenario
from tck_reports.outcomes import PRECEDENCE, ExitCode
from tck_reports.records import RequirementEntry

#: How many faults of different kinds an agreed requirement has to be shown able to fail by.
LEAST_KINDS = 2


class Fate(StrEnum):
    """What became of a fault."""

    KILLED = "killed"
    SURVIVED = "survived"
    #: Not all of its scenarios were run, and none of the others has killed it.
    OPEN = "not run"


@dataclass(frozen=True, slots=True)
class FaultRow:
    """One fault and what it has met; scenarios stand in the order in which they are tried."""

    fault: Fault
    #: How many scenarios of its own requirement there are.
    own: int
    #: Those of its own requirement that have killed it, and the others.
    killers: tuple[Meeting, ...]
    elsewhere: tuple[Meeting, ...]
    errors: tuple[Meeting, ...]
    finished: bool

    @property
    def fate(self) -> Fate:
        """What became of it: only scenarios of its own requirement count."""
        if self.killers:
            return Fate.KILLED
        return Fate.SURVIVED if self.finished else Fate.OPEN

    @property
    def first(self) -> Meeting | None:
        """The first of its killers."""
        return next(iter(self.killers), None)

    @property
    def crashes(self) -> bool:
        """Whether it was found out by nothing but that the engine broke off, which shows little of the scenarios."""
        return bool(self.killers) and all(meeting.way == "crashed" for meeting in self.killers)


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """One requirement and the faults that break it."""

    entry: RequirementEntry
    faults: tuple[FaultRow, ...]

    @property
    def killed(self) -> tuple[FaultRow, ...]:
        """Those that its own scenarios have killed."""
        return tuple(row for row in self.faults if row.fate is Fate.KILLED)

    @property
    def kinds(self) -> frozenset[Kind]:
        """In which ways it was seen to fail."""
        return frozenset(row.fault.kind for row in self.killed)

    @property
    def open(self) -> bool:
        """Whether something of it has not been run, so that nothing can be held against it."""
        return any(row.fate is Fate.OPEN for row in self.faults)

    @property
    def one_sided(self) -> bool:
        """Whether it is agreed, and was seen to fail in one way only."""
        return self.entry.status == "agreed" and 0 < len(self.kinds) < LEAST_KINDS and not self.open


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """One scenario and the faults that it kills."""

    scenario: Scenario
    #: How many faults break a requirement of it, and how many of those it kills.
    own: int
    own_kills: int
    #: The others that it has met and kills, those of its area first.
    elsewhere: tuple[Fault, ...]

    @property
    def kills(self) -> int:
        """How many it kills in all; where not every fault has met it, how many are known."""
        return self.own_kills + len(self.elsewhere)

    @property
    def stray(self) -> Fault | None:
        """The first that it kills, where it kills none that it should."""
        return None if self.own_kills else next(iter(self.elsewhere), None)


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two faults at once and what they have met."""

    pair: Pair
    killers: tuple[Meeting, ...]
    errors: tuple[Meeting, ...]
    finished: bool

    @property
    def fate(self) -> Fate:
        """What became of them together; survivors are such as hide each other."""
        if self.killers:
            return Fate.KILLED
        return Fate.SURVIVED if self.finished else Fate.OPEN


@dataclass(frozen=True, slots=True)
class Matrix:
    """Everything that came of a hunt."""

    plan: Plan
    faults: tuple[FaultRow, ...]
    requirements: tuple[RequirementRow, ...]
    pairs: tuple[PairRow, ...] = ()
    cut_short: str | None = None

    def of(self, fate: Fate) -> tuple[FaultRow, ...]:
        """Give the faults of this fate."""
        return tuple(row for row in self.faults if row.fate is fate)

    @property
    def errors(self) -> tuple[tuple[str, Meeting], ...]:
        """What says nothing of an engine, by the name of the fault."""
        single = ((row.fault.name, meeting) for row in self.faults for meeting in row.errors)
        double = ((row.pair.name, meeting) for row in self.pairs for meeting in row.errors)
        return (*single, *double)

    @property
    def shown(self) -> tuple[RequirementRow, ...]:
        """The requirements that were seen to fail."""
        return tuple(row for row in self.requirements if row.killed)

    @property
    def vacuous(self) -> tuple[RequirementRow, ...]:
        """The requirements that no fault breaks."""
        return tuple(row for row in self.requirements if not row.faults)

    @property
    def one_sided(self) -> tuple[RequirementRow, ...]:
        """The agreed requirements that were seen to fail in one way only."""
        return tuple(row for row in self.requirements if row.one_sided)

    @property
    def masked(self) -> tuple[PairRow, ...]:
        """The pairs that hide each other."""
        return tuple(row for row in self.pairs if row.fate is Fate.SURVIVED)

    @property
    def scenarios(self) -> tuple[ScenarioRow, ...]:
        """Every scenario with what it has killed, as far as it has met it."""
        killed: dict[str, set[str]] = {scenario.id: set() for scenario in self.plan.scenarios}
        for row in self.faults:
            for meeting in (*row.killers, *row.elsewhere):
                killed[meeting.scenario].add(row.fault.name)
        return tuple(_scenario_row(self.plan, scenario, killed[scenario.id]) for scenario in self.plan.scenarios)

    @property
    def barren(self) -> tuple[Scenario, ...]:
        """The scenarios that have killed nothing so far."""
        return tuple(row.scenario for row in self.scenarios if not row.kills)

    @property
    def knows_idle(self) -> bool:
        """Whether a scenario that has killed nothing has met every fault that there is."""
        return self.plan.breadth is not Breadth.FIRST and not self.plan.narrowed and self.cut_short is None

    @property
    def idle(self) -> tuple[Scenario, ...]:
        """The scenarios that kill nothing, where that is known."""
        return self.barren if self.knows_idle else ()

    @property
    def exit_code(self) -> ExitCode:
        """What the process says to the shell."""
        if self.errors:
            return ExitCode.FAULT
        if self.cut_short is not None:
            return ExitCode.INCOMPLETE
        wrong = self.of(Fate.SURVIVED) or self.vacuous or self.one_sided or self.masked
        return ExitCode.NONCONFORMANT if wrong else ExitCode.CONFORMANT


def merge(plan: Plan, hunted: Iterable[Hunted], pairs: Sequence[Pair] = (), cut_short: str | None = None) -> Matrix:
    """Put the pieces together: whatever their number and order, the same pieces give the same matrix."""
    gathered: dict[tuple[str, ...], dict[str, Meeting]] = {}
    for piece in hunted:
        held = gathered.setdefault(piece.faults, {})
        for meeting in piece.meetings:
            held[meeting.scenario] = min(meeting, held.get(meeting.scenario, meeting), key=_weight)
    faults = tuple(_row(plan, fault, gathered.get((fault.name,), {})) for fault in plan.faults)
    requirements = tuple(
        RequirementRow(entry, tuple(row for row in faults if row.fault.requirement == entry.id))
        for entry in plan.entries
    )
    return Matrix(
        plan,
        faults,
        requirements,
        tuple(_pair_row(plan, pair, gathered.get(pair.names, {})) for pair in pairs),
        cut_short,
    )


def _weight(meeting: Meeting) -> tuple[int, str, str]:
    """Order what should be the same thing told twice; the worse is believed."""
    return PRECEDENCE.index(meeting.outcome), meeting.blame or "", meeting.reason or ""


def _row(plan: Plan, fault: Fault, gathered: Mapping[str, Meeting]) -> FaultRow:
    order = plan.own(fault)
    own = {scenario.id for scenario in order}
    others = (scenario for scenario in plan.scenarios if scenario.id not in own)
    meetings = [gathered[scenario.id] for scenario in (*order, *others) if scenario.id in gathered]
    killed = [meeting for meeting in meetings if meeting.kills]
    return FaultRow(
        fault,
        len(own),
        tuple(meeting for meeting in killed if meeting.scenario in own),
        tuple(meeting for meeting in killed if meeting.scenario not in own),
        tuple(meeting for meeting in meetings if meeting.erred),
        all(scenario.id in gathered for scenario in plan.order(fault)),
    )


def _scenario_row(plan: Plan, scenario: Scenario, killed: Collection[str]) -> ScenarioRow:
    own = [fault for fault in plan.faults if fault.requirement in scenario.requirements]
    own_kills = sum(fault.name in killed for fault in own)
    strangers = plan.strangers(scenario) if len(killed) > own_kills else ()
    elsewhere = tuple(fault for fault in strangers if fault.name in killed)
    return ScenarioRow(scenario, len(own), own_kills, elsewhere)


def _pair_row(plan: Plan, pair: Pair, gathered: Mapping[str, Meeting]) -> PairRow:
    order = plan.own(pair.one, pair.other)
    meetings = [gathered[scenario.id] for scenario in order if scenario.id in gathered]
    return PairRow(
        pair,
        tuple(meeting for meeting in meetings if meeting.kills),
        tuple(meeting for meeting in meetings if meeting.erred),
        len(meetings) == len(order),
    )
