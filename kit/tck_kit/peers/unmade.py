"""The report of a peer of which nothing could be run: of the ordinary form, and never a verdict on the engine.

Every scenario of the profiles that its driver claims is in it, as not run where the engine is not there, and as an
error of the driver where the driver does not fit it.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tck_kit import assets, surroundings
from tck_kit.asked_run import Asked, read_suite
from tck_kit.engine_choice import Confined, EngineChoice
from tck_kit.peers.table import Peer
from tck_reports import grading, report, verdict
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord, Declaration, Implementation, KitFacts, RunFacts, SpecFacts
from tck_reports.shape import Report

#: The words that every such report has, for whoever puts reports side by side.
NOT_OBTAINED, INCOMPATIBLE = "not obtained", "driver incompatible"


@dataclass(frozen=True, slots=True)
class Unmade:
    """Why there is no run: the engine is not there, or its driver cannot be used with it."""

    kind: str
    why: str
    #: Whom its driver ran as, and what it was not cut off from.
    confined: Confined = field(default_factory=lambda: Confined(0, 0))

    def record(self, scenario: str, name: str, place: str, requirements: tuple[str, ...]) -> CheckRecord:
        """Give what stands in the place of what a scenario would have given."""
        if self.kind == NOT_OBTAINED:
            return CheckRecord(scenario, name, place, requirements, Outcome.NOT_RUN, reason=NOT_OBTAINED)
        reason = f"{self.kind}: {self.why}"
        return CheckRecord(scenario, name, place, requirements, Outcome.ERROR, reason=reason, blame="driver")


def unmade(peer: Peer, asked: Asked, why: Unmade) -> Report:
    """Make the report. Raises `UsageFault` or `SuiteFault`."""
    settings = asked.settings
    catalogue, selection = read_suite(asked, thorough=settings.thorough)
    spec = catalogue.specification
    expected = {name: ids for name, ids in catalogue.expected.items() if name not in selection.unasked}
    graded = grading.grade(
        catalogue.entries,
        [why.record(one.id, one.name, one.place, one.requirements) for one in selection.scenarios],
        expected,
        profiles=selection.profiles,
        only=selection.only,
        cut_short=f"{NOT_OBTAINED}: {why.why}" if why.kind == NOT_OBTAINED else None,
    )
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    choice = EngineChoice("command", peer=peer.name, confined=why.confined)
    return report.build(
        kit=KitFacts(assets.version(), assets.suite_digest(catalogue.suite.folder)),
        spec=SpecFacts(spec.identifier, spec.version, spec.digest, spec.set_digest),
        implementation=Implementation(peer.name, peer.version, peer.language, peer.homepage),
        declared=Declaration(peer.profiles),
        run=RunFacts(
            seed=settings.seed or 0,
            argv=asked.argv,
            started=now,
            finished=now,
            host={"system": platform.system(), "machine": platform.machine(), "python": platform.python_version()},
            workers=settings.workers,
            transport=choice.transport,
            budgets={"run": float(settings.time_limit), "scenario": float(settings.scenario_time_limit)},
            surroundings=surroundings.met(choice, database=None),
            engine=choice.shown,
        ),
        grading=graded,
        conclusion=verdict.conclude(graded, asked=selection.profiles),
        controls=(),
    )
