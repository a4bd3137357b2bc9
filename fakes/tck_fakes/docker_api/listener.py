"""Serves docker's API on a Unix socket: each connection has a thread, and the containers belong to the kit's lock.

A request is answered under that lock and written without it. An answer that goes on, such as a container's output, is
only queued under it, and written by the thread of its connection, so that a client that does not read holds nobody up.
"""

from __future__ import annotations

import contextlib
import socket as sockets
import threading
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from tck_fakes.daemon.daemon import Daemon
from tck_fakes.docker_api.answer import Answer, Stream, refused
from tck_fakes.docker_api.call import Call
from tck_fakes.docker_api.routes import carry_out
from tck_fakes.docker_api.taken import Peer
from tck_fakes.docker_api.wire import MAX_BODY, Request, Wire, WireError
from tck_fakes.listening import GoneError, Listening

#: How many connections are served at once.
MAX_CONNECTIONS = 512
#: Told of every request and the status of its answer.
Heard = Callable[[Request, int], None]


def _nobody(request: Request, status: int) -> None:
    del request, status


class _Connection:
    """One connection of a client's; requests come one after the other."""

    def __init__(self, listener: DockerListener, link: sockets.socket, *, welcome: bool) -> None:
        self._listener = listener
        self._link = link
        self._welcome = welcome
        self._wire = Wire(link)
        self._peer = Peer(link)
        #: A request is under way, up to the last byte of its answer; of one that goes on, see its stream.
        self._busy = True
        self._stream: Stream | None = None
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, name="docker connection", daemon=True)]

    def start(self) -> None:
        """Begin to serve."""
        self._threads[0].start()

    def close(self) -> None:
        """End it, whatever is still to be said."""
        self._closed = True
        stream = self._stream
        if stream is not None:
            stream.abort()
        with contextlib.suppress(OSError):
            self._link.shutdown(sockets.SHUT_RDWR)

    def join(self) -> None:
        """Wait until its threads have ended."""
        for thread in list(self._threads):
            thread.join()

    def took(self, resting: dict[int, bool]) -> bool:
        """Say whether the client has everything, and has done what follows from it."""
        stream = self._stream
        if stream is not None and stream.broken:
            # Nobody waits for one who was given up.
            return True
        under_way = self._busy or (stream is not None and stream.waiting)
        return not under_way and not self._wire.begun and self._peer.took(resting)

    # The threads

    def _serve(self) -> None:
        try:
            if not self._welcome:
                text = f"session-tck: more than {MAX_CONNECTIONS} connections are open"
                self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, text)
                return
            self._busy = False
            while self._wire.wait():
                self._busy = True
                if not self._one():
                    return
                self._busy = False
        except (GoneError, OSError):
            pass
        finally:
            with contextlib.suppress(OSError):
                self._link.shutdown(sockets.SHUT_RDWR)
            for thread in self._threads[1:]:
                thread.join()
            self._link.close()
            self._listener.forget(self)

    def _one(self) -> bool:
        """Serve one request; say whether another one can follow."""
        try:
            request = self._wire.request()
        except WireError as fault:
            self._refuse(fault.status, str(fault))
            return False
        if request is None:
            return False
        self._peer.told()
        answer, call = self._listener.answer(request)
        if isinstance(answer, Answer):
            self._write(answer.written(kept=request.kept, only_head=request.method == "HEAD"))
            return request.kept
        return self._go_on(answer, call) and request.kept

    def _go_on(self, stream: Stream, call: Call | None) -> bool:
        """Write an answer as it comes; say whether another request can follow."""
        self._stream = stream
        if self._closed:
            # Whoever closed it has not seen the stream.
            stream.abort()
        try:
            self._write(stream.head)
            self._busy = False
            if stream.listens and call is not None:
                listening = threading.Thread(target=self._listen, args=(call,), name="docker input", daemon=True)
                self._threads.append(listening)
                listening.start()
            while (data := stream.take()) is not None:
                self._write(data)
                stream.wrote(data)
        finally:
            # Whatever comes now is for nobody.
            stream.abort()
            self._busy = True
            self._stream = None
            if call is not None:
                call.daemon.open_ones.discard(stream.abort)
        return stream.framing == "chunked" and not stream.broken

    def _listen(self, call: Call) -> None:
        """Take standard input up to its end."""
        heard = bytearray()
        while data := self._wire.raw():
            self._peer.told()
            heard += data
            if len(heard) > MAX_BODY:
                with contextlib.suppress(GoneError), self._listener.hold():
                    call.daemon.unknown.append(f"standard input that is longer than {MAX_BODY} bytes")
                self.close()
                return
        hear = call.hear
        if hear is not None:
            text = heard.decode("utf-8", "replace")
            self._listener.act(call.daemon, "how to take standard input", lambda: hear(text))

    def _refuse(self, status: int, text: str) -> None:
        self._write(refused(status, text).written(kept=False, only_head=False))
        self._wire.linger()

    def _write(self, data: bytes) -> None:
        self._link.settimeout(None)
        self._link.sendall(data)
        self._peer.told()


