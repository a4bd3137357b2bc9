"""Faults of the refusal: how often the CLI is started again, when, for how long, and after which kinds of damage."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from tck_driver.vocabulary import FallbackReason, RunOutcome
from tck_fakes.faults.around import Inside, around, fell_back, recorded
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import run, settings
from tck_simulator.adapters import Call, Invocation, Reading, claude_code, codex, copilot, opencode
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.contract import LlmResult
from tck_simulator.live import LiveRun
from tck_simulator.run import Ended, RunSequence

Reason = FallbackReason
#: The words of each CLI for state that is there and cannot be read.
_DAMAGE = re.compile("Failed to resume session|failed to read session metadata|is malformed|could not be loaded")
_QUARTER = timedelta(minutes=15)


def _failed() -> Ended:
    result = LlmResult(ok=False, text="", resume_fallback=Reason.REFUSED)
    return Ended(RunOutcome.FAILED, result)


# --- FALLBACK-6: exactly one more start, in the same run -----------------------------------------------------------


@fault(
    "refusal-is-final", "FALLBACK-6", Kind.MISSING_EFFECT, "fails a run whose session was refused, and starts nothing"
)
def _refusal_is_final(sabotage: Sabotage) -> None:
    def body(_real: Real, _self: Inside, _live: LiveRun) -> Ended:
        return _failed()

    around(sabotage, RunSequence, "_start_afresh", body)


@fault(
    "one-refusal-per-issue",
    "FALLBACK-6",
    Kind.ONCE,
    "starts afresh after an issue's first refusal, and fails after its next",
)
def _one_refusal_per_issue(sabotage: Sabotage) -> None:
    refused: set[int] = set()

    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        if live.mailbox.id in refused:
            return _failed()
        refused.add(live.mailbox.id)
        return real(self, live)

    around(sabotage, RunSequence, "_start_afresh", body)


@fault(
    "refused-session-asked-again",
    "FALLBACK-6",
    Kind.EXTRA_EFFECT,
    "asks a second time for a refused session before it starts afresh",
)
def _refused_session_asked_again(sabotage: Sabotage) -> None:
    asked: set[int] = set()

    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        if live.run in asked:
            return real(self, live)
        asked.add(live.run)
        self._runtime.remove(live.container)
        self._start(live)
        return self.poll(live)

    around(sabotage, RunSequence, "_start_afresh", body)


@fault("third-start", "FALLBACK-6", Kind.EXTRA_EFFECT, "starts a run a third time where its fresh start failed")
def _third_start(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        ended: Ended | None = real(self, live)
        if ended is None or ended.outcome is not RunOutcome.FAILED or not fell_back(live):
            return ended
        self._runtime.remove(live.container)
        live.leg += 1
        self._start(live)
        return real(self, live)

    around(sabotage, RunSequence, "poll", body)


@fault(
    "refused-container-removed-late",
    "FALLBACK-6",
    Kind.WRONG_MOMENT,
    "removes the container that refused once the fresh one has started",
)
def _refused_container_removed_late(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        refused, live.container = live.container, ""
        ended: Ended | None = real(self, live)
        self._runtime.remove(refused)
        return ended

    around(sabotage, RunSequence, "_start_afresh", body)


@fault(
    "refusal-called-missing", "FALLBACK-6", Kind.WRONG_VALUE, "records missing state where the CLI refused the session"
)
def _refusal_called_missing(sabotage: Sabotage) -> None:
    recorded(
        sabotage,
        lambda live, result: replace(result, resume_fallback=Reason.STATE_MISSING) if fell_back(live) else result,
    )


@fault(
    "naming-is-no-refusal", "FALLBACK-6", Kind.WRONG_SCOPE, "takes no refusal for one in which the CLI named a session"
)
def _naming_is_no_refusal(sabotage: Sabotage) -> None:
    def body(real: Real, reading: Reading, *given: Inside, **named: Inside) -> Inside:
        if reading.reported:
            reading = replace(reading, cannot_resume=False)
        return real(reading, *given, **named)

    around(sabotage, run, "judge", body)


# --- FALLBACK-7: no more than what is left -------------------------------------------------------------------------


def _fresh_deadline(sabotage: Sabotage, left: Callable[[LiveRun, timedelta], timedelta]) -> None:
    """Give the fresh start of a refused run another time; `left` makes it of what the phase has left."""

    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        now: datetime = self._clock.now()
        live.deadline = now + left(live, live.deadline - now)
        return real(self, live)

    around(sabotage, RunSequence, "_start_afresh", body)


@fault(
    "fresh-start-with-all-its-time",
    "FALLBACK-7",
    Kind.WRONG_VALUE,
    "gives the fresh start the whole time of the phase again",
)
def _fresh_start_with_all_its_time(sabotage: Sabotage) -> None:
    def left(live: LiveRun, _: timedelta) -> timedelta:
        return timedelta(minutes=int(live.settings.value(settings.PHASE_TIMEOUT_MINUTES)))

    _fresh_deadline(sabotage, left)


@fault(
    "fresh-start-without-a-limit", "FALLBACK-7", Kind.MISSING_EFFECT, "lets the fresh start run for as long as it likes"
)
def _fresh_start_without_a_limit(sabotage: Sabotage) -> None:
    _fresh_deadline(sabotage, lambda _live, _left: timedelta(days=1))


@fault(
    "time-left-rounded-up", "FALLBACK-7", Kind.WRONG_VALUE, "rounds what is left of the time up to a quarter of an hour"
)
def _time_left_rounded_up(sabotage: Sabotage) -> None:
    _fresh_deadline(sabotage, lambda _live, left: -(-left // _QUARTER) * _QUARTER)


# --- FALLBACK-13: half-written state -------------------------------------------------------------------------------


@fault(
    "damage-unknown-of-claude",
    "FALLBACK-13",
    Kind.MISSING_EFFECT,
    "knows of claude only that a conversation was not found",
)
def _damage_unknown_of_claude(sabotage: Sabotage) -> None:
    sabotage.replace(claude_code, "_CANNOT_RESUME", lambda _: ("No conversation found with session ID",))


@fault("damage-unknown-of-codex", "FALLBACK-13", Kind.MISSING_EFFECT, "knows of codex only that no rollout was found")
def _damage_unknown_of_codex(sabotage: Sabotage) -> None:
    sabotage.replace(codex, "_CANNOT_RESUME", lambda _: ("no rollout found",))


@fault(
    "damage-unknown-of-opencode",
    "FALLBACK-13",
    Kind.MISSING_EFFECT,
    "knows of opencode only that a session was not found",
)
def _damage_unknown_of_opencode(sabotage: Sabotage) -> None:
    sabotage.replace(opencode, "_CANNOT_RESUME", lambda _: re.compile("Session not found|NotFoundError"))


@fault("damage-unknown-of-copilot", "FALLBACK-13", Kind.MISSING_EFFECT, "knows of copilot only that nothing matched")
def _damage_unknown_of_copilot(sabotage: Sabotage) -> None:
    sabotage.replace(copilot, "_CANNOT_RESUME", lambda _: ("No session, task, or name matched",))


@fault(
    "damaged-database-used-again",
    "FALLBACK-13",
    Kind.WRONG_VALUE,
    "starts opencode afresh in the database that is damaged",
)
def _damaged_database_used_again(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, call: Call) -> Invocation:
        made: Invocation = real(self, call)
        name, value = made.environment[0]
        number = max(1, self._last(call))
        return replace(made, environment=((name, re.sub(r"\d+\.db", f"{number}.db", value)),))

    around(sabotage, OpenCode, "fresh", body)


@fault("damage-called-missing", "FALLBACK-13", Kind.WRONG_VALUE, "records missing state where the CLI found it damaged")
def _damage_called_missing(sabotage: Sabotage) -> None:
    damaged: set[int] = set()

    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        said = self._runtime.poll(live.container).stderr
        if _DAMAGE.search(said):
            damaged.add(live.run)
        return real(self, live)

    def change(live: LiveRun, result: LlmResult) -> LlmResult:
        return replace(result, resume_fallback=Reason.STATE_MISSING) if live.run in damaged else result

    around(sabotage, RunSequence, "_start_afresh", body)
    recorded(sabotage, change)
