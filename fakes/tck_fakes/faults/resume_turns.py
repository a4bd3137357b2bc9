"""Faults of turns: whose work an event is, how many runs an issue has at a time, and what a late worker may write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from tck_driver.stimuli import MergeRequestEventSent
from tck_driver.vocabulary import FallbackReason, MailboxRef, MergeRequestEvent, Phase, RunOutcome
from tck_fakes.faults.changed import gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import first, store_of
from tck_fakes.faults.register import Real, fault
from tck_simulator import engine as engine_module
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.resolution import Resolution
from tck_simulator.rows import Job, Mailbox
from tck_simulator.run import RunSequence
from tck_simulator.states import PHASE_OF_EVENT, IssueState
from tck_simulator.store import Store

#: What session resolution gives: what was decided, and the name of the session directory.
Resolved = tuple[Resolution, str | None]

# --- RESUME-5: events of the agent's merge request are the issue's ---------------------------------------------------


@fault("merge-request-number", "RESUME-5", Kind.WRONG_VALUE, "takes the number of a merge request for that of an issue")
def _merge_request_number(sabotage: Sabotage) -> None:
    def owner(store: Store, organization: str, project: str, iid: int) -> int | None:
        mailbox = store.mailbox(MailboxRef(organization, project, "issue", iid))
        return None if mailbox is None else mailbox.id

    sabotage.replace(Store, "owner_of_merge_request", lambda _: owner)


@fault(
    "latest-merge-request",
    "RESUME-5",
    Kind.WRONG_SCOPE,
    "brings an event to the issue whose merge request is the newest",
)
def _latest_merge_request(sabotage: Sabotage) -> None:
    opened: list[int] = []

    def add(_: Store, mailbox: Mailbox, *__: object) -> None:
        opened.append(mailbox.id)

    def owner(found: int | None, *_: object) -> int | None:
        return opened[-1] if found is not None and opened else found

    sabotage.replace(Store, "add_merge_request", first(add))
    sabotage.replace(Store, "owner_of_merge_request", gives(owner))


@fault(
    "merge-requests-in-memory", "RESUME-5", Kind.MISSING_EFFECT, "forgets at a new start whose merge request is whose"
)
def _merge_requests_in_memory(sabotage: Sabotage) -> None:
    known: set[int] = set()

    def begin(_: Engine) -> None:
        known.clear()

    def add(_: Store, mailbox: Mailbox, *__: object) -> None:
        known.add(mailbox.id)

    def owner(found: int | None, *_: object) -> int | None:
        return found if found in known else None

    sabotage.replace(Engine, "begin", first(begin))
    sabotage.replace(Store, "add_merge_request", first(add))
    sabotage.replace(Store, "owner_of_merge_request", gives(owner))


@fault("one-event-for-each", "RESUME-5", Kind.ONCE, "takes up the first event of a merge request and no other")
def _one_event_for_each(sabotage: Sabotage) -> None:
    seen: set[int] = set()

    def route(real: Real, engine: Engine, event: MergeRequestEventSent) -> object:
        if event.merge_request in seen:
            return None
        seen.add(event.merge_request)
        return real(engine, event)

    sabotage.replace(Engine, "_route", instead(route))


@fault("conflict-as-a-review", "RESUME-5", Kind.WRONG_VALUE, "does the work of a review when a conflict is reported")
def _conflict_as_a_review(sabotage: Sabotage) -> None:
    phases = {**PHASE_OF_EVENT, MergeRequestEvent.CONFLICT: Phase.REVIEW_FIX}
    sabotage.replace(engine_module, "PHASE_OF_EVENT", lambda _: phases)


@fault(
    "merge-request-of-any-project",
    "RESUME-5",
    Kind.WRONG_SCOPE,
    "finds the issue of a merge request by its number alone",
)
def _merge_request_of_any_project(sabotage: Sabotage) -> None:
    numbers: dict[int, int] = {}

    def add(_: Store, mailbox: Mailbox, iid: int) -> None:
        numbers[iid] = mailbox.id

    def owner(found: int | None, _: Store, __: str, ___: str, iid: int) -> int | None:
        return found if found is None else numbers.get(iid, found)

    sabotage.replace(Store, "add_merge_request", first(add))
    sabotage.replace(Store, "owner_of_merge_request", gives(owner))


@fault("events-begin-afresh", "RESUME-5", Kind.MISSING_EFFECT, "works on events of a merge request in fresh sessions")
def _events_begin_afresh(sabotage: Sabotage) -> None:
    sent: set[int] = set()
    beginning: list[int] = []

    def route(job: int | None, *_: object) -> int | None:
        if job is not None:
            sent.add(job)
        return job

    def start(_: Engine, job: Job, __: Mailbox) -> None:
        beginning.append(job.id)

    def resolve(resolved: Resolved, *_: object) -> Resolved:
        decided, directory = resolved
        if decided.resume_id is None or beginning[-1] not in sent:
            return resolved
        return replace(decided, resume_id=None, reason=FallbackReason.NO_PRIOR_SESSION), directory

    sabotage.replace(Engine, "_route", gives(route))
    sabotage.replace(Engine, "_start", first(start))
    sabotage.replace(RunSequence, "_resolve", gives(resolve))


# --- RESUME-13: one run at a time ------------------------------------------------------------------------------------


def _begin_although(sabotage: Sabotage, may: Callable[[Store, Job, Mailbox], bool]) -> None:
    """Let a run begin although another one of its mailbox is live, where this says so."""

    def next_job(real: Real, store: Store, now: datetime) -> object:
        found = real(store, now)
        if found is not None:
            return found
        for job in store.jobs():
            mailbox = store.mailbox_by_id(job.mailbox_id)
            ready = job.due_at <= now and mailbox.state != IssueState.BLOCKED
            if ready and may(store, job, mailbox):
                return job, mailbox
        return None

    def take_lease(taken: object, store: Store, identity: int, _: int, owner: str, expires_at: datetime) -> bool:
        if not taken:
            store.take_over_lease(identity, owner, expires_at)
        return True

    sabotage.replace(Store, "next_job", instead(next_job))
    sabotage.replace(Store, "take_lease", gives(take_lease))


def _live_phases(store: Store, mailbox: Mailbox) -> set[str]:
    return {row.phase for row in store.sessions(mailbox.id) if row.outcome == RunOutcome.LIVE}


@fault("all-at-once", "RESUME-13", Kind.MISSING_EFFECT, "begins every run when it is due, whatever else runs")
def _all_at_once(sabotage: Sabotage) -> None:
    def may(*_: object) -> bool:
        return True

    _begin_although(sabotage, may)


@fault(
    "one-run-for-each-phase", "RESUME-13", Kind.WRONG_SCOPE, "holds back only what is of the phase that runs already"
)
def _one_run_for_each_phase(sabotage: Sabotage) -> None:
    def may(store: Store, job: Job, mailbox: Mailbox) -> bool:
        return job.phase not in _live_phases(store, mailbox)

    _begin_although(sabotage, may)


@fault(
    "events-do-not-wait",
    "RESUME-13",
    Kind.EXTRA_EFFECT,
    "begins the work on a merge request's event beside another run",
)
def _events_do_not_wait(sabotage: Sabotage) -> None:
    sent: set[int] = set()

    def route(job: int | None, *_: object) -> int | None:
        if job is not None:
            sent.add(job)
        return job

    def may(_: Store, job: Job, __: Mailbox) -> bool:
        return job.id in sent

    sabotage.replace(Engine, "_route", gives(route))
    _begin_although(sabotage, may)


@fault("retries-do-not-wait", "RESUME-13", Kind.WRONG_SCOPE, "begins a retry after its pause, whatever runs by then")
def _retries_do_not_wait(sabotage: Sabotage) -> None:
    retries: set[int] = set()
    failing: list[int] = []

    def failed(real: Real, engine: Engine, live: LiveRun, *rest: object) -> None:
        failing.append(live.run)
        real(engine, live, *rest)
        failing.pop()

    def add_job(job: int, *_: object) -> int:
        if failing:
            retries.add(job)
        return job

    def may(_: Store, job: Job, __: Mailbox) -> bool:
        return job.id in retries

    sabotage.replace(Engine, "_after_failure", instead(failed))
    sabotage.replace(Store, "add_job", gives(add_job))
    _begin_although(sabotage, may)


@fault("lease-never-renewed", "RESUME-13", Kind.WRONG_MOMENT, "holds the next run back for the time of one lease only")
def _lease_never_renewed(sabotage: Sabotage) -> None:
    held: dict[int, datetime] = {}

    def take(_: Store, identity: int, __: int, ___: str, expires_at: datetime) -> None:
        held[identity] = expires_at

    def may(store: Store, job: Job, mailbox: Mailbox) -> bool:
        return bool(_live_phases(store, mailbox)) and job.due_at >= held[mailbox.id]

    _begin_although(sabotage, may)
    sabotage.replace(Store, "take_lease", first(take))


@fault("event-lost-while-busy", "RESUME-13", Kind.MISSING_EFFECT, "drops what comes while a run of the issue lasts")
def _event_lost_while_busy(sabotage: Sabotage) -> None:
    def queue(real: Real, engine: Engine, mailbox: Mailbox, phase: Phase) -> object:
        return 0 if _live_phases(store_of(engine), mailbox) else real(engine, mailbox, phase)

    sabotage.replace(Engine, "_queue", instead(queue))


@fault("one-place-to-wait", "RESUME-13", Kind.ONCE, "lets one event wait while a run lasts, and drops the others")
def _one_place_to_wait(sabotage: Sabotage) -> None:
    def queue(real: Real, engine: Engine, mailbox: Mailbox, phase: Phase) -> object:
        waiting = [job for job in store_of(engine).jobs() if job.mailbox_id == mailbox.id]
        return 0 if waiting else real(engine, mailbox, phase)

    sabotage.replace(Engine, "_queue", instead(queue))


@fault(
    "leases-in-memory",
    "RESUME-13",
    Kind.WRONG_MOMENT,
    "knows nothing at a new start of the runs that its old self began",
)
def _leases_in_memory(sabotage: Sabotage) -> None:
    def begin(engine: Engine) -> None:
        for mailbox in store_of(engine).mailboxes(only_open=True):
            store_of(engine).drop_lease(mailbox.id)

    sabotage.replace(Engine, "begin", first(begin))


# --- RESUME-14: a late worker writes nothing -------------------------------------------------------------------------


@fault("late-end", "RESUME-14", Kind.WRONG_SCOPE, "lets a late worker write the end of its run into the row")
def _late_end(sabotage: Sabotage) -> None:
    def finish(
        recorded: object,
        store: Store,
        run: int,
        _: int,
        outcome: RunOutcome,
        *,
        native_id: str | None,
        resumed: bool,
        fallback: FallbackReason | None,
        **__: object,
    ) -> object:
        if not recorded:
            store.end_run(run, outcome, native_id=native_id, resumed=resumed, fallback=fallback)
        return recorded

    sabotage.replace(Store, "finish_run", gives(finish))


@fault("late-counters", "RESUME-14", Kind.EXTRA_EFFECT, "counts the failure of a late worker against the issue")
def _late_counters(sabotage: Sabotage) -> None:
    def finish(recorded: object, store: Store, run: int, *_: object, **values: object) -> object:
        retries = values.get("llm_retries")
        if not recorded and isinstance(retries, int):
            store.set_mailbox(store.session(run).mailbox_id, llm_retries=retries)
        return recorded

    sabotage.replace(Store, "finish_run", gives(finish))


@fault(
    "late-retry",
    "RESUME-14",
    Kind.WRONG_MOMENT,
    "tries the run of a late worker again, which has been run again already",
)
def _late_retry(sabotage: Sabotage) -> None:
    def finish(*_: object, **__: object) -> bool:
        return True

    sabotage.replace(Store, "finish_run", gives(finish))


@fault("late-release", "RESUME-14", Kind.EXTRA_EFFECT, "lets a late worker release the lease of the worker after it")
def _late_release(sabotage: Sabotage) -> None:
    def finish(recorded: object, store: Store, run: int, *_: object, **__: object) -> object:
        if not recorded:
            store.drop_lease(store.session(run).mailbox_id)
        return recorded

    sabotage.replace(Store, "finish_run", gives(finish))


@fault("late-id", "RESUME-14", Kind.WRONG_VALUE, "lets a late worker put its id in the place of its successor's")
def _late_id(sabotage: Sabotage) -> None:
    def finish(recorded: object, store: Store, run: int, *_: object, native_id: str | None, **__: object) -> object:
        if not recorded and native_id is not None:
            store.overwrite_native_id(store.sessions(store.session(run).mailbox_id)[-1].id, native_id)
        return recorded

    sabotage.replace(Store, "finish_run", gives(finish))
