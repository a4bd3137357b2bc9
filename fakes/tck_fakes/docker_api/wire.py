"""HTTP/1.1 as Docker's clients speak it: requests with bounds on everything, read from a socket one by one."""

from __future__ import annotations

import contextlib
import re
import select
import socket as sockets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

#: The longest head and the longest body, bytes; a prompt stands in a body whole.
MAX_HEAD, MAX_BODY = 64 * 1024, 16 * 1024 * 1024
#: Seconds in which a request that has begun has to be there whole.
PATIENCE = 30.0
#: Seconds in which a client that was refused may still send.
LINGER = 1.0
_BLOCK = 65_536
_METHOD = re.compile(r"[A-Z]{1,16}")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_INVALID, _LATE, _LARGE, _LONG = 400, 408, 413, 431


class WireError(Exception):
    """What came cannot be read as a request: it is answered with this status, and the connection closed."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """One request. The names of headers are in small letters."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    #: The target as it was sent, for a log.
    target: str = ""
    #: The connection serves further requests.
    kept: bool = True

    @property
    def upgrades(self) -> bool:
        """Whether the client wants the connection for itself."""
        return "upgrade" in self.headers.get("connection", "").lower()

    def on(self, name: str) -> bool:
        """Tell whether a switch of the query is on, by docker's idea of it."""
        return self.query.get(name, "").strip().lower() not in ("", "0", "no", "false", "none")


class Wire:
    """A connection, from the side that is asked."""

    def __init__(self, link: sockets.socket) -> None:
        self._link = link
        self._held = bytearray()
        self._until = 0.0

    @property
    def begun(self) -> bool:
        """Whether part of a request is held."""
        return bool(self._held)

    def wait(self) -> bool:
        """Wait for the beginning of a request, as long as it takes; False at the connection's end."""
        if self._held:
            return True
        poll = select.poll()
        poll.register(self._link, select.POLLIN)
        with contextlib.suppress(OSError, ValueError):
            poll.poll()
            return self._link.fileno() >= 0
        return False

    def request(self) -> Request | None:
        """Give the next request, None at the connection's end. Raises `WireError`."""
        self._until = time.monotonic() + PATIENCE
        head = self._head()
        if head is None:
            return None
        line, *lines = head.decode("latin-1").split("\n")
        words = line.strip("\r").split(" ")
        if len(words) != 3 or not _METHOD.fullmatch(words[0]) or words[2] not in ("HTTP/1.1", "HTTP/1.0"):  # noqa: PLR2004 -- method, target, version
            raise WireError(_INVALID, "the request line is none of HTTP/1.1")
        method, target, version = words
        headers = dict(_headers(lines))
        path, query = _split(target)
        wish = headers.get("connection", "").lower()
        kept = "close" not in wish and (version == "HTTP/1.1" or "keep-alive" in wish)
        # What comes in chunks to an attachment is standard input, and ends when the client has nothing more to say.
        streams = path.endswith("/attach") and "transfer-encoding" in headers
        body = b"" if streams else self._body(headers)
        return Request(method, path, query, headers, body, target, kept)

    def linger(self) -> None:
        """Say that nothing follows, and let what is still on its way come: a client that is cut off reads no answer."""
        until, heard = time.monotonic() + LINGER, 0
        with contextlib.suppress(OSError):
            self._link.shutdown(sockets.SHUT_WR)
            while (left := until - time.monotonic()) > 0 and heard < MAX_BODY:
                self._link.settimeout(left)
                data = self._link.recv(_BLOCK)
                if not data:
                    return
                heard += len(data)

    def raw(self) -> bytes:
        """Give what comes after a request without being one; nothing at its end."""
        if self._held:
            data = bytes(self._held)
            self._held.clear()
            return data
        self._link.settimeout(None)
        try:
            return self._link.recv(_BLOCK)
        except OSError:
            return b""

    def _head(self) -> bytes | None:
        looked = 0
        while True:
            # Empty lines before a request are let pass, as the specification of HTTP asks.
            while self._held.startswith(b"\r\n"):
                del self._held[:2]
            found = re.search(rb"\r?\n\r?\n", self._held[max(0, looked - 3) :])
            head = b""
            if found is not None:
                end = max(0, looked - 3) + found.end()
                head = bytes(self._held[: end - len(found[0])])
                del self._held[:end]
            if len(self._held) > MAX_HEAD if found is None else len(head) > MAX_HEAD:
                raise WireError(_LONG, f"the head of a request is longer than {MAX_HEAD} bytes")
            if found is not None:
                return head
            looked = len(self._held)
            if not self._more():
                if self._held:
                    raise WireError(_INVALID, "the connection ended in the middle of a request")
                return None

    def _body(self, headers: Mapping[str, str]) -> bytes:
        coding, said = headers.get("transfer-encoding", ""), headers.get("content-length", "")
        if coding and coding.lower() != "chunked":
            raise WireError(_INVALID, f"the transfer encoding {coding} is not known here")
        if headers.get("expect", "").lower() == "100-continue" and not self._held:
            with contextlib.suppress(OSError):
                self._link.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if coding:
            return b"".join(self._chunks())
        if not said:
            return b""
        if not said.isascii() or not said.isdigit():
            raise WireError(_INVALID, "the content length is no number")
        if len(said) > 12 or int(said) > MAX_BODY:  # noqa: PLR2004 -- digits enough for any size
            raise WireError(_LARGE, f"the body of a request is longer than {MAX_BODY} bytes")
        return self._exactly(int(said))

    def _chunks(self) -> Iterator[bytes]:
        told = 0
        while True:
            said = self._line().partition(b";")[0].strip()
            if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", said):
                raise WireError(_INVALID, "a chunk of the body has no length")
            size = int(said, 16)
            told += size
            if told > MAX_BODY:
                raise WireError(_LARGE, f"the body of a request is longer than {MAX_BODY} bytes")
            if not size:
                break
            yield self._exactly(size)
            self._line()
        while self._line().strip():
            pass

    def _line(self) -> bytes:
        while b"\n" not in self._held:
            if len(self._held) > MAX_HEAD:
                raise WireError(_INVALID, "a chunk of the body has no length")
            self._need()
        line, _, rest = bytes(self._held).partition(b"\n")
        self._held[:] = rest
        return line

    def _exactly(self, size: int) -> bytes:
        while len(self._held) < size:
            self._need()
        data = bytes(self._held[:size])
        del self._held[:size]
        return data

    def _need(self) -> None:
        if not self._more():
            raise WireError(_INVALID, "the connection ended in the middle of a request")

    def _more(self) -> bool:
        left = self._until - time.monotonic()
        if left <= 0:
            raise WireError(_LATE, f"the request was not there within {PATIENCE:g} s")
        try:
            self._link.settimeout(left)
            data = self._link.recv(_BLOCK)
        except TimeoutError:
            raise WireError(_LATE, f"the request was not there within {PATIENCE:g} s") from None
        except OSError:
            return False
        self._held += data
        return bool(data)


def _headers(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, colon, value = line.rstrip("\r").partition(":")
        if not colon or not _NAME.fullmatch(name):
            raise WireError(_INVALID, "a header of the request has no name")
        yield name.lower(), value.strip()


def _split(target: str) -> tuple[str, dict[str, str]]:
    try:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=200))
    except ValueError:
        raise WireError(_INVALID, "the target of the request is no address") from None
    return unquote(parts.path), query
