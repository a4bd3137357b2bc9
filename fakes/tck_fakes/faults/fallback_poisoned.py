"""Faults of giving a session up that fails again and again: after how many runs, and which of them count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tck_driver.vocabulary import AdapterId, FallbackReason, RunOutcome
from tck_fakes.faults.around import Inside, around, asked_despite, decided, last_id
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import resolution, run
from tck_simulator.engine import Engine
from tck_simulator.resolution import PriorRun, Resolution, Situation
from tck_simulator.rows import Session
from tck_simulator.run import RunSequence

Reason = FallbackReason
_ENOUGH = 3


def _given_up(sabotage: Sabotage, counted: Callable[[Situation], Sequence[PriorRun]]) -> None:
    """Look at the latest three of other runs than those that count."""

    def holds(then: Situation) -> bool:
        last = list(counted(then))[:_ENOUGH]
        asked = last[0].asked if last else None
        return (
            asked is not None
            and len(last) == _ENOUGH
            and all(one.asked == asked and not _answered(one) for one in last)
        )

    def make(table: Sequence[tuple[FallbackReason, Inside]]) -> Inside:
        return tuple((reason, holds if reason is Reason.REFUSED else real) for reason, real in table)

    sabotage.replace(resolution, "REASONS", make)


def _answered(one: PriorRun) -> bool:
    return one.finished and not one.failed


def _asked_last(rows: Sequence[Session], adapter: AdapterId) -> str | None:
    return next((row.asked_session_id for row in reversed(rows) if row.adapter_id == adapter), None)


def _own(then: Situation) -> list[PriorRun]:
    return [one for one in then.prior if one.adapter is then.adapter]


@fault("never-given-up", "FALLBACK-20", Kind.MISSING_EFFECT, "asks for a session that fails until the issue is blocked")
def _never_given_up(sabotage: Sabotage) -> None:
    asked_despite(sabotage, Reason.REFUSED)


@fault("given-up-after-two", "FALLBACK-20", Kind.WRONG_VALUE, "gives a session up after two failures")
def _given_up_after_two(sabotage: Sabotage) -> None:
    sabotage.replace(resolution, "FAILURES_BEFORE_FRESH", lambda _: 2)


@fault(
    "given-up-after-four",
    "FALLBACK-20",
    Kind.WRONG_MOMENT,
    "gives a session up after four failures, when the issue is blocked already",
)
def _given_up_after_four(sabotage: Sabotage) -> None:
    sabotage.replace(resolution, "FAILURES_BEFORE_FRESH", lambda _: 4)


@fault("time-outs-do-not-count", "FALLBACK-20", Kind.WRONG_SCOPE, "counts no runs that used up their time")
def _time_outs_do_not_count(sabotage: Sabotage) -> None:
    sabotage.replace(run, "_FAILED", lambda _: frozenset({RunOutcome.FAILED}))


@fault("abandoned-runs-count", "FALLBACK-20", Kind.WRONG_SCOPE, "counts abandoned runs as failures of their session")
def _abandoned_runs_count(sabotage: Sabotage) -> None:
    _given_up(sabotage, _own)


@fault("successes-are-passed-over", "FALLBACK-20", Kind.WRONG_SCOPE, "goes on counting after a run that succeeded")
def _successes_are_passed_over(sabotage: Sabotage) -> None:
    _given_up(sabotage, lambda then: [one for one in _own(then) if one.failed])


@fault(
    "other-adapters-break-the-count",
    "FALLBACK-20",
    Kind.WRONG_SCOPE,
    "begins its count anew after a run of another adapter",
)
def _other_adapters_break_the_count(sabotage: Sabotage) -> None:
    _given_up(sabotage, lambda then: [one for one in then.prior if one.finished])


@fault("first-failure-counts", "FALLBACK-20", Kind.WRONG_SCOPE, "counts the failure of the run that made the session")
def _first_failure_counts(sabotage: Sabotage) -> None:
    def counted(then: Situation) -> list[PriorRun]:
        runs = [one for one in _own(then) if one.finished]
        return [replace(one, asked=one.asked or one.native_id) for one in runs]

    _given_up(sabotage, counted)


@fault(
    "runs-without-a-session-break-the-count",
    "FALLBACK-20",
    Kind.WRONG_SCOPE,
    "begins its count anew after a run without a session",
)
def _runs_without_a_session_break_the_count(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> Inside:
        made, directory = real(self, mailbox, *given)
        rows = self._store.sessions(mailbox.id)
        if made.reason is Reason.REFUSED and any(row.session_name is None for row in rows[-_ENOUGH:]):
            made = Resolution(session=True, resume_id=_asked_last(rows, given[1].id))
        return made, directory

    around(sabotage, RunSequence, "_resolve", body)


@fault(
    "three-failures-of-any-session",
    "FALLBACK-20",
    Kind.WRONG_SCOPE,
    "gives a session up after three failures, whatever the runs asked for",
)
def _three_failures_of_any_session(sabotage: Sabotage) -> None:
    def counted(then: Situation) -> list[PriorRun]:
        return [replace(one, asked=last_id(then)) for one in _own(then) if one.finished]

    _given_up(sabotage, counted)


@fault(
    "count-lost-at-a-restart",
    "FALLBACK-20",
    Kind.WRONG_MOMENT,
    "keeps its count of failures in memory, and so begins anew after a restart",
)
def _count_lost_at_a_restart(sabotage: Sabotage) -> None:
    begun: dict[int, int] = {}

    def start(real: Real, self: Inside) -> None:
        begun.clear()
        real(self)

    def resolve(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> Inside:
        made, directory = real(self, mailbox, *given)
        since = begun.get(mailbox.id, 0)
        begun[mailbox.id] = since + 1
        if made.reason is Reason.REFUSED and since < _ENOUGH:
            made = Resolution(session=True, resume_id=_asked_last(self._store.sessions(mailbox.id), given[1].id))
        return made, directory

    around(sabotage, Engine, "begin", start)
    around(sabotage, RunSequence, "_resolve", resolve)


@fault(
    "given-up-for-good",
    "FALLBACK-20",
    Kind.EXTRA_EFFECT,
    "resumes no session of an issue any more once it has given one up",
)
def _given_up_for_good(sabotage: Sabotage) -> None:
    poisoned: set[int] = set()

    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> Inside:
        made, directory = real(self, mailbox, *given)
        if made.reason is Reason.REFUSED or (made.resume_id is not None and mailbox.id in poisoned):
            poisoned.add(mailbox.id)
            made = Resolution(session=True, reason=Reason.REFUSED)
        return made, directory

    around(sabotage, RunSequence, "_resolve", body)


@fault(
    "given-up-and-asked",
    "FALLBACK-20",
    Kind.EXTRA_EFFECT,
    "records that a session was given up, and asks for it once more",
)
def _given_up_and_asked(sabotage: Sabotage) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        return replace(made, resume_id=last_id(then)) if made.reason is Reason.REFUSED else made

    decided(sabotage, change)
