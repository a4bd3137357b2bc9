"""One connection to the model server, over HTTP/1.1: requests in, within bounds; answers, streams and failures out."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import Final, cast

from tck_fakes.modelserver.wire import Json

#: The most that a request may hold, packed or not: what Anthropic takes.
MOST_BYTES: Final = 32 * 1024 * 1024
#: Seconds in which a request has to be there whole, and for which a connection may rest between two.
_READING, _RESTING = 60.0, 300.0
_LONGEST_LINE: Final = 1000
_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


class RefusedError(Exception):
    """A request that cannot be taken: the status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Link(BaseHTTPRequestHandler):
    """Reads requests one after the other and hands each to `serve`, until one side closes."""

    protocol_version = "HTTP/1.1"
    server_version = "session-tck"
    sys_version = ""
    timeout = _RESTING

    def __init__(
        self, connection: socket.socket, opened: Callable[[Link], None], serve: Callable[[Link], None]
    ) -> None:
        """Say that it is there, and serve the connection at once, in the thread that calls."""
        self._serve = serve
        #: When whoever looks after connections is to end this one.
        self.deadline = time.monotonic() + _RESTING
        self.chunked = False
        #: Whether the client has been sent the beginning of an answer.
        self.begun = False
        opened(self)
        super().__init__(connection, ("local", 0), cast("BaseServer", None))

    def parse_request(self) -> bool:
        """Read the head of a request, which has to be whole soon."""
        self.deadline = time.monotonic() + _READING
        self.begun = False
        return super().parse_request()

    def do_POST(self) -> None:
        """Hand the request on."""
        self._serve(self)
        self.deadline = time.monotonic() + _RESTING

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # noqa: N815 -- the library's names

    def finish(self) -> None:
        """Let go, whether or not the client is still there."""
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's name
        """Keep quiet."""

    # Reading

    def body(self) -> bytes:
        """Read the body. Raises `RefusedError` for one that is too long, or whose end nobody can find."""
        try:
            if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
                packed = b"".join(self._chunks())
            else:
                packed = self.rfile.read(_size(self.headers.get("Content-Length") or "0", 10, 0))
            self.deadline = float("inf")
            return _unpacked(packed, (self.headers.get("Content-Encoding") or "identity").strip().lower())
        except RefusedError:
            self.close_connection = True
            raise

    def _chunks(self) -> Iterator[bytes]:
        told = 0
        while size := _size(self.rfile.readline(_LONGEST_LINE).partition(b";")[0].strip().decode("latin-1"), 16, told):
            told += size
            yield self.rfile.read(size)
            self.rfile.readline(_LONGEST_LINE)
        while self.rfile.readline(_LONGEST_LINE).strip():
            pass

    @property
    def credentials(self) -> tuple[str, ...]:
        """What the client shows for itself, by any of the vendors' headers."""
        shown = (self.headers.get("Authorization") or "").strip()
        scheme, _, bearer = shown.partition(" ")
        keys = (self.headers.get("x-api-key"), bearer.strip() if scheme.lower() == "bearer" else shown)
        return tuple(key for key in (*keys, self.headers.get("api-key")) if key)

    def gone(self) -> bool:
        """Tell whether the client has closed the connection."""
        poll = select.poll()
        try:
            poll.register(self.connection, select.POLLIN)
            happened = poll.poll(0)
            return bool(happened) and (
                bool(happened[0][1] & _GONE) or not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            )
        except BlockingIOError:
            return False
        except (OSError, ValueError):
            return True

    # Writing

    def answer(self, status: int, said: Json, headers: Mapping[str, str] | None = None) -> None:
        """Give a whole answer."""
        packed = json.dumps(said).encode("ascii")
        self._head(status, {"Content-Type": "application/json", "Content-Length": str(len(packed)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(packed)
        if self.close_connection:
            self._drain()

    def answer_half(self, said: Json) -> None:
        """Give the first half of an answer, and close."""
        packed = json.dumps(said).encode("ascii")
        self.close_connection = True
        self._head(200, {"Content-Type": "application/json", "Content-Length": str(len(packed))})
        self.wfile.write(packed[: len(packed) // 2])

    def stream(self, frames: Iterable[bytes], *, whole: bool = True) -> None:
        """Give a stream of events; one that is not whole has no end, only a closed connection."""
        self.chunked = self.request_version != "HTTP/1.0"
        self.close_connection = self.close_connection or not self.chunked or not whole
        how = {"Transfer-Encoding": "chunked"} if self.chunked else {}
        self._head(200, {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache", **how})
        for frame in frames:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame) if self.chunked else frame)
        if whole and self.chunked:
            self.wfile.write(b"0\r\n\r\n")

    def reset(self) -> None:
        """End the connection without a word, as one that breaks."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.begun = True
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def _drain(self) -> None:
        """Take what the client is still sending, or it would see a broken connection and no answer."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1.0)
            until = time.monotonic() + 5.0
            while time.monotonic() < until and self.connection.recv(65536):
                pass


def _size(said: str, base: int, before: int) -> int:
    """Read the length of a body, or of a chunk after so many bytes."""
    if not (said.isascii() and said.isalnum()):
        raise RefusedError(400, "the body has no usable length")
    try:
        size = int(said, base)
    except ValueError:
        raise RefusedError(400, "the body has no usable length") from None
    if size > MOST_BYTES - before:
        raise RefusedError(413, f"Request exceeds the maximum allowed number of bytes: {MOST_BYTES}")
    return size


def _unpacked(packed: bytes, how: str) -> bytes:
    if how in {"", "identity"}:
        return packed
    if how not in {"gzip", "deflate"}:
        raise RefusedError(415, f"the body is packed with {how!r}, not known here; send it as it is")
    try:
        # 32 is added to take either of the two wrappings.
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
        body = unpacker.decompress(packed, MOST_BYTES)
    except zlib.error as fault:
        raise RefusedError(400, f"the body cannot be unpacked: {fault}") from None
    if unpacker.unconsumed_tail:
        raise RefusedError(413, f"Request exceeds the maximum allowed number of bytes: {MOST_BYTES}")
    return body
