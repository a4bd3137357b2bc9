"""Who plays which role in a course: whose a start of a CLI is, how the CLI then behaves, and what it says.

An engine that is no engine of mailboxes starts CLIs for scopes that the kit has no other way to know. Its driver says
by what they can be told apart; here that is applied to one start after the other. A scope's starts behave as the course
says of them in order, whichever of its turns the engine makes them in: whoever stands where the CLI stands sees no
turns. Specification: §30.6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tck_driver.bench import Script
from tck_driver.courses import Cast, Course, Role, Start, Turn, Unadvertised
from tck_driver.errors import DriverError, KitError
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins.shapes import TAKEN_BY, check

#: Shapes in which a CLI is still there when the engine is to die.
_STAYING = ("hang", "hang_early")


@dataclass(frozen=True, slots=True)
class Part:
    """One start of a CLI, as a role of the course: whose it is, whether it was sent everything, and what it does."""

    #: The place of the role in the cast.
    role: int
    scope: str
    full: bool
    script: Script


class Casting:
    """The roles of one course, and how far each of them has come."""

    def __init__(self, cast: Cast, course: Course) -> None:
        """Begin. Raises `DriverError` for a cast that cannot play the course, `KitError` for such a course."""
        self._roles = cast.roles
        self._course = course
        self._prompts = [_pattern(role, "prompt", role.prompt) for role in cast.roles]
        self._fulls = [_pattern(role, "full", role.full) for role in cast.roles]
        self._due = {scope: [*_starts(course, scope)] for scope in course.scopes}
        #: Scope → how many starts it has had; role → the same.
        self._had = dict.fromkeys(course.scopes, 0)
        self._said = [0] * len(cast.roles)
        #: Native id → the role to whose start it was last reported.
        self._reported: dict[str, int] = {}
        _check(cast, self._due)

    def take(self, adapter: AdapterId, prompt: str, asked_id: str | None) -> Part | None:
        """Give the part of a start, which is used up by this; None where it is nobody's."""
        number = self._number(adapter, prompt, asked_id)
        if number is None:
            return None
        role = self._roles[number]
        start = self._next(role.scope)
        said = role.answers[min(self._said[number], len(role.answers) - 1)]
        self._said[number] += 1
        script = Script(start.shape, answer=role.invalid if start.invalid else said)
        check(adapter, script)
        return Part(number, role.scope, self._fulls[number].search(prompt) is not None, script)

    def reported(self, part: Part, session_id: str) -> None:
        """Take note that the CLI has named a session at this start."""
        self._reported[session_id] = part.role

    @property
    def advertised(self) -> bool:
        """Whether the help of the CLIs offers to resume.

        It no longer does once every scope has had the starts that the course says of its turns before that.
        """
        due = dict.fromkeys(self._course.scopes, 0)
        for act in self._course.acts:
            if isinstance(act, Turn):
                due[act.scope] += len(act.starts or (Start(),))
            elif isinstance(act, Unadvertised):
                return any(self._had[scope] < count for scope, count in due.items())
        return True

    def _number(self, adapter: AdapterId, prompt: str, asked_id: str | None) -> int | None:
        own = [number for number, role in enumerate(self._roles) if role.adapter == adapter]
        for number in own:
            if self._prompts[number].search(prompt):
                return number
        known = self._reported.get(asked_id) if asked_id is not None else None
        if known is None or known in own:
            return known
        # Another provider's id: the start is the scope's all the same, and its role there knows what is to be said.
        scope = self._roles[known].scope
        return next((number for number in own if self._roles[number].scope == scope), known)

    def _next(self, scope: str) -> Start:
        if scope not in self._due:
            return Start()
        number = self._had[scope]
        self._had[scope] += 1
        due = self._due[scope]
        return due[number] if number < len(due) else Start()


def _starts(course: Course, scope: str) -> Iterator[Start]:
    for act in course.acts:
        if isinstance(act, Turn) and act.scope == scope:
            first, *rest = act.starts or (Start(),)
            yield replace(first, shape="hang") if act.killed and first.shape not in _STAYING else first
            yield from rest


def _pattern(role: Role, name: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as fault:
        whose = f"the role of scope {role.scope!r}" if role.scope else "the role of a helper"
        raise DriverError(f"course/cast: {name} of {whose} is no regular expression: {fault} in {pattern!r}") from None


def _check(cast: Cast, due: dict[str, list[Start]]) -> None:
    """Raise where the cast and the course do not belong together."""
    for role in cast.roles:
        if role.scope and role.scope not in due:
            raise DriverError(f"course/cast: a role is of scope {role.scope!r}, which has no turn in the course")
        if not role.answers:
            raise DriverError(f"course/cast: a role of scope {role.scope!r} has no answers; give one at least")
    for scope, starts in due.items():
        roles = [role for role in cast.roles if role.scope == scope]
        if not roles:
            raise DriverError(f"course/cast: scope {scope!r} has turns in the course and no role in the cast")
        if any(start.invalid for start in starts) and not any(role.invalid for role in roles):
            raise DriverError(f"course/cast: no role of scope {scope!r} says what an invalid answer is")
        _check_shapes(scope, roles, starts)


def _check_shapes(scope: str, roles: Sequence[Role], starts: Sequence[Start]) -> None:
    for start in starts:
        if not any(role.adapter in TAKEN_BY[start.shape] for role in roles):
            names = ", ".join(sorted({role.adapter for role in roles}))
            raise KitError(f"a course asks {names} for the shape {start.shape}, which none of them can take ({scope})")
