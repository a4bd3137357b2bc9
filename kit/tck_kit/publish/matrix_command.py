"""`session-tck matrix`: the reports of a folder become a site of engines and requirements."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlsplit

import click

from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("reports", type=FOLDER, metavar="FOLDER")
@click.option("-o", "--output", "place", type=FOLDER, required=True, metavar="SITE", help="Make the site here.")
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    help="Where the site will stand, for the links of the feed.  [default: links are relative]",
)
@click.option(
    "--specification",
    metavar="URL",
    default="",
    help="Where the text of the specification stands; # and a requirement's anchor are added to it.",
)
@click.option(
    "--skip-bad",
    is_flag=True,
    help="Leave out what cannot be shown, and list it on the site. The exit code is then 1.",
)
@click.option(
    "--whole-reports/--no-whole-reports",
    default=True,
    help="Whether a report with a report.html beside it gets a page of its own, rendered anew.  [default: it does]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help="How many processes read the reports.  [default: the processors, at most 8; one for a few reports]",
)
def matrix(  # noqa: PLR0917 -- click passes the options by name
    reports: Path,
    place: Path,
    base_url: str,
    specification: str,
    skip_bad: bool,  # noqa: FBT001 -- the same
    whole_reports: bool,  # noqa: FBT001 -- the same
    workers: int | None,
) -> int:
    """Make a static site of the reports in a FOLDER: engines by requirements, versions, trends, a feed.

    Every *.json below the FOLDER has to be a report, as the kit wrote it, on an engine that states a version. Left
    aside are hidden files, sites made by this command, and the other files that the kit writes: campaign.json,
    kill-matrix.json and the like. SITE is replaced as a whole once all is written; it may lie in the FOLDER. Where it
    holds anything that this command did not write, such as .git or CNAME, nothing is written: make the site elsewhere,
    and copy it there.

    Exit code: 0 the site was made, 1 it was made and something was left out, 2 it was not made. Whether engines conform
    has no say in it.
    """
    for option, url in (("--base-url", base_url), ("--specification", specification)):
        _check(option, url)
    from tck_reports.matrix import show, site  # noqa: PLC0415 -- whoever asks for help gets it faster

    wishes = site.Wishes(base_url, specification, skip_bad, whole_reports, workers)
    made = site.make(reports, place, wishes)
    show.write(made, sys.stdout)
    count = f"{made.reports} report{'' if made.reports == 1 else 's'}"
    click.echo(f"Site of {count}: {place / 'index.html'}")
    if not made.left_out:
        return ExitCode.CONFORMANT
    click.echo(site.left_out(reports, made), err=True)
    return ExitCode.NONCONFORMANT


def _check(option: str, url: str) -> None:
    if not url:
        return
    try:
        parts = urlsplit(url)
        web = parts.scheme in {"http", "https"} and bool(parts.hostname)
        sound = web and url.isprintable() and " " not in url and not parts.fragment
        sound = sound and not (option == "--base-url" and parts.query)
    except ValueError:
        sound = False
    if not sound:
        raise UsageFault("is no address of http or https that can be added to", f"{option} {url}", "name such a one")
