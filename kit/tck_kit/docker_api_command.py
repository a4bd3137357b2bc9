"""`session-tck docker-api`: the stand-in of Docker's Engine API, by itself and in real time."""

from __future__ import annotations

import contextlib
import json
import os
import socket as sockets
import stat
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any, TextIO

import click

from tck_driver.errors import KitError
from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

_WAYS = "give --socket a path that is free, in a folder that is there, of 103 bytes at most"


@click.command("docker-api")
@click.option(
    "--socket", "place", type=click.Path(path_type=Path), required=True, help="Where to listen: a path that is free."
)
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for every request and everything witnessed, one JSON object a line. Secrets in requests stand in it.",
)
@click.option(
    "--duration",
    type=click.FloatRange(0, 86_400),
    default=0.0,
    show_default=True,
    help="Seconds that a run of an agent takes.",
)
def docker_api(place: Path, log: Path | None, duration: float) -> int:
    """Serve a stand-in of Docker's Engine API, without a container engine.

    Clients find it by DOCKER_HOST=unix://PATH. The stand-ins of the agents' CLIs run in its containers, and any image
    is there. It records what containers are asked for; nothing is isolated, and nothing is limited.

    Ends with Ctrl-C. Exit code: 0, or 2 where it cannot listen.
    """
    from tck_fakes.docker_api.alone import Alone  # noqa: PLC0415 -- `--help` starts faster

    place = place.absolute()
    _make_room(place)
    with _log(log) as file:
        telling = _Telling(file)
        try:
            # From here on Ctrl-C is the ordinary end, wherever it comes.
            with contextlib.suppress(KeyboardInterrupt), Alone(place, telling.tell, round(duration * 1000)):
                click.echo(
                    f"Docker's API at unix://{place}: it records what containers are asked for, and isolates nothing"
                )
                telling.over.wait()
        except KitError as fault:
            raise UsageFault(str(fault), f"--socket {place}", _WAYS) from None
    if telling.fault is not None:
        raise _unwritable(log, telling.fault)
    return ExitCode.CONFORMANT


class _Telling:
    """Writes the log, from whichever thread. `over` is set once that is not possible any more."""

    def __init__(self, file: TextIO | None) -> None:
        self._file = file
        self._writing = threading.Lock()
        self.over = threading.Event()
        self.fault: OSError | None = None

    def tell(self, line: dict[str, Any]) -> None:
        """Write one line, and say what the stand-in lacked."""
        with self._writing:
            if self._file is not None and self.fault is None:
                try:
                    self._file.write(json.dumps(line) + "\n")
                    self._file.flush()
                except OSError as fault:
                    # A log with gaps is none: the command ends, and says why.
                    self.fault = fault
                    self.over.set()
        for lack in line.get("unknown", ()):
            # Who closed standard error does not want to hear of it.
            with contextlib.suppress(OSError):
                click.echo(f"not known to the stand-in: {lack}", err=True)


def _make_room(place: Path) -> None:
    """Remove a socket that nobody listens at any more. Raises `UsageFault` where something else is in the way."""
    try:
        mode = place.lstat().st_mode
    except OSError:
        return
    if stat.S_ISSOCK(mode):
        with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as visitor:
            try:
                visitor.connect(str(place))
            except ConnectionRefusedError:
                place.unlink(missing_ok=True)
                return
            except OSError:
                pass
        raise UsageFault("somebody listens there", f"--socket {place}", _WAYS)
    raise UsageFault("there is a file already", f"--socket {place}", _WAYS)


@contextlib.contextmanager
def _log(place: Path | None) -> Generator[TextIO | None]:
    if place is None:
        yield None
        return
    try:
        # What containers are given is anybody's secret.
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise _unwritable(place, error) from None
    file = os.fdopen(descriptor, "a", encoding="utf-8")
    try:
        yield file
    finally:
        # Each line was written at once; what is left is what could not be, and that has been noted.
        with contextlib.suppress(OSError):
            file.close()


def _unwritable(place: Path | None, error: OSError) -> UsageFault:
    return UsageFault(f"it cannot be written: {error.strerror}", f"--log {place}", "name another file")
