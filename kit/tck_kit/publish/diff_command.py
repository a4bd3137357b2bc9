"""`session-tck diff OLD NEW`: what has changed between two reports, for people, comments on changes, and programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from tck_reports.difference.comparing import Difference
    from tck_reports.shape import Report

__all__ = ["diff", "report_at"]

FILE: Final = click.Path(path_type=Path)


def report_at(path: Path) -> Report:
    """Read a report.json, or that of a report folder. Raises `ReportReadError`."""
    from tck_reports.files import CANONICAL  # noqa: PLC0415 -- `--help` starts faster
    from tck_reports.reading import read  # noqa: PLC0415 -- the same

    return read(path / CANONICAL if path.is_dir() else path)


@click.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="markdown: a comment on a change; json: everything, by the schema difference-1.",
)
@click.option(
    "-o", "--output", type=FILE, metavar="FILE", help="Write it here, and to the terminal only what it comes to."
)
@click.option("--one-engine", is_flag=True, help="OLD and NEW are the same engine, whatever each calls it.")
@click.option(
    "--name",
    metavar="NAME",
    help="Tells this comment from others on the same change, in its mark.  [default: the engine's name]",
)
def diff(
    old: Path,
    new: Path,
    *,
    form: str,
    output: Path | None,
    one_engine: bool,
    name: str | None,
) -> int:
    """Say what has changed from OLD to NEW: two report.json, or two report folders.

    What keeps the two from being compared fairly is said first. A requirement that says something else, or a scenario
    that does, is not held against the engine.

    The Markdown begins with a comment, `<!-- session-tck diff: NAME -->`, by which a bot finds what it wrote before.

    Exit code: 0 nothing is worse; 1 regressions: something that passed fails or is declined now, in requirements or in
    checks below one, or a profile is not witnessed any more; 2 usage; 3 that cannot be said: another engine or
    specification, a report on either side that is not complete or not valid, something that could not be judged any
    more, fails under other words, passed and is gone from the same requirements or scenarios, or passes on weaker
    evidence, and a profile that is not conformant any more. What was seen to be worse is 1 all the same.
    """
    from tck_reports.difference.comparing import compare  # noqa: PLC0415 -- `--help` starts faster
    from tck_reports.difference.sections import headline  # noqa: PLC0415 -- the same
    from tck_reports.files import write_whole  # noqa: PLC0415 -- the same
    from tck_reports.plain import visible  # noqa: PLC0415 -- the same

    difference = compare(report_at(old), report_at(new), one_engine=one_engine)
    text = _rendered(difference, form, name)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text.encode("utf-8"))
        click.echo(f"{headline(difference)} ({visible(str(output))})")
    return int(difference.exit_code)


def _rendered(difference: Difference, form: str, name: str | None) -> str:
    from tck_reports.difference import as_json, markdown, text  # noqa: PLC0415 -- as above

    if form == "markdown":
        return markdown.render(difference, name)
    return as_json.render(difference) if form == "json" else text.render(difference)
