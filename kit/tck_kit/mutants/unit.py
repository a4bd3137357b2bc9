"""What a hunt consists of: units of work that can be sent to any process, and what each comes back with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tck_kit.scenarios import Scenario
from tck_reports.outcomes import Outcome
from tck_reports.records import Blame, CheckRecord


@dataclass(frozen=True, slots=True)
class Unit:
    """A faulty engine, and the scenarios that it is to go through in this order.

    `faults` are there all at once. Without `full`, the first scenario that kills it is the last.
    """

    faults: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    seed: int
    full: bool = False
    #: Seconds that a scenario may take.
    patience: float = 10.0
    #: What the faults break.
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meeting:
    """What a scenario made of a faulty engine."""

    scenario: str
    outcome: Outcome
    blame: Blame | None = None
    reason: str | None = None

    @property
    def kills(self) -> bool:
        """Whether the scenario has failed, and blamed the engine."""
        return self.outcome is Outcome.FAILED and self.blame == "engine"

    @property
    def erred(self) -> bool:
        """Whether this says nothing of the engine, because somebody else is at fault."""
        return self.outcome is Outcome.ERROR or (self.outcome is Outcome.FAILED and self.blame != "engine")

    @property
    def way(self) -> str:
        """How it was killed, in a word: `assertion`, `crashed`, `timeout`."""
        return (self.reason or "").partition(":")[0]


@dataclass(frozen=True, slots=True)
class Hunted:
    """What came of a unit, or of a part of it: a unit that was cut short has fewer meetings than scenarios."""

    faults: tuple[str, ...]
    meetings: tuple[Meeting, ...]


def met(record: CheckRecord, broken: Collection[str] = ()) -> Meeting:
    """Keep of what a scenario gave what the hunt is about: faults that break these requirements.

    A scenario that is about some of them, and has failed for others alone, has noticed nothing.
    """
    own = [requirement for requirement in record.requirements if requirement in broken]
    if own and all(record.spares(requirement) for requirement in own):
        return Meeting(record.id, Outcome.PASSED)
    return Meeting(record.id, record.outcome, record.blame, None if record.reason is None else record.reason[:500])


def hunting_order(scenarios: Iterable[Scenario], requirements: Collection[str]) -> tuple[Scenario, ...]:
    """Give the scenarios of these requirements, likely killers first.

    Rows of one outline mostly see the same, so each outline has its first row before any has its second; among those,
    scenarios of few requirements come first, and short ones before long ones.
    """
    rows: Counter[tuple[str, int]] = Counter()
    found: list[tuple[tuple[int, int, int, int], Scenario]] = []
    for place, scenario in enumerate(scenarios):
        if not set(requirements).isdisjoint(scenario.requirements):
            outline = (scenario.path, scenario.line)
            rows[outline] += 1
            found.append(((rows[outline], len(scenario.tags), len(scenario.steps), place), scenario))
    return tuple(scenario for _, scenario in sorted(found, key=lambda one: one[0]))
