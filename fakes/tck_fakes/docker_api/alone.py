"""Docker's API by itself, in real time, for whoever wants to point a client at it and see what it asks for."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliStarted, WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.docker_api.listener import DockerListener
from tck_fakes.docker_api.wire import Request
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.standins.versions import DEFAULT_VERSIONS

#: How often it is looked whether a container's time has come, seconds.
_TICK = 0.02
Tell = Callable[[dict[str, Any]], None]


class Alone:
    """Serves from entering to leaving. `tell` is told of every request and of every record of what was witnessed."""

    def __init__(self, socket: Path, tell: Tell, duration_ms: int = 0) -> None:
        """Prepare; an agent's run takes so many milliseconds."""
        self._tell = tell
        self._duration = duration_ms
        self._lock = threading.RLock()
        self._folder = tempfile.TemporaryDirectory(prefix="session-tck-", ignore_cleanup_errors=True)
        self._clock = VirtualClock(datetime.now(UTC))
        self._witness = WitnessLog()
        self._runtime = FakeContainerRuntime(self._clock, self._witness, Path(self._folder.name))
        self._daemon = Daemon(self._runtime, self._clock)
        self._listener = DockerListener(socket, self._current, self._lock, self._heard)
        self._over = threading.Event()
        self._ticking = threading.Thread(target=self._tick, name="docker clock", daemon=True)
        self._plan(*DEFAULT_VERSIONS)

    def __enter__(self) -> Self:
        """Begin to listen. Raises `KitError` where that is not possible."""
        try:
            self._listener.start()
            self._ticking.start()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Listen no more, and end what still runs."""
        self._close()

    def _close(self) -> None:
        self._over.set()
        if self._ticking.ident is not None:
            self._ticking.join()
        with self._lock:
            self._daemon.close()
        self._listener.close()
        self._runtime.close()
        self._folder.cleanup()
        self._tell_lacks()

    def _current(self) -> Daemon:
        self._go_on()
        return self._daemon

    def _heard(self, request: Request, status: int) -> None:
        with self._lock:
            self._go_on()
            lacks = self._lacks()
        line: dict[str, Any] = {"request": f"{request.method} {request.target}", "status": status}
        self._tell(line | ({"unknown": lacks} if lacks else {}))

    def _tick(self) -> None:
        while not self._over.wait(_TICK):
            with self._lock:
                if not self._go_on():
                    # No request may follow that it could be told with.
                    self._tell_lacks()

    def _go_on(self) -> bool:
        """Turn; say whether that went well. A fault is noted, and no client waits for what will not come."""
        try:
            self._turn()
        except Exception as fault:  # noqa: BLE001 -- the kit's own: neither the clock nor a connection may end from it
            self._daemon.fail(f"how to go on ({type(fault).__name__}: {fault})")
            return False
        return True

    def _lacks(self) -> list[str]:
        lacks, self._daemon.unknown[:] = [*self._daemon.unknown], []
        return lacks

    def _tell_lacks(self) -> None:
        lacks = self._lacks()
        if lacks:
            self._tell({"unknown": lacks})

    def _turn(self) -> None:
        """Let it be now, tell what has been witnessed since, and plan the next runs."""
        self._clock.set(datetime.now(UTC))
        for container in self._runtime.forget():
            self._daemon.bodies.pop(container, None)
        records, self._witness.records[:] = [*self._witness.records], []
        for record in records:
            self._tell({"witnessed": type(record).__name__, **json.loads(json.dumps(asdict(record), default=str))})
            if isinstance(record, CliStarted):
                self._plan(AdapterId(record.adapter))

    def _plan(self, *adapters: AdapterId) -> None:
        for adapter in adapters:
            self._runtime.script(adapter, Script(duration_ms=self._duration))
