"""A run that is made up: what its scenarios gave, and the reports of the whole and of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from tests.reports.samples import DIGEST, entry

from tck_reports.baseline.applying import Ground, apply_baseline
from tck_reports.baseline.entries import Baseline
from tck_reports.grading import SHARD, grade
from tck_reports.outcomes import Outcome
from tck_reports.parts import Part
from tck_reports.reading import decode
from tck_reports.records import (
    CheckRecord,
    Control,
    Declaration,
    Implementation,
    KitFacts,
    RunFacts,
    Shard,
    SpecFacts,
)
from tck_reports.report import build, encode
from tck_reports.shape import Report
from tck_reports.verdict import conclude

ENTRIES = (entry("NAME-1"), entry("RESUME-2"), entry("RESUME-3", level="SHOULD"), entry("ISOLATE-4", status="proposed"))
IDS = [one.id for one in ENTRIES]
TODAY = date(2026, 11, 30)
RIGHT = (
    Control("silent engine", "8 of 8 failed", "8 of 8 failed"),
    Control("forgets", "failed a scenario of RESUME-2", "failed a scenario of RESUME-2"),
)


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up run: what its scenarios gave (None where a record was lost), and what was asked of it."""

    given: Mapping[CheckRecord, bool]
    profiles: tuple[str, ...] = ("core", "hardened")
    only: frozenset[str] | None = None
    baseline: Baseline | None = None
    faults: tuple[str, ...] = ()

    @property
    def expected(self) -> dict[str, tuple[str, ...]]:
        return {record.id: record.requirements for record in self.given}

    @property
    def chosen(self) -> list[CheckRecord]:
        wanted = {
            one.id for one in ENTRIES if one.profile in self.profiles and (self.only is None or one.id in self.only)
        }
        return [record for record in self.given if wanted & {*record.requirements}]

    def report(self, shard: Shard | None = None, share: Mapping[str, int] | None = None) -> Report:
        """Give the report of the whole, or of one part."""
        records: list[CheckRecord] = []
        for record in self.chosen:
            if shard is not None and share is not None and share[record.id] != shard.number:
                records.append(_elsewhere(record))
            elif self.given[record]:
                records.append(record)
        applied = None
        if self.baseline is not None:
            applied = apply_baseline(records, self.baseline, Ground(self.expected, IDS))
            records = list(applied.checks)
        graded = grade(ENTRIES, records, self.expected, profiles=self.profiles, only=self.only, faults=self.faults)
        return build(
            kit=KitFacts("0.1.0", DIGEST),
            spec=SpecFacts("session-resume", "1.0.0", DIGEST, DIGEST),
            implementation=Implementation("engine", "1.0.0"),
            declared=Declaration(self.profiles, {"sessions": "supported"}),
            run=RunFacts(
                seed=7,
                argv=(
                    "session-tck",
                    "run",
                    "--seed",
                    "7",
                    *(() if shard is None else ("--shard", f"{shard.number}/9")),
                ),
                started="2026-11-30T10:00:00.000+00:00",
                finished="2026-11-30T10:01:00.000+00:00",
                host={"system": "Linux"},
                workers=1,
                transport="in process",
                budgets={"run": 900.0},
                shard=shard,
            ),
            grading=graded,
            conclusion=conclude(graded, controls=RIGHT, stale_entries=() if applied is None else applied.stale),
            controls=RIGHT,
            killed={"RESUME-2": ("forgets",)},
            baseline=None if applied is None else applied.used,
        )


def _elsewhere(record: CheckRecord) -> CheckRecord:
    return CheckRecord(record.id, record.scenario, record.feature, record.requirements, Outcome.NOT_RUN, reason=SHARD)


def parts_of(run: Made, share: Mapping[str, int], count: int) -> list[Part]:
    return [
        Part(f"part {number}", decode(encode(run.report(Shard(number, count), share)), "part"))
        for number in range(1, count + 1)
    ]
