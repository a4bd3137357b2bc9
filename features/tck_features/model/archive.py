"""The table of runs from event to event: which rows are new, and that the others stay as they are.

Specification: §21.2, §22.3, §24.5.
"""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime, timedelta

from tck_driver.views import SessionRow
from tck_driver.vocabulary import MailboxRef, RunOutcome
from tck_features.model.claims import Claims
from tck_features.model.logbook import Leg, Logbook
from tck_features.model.mailbox import Run
from tck_features.model.page import Page
from tck_features.model.scene import Scene
from tck_features.model.shapes import refuses

#: How exactly a run's row can be expected to say when it began.
_ABOUT = timedelta(seconds=15)


class Archive:
    """Every row that there has been, and every run that was followed."""

    def __init__(self, scene: Scene, logbook: Logbook, claims: Claims, opened: datetime) -> None:
        """Begin with an empty table."""
        self._scene = scene
        self._logbook = logbook
        self._claims = claims
        self._opened = opened
        self._swept = datetime.min.replace(tzinfo=UTC)
        self._table: tuple[SessionRow, ...] = ()
        self._seen: dict[str, SessionRow] = {}
        #: The table as it is now, by run.
        self.rows: dict[str, SessionRow] = {}
        self.runs: dict[str, Run] = {}

    def read(self, table: tuple[SessionRow, ...]) -> bool:
        """Take in the table as it is now; say whether it has changed."""
        if table == self._table:
            return False
        self._table, self.rows = table, {row.run: row for row in table}
        return True

    def sort(self, page: Page) -> None:
        """Find the rows that are new, and the runs of starts that do not say theirs. What waits has no row yet."""
        for run, row in page.rows.items():
            if run not in self._seen and row.outcome != RunOutcome.QUEUED:
                self._seen[run] = row
                page.fresh.setdefault(row.mailbox, deque()).append(row)
        if self._logbook.unlabelled:
            self._match(page.fresh)

    def _match(self, fresh: dict[MailboxRef, deque[SessionRow]]) -> None:
        """Give starts without a label to runs: what follows a refusal to its run, others to the new ones in order."""
        new = [run for run in self.rows if any(row.run == run for rows in fresh.values() for row in rows)]
        waiting = {run: self.rows[run].adapter_id for run in new if not self._logbook.of(run)}
        left: list[Leg] = []
        for leg in self._logbook.unlabelled:
            first = next((run for run, adapter in waiting.items() if adapter == leg.cli.adapter), None)
            run = self._refused_before(leg) or first
            if run is None:
                left.append(leg)
                continue
            self._logbook.give(leg, run)
            waiting.pop(run, None)
        self._logbook.unlabelled = left

    def _refused_before(self, leg: Leg) -> str | None:
        """Give the run whose only start was refused before this one began, if there is one."""
        if leg.cli.asked_id is not None:
            return None
        for run in reversed(self._seen):
            legs = self._logbook.of(run)
            if len(legs) != 1 or legs[0].cli.adapter != leg.cli.adapter or legs[0].answer is None:
                continue
            refused = refuses(legs[0].answer, legs[0].cli.asked_id, silent=False)
            if refused and 0 <= legs[0].end_position < leg.position:
                return run
        return None

    def check_kept(self, page: Page) -> None:
        """Check that rows of runs that have ended stay as they are, until they are old enough to be deleted."""
        keep = timedelta(days=self._scene.number("RETENTION_DAYS"))
        for run in self.runs.values():
            if run.gone or run.box.loose is not None:
                continue
            row = page.rows.get(run.id)
            if row is None:
                old = run.ended is not None and run.began + keep <= page.until + _ABOUT
                shown = "old enough" if old else "too early"
                self._claims.recorded(f"{run}: when its row was deleted", "old enough", shown, "CLEAN-7")
                run.gone = True
            elif run.ended is not None and row != run.row:
                self._claims.recorded(f"{run}: its row, after it has ended", run.row, row, *_changed(page))

    def check_deleted(self, page: Page) -> None:
        """Check that old rows are gone after a sweep."""
        if not (page.sweeps or page.timely):
            return
        if page.sweeps:
            self._swept = page.since
        swept = max(self._swept, page.until - timedelta(seconds=self._scene.longest("RECONCILE_SECONDS")))
        old = swept - timedelta(days=self._scene.longest("RETENTION_DAYS")) - _ABOUT
        if old < self._opened:
            return
        for run in self.runs.values():
            if run.began > old:
                break
            if not run.gone and run.ended is not None and run.ended + _ABOUT < swept and run.box.loose is None:
                shown = "it is there" if run.id in page.rows else "it is gone"
                self._claims.recorded(f"{run}: its row, which is old", "it is gone", shown, "CLEAN-7")


def _changed(page: Page) -> tuple[str, ...]:
    """Name what says that the row of a run that has ended stays as it is."""
    if page.woken:
        return ("RESUME-14", "RECORD-1")
    if page.configures:
        return ("OFF-8", "OFF-11", "RECORD-1")
    return ("RECORD-1", "RESUME-4", "RESUME-9", "RESUME-14")