class DockerListener:
    """Listens for clients of docker's API, from `start` to `close`."""

    def __init__(
        self, socket: Path, current: Callable[[], Daemon | None], lock: threading.RLock, heard: Heard = _nobody
    ) -> None:
        """Listen at `socket`. `current` gives the open scenario's daemon; it is used under `lock` alone."""
        self._current = current
        self._heard = heard
        self._listening = Listening(socket, lock, self._receive, "docker", private=True)
        self._timers: set[threading.Timer] = set()
        #: Begins to listen, holds the kit's lock, and lets go of a connection.
        self.start = self._listening.start
        self.hold = self._listening.hold
        self.forget = self._listening.forget

    def close(self) -> None:
        """End every conversation and leave neither thread nor file. May be called while the lock is held."""
        self._listening.close()
        for timer in list(self._timers):
            timer.cancel()
            timer.join()

    def act(self, daemon: Daemon | None, what: str, action: Callable[[], None]) -> None:
        """Do something that no request waits for; a fault of it is noted, and whoever waits for more is let go."""
        with contextlib.suppress(GoneError), self.hold():
            # The scenario may be over, and nothing of it must begin any more.
            if daemon is None or self._current() is not daemon:
                return
            try:
                action()
            except Exception as fault:  # noqa: BLE001 -- the kit's own: no thread ends unseen
                daemon.fail(f"{what} ({type(fault).__name__}: {fault})")

    def relayed(self) -> bool:
        """Say whether every client has taken all that it was given, and done what follows from it."""
        resting: dict[int, bool] = {}
        return all(connection.took(resting) for connection in self._listening.visitors())

    def answer(self, request: Request) -> tuple[Answer | Stream, Call | None]:
        """Carry a request out. Raises `GoneError` where the listener closes meanwhile."""
        with self.hold():
            daemon = self._current()
            try:
                answer, call = carry_out(daemon, request, self._later)
            except Exception as fault:  # noqa: BLE001 -- the kit's own: told to both sides, and no thread ends unseen
                text = f"{request.method} {request.path[:200]} ({type(fault).__name__}: {fault})"
                if daemon is not None:
                    daemon.unknown.append(f"how to answer {text}")
                answer, call = refused(500, f"session-tck: a fault of the kit: {text}"), None
        status = answer.status if isinstance(answer, Answer) else HTTPStatus.OK
        try:
            self._heard(request, status)
        except Exception as fault:  # noqa: BLE001 -- the same; the answer is none the worse for it
            if daemon is not None:
                with self.hold():
                    daemon.unknown.append(f"how to take note of a request ({type(fault).__name__}: {fault})")
        return answer, call

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        daemon = self._current()

        def then() -> None:
            self.act(daemon, "how to go on without standard input", action)
            self._timers.discard(timer)

        timer = threading.Timer(seconds, then)
        timer.name, timer.daemon = "docker timer", True
        self._timers.add(timer)
        timer.start()

    def _receive(self, link: sockets.socket) -> _Connection:
        welcome = len(self._listening.visitors()) < MAX_CONNECTIONS
        return _Connection(self, link, welcome=welcome)
