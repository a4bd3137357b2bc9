"""Faults of continuity that show in what a CLI is asked for: which session, whose, and whether any at all."""

from __future__ import annotations

from dataclasses import replace

from tck_fakes.faults.around import Inside, around
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_fakes.faults.turning import helped, invoked, kept_of, loosely, made_up, resumed_instead
from tck_simulator.adapters.base import Invocation
from tck_simulator.turns import decision
from tck_simulator.turns.continuation import Continuation, Due
from tck_simulator.turns.decision import Hindrance
from tck_simulator.turns.judgement import Judgement
from tck_simulator.turns.kinds import PROVIDERS
from tck_simulator.turns.memory import Memory
from tck_simulator.turns.starting import Starter
from tck_simulator.turns.turn import Carrier

_ISSUE = "continuity"

# --- CONTINUITY-1: the first turn of a scope asks for no session ------------------------------------------------------


@fault(
    "first-turn-most-recent",
    "CONTINUITY-1",
    Kind.EXTRA_EFFECT,
    "begins a scope in whatever session is there",
    policy=_ISSUE,
)
def _first_turn_most_recent(sabotage: Sabotage) -> None:
    def change(made: Invocation, due: Due, resume: Continuation | None) -> Invocation:
        return loosely(made, due) if due.generation == 1 and resume is None else made

    invoked(sabotage, change)


@fault("first-turn-of-a-sister", "CONTINUITY-1", Kind.WRONG_SCOPE, "begins a scope where another one is", policy=_ISSUE)
def _first_turn_of_a_sister(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, due: Due, memory: Memory) -> Continuation | None:
        others = [kept_of(memory, name) for name in memory.scopes if name != due.scope]
        return found if due.generation > 1 else next((one for one in others if one is not None), None)

    resumed_instead(sabotage, change)


@fault(
    "first-turn-of-a-made-up-id",
    "CONTINUITY-1",
    Kind.WRONG_VALUE,
    "asks at first for an id of its own making",
    policy=_ISSUE,
)
def _first_turn_of_a_made_up_id(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, due: Due, _: Memory) -> Continuation | None:
        return due.keeping(made_up(due.scope)) if due.generation == 1 else found

    resumed_instead(sabotage, change)


# --- CONTINUITY-2: a session is asked for by its id ------------------------------------------------------------------


@fault("most-recent-session", "CONTINUITY-2", Kind.WRONG_VALUE, "resumes the most recent session", policy=_ISSUE)
def _most_recent_session(sabotage: Sabotage) -> None:
    invoked(sabotage, lambda made, due, resume: made if resume is None else loosely(made, due))


@fault("session-by-name", "CONTINUITY-2", Kind.WRONG_SCOPE, "resumes a session by the name of its scope", policy=_ISSUE)
def _session_by_name(sabotage: Sabotage) -> None:
    invoked(sabotage, lambda made, due, resume: made if resume is None else loosely(made, due, due.scope))


@fault(
    "asked-by-id-once",
    "CONTINUITY-2",
    Kind.ONCE,
    "resumes by its id once, and the most recent session from then on",
    policy=_ISSUE,
)
def _asked_by_id_once(sabotage: Sabotage) -> None:
    asked: set[str] = set()

    def change(made: Invocation, due: Due, resume: Continuation | None) -> Invocation:
        if resume is None or due.scope not in asked:
            asked.update(() if resume is None else (due.scope,))
            return made
        return loosely(made, due)

    invoked(sabotage, change)


# --- CONTINUITY-3: an id is asked for only where the CLI reported it in the same scope -------------------------------


@fault("made-up-id", "CONTINUITY-3", Kind.WRONG_VALUE, "resumes under an id made from the scope's name", policy=_ISSUE)
def _made_up_id(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, due: Due, _: Memory) -> Continuation | None:
        return None if found is None else replace(found, native_id=made_up(due.scope))

    resumed_instead(sabotage, change)


@fault(
    "made-up-after-a-loss",
    "CONTINUITY-3",
    Kind.WRONG_MOMENT,
    "asks for an id of its own making once a session was lost",
    policy=_ISSUE,
)
def _made_up_after_a_loss(sabotage: Sabotage) -> None:
    lost: set[str] = set()

    def started(real: Real, self: Carrier, scope: Inside, due: Due, resume: Continuation | None) -> Judgement:
        if resume is None and due.scope in lost:
            resume = due.keeping(made_up(due.scope))
        made: Judgement = real(self, scope, due, resume)
        lost.update((due.scope,) if made.result == "lost" else ())
        return made

    around(sabotage, Carrier, "_started", started)


# --- CONTINUITY-4: no id crosses from one scope to another -----------------------------------------------------------


