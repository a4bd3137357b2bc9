"""Faults of the profile redelegation: what a further session of an issue takes up, and when it does."""

from __future__ import annotations

from dataclasses import replace

from tck_driver.courses import Act, Come, SessionRemoved, TakingUp
from tck_fakes.faults.around import Inside, around
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_fakes.faults.turning import forgotten, invoked, judged, loosely, prompted, restored, resumed_instead
from tck_simulator.adapters.base import Invocation
from tck_simulator.turns import decision
from tck_simulator.turns.continuation import Continuation, Due
from tck_simulator.turns.engine import TurnEngine
from tck_simulator.turns.judgement import Judgement
from tck_simulator.turns.memory import Memory, Scope
from tck_simulator.turns.starting import Answered
from tck_simulator.turns.turn import Carrier

_TRACKER = "redelegation"


def _left_behind(sabotage: Sabotage, body: Inside) -> None:
    """Put another choice in the place of what a further session takes up."""
    around(sabotage, decision, "left_behind", body)


# --- REDELEGATION-1: cold unless switched on -------------------------------------------------------------------------


@fault(
    "taken-up-unasked", "REDELEGATION-1", Kind.EXTRA_EFFECT, "takes up earlier sessions from the start", policy=_TRACKER
)
def _taken_up_unasked(sabotage: Sabotage) -> None:
    def init(real: Real, self: TurnEngine, *given: Inside) -> None:
        real(self, *given)
        _memory(self).taking_up = True

    around(sabotage, TurnEngine, "__init__", init)


@fault(
    "taken-up-for-ever",
    "REDELEGATION-1",
    Kind.WRONG_MOMENT,
    "takes up earlier sessions once that was ever on",
    policy=_TRACKER,
)
def _taken_up_for_ever(sabotage: Sabotage) -> None:
    def change(real: Real, self: TurnEngine, act: Act) -> None:
        real(self, TakingUp(on=True) if isinstance(act, TakingUp) else act)

    around(sabotage, TurnEngine, "_change", change)


def _memory(of: TurnEngine) -> Memory:
    found: Memory = vars(of)["_memory"]
    return found


# --- REDELEGATION-2: the record outlives session and engine ----------------------------------------------------------


@fault(
    "record-of-the-living", "REDELEGATION-2", Kind.WRONG_SCOPE, "removes the record with the session", policy=_TRACKER
)
def _record_of_the_living(sabotage: Sabotage) -> None:
    def change(real: Real, self: TurnEngine, act: Act) -> None:
        real(self, act)
        if isinstance(act, SessionRemoved):
            _memory(self).scopes[act.scope].record = None

    around(sabotage, TurnEngine, "_change", change)


@fault("record-in-memory", "REDELEGATION-2", Kind.MISSING_EFFECT, "has no record after a restart", policy=_TRACKER)
def _record_in_memory(sabotage: Sabotage) -> None:
    def change(memory: Memory) -> None:
        for scope in memory.scopes.values():
            scope.record = None

    restored(sabotage, change)


@fault(
    "record-of-the-first", "REDELEGATION-2", Kind.WRONG_VALUE, "keeps the id on record that came first", policy=_TRACKER
)
def _record_of_the_first(sabotage: Sabotage) -> None:
    def keep(real: Real, self: Memory, kept: Continuation) -> None:
        before = self.scopes[kept.scope].record
        real(self, kept)
        self.scopes[kept.scope].record = before or kept

    around(sabotage, Memory, "keep", keep)


# --- REDELEGATION-3: the live session touched last, and the record where there is none -------------------------------


@fault("oldest-taken-up", "REDELEGATION-3", Kind.WRONG_VALUE, "takes up the oldest live session", policy=_TRACKER)
def _oldest_taken_up(sabotage: Sabotage) -> None:
    def body(_real: Real, scope: Scope, due: Due) -> Continuation | None:
        others = [one.kept for one in scope.sessions if one.live and one.number != due.session and one.kept is not None]
        return others[0] if others else scope.record

    _left_behind(sabotage, body)


@fault("record-before-the-living", "REDELEGATION-3", Kind.WRONG_SCOPE, "looks at the record first", policy=_TRACKER)
def _record_before_the_living(sabotage: Sabotage) -> None:
    def body(real: Real, scope: Scope, due: Due) -> Continuation | None:
        found: Continuation | None = real(scope, due)
        return scope.record or found

    _left_behind(sabotage, body)


@fault("living-alone", "REDELEGATION-3", Kind.MISSING_EFFECT, "does not look at the record", policy=_TRACKER)
def _living_alone(sabotage: Sabotage) -> None:
    def body(real: Real, scope: Scope, due: Due) -> Continuation | None:
        record, scope.record = scope.record, None
        try:
            found: Continuation | None = real(scope, due)
            return found
        finally:
            scope.record = record

    _left_behind(sabotage, body)


# --- REDELEGATION-4: a new session is none of those that it could take up --------------------------------------------


@fault(
    "counts-itself", "REDELEGATION-4", Kind.WRONG_SCOPE, "finds itself the latest, and without an id", policy=_TRACKER
)
def _counts_itself(sabotage: Sabotage) -> None:
    def body(_real: Real, _scope: Scope, _due: Due) -> None:
        """Find nothing: what was touched last is the new session itself, which has no id."""

    _left_behind(sabotage, body)


