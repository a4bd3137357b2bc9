"""`session-tck merge`: the reports of the parts of a run become the one of the whole run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tck_kit.faults import UsageFault
from tck_reports.errors import ReportReadError

if TYPE_CHECKING:
    from tck_reports.parts import Part

FILE = click.Path(path_type=Path)
CANONICAL: Final = "report.json"
_A_PART: Final = "a part of the run lies there"


@click.command()
@click.argument("reports", nargs=-1, required=True, type=FILE, metavar="REPORT...")
@click.option(
    "-o",
    "--report-dir",
    "folder",
    required=True,
    type=FILE,
    metavar="FOLDER",
    help="Write the files of the report here.",
)
@click.option(
    "--allow-missing", is_flag=True, help="Make a report that is not complete where the report of a part is missing."
)
def merge(
    reports: tuple[Path, ...],
    folder: Path,
    allow_missing: bool,  # noqa: FBT001 -- click passes the options by name
) -> int:
    """Merge the reports of the parts of a run, made with `run --shard`, into the one of the whole run.

    A REPORT is a report.json, or a folder with such files in it or below it.

    Exit code: what the whole run would have given; 3 where a part is missing; 2 where these are not the parts of one
    run.
    """
    from tck_kit.publish import merged_trace  # noqa: PLC0415 -- whoever asks for help gets it faster
    from tck_kit.trace.lines import FILE as TRACE  # noqa: PLC0415 -- the same
    from tck_reports import files, merging, terminal  # noqa: PLC0415 -- the same
    from tck_reports.parts import Part, whole  # noqa: PLC0415 -- the same
    from tck_reports.reading import read  # noqa: PLC0415 -- the same

    # Whatever keeps these from being merged is said before anything is written.
    _refuse_place(folder)
    parts, absent = whole(
        [Part(str(path), read(path)) for path in _found(reports, folder)], allow_missing=allow_missing
    )
    _refuse_traces_place(folder, parts)
    # A trace that lacks some scenarios could not be judged again.
    traces = merged_trace.NONE if absent else merged_trace.beside(parts)
    with files.kept(folder), files.waiting(folder / TRACE) as waiting:
        artifacts = traces.write(waiting)
        report = merging.merge(parts, allow_missing=allow_missing, artifacts=artifacts)
        files.write_all(report, folder, {TRACE: waiting if artifacts else None})
    terminal.write(report, sys.stdout)
    if traces.found and traces.lacking:
        click.echo(f"No trace: there is none beside {', '.join(traces.lacking)}")
    click.echo(f"Report: {folder / 'report.html'}")
    return int(report["exit_code"])


def _refuse_place(folder: Path) -> None:
    """Raise `UsageFault` where the report of a part lies in the folder: it would be lost."""
    from tck_reports.reading import read  # noqa: PLC0415 -- as above

    there = folder / CANONICAL
    if not there.is_file():
        return
    with suppress(ReportReadError):  # what cannot be read is no part
        if read(there)["run"]["shard"] is not None:
            raise UsageFault(_A_PART, f"-o {folder}", "name another folder")


def _refuse_traces_place(folder: Path, parts: Iterable[Part]) -> None:
    """Raise `UsageFault` where the trace of a part lies in the folder, beside a report of another name."""
    from tck_kit.trace.lines import FILE as TRACE  # noqa: PLC0415 -- as above

    there = folder / TRACE
    for part in parts:
        beside = Path(part.where).with_name(TRACE)
        traced = any(one["path"] == TRACE for one in part.report["artifacts"])
        if traced and there.exists() and beside.exists() and there.samefile(beside):
            raise UsageFault(_A_PART, f"-o {folder}", "name another folder")


def _found(named: Sequence[Path], folder: Path) -> list[Path]:
    """Find the reports that are meant, each once. What was merged into the folder before is none of the parts."""
    own = os.path.realpath(folder / CANONICAL)
    seen: dict[str, Path] = {}
    for path in _files(named):
        if (real := os.path.realpath(path)) != own:
            seen.setdefault(real, path)
    if not seen:
        raise UsageFault("there is no report here", ", ".join(map(str, named)), "name the report.json of each part")
    return list(seen.values())


def _files(named: Iterable[Path]) -> Iterator[Path]:
    for path in named:
        if path.is_dir():
            yield from sorted(path.rglob(CANONICAL))
        else:
            yield path
