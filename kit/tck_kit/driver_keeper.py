"""Keeps one worker's driver running: starts it, starts it anew after a fault, and ends it.

A driver that breaks down costs the scenario in which it did. One that breaks down again and again, without a whole
scenario in between, is given up, so that the run ends.
"""

from __future__ import annotations

import select
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tck_driver.capabilities import ASKED
from tck_driver.connection import START, About, Connection
from tck_driver.engine import Declaration
from tck_driver.errors import DriverCrashedError, DriverError, DriverTimeoutError
from tck_driver.http import HttpTransport
from tck_driver.process import Command, DriverProcess
from tck_driver.stdio import StdioTransport
from tck_driver.transport import Transport
from tck_fakes.docker_api.listener import DockerListener
from tck_fakes.outside import DOCKER, PROGRAMS, client_environment
from tck_kit.engine_choice import SERVED, EngineChoice
from tck_kit.faults import DriverFault, UsageFault

#: How often in a row a driver may break down before it is given up.
MOST_IN_A_ROW = 3
_LONGEST_URL = 200


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a driver says of itself and its engine when it begins. It has to say the same whenever it is started."""

    declaration: Declaration
    clock: str


class DriverKeeper:
    """One driver at a time. `directory` is the folder that drivers are told of, each a new one below it."""

    def __init__(
        self,
        choice: EngineChoice,
        folder: Path,
        about: About,
        stand_ins: Path,
        *,
        number: int = 0,
        introduced: Introduction | None = None,
    ) -> None:
        """Prepare; the driver is started when it is asked for first.

        `number` is the worker's; `introduced` is what the driver said of itself before the run.
        """
        if choice.confined is not None:
            choice.confined.guard()
        self._choice = choice
        self._folder = folder
        self._about = about
        self._stand_ins = stand_ins
        self._number = number
        self._connection: Connection | None = None
        self._first = introduced
        self._in_a_row = 0
        self._started = 0
        self.directory = folder

    def connection(self) -> Connection:
        """Give a driver that can be asked. Raises `DriverError` where there is none."""
        if self._connection is not None and self._connection.usable:
            return self._connection
        if self._in_a_row >= MOST_IN_A_ROW:
            raise DriverError(f"the driver broke down {self._in_a_row} times in a row, and was not started again")
        self._in_a_row += 1
        if self._connection is not None:
            self._connection.kill()
            self._connection = None
        self._connection = self._begin()
        return self._connection

    def went_well(self) -> None:
        """Note that a scenario ended with a driver that can be asked further."""
        if self._connection is not None and self._connection.usable:
            self._in_a_row = 0

    def end(self) -> str | None:
        """End the driver; say what was wrong with its end, if anything was."""
        if self._connection is None:
            return None
        if not self._connection.usable or self._choice.kind == "url":
            # Whoever has started a driver that listens has the right to end it.
            self._connection.kill()
            return None
        return self._connection.end()

    def _begin(self) -> Connection:
        self._started += 1
        self.directory = self._folder / f"driver-{self._started}"
        self.directory.mkdir(parents=True)
        if self._choice.confined is not None:
            self._choice.confined.hand_over(self.directory)
        connection = Connection(self._transport(), self._choice.timeout_scale)
        try:
            said = connection.initialize(self._about, ASKED, str(self.directory))
        except BaseException as fault:
            connection.kill()
            if isinstance(fault, DriverCrashedError | DriverTimeoutError) and self._plays_courses:
                # Not the engine's own end, as it might be where its driver is a part of it.
                raise DriverError(str(fault)) from fault
            raise
        introduced = Introduction(said, connection.clock)
        if self._first is not None and introduced != self._first:
            connection.kill()
            raise DriverError(f"the driver changed its mind at a restart: {_difference(self._first, introduced)}")
        self._first = introduced
        return connection

    @property
    def _plays_courses(self) -> bool:
        return self._first is not None and self._first.declaration.policy is not None

    def _transport(self) -> Transport:
        choice = self._choice
        if choice.kind == "url":
            return HttpTransport(choice.urls[self._number % len(choice.urls)])
        words = SERVED if choice.simulated else choice.words
        directory = str(self._folder) if choice.simulated else choice.directory
        environment = (*client_environment(self._stand_ins), *choice.environment)
        if choice.kind == "sim+http":
            process = DriverProcess(Command((*words, "http"), directory), self._stand_ins)
            return HttpTransport(_announced(process), process.kill, process.words)
        command = Command(words, directory, environment, inherits=choice.confined is None)
        return StdioTransport(command, self._stand_ins)


def introduce(choice: EngineChoice, folder: Path, about: About) -> Introduction:
    """Start a driver, hear what it declares, and end it. Raises `DriverFault` for one that nothing can be run with."""
    folder.mkdir(parents=True, exist_ok=True)
    keeper = DriverKeeper(choice, folder, about, folder / PROGRAMS)
    # Clients of docker ask for its version as soon as they are made, which may be when the driver begins.
    docker = DockerListener(folder / DOCKER, lambda: None, threading.RLock())
    docker.start()
    try:
        connection = keeper.connection()
        said = Introduction(connection.declaration, connection.clock)
        # What is wrong with its end will be so at the end of the run as well, and must not cost what the run finds out.
        keeper.end()
    except DriverError as fault:
        raise DriverFault(str(fault)) from fault
    finally:
        docker.close()
    return said


def introduce_mailboxes(choice: EngineChoice, folder: Path, about: About) -> Introduction:
    """Do the same for a command that is about mailboxes. Raises `UsageFault` for an engine that has none."""
    said = introduce(choice, folder, about)
    if said.declaration.policy is not None:
        told = "name the driver of an engine that has some"
        raise UsageFault("it plays courses, and has no mailboxes", f"--engine {choice.shown}", told)
    return said


def _difference(before: Introduction, after: Introduction) -> str:
    if before.clock != after.clock:
        return f"its clock was {before.clock} and is {after.clock}"
    first, now = before.declaration, after.declaration
    for field in ("name", "version", "language", "homepage"):
        if getattr(first, field) != getattr(now, field):
            return f"{field} was {getattr(first, field)!r} and is {getattr(now, field)!r}"
    if first.policy != now.policy:
        return f"its policy was {first.policy} and is {now.policy}"
    changed = sorted(
        name
        for name in {*first.capabilities, *now.capabilities}
        if first.capabilities.get(name) != now.capabilities.get(name)
    )
    name = changed[0] if changed else ""
    was, now_is = first.capabilities.get(name, "undeclared"), now.capabilities.get(name, "undeclared")
    return f"{name} was {was} and is {now_is}"


def _announced(process: DriverProcess) -> str:
    """Read the URL that a driver prints first."""
    until = time.monotonic() + START
    said = b""
    while b"\n" not in said and len(said) < _LONGEST_URL:
        readable, _, _ = select.select((process.stdout,), (), (), max(0.0, until - time.monotonic()))
        more = process.read() if readable else b""
        if not more:
            process.kill()
            raise DriverError(f"the driver did not say where it listens\n{process.words()}".rstrip())
        said += more
    return said.decode("ascii", "replace").strip()
