"""What a request is answered with: at once, or little by little as a container goes on."""

from __future__ import annotations

import json
import queue
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal

from tck_fakes.container import Container
from tck_fakes.daemon.defaults import VERSION

#: How much may wait to be read by a client before it is given up.
MAX_WAITING = 64 * 1024 * 1024
#: What every answer carries, so that clients know what they talk to.
_ALWAYS = (
    f"Api-Version: {VERSION['ApiVersion']}\r\nDocker-Experimental: false\r\nOstype: linux\r\n"
    f"Server: Docker/{VERSION['Version']} (session-tck stand-in)\r\n"
)
JSON = "application/json"
_OUT, _ERR = 1, 2
Framing = Literal["chunked", "raw"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One that is whole."""

    status: int
    body: bytes = b""
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def written(self, *, kept: bool, only_head: bool) -> bytes:
        """Give it as bytes."""
        head = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n{_ALWAYS}"
        if self.kind:
            head += f"Content-Type: {self.kind}\r\n"
        if self.status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
            head += f"Content-Length: {len(self.body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        head += "" if kept else "Connection: close\r\n"
        return f"{head}\r\n".encode("latin-1") + (b"" if only_head else self.body)


def said(status: int, document: object) -> Answer:
    """Give an answer with a document."""
    return Answer(status, json.dumps(document, separators=(",", ":")).encode() + b"\n", JSON)


def refused(status: int, text: str) -> Answer:
    """Give an answer that says what is wrong."""
    return said(status, {"message": text})


NOTHING = Answer(HTTPStatus.NO_CONTENT)
ALREADY = Answer(HTTPStatus.NOT_MODIFIED)


class Stream:
    """One that comes little by little. No call of it blocks but `take`, and after its end all of them do nothing."""

    def __init__(self, kind: str, framing: Framing, *, upgraded: bool = False, listens: bool = False) -> None:
        self.kind = kind
        self.framing = framing
        #: The connection is the client's own from here on.
        self.upgraded = upgraded
        #: What the client sends from here on is standard input.
        self.listens = listens
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._waiting = 0
        self._over = False
        #: It broke off: whoever reads must not take it for whole.
        self.broken = False

    @property
    def head(self) -> bytes:
        """What comes before it."""
        if self.upgraded:
            return (
                f"HTTP/1.1 101 UPGRADED\r\nContent-Type: {self.kind}\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
            ).encode()
        coding = "Transfer-Encoding: chunked\r\n" if self.framing == "chunked" else "Connection: close\r\n"
        return f"HTTP/1.1 200 OK\r\n{_ALWAYS}Content-Type: {self.kind}\r\n{coding}\r\n".encode()

    @property
    def waiting(self) -> bool:
        """Whether something is still to be written."""
        return self._waiting > 0

    def put(self, data: bytes) -> None:
        """Say something more."""
        if self._over or not data:
            return
        data = b"%x\r\n%b\r\n" % (len(data), data) if self.framing == "chunked" else data
        with self._counting:
            self._waiting += len(data)
        if self._waiting > MAX_WAITING:
            self.abort()
        else:
            self._queue.put(data)

    def end(self) -> None:
        """Say that this was all."""
        if not self._over:
            if self.framing == "chunked":
                with self._counting:
                    self._waiting += 5
                self._queue.put(b"0\r\n\r\n")
            self._over = True
            self._queue.put(None)

    def abort(self) -> None:
        """Break off."""
        if not self._over:
            self._over = self.broken = True
            self._queue.put(None)

    def take(self) -> bytes | None:
        """Give the next bytes to be written, None at the end."""
        return self._queue.get()

    def wrote(self, data: bytes) -> None:
        """Take note that bytes were written."""
        with self._counting:
            self._waiting -= len(data)


class Relay:
    """Shows a container's streams in an answer: a watcher."""

    def __init__(self, live: Container, stream: Stream, streams: tuple[bool, bool], *, terminal: bool) -> None:
        """`streams`: whether standard output is shown, and standard error. `terminal`: as a terminal would have it."""
        self._live = live
        self._stream = stream
        self._shown = streams
        self._terminal = terminal

    def out(self, text: str) -> None:
        """Show text of standard output."""
        self._show(text, _OUT)

    def err(self, text: str) -> None:
        """Show text of standard error."""
        # A terminal has one stream for both.
        self._show(text, _OUT if self._terminal else _ERR)

    def ended(self, exit_code: int) -> None:
        """End as the container did."""
        del exit_code
        self._stream.end()

    def replay(self, lines: int | None = None) -> None:
        """Show what the container has put out so far, or the last lines of it."""
        shown = self._live.log
        if lines is not None:
            split = [(err, line) for err, text in shown for line in text.splitlines(keepends=True)]
            shown = split[max(0, len(split) - lines) :]
        for err, text in shown:
            (self.err if err else self.out)(text)

    def _show(self, text: str, number: int) -> None:
        # Why a container could not start is no output of it.
        if not self._shown[number - 1] or self._live.phase == "refused":
            return
        if self._terminal:
            self._stream.put(text.replace("\n", "\r\n").encode("utf-8", "replace"))
            return
        for line in text.splitlines(keepends=True):
            data = line.encode("utf-8", "replace")
            self._stream.put(struct.pack(">BxxxL", number, len(data)) + data)
