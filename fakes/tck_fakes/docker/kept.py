"""One container of the real runtime, as the kit keeps it: what was asked, what it has said, and how far it has come."""

from __future__ import annotations

import json
import os
import select
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from tck_driver.bench import Script
from tck_driver.errors import KitError
from tck_fakes.docker.engine import PATIENCE, Attached
from tck_fakes.docker.held import Host
from tck_fakes.docker.talk import Orders, line
from tck_fakes.standins.base import Account, Cli
from tck_simulator.ports import ContainerRequest, ContainerState

Phase = Literal["created", "running", "exited", "refused"]
#: Seconds within which the last words come of a stand-in whose output has ended.
_LAST = 1.0
_CHUNK = 65536


@dataclass(slots=True, eq=False)
class Kept:
    """One container. `id` is ours, the same for the same seed; `number` is the engine's, of what came to be."""

    id: str
    request: ContainerRequest
    created: datetime
    number: str = ""
    phase: Phase = "created"
    cli: Cli | None = None
    script: Script = field(default_factory=Script)
    account: Account | None = None
    exit_code: int | None = None
    hangs: bool = False
    due: datetime | None = None
    removed: bool = False
    version: bool = False
    host: Host | None = None
    attached: Attached | None = None
    line: Line | None = None
    output: tuple[bytearray, bytearray] = field(default_factory=lambda: (bytearray(), bytearray()))

    @property
    def ended(self) -> bool:
        """Whether it has come to its end, by itself or not."""
        return self.exit_code is not None

    def stands(self, now: datetime) -> bool:
        """Tell whether it runs and yet nothing comes of it until the clock or the bench lets it go on."""
        return self.phase == "running" and (self.hangs or (self.due is not None and self.due > now))

    def state(self) -> ContainerState:
        """Give what it has put out so far, and its exit code."""
        out, err = (bytes(stream).decode("utf-8", "replace") for stream in self.output)
        return ContainerState(self.exit_code, out, err)

    def next_word(self) -> Mapping[str, Any] | None:
        """Give the next thing that the stand-in says, once all that it printed before is here; None where it ended."""
        if self.line is None:
            return None
        deadline = time.monotonic() + PATIENCE
        while True:
            said = self.line.next()
            if said is not None:
                self._read_until(said["printed"], deadline)
                return said
            if self.line.closed or not self._take(deadline):
                return None

    def drain(self) -> None:
        """Read what is put out up to the end."""
        deadline = time.monotonic() + PATIENCE
        while self.attached is not None:
            _readable((self.attached,), deadline, self.id)
            self._read()

    def let_go(self) -> None:
        """Close what leads to it."""
        if self.line is not None:
            self.line.close()
            self.line = None
        if self.attached is not None:
            self.attached.close()
            self.attached = None

    def _read_until(self, printed: list[int], deadline: float) -> None:
        while self.attached is not None and any(len(self.output[one]) < printed[one] for one in (0, 1)):
            _readable((self.attached,), deadline, self.id)
            self._read()

    def _take(self, deadline: float) -> bool:
        """Take in whatever comes next, a word or output; False where nothing can come any more."""
        if self.line is None:
            return False
        if self.attached is None:
            # All output has ended, so the stand-in is at its end too, unless the engine is gone and it waits for ever.
            if not select.select((self.line,), (), (), _LAST)[0]:
                return False
            self.line.read()
            return True
        ready = _readable((self.line, self.attached), deadline, self.id)
        if self.line in ready:
            self.line.read()
        if self.attached in ready:
            self._read()
        return True

    def _read(self) -> None:
        if self.attached is None:
            return
        frames = self.attached.read()
        if frames is None:
            self.attached.close()
            self.attached = None
            return
        for stream, data in frames:
            self.output[stream].extend(data)


class Line:
    """The kit's end of the socket of one container: it waits for the stand-in, then hears and tells."""

    def __init__(self, listener: socket.socket, orders: Orders) -> None:
        """Wait on a listening socket; whoever comes is told the orders."""
        self._link = listener
        self._orders: Orders | None = orders
        self._rest = b""
        self.closed = False

    def fileno(self) -> int:
        """Give what can be waited on."""
        return self._link.fileno()

    def next(self) -> Mapping[str, Any] | None:
        """Give what has been said and not been heard yet."""
        head, newline, rest = self._rest.partition(b"\n")
        if not newline:
            return None
        self._rest = rest
        said: Mapping[str, Any] = json.loads(head)
        return said

    def read(self) -> None:
        """Take in what has come: first the stand-in itself."""
        if self._orders is not None:
            link, _ = self._link.accept()
            self._link.close()
            self._link = link
            orders, self._orders = self._orders, None
            try:
                link.sendall(orders.encode())
            except OSError:
                # Whoever came has gone again; its container's end tells the rest.
                self.closed = True
            return
        try:
            came = self._link.recv(_CHUNK)
        except ConnectionError:
            came = b""
        self.closed = not came
        self._rest += came

    def go_on(self, shared: Mapping[str, object]) -> None:
        """Let it go on from where it stands still, with what all containers share."""
        with suppress(OSError):
            self._link.sendall(line(shared))

    def close(self) -> None:
        """Hear no more."""
        self._link.close()


def listening(path: Path, user: str) -> socket.socket:
    """Listen on a socket at a path, whatever its length, for `user` alone, as whom the container runs: `uid:gid`."""
    link = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # A socket's path has room for some hundred letters, and a worker's folder may lie deep.
        link.bind(f"/proc/self/fd/{folder}/{path.name}")
        link.listen(1)
        uid, gid = (int(number) for number in user.split(":"))
        if os.getuid() == 0:
            os.chown(path, uid, gid)
        # Where it is neither root's to give away nor already the container's user's, it has to be everybody's.
        path.chmod(0o600 if os.getuid() in {0, uid} else 0o666)
    finally:
        os.close(folder)
    return link


def _readable(links: tuple[Line | Attached, ...], deadline: float, container: str) -> list[Line | Attached]:
    ready, _, _ = select.select(links, (), (), max(0.0, deadline - time.monotonic()))
    if not ready:
        raise KitError(
            f"container {container} says nothing for {PATIENCE} seconds, nor does the container engine tell of its end"
        )
    return ready
