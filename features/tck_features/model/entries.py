"""What can be on record of a run after one of its legs, worked out from what was witnessed of that leg.

Mostly that is one entry. Several are possible at the borders: an issue that ends at the very moment at which its CLI
does, or an engine that died before it could write what it knew. Specification: §13.4, §16.5.4, §22.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from tck_driver.vocabulary import AdapterId, FallbackReason, RunOutcome
from tck_features.model.facts import ROTATES, is_id
from tck_features.model.judgement import LegSeen, Verdict, judge
from tck_features.model.logbook import Leg
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.shapes import refuses, reported, speaks

#: By how much a container may outlast the time of its phase.
LATE = timedelta(seconds=1)
_BY_ITSELF = frozenset({"exited", "refused"})
_ANSWERED = frozenset({RunOutcome.SUCCEEDED, RunOutcome.FAILED})


@dataclass(frozen=True, slots=True)
class Entry:
    """What is on record of a run: its outcome, and what it has of a session."""

    outcome: RunOutcome
    native_id: str | None = None
    resumed: bool = False
    reason: str | None = None

    def likeness(self, other: Entry) -> tuple[bool, ...]:
        """Order entries by how much of another one they have, the outcome first."""
        return (
            self.outcome == other.outcome,
            self.native_id == other.native_id,
            self.resumed == other.resumed,
            self.reason == other.reason,
        )


@dataclass(frozen=True, slots=True)
class AfterLeg:
    """What can follow a leg: an entry out of these, or with none of them one fresh leg. `early`: stopped too soon."""

    entries: tuple[Entry, ...]
    early: bool = False


def after(box: Mailbox, run: Run, leg: Leg) -> AfterLeg:
    """Work out what can follow a leg that has ended."""
    ends = _ends(box, run, leg)
    entries: list[Entry] = []
    for end in ends or (RunOutcome.FAILED,):
        if not run.decision.applies:
            entries.append(Entry(end))
            continue
        verdict = _verdict(box, run, leg, end)
        if verdict.again and end in _ANSWERED:
            if leg.end is None or run.deadlines is None or leg.end.at < run.deadlines[0]:
                return AfterLeg(())
            entries.append(Entry(RunOutcome.TIMED_OUT, reason=verdict.reason))
        else:
            entries.extend(_recorded(run, leg, end, verdict))
    return AfterLeg(tuple(entries), early=not ends)


def given_up(box: Mailbox, run: Run, leg: Leg, outcome: RunOutcome) -> tuple[Entry, ...]:
    """Work out what can be on record of a run whose engine died, and that was given up since."""
    if not run.decision.applies:
        return (Entry(outcome),)
    verdict = _verdict(box, run, leg, RunOutcome.ABANDONED)
    found = _recorded(run, leg, RunOutcome.ABANDONED, verdict)
    return tuple(replace(entry, outcome=outcome) for entry in found)


def _verdict(box: Mailbox, run: Run, leg: Leg, end: RunOutcome) -> Verdict:
    answer, asked = leg.answer, leg.cli.asked_id
    by_itself = answer is not None and leg.end is not None and leg.end.how == "exited"
    refused = by_itself and answer is not None and refuses(answer, asked, silent=asked in box.silent)
    seen = LegSeen(
        asked=asked,
        reported=() if answer is None else reported(answer, asked, refused=refused),
        turn=answer is not None and speaks(answer),
        refused=refused,
        rotates=run.row.adapter_id in ROTATES,
        end=end,
    )
    return judge(seen, FallbackReason.REFUSED if run.leg else run.decision.reason)


def _recorded(run: Run, leg: Leg, end: RunOutcome, verdict: Verdict) -> list[Entry]:
    native_id = verdict.native_id
    if end is RunOutcome.SUCCEEDED and not leg.saved:
        native_id = None
    if end is not RunOutcome.ABANDONED:
        # Of files that somebody else has changed as well it cannot be said whether the run did; nor whether an issue
        # that ended at this very moment ended before.
        by_itself = leg.end is not None and leg.end.how == "exited"
        unsure = run.damaged if end is RunOutcome.SUCCEEDED else by_itself and end is RunOutcome.CANCELLED
        kept = (native_id, verdict.native_id, None) if unsure else (native_id,)
        return [Entry(end, one, verdict.resumed, verdict.reason) for one in dict.fromkeys(kept)]
    # What an engine had no time left to write stays as it was while the run was live.
    read = run.orphaned is None and not run.tampered
    stored = _first(run, leg) if read else run.row.native_session_id
    reasons: Iterable[str | None] = (verdict.reason,)
    if run.leg or run.decision.asked is not None:
        reasons = dict.fromkeys((verdict.reason, None))
    return [
        Entry(end, one, resumed, reason)
        for one in dict.fromkeys((native_id, stored))
        for resumed in dict.fromkeys((verdict.resumed, False))
        for reason in reasons
    ]


def _first(run: Run, leg: Leg) -> str | None:
    """Give the id that is stored while a leg lasts: the first one of a fresh leg, or the asked one."""
    ids = () if leg.answer is None else leg.answer.reported_ids
    asked = leg.cli.asked_id
    return next((one for one in ids if is_id(run.row.adapter_id, one) and asked in {None, one}), None)


def _ends(box: Mailbox, run: Run, leg: Leg) -> tuple[RunOutcome, ...]:
    """Give the outcomes that a leg's end can be, by how its container ended and when; none where it had no cause."""
    end = leg.end
    if end is None or run.deadlines is None:
        return ()
    early, late = run.deadlines
    ending = box.ending is not None or box.may_end
    possible: tuple[tuple[bool, RunOutcome], ...]
    if end.how not in _BY_ITSELF:
        possible = (
            (ending, RunOutcome.CANCELLED),
            (run.lease_lost and box.ending is None, RunOutcome.ABANDONED),
            (end.at >= early - LATE and not run.lease_lost, RunOutcome.TIMED_OUT),
        )
    elif end.at > late + LATE:
        possible = ((True, RunOutcome.TIMED_OUT),)
    else:
        own = _own_ends(run, leg)
        possible = (
            *((True, one) for one in own),
            (end.at >= early, RunOutcome.TIMED_OUT),
            # An issue can end at the very moment at which its CLI does.
            (box.may_end, RunOutcome.CANCELLED),
        )
    return tuple(outcome for holds, outcome in possible if holds)


def _own_ends(run: Run, leg: Leg) -> tuple[RunOutcome, ...]:
    """Say whether a CLI that ended by itself succeeded: with exit code 0 and an answer that can be used."""
    answer = leg.answer
    if answer is None or answer.exit_code != 0 or answer.shape == "usage_error":
        return (RunOutcome.FAILED,)
    # What is said about ids in prose makes an answer of its own.
    if leg.script.answer.strip() or answer.shape == "prose_id":
        return (RunOutcome.SUCCEEDED,)
    if run.row.adapter_id == AdapterId.GROK_BUILD:
        # How that CLI marks its answer was never measured.
        return (RunOutcome.FAILED, RunOutcome.SUCCEEDED)
    return (RunOutcome.FAILED,)
