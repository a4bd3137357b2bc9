"""The controls of a run: engines that are wrong on purpose go the way of the engine under test, and have to fail on it.

They take every step of that way: the same scenarios under the same test runner, the same events, the same grading and
verdict, the same writers. Where one of them comes out as anything but failed, nothing on that way can be trusted, and
the run says so in place of a verdict.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tck_driver.courses import PROFILES
from tck_fakes.faults import FAULTS
from tck_fakes.faulty import CONTROLS, TURN_CONTROLS
from tck_fakes.faulty import Control as KnownBad
from tck_kit import assets
from tck_kit.catalogue import Catalogue, Selection
from tck_kit.events import Controlled
from tck_kit.failures_shown import SHOWN, Failed
from tck_kit.mutants.unit import hunting_order
from tck_kit.scenarios import Scenario
from tck_reports import files, grading, terminal, verdict
from tck_reports.explain import FAILED
from tck_reports.grading import Grading
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.records import CheckRecord, Control, RequirementEntry
from tck_reports.report import encode
from tck_reports.shape import Report
from tck_reports.verdict import Conclusion

#: How many scenarios a control goes through that all of them must notice.
SIZE = 8
#: How many faults a run draws; each goes through scenarios of its requirement until one kills it.
DRAWN = 6
#: Seconds that a scenario of a control may take: a fault that hangs is as good as one that fails.
PATIENCE = 5

#: Makes a report of what was graded and concluded.
Publish = Callable[[Grading, Conclusion], Report]


@dataclass(frozen=True, slots=True)
class Trial:
    """What one control goes through. `requirement` is the one that it breaks; without one, every scenario must fail."""

    name: str
    sin: str
    scenarios: tuple[Scenario, ...]
    requirement: str | None = None

    def settled(self, records: Sequence[CheckRecord]) -> bool:
        """Say whether it need not go through any more."""
        return self.requirement is not None and any(_failed(record, self.requirement) for record in records)

    def judged(self, records: Sequence[CheckRecord]) -> Control:
        """Say what it had to give, and what it gave."""
        failed = [record for record in records if _failed(record, self.requirement)]
        if self.requirement is None:
            size = len(self.scenarios)
            return Control(self.name, f"{size} of {size} failed", f"{len(failed)} of {size} failed", self.sin)
        expected = f"failed a scenario of {self.requirement}"
        error = next((record for record in records if record.outcome is Outcome.ERROR), None)
        if failed:
            observed = expected
        elif error is not None:
            observed = f"error in {error.id}: {error.reason}"
        else:
            observed = (
                f"passed {len(records)} of {len(self.scenarios)} scenarios of {self.requirement}, and failed none"
            )
        return Control(self.name, expected, observed, self.sin)


def _failed(record: CheckRecord, requirement: str | None = None) -> bool:
    """Say whether the engine failed, and if a requirement is named, in what the scenario looked at for that."""
    spared = requirement is not None and record.spares(requirement)
    return record.outcome is Outcome.FAILED and record.blame == "engine" and not spared


def drawn(catalogue: Catalogue, selection: Selection, seed: int) -> tuple[str, ...]:
    """Draw faults of the requirements that a run is about, by its seed; all parts of a run draw the same.

    Only the kit's own scenarios are held to notice them all; another specification may mean something else by an ID.
    """
    own = (Path(catalogue.specification.source), catalogue.suite.folder)
    if own != (assets.specification_file(), assets.scenario_folder()):
        return ()
    chosen = (*selection.scenarios, *selection.elsewhere)
    covered = {requirement for scenario in chosen for requirement in scenario.requirements}
    about = {
        entry.id
        for entry in catalogue.entries
        if entry.profile in selection.profiles and (selection.only is None or entry.id in selection.only)
    }
    fit = sorted(name for name, fault in FAULTS.items() if fault.requirement in about & covered)
    return tuple(random.Random(seed).sample(fit, min(DRAWN, len(fit))))  # noqa: S311 -- a sample, no secret


def trials(scenarios: Sequence[Scenario], faults: Collection[str], seed: int) -> tuple[Trial, ...]:
    """Give the trials of a run: a sample of scenarios for those that must fail them all, and the drawn faults.

    A user's own scenarios may have none that must notice a certain sin; the report then says 0 of 0.
    """
    found: list[Trial] = []
    for name, control in _known_bad(scenarios).items():
        fit = [one for one in scenarios if control.must_fail(one.tags)]
        sample = random.Random(seed).sample(fit, min(SIZE, len(fit)))  # noqa: S311 -- a sample, no secret
        found.append(Trial(name, control.sin, tuple(sample)))
    for name in faults:
        fault = FAULTS[name]
        found.append(Trial(name, fault.sin, hunting_order(scenarios, {fault.requirement}), fault.requirement))
    return tuple(found)


def _known_bad(scenarios: Sequence[Scenario]) -> Mapping[str, KnownBad]:
    """Give the controls of the kind of engine that these scenarios are about: one that plays courses, or another."""
    areas = {tag.rpartition("-")[0] for scenario in scenarios for tag in scenario.tags}
    return TURN_CONTROLS if areas & set(PROFILES) else CONTROLS


def seen(trial: Trial, told: Controlled, entries: Sequence[RequirementEntry], publish: Publish) -> Control:
    """Judge a control by what its worker saw, what has arrived of that, and what everything behind makes of it."""
    records = told.records
    if told.control.observed != told.control.expected:
        return told.control
    control = trial.judged(records)
    if control.observed != control.expected or not records:
        return control
    # To draw a report takes longest, and those that fail everything show whether that is done.
    blind = next(_blind(records, entries, publish, drawn_as_well=trial.requirement is None), None)
    return control if blind is None else replace(control, observed=f"{control.observed}, but {blind} lets it pass")


def _blind(
    records: Sequence[CheckRecord], entries: Sequence[RequirementEntry], publish: Publish, *, drawn_as_well: bool
) -> Iterator[str]:
    """Yield what does not show that these scenarios have failed."""
    failed = {record.id for record in records if _failed(record)}
    broken = {one for record in records if record.id in failed for one in record.requirements if not record.spares(one)}
    touched = {requirement for record in records for requirement in record.requirements}
    concerned = [entry for entry in entries if entry.id in touched]
    profiles = tuple(dict.fromkeys(entry.profile for entry in concerned))
    graded = grading.grade(concerned, records, {one.id: one.requirements for one in records}, profiles=profiles)
    checks = {check.id for check in graded.checks if check.outcome is Outcome.FAILED}
    requirements = {one.entry.id for one in graded.requirements if one.outcome is Outcome.FAILED}
    if not (failed <= checks and broken <= requirements):
        yield "the grading"
    conclusion = verdict.conclude(graded)
    due = [entry.profile for entry in concerned if entry.id in broken]
    results = {profile: verdict.result for profile, verdict in conclusion.verdicts.items()}
    if conclusion.exit_code is not ExitCode.NONCONFORMANT or not all(_nonconformant(results, one) for one in due):
        yield "the verdict"
    report = publish(graded, conclusion)
    if not _told(json.loads(encode(report)), len(failed), broken, due):
        yield files.CANONICAL
    shown = "core" if "core" in results else next(iter(results), None)
    told = Failed(len(failed), broken, badge=shown in due, spared=_spared(records))
    for name, render in files.FORMATS.items():
        if not SHOWN[name](render(report), told):
            yield name
    if drawn_as_well:
        stream = io.StringIO()
        terminal.write(report, stream, width=200, color=False)
        if not all(f"FAILED {one} " in stream.getvalue() for one in broken):
            yield "the terminal"


def _spared(records: Sequence[CheckRecord]) -> frozenset[str]:
    """Give the requirements that a scenario which failed spares, and that nothing else speaks against."""
    spared = {requirement for one in records for requirement in one.requirements if one.spares(requirement)}
    against = {
        requirement
        for one in records
        if one.outcome in FAILED
        for requirement in one.requirements
        if not one.spares(requirement)
    }
    return frozenset(spared - against)


def _nonconformant(results: Mapping[str, str], profile: str) -> bool:
    return results.get(profile) == "nonconformant"


def _told(report: dict[str, Any], failed: int, broken: Collection[str], due: Collection[str]) -> bool:
    """Say whether the canonical report, as it is read back, has it all; it may spell the names of checks otherwise."""
    requirements = {one["id"] for one in report["requirements"] if one["outcome"] == "failed"}
    results = {profile: verdict["result"] for profile, verdict in report["verdict"].items()}
    return (
        sum(one["outcome"] == "failed" for one in report["checks"]) == failed
        and requirements.issuperset(broken)
        and all(_nonconformant(results, one) for one in due)
        and report["exit_code"] == ExitCode.NONCONFORMANT
    )
