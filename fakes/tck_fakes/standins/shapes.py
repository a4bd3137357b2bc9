"""Which shape which CLI can take, and what the shapes have in common.

A scenario that asks a CLI for a shape it has never been seen to take would grade an engine by a fable, so the bench
refuses it as the kit's own mistake.
"""

from __future__ import annotations

from typing import get_args

from tck_driver.bench import Script, Shape
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId

_ALL = frozenset(adapter for adapter in AdapterId if adapter is not AdapterId.API)
_CLAUDE, _CODEX, _OPENCODE = AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE
_COPILOT, _GROK = AdapterId.COPILOT, AdapterId.GROK_BUILD

#: Shapes that not every CLI can take. What is not named here, all five can.
LIMITED: dict[Shape, frozenset[AdapterId]] = {
    "rotate": frozenset({_CLAUDE, _GROK}),  # the others were measured to keep the id
    "refuse_decoy": frozenset({_CLAUDE, _CODEX, _GROK}),  # the others name an id only once the model has answered
    "refuse_exit_zero": frozenset({_CLAUDE, _OPENCODE, _GROK}),
    "refuse_silent": frozenset({_OPENCODE, _GROK}),
    "id_in_use": frozenset({_CLAUDE, _COPILOT}),  # the others let nobody choose an id
    "unsaved": frozenset({_CLAUDE, _CODEX, _GROK}),  # the others exit 1 where they cannot save
    "empty_beside": frozenset({_CLAUDE, _COPILOT}),  # the others have no directory per session
    "other_id_fails": _ALL - {_GROK},  # grok names a session with its answer only
    "two_ids_fail": _ALL - {_GROK},
}

#: Shape → the CLIs that can take it.
TAKEN_BY: dict[Shape, frozenset[AdapterId]] = {shape: LIMITED.get(shape, _ALL) for shape in get_args(Shape)}

#: Shapes that mean something only where a resume is asked; on a fresh start the CLI answers `ok`.
OF_RESUMES: frozenset[Shape] = frozenset(
    {"rotate", "refuse", "refuse_decoy", "refuse_exit_zero", "refuse_silent", "damaged"}
)

#: Shapes that end before a session is loaded, with whatever the CLI says then.
REFUSALS: frozenset[Shape] = frozenset(
    {
        "refuse",
        "refuse_decoy",
        "refuse_exit_zero",
        "refuse_silent",
        "damaged",
        "id_in_use",
        "usage_error",
        "generic_error",
        "no_output",
    }
)

#: Shapes in which the session was loaded, its id is named, the prompt is in the history, and the exit code is 1.
FAULTS: dict[Shape, int] = {
    "rate_limited": 429,
    "unauthorized": 401,
    "server_error": 500,
    "bad_request": 400,
    "prompt_too_long": 400,
    "not_found_text": 404,
}

#: Shapes in which the provider fails in an ordinary way, but the session named is not, or not alone, the asked one.
UNCONFIRMED: dict[Shape, Shape] = {"other_id_fails": "server_error", "two_ids_fail": "server_error"}

#: What the failing run of `not_found_text` talks about: a file of the repository, not a session.
NOT_FOUND_TEXT = "404 not found: ./docs/page.md"


def check(adapter: AdapterId, script: Script) -> None:
    """Raise `KitError` where this adapter's CLI cannot take the script's shape."""
    takers = TAKEN_BY.get(script.shape)
    if takers is None:
        raise KitError(f"no stand-in knows the shape {script.shape!r}; the shapes are: {', '.join(TAKEN_BY)}")
    if adapter not in takers:
        able = ", ".join(sorted(takers))
        raise KitError(f"the CLI of {adapter} cannot take the shape {script.shape!r}; these can: {able}")
    if script.shape == "odd_id" and script.reported_id is None:
        raise KitError("the shape 'odd_id' needs `reported_id`, the text to report as the session id")
    if script.duration_ms < 0:
        raise KitError(f"a run cannot take {script.duration_ms} ms")
