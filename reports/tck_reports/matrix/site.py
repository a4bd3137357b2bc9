"""A folder of reports becomes a site: read, held against each other, gathered, and put in the former site's place."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tck_reports.errors import ReportReadError, ReportWriteError
from tck_reports.matrix import badges, data, feed, pages
from tck_reports.matrix.collecting import collect
from tck_reports.matrix.condensed import Given
from tck_reports.matrix.conflicts import sift
from tck_reports.matrix.gathering import gathered
from tck_reports.matrix.model import LeftOut, Site
from tck_reports.matrix.publishing import replacing, write
from tck_reports.matrix.sources import found

#: So many bad reports are named; mending one often mends the others.
MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the site is wanted.

    `base_url` is where it will stand; `specification` the address of the specification's text. `skip_bad` leaves out
    what is no report to be shown, and says so on the site. `whole_reports` makes a page of each report that has one
    beside it.
    """

    base_url: str = ""
    specification: str = ""
    skip_bad: bool = False
    whole_reports: bool = True
    processes: int | None = None


def make(folder: Path, place: Path, wishes: Wishes) -> Site:
    """Make the site of the reports in a folder.

    ReportReadError where something is no report, ReportWriteError where the site cannot be written; in either case the
    former site is still there.
    """
    _apart(folder, place)
    sources = found(folder)
    if not sources:
        raise ReportReadError("there is no report in it", str(folder), "name the folder that report.json files are in")
    with replacing(place) as beside:
        collected = collect(sources, beside if wishes.whole_reports else None, processes=wishes.processes)
        sifted = sift(collected.given)
        refused = tuple(sorted((*collected.refused, *sifted.refused), key=lambda one: one.source))
        if refused and not (wishes.skip_bad and sifted.given):
            raise bad_reports(folder, refused, len(sources))
        _forget(beside, collected.given, sifted.given)
        site = gathered(sifted.given, refused)
        write(files(site, wishes), beside)
    return site


def files(site: Site, wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield everything that a site is made of, as (path below it, content)."""
    yield from pages.render(site, specification=wishes.specification, base_url=wishes.base_url)
    yield from data.files(site)
    yield from badges.files(site)
    yield feed.PATH, feed.render(site, wishes.base_url)
    # Without it GitHub Pages would take the site for a source of its own generator.
    yield ".nojekyll", b""


def bad_reports(folder: Path, refused: Sequence[LeftOut], of: int) -> ReportReadError:
    """Return the error that names what is no report to be shown, a line each."""
    what = "no file can be shown" if len(refused) == of else f"{len(refused)} of {of} files cannot be shown"
    skip = "" if len(refused) == of else ", or leave them out with --skip-bad"
    return ReportReadError(what, str(folder), f"mend them, or take them away{skip}:{_lines(refused)}")


def left_out(folder: Path, site: Site) -> str:
    """Return what to say of a site that does not show everything."""
    count = len(site.left_out)
    return f"{folder}: {count} {'file was' if count == 1 else 'files were'} left out:{_lines(site.left_out)}"


def _lines(refused: Sequence[LeftOut]) -> str:
    lines = [f"\n  {one.source}: {one.why}" for one in refused[:MOST_NAMED]]
    if len(refused) > MOST_NAMED:
        lines.append(f"\n  and {len(refused) - MOST_NAMED} more")
    return "".join(lines)


def _apart(folder: Path, place: Path) -> None:
    """Make sure that writing the site does not take the reports away."""
    with suppress(OSError, ValueError, RuntimeError):
        reports, site = folder.resolve(), place.resolve()
        if reports == site or site in reports.parents:
            raise ReportWriteError(
                "the reports are in it, and would be replaced", str(place), "name another folder for the site"
            )


def _forget(beside: Path, read: Sequence[Given], shown: Sequence[Given]) -> None:
    """Take away the pages of reports that are not shown after all."""
    kept = {one.page for one in shown}
    for one in read:
        if one.page is not None and one.page not in kept:
            (beside / one.page).unlink(missing_ok=True)
