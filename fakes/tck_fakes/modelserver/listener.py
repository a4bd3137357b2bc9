"""Where connections to the model server come in: a port of loopback, or a unix socket, with a bound on how many."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tck_fakes.modelserver.link import Link

#: Connections at a time; whoever comes after them waits to be taken.
_MOST: Final = 200
_BACKLOG: Final = 128


#: Gives a TCP socket that is bound to a port of loopback, any free one for 0, and may be bound there again.
Bind = Callable[[int], socket.socket]


class Listener:
    """Takes connections until it is closed; it can be made deaf, and hear again, at the same place."""

    def __init__(
        self, socket_path: Path | None, host: str, port: int, serve: Callable[[Link], None], bind: Bind | None = None
    ) -> None:
        """Listen from now on. Raises `OSError` where that cannot be."""
        self._serve, self._bind = serve, bind
        self._path, self._address = socket_path, (host, port)
        self._lock = threading.Lock()
        self._links: dict[socket.socket, Link] = {}
        self._room = threading.Semaphore(_MOST)
        self._closed = False
        self._socket: socket.socket | None = None
        #: Keeps the port while nobody listens at it.
        self._keeper: socket.socket | None = None
        if socket_path is None:
            self._keeper = self._bound()
            self._address = (host, self._keeper.getsockname()[1])
            if sys.platform != "linux":
                # Elsewhere nobody may listen where another socket is bound.
                self._keeper.close()
        self._listen()
        threading.Thread(target=self._look_after, daemon=True).start()

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"unix:{self._path}" if self._path else f"http://{self._address[0]}:{self._address[1]}"

    def deaf(self) -> None:
        """Listen no more for the time being, and break what is open: connections are refused."""
        with self._lock:
            listening, self._socket = self._socket, None
        _end(listening)
        self._break()

    def hear(self) -> None:
        """Listen again after `deaf`."""
        with self._lock:
            listening = self._socket is not None or self._closed
        if not listening:
            self._listen()

    def close(self) -> None:
        """End everything."""
        with self._lock:
            self._closed = True
        self.deaf()
        if self._keeper is not None:
            self._keeper.close()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()

    def _bound(self) -> socket.socket:
        if self._path is None and self._bind is not None:
            return self._bind(self._address[1])
        made = socket.socket(socket.AF_INET if self._path is None else socket.AF_UNIX)
        try:
            if self._path is None:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                made.bind(self._address)
            else:
                _make_room(self._path)
                made.bind(str(self._path))
                self._path.chmod(0o600)
        except BaseException:
            made.close()
            raise
        return made

    def _listen(self) -> None:
        listening = self._bound()
        listening.listen(_BACKLOG)
        with self._lock:
            self._socket = listening
        threading.Thread(target=self._accept, args=(listening,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            self._room.acquire()
            try:
                connection, _ = listening.accept()
            except OSError as fault:
                self._room.release()
                if fault.errno in {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ECONNABORTED}:
                    time.sleep(0.1)
                    continue
                return
            threading.Thread(target=self._take, args=(connection, listening), daemon=True).start()

    def _take(self, connection: socket.socket, listening: socket.socket) -> None:
        def opened(link: Link) -> None:
            with self._lock:
                if self._socket is not listening:
                    raise ConnectionResetError
                self._links[connection] = link

        try:
            if self._path is None:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Link(connection, opened, self._serve)
        except (OSError, ValueError):
            # The client has gone, or the connection was broken from here.
            pass
        finally:
            with self._lock:
                self._links.pop(connection, None)
            connection.close()
            self._room.release()

    def _look_after(self) -> None:
        """End connections that take too long to say what they want."""
        while not self._closed:
            time.sleep(1.0)
            now = time.monotonic()
            with self._lock:
                late = [connection for connection, link in self._links.items() if link.deadline < now]
            for connection in late:
                _end(connection, close=False)

    def _break(self) -> None:
        with self._lock:
            links = list(self._links)
        for connection in links:
            _end(connection, close=False)


def _end(one: socket.socket | None, *, close: bool = True) -> None:
    """Wake whoever waits at a socket, which closing it alone would not."""
    if one is None:
        return
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    if close:
        one.close()


def _make_room(path: Path) -> None:
    """Take away a socket at which nobody listens any more. Raises `OSError` where somebody does, or it is no socket."""
    try:
        kind = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISSOCK(kind):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
                return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
