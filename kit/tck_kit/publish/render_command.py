"""`session-tck render`: the formats of a report, made again from its report.json."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.faults import UsageFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_reports.formats.table import Format

FILE = click.Path(path_type=Path)


def _list(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 -- as click calls it
    """Print the formats, and end."""
    if not wanted or context.resilient_parsing:
        return
    from tck_reports.formats.table import ALL  # noqa: PLC0415 -- whoever asks for help gets it faster

    for one in ALL:
        click.echo(f"{one.name:<12} {one.file:<16} {one.what}")
    context.exit()


@click.command()
@click.argument("report", type=FILE, metavar="REPORT")
@click.option("-o", "--output", "folder", type=FILE, metavar="FOLDER", help="Write the files here.")
@click.option(
    "--format",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this format, such as junit. May be repeated.  [default: all]",
)
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="Name the formats.")
def render(report: Path, folder: Path | None, names: tuple[str, ...]) -> None:
    """Render a report to its formats again: the report of another machine, of an earlier kit, or a merged one.

    REPORT is a report.json, or the folder that holds one; it is not changed. Without a folder for the files, one format
    goes to standard output.
    """
    from tck_reports import files  # noqa: PLC0415 -- whoever asks for help gets it faster
    from tck_reports.reading import read  # noqa: PLC0415 -- the same

    chosen = _chosen(names)
    held = read(report / files.CANONICAL if report.is_dir() else report)
    if folder is None and len(chosen) != 1:
        raise UsageFault(
            f"{len(chosen)} formats do not fit into one standard output",
            "session-tck render",
            "name a folder with -o, or one --format",
        )
    contents = files.rendered(held, [one.file for one in chosen])
    if folder is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(*contents.values())
        return
    for written in files.write_together(contents, folder):
        click.echo(str(written))


def _chosen(names: Sequence[str]) -> tuple[Format, ...]:
    """Return the formats of these names, or of these names of files; all where none is named."""
    from tck_reports.formats.table import ALL, BY_NAME  # noqa: PLC0415 -- as above

    known = BY_NAME | {one.file: one for one in ALL}
    for name in names:
        if name not in known:
            raise UsageFault("there is no such format", f"--format {name}", f"name one of {', '.join(BY_NAME)}")
    return tuple({known[name].name: known[name] for name in names}.values()) if names else ALL
