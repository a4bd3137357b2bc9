"""Faults of silence: what a fallback moves on the tracker, in the counters, or in the run's outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.vocabulary import FallbackReason, RunOutcome
from tck_fakes.faults.around import Inside, around, fell_back
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import engine
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.run import Ended, RunSequence
from tck_simulator.states import FIXING, IssueState
from tck_simulator.store import Store

Reason = FallbackReason


def _after(sabotage: Sabotage, does: Callable[[Inside, LiveRun, Ended], None]) -> None:
    """Do something once a run's end is on record and what follows from it was done."""

    def body(real: Real, self: Inside, live: LiveRun, ended: Ended) -> None:
        real(self, live, ended)
        does(self, live, ended)

    around(sabotage, Engine, "_finish", body)


def _counters(sabotage: Sabotage, change: Callable[[Inside, FallbackReason | None, bool], None]) -> None:
    """Change the columns that a run's end sets: they, the reason of a fallback, and whether the run succeeded."""

    def body(real: Real, self: Inside, identity: int, epoch: int, outcome: RunOutcome, **values: Inside) -> bool:
        if "llm_retries" in values:
            change(values, values["fallback"], outcome is RunOutcome.SUCCEEDED)
        return bool(real(self, identity, epoch, outcome, **values))

    around(sabotage, Store, "finish_run", body)


# --- FALLBACK-8: no LLM retry --------------------------------------------------------------------------------------


