"""Dialogues with claude over its standard input: the stand-in puts out what the real one does, line for line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

import pytest
from tests.real import real_cli

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.arena import arena
from tck_kit.probe.configured import CONFIGURED
from tck_kit.probe.run_of_cli import Start
from tck_kit.probe.subject import Subject, installed, stand_in

#: Seconds for a run, on a machine that has other things to do.
LIMIT = 180.0
CLAUDE = AdapterId.CLAUDE_CODE
SDK = ("--output-format", "stream-json", "--verbose", "--input-format", "stream-json")
UNKNOWN = "11111111-1111-4111-8111-111111111111"


def user(text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {"type": "user", "message": {"role": "user", "content": content}, "session_id": ""}


def request(kind: str, **more: object) -> dict[str, object]:
    return {"type": "control_request", "request_id": kind, "request": {"subtype": kind, **more}}


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a dialogue, without what is never the same twice."""

    code: int | None
    lines: tuple[object, ...]
    errors: str


def shape(line: dict[str, Any]) -> object:
    """Give a line's type, its parts by name, and the outcome of what was asked."""
    inner = line.get("response", {})
    answer = inner.get("response")
    return (
        line["type"],
        line.get("subtype"),
        line.get("state"),
        line.get("is_error"),
        tuple(sorted({*line} - {"timestamp"})),
        (inner.get("subtype"), inner.get("request_id"), tuple(sorted(answer or ())), tuple(sorted(inner))),
        line.get("session_id") == UNKNOWN,
    )


def held(subject: Subject, argv: tuple[str, ...], messages: tuple[object, ...], **environment: str) -> Came:
    stdin = "".join(f"{message if isinstance(message, str) else json.dumps(message)}\n" for message in messages)
    with arena(subject) as place:
        start = Start(("claude", *SDK, *argv), stdin=stdin, environment=environment, limit=LIMIT)
        ended = place.run(start)
    lines = [cast("dict[str, Any]", json.loads(line)) for line in ended.stdout.splitlines()]
    # What is wrong with a line is told in the words of a reader of JSON, of which there are many.
    return Came(ended.exit_code, tuple(map(shape, lines)), ended.stderr.partition("Error: JSON")[0])


CASES: dict[str, tuple[tuple[str, ...], tuple[object, ...], dict[str, str]]] = {
    "two prompts": ((), (request("initialize"), user("first"), user("second")), {}),
    "no such session": (("--resume", UNKNOWN), (request("initialize"), user("first")), {}),
    "requests": ((), (request("mcp_status"), request("get_settings"), request("interrupt"), request("nonsense")), {}),
    "no input": ((), (), {}),
    "no json": ((), ("not json",), {}),
    "another role": ((), ({"type": "user", "message": {"role": "assistant", "content": "x"}},), {}),
    "what is passed over": ((), ({"type": "keep_alive"}, {"type": "odd"}, user("first")), {}),
    "said again": (("--replay-user-messages",), (user("first"),), {}),
    "beginning and end": ((), (user("first"),), {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_dialogue_with_the_stand_in_is_one_with_the_real_cli(case: str) -> None:
    real = installed(CLAUDE, str(real_cli(CONFIGURED[CLAUDE].program)))
    argv, messages, environment = CASES[case]
    seen = held(real, argv, messages, **environment)
    assert held(stand_in(CLAUDE), argv, messages, **environment) == seen
    assert (seen.lines or seen.errors) or case == "no input"
