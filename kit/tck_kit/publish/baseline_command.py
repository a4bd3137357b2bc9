"""`session-tck baseline REPORT`: a first list of known failures, with which an engine that fails much can begin."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import click

from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

__all__ = ["baseline"]

FILE: Final = click.Path(path_type=Path)
#: Days for which what is flaky is excused, unless a day is given.
_FLAKY_DAYS: Final = 30
_MOST_SHOWN: Final = 20


@click.command()
@click.argument("report", type=FILE)
@click.option("-o", "--output", type=FILE, metavar="FILE", required=True, help="The file to write, such as known.toml.")
@click.option("--owner", required=True, help="Who looks after these failures.")
@click.option("--reason", required=True, help="Why they are known, such as the number of an issue.")
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d"]),
    help=f"The last day on which what is flaky is excused.  [default: in {_FLAKY_DAYS} days]",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def baseline(report: Path, output: Path, owner: str, reason: str, until: datetime | None, force: bool) -> int:  # noqa: FBT001, PLR0917 -- click passes the options by name
    """Write an entry for every failure of a REPORT, to be given to `run` with --baseline.

    Each is for one check, one step and one expectation. What a baseline excused there keeps its reason, owner and day.
    No entry excuses a crash, a failure of driver or kit, or what did not get as far as its question: those are named.

    Exit code: 0 written, and nothing else failed; 1 written, and something is left that no entry excuses; 2 usage.
    """
    from tck_kit.publish.diff_command import report_at  # noqa: PLC0415 -- `--help` starts faster
    from tck_reports.baseline.text import first_baseline  # noqa: PLC0415 -- the same
    from tck_reports.files import write_whole  # noqa: PLC0415 -- the same
    from tck_reports.plain import visible  # noqa: PLC0415 -- the same

    for option, text in (("--owner", owner), ("--reason", reason)):
        if wrong := _no_text(text):
            raise UsageFault(wrong, option, "say it: whoever reads the file in a year has to find out")
    if os.path.lexists(output) and not force:
        raise UsageFault("it is there already", str(output), "name another file, or write over it with --force")
    today = datetime.now(UTC).date()
    last = today + timedelta(days=_FLAKY_DAYS) if until is None else until.date()
    if last < today:
        raise UsageFault("it is over", f"--until {last}", "give a day that is to come")
    held = report_at(report)
    if held["faults"]:
        raise UsageFault(f"its run is worth nothing: {held['faults'][0]}", str(report), "mend that, and run again")
    if held["exit_code"] == ExitCode.FAULT:
        raise UsageFault(f"its run is worth nothing: {held['exit_reason']}", str(report), "mend that, and run again")
    written = first_baseline(held, owner=owner, reason=reason, since=today, until=last)
    write_whole(output, written.text.encode("utf-8"))
    click.echo(f"{'1 entry' if written.entries == 1 else f'{written.entries} entries'} ({visible(str(output))})")
    if not held["complete"]:
        why = "; ".join(held["incomplete_reasons"])
        click.echo(f"not complete: {visible(why)}; what was not run has no entry", err=True)
    for check, why in written.left_out[:_MOST_SHOWN]:
        click.echo(f"not excused: {visible(check)}: {visible(why)}", err=True)
    if len(written.left_out) > _MOST_SHOWN:
        click.echo(f"and {len(written.left_out) - _MOST_SHOWN} more that no entry excuses", err=True)
    return int(ExitCode.NONCONFORMANT if written.left_out else ExitCode.CONFORMANT)


def _no_text(text: str) -> str | None:
    """Say why a text cannot stand in an entry; None where it can."""
    from tck_reports.baseline.entries import MOST_TEXT, encodable  # noqa: PLC0415 -- `--help` starts faster

    if not text.strip():
        return "it is empty"
    if len(text) > MOST_TEXT:
        return f"it is longer than {MOST_TEXT:,} characters"
    return "it is no UTF-8" if encodable(text) != text else None
