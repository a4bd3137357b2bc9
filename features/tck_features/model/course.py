"""The life of a mailbox during one event: which runs end and begin in it, what follows from each, and what is overdue.

Specification: §7.2, §11.7, §13.4, §21.3.
"""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta

from tck_driver.views import SessionRow
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, Phase, RunOutcome
from tck_features.model.beginning import Beginning
from tck_features.model.claims import Claims
from tck_features.model.ending import Ending
from tck_features.model.facts import AFTER, FIXES, HOMES
from tck_features.model.logbook import Leg, Logbook
from tck_features.model.mailbox import Mailbox, Run, Work
from tck_features.model.page import Page
from tck_features.model.scene import Scene


class Course:
    """Follows mailboxes from event to event."""

    def __init__(self, scene: Scene, logbook: Logbook, claims: Claims) -> None:
        """Work on what the model has."""
        self._scene = scene
        self._logbook = logbook
        self._claims = claims
        self._beginning = Beginning(scene, logbook, claims)
        self._ending = Ending(scene, logbook, claims)

    def follow(self, box: Mailbox, rows: deque[SessionRow], page: Page) -> None:
        """Follow one mailbox through one event. `rows` are the runs that began in it meanwhile, oldest first."""
        time = page.since
        if box.may_end:
            box.relax()
        while True:
            run = box.live
            if run is not None:
                ended = self._ending.follow(box, run, page)
                if ended is None:
                    break
                time = max(time, ended)
                self._conclude(box, run, time)
            elif rows:
                self._begin(box, rows.popleft(), page, time)
            else:
                break
        if rows and box.live is not None:
            statement = f"{box.ref}: runs that began while {box.live} was live"
            ids = ("RESUME-13", *(("RESUME-14",) if box.woken else ()))
            self._claims.recorded(statement, [], [row.run for row in rows], *ids)
        if box.ending is not None:
            box.close(box.ending)
        elif box.open and not box.blocked and box.live is None and not box.may_end:
            self._check_overdue(box, page)

    def _begin(self, box: Mailbox, row: SessionRow, page: Page, time: datetime) -> None:
        last = box.runs[-1] if box.runs else None
        run = self._beginning.begin(box, row, page, time)
        legs = self._logbook.of(run.id)
        before = self._logbook.of(last.id) if last is not None else []
        if legs and before and before[-1].end_position > legs[0].position:
            statement = f"{run}: the container of {last} had ended before"
            self._claims.seen(statement, "RESUME-13", "ISOLATE-12", holds=False)
        if legs and legs[0].state_dir is not None:
            box.folders[run.row.adapter_id] = legs[0].state_dir
        home = HOMES.get(run.row.phase, frozenset())
        box.states = frozenset().union(*({state} if state in home else {state, *home} for state in box.states))
        if run.row.phase == Phase.DEVELOPMENT or run.row.phase in FIXES:
            box.developed = True

    def _conclude(self, box: Mailbox, run: Run, at: datetime) -> None:
        """Let follow what follows from a run's end (§13.4)."""
        run.ended, box.live = at, None
        box.concluded.append(run)
        self._remember_folders(box, run)
        if run.row.phase in FIXES:
            box.fixes += 1
            box.fixes_left += run.row.outcome == RunOutcome.ABANDONED
        match run.row.outcome:
            case RunOutcome.SUCCEEDED:
                box.retries = 0
                self._move_on(box, run)
            case RunOutcome.FAILED | RunOutcome.TIMED_OUT:
                self._fail(box, run, at)
            case RunOutcome.ABANDONED:
                again = frozenset({run.row.phase})
                must = not (box.blocked or box.lenient)
                box.work.append(Work(again, at, at, must=must, cause="again", tries=run.work.tries))
            case _:
                pass

    def _move_on(self, box: Mailbox, run: Run) -> None:
        phase, home = run.row.phase, HOMES.get(run.row.phase, frozenset())
        after = AFTER.get(phase, frozenset())
        found: set[str] = set()
        for state in box.states:
            found |= after if state in home and phase == Phase.DEVELOPMENT else {state, *after}
        # While it is blocked, a result can be published, and need not move it.
        box.states = frozenset({*found, "blocked"} if box.blocked else found)

    def _fail(self, box: Mailbox, run: Run, at: datetime) -> None:
        phases, number = frozenset({run.row.phase}), self._scene.number
        if box.retries >= number("LLM_MAX_RETRIES"):
            if not box.issue:
                box.lenient = True
                box.relax()
            elif not box.blocked:
                self.block(box, phases)
                box.spent = True
            return
        wait = timedelta(seconds=number("LLM_RETRY_BACKOFF_SECONDS"))
        # Another run of the mailbox may have changed the counter since this event was first tried.
        waits = sorted((wait * 2**box.retries, wait * 2**run.work.tries))
        must = not (box.blocked or box.lenient)
        box.work.append(Work(phases, at + waits[0], at + waits[1], must=must, cause="retry", tries=run.work.tries + 1))
        box.retries += 1

    def block(self, box: Mailbox, phases: frozenset[str]) -> None:
        """Block an issue; `phases` are those that run again after a retry, any one of them."""
        box.blocked_from, box.blocked_phases = box.states, phases
        box.blocked, box.states = True, frozenset({"blocked"})
        box.relax()
        if box.live is not None:
            box.live.blocked_meanwhile = True

    def unblock(self, box: Mailbox, at: datetime) -> None:
        """Go on after `ai::retry`: in the state that it was blocked in, with the phase that was blocked."""
        box.blocked, box.spent, box.retries = False, False, 0
        box.states = box.blocked_from
        if box.blocked_phases:
            must = box.live is None and not box.lenient
            box.work.append(Work(box.blocked_phases, at, at, must=must, cause="human"))
        else:
            # No phase was blocked where nothing has run yet; whether one runs now is not said.
            box.work.append(Work(frozenset(map(str, ISSUE_PHASES)), at, at, must=False, cause="human"))

    def _remember_folders(self, box: Mailbox, run: Run) -> None:
        """Note where a run had its sessions, and what its legs left there."""
        adapter = run.row.adapter_id
        for leg in self._logbook.of(run.id):
            if leg.state_dir is None:
                continue
            _remember_session(box, run, leg)
            box.folders[adapter] = leg.state_dir
            if leg.saved and not run.damaged:
                box.holds[adapter] = (True,)
            elif True not in box.holds.get(adapter, (False,)):
                # A CLI can leave files behind without having saved anything.
                box.holds[adapter] = (False, True)

    def _check_overdue(self, box: Mailbox, page: Page) -> None:
        now = page.until if page.timely else page.since
        for work in box.work:
            if work.cause == "human" and any(run.row.phase in work.phases for run in box.begun):
                # Which of several that waited was the one that was blocked cannot be told.
                work.must = False
            if work.must and work.latest <= now:
                statement = (
                    f"{box.ref}: a run of {', '.join(sorted(work.phases))} that was due at {work.latest.isoformat()}"
                )
                self._claims.recorded(statement, "it has begun", "there is none", *_OVERDUE[work.cause])


def _remember_session(box: Mailbox, run: Run, leg: Leg) -> None:
    """Note which session was saved, so that it can be resumed as long as nobody touches its files."""
    adapter, answer = run.row.adapter_id, leg.answer
    sound = box.sound.setdefault(adapter, set())
    if leg.meddles or run.damaged:
        sound.clear()
        box.kept.discard(adapter)
        return
    if adapter == AdapterId.OPENCODE and leg.cli.asked_id is None:
        # It began a database of its own, and the one before it is not looked into any more.
        sound.clear()
    if answer is not None and answer.saved and answer.session_id is not None:
        sound.add(answer.session_id)
        box.kept.add(adapter)


_OVERDUE = {
    "event": ("RESUME-13", "RESUME-1"),
    "merge request": ("RESUME-5",),
    "retry": ("FALLBACK-12", "FALLBACK-8"),
    "again": ("RESUME-13", "CLEAN-6", "RESUME-15"),
    "human": ("CLEAN-5",),
    "offer": ("OFF-6",),
}
