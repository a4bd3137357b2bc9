"""A function that is called in a process of its own.

A unit may replace parts of the simulator, set alarms that only a main thread can, or bring its process down. In a
process of its own it does none of that to anybody else, it can be ended whatever it does, and it begins as fresh as
all the others. The process lives no longer than whoever started it: its standard input stays open until then.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic

from tck_kit.campaign.units import Order, Result, Result_co

#: Seconds in which a process that was told to end has to take away what it made.
GRACE = 10.0


@dataclass(frozen=True)
class Answer(Generic[Result_co]):
    """What a function gave, or the kind and the text of what it raised. `stopped`: it was ended before either."""

    result: Result_co | None = None
    kind: str = ""
    text: str = ""
    stopped: bool = False


#: The answer of a call that was ended, packed.
STOPPED = pickle.dumps(Answer[object](stopped=True))


def packed(function: Callable[[Order], Result], order: Order) -> bytes:
    """Give a call as bytes, which nobody opens on their way to the process that makes it."""
    return pickle.dumps((function, order))


class Apart:
    """One call in a process of its own."""

    def __init__(self, call: bytes) -> None:
        """Start the process, which loads while nobody waits for it."""
        self._stopped = False
        self._timers: list[threading.Timer] = []
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- it is read when the process has ended
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tck_kit.campaign.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        self._call = call

    def gone(self, seconds: float) -> bool:
        """Wait so long for the process to have ended, and say whether it has."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll() is not None

    def answer(self, seconds: float | None = None) -> bytes:
        """Hand the call over, wait for the answer, so long at most, and give it packed. This can be asked once."""
        try:
            if seconds is not None and seconds < threading.TIMEOUT_MAX:
                self._later(seconds, self.end)
            said = self._conversation()
        except BaseException:
            self.end()
            self._process.wait()
            raise
        finally:
            for timer in self._timers:
                timer.cancel()
            words = self._last_words()
        if self._process.returncode == 0 and said:
            return said
        if self._stopped:
            return STOPPED
        text = f"its process ended with exit code {self._process.returncode}. {words}".strip()
        return pickle.dumps(Answer[object](kind="Fallen", text=text))

    def _conversation(self) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return b""
        # A process that has fallen at once reads nothing; its end is found out below.
        with suppress(BrokenPipeError):
            stdin.write(self._call)
            stdin.flush()
        said = stdout.read()
        self._process.wait()
        return said

    def _last_words(self) -> str:
        """Give the end of what it wrote to standard error, and close what was open to it."""
        with self._errors:
            self._errors.seek(0)
            words = self._errors.read()[-2000:].decode("utf-8", "replace").strip()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()
        return words

    def end(self) -> None:
        """Tell it to end, and see to it that it does; this does not wait."""
        self._stopped = True
        self._process.terminate()
        self._later(GRACE, self._kill)

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if not self.gone(0):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        timer = threading.Timer(seconds, act)
        timer.daemon = True
        timer.start()
        self._timers.append(timer)


def unpacked(said: bytes) -> Answer[Any]:
    """Open an answer of `Apart`."""
    answer: Answer[Any] = pickle.loads(said)  # noqa: S301 -- from a process of ours
    return answer
