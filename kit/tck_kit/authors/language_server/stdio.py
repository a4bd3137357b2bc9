"""Standard streams: messages in, messages out, and nothing else on standard output.

pygls can read standard input itself, but it then waits in a thread that nothing interrupts, answers nothing to a
request that it cannot make out, and forgets the exit code that the protocol asks for.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping
from typing import BinaryIO, Final, cast

__all__ = ["Answered", "Output", "own_stdout", "read_message", "serve", "start_reading"]

#: A header that is longer is none; a message that is longer is no text that anybody edits.
_LONGEST_HEADER: Final = 8 * 1024
_MOST_BYTES: Final = 256 * 1024 * 1024
_CHUNK: Final = 256 * 1024
_LENGTH: Final = re.compile(rb"content-length:[ \t]*(\d{1,12})\s*\Z", re.IGNORECASE)

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600


class Answered(Exception):  # noqa: N818 -- it is no fault of ours
    """A message that is not handled, and what its sender is told."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Output:
    """Where messages are written; a reader who has gone ends the server."""

    def __init__(self, stream: BinaryIO, gone: Callable[[], None]) -> None:
        self._stream, self._gone = stream, gone

    def write(self, data: bytes) -> None:
        """Write a whole message."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._gone()

    def close(self) -> None:
        """Leave it open: the process closes it."""

    def refuse(self, identifier: object, code: int, message: str) -> None:
        """Answer a request with an error."""
        error = {"code": code, "message": message}
        body = json.dumps({"jsonrpc": "2.0", "id": identifier, "error": error}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def own_stdout() -> BinaryIO:
    """Take standard output for the protocol; whatever else writes there goes to standard error from now on."""
    sys.stdout.flush()
    stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return stream


def start_reading(loop: asyncio.AbstractEventLoop, descriptor: int) -> asyncio.StreamReader:
    """Return a reader that is fed from a file, a pipe or a terminal, by a thread that the process need not wait for."""
    reader = asyncio.StreamReader(limit=_LONGEST_HEADER, loop=loop)

    def feed() -> None:
        try:
            while chunk := os.read(descriptor, _CHUNK):
                loop.call_soon_threadsafe(reader.feed_data, chunk)
            loop.call_soon_threadsafe(reader.feed_eof)
        except (OSError, RuntimeError):
            # The loop has ended, or there is nothing to read from.
            if not loop.is_closed():
                loop.call_soon_threadsafe(reader.feed_eof)

    threading.Thread(target=feed, name="standard input", daemon=True).start()
    return reader


async def read_message(reader: asyncio.StreamReader) -> bytes | None:
    """Return the body of the next message; None at the end. Raises `ValueError` for what is no message."""
    length: int | None = None
    while True:
        line = await reader.readline()
        if not line:
            return None
        match = _LENGTH.match(line)
        if match:
            length = int(match[1])
        if not line.strip() and length is not None:
            break
    if length > _MOST_BYTES:
        raise ValueError(f"a message of {length} bytes is too long")
    try:
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None


async def serve(
    reader: asyncio.StreamReader,
    handle: Callable[[Mapping[str, object]], None],
    output: Output,
    stop: asyncio.Event,
) -> None:
    """Hand over one message after the other until the client ends it; one that is no message is answered as such."""
    while not stop.is_set():
        reading = asyncio.ensure_future(read_message(reader))
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not reading.done():
            reading.cancel()
            return
        body = reading.result()
        if body is None:
            return
        try:
            message = _decoded(body)
        except Answered as error:
            output.refuse(None, error.code, str(error))
            continue
        try:
            handle(message)
        except Answered as error:
            if "id" in message and "method" in message:
                output.refuse(message["id"], error.code, str(error))


def _decoded(body: bytes) -> Mapping[str, object]:
    try:
        message: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Answered(_PARSE_ERROR, f"this is no JSON: {error}") from error
    if not isinstance(message, dict) or cast("dict[str, object]", message).get("jsonrpc") != "2.0":
        raise Answered(_INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
    return cast("dict[str, object]", message)
