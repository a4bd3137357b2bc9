"""The simulator as an engine of turns, as a program: one more course engine behind a driver.

It meets the kit's own fakes through the desk, so any difference to the one in process is a fault of protocol, driver or
kit.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path

from tck_driver.course_server import CourseServer
from tck_driver.courses import Cast, Course, Played
from tck_driver.engine import Declaration, Leaks
from tck_driver.errors import EngineError
from tck_driver.server import serve_http, serve_stdio
from tck_fakes.clock import VirtualClock
from tck_fakes.desk import DeskClient, DeskRuntime
from tck_fakes.in_process_turns import InProcessTurns, declaration_of
from tck_fakes.served import DESK
from tck_simulator.turns.kinds import KINDS, Kind


class ServedTurns:
    """Implements `CourseEngine` with the simulator of one kind."""

    def __init__(self, kind: Kind, directory: str) -> None:  # noqa: ARG002 -- it keeps nothing there
        """Prepare. All that the simulator keeps lies in the folder of its scenario."""
        self._kind = kind
        self._version = metadata.version("session-tck")
        self._desk: DeskClient | None = None
        self._inner: InProcessTurns | None = None

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Declare what the kind of engine has."""
        return declaration_of(self._kind, self._version, capabilities)

    def prepare(self, workdir: str, endpoints: Mapping[str, str]) -> None:
        """Find the fakes."""
        self._leave()
        self._desk = DeskClient(Path(endpoints["path"]).with_name(DESK), VirtualClock())
        self._inner = InProcessTurns(self._kind, DeskRuntime(self._desk), Path(workdir) / "base", self._version)

    def cast(self, course: Course) -> Cast:
        """Begin a scenario."""
        return self._it().cast(course)

    def play(self) -> Played:
        """Play the course."""
        return self._it().play()

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

    def _it(self) -> InProcessTurns:
        if self._inner is None:
            raise EngineError("no scenario was opened")
        return self._inner


def main() -> None:
    """Serve the kind that the first word names over standard streams, or with the word `http` as `served` does."""
    name, *way = sys.argv[1:] or ("",)
    if name not in KINDS or way not in ([], ["http"]):
        sys.exit(f"usage: python -m tck_fakes.served_turns {'|'.join(KINDS)} [http]")
    server = CourseServer(partial(ServedTurns, KINDS[name]), "session-tck driver", metadata.version("session-tck"))
    if way:
        serve_http(server, 0, lambda url: print(url, flush=True))  # noqa: T201 -- the one line that the kit waits for
    else:
        serve_stdio(server)


if __name__ == "__main__":
    main()
