"""The events that copilot puts out before and after the model's call, and what it says of failures."""

from __future__ import annotations

from collections.abc import Sequence

from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Err,
    Failure,
    FailureKind,
    Invocation,
    Line,
    Out,
    Request,
)

RATE_LIMIT, _BAD_REQUEST = 429, 400
TRANSIENT = "Request failed due to a transient API error. Retrying..."
INTERRUPTED = "Response was interrupted due to a server error. Retrying..."
#: Status → the session error's type and text, where they are others than `query` and `<status> <message>`.
_STATUS_TEXTS = {
    401: ("authentication", "Authentication failed with provider{at} (HTTP 401).{keys}"),
    403: ("authentication", "Authentication failed with provider{at} (HTTP 403).{keys}"),
    404: (
        "query",
        "Model '{model}' not found on provider{at} (HTTP 404).\n  Check that the model is available on your provider.",
    ),
    429: ("rate_limit", "{retried} 429 {message}"),
    500: ("query", "{retried} 500 {message}"),
    529: ("query", "{retried} 529 {message}"),
}
_BROKEN = "error decoding response body: error reading a body from connection: unexpected EOF during chunk size line"
_KIND_TEXTS: dict[FailureKind, tuple[str, str]] = {
    "overflow": ("query", "400 {message}"),
    "down": (
        "query",
        "Could not connect to local model provider{at}.\n  Check that the service is running and the port is correct.",
    ),
    "cut": ("query", "{retried} Failed native model HTTP request: " + _BROKEN),
}
_RETRIED = (
    "Failed to get response from the AI model; retried {tries} times (total retry wait time: 5.00 seconds) Last error:"
)
_KEYS = "\n  Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN."


def failure_text(failure: Failure, model: str) -> tuple[str, str]:
    """Give what is said of a failure."""
    told = _KIND_TEXTS.get(failure.kind) or _STATUS_TEXTS.get(failure.status or 0, ("query", "{status} {message}"))
    at = f" at {failure.at}" if failure.at else ""
    retried = _RETRIED.format(tries=failure.tries - 1)
    return told[0], told[1].format(
        at=at, keys=_KEYS, model=model, retried=retried, status=failure.status, message=failure.message
    )


#: An event's type, and what it tells.
Told = tuple[str, transcript.Entry]
MODEL = "gpt-5"
MESSAGE = transcript.made_id(3)
TURN = {"turnId": "0", "interactionId": transcript.made_id(2)}
_NO_TYPES: tuple[str, ...] = ()
#: Events that are kept in the session's file; the others are only shown.
_KEPT = ("user.message", "assistant.turn_start", "assistant.message", "assistant.turn_end", "session.error")


def event_lines(call: Invocation, told: Sequence[Told]) -> tuple[Line, ...]:
    """Give events as lines, each with the fields that all of them have."""
    lines: list[Line] = []
    for number, (kind, data) in enumerate(told):
        line = {"type": kind, "data": data} | ({} if kind in _KEPT else {"ephemeral": True})
        line |= {"id": transcript.made_id(number), "timestamp": transcript.stamp(call.now)}
        lines.append(Out(transcript.compact(line | {"parentId": transcript.made_id(0)})))
    return tuple(lines)


def prompt_events(call: Invocation, asked: Request) -> list[Told]:
    """Give the events up to the model's call."""
    content = {"content": asked.prompt, "transformedContent": asked.prompt, "messageId": transcript.made_id(1)}
    return [
        ("session.skills_loaded", {"skills": []}),
        ("session.mcp_servers_loaded", {"servers": []}),
        ("session.tools_updated", {"model": call.model or MODEL}),
        ("user.message", content | {"supportedNativeDocumentMimeTypes": _NO_TYPES, "delivery": "idle", **TURN}),
        ("assistant.turn_start", TURN),
        call_start(call),
    ]


def call_start(call: Invocation) -> Told:
    """Give the event of the model's call."""
    return ("model.call_start", {"turnId": "0", "model": call.model or MODEL})


def message_begun(answer: str) -> list[Told]:
    """Give the events with which an answer comes in."""
    delta = {"messageId": MESSAGE, "deltaContent": answer}
    return [("assistant.message_start", {"messageId": MESSAGE}), ("assistant.message_delta", delta)]


def call_broken(call: Invocation, failure: Failure) -> list[Told]:
    """Give the events of one call that failed."""
    kind = "transport" if failure.status is None else "api"
    status = {} if failure.status is None else {"statusCode": failure.status}
    told = {
        "model": call.model or MODEL,
        **status,
        "durationMs": 1,
        "failureKind": kind,
        "errorMessage": failure.message,
    }
    begun = message_begun("") if failure.kind == "cut" else []
    return [
        *begun,
        ("model.call_failure", told | {"errorMessage": failure.message}),
        ("model.call_finished", call_finished("error")),
    ]


def call_finished(outcome: str) -> transcript.Entry:
    """Give what is told of a call that has ended."""
    return {**TURN, "dispatchDurationMs": 1, "outcome": outcome, "editClassifierVersion": 1}


def call_result(call: Invocation, result: str) -> transcript.Entry:
    """Give what is told of the last call."""
    return {"model": call.model or MODEL, "isByok": call.alone, "result": result}


def how_it_ended(failure: Failure) -> str:
    """Give copilot's word for how the last call ended."""
    if failure.status is None:
        return "transport_error"
    return "http_400" if failure.status == _BAD_REQUEST else f"http_{failure.status // 100}xx"


def summary_lines(names: Sequence[str]) -> tuple[Line, ...]:
    """Give what a run without JSON ends with, on standard error."""
    resume = f"\nResume     copilot --resume={names[0]}" if names else ""
    return (Err(f"\n\nChanges    +0 -0\nDuration   1s\nTokens     ↑ 5 • ↓ 5{resume}\n"),)


def result_line(call: Invocation, session_id: str, exit_code: int) -> Out:
    """Give what is said of a failure."""
    changes: dict[str, object] = {"linesAdded": 0, "linesRemoved": 0, "filesModified": []}
    line: dict[str, object] = {
        "type": "result",
        "timestamp": transcript.stamp(call.now),
        "sessionId": session_id,
        "exitCode": exit_code,
        "usage": {"premiumRequests": 0, "totalApiDurationMs": 1, "sessionDurationMs": 1, "codeChanges": changes},
    }
    return Out(transcript.compact(line), session_id)
