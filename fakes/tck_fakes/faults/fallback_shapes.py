"""Faults of the line between a refusal, a failure and an answer: what is taken for which, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tck_driver.vocabulary import FallbackReason, RunOutcome
from tck_fakes.faults.around import Inside, around, read
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import engine, resolution, run
from tck_simulator.adapters import Reading
from tck_simulator.adapters.base import events, once, text_of
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.codex import Codex
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.outcomes import Judgement, Verdict
from tck_simulator.ports import ContainerState
from tck_simulator.resolution import Resolution
from tck_simulator.run import RunSequence
from tck_simulator.store import Store

Reason = FallbackReason
_RESUMING = (ClaudeCode, Codex, OpenCode, Copilot)
_KILLED, _USAGE_ERROR = 137, 2


def _refusal(reading: Reading) -> Reading:
    """Give a reading of which only a refusal can be made."""
    return replace(reading, ok=False, reported=(), turn=False, cannot_resume=True)


def _refused_where(sabotage: Sabotage, adapters: Iterable[type], holds: Callable[[ContainerState], bool]) -> None:
    """Take for a refusal what these adapters' CLIs put out and of which this holds."""
    for adapter in adapters:
        read(sabotage, adapter, lambda found, state: _refusal(found) if state.ended and holds(state) else found)


# --- FALLBACK-12: what is ambiguous is an ordinary failure ---------------------------------------------------------


@fault(
    "any-failure-is-a-refusal", "FALLBACK-12", Kind.EXTRA_EFFECT, "starts afresh after every failure of a resumed run"
)
def _any_failure_is_a_refusal(sabotage: Sabotage) -> None:
    def body(real: Real, reading: Reading, asked: str | None, *given: Inside, **named: Inside) -> Judgement:
        made: Judgement = real(reading, asked, *given, **named)
        failed = made.verdict is Verdict.FAILED and asked is not None
        return replace(made, verdict=Verdict.REFUSED) if failed else made

    around(sabotage, run, "judge", body)


@fault("killed-is-refused", "FALLBACK-12", Kind.WRONG_SCOPE, "takes a CLI that was killed for one that refused")
def _killed_is_refused(sabotage: Sabotage) -> None:
    _refused_where(sabotage, _RESUMING, lambda state: state.exit_code == _KILLED and not state.stdout)


@fault("wordless-is-refused", "FALLBACK-12", Kind.WRONG_SCOPE, "takes a failure without a word for a refusal")
def _wordless_is_refused(sabotage: Sabotage) -> None:
    _refused_where(sabotage, _RESUMING, lambda state: state.exit_code == 1 and not state.stdout + state.stderr)


@fault("usage-error-is-refused", "FALLBACK-12", Kind.WRONG_SCOPE, "takes codex's usage error for a refusal")
def _usage_error_is_refused(sabotage: Sabotage) -> None:
    _refused_where(sabotage, [Codex], lambda state: state.exit_code == _USAGE_ERROR)


@fault(
    "unexpected-error-is-refused",
    "FALLBACK-12",
    Kind.WRONG_VALUE,
    "takes every unexpected error of opencode for a damaged database",
)
def _unexpected_error_is_refused(sabotage: Sabotage) -> None:
    _refused_where(sabotage, [OpenCode], lambda state: "Unexpected error" in state.stderr)


@fault(
    "any-error-of-copilot-is-refused",
    "FALLBACK-12",
    Kind.WRONG_VALUE,
    "takes every error that copilot prints for a refusal",
)
def _any_error_of_copilot_is_refused(sabotage: Sabotage) -> None:
    _refused_where(sabotage, [Copilot], lambda state: state.exit_code == 1 and "Error:" in state.stderr)


@fault(
    "dead-codex-is-refused",
    "FALLBACK-12",
    Kind.WRONG_SCOPE,
    "takes every error that codex prints before its first event for a refusal",
)
def _dead_codex_is_refused(sabotage: Sabotage) -> None:
    _refused_where(
        sabotage, [Codex], lambda state: state.exit_code == 1 and "Error:" in state.stderr and not state.stdout
    )


