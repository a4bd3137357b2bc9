"""Whether a turn resumes: the continuation that comes into question, and what stands in its way.

Specification: REUSE-3, REUSE-6, REDELEGATION-1 to REDELEGATION-5, REDELEGATION-8, CONTINUITY-1 to CONTINUITY-6,
CONTINUITY-10.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tck_simulator.turns.continuation import Continuation, Due
from tck_simulator.turns.memory import Memory, Scope


@dataclass(frozen=True, slots=True)
class Ground:
    """What a decision rests on: whether resuming is on, whether the CLI offers it, and whether proof is asked for."""

    on: bool
    offered: bool
    proven: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """Which continuation is resumed, if any, and the one that has to be forgotten first, if any."""

    resume: Continuation | None = None
    forget: Continuation | None = None


@dataclass(frozen=True, slots=True)
class Hindrance:
    """Something that keeps a turn from resuming, and whether what was kept is forgotten for it."""

    stands: Callable[[Continuation, Due, Ground], bool]
    forgets: bool


#: All of them, in the order in which they are asked about.
HINDRANCES: tuple[Hindrance, ...] = (
    # Turned off for a while is no reason to lose what was there before.
    Hindrance(lambda _kept, _due, ground: not ground.on, forgets=False),
    Hindrance(lambda _kept, _due, ground: not ground.offered, forgets=True),
    Hindrance(lambda kept, due, _: kept.scope != due.scope, forgets=True),
    Hindrance(lambda kept, due, _: kept.provider is not due.provider, forgets=True),
    Hindrance(lambda kept, due, _: kept.directory != due.directory, forgets=True),
    Hindrance(lambda kept, due, ground: ground.proven and kept.digest != due.digest, forgets=True),
    Hindrance(lambda kept, due, ground: ground.proven and kept.generation != due.generation - 1, forgets=True),
)


def decide(kept: Continuation | None, due: Due, ground: Ground) -> Decision:
    """Decide for one turn."""
    if kept is None:
        return Decision()
    for hindrance in HINDRANCES:
        if hindrance.stands(kept, due, ground):
            return Decision(forget=kept if hindrance.forgets else None)
    return Decision(resume=kept)


def candidate(memory: Memory, due: Due) -> Continuation | None:
    """Give what a turn could resume: what its own session has, or what an earlier one of its issue has left."""
    scope = memory.scopes[due.scope]
    own = next(one for one in scope.sessions if one.number == due.session)
    if own.kept is not None or not memory.taking_up:
        return own.kept
    return left_behind(scope, due)


def left_behind(scope: Scope, due: Due) -> Continuation | None:
    """Give what the session touched last among the others has, and what the issue's record has where none has any."""
    others = [one for one in scope.sessions if one.live and one.number != due.session and one.kept is not None]
    return max(others, key=lambda one: one.touched).kept if others else scope.record
