"""A Unix socket on which the kit listens for what an engine starts, and the lock that all of it works under.

Nothing here waits for the kit's lock without end, so that closing always succeeds.
"""

from __future__ import annotations

import contextlib
import socket as sockets
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from tck_driver.errors import KitError

#: The longest path a Unix socket can have on every system.
MAX_PATH = 103
_MOMENT = 0.05


class GoneError(Exception):
    """Whoever connected has gone, or the listener closes."""


class Visitor(Protocol):
    """One connection, as long as it lasts."""

    def start(self) -> None:
        """Begin to serve it."""
        ...

    def close(self) -> None:
        """End it, whatever is still to be said."""
        ...

    def join(self) -> None:
        """Wait until its threads have ended."""
        ...


V = TypeVar("V", bound=Visitor)


class Listening(Generic[V]):
    """Listens from `start` to `close`; `receive` makes a visitor of each connection."""

    def __init__(
        self,
        place: Path,
        lock: threading.RLock,
        receive: Callable[[sockets.socket], V],
        name: str,
        *,
        private: bool = False,
    ) -> None:
        """`private`: nobody but its owner may connect."""
        self._place = place
        self._lock = lock
        self._receive = receive
        self._name = name
        self._private = private
        self._closing = threading.Event()
        self._visitors: set[V] = set()
        self._known = threading.Lock()
        self._socket: sockets.socket | None = None
        self._accepting: threading.Thread | None = None

    def start(self) -> None:
        """Begin to listen. Raises `KitError` where the system has no place for the socket."""
        if len(str(self._place).encode()) > MAX_PATH:
            raise KitError(f"the socket's path {self._place} is longer than {MAX_PATH} bytes; use a shorter folder")
        listening = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        try:
            listening.bind(str(self._place))
            if self._private:
                # Before anybody can connect: that is from `listen` on.
                self._place.chmod(0o600)
            listening.listen(128)
        except OSError as error:
            listening.close()
            raise KitError(f"nothing can listen at {self._place}: {error.strerror}") from error
        self._socket = listening
        self._accepting = threading.Thread(target=self._accept, args=(listening,), name=self._name, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        """End every conversation and leave neither thread nor file. May be called while the lock is held."""
        if self._socket is None or self._accepting is None:
            return
        self._closing.set()
        with contextlib.suppress(OSError), sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as last:
            # Not every system wakes a thread that accepts when its socket is closed; a visitor does.
            last.connect(str(self._place))
        self._accepting.join()
        self._socket.close()
        self._socket = None
        self._place.unlink(missing_ok=True)
        open_ones = self.visitors()
        for visitor in open_ones:
            visitor.close()
        for visitor in open_ones:
            visitor.join()

    @property
    def closing(self) -> bool:
        """Whether it has been closed, or is about to be."""
        return self._closing.is_set()

    def pause(self, seconds: float) -> bool:
        """Let real time pass; say whether the listener was closed meanwhile."""
        return self._closing.wait(seconds)

    @contextlib.contextmanager
    def hold(self) -> Generator[None]:
        """Hold the kit's lock. Raises `GoneError` where the listener closes meanwhile."""
        while not self._lock.acquire(timeout=_MOMENT):
            if self._closing.is_set():
                raise GoneError
        try:
            yield
        finally:
            self._lock.release()

    def visitors(self) -> Sequence[V]:
        """Give the connections that are open."""
        with self._known:
            return list(self._visitors)

    def forget(self, visitor: V) -> None:
        """Let go of a connection that has ended."""
        with self._known:
            self._visitors.discard(visitor)

    def _accept(self, listening: sockets.socket) -> None:
        while True:
            try:
                link, _ = listening.accept()
            except OSError:
                if self._closing.is_set():
                    return
                # Out of descriptors, most likely; others may end.
                self._closing.wait(_MOMENT)
                continue
            if self._closing.is_set():
                link.close()
                return
            visitor = self._receive(link)
            with self._known:
                self._visitors.add(visitor)
            visitor.start()
