"""The laws of what an engine tells of its runs: rows without a session, session details, requests and results.

The details grow with the history, so they are asked for less and less often: after the first runs each time, later at
ever longer intervals. Specification: OFF-7, ISOLATE-10, RECORD-1, RECORD-2, CONTRACT-1, CONTRACT-2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tck_driver.views import DetailRow, ExchangeRow, SessionRow
from tck_driver.vocabulary import FallbackReason, RunOutcome
from tck_features.laws.known import matches

if TYPE_CHECKING:
    from tck_features.history.history import Happened
    from tck_features.laws.known import Known
    from tck_features.laws.runs import Run

_REASONS = tuple(reason.value for reason in FallbackReason)
_CLAIM = re.compile(r"(?<!not )\bresumed\b(?!\s*[:=]?\s*(?:no|false|none|null))", re.IGNORECASE)
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.FAILED, RunOutcome.TIMED_OUT)
#: Up to how many finished runs the engine is asked whenever they have doubled; beyond that, at three times as many.
_FEW = 4


class Accounts:
    """Holds what the engine tells against its rows, and its rows against what they must not hold."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._hold = known.judge
        self._finished = 0
        self._next = 1
        #: The runs whose detail, and whose request and result, have been looked at.
        self._shown: set[str] = set()
        self._exchanged: set[str] = set()

    def row(self, run: Run) -> None:
        """Check one row that is new or has changed."""
        row = run.row
        if not run.session:
            self._hold(
                "name, native id, resumed and reason of a run without a session",
                expected=[None, None, False, None],
                actual=[
                    row.session_name,
                    None if run.overwritten else row.native_session_id,
                    row.resumed,
                    row.resume_fallback,
                ],
                rests_on=self._known.world.evidence,
                by=("OFF-7", *run.by),
                evidence=lambda: (str(row),),
            )
        elif row.native_session_id is not None and not run.overwritten:
            self._hold(
                "the native id on a row as a whole has the form of the adapter's ids",
                expected=True,
                actual=matches(row.adapter_id, row.native_session_id),
                rests_on=self._known.world.evidence,
                by=("ISOLATE-10",),
                evidence=lambda: (str(row)[:1000],),
            )
        self._hold(
            "the reason is none, or one of the five",
            of=row.run,
            expected=True,
            actual=row.resume_fallback in (None, *_REASONS),
            rests_on=self._known.world.evidence,
            by=("RECORD-1", "FALLBACK-1"),
        )
        if not run.live:
            self._finished += 1

    def after(self, happened: Happened) -> None:
        """Ask the engine, where it is time to."""
        if self._finished < self._next:
            return
        self._next = self._finished * (2 if self._finished < _FEW else 3)
        table = {row.run: row for row in happened.table}
        for detail in self._known.view("details", DetailRow) or ():
            run, row = self._known.runs.get(detail.run), table.get(detail.run)
            if (
                detail.run not in self._shown
                and run is not None
                and row is not None
                and row.session_name is not None
                and not run.live
            ):
                self._detail(run, row, detail)
                self._shown.add(detail.run)
        for exchange in self._known.view("exchanges", ExchangeRow) or ():
            run, row = self._known.runs.get(exchange.run), table.get(exchange.run)
            if exchange.run not in self._exchanged and run is not None and row is not None and not run.live:
                self._request(run, row, exchange)
                self._result(run, row, exchange)
                self._exchanged.add(exchange.run)

    def _detail(self, run: Run, row: SessionRow, detail: DetailRow) -> None:
        text = " | ".join(f"{label}: {value}" for label, value in detail.lines)
        wanted = [row.session_name, row.native_session_id, "resumed" if row.resumed else row.resume_fallback]
        missing = [part for part in wanted if part and not _says(text, part)]
        self._hold(
            "what the session detail does not show",
            of=row.run,
            expected=[],
            actual=missing,
            rests_on="reported",
            by=("RECORD-2",),
            evidence=lambda: (text[:1000],),
        )
        told = self._without(text, run, row)
        contrary = [reason for reason in _REASONS if row.resumed and _says(told, reason)]
        contrary += ["not resumed"] if row.resumed and "not resumed" in told else []
        contrary += ["resumed"] if not row.resumed and _CLAIM.search(told) else []
        self._hold(
            "words of the session detail that say the contrary of the row",
            of=row.run,
            expected=[],
            actual=contrary,
            rests_on="reported",
            by=("RECORD-2",),
            evidence=lambda: (text[:1000],),
        )

    def _without(self, text: str, run: Run, row: SessionRow) -> str:
        """Give a detail without what its issue is called, whose words say nothing of the run."""
        ref = run.mailbox.ref
        called = self._known.mailboxes.called.get(ref, [])
        for word in (*called, row.session_name, row.native_session_id, ref.organization, ref.project, row.model):
            text = text.replace(word, "") if word else text
        return text

    def _request(self, run: Run, row: SessionRow, exchange: ExchangeRow) -> None:
        session = exchange.session
        if not run.session:
            self._hold(
                "LlmRequest.session of a run without a session",
                of=row.run,
                expected=None,
                actual=session,
                rests_on="reported",
                by=("CONTRACT-1", "RESUME-1", *run.by),
            )
            return
        if session is None and not run.legs:
            return
        expected: dict[str, object] = {
            "name": run.mailbox.name,
            "resumeId": run.legs[0].cli.asked_id if run.legs else (session or {}).get("resumeId"),
            "stateDir": f"{self._known.root}/{run.mailbox.folder}/{row.adapter_id}",
        }
        ended = run.mailbox.folder is None
        self._hold(
            "LlmRequest.session",
            of=row.run,
            expected={**expected, **({"stateDir": (session or {}).get("stateDir")} if ended else {})},
            actual=session,
            rests_on="reported",
            by=("CONTRACT-1", "RESUME-1"),
        )

    def _result(self, run: Run, row: SessionRow, exchange: ExchangeRow) -> None:
        if exchange.result is None or row.outcome not in _ENDED:
            return
        native_id = exchange.result.get("sessionId") if run.overwritten else row.native_session_id
        self._hold(
            "LlmResult, beside the row",
            of=row.run,
            expected={"sessionId": native_id, "resumed": row.resumed, "resumeFallback": row.resume_fallback},
            actual=exchange.result,
            rests_on="reported",
            by=("CONTRACT-2",),
        )
        if run.session and row.outcome == RunOutcome.SUCCEEDED:
            self._hold(
                "a run that had a session and succeeded was resumed or has a reason, and not both",
                of=row,
                expected=True,
                actual=row.resumed is (row.resume_fallback is None),
                rests_on=self._known.world.evidence,
                by=("CONTRACT-2", "FALLBACK-1"),
            )


def _says(text: str, part: str) -> bool:
    """Say whether a text has a part as a word of its own."""
    at = text.find(part)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(part) : at + len(part) + 1]
        if not any(one.isalnum() or one == "_" for one in around):
            return True
        at = text.find(part, at + 1)
    return False
