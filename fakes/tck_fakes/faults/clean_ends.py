"""Faults at the end of an issue: what is not removed then, or too late, and what outlives it into a reopened one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from tck_driver.stimuli import IssueClosed, IssueDeleted, IssueReopened, Stimulus
from tck_driver.vocabulary import AdapterId, Closing, FallbackReason, RunOutcome
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import Make, first, layout_of, store_of, then, unless
from tck_fakes.faults.register import Real, fault
from tck_simulator.cleanup import Cleaner, LocalRemover
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.reconciler import Reconciler
from tck_simulator.resolution import Resolution
from tck_simulator.rows import Mailbox, Session
from tck_simulator.run import RunSequence
from tck_simulator.states import IssueState
from tck_simulator.store import Store

_WRITE = 0o200


def _kept(sabotage: Sabotage, holds: Callable[[Cleaner, Mailbox], bool]) -> None:
    """Keep the session state of the mailboxes of which this holds, sweeps or not."""

    def kept(cleaner: Cleaner, mailbox: Mailbox, *_: object) -> bool:
        return holds(cleaner, mailbox)

    sabotage.replace(Cleaner, "remove_state", unless(kept))


def _ending(sabotage: Sabotage, end: IssueState, method: str, spared: Callable[..., bool]) -> None:
    """Let a removal be left out while a mailbox comes to this end, and only then."""
    ends: list[IssueState] = []

    def make(real: Real) -> Real:
        def ended(engine: Engine, mailbox: Mailbox, state: IssueState) -> None:
            ends.append(state)
            real(engine, mailbox, state)
            ends.pop()

        return ended

    def left_out(*given: object) -> bool:
        return end in ends and spared(*given)

    sabotage.replace(Engine, "_end_mailbox", make)
    sabotage.replace(Cleaner, method, unless(left_out, instead=True))


def _everything(*_: object) -> bool:
    return True


def _worktrees(_cleaner: Cleaner, _path: Path, kind: str, *_: object) -> bool:
    return kind == "worktree"


def _once(state: IssueState) -> Callable[[Cleaner, Mailbox], bool]:
    """Say of every mailbox with this end but the first that it is to be kept."""
    cleaned: list[int] = []

    def kept(_cleaner: Cleaner, mailbox: Mailbox) -> bool:
        if mailbox.state == state and mailbox.session_dir is not None:
            cleaned.append(mailbox.id)
        return mailbox.state == state and mailbox.id != cleaned[0]

    return kept


def _last_adapter_alone(state: IssueState) -> Make:
    """Remove what the latest run of a mailbox with this end has kept, and forget the rest."""

    def make(real: Real) -> Real:
        def removed(cleaner: Cleaner, mailbox: Mailbox, now: datetime) -> None:
            rows = store_of(cleaner).sessions(mailbox.id)
            if mailbox.state != state or mailbox.session_dir is None or not rows:
                real(cleaner, mailbox, now)
                return
            place = layout_of(cleaner).state(mailbox.session_dir, AdapterId(rows[-1].adapter_id))
            cleaner.remove(place, "session", now)
            with suppress(OSError):
                place.parent.rmdir()
            store_of(cleaner).set_mailbox(mailbox.id, session_dir=None)

        return removed

    return make


# --- CLEAN-1: done ---------------------------------------------------------------------------------------------------


@fault("done-kept", "CLEAN-1", Kind.MISSING_EFFECT, "keeps the session state of an issue that was closed by merge")
def _done_kept(sabotage: Sabotage) -> None:
    def holds(_cleaner: Cleaner, mailbox: Mailbox) -> bool:
        return mailbox.state == IssueState.DONE

    _kept(sabotage, holds)


@fault("done-blocked-kept", "CLEAN-1", Kind.WRONG_SCOPE, "keeps the state of a merged issue that had been blocked")
def _done_blocked_kept(sabotage: Sabotage) -> None:
    def holds(_cleaner: Cleaner, mailbox: Mailbox) -> bool:
        return mailbox.state == IssueState.DONE and mailbox.blocked_phase is not None

    _kept(sabotage, holds)


@fault(
    "done-last-adapter", "CLEAN-1", Kind.WRONG_SCOPE, "removes what the last adapter of a merged issue has kept alone"
)
def _done_last_adapter(sabotage: Sabotage) -> None:
    sabotage.replace(Cleaner, "remove_state", _last_adapter_alone(IssueState.DONE))


@fault("done-worktree-left", "CLEAN-1", Kind.MISSING_EFFECT, "leaves the worktree of a run that a merge cut off")
def _done_worktree_left(sabotage: Sabotage) -> None:
    _ending(sabotage, IssueState.DONE, "remove", _worktrees)


@fault("done-at-next-sweep", "CLEAN-1", Kind.WRONG_MOMENT, "removes the state of a merged issue at the next sweep")
def _done_at_next_sweep(sabotage: Sabotage) -> None:
    _ending(sabotage, IssueState.DONE, "remove_state", _everything)


@fault("done-cleaned-once", "CLEAN-1", Kind.ONCE, "cleans up after the first issue that is merged, and no other")
def _done_cleaned_once(sabotage: Sabotage) -> None:
    _kept(sabotage, _once(IssueState.DONE))


@fault("read-only-left", "CLEAN-1", Kind.MISSING_EFFECT, "cannot remove directories without write permission")
def _read_only_left(sabotage: Sabotage) -> None:
    def refused(_remover: LocalRemover, path: Path) -> None:
        folders = [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else []
        for folder in folders:
            if folder.is_dir() and not folder.is_symlink() and not folder.stat().st_mode & _WRITE:
                raise PermissionError(13, "Permission denied", str(folder))

    sabotage.replace(LocalRemover, "remove", first(refused))


# --- CLEAN-2: cancelled ----------------------------------------------------------------------------------------------


def _closing_kept(sabotage: Sabotage, closing: Closing) -> None:
    """Keep the state of issues that end in one of the ways in which an issue is cancelled."""
    ended: set[object] = set()

    def noted(_engine: Engine, stimulus: Stimulus) -> None:
        if isinstance(stimulus, IssueClosed) and stimulus.how is closing:
            ended.add(stimulus.mailbox)

    def holds(_cleaner: Cleaner, mailbox: Mailbox) -> bool:
        return mailbox.state == IssueState.CANCELLED and mailbox.ref in ended

    sabotage.replace(Engine, "_take", first(noted))
    _kept(sabotage, holds)


@fault("unassigned-kept", "CLEAN-2", Kind.MISSING_EFFECT, "keeps the session state when the agent is unassigned")
def _unassigned_kept(sabotage: Sabotage) -> None:
    _closing_kept(sabotage, Closing.UNASSIGNED)


@fault(
    "unmerged-kept", "CLEAN-2", Kind.WRONG_SCOPE, "keeps the session state of an issue that is closed without a merge"
)
def _unmerged_kept(sabotage: Sabotage) -> None:
    _closing_kept(sabotage, Closing.UNMERGED)


@fault(
    "cancelled-last-adapter", "CLEAN-2", Kind.WRONG_SCOPE, "removes what the last adapter of a cancelled issue has kept"
)
def _cancelled_last_adapter(sabotage: Sabotage) -> None:
    sabotage.replace(Cleaner, "remove_state", _last_adapter_alone(IssueState.CANCELLED))


@fault("failed-issue-kept", "CLEAN-2", Kind.WRONG_SCOPE, "keeps the state of a cancelled issue whose last run failed")
def _failed_issue_kept(sabotage: Sabotage) -> None:
    def holds(cleaner: Cleaner, mailbox: Mailbox) -> bool:
        rows = store_of(cleaner).sessions(mailbox.id)
        return mailbox.state == IssueState.CANCELLED and bool(rows) and rows[-1].outcome == RunOutcome.FAILED

    _kept(sabotage, holds)


@fault(
    "cancelled-after-restart-kept", "CLEAN-2", Kind.WRONG_SCOPE, "cleans up issues that ran since it was started alone"
)
def _cancelled_after_restart_kept(sabotage: Sabotage) -> None:
    ran: set[int] = set()

    def restarted(*_: object, **__: object) -> None:
        ran.clear()

    def begun(_sequence: RunSequence, mailbox: Mailbox, *_: object) -> None:
        ran.add(mailbox.id)

    def holds(_cleaner: Cleaner, mailbox: Mailbox) -> bool:
        return mailbox.state == IssueState.CANCELLED and mailbox.id not in ran

    sabotage.replace(Engine, "__init__", first(restarted))
    sabotage.replace(RunSequence, "begin", first(begun))
    _kept(sabotage, holds)


@fault(
    "cancelled-after-the-run", "CLEAN-2", Kind.WRONG_MOMENT, "lets a live run end by itself before it cancels an issue"
)
def _cancelled_after_the_run(sabotage: Sabotage) -> None:
    waiting: dict[int, Callable[[], None]] = {}

    def make(real: Real) -> Real:
        def ended(engine: Engine, mailbox: Mailbox, state: IssueState) -> None:
            live: list[LiveRun] = vars(engine)["_live"]
            if state is IssueState.CANCELLED and any(one.mailbox.id == mailbox.id for one in live):
                waiting[mailbox.id] = lambda: real(engine, mailbox, state)
            else:
                real(engine, mailbox, state)

        return ended

    def finished(_engine: Engine, live: LiveRun, *_: object) -> None:
        waiting.pop(live.mailbox.id, _nothing)()

    sabotage.replace(Engine, "_end_mailbox", make)
    sabotage.replace(Engine, "_finish", then(finished))


def _nothing() -> None:
    pass


@fault("cancelled-worktree-left", "CLEAN-2", Kind.MISSING_EFFECT, "leaves the worktree of a run that was cancelled")
def _cancelled_worktree_left(sabotage: Sabotage) -> None:
    _ending(sabotage, IssueState.CANCELLED, "remove", _worktrees)


@fault(
    "cancelled-cleaned-once", "CLEAN-2", Kind.ONCE, "cleans up after the first issue that is cancelled, and no other"
)
def _cancelled_cleaned_once(sabotage: Sabotage) -> None:
    _kept(sabotage, _once(IssueState.CANCELLED))


# --- CLEAN-3: gone from the tracker ----------------------------------------------------------------------------------


@fault(
    "orphan-kept", "CLEAN-3", Kind.MISSING_EFFECT, "keeps the session state of an issue that the tracker does not know"
)
def _orphan_kept(sabotage: Sabotage) -> None:
    def holds(_cleaner: Cleaner, mailbox: Mailbox) -> bool:
        return mailbox.state == IssueState.ORPHANED

    _kept(sabotage, holds)


@fault("deletion-unheard", "CLEAN-3", Kind.WRONG_MOMENT, "hears of a deleted issue at the next sweep that is due")
def _deletion_unheard(sabotage: Sabotage) -> None:
    def holds(_engine: Engine, stimulus: Stimulus) -> bool:
        return isinstance(stimulus, IssueDeleted)

    sabotage.replace(Engine, "_take", unless(holds))


@fault("orphan-called-cancelled", "CLEAN-3", Kind.WRONG_VALUE, "records an issue that is gone as a cancelled one")
def _orphan_called_cancelled(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def ended(engine: Engine, mailbox: Mailbox, state: IssueState) -> None:
            real(engine, mailbox, IssueState.CANCELLED if state is IssueState.ORPHANED else state)

        return ended

    sabotage.replace(Engine, "_end_mailbox", make)


@fault("project-goes-with-orphan", "CLEAN-3", Kind.WRONG_SCOPE, "ends every issue of a project when one of it is gone")
def _project_goes_with_orphan(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def ended(engine: Engine, mailbox: Mailbox, state: IssueState) -> None:
            place = (mailbox.ref.organization, mailbox.ref.project)
            for other in store_of(engine).mailboxes(only_open=True) if state is IssueState.ORPHANED else ():
                if (other.ref.organization, other.ref.project) == place and other.id != mailbox.id:
                    real(engine, other, state)
            real(engine, mailbox, state)

        return ended

    sabotage.replace(Engine, "_end_mailbox", make)


@fault("blocked-orphan-kept", "CLEAN-3", Kind.WRONG_SCOPE, "does not ask the tracker for issues that are blocked")
def _blocked_orphan_kept(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def tracker(reconciler: Reconciler) -> None:
            def unblocked(listed: Real) -> Real:
                def mailboxes(store: Store, *, only_open: bool = False) -> list[Mailbox]:
                    found: list[Mailbox] = listed(store, only_open=only_open)
                    return [box for box in found if box.state != IssueState.BLOCKED]

                return mailboxes

            asking = Sabotage()
            asking.replace(Store, "mailboxes", unblocked)
            try:
                real(reconciler)
            finally:
                asking.undo()

        return tracker

    sabotage.replace(Reconciler, "_tracker", make)


@fault("one-orphan-cleaned", "CLEAN-3", Kind.ONCE, "cleans up after the first issue that it finds gone, and no other")
def _one_orphan_cleaned(sabotage: Sabotage) -> None:
    _kept(sabotage, _once(IssueState.ORPHANED))


# --- CLEAN-13: reopened ----------------------------------------------------------------------------------------------


@fault("reopened-as-it-was", "CLEAN-13", Kind.WRONG_VALUE, "opens the old mailbox of a reopened issue again")
def _reopened_as_it_was(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def taken(engine: Engine, stimulus: Stimulus) -> object:
            known = store_of(engine).mailbox(stimulus.mailbox) if isinstance(stimulus, IssueReopened) else None
            if known is None or known.open:
                return real(engine, stimulus)
            store_of(engine).set_mailbox(known.id, open=True, state=IssueState.FUNCTIONAL_ANALYSIS)
            return None

        return taken

    sabotage.replace(Engine, "_take", make)


@fault("rows-of-all-generations", "CLEAN-13", Kind.WRONG_SCOPE, "looks at the rows of an issue's earlier mailboxes too")
def _rows_of_all_generations(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def sessions(store: Store, mailbox_id: int | None = None) -> list[Session]:
            if mailbox_id is None:
                found: list[Session] = real(store)
                return found
            ref = store.mailbox_by_id(mailbox_id).ref
            return [row for box in store.mailboxes() if box.ref == ref for row in real(store, box.id)]

        return sessions

    sabotage.replace(Store, "sessions", make)


@fault("reopened-under-old-name", "CLEAN-13", Kind.WRONG_VALUE, "gives a reopened issue the name that it had before")
def _reopened_under_old_name(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def taken(engine: Engine, stimulus: Stimulus) -> object:
            before = store_of(engine).mailbox(stimulus.mailbox) if isinstance(stimulus, IssueReopened) else None
            result: object = real(engine, stimulus)
            after = store_of(engine).mailbox(stimulus.mailbox) if isinstance(stimulus, IssueReopened) else None
            if before is not None and after is not None:
                store_of(engine).set_mailbox(after.id, branch_name=before.branch_name)
            return result

        return taken

    sabotage.replace(Engine, "_take", make)


@fault("reopened-never-resumes", "CLEAN-13", Kind.ONCE, "begins afresh at every run of an issue that was reopened")
def _reopened_never_resumes(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def resolved(sequence: RunSequence, mailbox: Mailbox, *rest: object) -> tuple[Resolution, str | None]:
            found: tuple[Resolution, str | None] = real(sequence, mailbox, *rest)
            if mailbox.generation > 1 and found[0].resume_id is not None:
                return Resolution(session=True, reason=FallbackReason.NO_PRIOR_SESSION), found[1]
            return found

        return resolved

    sabotage.replace(RunSequence, "_resolve", make)
