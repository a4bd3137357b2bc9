"""`session-tck`: the commands, their options, and what their exit codes mean.

Exit codes: 0 conformant or clean, 1 nonconformant or findings, 2 a mistake of the user, 3 incomplete, 4 a fault of kit
or driver, 5 a stale baseline. Whoever interrupts a command that runs scenarios gets 3, and 2 of any other: their 3, as
that of `diff`, says something else.
"""

from __future__ import annotations

import sys

#: The commands that run something, of which an interrupted one is incomplete.
RUNNING = frozenset({"crash", "fuzz", "mutants", "peers run", "probe", "regrade", "run"})

try:
    import contextlib
    import os
    import signal
    from pathlib import Path
    from typing import TYPE_CHECKING, Final, NoReturn, TextIO

    import click

    from tck_kit.faults import DriverFault, SuiteFault, UsageFault
    from tck_kit.lazy_commands import LazyCommands
    from tck_reports.errors import ReportReadError, ReportWriteError
    from tck_reports.outcomes import ExitCode
    from tck_reports.plain import visible
except KeyboardInterrupt:
    # All of this takes some tenths of a second, in which nothing was begun.
    sys.stderr.write("session-tck: interrupted before anything was done\n")
    sys.exit(3 if RUNNING.intersection((" ".join(sys.argv[1:2]), " ".join(sys.argv[1:3]))) else 2)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType


#: Where each command is.
COMMANDS: Final[Mapping[str, str]] = {
    "accept": "tck_kit.authors.accept_command:accept",
    "baseline": "tck_kit.publish.baseline_command:baseline",
    "check": "tck_kit.authors.check_command:check",
    "containers": "tck_kit.containers.command:containers",
    "crash": "tck_kit.crash.command:crash",
    "diff": "tck_kit.publish.diff_command:diff",
    "drift": "tck_kit.authors.drift_command:drift",
    "docker-api": "tck_kit.docker_api_command:docker_api",
    "driver": "tck_kit.driver_commands:driver_group",
    "fuzz": "tck_kit.fuzz.command:fuzz",
    "lock": "tck_kit.authors.lock_command:lock",
    "lsp": "tck_kit.authors.language_server_command:lsp",
    "matrix": "tck_kit.publish.matrix_command:matrix",
    "merge": "tck_kit.publish.merge_command:merge",
    "model-server": "tck_kit.model_server_command:model_server",
    "mutants": "tck_kit.mutants.command:mutants",
    "probe": "tck_kit.probe.command:probe",
    "render": "tck_kit.publish.render_command:render",
    "peers": "tck_kit.peers.command:peers",
    "regrade": "tck_kit.publish.regrade_command:regrade",
    "requirements": "tck_kit.authors.requirements_command:requirements",
    "rules": "tck_kit.authors.rules_command:rules",
    "run": "tck_kit.run_command:run",
}


@click.group(
    commands=LazyCommands(COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="session-tck", prog_name="session-tck")
def cli() -> None:
    """Test an engine for conformance to the specification of named, resumable agent sessions."""


def main() -> None:
    """Run a command; every fault becomes one message and its exit code."""
    try:
        for ending in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, _interrupt)
        _mend_streams()
        code = cli.main(standalone_mode=False)
    except UsageFault as fault:
        _stop(str(fault), ExitCode.USAGE)
    except (ReportReadError, ReportWriteError) as fault:
        _stop(str(fault), ExitCode.USAGE)
    except (SuiteFault, DriverFault) as fault:
        _stop(str(fault), ExitCode.FAULT)
    except click.ClickException as fault:
        fault.show()
        sys.exit(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        _interrupted()
    except SystemExit:
        # click ends so, with code 1, where the reader of a pipe has gone; code 1 would be a verdict.
        _discard(sys.stdout)
        _stop("standard output was closed before everything was written", ExitCode.USAGE)
    except OSError as fault:
        _discard(sys.stdout)
        where = f" {fault.filename}" if fault.filename else ""
        _stop(f"cannot go on:{where} {fault.strerror or fault}; make room or mend it, and run again", ExitCode.USAGE)
    except Exception as fault:  # noqa: BLE001 -- whatever it is, it is no verdict on an engine
        _stop(f"this is a fault of the kit ({type(fault).__name__}: {fault}); please report it", ExitCode.FAULT)
    _flush()
    sys.exit(code if isinstance(code, int) else 0)


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError as fault:
        _discard(sys.stdout)
        _stop(f"standard output cannot be written: {fault.strerror}; make room, or write elsewhere", ExitCode.USAGE)


def _interrupted() -> NoReturn:
    """Say so. No option before the name of the command takes a value."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    if RUNNING.intersection((" ".join(words[:1]), " ".join(words[:2]))):
        _stop("interrupted before anything was run", ExitCode.INCOMPLETE)
    _stop("interrupted before it was done", ExitCode.USAGE)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that workers and folders go with the run."""
    raise KeyboardInterrupt


def _mend_streams() -> None:
    """Make the standard streams such that no character and no closed one can end a run."""
    sys.stdout = _mended(sys.stdout)
    sys.stderr = _mended(sys.stderr)


def _mended(stream: TextIO | None) -> TextIO:
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return stream


def _discard(stream: TextIO) -> None:
    """Send the rest to nowhere: what is left in the buffer would fail again at the interpreter's end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _stop(message: str, code: ExitCode) -> NoReturn:
    try:
        click.echo(f"session-tck: {visible(message)}", err=True)
    except OSError:
        _discard(sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
