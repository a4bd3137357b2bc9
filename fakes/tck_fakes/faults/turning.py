"""The ways in which a fault gets between an engine of turns and what it does."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace

from tck_driver.courses import Cast, Role
from tck_driver.vocabulary import AdapterId
from tck_fakes.faults.around import Inside, around
from tck_fakes.faults.fault import Sabotage
from tck_fakes.faults.register import Real
from tck_simulator.adapters.base import Invocation
from tck_simulator.turns import engine, judgement, prompts, starting, turn
from tck_simulator.turns.continuation import Continuation, Due
from tck_simulator.turns.judgement import Judgement
from tck_simulator.turns.kinds import PROVIDERS
from tck_simulator.turns.memory import Memory
from tck_simulator.turns.starting import Answered
from tck_simulator.turns.turn import Carrier

#: How each CLI is asked for its most recent session.
_MOST_RECENT = {AdapterId.CLAUDE_CODE: ("--continue",), AdapterId.CODEX: ("resume", "--last")}


def resumed_instead(
    sabotage: Sabotage, change: Callable[[Continuation | None, Due, Memory], Continuation | None]
) -> None:
    """Change what a turn resumes, knowing all that is kept."""

    def body(real: Real, self: Carrier, due: Due) -> Continuation | None:
        return change(real(self, due), due, self.memory)

    around(sabotage, Carrier, "_decided", body)


def kept_of(memory: Memory, scope: str) -> Continuation | None:
    """Give what is kept for the present session of a scope, whatever stands in its way."""
    return memory.scopes[scope].present.kept


def forgotten(memory: Memory, name: str) -> None:
    """Forget everything of a scope."""
    scope = memory.scopes[name]
    scope.record = None
    scope.sessions = [replace(one, kept=None) for one in scope.sessions]


def helped(sabotage: Sabotage, wanted: Callable[[Memory, Due], Continuation | None]) -> None:
    """Have a helper start the CLI before each turn of which this gives a session for it to look into."""
    roles = tuple(Role("", provider, r"\AHelper: ", r"\A", (prompts.ANSWER,)) for provider in PROVIDERS)

    def cast(real: Real, self: engine.TurnEngine) -> Cast:
        given: Cast = real(self)
        return replace(given, roles=(*roles, *given.roles))

    def carried(real: Real, self: Carrier, due: Due, **named: Inside) -> Inside:
        kept = wanted(self.memory, due)
        if kept is not None:
            self.starter.start(due, "Helper: say in a line what was done.", kept)
        return real(self, due, **named)

    around(sabotage, engine.TurnEngine, "cast", cast)
    around(sabotage, Carrier, "carry_out", carried)


def made_up(scope: str) -> str:
    """Give an id that looks like one of a session, and that no CLI has given."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, scope))


def invoked(sabotage: Sabotage, change: Callable[[Invocation, Due, Continuation | None], Invocation]) -> None:
    """Change the arguments of a start."""

    def body(real: Real, due: Due, prompt: str, resume: Continuation | None) -> Invocation:
        return change(real(due, prompt, resume), due, resume)

    around(sabotage, starting, "invoke", body)


def loosely(invocation: Invocation, due: Due, named: str | None = None) -> Invocation:
    """Ask for the most recent session, or for one by a name, where a session is asked for by its id, or none is."""
    words = _MOST_RECENT[due.provider]
    if due.provider is AdapterId.CLAUDE_CODE:
        words = words if named is None else (f"--resume={named}",)
        kept = tuple(word for word in invocation.argv if not word.startswith("--resume="))
        return replace(invocation, argv=(*kept[:2], *words, *kept[2:]))
    # `codex exec … -- <prompt>`, or `codex exec … resume -- <id> <prompt>`.
    kept = invocation.argv[: invocation.argv.index("--")]
    words = words if named is None else ("resume", named)
    kept = kept[:-1] if kept[-1] == "resume" else kept
    return replace(invocation, argv=(*kept, *words, invocation.argv[-1]))


def judged(sabotage: Sabotage, change: Callable[[Judgement, Answered], Judgement]) -> None:
    """Change what is made of an answer."""

    def body(real: Real, answered: Answered, policy: Inside) -> Judgement:
        return change(real(answered, policy), answered)

    around(sabotage, turn, "judge", body)


def identified(sabotage: Sabotage, change: Callable[[str | None, Answered], str | None]) -> None:
    """Change which id a start is thought to leave."""

    def body(real: Real, answered: Answered, policy: Inside) -> str | None:
        return change(real(answered, policy), answered)

    around(sabotage, judgement, "identified", body)


def restored(sabotage: Sabotage, change: Callable[[Memory], None]) -> None:
    """Change what is known after a restart."""

    def body(real: Real, *given: Inside, **named: Inside) -> Memory:
        memory: Memory = real(*given, **named)
        change(memory)
        return memory

    around(sabotage, engine, "restore", body)


def prompted(sabotage: Sabotage, short: Callable[[Due, Continuation | None, Memory], bool]) -> None:
    """Send the short prompt wherever this says so, and the whole one elsewhere."""
    memories: list[Memory] = []

    def started(real: Real, self: Carrier, scope: Inside, due: Due, resume: Continuation | None) -> Inside:
        memories[:] = [self.memory]
        return real(self, scope, due, resume)

    def body(real: Real, kind: Inside, scope: Inside, due: Due, resume: Continuation | None) -> str:
        wanted: str = prompts.rest(due) if short(due, resume, memories[0]) else real(kind, scope, due, resume)
        return wanted

    around(sabotage, Carrier, "_started", started)
    around(sabotage, turn, "prompt_for", body)
