"""Faults of continuity that show in how work goes on: after a loss, a fork, a restart, a move, and in the next turn."""

from __future__ import annotations

from dataclasses import replace

from tck_driver.courses import Come
from tck_fakes.faults.around import Inside, around
from tck_fakes.faults.continuity_asking import DIRECTORY
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_fakes.faults.turning import (
    forgotten,
    identified,
    invoked,
    judged,
    kept_of,
    loosely,
    made_up,
    prompted,
    restored,
    resumed_instead,
)
from tck_simulator.adapters.base import Invocation
from tck_simulator.turns import decision
from tck_simulator.turns.continuation import Continuation, Due
from tck_simulator.turns.decision import Hindrance
from tck_simulator.turns.judgement import Judgement
from tck_simulator.turns.memory import Memory
from tck_simulator.turns.starting import Answered, Starter
from tck_simulator.turns.turn import Carrier

_ISSUE, _AGENT, _TRACKER = "continuity", "reuse", "redelegation"

# --- CONTINUITY-7: a dead id is not asked for again and again --------------------------------------------------------


@fault(
    "dead-id-for-ever",
    "CONTINUITY-7",
    Kind.MISSING_EFFECT,
    "asks for a lost session again in every turn",
    policy=_ISSUE,
)
def _dead_id_for_ever(sabotage: Sabotage) -> None:
    # To it a lost session is a failure like any other, after which the id is kept.
    judged(sabotage, lambda made, _: replace(made, result="failed") if made.result == "lost" else made)


@fault(
    "dead-id-in-a-row",
    "CONTINUITY-7",
    Kind.EXTRA_EFFECT,
    "asks five times for a lost session in one turn",
    policy=_ISSUE,
)
def _dead_id_in_a_row(sabotage: Sabotage) -> None:
    _tries(sabotage, 5)


@fault(
    "dead-id-until-a-restart",
    "CONTINUITY-7",
    Kind.WRONG_MOMENT,
    "forgets a lost session when it is restarted, and asks for it in every turn before",
    policy=_AGENT,
)
def _dead_id_until_a_restart(sabotage: Sabotage) -> None:
    dead: dict[str, Continuation] = {}

    def started(real: Real, self: Carrier, scope: Inside, due: Due, resume: Continuation | None) -> Judgement:
        made: Judgement = real(self, scope, due, resume)
        if made.result == "lost" and resume is not None:
            dead[due.scope] = resume
        return made

    def change(found: Continuation | None, due: Due, _: Memory) -> Continuation | None:
        return dead.get(due.scope, found)

    around(sabotage, Carrier, "_started", started)
    resumed_instead(sabotage, change)
    restored(sabotage, lambda _: dead.clear())


def _tries(sabotage: Sabotage, count: int) -> None:
    def body(real: Real, self: Carrier, scope: Inside, due: Due, resume: Continuation | None) -> Judgement:
        made: Judgement = real(self, scope, due, resume)
        for _ in range(count - 1):
            if made.result == "lost":
                made = real(self, scope, due, resume)
        return made

    around(sabotage, Carrier, "_started", body)


# --- CONTINUITY-8: a fresh session is sent everything ----------------------------------------------------------------


@fault(
    "short-prompt-after-a-loss",
    "CONTINUITY-8",
    Kind.WRONG_MOMENT,
    "decides on the prompt before it has looked for the session",
    policy=_TRACKER,
)
def _short_prompt_after_a_loss(sabotage: Sabotage) -> None:
    intended: dict[str, bool] = {}

    def note(found: Continuation | None, due: Due, _: Memory) -> Continuation | None:
        intended[due.scope] = found is not None
        return found

    resumed_instead(sabotage, note)
    prompted(sabotage, lambda due, _, __: intended[due.scope])


@fault(
    "short-prompt-from-the-second-turn",
    "CONTINUITY-8",
    Kind.WRONG_SCOPE,
    "sends the short prompt in every turn but the first",
    policy=_AGENT,
)
def _short_prompt_from_the_second_turn(sabotage: Sabotage) -> None:
    prompted(sabotage, lambda due, _, __: due.generation > 1)


