"""A short way to ask the model server over plain HTTP, as no vendor's package does."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tck_fakes.modelserver.server import ModelServer

Json = dict[str, Any]
#: The path of each protocol, and the field that holds what was said.
PATHS = {"messages": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions"}


class UnixConnection(http.client.HTTPConnection):
    """HTTP at a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(self._path))


def connection(server: ModelServer) -> http.client.HTTPConnection:
    """Connect to a server, wherever it listens."""
    if server.url.startswith("unix:"):
        return UnixConnection(Path(server.url.removeprefix("unix:")))
    parts = urlsplit(server.url)
    return http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)


def body_of(protocol: str, *prompts: str, **more: object) -> Json:
    """Word prompts, with an answer between each two, in a protocol."""
    said: list[Json] = []
    for prompt in prompts:
        said += [{"role": "user", "content": prompt}, {"role": "assistant", "content": "Understood."}]
    said = said[:-1]
    where = "input" if protocol == "responses" else "messages"
    return {"model": "any", "max_tokens": 10, where: said, **more}


def ask(
    server: ModelServer,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
    method: str = "POST",
) -> tuple[int, str]:
    """Ask over a connection of its own; give the status and the body."""
    link = connection(server)
    try:
        said = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        link.request(method, path, said, dict(headers or {}))
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()


def say(server: ModelServer, protocol: str, *prompts: str, **more: object) -> str:
    """Say prompts in a protocol, not streaming; give the text of the answer."""
    status, answer = ask(server, PATHS[protocol], body_of(protocol, *prompts, **more))
    assert status == 200, answer
    given: Json = json.loads(answer)
    if protocol == "messages":
        return str(given["content"][0]["text"])
    if protocol == "responses":
        return str(given["output"][0]["content"][0]["text"])
    return str(given["choices"][0]["message"]["content"])
