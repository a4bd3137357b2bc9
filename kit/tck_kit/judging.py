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
from tck_reports.baseline.applying import STOPPED
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
#: What means something else of an engine that plays courses. Its driver is not the engine's own but stands between it
#: and the kit, so what that one breaks off, or refuses although it has declared it, says nothing of the engine.
_OF_COURSES: tuple[tuple[type[BaseException], Outcome, str | None, Blame | None], ...] = (
    (FalseAdvertisingError, Outcome.ERROR, None, "driver"),
    (DriverCrashedError, Outcome.ERROR, None, "driver"),
    (DriverTimeoutError, Outcome.ERROR, None, "driver"),
)
#: What only says that there is nothing more to look at, and takes nothing back of what was seen before.
_NO_MORE: tuple[type[BaseException], ...] = (UnsupportedError, UntestableError)


def judge(
    stopped_by: BaseException | None, expectations: Sequence[StepExpectation], *, plays_courses: bool = False
) -> Judged:
    """Judge a scenario by what stopped it, or, where nothing did, by whether it looked at anything.

    `plays_courses` says that the engine's driver plays a course in it.
    """
    if stopped_by is None:
        if not expectations:
            return Judged(Outcome.ERROR, "vacuous: the scenario ended without a check", "kit")
        if not all(one.held for one in expectations):
            # Something between the check and here has kept it from ending the scenario.
            return Judged(Outcome.FAILED, "assertion", "engine")
        return Judged(Outcome.PASSED, None, None)
    if isinstance(stopped_by, _NO_MORE) and not all(one.held for one in expectations):
        return Judged(Outcome.FAILED, STOPPED, "engine")
    for kind, outcome, reason, blame in (*(_OF_COURSES if plays_courses else ()), *_MEANINGS):
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
    plays_courses: bool = False,
) -> CheckRecord:
    """Write down what a scenario gave; `hints` go with the judgement that did not hold.

    Of a scenario that went on after something did not hold, the failed step is the first in which that was so.
    """
    if isinstance(stopped_by, ExpectationFailedError) and expectations:
        *held, last = expectations
        expectations = [*held, replace(last, evidence=(*last.evidence, *hints))]
    judged = judge(stopped_by, expectations, plays_courses=plays_courses)
    reason = judged.reason
    went_on = _went_on(stopped_by, expectations)
    if went_on and reason in {"assertion", STOPPED}:
        failed_step = next((one.step for one in expectations if not one.held), None) or failed_step
    if judged.outcome is Outcome.FAILED and reason != "assertion":
        reason = f"{reason}: {stopped_by}"[:2000]
    failed_for = _failed_for(scenario, expectations) if stopped_by is None else ()
    if failed_for:
        expectations = [*expectations, *_never_looked_at(failed_for, expectations)]
    return CheckRecord(
        id=scenario.id,
        scenario=scenario.name,
        feature=scenario.place,
        requirements=scenario.requirements,
        outcome=judged.outcome,
        reason=reason,
        blame=judged.blame,
        expectations=tuple(_once(expectations, scenario.requirements if failed_for else (), steps=went_on)),
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


def _never_looked_at(failed_for: Sequence[str], expectations: Sequence[StepExpectation]) -> Iterator[StepExpectation]:
    """Give a judgement for each requirement that has failed although nothing broke for it: it must not go unsaid."""
    named = {requirement for one in expectations for requirement in one.requirements}
    for requirement in failed_for:
        if requirement not in named:
            statement = f"something was there by which {requirement} could be judged"
            yield StepExpectation(
                statement,
                expected=True,
                actual=False,
                held=False,
                evidence_class="witnessed",
                requirements=(requirement,),
            )


def _went_on(stopped_by: BaseException | None, expectations: Sequence[StepExpectation]) -> bool:
    """Say whether the scenario went on after something in it did not hold."""
    broken = sum(not one.held for one in expectations)
    return broken > isinstance(stopped_by, ExpectationFailedError)


def _once(
    expectations: Sequence[StepExpectation], requirements: Sequence[str], *, steps: bool
) -> Iterator[Expectation]:
    """Give each judgement once: steps look at some things again and again, and a report is not for that.

    What was expected and what was there are the evidence of one that held; what lay around it helps where it did not.
    Where it matters which of these `requirements` each was about, that is said of each, and with `steps` in which one
    something did not hold.
    """
    seen: set[str] = set()
    for one in expectations:
        about = tuple(name for name in requirements if name in one.requirements)
        step = one.step if steps and not one.held else None
        key = repr((one.statement, one.expected, one.actual, one.held, about, step))
        if key not in seen:
            seen.add(key)
            evidence = () if one.held else one.evidence
            yield Expectation(
                one.statement, one.expected, one.actual, one.held, one.evidence_class, evidence, about, step
            )