# --- CONTINUITY-9: a restart changes no decision ---------------------------------------------------------------------


@fault("forgets-at-a-restart", "CONTINUITY-9", Kind.MISSING_EFFECT, "has forgotten all when restarted", policy=_ISSUE)
def _forgets_at_a_restart(sabotage: Sabotage) -> None:
    def change(memory: Memory) -> None:
        for name in memory.scopes:
            forgotten(memory, name)

    restored(sabotage, change)


@fault("made-up-after-a-restart", "CONTINUITY-9", Kind.WRONG_VALUE, "has other ids after a restart", policy=_ISSUE)
def _made_up_after_a_restart(sabotage: Sabotage) -> None:
    def change(memory: Memory) -> None:
        for scope in memory.scopes.values():
            if scope.present.kept is not None:
                scope.put(replace(scope.present, kept=replace(scope.present.kept, native_id=made_up(scope.name))))

    restored(sabotage, change)


@fault(
    "most-recent-after-a-restart",
    "CONTINUITY-9",
    Kind.EXTRA_EFFECT,
    "resumes the most recent session after a restart",
    policy=_ISSUE,
)
def _most_recent_after_a_restart(sabotage: Sabotage) -> None:
    restarts: list[Memory] = []

    def change(made: Invocation, due: Due, _: Continuation | None) -> Invocation:
        return loosely(made, due) if restarts else made

    restored(sabotage, restarts.append)
    invoked(sabotage, change)


# --- CONTINUITY-10: a session is resumed where it was created --------------------------------------------------------


@fault("resumes-elsewhere", "CONTINUITY-10", Kind.MISSING_EFFECT, "resumes whatever folder it is in", policy=_ISSUE)
def _resumes_elsewhere(sabotage: Sabotage) -> None:
    def make(real: tuple[Hindrance, ...]) -> tuple[Hindrance, ...]:
        return (*real[:DIRECTORY], *real[DIRECTORY + 1 :])

    sabotage.replace(decision, "HINDRANCES", make)


@fault("resumes-at-home", "CONTINUITY-10", Kind.WRONG_VALUE, "resumes in the home of the agent", policy=_ISSUE)
def _resumes_at_home(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, due: Due, prompt: str, resume: Continuation | None) -> Answered:
        # The folder of all scopes lies beside it.
        place = due if resume is None else replace(due, directory=due.directory.rpartition("/")[0] + "/home")
        answered: Answered = real(self, place, prompt, resume)
        return answered

    around(sabotage, Starter, "start", body)


# --- CONTINUITY-11: it resumes as it declares ------------------------------------------------------------------------


@fault("old-id-after-a-fork", "CONTINUITY-11", Kind.WRONG_VALUE, "asks for the old id after a fork", policy=_ISSUE)
def _old_id_after_a_fork(sabotage: Sabotage) -> None:
    identified(sabotage, lambda found, answered: answered.asked or found)


@fault(
    "fork-forgotten",
    "CONTINUITY-11",
    Kind.MISSING_EFFECT,
    "keeps nothing of a session that has forked",
    policy=_TRACKER,
)
def _forkforgotten(sabotage: Sabotage) -> None:
    def body(real: Real, self: Carrier, due: Due, made: Judgement) -> None:
        kept = kept_of(self.memory, due.scope)
        real(self, due, made)
        if kept is not None and made.native_id not in {None, kept.native_id}:
            self.memory.clear(due)
            self.notebook.write(self.memory)

    around(sabotage, Carrier, "_keep", body)