@fault(
    "unconfirmed-failure-is-refused",
    "FALLBACK-12",
    Kind.WRONG_VALUE,
    "starts afresh where a failed run named other sessions than the asked one",
)
def _unconfirmed_failure_is_refused(sabotage: Sabotage) -> None:
    def body(real: Real, reading: Reading, asked: str | None, *given: Inside, **named: Inside) -> Judgement:
        made: Judgement = real(reading, asked, *given, **named)
        other = asked is not None and bool(reading.reported) and reading.reported != (asked,)
        return replace(made, verdict=Verdict.REFUSED) if other and made.verdict is Verdict.FAILED else made

    around(sabotage, run, "judge", body)


@fault(
    "given-up-at-once",
    "FALLBACK-12",
    Kind.WRONG_MOMENT,
    "gives a session up after the first failure of a run that resumed it",
)
def _given_up_at_once(sabotage: Sabotage) -> None:
    sabotage.replace(resolution, "FAILURES_BEFORE_FRESH", lambda _: 1)


@fault(
    "given-up-after-a-time-out",
    "FALLBACK-12",
    Kind.WRONG_SCOPE,
    "asks no more for a session whose run used up its time",
)
def _given_up_after_a_time_out(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> tuple[Resolution, str | None]:
        made, directory = real(self, mailbox, *given)
        rows = self._store.sessions(mailbox.id)
        if made.resume_id is not None and rows[-1].outcome == RunOutcome.TIMED_OUT:
            made = Resolution(session=True, reason=Reason.REFUSED)
        return made, directory

    around(sabotage, RunSequence, "_resolve", body)


@fault(
    "failed-resume-not-counted",
    "FALLBACK-12",
    Kind.MISSING_EFFECT,
    "counts no LLM retry for the failure of a resumed run",
)
def _failed_resume_not_counted(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, identity: int, *given: Inside, **values: Inside) -> bool:
        if self.session(identity).asked_session_id is not None and values["llm_retries"]:
            values["llm_retries"] -= 1
        return bool(real(self, identity, *given, **values))

    around(sabotage, Store, "finish_run", body)


@fault("failed-resume-tried-at-once", "FALLBACK-12", Kind.WRONG_MOMENT, "tries a failed resume again without a pause")
def _failed_resume_tried_at_once(sabotage: Sabotage) -> None:
    resumed: list[bool] = [False]

    def after_failure(real: Real, self: Inside, live: LiveRun, *given: Inside) -> None:
        resumed[0] = live.asked is not None
        real(self, live, *given)

    def back_off(real: Real, *given: int) -> int:
        return 0 if resumed[0] else int(real(*given))

    around(sabotage, Engine, "_after_failure", after_failure)
    around(sabotage, engine, "back_off_seconds", back_off)


# --- FALLBACK-16: a refusal exactly where there is one -------------------------------------------------------------


@fault(
    "success-never-refuses",
    "FALLBACK-16",
    Kind.MISSING_EFFECT,
    "takes an exit code of 0 for the sign that nothing was refused",
)
def _success_never_refuses(sabotage: Sabotage) -> None:
    def change(found: Reading, state: ContainerState) -> Reading:
        return replace(found, cannot_resume=found.cannot_resume and state.exit_code != 0)

    for adapter in _RESUMING:
        read(sabotage, adapter, change)


@fault(
    "silence-is-an-answer",
    "FALLBACK-16",
    Kind.WRONG_VALUE,
    "takes it for an answer that opencode says nothing and exits with 0",
)
def _silence_is_an_answer(sabotage: Sabotage) -> None:
    def change(found: Reading, state: ContainerState) -> Reading:
        silent = state.exit_code == 0 and not state.stdout
        return replace(found, ok=True, text="Done.", cannot_resume=False) if silent else found

    read(sabotage, OpenCode, change)


@fault(
    "errors-of-claude-not-read",
    "FALLBACK-16",
    Kind.MISSING_EFFECT,
    "looks for claude's refusals on standard error only",
)
def _errors_of_claude_not_read(sabotage: Sabotage) -> None:
    def change(found: Reading, state: ContainerState) -> Reading:
        return replace(found, cannot_resume=found.cannot_resume and bool(state.stderr))

    read(sabotage, ClaudeCode, change)


def _errors_not_read(sabotage: Sabotage, adapter: type) -> None:
    """Read standard output alone."""

    def body(real: Real, self: Inside, state: ContainerState) -> Reading:
        reading: Reading = real(self, replace(state, stderr=""))
        return reading

    around(sabotage, adapter, "read", body)


@fault(
    "errors-of-codex-not-read", "FALLBACK-16", Kind.MISSING_EFFECT, "does not read what codex says on standard error"
)
def _errors_of_codex_not_read(sabotage: Sabotage) -> None:
    _errors_not_read(sabotage, Codex)


@fault(
    "errors-of-copilot-not-read",
    "FALLBACK-16",
    Kind.MISSING_EFFECT,
    "does not read what copilot says on standard error",
)
def _errors_of_copilot_not_read(sabotage: Sabotage) -> None:
    _errors_not_read(sabotage, Copilot)


@fault(
    "decoy-of-claude-believed",
    "FALLBACK-16",
    Kind.WRONG_VALUE,
    "takes no refusal of claude for one where it has named a session before",
)
def _decoy_of_claude_believed(sabotage: Sabotage) -> None:
    def change(found: Reading, _: ContainerState) -> Reading:
        return replace(found, cannot_resume=found.cannot_resume and not found.reported)

    read(sabotage, ClaudeCode, change)


@fault(
    "echo-is-a-confirmation",
    "FALLBACK-16",
    Kind.WRONG_VALUE,
    "takes the asked id in claude's own refusal for a confirmation",
)
def _echo_is_a_confirmation(sabotage: Sabotage) -> None:
    def change(found: Reading, state: ContainerState) -> Reading:
        ids = (text_of(line, "session_id") for line in events(state.stdout) if "session_id" in line)
        return replace(found, reported=once(ids))

    read(sabotage, ClaudeCode, change)


@fault(
    "answers-of-claude-searched",
    "FALLBACK-16",
    Kind.WRONG_SCOPE,
    "looks for the words of a refusal in claude's answer too",
)
def _answers_of_claude_searched(sabotage: Sabotage) -> None:
    words = ("No conversation found with session ID", "Failed to resume session")
    _refused_where(sabotage, [ClaudeCode], lambda state: any(one in state.stdout for one in words))


@fault(
    "answers-of-copilot-searched",
    "FALLBACK-16",
    Kind.WRONG_SCOPE,
    "looks for the words of a refusal in copilot's answer too",
)
def _answers_of_copilot_searched(sabotage: Sabotage) -> None:
    _refused_where(sabotage, [Copilot], lambda state: "No session, task, or name matched" in state.stdout)


@fault(
    "not-found-is-refused", "FALLBACK-16", Kind.WRONG_VALUE, "takes every not found in an error of claude for a refusal"
)
def _not_found_is_refused(sabotage: Sabotage) -> None:
    _refused_where(
        sabotage, [ClaudeCode], lambda state: state.exit_code != 0 and "not found" in (state.stdout + state.stderr)
    )


@fault(
    "first-run-refused",
    "FALLBACK-16",
    Kind.EXTRA_EFFECT,
    "starts a first run again where claude says that its new id is in use",
)
def _first_run_refused(sabotage: Sabotage) -> None:
    def change(found: Reading, state: ContainerState) -> Reading:
        return replace(found, cannot_resume=found.cannot_resume or "already in use" in state.stderr)

    def body(real: Real, reading: Reading, asked: str | None, *given: Inside, **named: Inside) -> Judgement:
        made: Judgement = real(reading, asked, *given, **named)
        return replace(made, verdict=Verdict.REFUSED) if reading.cannot_resume and not reading.turn else made

    read(sabotage, ClaudeCode, change)
    around(sabotage, run, "judge", body)


@fault(
    "work-of-its-own-done-again",
    "FALLBACK-16",
    Kind.EXTRA_EFFECT,
    "does the work again that a CLI did in a session of its own",
)
def _work_of_its_own_done_again(sabotage: Sabotage) -> None:
    def body(real: Real, *given: Inside, **named: Inside) -> Judgement:
        made: Judgement = real(*given, **named)
        return replace(made, verdict=Verdict.REFUSED) if made.went_fresh else made

    around(sabotage, run, "judge", body)