@fault("one-id-for-all", "CONTINUITY-4", Kind.WRONG_SCOPE, "has one id for all scopes, the last one", policy=_ISSUE)
def _one_id_for_all(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, _: Due, memory: Memory) -> Continuation | None:
        held = [scope.present for scope in memory.scopes.values() if scope.present.kept is not None]
        return max(held, key=lambda one: one.touched).kept if held else found

    resumed_instead(sabotage, change)


@fault("borrowed-id", "CONTINUITY-4", Kind.EXTRA_EFFECT, "asks for another scope's id where it has none", policy=_ISSUE)
def _borrowed_id(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, _: Due, memory: Memory) -> Continuation | None:
        held = (kept_of(memory, name) for name in memory.scopes)
        return found or next((one for one in held if one is not None), None)

    resumed_instead(sabotage, change)


@fault(
    "helper-in-a-session",
    "CONTINUITY-4",
    Kind.WRONG_MOMENT,
    "has a helper look into a scope's session before each of its turns",
    policy=_ISSUE,
)
def _helper_in_a_session(sabotage: Sabotage) -> None:
    helped(sabotage, lambda memory, due: kept_of(memory, due.scope))


# --- CONTINUITY-5: no provider is given the id of another ------------------------------------------------------------


def _without(sabotage: Sabotage, number: int) -> None:
    """Let one thing hinder a resume no longer."""

    def make(real: tuple[Hindrance, ...]) -> tuple[Hindrance, ...]:
        return (*real[:number], *real[number + 1 :])

    sabotage.replace(decision, "HINDRANCES", make)


#: The places of what hinders a resume.
OFF, UNOFFERED, SCOPE, PROVIDER, DIRECTORY, DIGEST, GENERATION = range(7)


@fault("foreign-id", "CONTINUITY-5", Kind.MISSING_EFFECT, "gives one provider the other's id", policy=_ISSUE)
def _foreign_id(sabotage: Sabotage) -> None:
    _without(sabotage, PROVIDER)


@fault(
    "provider-of-the-first-turn",
    "CONTINUITY-5",
    Kind.WRONG_VALUE,
    "takes an id for good where it comes from the provider that the scope had first",
    policy=_ISSUE,
)
def _provider_of_the_first_turn(sabotage: Sabotage) -> None:
    def make(real: tuple[Hindrance, ...]) -> tuple[Hindrance, ...]:
        compared = Hindrance(lambda kept, _due, _ground: kept.provider is not PROVIDERS[0], forgets=True)
        return (*real[:PROVIDER], compared, *real[PROVIDER + 1 :])

    sabotage.replace(decision, "HINDRANCES", make)


# --- CONTINUITY-6: nothing is resumed where that is off or not offered -----------------------------------------------


@fault("switch-without-effect", "CONTINUITY-6", Kind.MISSING_EFFECT, "resumes where that is off", policy=_ISSUE)
def _switch_without_effect(sabotage: Sabotage) -> None:
    _without(sabotage, OFF)


@fault("help-unheard", "CONTINUITY-6", Kind.WRONG_SCOPE, "resumes where the cli does not offer it", policy=_ISSUE)
def _help_unheard(sabotage: Sabotage) -> None:
    _without(sabotage, UNOFFERED)


@fault(
    "help-heard-once",
    "CONTINUITY-6",
    Kind.WRONG_MOMENT,
    "asks a cli once what it offers, and never again",
    policy=_ISSUE,
)
def _help_heard_once(sabotage: Sabotage) -> None:
    heard: dict[str, bool] = {}

    def body(real: Real, self: Inside, due: Due) -> bool:
        return heard.setdefault(due.provider, real(self, due))

    around(sabotage, Starter, "offered", body)


@fault(
    "most-recent-where-off",
    "CONTINUITY-6",
    Kind.EXTRA_EFFECT,
    "goes on in the most recent session where resuming is off",
    policy=_ISSUE,
)
def _most_recent_where_off(sabotage: Sabotage) -> None:
    off: list[bool] = [False]

    def look(found: Continuation | None, due: Due, memory: Memory) -> Continuation | None:
        off[0] = not memory.on and kept_of(memory, due.scope) is not None
        return found

    resumed_instead(sabotage, look)
    invoked(sabotage, lambda made, due, resume: loosely(made, due) if off[0] and resume is None else made)


@fault(
    "helper-where-off",
    "CONTINUITY-6",
    Kind.WRONG_VALUE,
    "has a helper look into a scope's session where resuming is off",
    policy=_ISSUE,
)
def _helper_where_off(sabotage: Sabotage) -> None:
    helped(sabotage, lambda memory, due: None if memory.on else kept_of(memory, due.scope))
