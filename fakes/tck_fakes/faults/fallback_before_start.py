"""Faults of what is known before the start: it is tried in vain all the same, or another reason is put before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.vocabulary import AdapterId, FallbackReason
from tck_fakes.faults.around import asked_despite, decided, fell_back, last_id, recorded
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import fault
from tck_simulator import resolution
from tck_simulator.contract import LlmResult
from tck_simulator.layout import StateOnDisk
from tck_simulator.live import LiveRun
from tck_simulator.resolution import Resolution, Situation

Reason = FallbackReason
Table = tuple[tuple[FallbackReason, Callable[[Situation], bool]], ...]


def _ordered(sabotage: Sabotage, *order: FallbackReason) -> None:
    """Look at the reasons in this order."""

    def make(table: Table) -> Table:
        return tuple((reason, dict(table)[reason]) for reason in order)

    sabotage.replace(resolution, "REASONS", make)


# --- FALLBACK-15: known before the start ---------------------------------------------------------------------------


@fault(
    "missing-state-tried",
    "FALLBACK-15",
    Kind.EXTRA_EFFECT,
    "asks for a session whose state is missing, and starts afresh once refused",
)
def _missing_state_tried(sabotage: Sabotage) -> None:
    asked_despite(sabotage, Reason.STATE_MISSING)


@fault("unfit-version-tried", "FALLBACK-15", Kind.EXTRA_EFFECT, "asks an unfit version for the session")
def _unfit_version_tried(sabotage: Sabotage) -> None:
    asked_despite(sabotage, Reason.UNSUPPORTED_VERSION)


@fault(
    "missing-state-found-in-vain",
    "FALLBACK-15",
    Kind.WRONG_MOMENT,
    "finds that state is missing by a start in vain, and records it rightly",
)
def _missing_state_found_in_vain(sabotage: Sabotage) -> None:
    in_vain: list[Resolution] = []

    def change(made: Resolution, then: Situation) -> Resolution:
        if made.reason is not Reason.STATE_MISSING:
            return made
        in_vain.append(Resolution(session=True, resume_id=last_id(then)))
        return in_vain[-1]

    def change_record(live: LiveRun, result: LlmResult) -> LlmResult:
        late = fell_back(live) and any(live.resolution is one for one in in_vain)
        return replace(result, resume_fallback=Reason.STATE_MISSING) if late else result

    decided(sabotage, change)
    recorded(sabotage, change_record)


@fault(
    "other-adapter-tried",
    "FALLBACK-15",
    Kind.EXTRA_EFFECT,
    "asks a changed adapter for the session of the one before, and records the change once refused",
)
def _other_adapter_tried(sabotage: Sabotage) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        return (
            Resolution(session=True, resume_id=last_id(then, of_any=True))
            if made.reason is Reason.ADAPTER_CHANGED
            else made
        )

    def change_record(live: LiveRun, result: LlmResult) -> LlmResult:
        return replace(result, resume_fallback=Reason.ADAPTER_CHANGED) if fell_back(live) else result

    decided(sabotage, change)
    recorded(sabotage, change_record)


# --- FALLBACK-18: the first of the order ---------------------------------------------------------------------------


@fault("missing-before-unfit", "FALLBACK-18", Kind.WRONG_VALUE, "puts missing state before an unfit version")
def _missing_before_unfit(sabotage: Sabotage) -> None:
    _ordered(
        sabotage,
        Reason.NO_PRIOR_SESSION,
        Reason.ADAPTER_CHANGED,
        Reason.STATE_MISSING,
        Reason.UNSUPPORTED_VERSION,
        Reason.REFUSED,
    )


@fault("unfit-before-changed", "FALLBACK-18", Kind.WRONG_VALUE, "puts an unfit version before a changed adapter")
def _unfit_before_changed(sabotage: Sabotage) -> None:
    _ordered(
        sabotage,
        Reason.NO_PRIOR_SESSION,
        Reason.UNSUPPORTED_VERSION,
        Reason.ADAPTER_CHANGED,
        Reason.STATE_MISSING,
        Reason.REFUSED,
    )


@fault(
    "given-up-before-missing", "FALLBACK-18", Kind.WRONG_VALUE, "puts a session that was given up before missing state"
)
def _given_up_before_missing(sabotage: Sabotage) -> None:
    _ordered(
        sabotage,
        Reason.NO_PRIOR_SESSION,
        Reason.ADAPTER_CHANGED,
        Reason.REFUSED,
        Reason.UNSUPPORTED_VERSION,
        Reason.STATE_MISSING,
    )


@fault(
    "rows-without-an-id-count",
    "FALLBACK-18",
    Kind.WRONG_SCOPE,
    "takes rows that hold no id for sessions whose state is missing",
)
def _rows_without_an_id_count(sabotage: Sabotage) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        if made.reason is Reason.NO_PRIOR_SESSION and then.prior and then.state is not StateOnDisk.PRESENT:
            return replace(made, reason=Reason.STATE_MISSING)
        return made

    decided(sabotage, change)


@fault(
    "refused-before-missing",
    "FALLBACK-18",
    Kind.WRONG_VALUE,
    "asks opencode, whose state is missing, and puts its refusal first",
)
def _refused_before_missing(sabotage: Sabotage) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        missing = made.reason is Reason.STATE_MISSING and then.adapter is AdapterId.OPENCODE
        return Resolution(session=True, resume_id=last_id(then)) if missing else made

    decided(sabotage, change)
