"""Mermaid: whether its official grammar accepts a diagram, asked offline, without a browser or Node.

The optional package mermaidx carries Mermaid's own JavaScript and an engine to run it in; only this module and its
worker know it. That engine is native code which reads what a stranger wrote, so it works in a process of its own,
`mermaid_worker.py`, which is started once, at the first diagram. A diagram on which it hangs, runs out of memory or
crashes costs that process and is said not to have been checked. Nothing here ever takes silence for a pass.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, cast

__all__ = ["MOST_CHARACTERS", "Engine", "Verdict", "judge", "prepare"]

#: Mermaid draws no larger diagram, whatever is in it, unless a site says otherwise.
MOST_CHARACTERS: Final = 50_000

_START_SECONDS: Final = 60.0
#: By the clock; the worker has a tighter limit of its own, by what it computes.
_DIAGRAM_SECONDS: Final = 60.0
#: What all diagrams of one process may take together.
_ALL_SECONDS: Final = 600.0
#: How often the engine may be lost before nothing more is asked of it.
_MOST_LOSSES: Final = 3
_MOST_REMEMBERED: Final = 10_000
#: Mermaid keeps a little of every diagram; after so many the engine starts afresh.
_MOST_DIAGRAMS: Final = 5_000

_MOST_EXPECTED: Final = 6
#: What stands in Mermaid's messages about places, which are not those in the document.
_LINE_SAID: Final = re.compile(r"(?:Lexical|Parse) error on line \d+\W*|\s*\(\d+:\d+\)$| at offset: .*")
_ENDS: Final = {
    "1": "the diagram ends too early",
    "EOF": "the diagram ends too early",
    "NEWLINE": "the line ends too early",
    "NL": "the line ends too early",
}

_MISSING: Final = "mermaidx is not installed: pip install 'session-tck[authors]'"

#: Mermaid's own errors about a diagram are of these kinds; all others are faults of the engine or of Mermaid.
_ABOUT_THE_DIAGRAM: Final = frozenset({"Error", "YAMLException"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What Mermaid says of one diagram."""

    #: ``unknown``: it knows no diagram of this type. ``unchecked``: nobody could say.
    outcome: Literal["right", "wrong", "unknown", "unchecked"]
    #: What is wrong, or why nothing was checked.
    message: str = ""
    #: For ``wrong``: lines of the answer as Mermaid counts them, from 1, after it has taken out front matter,
    #: directives and comments; 0 where it does not say.
    line: int = 0
    #: From 1; 0 where it is not known.
    column: int = 0
    #: The text on which it stopped, where it says so.
    token: str = ""
    #: Whether `line` counts in the front matter, from its first line.
    front: bool = False


class Engine:
    """The process that runs Mermaid, started at the first question and replaced when it is lost."""

    def __init__(self, command: tuple[str, ...] = (), seconds: float = _DIAGRAM_SECONDS) -> None:
        """Use the worker as the command, unless a test names another."""
        self._command = command or (sys.executable, "-P", str(Path(__file__).with_name("mermaid_worker.py")))
        self._installed = bool(command)
        self._seconds = seconds
        self._lock = threading.Lock()
        self._known: dict[bytes, Verdict] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._ready = False
        self._pending = b""
        self._asked = 0
        self._losses = 0
        self._spent = 0.0

    def prepare(self) -> None:
        """Start the process and do not wait for it, so that it is there when the first diagram is."""
        with self._lock:
            if self._why_not() is None:
                self._start()

    def judge(self, text: str) -> Verdict:
        """Return what Mermaid says of a diagram; the same text is asked once."""
        if len(text) > MOST_CHARACTERS:
            return Verdict("unchecked", f"it has {len(text)} characters")
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            if key not in self._known:
                if len(self._known) >= _MOST_REMEMBERED:
                    self._known.clear()
                self._known[key] = self._asked_once(text)
            return self._known[key]

    def _asked_once(self, text: str) -> Verdict:
        reason = self._why_not()
        if reason:
            return Verdict("unchecked", reason)
        try:
            return self._ask(_encodable(text))
        except BaseException:
            # The answer to this question is still to come and must not be taken for that to the next.
            self._stop()
            raise

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._stop()

    def _why_not(self) -> str | None:
        if not self._installed:
            if not all(importlib.util.find_spec(name) for name in ("mermaidx", "quickjs")):
                return _MISSING
            self._installed = True
        if self._losses >= _MOST_LOSSES:
            return f"Mermaid's engine was given up after it had failed {self._losses} times"
        if self._spent > _ALL_SECONDS:
            return f"Mermaid's engine has worked for {_ALL_SECONDS:g} seconds on the diagrams before it"
        return None

    def _start(self) -> None:
        if self._process is not None and (self._owner != os.getpid() or self._asked >= _MOST_DIAGRAMS):
            self._stop()
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._owner = os.getpid()
            self._ready, self._pending, self._asked = False, b"", 0
            atexit.register(self.close)

    def _stop(self) -> int | None:
        """End the process; return how it ended by itself, if it did."""
        process, self._process = self._process, None
        if process is None:
            return None
        atexit.unregister(self.close)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if self._owner != os.getpid():
            return None
        process.kill()
        return process.wait()

    def _lose(self) -> int | None:
        self._losses += 1
        return self._stop()

    def _ask(self, text: str) -> Verdict:
        try:
            self._start()
        except OSError as error:
            self._lose()
            return Verdict("unchecked", f"Mermaid's engine did not start ({error.strerror})")
        if not self._ready:
            greeting = self._receive(_START_SECONDS)
            if not isinstance(greeting, dict) or "ready" not in greeting:
                self._lose()
                reason = greeting.get("unavailable") if isinstance(greeting, dict) else None
                return Verdict("unchecked", f"Mermaid's engine did not start{f' ({reason})' if reason else ''}")
            self._ready = True
        self._asked += 1
        since = time.monotonic()
        answer = self._receive(self._seconds) if self._send({"text": text}) else "lost"
        self._spent += time.monotonic() - since
        if isinstance(answer, dict):
            return _verdict(answer)
        ended = self._lose()
        if answer == "late" or ended == -signal.SIGXCPU:
            return Verdict("unchecked", "Mermaid took too long over it")
        return Verdict("unchecked", "Mermaid's engine crashed on it")

    def _send(self, message: dict[str, str]) -> bool:
        if self._process is None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def _receive(self, seconds: float) -> dict[str, Any] | Literal["late", "lost"]:
        """Return the next line of the process."""
        if self._process is None or self._process.stdout is None:
            return "lost"
        source = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(source, select.POLLIN)
        until = time.monotonic() + seconds
        while b"\n" not in self._pending:
            left = until - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                return "late"
            data = os.read(source, 65536)
            if not data:
                return "lost"
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        try:
            answer: object = json.loads(line)
        except ValueError:
            return "lost"
        return cast("dict[str, Any]", answer) if isinstance(answer, dict) else "lost"


