"""OpenAI's Responses protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tck_fakes.modelserver.asked import Turn
from tck_fakes.modelserver.faults import Fault
from tck_fakes.modelserver.openai_errors import openai_failure, openai_refusal
from tck_fakes.modelserver.wire import Answer, Json, Wire, frame, list_of, model_of, said, texts

_OVERFLOW: Final = "Your input exceeds the context window of this model. Please adjust your input and try again."


def _turns(body: Json) -> tuple[Turn, ...]:
    model_of(body)
    # Nothing is kept here, and an answer that pretends to know a history would prove nothing.
    if body.get("previous_response_id"):
        raise ValueError(f"Previous response with id '{body['previous_response_id']}' not found.")
    if body.get("conversation"):
        raise ValueError("Conversation not found.")
    found = [Turn("system", text) for _, text in texts(body.get("instructions"))]
    if isinstance(body.get("input"), str):
        return (*found, *said("user", texts(body["input"])))
    for item in list_of(body, "input"):
        kind = item.get("type", "message")
        if kind == "message":
            found.extend(said(str(item.get("role")), texts(item.get("content"))))
        elif str(kind).endswith("_output"):
            found.append(Turn("tool", "\n".join(text for _, text in texts(item.get("output")))))
    return tuple(found)


def _whole(answer: Answer) -> Json:
    return _response(answer, "completed", [_item(answer, "completed", [_part(answer.text)])])


def _events(answer: Answer, _body: Json) -> Iterator[bytes]:
    yield from _numbered(_stream(answer))


def _numbered(stream: Iterator[Json]) -> Iterator[bytes]:
    for number, data in enumerate(stream):
        yield frame({**data, "sequence_number": number}, data["type"])


def _stream(answer: Answer) -> Iterator[Json]:
    at: Json = {"item_id": answer.name("msg"), "output_index": 0, "content_index": 0}
    done = _item(answer, "completed", [_part(answer.text)])
    yield from _begun(answer)
    yield {"type": "response.output_item.added", "output_index": 0, "item": _item(answer, "in_progress", [])}
    yield {"type": "response.content_part.added", **at, "part": _part("")}
    for part in answer.parts():
        yield {"type": "response.output_text.delta", **at, "delta": part, "logprobs": []}
    yield {"type": "response.output_text.done", **at, "text": answer.text, "logprobs": []}
    yield {"type": "response.content_part.done", **at, "part": _part(answer.text)}
    yield {"type": "response.output_item.done", "output_index": 0, "item": done}
    yield {"type": "response.completed", "response": _response(answer, "completed", [done])}


def _overflow(answer: Answer) -> Iterator[bytes]:
    """Fail as the vendor does: the stream begins, says an error, and its response has failed."""
    failed = _response(answer, "failed", [])
    failed["error"] = {"code": "context_length_exceeded", "message": _OVERFLOW}
    ended: list[Json] = [{"type": "error", **_failure("overflow", answer.model)}]
    yield from _numbered(iter([*_begun(answer), *ended, {"type": "response.failed", "response": failed}]))


def _begun(answer: Answer) -> Iterator[Json]:
    for event in ("created", "in_progress"):
        yield {"type": f"response.{event}", "response": _response(answer, "in_progress", [])}


def _item(answer: Answer, status: str, content: list[Json]) -> Json:
    return {
        "id": answer.name("msg"),
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }


def _part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response(answer: Answer, status: str, output: list[Json]) -> Json:
    usage: dict[str, Any] | None = None
    if status == "completed":
        usage = {
            "input_tokens": answer.tokens_in,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": answer.tokens_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answer.tokens_in + answer.tokens_out,
        }
    return {
        "id": answer.name("resp"),
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage,
    }


def _failure(fault: Fault, model: str) -> Json:
    return openai_failure(fault, model, _OVERFLOW, "input")


RESPONSES: Final = Wire("responses", _turns, _whole, _events, openai_refusal, _failure, _overflow)
