"""Who plays which role in a course: whose a start of a CLI is, how the CLI then behaves, and what it says.

An engine that is no engine of mailboxes starts CLIs for scopes that the kit has no other way to know. Its driver says
by what they can be told apart; here that is applied to one start after the other. A scope's starts behave as the course
says of them in order, whichever of its turns the engine makes them in: whoever stands where the CLI stands sees no
turns. Specification: §30.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tck_driver.bench import Script
from tck_driver.course_messages import misfits
from tck_driver.courses import Cast, Course, Role, Start, Turn, Unadvertised
from tck_driver.errors import DriverError, KitError
from tck_driver.patterns import AstrayError, found
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
    #: By what it is known: a prompt that says so, or nothing but the id that it asks for.
    by: Literal["prompt", "id"]


class Casting:
    """The roles of one course, and how far each of them has come."""

    def __init__(self, cast: Cast, course: Course) -> None:
        """Begin. Raises `DriverError` for a cast that cannot play the course, `KitError` for such a course."""
        wrong = next(misfits(cast, course), None)
        if wrong is not None:
            raise DriverError(f"the driver's cast cannot be played: {wrong}")
        self._roles = cast.roles
        self._course = course
        self._due = {scope: [*_starts(course, scope)] for scope in course.scopes}
        #: Scope → how many starts it has had; role → the same.
        self._had = dict.fromkeys(course.scopes, 0)
        self._said = [0] * len(cast.roles)
        #: Native id → the role to whose start it was last reported.
        self._reported: dict[str, int] = {}
        #: Why the roles have turned out not to tell starts apart, empty where they do.
        self.unfit = ""
        for scope, starts in self._due.items():
            _check_shapes(scope, [role for role in cast.roles if role.scope == scope], starts)

    def take(self, adapter: AdapterId, prompt: str, asked_id: str | None) -> Part | None:
        """Give the part of a start, which is used up by this; None where it is nobody's.

        Raises `DriverError` where the roles cannot tell whose it is, and from then on: what is `unfit` stays so.
        """
        if self.unfit:
            raise DriverError(self.unfit)
        own = [number for number, role in enumerate(self._roles) if role.adapter == adapter]
        by: Literal["prompt", "id"] = "prompt"
        number = self._by_prompt(own, prompt)
        if number is None:
            by, number = "id", self._by_id(own, asked_id)
        if number is None:
            return None
        role = self._roles[number]
        start = self._next(role.scope)
        said = role.answers[min(self._said[number], len(role.answers) - 1)]
        self._said[number] += 1
        script = Script(start.shape, answer=role.invalid if start.invalid else said)
        check(adapter, script)
        (full,) = self._found([number], "full", prompt)
        return Part(number, role.scope, full, script, by)

    def reported(self, part: Part, session_id: str) -> None:
        """Take note that the CLI has named a session at this start; a helper has none of its own to be known by."""
        if part.scope:
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

    def _by_prompt(self, own: Sequence[int], prompt: str) -> int | None:
        """Give the first role whose prompt is found. No two scopes may share it: nobody could say whose it is."""
        hits = [number for number, hit in zip(own, self._found(own, "prompt", prompt), strict=True) if hit]
        if not hits:
            return None
        first, *others = hits
        scope = self._roles[first].scope
        # A helper's prompt may hold what its scopes are sent; that is why it stands before them.
        other = next((one for one in others if scope and self._roles[one].scope not in {"", scope}), None)
        if other is not None:
            raise self._misfit(
                f"the prompts of roles[{first}], of scope {scope!r}, and of roles[{other}], of scope"
                f" {self._roles[other].scope!r}, were both found in the prompt of one start"
            )
        return first

    def _found(self, numbers: Sequence[int], name: Literal["prompt", "full"], prompt: str) -> list[bool]:
        roles = [self._roles[number] for number in numbers]
        try:
            return found([role.prompt if name == "prompt" else role.full for role in roles], prompt)
        except AstrayError as fault:
            raise self._misfit(f"roles[{numbers[fault.pattern]}].{name} cannot be searched for: {fault}") from None

    def _misfit(self, what: str) -> DriverError:
        self.unfit = f"the driver's cast does not tell starts apart: {what}"
        return DriverError(self.unfit)

    def _by_id(self, own: Sequence[int], asked_id: str | None) -> int | None:
        """Give the role to whose start the id was last reported."""
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


def _check_shapes(scope: str, roles: Sequence[Role], starts: Sequence[Start]) -> None:
    for start in starts:
        if not any(role.adapter in TAKEN_BY[start.shape] for role in roles):
            names = ", ".join(sorted({role.adapter for role in roles}))
            raise KitError(f"a course asks {names} for the shape {start.shape}, which none of them can take ({scope})")
