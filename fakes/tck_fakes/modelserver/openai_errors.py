"""The errors of OpenAI's two protocols, which have one form."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tck_fakes.modelserver.faults import Fault
from tck_fakes.modelserver.wire import Json

_SERVER: Final = "The server had an error while processing your request. Sorry about that!"
#: Message, type and code of each failure. Of the rest nothing is known but their status.
_SAID: Final[Mapping[Fault, tuple[str, str, str | None]]] = MappingProxyType(
    {
        "401": ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
        "403": ("You are not allowed to use this model.", "invalid_request_error", "model_not_allowed"),
        "404": ("The model '{model}' does not exist or you do not have access to it.", "invalid_request_error",
                "model_not_found"),
        "429": ("Rate limit reached for {model} on requests per min. Please try again in 1s.", "requests",
                "rate_limit_exceeded"),
        "500": (_SERVER, "server_error", None),
        "529": ("The model is currently overloaded with other requests.", "server_error", "overloaded"),
    }
)  # fmt: skip


def openai_refusal(status: int, why: str) -> Json:
    """Word an error of a status."""
    kind = "invalid_request_error" if status < 500 else "server_error"  # noqa: PLR2004 -- HTTP's own border
    return _error(why, kind, None, None)


def openai_failure(fault: Fault, model: str, overflow: str, param: str) -> Json:
    """Word a failure; of an overflow the two protocols say different things."""
    if fault == "overflow":
        return _error(overflow, "invalid_request_error", "context_length_exceeded", param)
    message, kind, code = _SAID[fault]
    return _error(message.replace("{model}", model), kind, code, None)


def _error(message: str, kind: str, code: str | None, param: str | None) -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
