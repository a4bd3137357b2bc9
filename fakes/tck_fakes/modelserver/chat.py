"""OpenAI's Chat Completions protocol, which many other vendors speak too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tck_fakes.modelserver.asked import Turn
from tck_fakes.modelserver.faults import Fault
from tck_fakes.modelserver.openai_errors import openai_failure, openai_refusal
from tck_fakes.modelserver.wire import CONTEXT, OVERFLOW, Answer, Json, Wire, frame, list_of, model_of, said, texts

_OVERFLOW: Final = (
    f"This model's maximum context length is {CONTEXT} tokens. However, your messages resulted in {OVERFLOW} tokens. "
    "Please reduce the length of the messages."
)


def _turns(body: Json) -> tuple[Turn, ...]:
    model_of(body)
    found: list[Turn] = []
    for message in list_of(body, "messages"):
        found.extend(said(str(message.get("role")), texts(message.get("content"))))
    return tuple(found)


def _whole(answer: Answer) -> Json:
    message: Json = {"role": "assistant", "content": answer.text, "refusal": None, "annotations": []}
    choice: Json = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {**_head(answer, "chat.completion"), "choices": [choice], "usage": _usage(answer)}


def _events(answer: Answer, body: Json) -> Iterator[bytes]:
    options = body.get("stream_options")
    counted = isinstance(options, dict) and bool(options.get("include_usage"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] -- JSON
    head = _head(answer, "chat.completion.chunk")
    if counted:
        head["usage"] = None
    yield frame({**head, "choices": [_choice({"role": "assistant", "content": ""})]})
    for part in answer.parts():
        yield frame({**head, "choices": [_choice({"content": part})]})
    yield frame({**head, "choices": [_choice({}, "stop")]})
    if counted:
        yield frame({**head, "choices": [], "usage": _usage(answer)})
    yield b"data: [DONE]\n\n"


def _choice(delta: Json, finish: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _head(answer: Answer, kind: str) -> Json:
    return {
        "id": answer.name("chatcmpl"),
        "object": kind,
        "created": answer.created,
        "model": answer.model,
        "service_tier": "default",
        "system_fingerprint": "fp_tck",
    }


def _usage(answer: Answer) -> Json:
    return {
        "prompt_tokens": answer.tokens_in,
        "completion_tokens": answer.tokens_out,
        "total_tokens": answer.tokens_in + answer.tokens_out,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _failure(fault: Fault, model: str) -> Json:
    return openai_failure(fault, model, _OVERFLOW, "messages")


CHAT: Final = Wire("chat", _turns, _whole, _events, openai_refusal, _failure)
