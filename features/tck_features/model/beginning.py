"""How a run begins: what it is run for, what it has to be called, and whether its CLI was asked for the right session.

Specification: §7.3, §13.1, §16.5.2, §16.5.3, §16.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import product

from tck_driver.views import SessionRow
from tck_driver.vocabulary import RunOutcome
from tck_features.model import blame
from tck_features.model.claims import Claims
from tck_features.model.facts import DECLARES, is_id
from tck_features.model.logbook import Leg, Logbook
from tck_features.model.mailbox import Mailbox, Run, Work
from tck_features.model.names import branch_name
from tck_features.model.page import Page
from tck_features.model.resolution import Decision, KindOfRows, Situation, resolve
from tck_features.model.scene import Scene
from tck_features.model.starts import Starts
from tck_features.model.versions import is_bad

_FINISHED = frozenset({RunOutcome.SUCCEEDED, RunOutcome.FAILED, RunOutcome.TIMED_OUT})
_ENOUGH = 3
_BOTH = (False, True)
_Known = tuple[Decision, Situation]


class Beginning:
    """Takes a new row for a run, and holds it and its first start against what was due."""

    def __init__(self, scene: Scene, logbook: Logbook, claims: Claims) -> None:
        """Work on what the model has."""
        self._scene = scene
        self._logbook = logbook
        self._claims = claims
        self._starts = Starts(scene, logbook, claims)

    def begin(self, box: Mailbox, row: SessionRow, page: Page, time: datetime) -> Run:
        """Let a run begin; `time` is when the mailbox was last seen idle."""
        legs = self._logbook.of(row.run)
        first = legs[0] if legs else None
        # When a run without a container began is not witnessed: as soon as it could.
        work = self._take(box, row, page.until if first is None else first.at)
        at = max(time, work.earliest) if first is None else first.at
        binding = self._scene.binding(box.ref, row.phase)
        named = bool(box.names)
        if box.issue and not named:
            titles = self._scene.titles.get(box.ref, ("",))
            prefixes = self._scene.prefixes(box.ref)
            box.names = tuple(branch_name(prefix, box.ref.iid, title) for title in titles for prefix in prefixes)
        adapter = str(binding.adapter)
        known = self._decisions(box, adapter, at, page)
        decision, situation = _chosen(known, row, first)
        limit = timedelta(minutes=self._scene.number("PHASE_TIMEOUT_MINUTES"))
        run = Run(
            row=row,
            box=box,
            binding=binding,
            began=at,
            decision=decision,
            situation=situation,
            versions=self._installed(adapter),
            work=work,
            deadlines=(at + limit, at + limit),
        )
        box.runs.append(run)
        box.begun.append(run)
        box.live = run
        self._starts.check(box, run, first, named=named)
        return run

    # What it is run for

    def _take(self, box: Mailbox, row: SessionRow, at: datetime) -> Work:
        """Find what a run is for among what waits, and take it from there."""
        what = f"run {row.run} ({row.phase} of {row.mailbox})"
        if not box.open:
            (state,) = box.states
            self._claims.recorded(f"{what}: runs of an issue that is {state}", [], [row.run], *blame.of_end(state))
        if box.blocked:
            ids = ("FALLBACK-12",) if box.spent else ("CLEAN-5",)
            self._claims.recorded(f"{what}: runs of an issue that is blocked", [], [row.run], *ids)
        fitting = [work for work in box.work if row.phase in work.phases]
        ready = [work for work in fitting if work.earliest <= at]
        if not ready and box.lenient:
            # What a merge request's mailbox does once its retries are used up is left to the engine.
            return Work(frozenset({row.phase}), at, at, must=False)
        if not ready:
            due = min((work.earliest for work in fitting), default=None)
            self._refuse(box, what, row, due, at)
        work = min(ready, key=lambda one: (len(one.phases), not one.must, one.latest))
        box.work.remove(work)
        self._claims.recorded(f"{what}: the phase that is due", row.phase, row.phase, *_OF_CAUSE[work.cause])
        return work

    def _refuse(self, box: Mailbox, what: str, row: SessionRow, due: datetime | None, at: datetime) -> None:
        if due is not None:
            self._claims.recorded(
                f"{what}: the earliest moment of its retry",
                due.isoformat(),
                at.isoformat(),
                "FALLBACK-12",
                "FALLBACK-8",
            )
        ids = ("FALLBACK-8", "RESUME-13", "RESUME-5", *(("RESUME-14",) if box.woken else ()))
        self._claims.recorded(f"{what}: runs that nothing has asked for", [], [row.run], *ids, evidence=row)

    # What it begins with

    def _installed(self, adapter: str) -> tuple[str | None, ...]:
        """Give the version in the present image; more than one where the image answered in more ways."""
        asked = self._logbook.versions.get((adapter, self._scene.images.get(adapter, "")), [])
        return tuple(dict.fromkeys(answer.version for answer in reversed(asked)))

    def _decisions(self, box: Mailbox, adapter: str, at: datetime, page: Page) -> list[_Known]:
        """Give what can follow from §16.5.3, the likeliest first; more than one only where the text leaves it open."""
        setting, _ = self._scene.resume(box.ref)
        bare = Situation(setting=setting, declares=adapter in DECLARES, issue=box.issue)
        if not (bare.setting and bare.declares and bare.issue):
            return [(resolve(bare), bare)]
        found: dict[Decision, Situation] = {}
        for runs in self._present(box, at, page):
            for situation in self._situations(box, adapter, runs):
                found.setdefault(resolve(situation), situation)
            # An id that somebody wrote onto the row of a run without a session makes it a session row, or does not.
            with_session = [run for run in runs if run.row.session_name is not None]
            if any(run.row.native_session_id is not None for run in runs if run.row.session_name is None):
                for situation in self._situations(box, adapter, with_session):
                    found.setdefault(resolve(situation), situation)
        return list(found.items())

    def _present(self, box: Mailbox, at: datetime, page: Page) -> Iterator[list[Run]]:
        """Give the runs whose rows are there at a moment: without those whose time of deletion is not known, and with.

        Rows that were deleted during this event are gone by then if a sweep has come between.
        """
        keep = timedelta(days=self._scene.number("RETENTION_DAYS"))
        sweep = timedelta(seconds=self._scene.longest("RECONCILE_SECONDS"))
        there = [run for run in box.runs if not run.gone]
        sure = [run for run in there if run.id in page.rows or run.began + keep > at]
        maybe = [run for run in there if run.id in page.rows or run.began + keep + sweep > at]
        yield sure
        if len(maybe) > len(sure):
            yield maybe

    def _situations(self, box: Mailbox, adapter: str, runs: Sequence[Run]) -> Iterator[Situation]:
        sessions = [run for run in runs if is_id(run.row.adapter_id, run.row.native_session_id)]
        own = [run for run in sessions if run.row.adapter_id == adapter]
        if not own:
            rows: KindOfRows = "of others" if sessions else "none"
            yield Situation(setting=True, declares=True, issue=True, rows=rows)
            return
        prior = own[-1]
        native_id = prior.row.native_session_id
        installed = self._installed(adapter) or (None,)
        for now, then in product(installed, prior.versions or (None,)):
            good = not is_bad(adapter, now, then)
            for holds in box.holds.get(adapter, (False,)):
                for failures in _failed_three_times(runs, adapter, native_id):
                    yield Situation(
                        setting=True,
                        declares=True,
                        issue=True,
                        rows="of this adapter",
                        good=good,
                        holds=holds,
                        failures=failures,
                        prior=native_id,
                    )


_OF_CAUSE = {
    "event": ("RESUME-13",),
    "merge request": ("RESUME-5",),
    "retry": ("FALLBACK-12", "RESUME-13"),
    "again": ("RESUME-13",),
    "human": ("CLEAN-5",),
    "offer": ("OFF-6",),
}


def _chosen(known: Sequence[_Known], row: SessionRow, first: Leg | None) -> _Known:
    """Choose, of what can follow, what the engine did; the likeliest where it did nothing of it."""
    asked = None if first is None else first.cli.asked_id
    alike = [one for one in known if one[0].asked == asked]
    exact = [one for one in alike if one[0].reason == row.resume_fallback]
    return (exact or alike or list(known))[0]


def _failed_three_times(runs: Sequence[Run], adapter: str, native_id: str | None) -> tuple[bool, ...]:
    """Say whether the session was given up by FALLBACK-20; both where its text can be read in two ways.

    What a run asked for is what RESUME-3 gives for the rows before it. Where rows were deleted or changed since, that
    is another one than it really asked for.
    """
    prior: str | None = None
    finished: list[tuple[Run, str | None]] = []
    for run in runs:
        row = run.row
        if row.adapter_id != adapter:
            continue
        if row.outcome in _FINISHED and row.session_name is not None:
            finished.append((run, prior if row.resume_fallback is None else None))
        if is_id(adapter, row.native_session_id):
            prior = row.native_session_id
    latest = finished[-_ENOUGH:]
    if len(latest) < _ENOUGH or any(run.row.outcome == RunOutcome.SUCCEEDED for run, _ in latest):
        return (False,)
    by_rows = {asked for _, asked in latest}
    really = {run.asked for run, _ in latest}
    answers = [ids == {native_id} for ids in (by_rows, really)]
    one_other = any(len(ids) == 1 and None not in ids and ids != {native_id} for ids in (by_rows, really))
    return tuple(dict.fromkeys([*answers, *(_BOTH if one_other else ())]))
