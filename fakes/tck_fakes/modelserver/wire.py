"""What the three protocols have in common: an answer to be worded, a frame of a stream, and the reading of texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from tck_fakes.modelserver.asked import Protocol, Turn
from tck_fakes.modelserver.faults import Fault

Json = dict[str, Any]

#: How long the context of the models here is said to be, in tokens, and how long an overflowing history was.
CONTEXT, OVERFLOW = 200_000, 200_117
#: What CLIs put around their own additions to the words of a user.
_ADDITIONS: Final = (
    "system-reminder",
    "environment_context",
    "user_instructions",
    "turn_aborted",
    "current_datetime",
    "reminder",
)
#: How a whole text begins that is none of the user's, though it is sent as if it were.
_ADDED: Final = (
    "# AGENTS.md instructions",
    "Another language model started to solve this problem and produced a summary",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is to be answered, before it has the form of a protocol."""

    number: int
    model: str
    text: str
    #: Estimated, as whoever pays by them would see them.
    tokens_in: int
    #: Seconds since 1970.
    created: int

    @property
    def tokens_out(self) -> int:
        """Estimate the length of the answer."""
        return tokens(self.text)

    def name(self, kind: str) -> str:
        """Give the answer, or a part of it, an id in the style of the vendors."""
        return f"{kind}_tck{self.number:021d}"

    def parts(self) -> Iterator[str]:
        """Cut the text as a model says it."""
        words = self.text.split(" ")
        for index in range(0, len(words), 3):
            yield ("" if index == 0 else " ") + " ".join(words[index : index + 3])


@dataclass(frozen=True, slots=True)
class Wire:
    """One protocol: how its requests are read, and how answers and failures are worded in it."""

    protocol: Protocol
    #: What the user and the rest said. Raises `ValueError` for what is no request.
    turns: Callable[[Json], tuple[Turn, ...]]
    whole: Callable[[Answer], Json]
    events: Callable[[Answer, Json], Iterator[bytes]]
    #: An error of a status, with what is to be said of it.
    refusal: Callable[[int, str], Json]
    failure: Callable[[Fault, str], Json]
    #: The stream of an overflow, in a protocol in which that is no status.
    overflow: Callable[[Answer], Iterator[bytes]] | None = None


def frame(data: Json, event: str | None = None) -> bytes:
    """Give one event of a stream."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode("ascii")


def tokens(text: str) -> int:
    """Estimate the tokens of a text."""
    return max(1, len(text) // 4)


def model_of(body: Json) -> str:
    """Give the model that is asked for. Raises `ValueError` where there is none."""
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise ValueError("model: Field required")
    return model


def list_of(body: Json, field: str) -> list[Json]:
    """Give a list of objects. Raises `ValueError` for anything else."""
    value: object = body.get(field)
    items = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(item, dict) for item in items):
        raise ValueError(f"{field}: Input should be a valid list of objects")
    return cast("list[Json]", items)


def texts(content: object) -> Iterator[tuple[str, str]]:
    """Give the texts of a message's content, each with the type of its block; no deeper than a tool's result."""
    if isinstance(content, str):
        yield "text", content
    elif isinstance(content, list):
        for block in cast("list[object]", content):
            if isinstance(block, str):
                yield "text", block
            elif isinstance(block, dict):
                inside = cast("Json", block)
                if inside.get("type") == "tool_result":
                    yield "tool_result", _flat(inside.get("content"))
                elif isinstance(inside.get("text"), str):
                    yield str(inside.get("type")), inside["text"]


def _flat(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    found = (cast("Json", block).get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in found if isinstance(text, str))


def said(role: str, found: Iterable[tuple[str, str]]) -> Iterator[Turn]:
    """Give the turns of one message; of a user's words, what a CLI added by itself is told apart."""
    for kind, text in found:
        if kind == "tool_result":
            yield Turn("tool", text)
        elif role == "user":
            own, added = apart(text)
            yield from (Turn("context", one) for one in added)
            if own:
                yield Turn("user", own)
        else:
            yield Turn({"developer": "system"}.get(role, role), text)


def apart(text: str) -> tuple[str, tuple[str, ...]]:
    """Tell a user's own words from what a CLI put around them."""
    if text.startswith(_ADDED):
        return "", (text,)
    added: list[str] = []
    for tag in _ADDITIONS:
        opening, closing, at = f"<{tag}>", f"</{tag}>", 0
        kept: list[str] = []
        while (begin := text.find(opening, at)) >= 0 and (end := text.find(closing, begin)) >= 0:
            end += len(closing)
            kept.append(text[at:begin])
            added.append(text[begin:end])
            at = end
        text = "".join([*kept, text[at:]])
    return text.strip() if added else text, tuple(added)
