"""Policies, courses and what became of them as they stand in messages, and back.

What comes in has been held against its schema before; that a cast fits its course no schema can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from cattrs import Converter

from tck_driver.courses import ACT_TYPES, Act, Cast, Course, Played, Policy, Turn
from tck_driver.messages import Json
from tck_driver.patterns import AstrayError, fault_of, found

_CONVERTER = Converter()
_NAMES = {kind: name for name, kind in ACT_TYPES.items()}


def act_fields(act: Act) -> Json:
    """Give one act of a course."""
    return {"act": _NAMES[type(act)], **cast("Json", _CONVERTER.unstructure(act))}


def course_fields(course: Course) -> Json:
    """Give the `course` of `course/cast`."""
    return {"acts": [act_fields(act) for act in course.acts]}


def read_course(fields: Json) -> Course:
    """Read the `course` of `course/cast`."""
    acts: list[Json] = fields["acts"]
    return Course(
        tuple(
            _CONVERTER.structure({name: value for name, value in act.items() if name != "act"}, ACT_TYPES[act["act"]])
            for act in acts
        )
    )


def cast_fields(roles: Cast) -> Json:
    """Give the `cast` of an answer to `course/cast`."""
    return cast("Json", _CONVERTER.unstructure(roles))


def read_cast(fields: Json) -> Cast:
    """Read the `cast` of an answer to `course/cast`."""
    return _CONVERTER.structure(fields, Cast)


def played_fields(played: Played) -> Json:
    """Give the answer to `course/play`."""
    return cast("Json", _CONVERTER.unstructure(played))


def read_played(fields: Json) -> Played:
    """Read the answer to `course/play`."""
    return _CONVERTER.structure(fields, Played)


def policy_fields(policy: Policy) -> Json:
    """Give the `policy` of an answer to `initialize`."""
    return cast("Json", _CONVERTER.unstructure(policy))


def read_policy(fields: Json) -> Policy:
    """Read the `policy` of an answer to `initialize`."""
    return _CONVERTER.structure(fields, Policy)


def misfits(roles: Cast, course: Course) -> Iterator[str]:
    """Yield why the kit could not tell starts of a CLI apart by these roles, or could not let them answer."""
    cast_scopes = {role.scope for role in roles.roles}
    yield from (f"it has no role for the scope {scope!r}" for scope in course.scopes if scope not in cast_scopes)
    wants_invalid = {
        act.scope for act in course.acts if isinstance(act, Turn) and any(start.invalid for start in act.starts)
    }
    for number, role in enumerate(roles.roles):
        where = f"roles[{number}]"
        if role.scope and role.scope not in course.scopes:
            yield f"{where} is for the scope {role.scope!r}, which has no turn"
        if role.scope in wants_invalid and not role.invalid:
            yield f"{where} has no answer of the wrong form, which its scope is to give"
        if not role.answers:
            yield f"{where} has no answers; one is the least"
        # All that a helper is sent may count as the whole task: nobody looks at it.
        for name, pattern, empty in (("prompt", role.prompt, False), ("full", role.full, not role.scope)):
            wrong = fault_of(pattern)
            if wrong is not None:
                yield f"{where}.{name} is no regular expression: {wrong}"
            elif not empty and (wrong := _of_everything(pattern)) is not None:
                yield f"{where}.{name} {wrong}"


def _of_everything(pattern: str) -> str | None:
    """Say that an expression tells nothing apart, where it does not."""
    try:
        return "is found even in an empty text, and so in any" if found([pattern], "")[0] else None
    except AstrayError as fault:
        return f"cannot be searched for: {fault}"


def untrue(played: Played, course: Course) -> Iterator[str]:
    """Yield what is told of an act that cannot be so if the act was carried out."""
    for number, (act, come) in enumerate(zip(course.acts, played.acts, strict=True), 1):
        if isinstance(act, Turn) and act.hook_fails and come.outcome == "done":
            yield f"act {number} is told as done, a turn whose hook was to fail: the hook did not fail"
