"""The server of codex, `codex app-server`: as much of it as answers who asks for the configuration before a run.

Requests come in lines over standard input, as JSON-RPC. No thread can be started there in this stand-in: whoever asks
for one is told so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import Conversation, Err, Heard, Invocation, Listen, Out
from tck_fakes.standins.codex_words import TOP
from tck_fakes.standins.versions import DEFAULT_VERSIONS
from tck_fakes.standins.words import read_words

_NAME = "app-server"
_INVALID = -32600


def serves(argv: Sequence[str]) -> bool:
    """Tell whether the arguments ask for the server."""
    words = read_words(argv, TOP, subcommands=(_NAME,))
    return words.subcommand == _NAME and "--help" not in words.rest


def serve(call: Invocation) -> Conversation:
    """Answer until standard input ends."""
    initialized = False
    while True:
        heard = yield Listen()
        line = heard.line if isinstance(heard, Heard) else None
        if line is None:
            return 0
        try:
            said = cast("object", json.loads(line))
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            yield Err(f"{transcript.stamp(call.now)} ERROR codex_app_server_transport: what was sent is no message")
            continue
        message = cast("Mapping[str, object]", said)
        if "id" not in message:
            continue
        name = str(message.get("method"))
        known = _answers(call, message).get(name)
        if (name == "initialize") == initialized:
            answered: transcript.Entry = _error("Already initialized" if initialized else "Not initialized")
        else:
            answered = {"result": known} if known is not None else _error(f"session-tck's stand-in has no {name}")
        initialized = True if name == "initialize" else initialized
        yield Out(transcript.compact({"id": message["id"], **answered}))


def _error(text: str) -> transcript.Entry:
    return {"error": {"code": _INVALID, "message": text}}


def _answers(call: Invocation, message: Mapping[str, object]) -> dict[str, transcript.Entry]:
    """Give what is answered to each request."""
    client = transcript.inner(message, "params", "clientInfo", "name")
    home = call.environment.get("CODEX_HOME") or f"{call.home}/.codex"
    return {
        "initialize": {
            "userAgent": f"{client}/{DEFAULT_VERSIONS[AdapterId.CODEX]}",
            "codexHome": home,
            "platformFamily": "unix",
            "platformOs": "linux",
        },
        "config/read": {"config": {"model": None, "model_provider": None}, "origins": {}, "layers": []},
        "configRequirements/read": {"requirements": None},
    }
