"""What the end of a scenario means: whose fault it is, and which outcome that gives.

Specification: §28.1. The type of what stopped a scenario says whether engine, driver or kit is to blame; what nobody
foresaw is the kit's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tck_driver.errors import (
    DriverCrashedError,
    DriverError,
    DriverTimeoutError,
    EngineError,
    EngineTimeoutError,
    FalseAdvertisingError,
    UnsupportedError,
    UntestableError,
)
from tck_features.checks import Expectation as StepExpectation
from tck_features.checks import ExpectationFailedError
from tck_kit.scenarios import Scenario
from tck_reports.outcomes import Outcome
from tck_reports.records import Blame, CheckRecord, Expectation


class ScenarioTimeoutError(Exception):
    """A scenario took longer than it may: the engine does not come to rest."""


class NotHeldError(Exception):
    """A trace that is judged again does not hold what a scenario asks, so nothing can be said of it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An outcome with its reason and who is to blame."""

    outcome: Outcome
    reason: str | None
    blame: Blame | None


#: The first class that fits decides; subclasses stand before their bases.
_MEANINGS: tuple[tuple[type[BaseException], Outcome, str | None, Blame | None], ...] = (
    (ExpectationFailedError, Outcome.FAILED, "assertion", "engine"),
    (FalseAdvertisingError, Outcome.FAILED, "false_advertising", "engine"),
    (EngineTimeoutError, Outcome.FAILED, "timeout", "engine"),
    (EngineError, Outcome.FAILED, "crashed", "engine"),
    (ScenarioTimeoutError, Outcome.FAILED, "timeout", "engine"),
    (NotHeldError, Outcome.NOT_RUN, None, None),
    (UnsupportedError, Outcome.UNSUPPORTED, None, None),
    (UntestableError, Outcome.UNTESTABLE, None, None),
    (DriverCrashedError, Outcome.FAILED, "crashed", "driver"),
    (DriverTimeoutError, Outcome.FAILED, "timeout", "driver"),
    (DriverError, Outcome.ERROR, None, "driver"),
)


def judge(stopped_by: BaseException | None, expectations: Sequence[StepExpectation]) -> Judged:
    """Judge a scenario by what stopped it, or, where nothing did, by whether it looked at anything."""
    if stopped_by is None:
        if not expectations:
            return Judged(Outcome.ERROR, "vacuous: the scenario ended without a check", "kit")
        if not all(one.held for one in expectations):
            # Something between the check and here has kept it from ending the scenario.
            return Judged(Outcome.FAILED, "assertion", "engine")
        return Judged(Outcome.PASSED, None, None)
    for kind, outcome, reason, blame in _MEANINGS:
        if isinstance(stopped_by, kind):
            return Judged(outcome, reason or str(stopped_by), blame)
    return Judged(Outcome.ERROR, f"{type(stopped_by).__name__}: {stopped_by}"[:2000], "kit")


def record(
    scenario: Scenario,
    stopped_by: BaseException | None,
    expectations: Sequence[StepExpectation],
    *,
    duration_ms: float,
    failed_step: str | None,
    hints: Sequence[str] = (),
) -> CheckRecord:
    """Write down what a scenario gave; `hints` go with the judgement that did not hold."""
    if isinstance(stopped_by, ExpectationFailedError) and expectations:
        *held, last = expectations
        expectations = [*held, replace(last, evidence=(*last.evidence, *hints))]
    judged = judge(stopped_by, expectations)
    reason = judged.reason
    if judged.outcome is Outcome.FAILED and reason != "assertion":
        reason = f"{reason}: {stopped_by}"[:2000]
    failed_for = _failed_for(scenario, expectations) if stopped_by is None else ()
    return CheckRecord(
        id=scenario.id,
        scenario=scenario.name,
        feature=scenario.place,
        requirements=scenario.requirements,
        outcome=judged.outcome,
        reason=reason,
        blame=judged.blame,
        expectations=tuple(_once(expectations, scenario.requirements if failed_for else ())),
        duration_ms=round(duration_ms, 3),
        steps=tuple(f"{step.kind.capitalize()} {step.text}" for step in scenario.steps),
        failed_step=failed_step,
        failed_for=failed_for,
    )


def _failed_for(scenario: Scenario, expectations: Sequence[StepExpectation]) -> tuple[str, ...]:
    """Give the requirements that something broke for, or nothing held for, in a scenario that went on to its end.

    Nothing, where all of them are meant: what broke names none of them, or there is no other.
    """
    broken = [set(one.requirements) for one in expectations if not one.held]
    if not broken or not all(named.intersection(scenario.requirements) for named in broken):
        return ()
    held = {requirement for one in expectations if one.held for requirement in one.requirements}
    failed = tuple(one for one in scenario.requirements if any(one in named for named in broken) or one not in held)
    return () if len(failed) == len(scenario.requirements) else failed


def _once(expectations: Sequence[StepExpectation], requirements: Sequence[str]) -> Iterator[Expectation]:
    """Give each judgement once: steps look at some things again and again, and a report is not for that.

    What was expected and what was there are the evidence of one that held; what lay around it helps where it did not.
    Where it matters which of these `requirements` each was about, that is said of each.
    """
    seen: set[str] = set()
    for one in expectations:
        about = tuple(name for name in requirements if name in one.requirements)
        key = repr((one.statement, one.expected, one.actual, one.held, about))
        if key not in seen:
            seen.add(key)
            evidence = () if one.held else one.evidence
            yield Expectation(one.statement, one.expected, one.actual, one.held, one.evidence_class, evidence, about)
