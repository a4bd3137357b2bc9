"""The reference simulator as a program: one more engine behind a driver, over standard streams or HTTP.

It meets the kit's own fakes through the desk, so any difference to the simulator in process is a fault of protocol,
driver or kit.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib import metadata
from pathlib import Path

from tck_driver.configuration import EngineConfig
from tck_driver.engine import Declaration, Leaks, Quiescence
from tck_driver.errors import EngineError
from tck_driver.messages import Rest
from tck_driver.server import Server, serve_http, serve_stdio
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, ViewName
from tck_fakes.clock import VirtualClock
from tck_fakes.desk import DeskClient, DeskForge, DeskModels, DeskRemover, DeskRuntime
from tck_fakes.in_process import InProcessEngine
from tck_simulator.store import Store

#: The file of its database, in the driver's folder.
DATABASE = "engine.sqlite"
#: The socket of the desk, beside the folder with the stand-in programs.
DESK = "desk"


class ServedSimulator:
    """Implements `ServedEngine` with the simulator."""

    def __init__(self, directory: str) -> None:
        """Make the database; the simulator itself is made for each scenario."""
        self._store = Store(f"sqlite:///{Path(directory) / DATABASE}")
        self._store.create()
        self._version = metadata.version("session-tck")
        self._clock = VirtualClock()
        self._desk: DeskClient | None = None
        self._inner: InProcessEngine | None = None

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Support everything."""
        return Declaration(
            "session-tck reference simulator",
            self._version,
            "Python",
            capabilities=dict.fromkeys(capabilities, "supported"),
        )

    def prepare(self, now: datetime, endpoints: Mapping[str, str]) -> None:
        """Find the fakes."""
        self._leave()
        self._clock = VirtualClock(now)
        self._desk = desk = DeskClient(Path(endpoints["path"]).with_name(DESK), self._clock)
        self._inner = InProcessEngine(
            clock=self._clock,
            runtime=DeskRuntime(desk),
            forge=DeskForge(desk),
            models=DeskModels(desk),
            remover=DeskRemover(desk),
            store=self._store,
            version=self._version,
        )

    def open(self, config: EngineConfig) -> str | None:
        """Begin a scenario."""
        return self._it().open(config)

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Take a stimulus in."""
        return self._it().send(stimulus)

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self._it().advance(milliseconds)

    def advance_to(self, now: datetime) -> None:
        """Let it be this time. The kit's clock may be there already."""
        self._it().advance(max(0, (now - self._clock.now()) // timedelta(milliseconds=1)))

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Do what is due."""
        return self._it().quiesce(deadline_ms)

    def rest(self) -> Rest:
        """Say what is under way."""
        return self._it().rest()

    def query(self, view: ViewName) -> Sequence[Row]:
        """Answer from the bookkeeping."""
        return self._it().query(view)

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Overwrite a stored native id."""
        self._it().overwrite(run, native_session_id)

    def kill(self) -> None:
        """End without warning."""
        self._it().kill()

    def start(self) -> str | None:
        """Start again."""
        return self._it().start()

    def close(self) -> Leaks:
        """End the scenario."""
        try:
            return self._it().close()
        finally:
            self._leave()

    def _leave(self) -> None:
        if self._desk is not None:
            self._desk.close()
            self._desk = None

    def _it(self) -> InProcessEngine:
        if self._inner is None:
            raise EngineError("no scenario was opened")
        return self._inner


def main() -> None:
    """Serve over standard streams, or with the word `http` on a free port that the first line of output names."""
    server = Server(ServedSimulator, "session-tck simulator driver", metadata.version("session-tck"))
    if sys.argv[1:] == ["http"]:
        serve_http(server, 0, lambda url: print(url, flush=True))  # noqa: T201 -- the one line that the kit waits for
    else:
        serve_stdio(server)


if __name__ == "__main__":
    main()
