"""How a run goes on and ends: leg by leg, by what was witnessed of its containers.

Specification: §11.7, §13.4, §16.5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, RunOutcome
from tck_features.model import blame
from tck_features.model.claims import Claims
from tck_features.model.entries import LATE, Entry, after, given_up
from tck_features.model.logbook import Leg, Logbook
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.page import Page
from tck_features.model.rows import Rows
from tck_features.model.scene import Scene
from tck_features.model.shapes import gave_up


class Ending:
    """Follows a live run to its end."""

    def __init__(self, scene: Scene, logbook: Logbook, claims: Claims) -> None:
        """Work on what the model has."""
        self._scene = scene
        self._logbook = logbook
        self._claims = claims
        self._rows = Rows(scene, claims)

    def follow(self, box: Mailbox, run: Run, page: Page) -> datetime | None:
        """Follow a run; give when it ended, None where it is live at the end of this event."""
        if run.orphaned is not None:
            return self._follow_orphan(box, run, page)
        row = page.rows.get(run.id)
        if run.row.adapter_id == AdapterId.API:
            # An API run ends where it begins: the kit's provider answers at once.
            self._rows.close(run, row, [Entry(RunOutcome.SUCCEEDED)], None)
            return run.began
        legs = self._logbook.of(run.id)
        while True:
            leg = legs[run.leg]
            if leg.end is None:
                self._check_goes_on(box, run, legs, page)
                if row is not None:
                    self._rows.check_live(box, run, leg, row)
                return None
            self._check_session(box, run, leg)
            found = after(box, run, leg)
            if found.entries:
                self._check_time(run, leg, early=found.early)
                self._check_no_more(run, legs)
                self._rows.close(run, row, found.entries, leg)
                return leg.end.at
            run.leg += 1
            self._check_second(run, legs)

    # Starts

    def _check_second(self, run: Run, legs: Sequence[Leg]) -> None:
        """Check the start that follows a refusal: one, afresh, once the first container has ended."""
        ids = ("FALLBACK-6", "FALLBACK-11", "FALLBACK-13", "FALLBACK-16")
        statement = f"{run}: starts of its CLI, the first of which was refused"
        self._claims.witnessed(statement, 2, min(len(legs), 2), *ids, evidence=_words(legs[0]))
        first, second = legs[0], legs[1]
        old = first.cli.asked_id
        statement = f"{run}: the id that its second start asked for, and whether it chose the refused one"
        asked = [second.cli.asked_id, old is not None and second.cli.chosen_id == old]
        self._claims.witnessed(
            statement, [None, False], asked, "FALLBACK-6", "FALLBACK-17", "FALLBACK-19", evidence=_words(second)
        )
        if second.container.image and second.state_dir is None:
            self._claims.seen(f"{run}: its state directory is mounted for the second start", "ISOLATE-2", holds=False)
        statement = f"{run}: the first container had ended before the second start"
        self._claims.seen(statement, "FALLBACK-6", "RESUME-13", holds=first.end_position < second.position)

    def _check_no_more(self, run: Run, legs: Sequence[Leg]) -> None:
        """Check that no further start followed."""
        due = run.leg + 1
        if len(legs) == due:
            return
        ids: tuple[str, ...] = ("FALLBACK-16", "FALLBACK-12", "RESUME-2")
        if run.leg:
            ids = ("FALLBACK-6",)
        elif run.decision.asked is None:
            ids = ("FALLBACK-15", "FALLBACK-16", "FALLBACK-12")
        self._claims.witnessed(f"{run}: starts of its CLI", due, len(legs), *ids, evidence=_words(legs[due]))

    def _check_session(self, box: Mailbox, run: Run, leg: Leg) -> None:
        """Check that a CLI found the session that it was asked for, where nobody has touched it, or could begin one."""
        answer, asked = leg.answer, leg.cli.asked_id
        if not run.decision.applies or answer is None or run.damaged or not gave_up(answer):
            return
        if asked is None:
            ids = ("FALLBACK-13", "ISOLATE-2", "FALLBACK-11")
            self._claims.seen(f"{run}: its CLI could begin a session", *ids, holds=False, evidence=_words(leg))
        elif asked in box.sound.get(run.row.adapter_id, ()):
            statement = f"{run}: its CLI found the session that an earlier run had saved"
            self._claims.seen(statement, *blame.lost(box, run), holds=False, evidence=_words(leg))

    # Time

    def _check_time(self, run: Run, leg: Leg, *, early: bool) -> None:
        """Check when a container was stopped: at the end of its phase's time, unless there was another cause."""
        end, deadlines = leg.end, run.deadlines
        if end is None or deadlines is None or end.how in {"exited", "refused"}:
            return
        if early:
            ids: tuple[str, ...] = ("FALLBACK-7",) if run.leg else ("FALLBACK-12", "RESUME-13", "CLEAN-10", "CLEAN-12")
            statement = f"{run}: when its container was stopped, without a cause before its phase's time was over"
            self._claims.witnessed(statement, deadlines[0].isoformat(), end.at.isoformat(), *ids)
        elif end.at > deadlines[1] + LATE and not run.lease_lost:
            ids = ("FALLBACK-7", "ISOLATE-12") if run.leg else ("ISOLATE-12", "FALLBACK-12")
            statement = f"{run}: when its container was stopped, its phase's time being over"
            self._claims.witnessed(statement, deadlines[1].isoformat(), end.at.isoformat(), *ids)

    def _check_goes_on(self, box: Mailbox, run: Run, legs: Sequence[Leg], page: Page) -> None:
        """Check that a run may go on: nothing has happened that ends it."""
        self._check_no_more(run, legs)
        if box.ending is not None:
            ids = (*blame.of_end(box.ending), "ISOLATE-12")
            self._claims.seen(f"{run}: its container was stopped when the issue ended", *ids, holds=False)
        if run.lease_lost:
            ids = ("RESUME-13", "RESUME-14", "CLEAN-6")
            self._claims.seen(f"{run}: its container was stopped when its lease ran out", *ids, holds=False)
        # A version command that hangs lets time pass within an event that is none of time.
        now = page.until if page.timely else page.since
        if run.deadlines is not None and run.deadlines[1] <= now:
            ids = ("FALLBACK-7", "ISOLATE-12") if run.leg else ("ISOLATE-12", "FALLBACK-12")
            self._claims.seen(f"{run}: its container was stopped when its phase's time was over", *ids, holds=False)

    # A run whose engine died

    def _follow_orphan(self, box: Mailbox, run: Run, page: Page) -> datetime | None:
        """Follow a run that an engine left behind: it is given up once its lease has run out, by a sweep at last."""
        row, legs = page.rows.get(run.id), self._logbook.of(run.id)
        if len(legs) > run.leg + 1:
            self._check_no_more(run, legs)
        due = self._outcome_of_orphan(box, run, row, page)
        if due is RunOutcome.LIVE:
            self._claims.recorded(f"{run}: its row, its engine having died", run.row, row, "RESUME-15", "RESUME-14")
            return None
        leg = legs[run.leg]
        statement = f"{run}: its container was stopped before it was given up"
        self._claims.seen(statement, "RESUME-13", "ISOLATE-12", holds=leg.end is not None)
        self._rows.close(run, row, given_up(box, run, leg, due), leg)
        return page.since if leg.end is None else max(page.since, leg.end.at)

    def _outcome_of_orphan(self, box: Mailbox, run: Run, row: SessionRow | None, page: Page) -> RunOutcome:
        """Check the outcome of a run whose engine died. One whose row was deleted meanwhile was given up before."""
        if row is None or run.orphaned is None:
            return RunOutcome.ABANDONED
        lease, sweep = self._scene.longest("LEASE_SECONDS"), self._scene.longest("RECONCILE_SECONDS")
        allowed = {RunOutcome.ABANDONED}
        if box.ending is not None or box.may_end:
            allowed.add(RunOutcome.CANCELLED)
        last = run.orphaned + timedelta(seconds=lease + sweep)
        if box.ending is None and not run.lease_lost and page.until < last:
            allowed.add(RunOutcome.LIVE)
        due = RunOutcome(row.outcome) if row.outcome in allowed else RunOutcome.ABANDONED
        ids = ("RESUME-13", "RESUME-15", "CLEAN-6")
        self._claims.recorded(f"{run}: outcome, its engine having died", due, row.outcome, *ids, evidence=row)
        return due


def _words(leg: Leg) -> str:
    """Give the arguments of a start, as evidence."""
    return " ".join(leg.cli.argv)[:400]
