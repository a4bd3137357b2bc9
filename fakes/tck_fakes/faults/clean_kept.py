"""Faults of keeping: state that goes although its issue is open, and rows that stay although they are old."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from tck_driver.vocabulary import Phase
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import cleaner_of, clock_of, first, layout_of, store_of, then, unless
from tck_fakes.faults.register import Real, fault
from tck_simulator.engine import Engine
from tck_simulator.reconciler import Reconciler
from tck_simulator.rows import Mailbox, Session
from tck_simulator.states import IssueState
from tck_simulator.store import Store

_MONTH = timedelta(days=30)


def _cleared(engine: Engine, mailbox: Mailbox) -> None:
    """Remove the state of a mailbox that is not at its end."""
    cleaner_of(engine).remove_state(store_of(engine).mailbox_by_id(mailbox.id), clock_of(engine).now())


def _swept(sabotage: Sabotage, holds: Callable[[Reconciler, Mailbox, datetime], bool]) -> None:
    """Let every sweep remove the state of the open mailboxes of which this holds."""

    def swept(reconciler: Reconciler, now: datetime) -> None:
        for mailbox in store_of(reconciler).mailboxes(only_open=True):
            if mailbox.session_dir is not None and holds(reconciler, mailbox, now):
                cleaner_of(reconciler).remove_state(mailbox, now)

    sabotage.replace(Reconciler, "sweep", then(swept))


# --- CLEAN-5: blocked ------------------------------------------------------------------------------------------------


@fault("blocked-cleared", "CLEAN-5", Kind.EXTRA_EFFECT, "removes the session state when an issue is blocked")
def _blocked_cleared(sabotage: Sabotage) -> None:
    def cleared(engine: Engine, mailbox: Mailbox, _phase: Phase | None) -> None:
        _cleared(engine, mailbox)

    sabotage.replace(Engine, "_block", then(cleared))


@fault("blocked-by-failure-cleared", "CLEAN-5", Kind.WRONG_SCOPE, "removes the state once the retries are used up")
def _blocked_by_failure_cleared(sabotage: Sabotage) -> None:
    def cleared(engine: Engine, mailbox: Mailbox, phase: Phase | None) -> None:
        if phase is not None:
            _cleared(engine, mailbox)

    sabotage.replace(Engine, "_block", then(cleared))


@fault("blocked-for-a-month-swept", "CLEAN-5", Kind.WRONG_MOMENT, "removes the state of an issue blocked for a month")
def _blocked_for_a_month_swept(sabotage: Sabotage) -> None:
    since: dict[int, datetime] = {}

    def noted(engine: Engine, mailbox: Mailbox, _phase: Phase | None) -> None:
        since.setdefault(mailbox.id, clock_of(engine).now())

    def holds(_reconciler: Reconciler, mailbox: Mailbox, now: datetime) -> bool:
        return mailbox.state == IssueState.BLOCKED and now - since.get(mailbox.id, now) > _MONTH

    sabotage.replace(Engine, "_block", first(noted))
    _swept(sabotage, holds)


@fault("retry-starts-over", "CLEAN-5", Kind.EXTRA_EFFECT, "removes the session state when a human retries an issue")
def _retry_starts_over(sabotage: Sabotage) -> None:
    sabotage.replace(Engine, "_retry", first(_cleared))


# --- CLEAN-6: a lease that is reclaimed ------------------------------------------------------------------------------


@fault("reclaim-clears", "CLEAN-6", Kind.EXTRA_EFFECT, "removes the session state when it reclaims a lease")
def _reclaim_clears(sabotage: Sabotage) -> None:
    sabotage.replace(Engine, "_take_over", then(_cleared))


@fault(
    "reclaim-after-crash-clears", "CLEAN-6", Kind.WRONG_SCOPE, "removes the state where the lease was a dead process's"
)
def _reclaim_after_crash_clears(sabotage: Sabotage) -> None:
    def cleared(engine: Engine, mailbox: Mailbox) -> None:
        if mailbox.lease_owner != vars(engine)["_process"]:
            _cleared(engine, mailbox)

    sabotage.replace(Engine, "_take_over", then(cleared))


@fault("second-reclaim-clears", "CLEAN-6", Kind.ONCE, "keeps the session state at the first reclaim of a lease alone")
def _second_reclaim_clears(sabotage: Sabotage) -> None:
    reclaimed: set[int] = set()

    def cleared(engine: Engine, mailbox: Mailbox) -> None:
        if mailbox.id in reclaimed:
            _cleared(engine, mailbox)
        reclaimed.add(mailbox.id)

    sabotage.replace(Engine, "_take_over", then(cleared))


@fault("reclaim-forgets-directory", "CLEAN-6", Kind.WRONG_VALUE, "forgets at a reclaim which session directory it was")
def _reclaim_forgets_directory(sabotage: Sabotage) -> None:
    def forgotten(engine: Engine, mailbox: Mailbox) -> None:
        store_of(engine).set_mailbox(mailbox.id, session_dir=None)

    sabotage.replace(Engine, "_take_over", then(forgotten))


# --- CLEAN-7: rows grow old, state does not --------------------------------------------------------------------------


@fault("rows-for-ever", "CLEAN-7", Kind.MISSING_EFFECT, "deletes no row of llm_sessions, however old it is")
def _rows_for_ever(sabotage: Sabotage) -> None:
    def always(*_: object) -> bool:
        return True

    sabotage.replace(Reconciler, "_retention", unless(always))


@fault("retention-at-start", "CLEAN-7", Kind.ONCE, "deletes old rows at its first sweep, and at no later one")
def _retention_at_start(sabotage: Sabotage) -> None:
    swept: list[Reconciler] = []

    def later(reconciler: Reconciler, *_: object) -> bool:
        swept.append(reconciler)
        return len(swept) > 1

    sabotage.replace(Reconciler, "_retention", unless(later))


@fault("retention-of-30-days", "CLEAN-7", Kind.WRONG_VALUE, "deletes rows after 30 days whatever RETENTION_DAYS says")
def _retention_of_30_days(sabotage: Sabotage) -> None:
    def make(_: Real) -> Real:
        def retention(reconciler: Reconciler, now: datetime) -> None:
            store_of(reconciler).purge_sessions(now - _MONTH)

        return retention

    sabotage.replace(Reconciler, "_retention", make)


@fault(
    "state-goes-with-rows", "CLEAN-7", Kind.EXTRA_EFFECT, "removes the state of an issue when its last row is deleted"
)
def _state_goes_with_rows(sabotage: Sabotage) -> None:
    def holds(reconciler: Reconciler, mailbox: Mailbox, _now: datetime) -> bool:
        return not store_of(reconciler).sessions(mailbox.id)

    _swept(sabotage, holds)


@fault("old-files-swept", "CLEAN-7", Kind.WRONG_SCOPE, "applies RETENTION_DAYS to the files of sessions")
def _old_files_swept(sabotage: Sabotage) -> None:
    def holds(reconciler: Reconciler, mailbox: Mailbox, now: datetime) -> bool:
        folder = layout_of(reconciler).sessions / str(mailbox.session_dir)
        times = [path.lstat().st_mtime for path in folder.rglob("*")]
        return bool(times) and max(times) < (now - _MONTH).timestamp()

    _swept(sabotage, holds)


@fault("old-row-remembered", "CLEAN-7", Kind.WRONG_SCOPE, "resumes by a row that it has deleted for its age")
def _old_row_remembered(sabotage: Sabotage) -> None:
    deleted: list[Session] = []

    def noted(store: Store, before: datetime) -> None:
        deleted.extend(row for row in store.sessions() if row.created_at < before)

    def make(real: Real) -> Real:
        def sessions(store: Store, mailbox_id: int | None = None) -> list[Session]:
            kept: list[Session] = real(store, mailbox_id)
            return [*(row for row in deleted if row.mailbox_id == mailbox_id), *kept]

        return sessions

    sabotage.replace(Store, "purge_sessions", first(noted))
    sabotage.replace(Store, "sessions", make)
