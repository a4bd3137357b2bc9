"""The default transport: a message a line, over the standard streams of a driver that the kit has started.

One thread does everything, and neither reads nor writes without a deadline, so that neither a driver that does not read
nor one that talks without end can hold the kit up. No more than one message is ever held in memory.
"""

from __future__ import annotations

import os
import select
import time
from pathlib import Path
from typing import NoReturn

from tck_driver.errors import DriverCrashedError, DriverError, DriverTimeoutError
from tck_driver.process import Command, DriverProcess
from tck_driver.transport import GRACE, MOST_BYTES, quote

_CHUNK = 65536


class StdioTransport:
    """Implements `Transport` over a process."""

    name = "stdio"

    def __init__(self, command: Command, first_on_path: Path | None = None) -> None:
        """Start the driver. Raises `DriverError` where that cannot be done."""
        self._process = DriverProcess(command, first_on_path)
        self._held = bytearray()
        self._usable = True
        os.set_blocking(self._process.stdin, False)

    @property
    def usable(self) -> bool:
        """Whether another message can be sent."""
        return self._usable

    def exchange(self, message: bytes, cancel: bytes, seconds: float) -> bytes:
        """Send a request and give the answer; see `Transport`."""
        self._usable = False
        until = time.monotonic() + seconds
        self._write(message + b"\n", until)
        answer = self._line(until)
        if answer is None:
            if self._process.ended(0) is not None:
                # A child of its own holds standard output open.
                self._gone("ended")
            # A cancellation that cannot be written is none that could be answered.
            now = time.monotonic()
            self._write(cancel + b"\n", now + GRACE)
            self._usable = self._line(now + GRACE) is not None
            told = "and answered only once the request was cancelled" if self._usable else "nor after a cancellation"
            begun = f"; its last line is not whole: {quote(bytes(self._held))}" if self._held else ""
            raise DriverTimeoutError(f"the driver did not answer within {seconds:g} s, {told}{begun}")
        self._usable = True
        return answer

    def stray(self) -> bytes | None:
        """Give a line that nobody asked for, if one has come."""
        return self._line(0.0)

    def end(self, seconds: float) -> str | None:
        """Close standard input and wait for the end."""
        self._usable = False
        self._process.close_stdin()
        status = self._process.ended(seconds)
        left = self._process.sweep()
        if status is None:
            return f"the driver did not end within {seconds:g} s after shutdown, and was killed"
        if left:
            return f"the driver left processes running: {', '.join(left)}"
        return None if status == 0 else f"the driver ended with {status_words(status)} after shutdown"

    def kill(self) -> None:
        """End the driver at once, with everything that it started."""
        self._usable = False
        self._process.kill()

    def words(self) -> str:
        """Give the end of what the driver wrote to standard error."""
        return self._process.words()

    def _write(self, data: bytes, until: float) -> None:
        left = memoryview(data)
        while left:
            _, writable, _ = select.select((), (self._process.stdin,), (), max(0.0, until - time.monotonic()))
            if not writable:
                raise DriverTimeoutError("the driver does not read what it is sent")
            try:
                left = left[os.write(self._process.stdin, left) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                self._gone("closed its standard input")

    def _line(self, until: float) -> bytes | None:
        """Give the next line without its end; None where none comes in time."""
        searched = 0
        while True:
            end = self._held.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._held[:end])
                del self._held[: end + 1]
                return line
            searched = len(self._held)
            if searched > MOST_BYTES:
                self._usable = False
                raise DriverError(f"the driver wrote a line of more than 1 MiB: {quote(bytes(self._held[:_CHUNK]))}")
            readable, _, _ = select.select((self._process.stdout,), (), (), max(0.0, until - time.monotonic()))
            if not readable:
                return None
            said = self._process.read()
            if not said:
                self._gone("closed its standard output")
            self._held += said

    def _gone(self, what: str) -> NoReturn:
        self._usable = False
        status = self._process.ended(1.0)
        told = f"{what} and went on" if status is None else f"ended with {status_words(status)}"
        broken = f"; its last line was cut off: {quote(bytes(self._held))}" if self._held else ""
        raise DriverCrashedError(f"the driver {told}{broken}")


def status_words(status: int) -> str:
    """Say an exit status in words."""
    return f"exit code {status}" if status >= 0 else f"signal {-status}"
