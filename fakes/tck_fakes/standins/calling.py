"""Calls a model as a CLI does: its protocol, streaming, and as many tries as the real one was seen to make.

HTTP over a socket, by hand: the library's client takes longer to import than a stand-in runs. A try follows the last
one at once; how long the real CLIs wait between two tries is no part of their likeness that anybody could want.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

from tck_driver.vocabulary import AdapterId
from tck_fakes.standins.base import Failure, FailureKind, Spoken, Word
from tck_fakes.standins.provider import PATHS, Protocol, Provider
from tck_fakes.standins.shapes import tries_of
from tck_fakes.standins.transcript import Entry, inner

_OK = 200
_NO_MODEL = "model_not_found"
_OVERFLOWS = ("context_length_exceeded", "prompt is too long", "exceeds the limit of", "maximum context length")


class _BrokenOffError(Exception):
    """The provider closed the connection before its answer was whole."""


def ask(adapter: AdapterId, to: Provider, said: Sequence[Spoken]) -> Word:
    """Call the model until it answers or the CLI would give up."""
    if to.unready:
        return Word(failure=Failure("unready", message=to.unready))
    failure, tries = None, 0
    while True:
        answer = _once(to, said)
        tries += 1
        if isinstance(answer, str):
            return Word(answer, failure)
        failure = replace(answer, tries=tries)
        if tries >= tries_of(adapter, failure, to.model):
            return Word(failure=failure)


def ask_title(to: Provider, prompt: Spoken) -> None:
    """Have the model give the session a title, whatever comes of it."""
    if not to.unready:
        _once(to, [Spoken("user", prompt.text)], "You are a title generator. You output ONLY a thread title.")


def _once(to: Provider, said: Sequence[Spoken], system: str = "") -> str | Failure:
    try:
        status, data = _post(to, json.dumps(_body(to, said, system)).encode())
    except _BrokenOffError:
        return Failure("cut", at=to.base)
    except OSError:
        return Failure("down", at=to.base)
    text = data.decode("utf-8", "replace")
    if status != _OK:
        return _failure(to, status, text)
    broken = next((event for event in _events(text) if event.get("type") == "response.failed"), None)
    if broken is not None:
        return _failure(to, None, json.dumps(broken.get("response")))
    answer = "".join(_pieces(to.protocol, text))
    return answer if _whole(to.protocol, text) else Failure("cut", at=to.base)


def _failure(to: Provider, status: int | None, text: str) -> Failure:
    try:
        told = cast("object", json.loads(text))
    except ValueError:
        told = {}
    message = inner(cast("Entry", told), "error", "message") if isinstance(told, dict) else None
    shown = str(message) if message is not None else text
    kind: FailureKind = "no_model" if _NO_MODEL in text else "status"
    if any(word in text for word in _OVERFLOWS):
        kind = "overflow"
    return Failure(kind, status, shown, text, to.base)


def _body(to: Provider, said: Sequence[Spoken], system: str) -> Entry:
    turns: list[dict[str, str]] = [{"role": turn.role, "content": turn.text} for turn in said]
    if system:
        turns.insert(0, {"role": "system", "content": system})
    match to.protocol:
        case "messages":
            return {"model": to.model, "max_tokens": 32000, "stream": True, "messages": turns}
        case "responses":
            kinds = {"user": "input_text", "assistant": "output_text"}
            items = [
                {"type": "message", "role": turn.role, "content": [{"type": kinds[turn.role], "text": turn.text}]}
                for turn in said
            ]
            return {"model": to.model, "stream": True, "store": False, "input": items}
        case "chat":
            return {"model": to.model, "stream": True, "messages": turns}


def _pieces(protocol: Protocol, text: str) -> Iterator[str]:
    """Give the pieces of text that a stream of events holds."""
    for event in _events(text):
        match protocol:
            case "messages":
                piece = inner(event, "delta", "text") if event.get("type") == "content_block_delta" else None
            case "responses":
                piece = event.get("delta") if event.get("type") == "response.output_text.delta" else None
            case "chat":
                choices = event.get("choices")
                many = cast("list[Entry]", choices) if isinstance(choices, list) else []
                piece = inner(many[0], "delta", "content") if many else None
        if isinstance(piece, str):
            yield piece


#: What the last event of a whole answer is.
_LAST: dict[Protocol, str] = {"messages": "message_stop", "responses": "response.completed", "chat": ""}


def _whole(protocol: Protocol, text: str) -> bool:
    if protocol == "chat":
        return "data: [DONE]" in text
    return any(event.get("type") == _LAST[protocol] for event in _events(text))


def _events(text: str) -> Iterator[Entry]:
    for line in text.splitlines():
        if not line.startswith("data:"):
            continue
        try:
            event = cast("object", json.loads(line[5:]))
        except ValueError:
            continue
        if isinstance(event, dict):
            yield cast("Entry", event)


# HTTP


@dataclass(frozen=True, slots=True)
class _Address:
    host: str
    port: int
    path: str
    #: A unix socket in place of host and port.
    socket: str = ""


def _address(url: str) -> _Address:
    if url.startswith("unix:"):
        return _Address("localhost", 0, "", url.removeprefix("unix:"))
    scheme, _, rest = url.partition("://")
    if scheme != "http":
        raise OSError(f"nothing but loopback is ever called, so {scheme} is never reached")
    where, slash, path = rest.partition("/")
    host, _, port = where.partition(":")
    return _Address(host, int(port or "80"), (slash + path).rstrip("/"))


def _connected(address: _Address) -> socket.socket:
    if not address.socket:
        return socket.create_connection((address.host, address.port))
    link = socket.socket(socket.AF_UNIX)
    link.connect(address.socket)
    return link


def _post(to: Provider, body: bytes) -> tuple[int, bytes]:
    """Send a request, and give status and body of the answer. Raises `OSError` where nothing answers at all."""
    address = _address(to.base)
    head = {
        "host": f"{address.host}:{address.port}",
        "content-type": "application/json",
        "accept": "text/event-stream",
        "content-length": str(len(body)),
        "connection": "close",
        **to.headers,
    }
    lines = [f"POST {address.path}{PATHS[to.protocol]} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    with _connected(address) as link, link.makefile("rb") as answer:
        link.sendall("\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body)
        first = answer.readline().split(None, 2)
        if len(first) < 2:  # noqa: PLR2004 -- version and status
            raise ConnectionResetError
        return int(first[1]), _read(answer)


def _read(answer: BinaryIO) -> bytes:
    """Read headers and body. Raises `_BrokenOffError` where less comes than was said."""
    headers: dict[str, str] = {}
    while (line := answer.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    try:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(_chunks(answer))
        length = headers.get("content-length")
        data = answer.read() if length is None else answer.read(int(length))
    except OSError as error:
        raise _BrokenOffError from error
    if length is not None and len(data) < int(length):
        raise _BrokenOffError
    return data


def _chunks(answer: BinaryIO) -> Iterator[bytes]:
    while True:
        size = answer.readline().strip()
        if not size:
            raise _BrokenOffError
        wanted = int(size.partition(b";")[0], 16)
        if wanted == 0:
            return
        data = answer.read(wanted)
        if len(data) < wanted:
            raise _BrokenOffError
        answer.readline()
        yield data
