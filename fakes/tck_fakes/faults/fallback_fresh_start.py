"""Faults of the fresh start: what it is given, whose id is kept of it, and whether the next run finds its session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.vocabulary import FallbackReason
from tck_fakes.faults.around import Inside, around, fell_back, recorded, started
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator.adapters import Call, Invocation
from tck_simulator.adapters.base import WORKDIR
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.contract import LlmResult
from tck_simulator.live import LiveRun
from tck_simulator.resolution import Resolution
from tck_simulator.run import RunSequence

Reason = FallbackReason
_FOLLOW_UP = "Go on with what you were doing."


# --- FALLBACK-14: the next run resumes what the fallback created ---------------------------------------------------


@fault(
    "fresh-session-not-recorded",
    "FALLBACK-14",
    Kind.MISSING_EFFECT,
    "records no id for the session that a fallback created",
)
def _fresh_session_not_recorded(sabotage: Sabotage) -> None:
    recorded(sabotage, lambda live, result: replace(result, session_id=None) if fell_back(live) else result)


@fault(
    "fresh-session-lost-on-success",
    "FALLBACK-14",
    Kind.WRONG_SCOPE,
    "records the id of a fresh session only where its run failed",
)
def _fresh_session_lost_on_success(sabotage: Sabotage) -> None:
    recorded(
        sabotage, lambda live, result: replace(result, session_id=None) if fell_back(live) and result.ok else result
    )


@fault(
    "fresh-session-lost-on-failure",
    "FALLBACK-14",
    Kind.WRONG_SCOPE,
    "records the id of a fresh session only where its run succeeded",
)
def _fresh_session_lost_on_failure(sabotage: Sabotage) -> None:
    recorded(
        sabotage, lambda live, result: replace(result, session_id=None) if fell_back(live) and not result.ok else result
    )


@fault("refused-id-kept", "FALLBACK-14", Kind.WRONG_VALUE, "keeps the refused id on record in place of the fresh one")
def _refused_id_kept(sabotage: Sabotage) -> None:
    recorded(
        sabotage,
        lambda live, result: replace(result, session_id=live.resolution.resume_id) if fell_back(live) else result,
    )


@fault(
    "own-session-not-followed",
    "FALLBACK-14",
    Kind.WRONG_SCOPE,
    "does not record the session that the CLI made of its own",
)
def _own_session_not_followed(sabotage: Sabotage) -> None:
    def change(live: LiveRun, result: LlmResult) -> LlmResult:
        own = live.asked is not None and result.resume_fallback is Reason.REFUSED
        return replace(result, session_id=None) if own else result

    recorded(sabotage, change)


@fault(
    "session-after-missing-state-not-followed",
    "FALLBACK-14",
    Kind.WRONG_SCOPE,
    "records no id for the session of a run whose state was missing",
)
def _session_after_missing_state_not_followed(sabotage: Sabotage) -> None:
    def change(live: LiveRun, result: LlmResult) -> LlmResult:
        return replace(result, session_id=None) if live.fallback is Reason.STATE_MISSING else result

    recorded(sabotage, change)


@fault("fallback-for-two-runs", "FALLBACK-14", Kind.WRONG_MOMENT, "starts the run after a fallback afresh as well")
def _fallback_for_two_runs(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> tuple[Resolution, str | None]:
        made, directory = real(self, mailbox, *given)
        rows = self._store.sessions(mailbox.id)
        reason = rows[-1].resume_fallback if rows else None
        if made.resume_id is not None and reason not in (None, Reason.NO_PRIOR_SESSION):
            made = Resolution(session=True, reason=Reason(reason))
        return made, directory

    around(sabotage, RunSequence, "_resolve", body)


# --- FALLBACK-17: no id of a refused start -------------------------------------------------------------------------


def _refused(sabotage: Sabotage, told: Callable[[Inside, LiveRun, str], None]) -> None:
    """Call `told(sequence, run, id)` with an id that a refused start had put out, before the fresh one."""

    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        state = self._runtime.poll(live.container)
        named = None if live.adapter is None else live.adapter.id_pattern.search(state.stdout)
        if named is not None:
            told(self, live, named[0])
        return real(self, live)

    around(sabotage, RunSequence, "_start_afresh", body)


@fault(
    "decoy-noted",
    "FALLBACK-17",
    Kind.WRONG_MOMENT,
    "stores the id that a refused start named until the fresh start names another",
)
def _decoy_noted(sabotage: Sabotage) -> None:
    def told(self: Inside, live: LiveRun, named: str) -> None:
        self._store.note_native_id(live.run, live.epoch, named)

    _refused(sabotage, told)


@fault(
    "decoy-kept",
    "FALLBACK-17",
    Kind.WRONG_VALUE,
    "records the id that a refused start named where the fresh one named none",
)
def _decoy_kept(sabotage: Sabotage) -> None:
    decoys: dict[int, str] = {}

    def change(live: LiveRun, result: LlmResult) -> LlmResult:
        return replace(result, session_id=result.session_id or decoys.get(live.run))

    def told(_: Inside, live: LiveRun, named: str) -> None:
        decoys[live.run] = named

    _refused(sabotage, told)
    recorded(sabotage, change)


@fault("decoy-given", "FALLBACK-17", Kind.EXTRA_EFFECT, "starts afresh under the id that the refused start named")
def _decoy_given(sabotage: Sabotage) -> None:
    def told(_: Inside, live: LiveRun, named: str) -> None:
        live.call = replace(live.call, fresh_id=named)

    _refused(sabotage, told)


# --- FALLBACK-19: as a first run -----------------------------------------------------------------------------------


@fault(
    "old-id-for-the-fresh-start",
    "FALLBACK-19",
    Kind.WRONG_VALUE,
    "starts afresh under the id of the session that was refused",
)
def _old_id_for_the_fresh_start(sabotage: Sabotage) -> None:
    def before(_: Inside, live: LiveRun) -> None:
        if fell_back(live):
            live.call = replace(live.call, fresh_id=live.resolution.resume_id)

    started(sabotage, before)


@fault(
    "follow-up-for-the-fresh-start",
    "FALLBACK-19",
    Kind.WRONG_VALUE,
    "gives the fresh start after a refusal a short prompt without the issue",
)
def _follow_up_for_the_fresh_start(sabotage: Sabotage) -> None:
    def before(_: Inside, live: LiveRun) -> None:
        if fell_back(live):
            live.call = replace(live.call, prompt=_FOLLOW_UP)

    started(sabotage, before)


@fault(
    "follow-up-without-state",
    "FALLBACK-19",
    Kind.WRONG_SCOPE,
    "gives a later run the short prompt though its state is missing",
)
def _follow_up_without_state(sabotage: Sabotage) -> None:
    _followed_up(sabotage, Reason.STATE_MISSING)


@fault(
    "follow-up-to-another-adapter",
    "FALLBACK-19",
    Kind.WRONG_SCOPE,
    "gives the first run of a changed adapter the short prompt",
)
def _follow_up_to_another_adapter(sabotage: Sabotage) -> None:
    _followed_up(sabotage, Reason.ADAPTER_CHANGED)


@fault(
    "follow-up-to-an-unfit-version",
    "FALLBACK-19",
    Kind.WRONG_SCOPE,
    "gives a later run the short prompt though its version is unfit",
)
def _follow_up_to_an_unfit_version(sabotage: Sabotage) -> None:
    _followed_up(sabotage, Reason.UNSUPPORTED_VERSION)


def _followed_up(sabotage: Sabotage, reason: FallbackReason) -> None:
    def before(_: Inside, live: LiveRun) -> None:
        if live.fallback is reason:
            live.call = replace(live.call, prompt=_FOLLOW_UP)

    started(sabotage, before)


@fault(
    "fresh-start-without-a-label",
    "FALLBACK-19",
    Kind.MISSING_EFFECT,
    "leaves name and new id out of the fresh start after a refusal",
)
def _fresh_start_without_a_label(sabotage: Sabotage) -> None:
    def before(_: Inside, live: LiveRun) -> None:
        if fell_back(live):
            live.call = replace(live.call, label=None, fresh_id=None)

    started(sabotage, before)


@fault(
    "fresh-start-cut-from-the-resume",
    "FALLBACK-19",
    Kind.EXTRA_EFFECT,
    "leaves a resume's directory option in opencode's fresh start after a refusal",
)
def _fresh_start_cut_from_the_resume(sabotage: Sabotage) -> None:
    refused: list[bool] = [False]

    def before(_: Inside, live: LiveRun) -> None:
        refused[0] = fell_back(live)

    def fresh(real: Real, self: Inside, call: Call) -> Invocation:
        made: Invocation = real(self, call)
        at = made.argv.index("--")
        left = (*made.argv[:at], "--dir", WORKDIR, *made.argv[at:])
        return replace(made, argv=left) if refused[0] else made

    started(sabotage, before)
    around(sabotage, OpenCode, "fresh", fresh)
