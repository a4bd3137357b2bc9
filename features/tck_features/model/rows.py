"""The row of a run, held against what can be on record of it: while it lasts, and when it has ended.

Specification: §13.1, §16.5.4, §22.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tck_driver.views import SessionRow
from tck_driver.vocabulary import FallbackReason, RunOutcome
from tck_features.model import blame
from tck_features.model.claims import Claims
from tck_features.model.entries import Entry
from tck_features.model.facts import is_id
from tck_features.model.logbook import Leg
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.scene import Scene
from tck_features.model.shapes import names_early

#: Stands for a native id that only the CLI knows by now.
_ANY = "(a native id)"
_NOTHING = [None, None, False, None]


class Rows:
    """Checks the rows of `llm_sessions`."""

    def __init__(self, scene: Scene, claims: Claims) -> None:
        """Work on what the model has."""
        self._scene = scene
        self._claims = claims

    def check_live(self, box: Mailbox, run: Run, leg: Leg, row: SessionRow) -> None:
        """Check the row of a run that goes on: it says no more, and no less, than is known by now."""
        self._claims.recorded(f"{run}: outcome", RunOutcome.LIVE, row.outcome, "RESUME-13", "RECORD-1")
        before, run.row = run.row, row
        if run.tampered:
            return
        if not run.decision.applies:
            self._claims.recorded(
                _of_nothing(run),
                _NOTHING,
                _session(row),
                "OFF-7",
                why=lambda: blame.without_session(box, row.adapter_id, self._scene),
            )
            return
        self._check_live_id(run, leg, before.native_session_id)
        reasons = {FallbackReason.REFUSED, None} if run.leg else {run.decision.reason}
        due = row.resume_fallback if row.resume_fallback in reasons else run.decision.reason
        self._claims.recorded(
            f"{run}: reason while it lasts", due, row.resume_fallback, "FALLBACK-16", "FALLBACK-1", "RECORD-1"
        )
        proven = leg.cli.asked_id is not None and row.native_session_id is not None
        self._claims.recorded(
            f"{run}: resumed while it lasts", row.resumed and proven, row.resumed, "RESUME-11", "RECORD-1"
        )

    def _check_live_id(self, run: Run, leg: Leg, before: str | None) -> None:
        """Check the id that is stored while a run lasts (RESUME-15): of a fresh leg the first, else the asked one."""
        held, asked = run.row.native_session_id, leg.cli.asked_id
        early = names_early(leg.cli, leg.script)
        if asked is not None:
            due = asked
        elif before is not None and not run.leg:
            due = before
        else:
            due = held if early is not False and is_id(run.row.adapter_id, held) and held is not None else _ANY
        possible = {True: (due,), False: (None,), None: (None, due)}[early]
        ids = ("FALLBACK-17", "RESUME-15") if run.leg else ("RESUME-15", "ISOLATE-10", "FALLBACK-17")
        self._claims.recorded(
            f"{run}: native id while it lasts", held if held in possible else possible[-1], held, *ids
        )

    def close(self, run: Run, row: SessionRow | None, entries: Sequence[Entry], leg: Leg | None) -> None:
        """Check the row of a run that has ended. Of a row that was deleted meanwhile the likeliest is taken for it."""
        if row is None:
            one = entries[0]
            run.row = replace(
                run.row,
                outcome=one.outcome,
                native_session_id=one.native_id,
                resumed=one.resumed,
                resume_fallback=one.reason,
            )
            return
        run.row = row
        held = Entry(RunOutcome(row.outcome), row.native_session_id, row.resumed, row.resume_fallback)
        due = held if held in entries else max(entries, key=held.likeness)
        claims = self._claims
        claims.recorded(
            f"{run}: outcome",
            due.outcome,
            row.outcome,
            "RECORD-1",
            why=lambda: blame.outcome(run, due.outcome),
            evidence=row,
        )
        if not run.decision.applies:
            if not run.tampered:
                claims.recorded(_of_nothing(run), _NOTHING, _session(row), "OFF-7", evidence=row)
            return
        claims.recorded(
            f"{run}: native id",
            due.native_id,
            row.native_session_id,
            "RESUME-9",
            why=lambda: blame.native_id(run, due, leg),
            evidence=row,
        )
        proof = "RESUME-11" if run.decision.asked is not None else "FALLBACK-1"
        claims.recorded(
            f"{run}: resumed", due.resumed, row.resumed, proof, why=lambda: blame.resumed(run, due), evidence=row
        )
        claims.recorded(
            f"{run}: reason",
            due.reason,
            row.resume_fallback,
            "FALLBACK-6" if run.leg else "FALLBACK-1",
            why=lambda: blame.reason(run, due.reason),
            evidence=row,
        )


def _of_nothing(run: Run) -> str:
    return f"{run}: name, native id, resumed, reason"


def _session(row: SessionRow) -> list[object]:
    return [row.session_name, row.native_session_id, row.resumed, row.resume_fallback]