@fault(
    "fails-over-itself",
    "REDELEGATION-4",
    Kind.EXTRA_EFFECT,
    "fails where it finds itself without an id",
    policy=_TRACKER,
)
def _fails_over_itself(sabotage: Sabotage) -> None:
    def carried(real: Real, self: Carrier, due: Due, **named: Inside) -> Come:
        scope = self.memory.scopes[due.scope]
        if self.memory.taking_up and scope.record is not None and scope.present.kept is None:
            return Come("failed", "the latest session has no id")
        come: Come = real(self, due, **named)
        return come

    around(sabotage, Carrier, "carry_out", carried)


# --- REDELEGATION-5: cold where there is nothing to take up ----------------------------------------------------------


@fault("nothing-to-take-up", "REDELEGATION-5", Kind.EXTRA_EFFECT, "fails with nothing to take up", policy=_TRACKER)
def _nothing_to_take_up(sabotage: Sabotage) -> None:
    def carried(real: Real, self: Carrier, due: Due, **named: Inside) -> Come:
        if self.memory.taking_up and decision.candidate(self.memory, due) is None:
            return Come("failed", "there is no session to take up")
        come: Come = real(self, due, **named)
        return come

    around(sabotage, Carrier, "carry_out", carried)


@fault(
    "most-recent-for-nothing",
    "REDELEGATION-5",
    Kind.WRONG_VALUE,
    "takes up the most recent session where an issue has left nothing",
    policy=_TRACKER,
)
def _most_recent_for_nothing(sabotage: Sabotage) -> None:
    nothing: list[bool] = [False]

    def look(found: Continuation | None, _: Due, memory: Memory) -> Continuation | None:
        nothing[0] = memory.taking_up and found is None
        return found

    def change(made: Invocation, due: Due, resume: Continuation | None) -> Invocation:
        return loosely(made, due) if nothing[0] and resume is None else made

    resumed_instead(sabotage, look)
    invoked(sabotage, change)


# --- REDELEGATION-6: cold exactly once where the session is not found ------------------------------------------------


@fault(
    "loss-is-the-end", "REDELEGATION-6", Kind.MISSING_EFFECT, "fails where the session is not found", policy=_TRACKER
)
def _loss_is_the_end(sabotage: Sabotage) -> None:
    judged(sabotage, lambda made, _: replace(made, result="failed") if made.result == "lost" else made)


@fault("cold-twice", "REDELEGATION-6", Kind.EXTRA_EFFECT, "starts cold twice after a loss", policy=_TRACKER)
def _cold_twice(sabotage: Sabotage) -> None:
    lost: list[bool] = []

    def started(real: Real, self: Carrier, scope: Inside, due: Due, resume: Continuation | None) -> Judgement:
        made: Judgement = real(self, scope, due, resume)
        if lost and resume is None:
            lost.clear()
            made = real(self, scope, due, None)
        lost.extend([True] if made.result == "lost" else [])
        return made

    around(sabotage, Carrier, "_started", started)


@fault(
    "short-prompt-when-cold", "REDELEGATION-6", Kind.WRONG_VALUE, "starts cold with the short prompt", policy=_TRACKER
)
def _short_prompt_when_cold(sabotage: Sabotage) -> None:
    intended: dict[str, bool] = {}

    def note(found: Continuation | None, due: Due, _: Memory) -> Continuation | None:
        intended[due.scope] = found is not None
        return found

    resumed_instead(sabotage, note)
    prompted(sabotage, lambda due, _, __: intended[due.scope])


# --- REDELEGATION-7: no other failure is a reason to start cold ------------------------------------------------------


@fault("cold-after-any-failure", "REDELEGATION-7", Kind.WRONG_SCOPE, "starts cold after any failure", policy=_TRACKER)
def _cold_after_any_failure(sabotage: Sabotage) -> None:
    def change(made: Judgement, answered: Answered) -> Judgement:
        return replace(made, result="lost") if made.result == "failed" and answered.asked is not None else made

    judged(sabotage, change)


@fault(
    "cold-in-the-next-turn",
    "REDELEGATION-7",
    Kind.WRONG_MOMENT,
    "starts cold in the turn after a failure",
    policy=_TRACKER,
)
def _cold_in_the_next_turn(sabotage: Sabotage) -> None:
    def ended(real: Real, self: Carrier, due: Due, made: Judgement, **named: Inside) -> Come:
        come: Come = real(self, due, made, **named)
        if made.result == "failed":
            forgotten(self.memory, due.scope)
            self.notebook.write(self.memory)
        return come

    around(sabotage, Carrier, "_ended", ended)


# --- REDELEGATION-8: nothing of another issue ------------------------------------------------------------------------


@fault("record-of-any-issue", "REDELEGATION-8", Kind.WRONG_SCOPE, "has one record for all issues", policy=_TRACKER)
def _record_of_any_issue(sabotage: Sabotage) -> None:
    latest: list[Continuation] = []

    def keep(real: Real, self: Memory, kept: Continuation) -> None:
        latest[:] = [kept]
        real(self, kept)

    def body(real: Real, scope: Scope, due: Due) -> Continuation | None:
        found: Continuation | None = real(scope, due)
        return replace(latest[0], scope=due.scope) if latest and found is scope.record else found

    around(sabotage, Memory, "keep", keep)
    _left_behind(sabotage, body)


@fault(
    "another-issue-for-nothing",
    "REDELEGATION-8",
    Kind.EXTRA_EFFECT,
    "takes up another issue's session where its own has left nothing",
    policy=_TRACKER,
)
def _another_issue_for_nothing(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, due: Due, memory: Memory) -> Continuation | None:
        if found is not None or not memory.taking_up:
            return found
        records = (scope.record for scope in memory.scopes.values())
        return next((one for one in records if one is not None and one.provider is due.provider), None)

    resumed_instead(sabotage, change)
