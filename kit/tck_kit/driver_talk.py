"""A driver spoken to without trust: raw messages there, and whatever comes back, sorted into answers and noise.

The connection of a run gives a driver up at the first word out of place. A check goes on, so that one mistake does not
hide the others: what is out of place is written down, and the answer behind it is still found.
"""

from __future__ import annotations

import json
import os
import queue
import select
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Protocol, cast
from urllib.parse import urlsplit

from tck_driver import schemas
from tck_driver.connection import START
from tck_driver.errors import DriverCrashedError, DriverError, DriverTimeoutError
from tck_driver.messages import Json
from tck_driver.process import DriverProcess
from tck_driver.stdio import status_words
from tck_driver.transport import GRACE, MOST_BYTES, quote

#: How many lines that are no messages are kept; a driver may talk without end.
MOST_CHATTER = 100


@dataclass(frozen=True, slots=True)
class Ending:
    """How a driver ended: its exit status, None where it did not end in time; what it left, and what it still said."""

    status: int | None
    left: tuple[str, ...] = ()
    said: bytes = b""


class Wire(Protocol):
    """Carries messages of any content; nothing is said about what is an answer to what."""

    def say(self, message: bytes) -> None:
        """Send a message. Raises `DriverCrashedError` where nobody takes it."""
        ...

    def hear(self, seconds: float) -> bytes | None:
        """Give the next message, None where none comes in time. Raises `DriverError` where none can come any more."""
        ...

    def finish(self, seconds: float) -> Ending:
        """Say that nothing follows, and wait for the end."""
        ...

    def kill(self) -> None:
        """End the driver at once."""
        ...

    def words(self) -> str:
        """Give the end of what it wrote to standard error."""
        ...


class StdioWire:
    """Implements `Wire` over the standard streams of a process."""

    def __init__(self, process: DriverProcess) -> None:
        """Speak to a process that was just started."""
        self._process = process
        self._held = bytearray()

    def say(self, message: bytes) -> None:
        """Write a line."""
        left = memoryview(message + b"\n")
        while left:
            try:
                left = left[os.write(self._process.stdin, left) :]
            except BrokenPipeError:
                raise self._gone() from None

    def hear(self, seconds: float) -> bytes | None:
        """Read a line."""
        until = time.monotonic() + seconds
        while b"\n" not in self._held:
            if len(self._held) > MOST_BYTES:
                raise DriverError(f"it wrote a line of more than 1 MiB: {quote(bytes(self._held))}")
            if not self._ready(until):
                return None
            said = self._process.read()
            if not said:
                raise self._gone()
            self._held += said
        line, _, rest = bytes(self._held).partition(b"\n")
        self._held[:] = rest
        return line

    def finish(self, seconds: float) -> Ending:
        """Close its standard input, and read on to the end of its output."""
        until = time.monotonic() + seconds
        self._process.close_stdin()
        while self._ready(until) and (said := self._process.read()) and len(self._held) <= MOST_BYTES:
            self._held += said
        status = self._process.ended(max(0.0, until - time.monotonic()))
        return Ending(status, tuple(self._process.sweep()), bytes(self._held))

    def kill(self) -> None:
        """End it and all that it started."""
        self._process.kill()

    def words(self) -> str:
        """Give the end of what it wrote to standard error."""
        return self._process.words()

    def _ready(self, until: float) -> bool:
        return bool(select.select((self._process.stdout,), (), (), max(0.0, until - time.monotonic()))[0])

    def _gone(self) -> DriverCrashedError:
        status = self._process.ended(1.0)
        return DriverCrashedError(
            "it closed its standard output and went on" if status is None else f"it ended with {status_words(status)}"
        )


class HttpWire:
    """Implements `Wire` over HTTP. `process` is the driver's, where the kit has started it."""

    def __init__(self, url: str, process: DriverProcess | None = None) -> None:
        """Speak to a driver that listens at a URL."""
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, f"{parts.path.rstrip('/')}/rpc"
        self._process = process
        self._heard: queue.Queue[bytes | DriverError] = queue.Queue()

    def say(self, message: bytes) -> None:
        """Post a message; its answer is heard later, so that a request can be cancelled meanwhile."""
        threading.Thread(target=self._post, args=(message,), daemon=True).start()

    def hear(self, seconds: float) -> bytes | None:
        """Give a body that came back; an empty one is no message."""
        try:
            heard = self._heard.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(heard, DriverError):
            raise heard
        return heard

    def finish(self, seconds: float) -> Ending:
        """Wait for the end of the process, where it is ours."""
        if self._process is None:
            return Ending(0)
        status = self._process.ended(seconds)
        return Ending(status, tuple(self._process.sweep()))

    def kill(self) -> None:
        """End the process, where it is ours."""
        if self._process is not None:
            self._process.kill()

    def words(self) -> str:
        """Give the end of what it wrote to standard error, where the process is ours."""
        return "" if self._process is None else self._process.words()

    def _post(self, message: bytes) -> None:
        link = HTTPConnection(self._host, self._port, timeout=START)
        try:
            link.request("POST", self._path, message, {"Content-Type": "application/json"})
            response = link.getresponse()
            body = response.read(MOST_BYTES + 1)
        except (OSError, HTTPException) as fault:
            self._heard.put(DriverCrashedError(f"it cannot be reached ({type(fault).__name__}: {fault})"))
            return
        finally:
            link.close()
        if response.status != HTTPStatus.OK:
            self._heard.put(DriverError(f"it answered with HTTP status {response.status}: {quote(body)}"))
        elif len(body) > MOST_BYTES:
            self._heard.put(DriverError(f"it answered with more than 1 MiB: {quote(body)}"))
        elif body:
            self._heard.put(body)


