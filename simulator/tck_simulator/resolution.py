"""Session resolution: whether a run has a session, which id it resumes, and if none, why.

One pure function over frozen values; it reads no clock, no disk and no database. Specification: RESUME-1, RESUME-3,
FALLBACK-1 to FALLBACK-5, FALLBACK-15, FALLBACK-18, FALLBACK-20, §16.5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tck_driver.vocabulary import AdapterId, FallbackReason, MailboxKind
from tck_simulator.layout import StateOnDisk
from tck_simulator.versions import Version

#: Specification: FALLBACK-20. So many failures in a row of one resumed session, and it is given up.
FAILURES_BEFORE_FRESH = 3


@dataclass(frozen=True, slots=True)
class PriorRun:
    """One earlier run of the mailbox that had a session, whatever came of it.

    `native_id` is None unless it has its adapter's form, `asked` is the id that it was to resume. `failed` is an
    ordinary failure; `finished` leaves out runs that were cancelled or abandoned.
    """

    adapter: AdapterId
    native_id: str | None
    version: Version | None
    asked: str | None
    failed: bool
    finished: bool


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that the decision rests on. `prior` is newest first."""

    setting_on: bool
    target: MailboxKind
    adapter: AdapterId
    declared: bool
    verified: bool
    version: Version | None
    prior: tuple[PriorRun, ...]
    state: StateOnDisk


@dataclass(frozen=True, slots=True)
class Resolution:
    """What was decided: a session or none; with one, an id to resume or the reason for a fresh one."""

    session: bool
    resume_id: str | None = None
    reason: FallbackReason | None = None


def _candidate(situation: Situation) -> PriorRun | None:
    same = (run for run in situation.prior if run.adapter is situation.adapter)
    return next((run for run in same if run.native_id is not None), None)


def _nothing_before(situation: Situation) -> bool:
    return all(run.native_id is None for run in situation.prior)


def _others_only(situation: Situation) -> bool:
    return _candidate(situation) is None


def _version_bad(situation: Situation) -> bool:
    candidate = _candidate(situation)
    wrote = candidate.version if candidate else None
    older = wrote is not None and situation.version is not None and situation.version < wrote
    return not situation.verified or older


def _state_gone(situation: Situation) -> bool:
    return situation.state is not StateOnDisk.PRESENT


def _given_up(situation: Situation) -> bool:
    finished = [run for run in situation.prior if run.adapter is situation.adapter and run.finished]
    last = finished[:FAILURES_BEFORE_FRESH]
    return (
        len(last) == FAILURES_BEFORE_FRESH
        and last[0].asked is not None
        and all(run.failed and run.asked == last[0].asked for run in last)
    )


#: The reasons for a fresh session, the first that holds being the one recorded (FALLBACK-18, rows 4 to 8 of §16.5.3).
REASONS: tuple[tuple[FallbackReason, Callable[[Situation], bool]], ...] = (
    (FallbackReason.NO_PRIOR_SESSION, _nothing_before),
    (FallbackReason.ADAPTER_CHANGED, _others_only),
    (FallbackReason.UNSUPPORTED_VERSION, _version_bad),
    (FallbackReason.STATE_MISSING, _state_gone),
    (FallbackReason.REFUSED, _given_up),
)


def resolve(situation: Situation) -> Resolution:
    """Decide about the session of one run, before anything is started."""
    if not (situation.setting_on and situation.declared and situation.target == "issue"):
        return Resolution(session=False)
    for reason, holds in REASONS:
        if holds(situation):
            return Resolution(session=True, reason=reason)
    candidate = _candidate(situation)
    return Resolution(session=True, resume_id=candidate.native_id if candidate else None)
