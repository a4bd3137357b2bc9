"""Anthropic's Messages protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tck_fakes.modelserver.asked import Turn
from tck_fakes.modelserver.faults import STATUS, Fault
from tck_fakes.modelserver.wire import CONTEXT, OVERFLOW, Answer, Json, Wire, frame, list_of, model_of, said, texts

#: The type of an error by its status.
_TYPES: Final[Mapping[int, str]] = MappingProxyType(
    {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        500: "api_error",
        529: "overloaded_error",
    }
)
_SAID: Final[Mapping[Fault, str]] = MappingProxyType(
    {
        "401": "invalid x-api-key",
        "403": "Your API key does not have permission to use the specified resource.",
        "429": "This request would exceed your account's rate limit. Please try again later.",
        "500": "Internal server error",
        "529": "Overloaded",
        "overflow": f"prompt is too long: {OVERFLOW} tokens > {CONTEXT} maximum",
    }
)


def _turns(body: Json) -> tuple[Turn, ...]:
    model_of(body)
    found = [Turn("system", text) for _, text in texts(body.get("system"))]
    for message in list_of(body, "messages"):
        found.extend(said(str(message.get("role")), texts(message.get("content"))))
    return tuple(found)


def _whole(answer: Answer) -> Json:
    return {
        **_message(answer),
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": "end_turn",
        "usage": _usage(answer, answer.tokens_out),
    }


def _events(answer: Answer, _body: Json) -> Iterator[bytes]:
    for data in _stream(answer):
        yield frame(data, data["type"])


def _stream(answer: Answer) -> Iterator[Json]:
    yield {"type": "message_start", "message": _message(answer)}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "ping"}
    for part in answer.parts():
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": part}}
    yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": _usage(answer, answer.tokens_out),
    }
    yield {"type": "message_stop"}


def _message(answer: Answer) -> Json:
    return {
        "id": answer.name("msg"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(answer, 1),
    }


def _usage(answer: Answer, out: int) -> Json:
    return {
        "input_tokens": answer.tokens_in,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": out,
    }


def _refusal(status: int, why: str) -> Json:
    return {
        "type": "error",
        "error": {"type": _TYPES.get(status, "api_error"), "message": why},
        "request_id": "req_tck000000000000000000000",
    }


def _failure(fault: Fault, model: str) -> Json:
    return _refusal(STATUS[fault], _SAID.get(fault, f"model: {model}"))


MESSAGES: Final = Wire("messages", _turns, _whole, _events, _refusal, _failure)
