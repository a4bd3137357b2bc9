"""Which requirements an engine breaks when something is otherwise than predicted.

What was due decides, what was there instead, and what lies behind the run. Called only where something is wrong: an
expectation that holds names no more than what it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tck_driver.vocabulary import AdapterId, FallbackReason, RunOutcome
from tck_driver.witness import CliStarted
from tck_features.model.entries import Entry
from tck_features.model.facts import DECLARES, is_id
from tck_features.model.logbook import Leg
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.resolution import reasons
from tck_features.model.scene import Scene
from tck_features.model.versions import is_verified

Ids = tuple[str, ...]

_OF_REASON: Mapping[FallbackReason, Ids] = MappingProxyType(
    {
        FallbackReason.NO_PRIOR_SESSION: ("FALLBACK-2",),
        FallbackReason.ADAPTER_CHANGED: ("FALLBACK-3",),
        FallbackReason.STATE_MISSING: ("FALLBACK-4",),
        FallbackReason.UNSUPPORTED_VERSION: ("FALLBACK-5", "CAPABILITY-2", "CAPABILITY-5", "CAPABILITY-7"),
        FallbackReason.REFUSED: ("FALLBACK-20",),
    }
)
_AFTER: Mapping[str, Ids] = MappingProxyType(
    {
        RunOutcome.FAILED: ("RESUME-15", "FALLBACK-12"),
        RunOutcome.TIMED_OUT: ("RESUME-15", "FALLBACK-12"),
        RunOutcome.CANCELLED: ("RESUME-15",),
        RunOutcome.ABANDONED: ("RESUME-15", "CLEAN-6"),
    }
)
_OF_CAUSE: Mapping[str, Ids] = MappingProxyType({"merge request": ("RESUME-5",), "human": ("CLEAN-5",)})
_OF_END: Mapping[str, Ids] = MappingProxyType(
    {"done": ("CLEAN-1",), "cancelled": ("CLEAN-2",), "orphaned": ("CLEAN-3",)}
)


def of_end(state: str) -> Ids:
    """Name what says that a mailbox ends in this state."""
    return _OF_END[state]


def of_reason(reason: FallbackReason) -> Ids:
    """Name what says that this reason is recorded."""
    return _OF_REASON[reason][:1]


# How a run begins


def without_session(box: Mailbox, adapter: str, scene: Scene) -> Ids:
    """Name what says that a run has no session."""
    if not box.issue:
        return ("OFF-6", "OFF-7", "RESUME-1", "RECORD-1")
    if adapter == AdapterId.API:
        return ("OFF-4", "OFF-7", "RESUME-1", "RECORD-1")
    if adapter not in DECLARES:
        return ("OFF-5", "OFF-7", "RESUME-1", "RECORD-1", "CAPABILITY-3")
    project = scene.resume(box.ref)[1] == "project"
    return ("OFF-3" if project else "OFF-2", "OFF-7", "OFF-9", "OFF-1", "OFF-10", "RESUME-1", "RECORD-1")


def with_session(run: Run) -> Ids:
    """Name what says that a run has a session."""
    ids = ("RESUME-1", "NAME-11", "OFF-1", "OFF-9", "CAPABILITY-6")
    unfit = not any(is_verified(run.row.adapter_id, version) for version in run.versions)
    return (*ids, "FALLBACK-5") if unfit else ids


def name(box: Mailbox, run: Run | None, *, first: bool) -> Ids:
    """Name what says which name is on record."""
    if first:
        ids: Ids = ("NAME-1", "NAME-2", "NAME-3", "NAME-8", "NAME-9", "NAME-10", "NAME-11")
        return (*ids, "CLEAN-13") if box.generation > 1 else ids
    changed = (*(("NAME-4",) if box.retitled else ()), *(("NAME-5",) if box.reprefixed else ()))
    fresh = ("FALLBACK-1",) if run is not None and run.decision.reason is not None else ()
    return ("NAME-3", *changed, "NAME-11", *fresh)


def label(box: Mailbox) -> Ids:
    """Name what says by which label a fresh session goes."""
    return ("NAME-7", *name(box, None, first=False))


def start(box: Mailbox, run: Run, cli: CliStarted, scene: Scene) -> Ids:
    """Name what says what a run asks its CLI for."""
    if not run.decision.applies:
        return without_session(box, run.row.adapter_id, scene)
    ids = _resume(box, run, cli) if run.decision.asked is not None else _fresh_start(box, run)
    return tuple(dict.fromkeys(ids))


def fresh(box: Mailbox, run: Run) -> Ids:
    """Name what says that a run starts afresh for the reason that was decided before."""
    return tuple(dict.fromkeys(("FALLBACK-1", "RECORD-1", *_fresh(box, run))))


def _fresh_start(box: Mailbox, run: Run) -> Iterator[str]:
    yield from _fresh(box, run)
    yield "FALLBACK-15"
    if run.decision.reason is FallbackReason.ADAPTER_CHANGED or len(box.runs) > 1:
        yield "RESUME-3"


def _fresh(box: Mailbox, run: Run) -> Iterator[str]:
    reason, held = run.decision.reason, run.row.resume_fallback
    if reason is None:
        return
    yield from _OF_REASON[reason]
    if len(reasons(run.situation)) > 1 or held not in {None, reason, FallbackReason.NO_PRIOR_SESSION}:
        yield "FALLBACK-18"
    if held == FallbackReason.REFUSED and reason is not FallbackReason.REFUSED:
        yield "FALLBACK-16"
    if reason is FallbackReason.NO_PRIOR_SESSION:
        yield from _of_beginning(box, run)
    if reason is FallbackReason.STATE_MISSING and run.row.resume_fallback != reason:
        yield "ISOLATE-9"


def _of_beginning(box: Mailbox, run: Run) -> Iterator[str]:
    """Name what says that nothing counts that may look like an earlier session."""
    if box.generation > 1:
        yield "CLEAN-13"
    if any(one.gone for one in box.runs):
        yield "CLEAN-7"
    if any(one.row.native_session_id is not None for one in box.runs if one is not run):
        yield "ISOLATE-10"
    yield "RESUME-3"


def _resume(box: Mailbox, run: Run, cli: CliStarted) -> Iterator[str]:
    """Name what says which id a run asks for: what lies behind it in its mailbox, and what it did instead."""
    yield from ("RESUME-2", "RESUME-3")
    yield from _instead(box, run, cli)
    earlier = [one for one in box.runs if one is not run]
    own = [one for one in earlier if one.row.native_session_id == run.decision.asked]
    if own and own[-1].fell_back:
        yield "FALLBACK-14"
    if own and own[-1].row.resumed and own[-1].decision.asked != run.decision.asked:
        yield "RESUME-12"
    if earlier:
        yield from _of_last(earlier[-1], run)
    yield from _OF_CAUSE.get(run.work.cause, ())
    if box.generation > 1:
        yield "CLEAN-13"


def _instead(box: Mailbox, run: Run, cli: CliStarted) -> Iterator[str]:
    """Name what forbids what an engine did in place of asking for an id."""
    row = run.row
    if row.session_name is None:
        yield from ("OFF-1", "OFF-9", "OFF-11", "RESUME-1")
    if row.resume_fallback is not None:
        yield from _OF_REASON.get(FallbackReason(row.resume_fallback), ())
    if row.resume_fallback == FallbackReason.NO_PRIOR_SESSION:
        yield "CLEAN-7"
    if cli.usage_error is not None:
        yield "CAPABILITY-6"
    if cli.asked_loosely:
        yield "RESUME-10"
    known = {one.row.native_session_id for one in box.runs}
    if cli.asked_id is not None and cli.asked_id not in known:
        yield from ("RESUME-4", "ISOLATE-10")
    if any(one is not None and not is_id(row.adapter_id, one) for one in known):
        yield "ISOLATE-10"


def _of_last(last: Run, run: Run) -> Iterator[str]:
    """Name what says that a run goes on with the session although the one before it was such as it was."""
    yield from _AFTER.get(last.row.outcome, ())
    if last.row.session_name is None:
        yield from ("OFF-11", "OFF-4")
    elif not last.row.resumed and last.row.resume_fallback is None:
        yield "RESUME-11"
    if (last.binding.provider, last.binding.model) != (run.binding.provider, run.binding.model):
        yield "RESUME-6"


# How a run ends


def outcome(run: Run, due: RunOutcome) -> Ids:
    """Name what says that a run ends so."""
    second = run.leg > 0
    if due is RunOutcome.SUCCEEDED:
        return ("FALLBACK-11",) if run.fell_back or second else ("FALLBACK-12", "RESUME-2")
    if due is RunOutcome.TIMED_OUT:
        return ("FALLBACK-7", "ISOLATE-12") if second else ("ISOLATE-12", "FALLBACK-12")
    if due is RunOutcome.CANCELLED:
        return ("CLEAN-1", "CLEAN-2", "CLEAN-3", "ISOLATE-12")
    if due is RunOutcome.ABANDONED:
        return ("RESUME-14", "RESUME-13")
    return ("FALLBACK-12", "FALLBACK-16")


def native_id(run: Run, due: Entry, leg: Leg | None) -> Ids:
    """Name what says which native id is on record."""
    return tuple(dict.fromkeys(_native_id(run, due, leg)))


def _native_id(run: Run, due: Entry, leg: Leg | None) -> Iterator[str]:
    held = run.row.native_session_id
    if held is not None and not is_id(run.row.adapter_id, held):
        yield "ISOLATE-10"
    if leg is not None and not leg.saved and due.native_id is None:
        yield "RECORD-3"
    if due.outcome is not RunOutcome.SUCCEEDED:
        yield "RESUME-15"
    if run.leg:
        yield from ("FALLBACK-17", "FALLBACK-14")
    elif due.reason is not None:
        yield "FALLBACK-14"
    if due.native_id is None:
        yield "RESUME-11"
    elif due.resumed and due.native_id != run.decision.asked:
        yield "RESUME-12"
    reported = () if leg is None or leg.answer is None else leg.answer.reported_ids
    if held is not None and held not in reported:
        yield "RESUME-4"
    yield "RESUME-9"


def resumed(run: Run, due: Entry) -> Ids:
    """Name what says whether a run is a resumed one."""
    if due.resumed:
        return ("RESUME-2", "RESUME-9", "RESUME-6", "RESUME-11", "RESUME-12", "RECORD-1")
    return ("RESUME-11", "FALLBACK-1", "RECORD-1") if run.decision.applies else ("OFF-7",)


def reason(run: Run, due: str | None) -> Ids:
    """Name what says which reason is on record."""
    if due is None:
        return ("FALLBACK-16", "FALLBACK-12", "FALLBACK-1", "RECORD-1")
    if due == FallbackReason.REFUSED and run.decision.reason is None:
        return ("FALLBACK-6", "FALLBACK-13", "FALLBACK-1", "RESUME-11", "RECORD-1")
    return ("FALLBACK-1", "RECORD-1", *_OF_REASON[FallbackReason(due)])


def kept(box: Mailbox, *, swept: bool, configured: bool, ended: bool) -> Ids:
    """Name what says that the session state of an open issue stays, whatever has just happened."""
    causes = (
        (box.live is not None, ("CLEAN-12",)),
        (box.blocked, ("CLEAN-5",)),
        (configured, ("OFF-8",)),
        (ended, ("CLEAN-8",)),
        (any(run.row.outcome == RunOutcome.ABANDONED for run in box.concluded), ("CLEAN-6",)),
        (any(not run.decision.applies for run in box.concluded), ("OFF-8", "OFF-4")),
        (any(run.work.cause == "human" for run in box.begun), ("CLEAN-5",)),
        (swept, ("CLEAN-7", "CLEAN-4")),
        (True, ("ISOLATE-6", "ISOLATE-13")),
    )
    return tuple(one for holds, ids in causes if holds for one in ids)


def lost(box: Mailbox, run: Run) -> Ids:
    """Name what says that a session that was saved, and whose files nobody has touched, can be resumed."""
    ids: Ids = ("ISOLATE-6", "ISOLATE-2", "ISOLATE-3", "RESUME-8", "ISOLATE-13", "CLEAN-12")
    last = box.runs[-2] if len(box.runs) > 1 else None
    if last is not None and last.row.outcome == RunOutcome.ABANDONED:
        ids = (*ids, "CLEAN-6")
    return (*ids, "CLEAN-5") if run.work.cause == "human" else ids