@fault(
    "refusal-counts-as-a-retry",
    "FALLBACK-8",
    Kind.EXTRA_EFFECT,
    "adds one to the LLM retries when a session is refused",
)
def _refusal_counts_as_a_retry(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        mailbox = self._store.mailbox_by_id(live.mailbox.id)
        self._store.set_mailbox(mailbox.id, llm_retries=mailbox.llm_retries + 1)
        return real(self, live)

    around(sabotage, RunSequence, "_start_afresh", body)


@fault(
    "missing-state-counts-as-a-retry",
    "FALLBACK-8",
    Kind.WRONG_SCOPE,
    "counts two LLM retries where a run without its state fails",
)
def _missing_state_counts_as_a_retry(sabotage: Sabotage) -> None:
    def change(values: Inside, fallback: FallbackReason | None, succeeded: bool) -> None:  # noqa: FBT001 -- as called
        if fallback is Reason.STATE_MISSING and not succeeded:
            values["llm_retries"] += 1

    _counters(sabotage, change)


@fault(
    "changed-adapter-counts-as-a-retry",
    "FALLBACK-8",
    Kind.EXTRA_EFFECT,
    "counts an LLM retry for a change of the adapter",
)
def _changed_adapter_counts_as_a_retry(sabotage: Sabotage) -> None:
    def change(values: Inside, fallback: FallbackReason | None, _: bool) -> None:  # noqa: FBT001 -- as called
        if fallback is Reason.ADAPTER_CHANGED:
            values["llm_retries"] += 1

    _counters(sabotage, change)


@fault("unfit-version-counts-as-a-retry", "FALLBACK-8", Kind.EXTRA_EFFECT, "counts an LLM retry for an unfit version")
def _unfit_version_counts_as_a_retry(sabotage: Sabotage) -> None:
    def change(values: Inside, fallback: FallbackReason | None, _: bool) -> None:  # noqa: FBT001 -- as called
        if fallback is Reason.UNSUPPORTED_VERSION:
            values["llm_retries"] += 1

    _counters(sabotage, change)


@fault(
    "success-of-a-fallback-resets-nothing",
    "FALLBACK-8",
    Kind.MISSING_EFFECT,
    "leaves the LLM retries as they are where a fresh start succeeded",
)
def _success_of_a_fallback_resets_nothing(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun, ended: Ended) -> None:
        before = self._store.mailbox_by_id(live.mailbox.id).llm_retries
        real(self, live, ended)
        if fell_back(live) and ended.outcome is RunOutcome.SUCCEEDED:
            self._store.set_mailbox(live.mailbox.id, llm_retries=before)

    around(sabotage, Engine, "_finish", body)


@fault(
    "longer-pause-after-a-refusal",
    "FALLBACK-8",
    Kind.WRONG_MOMENT,
    "waits twice as long before the retry of a run that was refused its session",
)
def _longer_pause_after_a_refusal(sabotage: Sabotage) -> None:
    refused: list[bool] = [False]

    def after_failure(real: Real, self: Inside, live: LiveRun, *given: Inside) -> None:
        refused[0] = fell_back(live)
        real(self, live, *given)

    def back_off(real: Real, *given: int) -> int:
        return int(real(*given)) * (2 if refused[0] else 1)

    around(sabotage, Engine, "_after_failure", after_failure)
    around(sabotage, engine, "back_off_seconds", back_off)


# --- FALLBACK-9: no status, counter or label -----------------------------------------------------------------------


def _labelled(sabotage: Sabotage, holds: Callable[[LiveRun, Ended], bool]) -> None:
    """Label an issue because of a fallback, where this holds."""

    def does(self: Inside, live: LiveRun, ended: Ended) -> None:
        if holds(live, ended):
            self._forge.add_label(live.mailbox.ref, "session::fresh")

    _after(sabotage, does)


@fault("refusal-labelled", "FALLBACK-9", Kind.EXTRA_EFFECT, "labels an issue whose session was refused")
def _refusal_labelled(sabotage: Sabotage) -> None:
    _labelled(sabotage, lambda live, _: fell_back(live))


@fault("missing-state-labelled", "FALLBACK-9", Kind.WRONG_SCOPE, "labels an issue whose session state was missing")
def _missing_state_labelled(sabotage: Sabotage) -> None:
    _labelled(sabotage, lambda _, ended: ended.result.resume_fallback is Reason.STATE_MISSING)


@fault("changed-adapter-labelled", "FALLBACK-9", Kind.WRONG_SCOPE, "labels an issue whose adapter has changed")
def _changed_adapter_labelled(sabotage: Sabotage) -> None:
    _labelled(sabotage, lambda _, ended: ended.result.resume_fallback is Reason.ADAPTER_CHANGED)


@fault(
    "refusal-is-an-attempt",
    "FALLBACK-9",
    Kind.WRONG_VALUE,
    "counts two attempts at a fix where the session was refused",
)
def _refusal_is_an_attempt(sabotage: Sabotage) -> None:
    def does(self: Inside, live: LiveRun, _: Ended) -> None:
        if fell_back(live) and live.phase in FIXING:
            counted = self._store.mailbox_by_id(live.mailbox.id).fix_attempts
            self._store.set_mailbox(live.mailbox.id, fix_attempts=counted + 1)

    _after(sabotage, does)


@fault(
    "unfit-version-begins-anew",
    "FALLBACK-9",
    Kind.WRONG_VALUE,
    "sends an issue back to its analysis where the version is unfit",
)
def _unfit_version_begins_anew(sabotage: Sabotage) -> None:
    def does(self: Inside, live: LiveRun, ended: Ended) -> None:
        if ended.result.resume_fallback is Reason.UNSUPPORTED_VERSION:
            self._set_state(self._store.mailbox_by_id(live.mailbox.id), IssueState.FUNCTIONAL_ANALYSIS)

    _after(sabotage, does)


@fault(
    "label-while-falling-back",
    "FALLBACK-9",
    Kind.WRONG_MOMENT,
    "labels an issue for as long as its fresh start is under way",
)
def _label_while_falling_back(sabotage: Sabotage) -> None:
    shown: set[int] = set()

    def body(real: Real, self: Inside) -> None:
        real(self)
        for live in self._live:
            if fell_back(live) and live.run not in shown:
                shown.add(live.run)
                self._forge.add_label(live.mailbox.ref, "session::lost")

    def does(self: Inside, live: LiveRun, _: Ended) -> None:
        if live.run in shown:
            self._forge.remove_label(live.mailbox.ref, "session::lost")

    around(sabotage, Engine, "_renew_and_poll", body)
    _after(sabotage, does)


# --- FALLBACK-10: no comment ---------------------------------------------------------------------------------------


def _told(sabotage: Sabotage, holds: Callable[[LiveRun, Ended], bool]) -> None:
    """Tell people of a fallback, where this holds."""

    def does(self: Inside, live: LiveRun, ended: Ended) -> None:
        if holds(live, ended):
            self._forge.comment(live.mailbox.ref, "I could not take up where I left off, and began anew.")

    _after(sabotage, does)


@fault("comment-on-a-refusal", "FALLBACK-10", Kind.EXTRA_EFFECT, "posts a comment when a session was refused")
def _comment_on_a_refusal(sabotage: Sabotage) -> None:
    _told(sabotage, lambda live, ended: fell_back(live) and ended.outcome is RunOutcome.SUCCEEDED)


@fault(
    "comment-on-missing-state",
    "FALLBACK-10",
    Kind.WRONG_SCOPE,
    "posts a comment when the state of a session is missing",
)
def _comment_on_missing_state(sabotage: Sabotage) -> None:
    _told(sabotage, lambda _, ended: ended.result.resume_fallback is Reason.STATE_MISSING)


@fault("comment-on-a-changed-adapter", "FALLBACK-10", Kind.WRONG_SCOPE, "posts a comment when the adapter has changed")
def _comment_on_a_changed_adapter(sabotage: Sabotage) -> None:
    _told(sabotage, lambda _, ended: ended.result.resume_fallback is Reason.ADAPTER_CHANGED)


@fault("comment-on-an-unfit-version", "FALLBACK-10", Kind.WRONG_SCOPE, "posts a comment when the version is unfit")
def _comment_on_an_unfit_version(sabotage: Sabotage) -> None:
    _told(sabotage, lambda _, ended: ended.result.resume_fallback is Reason.UNSUPPORTED_VERSION)


@fault(
    "comment-on-a-failed-fallback",
    "FALLBACK-10",
    Kind.WRONG_MOMENT,
    "posts a comment once the fresh start after a refusal has failed",
)
def _comment_on_a_failed_fallback(sabotage: Sabotage) -> None:
    _told(sabotage, lambda live, ended: fell_back(live) and ended.outcome is RunOutcome.FAILED)


@fault(
    "fallback-in-the-answer",
    "FALLBACK-10",
    Kind.WRONG_VALUE,
    "puts a note on the lost session before the answer that it posts",
)
def _fallback_in_the_answer(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun, mailbox: Inside, answer: str) -> None:
        real(
            self, live, mailbox, f"(The earlier session could not be resumed.)\n{answer}" if fell_back(live) else answer
        )

    around(sabotage, Engine, "_after_success", body)


# --- FALLBACK-11: no failed run ------------------------------------------------------------------------------------


@fault(
    "fallback-is-a-failure", "FALLBACK-11", Kind.WRONG_VALUE, "records a run as failed though its fresh start succeeded"
)
def _fallback_is_a_failure(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun, ended: Ended) -> None:
        real(self, live, replace(ended, outcome=RunOutcome.FAILED) if fell_back(live) else ended)

    around(sabotage, Engine, "_finish", body)


def _failed_once(sabotage: Sabotage, reason: FallbackReason) -> None:
    """Fail an issue's first run that is fresh for this reason."""
    failed: set[int] = set()

    def body(real: Real, self: Inside, live: LiveRun, ended: Ended) -> None:
        if live.fallback is reason and live.mailbox.id not in failed:
            failed.add(live.mailbox.id)
            ended = replace(ended, outcome=RunOutcome.FAILED)
        real(self, live, ended)

    around(sabotage, Engine, "_finish", body)


@fault(
    "missing-state-fails-once",
    "FALLBACK-11",
    Kind.WRONG_MOMENT,
    "fails a run whose state is missing, and goes on afresh at its retry",
)
def _missing_state_fails_once(sabotage: Sabotage) -> None:
    _failed_once(sabotage, Reason.STATE_MISSING)


@fault(
    "unfit-version-fails-once",
    "FALLBACK-11",
    Kind.WRONG_SCOPE,
    "fails the first run of an issue that finds an unfit version",
)
def _unfit_version_fails_once(sabotage: Sabotage) -> None:
    _failed_once(sabotage, Reason.UNSUPPORTED_VERSION)


@fault(
    "changed-adapter-fails-once",
    "FALLBACK-11",
    Kind.WRONG_SCOPE,
    "fails the first run of an issue after a change of the adapter",
)
def _changed_adapter_fails_once(sabotage: Sabotage) -> None:
    _failed_once(sabotage, Reason.ADAPTER_CHANGED)


@fault(
    "refused-run-abandoned",
    "FALLBACK-11",
    Kind.EXTRA_EFFECT,
    "abandons a run whose session was refused, and runs its event again",
)
def _refused_run_abandoned(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun, ended: Ended) -> None:
        if not fell_back(live):
            real(self, live, ended)
            return
        retries = self._store.mailbox_by_id(live.mailbox.id).llm_retries
        real(self, live, replace(ended, outcome=RunOutcome.ABANDONED))
        self._store.set_mailbox(live.mailbox.id, llm_retries=retries)

    around(sabotage, Engine, "_finish", body)
