"""Serves the stand-in programs: every process that an engine starts has a connection here, as long as it lives.

The containers belong to the kit's one lock. A connection's reader takes it to begin a program or to hand a signal on;
what a program puts out is only queued under it, and written by a thread of the connection's own, so that a process
that does not read holds nobody up.
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket as sockets
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import cast

from tck_fakes.daemon.errors import REFUSED, SIGNALLED
from tck_fakes.listening import GoneError, Listening
from tck_fakes.programs.call import Process, ProgramCall
from tck_fakes.programs.programs import Programs

#: The longest line a program may send; a prompt stands in it whole.
MAX_LINE = 16 * 1024 * 1024
#: How much may wait to be read by a program before it is given up.
MAX_WAITING = 64 * 1024 * 1024
_BLOCK = 65_536


class _RefusedError(Exception):
    """The program cannot be begun; the text says why."""


class _Connection:
    """One process of an engine's, and the kit's way back to it."""

    def __init__(self, listener: ProgramListener, link: sockets.socket) -> None:
        self._listener = listener
        self._link = link
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        #: Texts that the program has not said it has written.
        self._unseen = 0
        self._begun = False
        self._counting = threading.Lock()
        #: Nothing more is written; and whether that is because the program was told its end.
        self._over = False
        self._ended = False
        self.reader = threading.Thread(target=self._read, name="program reader", daemon=True)
        self.writer = threading.Thread(target=self._write, name="program writer", daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self.writer.start()
        self.reader.start()

    def close(self) -> None:
        """End it, whatever is still to be said."""
        self._over = True
        self._queue.put(None)
        with contextlib.suppress(OSError):
            self._link.shutdown(sockets.SHUT_RDWR)

    def join(self) -> None:
        """Wait until its threads have ended."""
        self.reader.join()

    @property
    def relayed(self) -> bool:
        """Whether whoever started the program can read all that it was given to write."""
        return self._over or (self._begun and not self._unseen)

    # The channel

    def out(self, text: str) -> None:
        """Queue text for standard output."""
        self._text("out", text)

    def err(self, text: str) -> None:
        """Queue text for standard error."""
        self._text("err", text)

    def exit(self, code: int) -> None:
        """Queue the end."""
        if not self._over:
            self._put(f"exit {code}\n".encode())
            self._over = self._ended = True
            self._queue.put(None)

    def _text(self, stream: str, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        with self._counting:
            self._unseen += 1
        self._put(f"{stream} {len(data)}\n".encode() + data)

    def _put(self, data: bytes) -> None:
        if self._over:
            return
        with self._counting:
            self._waiting += len(data)
        if self._waiting > MAX_WAITING:
            self.close()
        else:
            self._queue.put(data)

    # The threads

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while (data := self._queue.get()) is not None:
                self._link.sendall(data)
                with self._counting:
                    self._waiting -= len(data)
        # The program ends at the last word; this lets the reader end too.
        with contextlib.suppress(OSError):
            self._link.shutdown(sockets.SHUT_RDWR)

    def _read(self) -> None:
        process: Process | None = None
        try:
            lines = self._lines()
            process = self._begin(lines)
            self._begun = True
            for line in lines:
                said = _object(line)
                if "shown" in said:
                    with self._counting:
                        self._unseen -= 1
                self._pass_on(process, said)
        except _RefusedError as refusal:
            self.err(f"{refusal}\n")
            self.exit(REFUSED)
        except GoneError:
            pass
        finally:
            if process is not None and not self._ended:
                with contextlib.suppress(GoneError), self._listener.hold():
                    process.gone()
            self._over = True
            self._queue.put(None)
            self.writer.join()
            self._link.close()
            self._listener.forget(self)

    def _pass_on(self, process: Process, said: dict[str, object]) -> None:
        """Hand on a signal, or a piece of standard input."""
        number, piece = said.get("signal"), said.get("input")
        if isinstance(number, int):
            with self._listener.hold():
                process.signal(number)
        if isinstance(piece, str):
            with self._listener.hold(), _at_fault(self._listener.programs(), "how to go on"):
                process.heard(piece.encode("utf-8", "surrogateescape"))

    def _begin(self, lines: Iterator[bytes]) -> Process:
        """Read the call, and standard input where the program wants it, and begin."""
        given = _object(next(lines, None))
        call = _call(given, "")
        with self._listener.hold():
            programs = self._listener.programs()
            converses = programs.converses(call)
            wants = not converses and programs.wants_stdin(call)
        if converses:
            self._put(b"input\n")
        stdin = ""
        if wants:
            self._put(b"stdin\n")
            answer = _object(next(lines, None))
            number = answer.get("signal")
            if isinstance(number, int):
                self.exit(SIGNALLED + number)
                raise GoneError
            stdin = str(answer.get("stdin", ""))
        with self._listener.hold():
            programs = self._listener.programs()
            with _at_fault(programs, f"how to begin {call.program}"):
                return programs.begin(_call(given, stdin), self)

    def _lines(self) -> Iterator[bytes]:
        pending = bytearray()
        while True:
            try:
                data = self._link.recv(_BLOCK)
            except OSError:
                data = b""
            if not data:
                return
            pending += data
            if b"\n" in data:
                *whole, rest = pending.split(b"\n")
                pending = rest
                yield from (bytes(line) for line in whole)
            if len(pending) > MAX_LINE:
                raise _RefusedError(f"session-tck: a program's call or input is longer than {MAX_LINE} bytes")


@contextlib.contextmanager
def _at_fault(programs: Programs, what: str) -> Generator[None]:
    """Take note of whatever goes wrong: it is the kit's, and must not end a thread unseen or let a program wait."""
    try:
        yield
    except Exception as fault:
        programs.unknown.append(f"{what} ({type(fault).__name__}: {fault})")
        raise _RefusedError(f"session-tck: a fault of the kit: {type(fault).__name__}: {fault}") from fault


