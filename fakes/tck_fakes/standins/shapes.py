"""Which shape which CLI can take, and what the shapes have in common.

A scenario that asks a CLI for a shape it has never been seen to take would grade an engine by a fable, so the bench
refuses it as the kit's own mistake.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from tck_driver.bench import Script, Shape
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins.base import Failure, FailureKind

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

#: What the failing run of `not_found_text` talks about: a file of the repository, not a session.
NOT_FOUND_TEXT = "404 not found: ./docs/page.md"

#: Shapes in which the session was loaded, its id is named, the prompt is in the history, and the exit code is 1.
FAULTS: dict[Shape, Failure] = {
    "rate_limited": Failure("status", 429, "this request would exceed the rate limit"),
    "unauthorized": Failure("status", 401, "invalid credentials"),
    "server_error": Failure("status", 500, "internal server error"),
    "bad_request": Failure("status", 400, "messages.3: `tool_use` ids were found without `tool_result` blocks"),
    "prompt_too_long": Failure("overflow", 400, "prompt is too long: 214302 tokens > 200000 maximum"),
    "not_found_text": Failure("status", 404, NOT_FOUND_TEXT),
}

#: What the providers of some CLIs say in other words. claude and copilot put words of their own in place of what a
#: provider says with a 404, so to them it is said with a 400.
_OTHERWISE: dict[tuple[AdapterId, Shape], Failure] = {
    (_CODEX, "bad_request"): Failure("status", 400, "No tool output found"),
    (_COPILOT, "bad_request"): Failure("status", 400, "No tool output found for function call"),
    (_COPILOT, "prompt_too_long"): Failure("overflow", 400, "prompt token count of 214302 exceeds the limit of 200000"),
    (_CLAUDE, "not_found_text"): Failure("status", 400, NOT_FOUND_TEXT),
    (_COPILOT, "not_found_text"): Failure("status", 400, NOT_FOUND_TEXT),
}

#: Shapes in which the provider fails in an ordinary way, but the session named is not, or not alone, the asked one.
UNCONFIRMED: dict[Shape, Shape] = {"other_id_fails": "server_error", "two_ids_fail": "server_error"}


#: CLI → kind or status of a failure → how often it calls the model before it gives up; once where nothing is named.
_TRIES: dict[AdapterId, dict[FailureKind | int, int]] = {
    _CLAUDE: {"cut": 2, "down": 11, 401: 11, 404: 2, 429: 11, 500: 11, 529: 11},
    _CODEX: {"no_model": 1, "cut": 6, 401: 6, 403: 6, 404: 6, 429: 6, 500: 30, 529: 30},
    _OPENCODE: {"cut": 6, 429: 6, 500: 6, 529: 6},
    _COPILOT: {"cut": 6, "down": 6, 401: 3, 429: 6, 500: 6, 529: 6},
}


#: claude gives an overloaded model up sooner where there is a smaller one that it could turn to.
_GREATEST, _OVERLOADED, _SOONER = "opus", 529, 3


def tries_of(adapter: AdapterId, failure: Failure, model: str = "") -> int:
    """Give how often a CLI calls a model that fails so before it gives up."""
    if adapter is _CLAUDE and failure.status == _OVERLOADED and _GREATEST in model:
        return _SOONER
    limits = _TRIES.get(adapter, {})
    return limits.get(failure.kind) or limits.get(failure.status or 0, 1)


def failure_of(adapter: AdapterId, shape: Shape) -> Failure:
    """Give what comes of the call of a model in a shape whose provider fails."""
    meant = UNCONFIRMED.get(shape, shape)
    failure = _OTHERWISE.get((adapter, meant)) or FAULTS[meant]
    return replace(failure, tries=tries_of(adapter, failure))


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
