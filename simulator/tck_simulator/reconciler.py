"""The reconciler's sweeps: what nobody announced is found here.

Specification: CLEAN-3, CLEAN-4, CLEAN-7, CLEAN-10, CLEAN-11, CLEAN-12, §21.2, §24.5.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from tck_driver.vocabulary import RunOutcome
from tck_simulator import settings as names
from tck_simulator.cleanup import Cleaner
from tck_simulator.layout import Layout, entries
from tck_simulator.ports import ContainerRuntime, Forge, ForgeError
from tck_simulator.rows import Mailbox
from tck_simulator.states import IssueState
from tck_simulator.store import Store

#: The one answer of the tracker that says that an issue is gone (CLEAN-10).
GONE = 404


class Reconciler:
    """Compares the engine's state with the tracker's and with the disk."""

    def __init__(
        self,
        *,
        store: Store,
        layout: Layout,
        runtime: ContainerRuntime,
        forge: Forge,
        cleaner: Cleaner,
        end: Callable[[Mailbox, IssueState], None],
        is_live: Callable[[Mailbox], bool],
    ) -> None:
        """`end` closes a mailbox with full cleanup; `is_live` says whether a run of it is under way."""
        self._store = store
        self._layout = layout
        self._runtime = runtime
        self._forge = forge
        self._cleaner = cleaner
        self._end = end
        self._is_live = is_live

    def sweep(self, now: datetime) -> None:
        """Do all sweeps once."""
        self._tracker()
        self._containers()
        self._worktrees(now)
        self._directories(now)
        self._retention(now)

    def _tracker(self) -> None:
        """End the mailboxes whose issue the tracker says is gone or has ended; any other answer removes nothing."""
        for mailbox in self._store.mailboxes(only_open=True):
            try:
                issue = self._forge.issue(mailbox.ref)
            except ForgeError as fault:
                if fault.status == GONE:
                    self._end(mailbox, IssueState.ORPHANED)
                continue
            if issue.merged:
                self._end(mailbox, IssueState.DONE)
            elif not issue.open or not issue.assigned:
                self._end(mailbox, IssueState.CANCELLED)

    def _containers(self) -> None:
        """Remove the containers of runs that are not live, as a crash just after a run's end leaves them."""
        there = self._runtime.find("run", None)
        if not there:
            return
        runs = [row for row in self._store.sessions() if row.outcome == RunOutcome.LIVE]
        live = {container for row in runs for container in self._runtime.find("run", str(row.id))}
        for container in there:
            if container not in live:
                self._runtime.stop(container)
                self._runtime.remove(container)

    def _worktrees(self, now: datetime) -> None:
        """Remove the worktrees of runs that are not live, as a crash at the end of a run leaves them."""
        refs = {mailbox.id: mailbox.ref for mailbox in self._store.mailboxes()}
        rows = [row for row in self._store.sessions() if row.outcome == RunOutcome.LIVE]
        live = {self._layout.worktree(refs[row.mailbox_id], str(row.id)) for row in rows}
        for path in entries(self._layout.worktrees):
            if path not in live:
                self._cleaner.remove(path, "worktree", now)

    def _directories(self, now: datetime) -> None:
        """Remove the session directories that no open mailbox holds, those included whose removal failed before."""
        mailboxes = self._store.mailboxes()
        held = {mailbox.session_dir for mailbox in mailboxes if mailbox.open or self._is_live(mailbox)}
        for mailbox in mailboxes:
            if mailbox.session_dir is not None and mailbox.session_dir not in held:
                self._cleaner.remove_state(mailbox, now)
        known = {mailbox.session_dir for mailbox in mailboxes}
        for path in entries(self._layout.sessions):
            if path.name not in known:
                self._cleaner.remove(path, "session", now)

    def _retention(self, now: datetime) -> None:
        """Delete old rows of `llm_sessions`; state on disk is none of its business (CLEAN-7)."""
        days = names.Effective(self._store.settings("", "")).value(names.RETENTION_DAYS)
        self._store.purge_sessions(now - timedelta(days=int(days)))
