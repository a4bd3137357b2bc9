"""A model server beside one program: `python3 -m tck_fakes.modelserver --log FILE -- PROGRAM ARG…`.

For a container without a network: model and CLI are in it together. `{model}` in the values of the variables
`TCK_ENV_<NAME>` becomes the URL, and each is handed on as `<NAME>`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn, cast

from tck_fakes.modelserver.faults import read_faults
from tck_fakes.modelserver.server import ModelServer

_PREFIX: Final = "TCK_ENV_"
#: What is sent on to the program; whatever else ends this process ends the container with it.
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
#: What a shell says of a program that is not there, and of one that may not be started.
_MISSING, _FORBIDDEN = 127, 126


def main(given: Sequence[str] | None = None) -> int:
    """Serve, run the program, and give its exit code."""
    words = list(sys.argv[1:] if given is None else given)
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        prog="python3 -m tck_fakes.modelserver",
        usage="%(prog)s [--log FILE] [--port PORT] [--fault NAME[=COUNT]]... -- PROGRAM [ARG]...",
        description="Run a program beside a model server of its own, on loopback.",
    )
    parser.add_argument("--log", type=Path, help="append a JSON line for each request to FILE")
    parser.add_argument("--port", type=int, default=0, help="the port of loopback to listen on; a free one without it")
    parser.add_argument(
        "--fault", action="append", default=[], metavar="NAME[=COUNT]", help="fail so, COUNT times or always"
    )
    options = parser.parse_args(words[:cut])
    program = words[cut + 1 :]
    if not program:
        parser.error("no program is named; give it after --")
    try:
        always, script = read_faults(cast("list[str]", options.fault))
        with ModelServer(port=cast("int", options.port), log=cast("Path | None", options.log)) as server:
            server.script(*script)
            server.always(always)
            return _run(program, environment(os.environ, server.url))
    except (OSError, ValueError, OverflowError) as fault:
        parser.error(str(fault))


def environment(ours: Mapping[str, str], url: str) -> dict[str, str]:
    """Give the program's environment: ours, and what was kept for it, with the URL filled in."""
    kept = {name: value for name, value in ours.items() if not name.startswith(_PREFIX)}
    told = {
        name.removeprefix(_PREFIX): value.replace("{model}", url)
        for name, value in ours.items()
        if name.startswith(_PREFIX) and name != _PREFIX
    }
    return kept | told


def _run(program: list[str], variables: Mapping[str, str]) -> int:
    """Run the program with our streams; signals go on to it, and every process left to us is reaped."""
    # Signals wait until there is somebody to send them to; the program itself starts with none held back.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        child = os.posix_spawnp(
            program[0], program, variables, setsigmask=held, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ]
        )
    except OSError as fault:
        print(f"tck_fakes.modelserver: {program[0]} cannot be started: {fault.strerror}", file=sys.stderr)  # noqa: T201 -- a program
        return _MISSING if isinstance(fault, FileNotFoundError) else _FORBIDDEN

    def hand_on(received: int, _frame: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, received)

    for number in _SIGNALS:
        signal.signal(number, hand_on)
    signal.pthread_sigmask(signal.SIG_SETMASK, held)
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end() -> NoReturn:
    code = main()
    sys.stdout.flush()
    # Threads of the server that wait for a client are of no more use.
    os._exit(code)


if __name__ == "__main__":
    _end()
