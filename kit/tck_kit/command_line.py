"""`session-tck`: the commands, their options, and what their exit codes mean.

Exit codes: 0 conformant or clean, 1 nonconformant or findings, 2 a mistake of the user, 3 incomplete, 4 a fault of kit
or driver, 5 a stale baseline.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from tck_kit.crash.command import crash
from tck_kit.driver_commands import driver_group
from tck_kit.faults import DriverFault, SuiteFault, UsageFault
from tck_kit.fuzz.command import fuzz
from tck_kit.mutants.command import mutants
from tck_kit.run_command import FEATURES, SPECIFICATION, run
from tck_reports.errors import ReportWriteError
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from tck_spec import Finding, Requirement


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="session-tck", prog_name="session-tck")
def cli() -> None:
    """Test an engine for conformance to the specification of named, resumable agent sessions."""


def main() -> None:
    """Run a command; every fault becomes one message and its exit code."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)
    _mend_streams()
    try:
        code = cli.main(standalone_mode=False)
    except UsageFault as fault:
        _stop(str(fault), ExitCode.USAGE)
    except ReportWriteError as fault:
        _stop(str(fault), ExitCode.USAGE)
    except (SuiteFault, DriverFault) as fault:
        _stop(str(fault), ExitCode.FAULT)
    except click.ClickException as fault:
        fault.show()
        sys.exit(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        _stop("interrupted before anything was run", ExitCode.INCOMPLETE)
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
        click.echo(f"session-tck: {message}", err=True)
    except OSError:
        _discard(sys.stderr)
    sys.exit(code)


@cli.command()
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only this area. May be repeated.")
@click.option(
    "--level", "levels", multiple=True, metavar="LEVEL", help="Only this level, such as MUST. May be repeated."
)
@click.option(
    "--status", "statuses", multiple=True, metavar="STATUS", help="Only this status, such as agreed. May be repeated."
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@SPECIFICATION
def requirements(
    areas: tuple[str, ...],
    levels: tuple[str, ...],
    statuses: tuple[str, ...],
    form: str,
    specification: Path | None,
) -> int:
    """List the requirements of the specification."""
    from tck_kit.catalogue import read_specification  # noqa: PLC0415 -- the other commands start faster

    spec = read_specification(specification)
    chosen = [
        one
        for one in spec.requirements
        if _wanted(one.area, areas, "area", spec.requirements, lambda each: each.area)
        and _wanted(one.level, levels, "level", spec.requirements, lambda each: each.level)
        and _wanted(one.status, statuses, "status", spec.requirements, lambda each: each.status)
    ]
    if form == "json":
        click.echo(json.dumps([_as_fields(one) for one in chosen], indent=2, ensure_ascii=False))
    else:
        _requirements_table(chosen, len(spec.requirements))
    return ExitCode.CONFORMANT


def _wanted(
    value: str,
    asked: tuple[str, ...],
    kind: str,
    all_of: tuple[Requirement, ...],
    read: Callable[[Requirement], str],
) -> bool:
    known = {read(one).lower(): read(one) for one in all_of}
    for word in asked:
        if word.lower() not in known:
            raise UsageFault(f"no requirement has this {kind}", word, f"known are {', '.join(sorted(known.values()))}")
    return not asked or value.lower() in {word.lower() for word in asked}


def _as_fields(one: Requirement) -> dict[str, object]:
    return {
        "id": one.id,
        "area": one.area,
        "level": one.level,
        "status": one.status,
        "profile": one.profile,
        "section": one.section,
        "anchor": one.anchor,
        "text": one.text,
        "reason": one.reason,
        "text_digest": one.text_digest,
        "line": one.line,
        "column": one.column,
    }


def _requirements_table(chosen: list[Requirement], total: int) -> None:
    from rich.console import Console  # noqa: PLC0415 -- only this form draws
    from rich.table import Table  # noqa: PLC0415 -- the same

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("ID", "Level", "Status", "Section"):
        table.add_column(column, no_wrap=True)
    table.add_column("Text", overflow="fold")
    for one in chosen:
        table.add_row(one.id, one.level, one.status, f"§{one.section}" if one.section else "", one.text)
    console = Console(highlight=False)
    console.print(table)
    console.print(f"\n{len(chosen)} of {total} requirements")


@cli.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@SPECIFICATION
@FEATURES
def check(form: str, specification: Path | None, features: Path | None) -> int:
    """Check references, anchors, IDs and coverage of the specification, and the scenarios themselves.

    Without --features, a specification of your own is checked alone, without coverage. Exit code: 0 clean, 1 findings
    of error level, 2 usage, 4 fault of the kit.
    """
    from tck_kit.catalogue import coverage_findings, read_catalogue, read_specification  # noqa: PLC0415 -- as above
    from tck_spec import check as check_specification  # noqa: PLC0415 -- as above

    findings: list[Finding]
    faults: list[str] = []
    if specification is not None and features is None:
        spec = read_specification(specification)
        findings = list(check_specification(spec))
    else:
        catalogue = read_catalogue(specification, features)
        spec = catalogue.specification
        findings = [*check_specification(spec), *coverage_findings(catalogue)]
        unknown = {one.source for one in findings if one.rule == "COV002"}
        faults = [str(fault) for fault in catalogue.suite.faults if not (fault.kind == "tag" and unknown)]
    findings.sort(key=lambda one: (one.source or "", one.line, one.column, one.rule))
    if form == "json":
        rows = [_finding_fields(one, spec.source) for one in findings]
        rows.extend({"rule": "SCENARIO", "severity": "E", "message": fault} for fault in faults)
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        for one in findings:
            hint = f" ({one.hint})" if one.hint else ""
            where = f"{one.source or spec.source}:{one.line}:{one.column}"
            click.echo(f"{where}: {_WORDS[one.severity]} {one.rule}: {one.message}{hint}")
        for fault in faults:
            click.echo(f"{fault}: error SCENARIO")
        counts = [sum(one.severity == severity for one in findings) for severity in ("E", "W", "I")]
        click.echo(
            f"{len(spec.requirements)} requirements in {len(spec.sections)} sections: "
            f"{counts[0] + len(faults)} errors, {counts[1]} warnings, {counts[2]} notes"
        )
    bad = bool(faults) or any(one.severity == "E" for one in findings)
    return ExitCode.NONCONFORMANT if bad else ExitCode.CONFORMANT


_WORDS = {"E": "error", "W": "warning", "I": "note"}


def _finding_fields(one: Finding, source: str) -> dict[str, object]:
    return {
        "rule": one.rule,
        "severity": one.severity,
        "file": one.source or source,
        "line": one.line,
        "column": one.column,
        "message": one.message,
        "hint": one.hint,
    }


cli.add_command(run)
cli.add_command(mutants)
cli.add_command(fuzz)
cli.add_command(crash)
cli.add_command(driver_group)

if __name__ == "__main__":
    main()