@fault("rejected-fork-kept", "CONTINUITY-11", Kind.EXTRA_EFFECT, "builds on a fork that it rejects", policy=_AGENT)
def _rejected_fork_kept(sabotage: Sabotage) -> None:
    def ended(real: Real, self: Carrier, due: Due, made: Judgement, **named: Inside) -> Come:
        come: Come = real(self, due, made, **named)
        if made.result == "forked" and made.native_id is not None:
            self.memory.keep(due.keeping(made.native_id))
            self.notebook.write(self.memory)
        return come

    def kept(made: Judgement, answered: Answered) -> Judgement:
        reported = answered.reading.reported
        return replace(made, native_id=reported[-1]) if made.result == "forked" and reported else made

    judged(sabotage, kept)
    around(sabotage, Carrier, "_ended", ended)


@fault(
    "valid-though-failed",
    "CONTINUITY-11",
    Kind.WRONG_MOMENT,
    "takes a session for valid as soon as it has an id, where it declares success",
    policy=_ISSUE,
)
def _valid_though_failed(sabotage: Sabotage) -> None:
    def ended(real: Real, self: Carrier, due: Due, made: Judgement, **named: Inside) -> Come:
        come: Come = real(self, due, made, **named)
        if made.result == "failed" and made.native_id is not None:
            self.memory.keep(due.keeping(made.native_id))
            self.notebook.write(self.memory)
        return come

    around(sabotage, Carrier, "_ended", ended)


@fault(
    "short-prompt-though-full",
    "CONTINUITY-11",
    Kind.WRONG_SCOPE,
    "sends a resumed session the short prompt, where it declares full ones",
    policy=_ISSUE,
)
def _short_prompt_though_full(sabotage: Sabotage) -> None:
    prompted(sabotage, lambda _, resume, __: resume is not None)


# --- CONTINUITY-12: the next turn asks for the session of the last one -----------------------------------------------


@fault("never-resumed", "CONTINUITY-12", Kind.MISSING_EFFECT, "never resumes", policy=_ISSUE)
def _never_resumed(sabotage: Sabotage) -> None:
    resumed_instead(sabotage, lambda _, __, ___: None)


@fault("resumed-once", "CONTINUITY-12", Kind.ONCE, "resumes in the second turn of a scope alone", policy=_ISSUE)
def _resumed_once(sabotage: Sabotage) -> None:
    resumed_instead(sabotage, lambda found, due, _: found if due.generation == 2 else None)  # noqa: PLR2004 -- the second


@fault("one-scope-resumed", "CONTINUITY-12", Kind.WRONG_SCOPE, "resumes the first scope alone", policy=_ISSUE)
def _one_scope_resumed(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, due: Due, memory: Memory) -> Continuation | None:
        return found if due.scope == next(iter(memory.scopes)) else None

    resumed_instead(sabotage, change)


# --- CONTINUITY-13: a lost session is got over, or the failure is shown ----------------------------------------------


@fault(
    "silent-loss", "CONTINUITY-13", Kind.MISSING_EFFECT, "tells nobody that a lost session was the end", policy=_ISSUE
)
def _silent_loss(sabotage: Sabotage) -> None:
    _lost_for_good(sabotage, Come("failed"))


@fault("loss-called-done", "CONTINUITY-13", Kind.WRONG_VALUE, "calls a turn done whose session was lost", policy=_ISSUE)
def _loss_called_done(sabotage: Sabotage) -> None:
    _lost_for_good(sabotage, Come("done"))


def _lost_for_good(sabotage: Sabotage, come: Come) -> None:
    """Do nothing more in a turn whose session was lost, and say only this of it."""
    lost: list[Judgement] = []

    def started(real: Real, self: Carrier, scope: Inside, due: Due, resume: Continuation | None) -> Judgement:
        if lost:
            return lost[0]
        made: Judgement = real(self, scope, due, resume)
        lost.extend([made] if made.result == "lost" else [])
        return made

    def carried(real: Real, self: Carrier, due: Due, **named: Inside) -> Come:
        made: Come = real(self, due, **named)
        made = come if lost else made
        lost.clear()
        return made

    around(sabotage, Carrier, "_started", started)
    around(sabotage, Carrier, "carry_out", carried)
