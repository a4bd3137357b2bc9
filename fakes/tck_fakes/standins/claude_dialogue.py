"""A dialogue with claude over its standard input: prompts and requests come in lines, as the vendor's SDK sends them.

Measured on 2.1.197 with `--input-format stream-json`. Requests are answered at any time, also before there is a prompt.
A session that is not there ends it at once: no line is read and no request answered, so an SDK that waits for its first
answer hears of the end alone. After a turn it waits for the next prompt, and ends with the exit code of the last turn
once its standard input does.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from typing import cast

from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Cli,
    Err,
    Event,
    Heard,
    Invocation,
    Listen,
    Out,
    Request,
    Stop,
    Word,
)
from tck_fakes.standins.claude_lines import MODEL, with_id

#: Runs until there is a prompt; None where the input ended before that.
Awaiting = Generator[Event, "Word | Heard | None", "str | Stop | None"]

_DEFAULT: transcript.Entry = {"value": "default", "displayName": "Default", "description": ""}
#: Request → what it is answered with; nothing besides the success where that is None.
_ANSWERS: dict[str, transcript.Entry | None] = {
    "initialize": {
        "commands": [],
        "agents": [],
        "output_style": "default",
        "available_output_styles": ["default"],
        "models": [_DEFAULT],
        "account": {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"},
        "pid": 1,
    },
    "get_settings": {"effective": {}, "sources": [], "applied": {"model": MODEL, "effort": "high"}},
    "mcp_status": {"mcpServers": []},
    "mcp_set_servers": {"added": [], "removed": [], "errors": {}},
    "get_context_usage": {"categories": [], "totalTokens": 0, "maxTokens": 200000, "percentage": 0},
    "interrupt": None,
    "set_model": None,
    "set_max_thinking_tokens": None,
}


def overture(
    cli: Cli, call: Invocation, asked: Request
) -> Generator[Event, Word | Heard | None, Request | Stop | None]:
    """Come to the first prompt, and give what is asked with it; a session that is not there is not waited for."""
    if isinstance(cli.open(call, asked), Stop):
        return asked
    prompt = yield from awaited()
    return replace(asked, prompt=prompt) if isinstance(prompt, str) else prompt


def awaited() -> Awaiting:
    """Read lines until one of them is a prompt, and answer the requests among them."""
    while True:
        heard = yield Listen()
        line = heard.line if isinstance(heard, Heard) else None
        if line is None:
            return None
        if not line.strip():
            continue
        try:
            said = cast("object", json.loads(line))
        except (ValueError, RecursionError):
            return _unread(line, "SyntaxError: JSON Parse error")
        message: transcript.Entry = cast("transcript.Entry", said) if isinstance(said, dict) else {}
        if message.get("type") == "user":
            return _prompt(line, message)
        if message.get("type") == "control_request":
            yield Out(transcript.compact(_answer(message)))


def replayed(prompt: str, session_id: str | None) -> Out:
    """Give the line that says a prompt again, for whoever wants to see that it has arrived."""
    message = {"role": "user", "content": [{"type": "text", "text": prompt}]}
    line = {
        "type": "user",
        "message": message,
        **with_id(session_id),
        "parent_tool_use_id": None,
        "uuid": transcript.made_id(6),
    }
    return Out(transcript.compact({**line, "isReplay": True}), session_id)


def changed(call: Invocation, asked: Request, state: str, session_id: str | None) -> tuple[Out, ...]:
    """Give the line that says that a turn begins or is over, where the environment asks for it."""
    if not asked.converses or call.environment.get("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") != "1":
        return ()
    line = {"type": "system", "subtype": "session_state_changed", "state": state, "uuid": transcript.made_id(7)}
    return (Out(transcript.compact({**line, **with_id(session_id)}), session_id),)


def _prompt(line: str, message: transcript.Entry) -> str | Stop:
    inner = message.get("message")
    if not isinstance(inner, dict):
        return _unread(line, "TypeError: undefined is not an object")
    role = transcript.inner(message, "message", "role")
    if role != "user":
        return Stop((Err(f"Error: Expected message role 'user', got '{role}'"),), 1)
    return transcript.texts(transcript.inner(message, "message", "content"))


def _unread(line: str, why: str) -> Stop:
    return Stop((Err(f"Error parsing streaming input line: {line}: {why}"),), 1)


def _answer(message: transcript.Entry) -> transcript.Entry:
    """Answer a request."""
    number, kind = message.get("request_id"), str(transcript.inner(message, "request", "subtype"))
    base: transcript.Entry = {"request_id": number}
    if kind == "set_permission_mode":
        answered: transcript.Entry | None = {"mode": transcript.inner(message, "request", "mode")}
    elif kind in _ANSWERS:
        answered = _ANSWERS[kind]
    else:
        error = f"Unsupported control request subtype: {kind}"
        return {"type": "control_response", "response": {"subtype": "error", **base, "error": error}}
    more = {} if answered is None else {"response": answered}
    return {"type": "control_response", "response": {"subtype": "success", **base, **more}}
