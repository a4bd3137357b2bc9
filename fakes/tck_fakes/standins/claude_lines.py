"""The lines that claude puts out: results, answers and what stands in their place, and the texts of its failures.

Each has the keys of the real one; what nobody reads has a value that says nothing.
"""

from __future__ import annotations

from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Failure,
    FailureKind,
    Out,
)

_UNAUTHORIZED, _OVERLOADED = 401, 529
#: Status → the result's text, where it is another than `API Error: <status> <message>`.
_STATUS_TEXTS = {
    401: "Failed to authenticate. API Error: 401 {message}",
    403: "Failed to authenticate. API Error: 403 {message}",
    404: "There's an issue with the selected model ({model}). It may not exist or you may not have access to it. "
    "Run --model to pick a different model.",
    429: "API Error: Request rejected (429) · {message}",
    500: "API Error: 500 {message}. This is a server-side issue, usually temporary — try again in a moment.{gateway}",
    529: "API Error: 529 {message}. This is a server-side issue, usually temporary — try again in a moment.{gateway}",
}
_KIND_TEXTS: dict[FailureKind, str] = {
    "overflow": "Prompt is too long",
    "down": "API Error: Unable to connect to API (ConnectionRefused)",
    "cut": "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.",
    "unready": "{message}",
}
#: What is said in place of that, of a key that is none and of the greatest model when it is overloaded.
_BAD_KEY = "Invalid API key · Fix external API key"
_REPEATED = (
    "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. "
    "Try again in a moment.{gateway}"
)
#: Failures that are told of while they are tried again, ten times at most.
RETRIED, _MOST_RETRIES = (401, 429, 500, 529), 10
#: Status → what the line of `stream-json` calls the error that stands in place of an answer.
_ERROR_NAMES = {400: "invalid_request", 401: "authentication_failed", 403: "authentication_failed", 429: "rate_limit"}
_USAGE_OF_TOKENS: dict[str, object] = {
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
    "service_tier": "standard",
    "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
    "inference_geo": "",
    "iterations": [],
    "speed": "standard",
}
_TOKENS: transcript.Entry = {"input_tokens": 5, "output_tokens": 5, **_USAGE_OF_TOKENS}
_NO_TOKENS: transcript.Entry = {"input_tokens": 0, "output_tokens": 0, **_USAGE_OF_TOKENS}
_TIMES = {"ttft_ms": 1, "ttft_stream_ms": 1, "time_to_request_ms": 1}
MODEL = "claude-opus-4-8"
_COUNTED = (
    "inputTokens",
    "outputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
    "webSearchRequests",
    "costUSD",
)


def with_id(session_id: str | None) -> dict[str, object]:
    """Give the field that names the session, where it is named."""
    return {} if session_id is None else {"session_id": session_id}


def unfound_line(session_id: str | None, text: str) -> Out:
    """Give the result of a session that was not found, which names it all the same."""
    line: dict[str, object] = {
        "type": "result",
        "subtype": "error_during_execution",
        "duration_ms": 0,
        "duration_api_ms": 0,
        "is_error": True,
        "num_turns": 0,
        "stop_reason": None,
        **with_id(session_id),
        "total_cost_usd": 0,
        "usage": _NO_TOKENS,
        "modelUsage": {},
        "permission_denials": [],
        "uuid": transcript.made_id(1),
        "errors": [text],
    }
    return Out(transcript.compact(line), session_id)


def result_line(session_id: str | None, answer: str, failure: Failure | None = None) -> Out:
    """Give the last line: a `subtype` that says success in every case, and an `is_error` that says the truth."""
    counted = dict.fromkeys(_COUNTED, 0) | {"contextWindow": 200000, "maxOutputTokens": 64000}
    line: dict[str, object] = {
        "type": "result",
        "subtype": "success",
        "is_error": failure is not None,
        "api_error_status": None if failure is None or _gave_up_early(failure) else failure.status,
        "duration_ms": 2,
        "duration_api_ms": 1 if failure is None else 0,
        **(_TIMES if failure is None else {}),
        "num_turns": 1,
        "result": answer,
        "stop_reason": "end_turn" if failure is None else "stop_sequence",
        **with_id(session_id),
        "total_cost_usd": 0,
        "usage": _TOKENS if failure is None else _NO_TOKENS,
        "modelUsage": {MODEL: counted} if failure is None else {},
        "permission_denials": [],
        "terminal_reason": "prompt_too_long" if failure is not None and failure.kind == "overflow" else "completed",
        "fast_mode_state": "off",
        "uuid": transcript.made_id(1),
    }
    return Out(transcript.compact(line), session_id)


def said_line(session_id: str | None, answer: str, failure: Failure | None = None) -> Out:
    """Give the line of `stream-json` that holds the answer, or what stands in its place."""
    message: dict[str, object] = {
        "id": "msg_1" if failure is None else transcript.made_id(3),
        "type": "message",
        "role": "assistant",
        "model": MODEL if failure is None else "<synthetic>",
        "content": [{"type": "text", "text": answer}],
        "stop_reason": None if failure is None else "stop_sequence",
        "stop_sequence": None if failure is None else "",
        "usage": _TOKENS if failure is None else _NO_TOKENS,
        "context_management": None,
    }
    if failure is not None:
        message |= {"container": None, "stop_details": None}
    line: dict[str, object] = {
        "type": "assistant",
        "message": message,
        "parent_tool_use_id": None,
        **with_id(session_id),
        "uuid": transcript.made_id(2),
        **({} if failure is None else {"error": _ERROR_NAMES.get(failure.status or 0, "server_error")}),
    }
    return Out(transcript.compact(line), session_id)


def retry_line(number: int, failure: Failure) -> dict[str, object]:
    """Give the line that tells of one more call of the model."""
    return {
        "subtype": "api_retry",
        "attempt": number,
        "max_retries": _MOST_RETRIES,
        "retry_delay_ms": 500,
        "error_status": failure.status,
        "error": _ERROR_NAMES.get(failure.status or 0, "server_error"),
    }


def failure_text(failure: Failure, model: str) -> str:
    """Give what is said of a failure."""
    form = _KIND_TEXTS.get(failure.kind) or _STATUS_TEXTS.get(failure.status or 0, "API Error: {status} {message}")
    if failure.status == _UNAUTHORIZED and "x-api-key" in failure.message:
        return _BAD_KEY
    if _gave_up_early(failure):
        form = _REPEATED
    gateway = f" If it persists, check your inference gateway ({_host(failure.at)})." if failure.at else ""
    return form.format(status=failure.status, message=failure.message, model=model, gateway=gateway)


def _gave_up_early(failure: Failure) -> bool:
    """Tell whether it was an overloaded model that has a smaller one beside it."""
    return failure.status == _OVERLOADED and failure.tries <= _MOST_RETRIES


def _host(url: str) -> str:
    """Give the field that names the session, where it is named."""
    return url.partition("://")[2].partition("/")[0] or url