def _object(line: bytes | None) -> dict[str, object]:
    if line is None:
        raise GoneError
    try:
        read: object = json.loads(line.decode("utf-8", "surrogateescape"))
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise _RefusedError("session-tck: what a program sent is no JSON object")
    return cast("dict[str, object]", read)


def _call(given: dict[str, object], stdin: str) -> ProgramCall:
    argv, environment = given.get("argv"), given.get("environment")
    if not isinstance(argv, list) or not isinstance(environment, dict):
        raise _RefusedError("session-tck: what a program sent is no call")
    return ProgramCall(
        program=str(given.get("program", "")),
        argv=tuple(str(word) for word in cast("list[object]", argv)),
        cwd=str(given.get("cwd", "/")),
        environment={str(name): str(value) for name, value in cast("dict[object, object]", environment).items()},
        stdin=stdin,
        terminal=given.get("terminal") is True,
        user=str(given.get("user", "")),
    )


class ProgramListener:
    """Listens for the stand-in programs, from `start` to `close`."""

    def __init__(self, socket: Path, current: Callable[[], Programs | None], lock: threading.RLock) -> None:
        """Listen at `socket`. `current` gives the open scenario's programs; it and they are used under `lock` alone."""
        self._current = current
        self._listening = Listening(socket, lock, self._receive, "programs")
        #: Begins to listen, ends all of it, holds the kit's lock, and lets go of a connection.
        self.start = self._listening.start
        self.close = self._listening.close
        self.hold = self._listening.hold
        self.forget = self._listening.forget

    def programs(self) -> Programs:
        """Give the open scenario's programs. Raises `_RefusedError` where none is open."""
        programs = self._current()
        if programs is None:
            raise _RefusedError("session-tck: no scenario is open, so nothing can be started")
        return programs

    def relayed(self) -> bool:
        """Say whether every program that runs has written all that it was given."""
        return all(connection.relayed for connection in self._listening.visitors())

    def _receive(self, link: sockets.socket) -> _Connection:
        return _Connection(self, link)
