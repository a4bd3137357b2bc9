"""The second transport: `POST /rpc`, the same messages, to a driver that listens on this machine.

A connection is used again only while it is young, and only if nothing has come over it unasked: a server may close one
that is idle whenever it likes, and doing so is no crash. Once a request is on its way it is never sent a second time,
whatever becomes of the connection, since a server that closed it may have done before what it was asked; so a server
that closes within the blink between look and request counts as one that broke off.
"""

from __future__ import annotations

import http.client
import select
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tck_driver.errors import DriverCrashedError, DriverError, DriverTimeoutError
from tck_driver.transport import GRACE, MOST_BYTES, QUOTED, quote

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_HEADERS = {"Content-Type": "application/json; charset=utf-8"}
_CHUNK = 65536
_OK = 200
#: Seconds for which an idle connection is used again. Servers close theirs after five, if they are hasty.
_YOUNG = 1.0


class _UnreachableError(OSError):
    """There is nobody to connect to."""


class HttpTransport:
    """Implements `Transport`. `close` is called at the end, for whoever has started the driver."""

    def __init__(self, url: str, close: Callable[[], None] | None = None, words: Callable[[], str] = str) -> None:
        """Prepare; nothing is sent yet. Raises `DriverError` for a URL that is none of HTTP."""
        host, port, path = _parts(url)
        self.name = f"HTTP at {url}"
        self._path = f"{path.rstrip('/')}/rpc"
        self._where = (host, port)
        self._link = _Link(*self._where)
        self._used = 0.0
        self._close = close
        self._words = words
        self._usable = True

    @property
    def usable(self) -> bool:
        """Whether another message can be sent."""
        return self._usable

    def exchange(self, message: bytes, cancel: bytes, seconds: float) -> bytes:
        """Send a request and give the answer; see `Transport`."""
        self._usable = False
        self._drop_what_is_stale()
        try:
            self._link.reach(time.monotonic() + seconds)
            answer = self._post(self._link, message)
        except TimeoutError:
            self._link.close()
            self._notify(cancel)
            raise DriverTimeoutError(f"the driver did not answer within {seconds:g} s") from None
        except (OSError, http.client.HTTPException) as fault:
            self._link.close()
            raise _broken_off(fault) from fault
        self._used = time.monotonic()
        self._usable = True
        return answer

    def stray(self) -> bytes | None:
        """Give nothing: over HTTP nothing comes unasked."""
        return None

    def end(self, seconds: float) -> str | None:  # noqa: ARG002 -- whoever started the driver waits for its end
        """Let the connection go."""
        self.kill()
        return None

    def kill(self) -> None:
        """Let the connection go, and let whoever started the driver end it."""
        self._usable = False
        self._link.close()
        if self._close is not None:
            self._close()

    def words(self) -> str:
        """Give what whoever started the driver knows of its standard error."""
        return self._words()

    def _drop_what_is_stale(self) -> None:
        """Let go of a connection that the server has closed, is about to close, or has said something over."""
        line = self._link.sock
        if line is None:
            return
        readable, _, _ = select.select((line,), (), (), 0)
        if readable or time.monotonic() - self._used > _YOUNG:
            self._link.close()

    def _post(self, link: _Link, message: bytes) -> bytes:
        link.request("POST", self._path, message, _HEADERS)
        response = link.getresponse()
        said = bytearray()
        while more := response.read1(_CHUNK):
            said += more
            if len(said) > MOST_BYTES:
                link.close()
                raise DriverError(f"the driver answered with more than 1 MiB: {quote(bytes(said))}")
        if response.length:
            raise http.client.IncompleteRead(bytes(said), response.length)
        response.close()
        if response.status != _OK:
            link.close()
            raise DriverError(f"the driver answered with HTTP status {response.status}: {quote(bytes(said))}")
        return bytes(said)

    def _notify(self, cancel: bytes) -> None:
        """Tell of a cancellation on a connection of its own; what comes of it does not matter any more."""
        link = _Link(*self._where)
        try:
            link.reach(time.monotonic() + GRACE)
            self._post(link, cancel)
        except (OSError, http.client.HTTPException, DriverError):
            return
        finally:
            link.close()


class _Link(http.client.HTTPConnection):
    """A connection that goes by one deadline from its first byte to the last, however slowly they come."""

    until = 0.0

    def reach(self, until: float) -> None:
        """Connect, unless it is connected; what follows has time until then. Raises `_UnreachableError`."""
        self.until = until
        if self.sock is not None:
            return
        try:
            self.connect()
        except TimeoutError:
            raise
        except OSError as fault:
            raise _UnreachableError(fault) from fault

    def connect(self) -> None:
        """Connect to a socket that keeps the deadline."""
        plain = socket.create_connection((self.host, self.port), _left(self.until))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = _Socket(lambda: _left(self.until), plain)


class _Socket(socket.socket):
    """Waits, whatever it is told to do, no longer than is left."""

    def __init__(self, left: Callable[[], float], plain: socket.socket) -> None:
        self._left = left
        super().__init__(plain.family, plain.type, plain.proto, plain.detach())

    def recv_into(self, buffer: WriteableBuffer, nbytes: int = 0, flags: int = 0) -> int:
        self.settimeout(self._left())
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: ReadableBuffer, flags: int = 0, /) -> None:
        self.settimeout(self._left())
        super().sendall(data, flags)


def _broken_off(fault: Exception) -> DriverError:
    """Say what became of an exchange that came to no answer."""
    if isinstance(fault, _UnreachableError):
        return DriverCrashedError(f"the driver cannot be reached ({fault})")
    told = f"{type(fault).__name__}: {fault}"[:QUOTED].rstrip()
    if isinstance(fault, (OSError, http.client.IncompleteRead)):
        return DriverCrashedError(f"the driver broke the connection off ({told})")
    return DriverError(f"the driver answered with something that is no HTTP ({told})")


def _parts(url: str) -> tuple[str, int, str]:
    """Take a URL apart. Raises `DriverError`."""
    try:
        parts = urlsplit(url)
        if parts.scheme == "http" and parts.hostname:
            return parts.hostname, parts.port or 80, parts.path
    except ValueError:
        pass
    raise DriverError(f"{url} is no URL of a driver; give one such as http://127.0.0.1:8700")


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
