"""Which requirement an engine breaks when something is otherwise than predicted: what was due decides, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tck_driver.vocabulary import AdapterId, FallbackReason, RunOutcome
from tck_features.model.facts import DECLARES
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.resolution import reasons
from tck_features.model.scene import Scene

Ids = tuple[str, ...]

_OF_REASON: Mapping[FallbackReason, Ids] = MappingProxyType(
    {
        FallbackReason.NO_PRIOR_SESSION: ("FALLBACK-2",),
        FallbackReason.ADAPTER_CHANGED: ("FALLBACK-3",),
        FallbackReason.STATE_MISSING: ("FALLBACK-4",),
        FallbackReason.UNSUPPORTED_VERSION: ("FALLBACK-5",),
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
#: What says that a reason which an engine gave does not hold.
_INSTEAD: Mapping[str, Ids] = MappingProxyType(
    {
        FallbackReason.NO_PRIOR_SESSION: ("FALLBACK-2", "CLEAN-7"),
        FallbackReason.ADAPTER_CHANGED: ("FALLBACK-3",),
        FallbackReason.STATE_MISSING: ("FALLBACK-4",),
        FallbackReason.UNSUPPORTED_VERSION: ("FALLBACK-5", "CAPABILITY-2", "CAPABILITY-5", "CAPABILITY-7"),
        FallbackReason.REFUSED: ("FALLBACK-20",),
    }
)
_OF_CAUSE: Mapping[str, Ids] = MappingProxyType({"merge request": ("RESUME-5",), "human": ("CLEAN-5",)})
_OF_END: Mapping[str, Ids] = MappingProxyType(
    {"done": ("CLEAN-1",), "cancelled": ("CLEAN-2",), "orphaned": ("CLEAN-3",)}
)


def of_end(state: str) -> Ids:
    """Name what says that a mailbox ends in this state."""
    return _OF_END[state]


def without_session(box: Mailbox, adapter: str, scene: Scene) -> Ids:
    """Name what says that a run has no session."""
    if not box.issue:
        return ("OFF-6",)
    if adapter == AdapterId.API:
        return ("OFF-4",)
    if adapter not in DECLARES:
        return ("OFF-5",)
    return ("OFF-3", "OFF-9") if scene.resume(box.ref)[1] == "project" else ("OFF-2",)


def fresh(box: Mailbox, run: Run) -> Ids:
    """Name what says that a run starts afresh for the reason that was decided before."""
    decision, situation = run.decision, run.situation
    if decision.reason is None:
        return ()
    ids = _OF_REASON[decision.reason]
    if decision.reason is FallbackReason.NO_PRIOR_SESSION:
        if box.generation > 1:
            ids = (*ids, "CLEAN-13")
        if any(one.row.native_session_id is not None for one in box.runs if one is not run):
            ids = (*ids, "ISOLATE-10")
        return (*ids, "CLEAN-7") if any(one.gone for one in box.runs) else ids
    if decision.reason is FallbackReason.UNSUPPORTED_VERSION:
        ids = (*ids, "CAPABILITY-5", "CAPABILITY-7")
    if decision.reason is FallbackReason.ADAPTER_CHANGED and run.row.resume_fallback is None:
        ids = (*ids, "RESUME-3")
    return (*ids, "FALLBACK-18") if len(reasons(situation)) > 1 else ids


def resume(box: Mailbox, run: Run) -> Ids:
    """Name what says which id a run asks for: what lies behind it in its mailbox decides."""
    earlier = [one for one in box.runs if one is not run]
    own = [one for one in earlier if one.row.native_session_id == run.decision.asked]
    ids = ["RESUME-2", "RESUME-3"]
    if own and own[-1].fell_back:
        ids.append("FALLBACK-14")
    if own and own[-1].row.resumed and own[-1].decision.asked != run.decision.asked:
        ids.append("RESUME-12")
    if earlier:
        ids.extend(_of_last(earlier[-1], run))
    ids.extend(_OF_CAUSE.get(run.work.cause, ()))
    ids.extend(_INSTEAD.get(run.row.resume_fallback or "", ()))
    if run.row.session_name is None:
        ids.extend(("OFF-1", "OFF-9", "OFF-11", "RESUME-1"))
    return tuple(dict.fromkeys(ids))


def _of_last(last: Run, run: Run) -> Iterator[str]:
    """Name what says that a run goes on with the session although the one before it was such as it was."""
    yield from _AFTER.get(last.row.outcome, ())
    if last.row.session_name is None:
        yield "OFF-11"
    if (last.binding.provider, last.binding.model) != (run.binding.provider, run.binding.model):
        yield "RESUME-6"


def start(box: Mailbox, run: Run, scene: Scene) -> Ids:
    """Name what says what a run asks its CLI for."""
    if not run.decision.applies:
        return without_session(box, run.row.adapter_id, scene)
    return resume(box, run) if run.decision.asked is not None else (*fresh(box, run), "FALLBACK-15")


def outcome(run: Run, due: RunOutcome, *, second: bool) -> Ids:
    """Name what says that a run ends so."""
    if due is RunOutcome.SUCCEEDED:
        return ("FALLBACK-11",) if run.fell_back or second else ("FALLBACK-12", "RESUME-2")
    if due is RunOutcome.TIMED_OUT:
        return ("FALLBACK-7", "ISOLATE-12") if second else ("ISOLATE-12", "FALLBACK-12")
    if due is RunOutcome.CANCELLED:
        return ("CLEAN-1", "CLEAN-2", "CLEAN-3", "ISOLATE-12")
    if due is RunOutcome.ABANDONED:
        return ("RESUME-14", "RESUME-13")
    return ("FALLBACK-12", "FALLBACK-16")


def native_id(run: Run, *, second: bool, unsaved: bool, odd: bool, due: str | None) -> Ids:
    """Name what says which native id is on record."""
    ids: Ids = ("RESUME-9",)
    if run.row.outcome not in {RunOutcome.SUCCEEDED, RunOutcome.LIVE}:
        ids = ("RESUME-15", *ids)
    if run.row.outcome == RunOutcome.LIVE:
        ids = ("RESUME-15",)
    if second:
        ids = ("FALLBACK-17", *ids)
    if odd:
        ids = ("ISOLATE-10", *ids)
    if unsaved and due is None:
        ids = ("RECORD-3", *ids)
    if due is not None and run.decision.asked is not None and due != run.decision.asked:
        ids = ("RESUME-12", *ids)
    return ids


def reason(run: Run, due: str | None) -> Ids:
    """Name what says which reason is on record."""
    if due is None:
        return ("FALLBACK-16", "FALLBACK-12", "FALLBACK-1")
    if due == FallbackReason.REFUSED and run.decision.reason is None:
        return ("FALLBACK-6", "FALLBACK-1", "RESUME-11")
    return ("FALLBACK-1", *_OF_REASON[FallbackReason(due)])


def name(box: Mailbox, *, first: bool) -> Ids:
    """Name what says which name is on record."""
    if first:
        return ("NAME-1", "NAME-8", "NAME-10")
    changed = (*(("NAME-4",) if box.retitled else ()), *(("NAME-5",) if box.reprefixed else ()))
    return changed or ("NAME-3",)