@dataclass(slots=True)
class Noise:
    """What was out of place in everything that was heard, whoever said it."""

    #: Lines that are no messages.
    chatter: list[bytes] = field(default_factory=list[bytes])
    #: Answers in another frame than JSON-RPC 2.0 has, and why.
    frames: list[str] = field(default_factory=list[str])
    #: Ids that were sent, with what came back.
    ids: list[tuple[str, object]] = field(default_factory=list[tuple[str, object]])


class Talk:
    """Implements `Transport` over a wire, writing noise down. `mend` is given a result before it is handed on."""

    def __init__(self, wire: Wire, noise: Noise, mend: Callable[[str, object], object]) -> None:
        """Talk over a wire that nothing was said over."""
        self.name = "a wire under examination"
        self.wire = wire
        self.usable = True
        self._noise = noise
        self._mend = mend
        self._count = 0
        self._chatter = b""

    def ask(self, method: str, params: object, seconds: float) -> Json:
        """Ask and give the answer as it came, whatever its id is. Raises `DriverError` where none comes."""
        self._count += 1
        name = f"c{self._count}"
        self.wire.say(encode({"jsonrpc": "2.0", "id": name, "method": method, "params": params}))
        answer = self.answer(name, seconds)
        if answer is None:
            raise self.too_late(method, seconds)
        return answer

    def answer(self, name: str | None, seconds: float) -> Json | None:
        """Give the next message that is an answer to anything, None where none comes in time."""
        until = time.monotonic() + seconds
        self._chatter = b""
        while (left := until - time.monotonic()) > 0 and (line := self.wire.hear(left)) is not None:
            answer = _answer(line)
            if answer is None:
                self._chatter = line
                if len(self._noise.chatter) < MOST_CHATTER:
                    self._noise.chatter.append(line)
                continue
            if name is not None and answer.get("id", name) != name:
                self._noise.ids.append((name, answer["id"]))
                answer["id"] = name
            fault = _out_of_frame(answer)
            if fault is not None:
                self._noise.frames.append(f"{fault}: {quote(line)}")
            return answer
        return None

    def too_late(self, method: str, seconds: float) -> DriverTimeoutError:
        """Give up: what is said next could be the answer to anything."""
        self.kill()
        instead = f", and said {quote(self._chatter)} instead" if self._chatter else ""
        return DriverTimeoutError(f"it did not answer {method} within {seconds:g} s{instead}")

    def exchange(self, message: bytes, cancel: bytes, seconds: float) -> bytes:
        """Carry a request of a connection; see `Transport`."""
        sent: Json = json.loads(message)
        self.usable = False
        self.wire.say(message)
        answer = self.answer(sent["id"], seconds)
        if answer is None:
            self.wire.say(cancel)
            self.usable = self.answer(sent["id"], GRACE) is not None
            raise DriverTimeoutError(f"it did not answer within {seconds:g} s")
        self.usable = True
        framed: Json = {"jsonrpc": "2.0", "id": sent["id"]}
        if "error" in answer:
            framed["error"] = answer["error"]
        elif "result" in answer:
            framed["result"] = self._mend(sent["method"], answer["result"])
        return json.dumps(framed).encode("ascii")

    def stray(self) -> bytes | None:
        """Give nothing: what comes unasked is noted when it is met."""
        return None

    def end(self, seconds: float) -> str | None:
        """End it; a check looks at that by itself."""
        self.finish(seconds)
        return None

    def finish(self, seconds: float) -> Ending:
        """Say that nothing follows, and note what is still said."""
        self.usable = False
        ending = self.wire.finish(seconds)
        self._noise.chatter.extend(line for line in ending.said.split(b"\n") if line and _answer(line) is None)
        return ending

    def kill(self) -> None:
        """End it at once."""
        self.usable = False
        self.wire.kill()

    def words(self) -> str:
        """Give the end of what it wrote to standard error."""
        return self.wire.words()


def encode(message: Json) -> bytes:
    """Write a message in UTF-8, as the protocol allows it."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _answer(line: bytes) -> Json | None:
    try:
        message: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(message, dict) and not {"id", "result", "error"}.isdisjoint(cast("Json", message)):
        return cast("Json", message)
    return None


def _out_of_frame(answer: Json) -> str | None:
    """Give what an answer has that JSON-RPC 2.0 has not, or lacks."""
    try:
        schemas.check(answer, "envelope", "answer")
    except schemas.MisfitError as fault:
        strange = sorted(set(answer) - {"jsonrpc", "id", "result", "error"})
        lacking = [name for name in ("jsonrpc", "id") if name not in answer]
        if strange:
            return f"{strange[0]!r} does not belong there"
        if lacking:
            return f"{lacking[0]!r} is missing"
        if ("result" in answer) == ("error" in answer):
            return "it must have either result or error"
        return str(fault)
    return None
