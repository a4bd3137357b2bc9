"""`--no-trace`, and where a run's trace is written otherwise."""

from __future__ import annotations

from pathlib import Path

import click

from tck_kit.trace.lines import FILE

NO_TRACE = click.option(
    "--no-trace",
    is_flag=True,
    help="Do not write trace.ndjson into the folder of --report-dir, from which `regrade` can judge the run again.",
)


def trace_in(folder: Path | None, *, wanted: bool) -> Path | None:
    """Give where the trace waits until the report is written; one that waits in vain goes when the command ends."""
    if folder is None or not wanted:
        return None
    from tck_reports.files import waiting  # noqa: PLC0415 -- `--help` starts faster

    return click.get_current_context().with_resource(waiting(folder / FILE))