def _verdict(answer: dict[str, Any]) -> Verdict:
    error = answer.get("error")
    if not isinstance(error, dict):
        return Verdict("right") if "type" in answer else Verdict("unchecked", str(answer.get("failed", "no answer")))
    facts = cast("dict[str, Any]", error)
    name, message = str(facts["name"]), _in_one_line(facts["message"])
    if name == "UnknownDiagramError":
        return Verdict("unknown", message)
    if name not in _ABOUT_THE_DIAGRAM:
        return Verdict("unchecked", f"Mermaid failed on it ({name}: {message})")
    return _complaint(facts, message)


def _complaint(facts: dict[str, Any], message: str) -> Verdict:
    """Read an error of Mermaid's: of its YAML reader, of a newer or older grammar of it, or one without a place."""
    if facts.get("mark"):
        mark = cast("dict[str, Any]", facts["mark"])
        head = _in_one_line(str(facts["message"]).partition("\n")[0])
        return Verdict("wrong", f"front matter: {_LINE_SAID.sub('', head)}", _whole(mark.get("line")) + 1, front=True)
    for part in ("lexer", "parser"):
        if facts.get(part):
            place = cast("dict[str, Any]", facts[part])
            return Verdict(
                "wrong",
                _LINE_SAID.sub("", _in_one_line(place["message"])),
                _whole(place.get("line")),
                _whole(place.get("column")),
            )
    found = cast("dict[str, Any]", facts["hash"])
    if not isinstance(found.get("line"), int):
        return Verdict("wrong", message)
    token = str(found.get("text") or "")
    line = _whole(found["line"]) + 1 - token.count("\n")
    return Verdict("wrong", _expectation(found, message), max(1, line), token=token.strip())


def _encodable(text: str) -> str:
    """Replace halves of surrogate pairs, for which the engine has no room."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _in_one_line(text: object) -> str:
    return " ".join(str(text).split())[:300]


def _whole(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _expectation(found: dict[str, Any], message: str) -> str:
    """Say what the grammar wanted, in one line: its own list can be long."""
    expected = [str(one).strip("'") for one in found.get("expected") or ()]
    if not expected:
        return _LINE_SAID.sub("", message).partition(". ")[0].rstrip(".")
    text = str(found.get("text") or "").strip()
    what = f"unexpected {text[:60]!r}" if text else _ENDS.get(str(found.get("token")), "something is missing")
    some = ", ".join(expected[:_MOST_EXPECTED]) + (", …" if len(expected) > _MOST_EXPECTED else "")
    return f"{what} (expected: {some})"


_ENGINE: Final = Engine()


def prepare() -> None:
    """Start Mermaid's engine and do not wait for it."""
    _ENGINE.prepare()


def judge(text: str) -> Verdict:
    """Return what Mermaid says of a diagram."""
    return _ENGINE.judge(text)
