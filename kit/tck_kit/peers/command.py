"""`session-tck peers`: engines of other people, how they are had, and their runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tck_kit.faults import UsageFault
from tck_kit.peers.table import ALL, PEERS, Peer, named
from tck_kit.trace.lines import FILE as TRACE
from tck_kit.trace.option import NO_TRACE, trace_in
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.asked_run import Asked
    from tck_kit.peers.places import Found


class _Folder(click.Path):
    """A folder, which has a name: an empty text would be the one that the caller is in."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        if not os.fspath(value):
            self.fail("no folder is named; give the path of one", param, ctx)
        return super().convert(value, param, ctx)


FILE = click.Path(path_type=Path)
FOLDER = _Folder(path_type=Path)
NAME = click.argument("name", metavar="NAME")
#: How many processes share the scenarios; their engines wait for most of the time.
WORKERS: Final = 4
#: Seconds for the whole run of one peer.
TIME_LIMIT: Final = 1800
#: Exit codes from the one that tells most to the one that tells least.
_WORST: Final = (ExitCode.FAULT, ExitCode.NONCONFORMANT, ExitCode.INCOMPLETE, ExitCode.STALE_BASELINE)


@click.group("peers")
def peers() -> None:
    """Run engines of other people that do the same job by rules of their own; the kit has drivers for some."""


@peers.command("list")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
# For those alone who publish this repository's own page.
@click.option("--publish", type=FILE, metavar="FILE", hidden=True)
def list_peers(form: str, publish: Path | None) -> int:
    """Show which there are, which version of each, what they claim, and whether they are on this machine.

    Exit code: 0.
    """
    if publish is not None:
        return _publish(publish)
    from tck_kit.peers.showing import as_json, show  # noqa: PLC0415 -- the other commands start faster

    if form == "json":
        click.echo(json.dumps(as_json(), indent=2, ensure_ascii=False))
    else:
        show()
    return ExitCode.CONFORMANT


@peers.command()
@NAME
@click.option(
    "--from",
    "origin",
    metavar="GIT",
    help="Take the source from here, the URL or folder of a git repository, and not from where it is published.",
)
@click.option("--folder", type=FOLDER, metavar="FOLDER", help="Put it here.  [default: the user's cache]")
def fetch(name: str, origin: str | None, folder: Path | None) -> int:
    """Bring peer NAME, or all of them, to this machine: the pinned version, verified, whole or not at all.

    A package is installed, and can be run. Of a repository this is the source, which is then built as its own
    documentation says, in the same folder.

    Exit code: 0 it is there, 2 it could not be had.
    """
    from tck_kit.peers.fetching import fetch as bring  # noqa: PLC0415 -- the other commands start faster
    from tck_kit.peers.places import folder_of, look  # noqa: PLC0415 -- the same

    wanted = named(name)
    _refuse_one_for_all(wanted, {"--from": origin, "--folder": folder})
    failed: list[str] = []
    for peer in wanted:
        place = folder_of(peer, folder)
        try:
            stamp = bring(peer, place, origin)
        except UsageFault as fault:
            if len(wanted) == 1:
                raise
            click.echo(f"{peer.name}: {fault}", err=True)
            failed.append(peer.name)
            continue
        click.echo(f"{peer.name} {peer.version} is in {place} ({stamp.digest})")
        if stamp.lacking:
            first, *others = stamp.lacking
            click.echo(f"  Of its files this was not in there: {first}{f', and {len(others)} more' if others else ''}")
        found = look(peer, place)
        if found.why:
            click.echo(f"  It cannot be run yet: {found.why}")
    if failed:
        raise UsageFault(f"{len(failed)} of {len(wanted)} could not be had", ", ".join(failed), "see above")
    return ExitCode.CONFORMANT


@peers.command()
@NAME
@click.option("--quick", is_flag=True, help="Run the few scenarios alone that show most; there is no verdict then.")
@click.option("--folder", type=FOLDER, metavar="FOLDER", help="Where it lies, if not where `fetch` puts it.")
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Choice(["continuity", "reuse", "redelegation"]),
    help="Hold it against this profile. May be repeated.  [default: what its driver claims]",
)
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only this area. May be repeated.")
@click.option(
    "--requirement", "requirements", multiple=True, metavar="ID", help="Only this requirement. May be repeated."
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw the order from this seed.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=WORKERS,
    show_default=True,
    help="How many engines are run side by side.",
)
@click.option(
    "--report-dir", type=FOLDER, metavar="FOLDER", help="Write the report here; of all, each in its own folder."
)
@click.option(
    "--time-limit",
    type=click.IntRange(1, 604_800),
    default=TIME_LIMIT,
    show_default=True,
    help="Seconds for the run of one.",
)
@click.option("--timeout-scale", type=click.FloatRange(0.1, 100.0), default=1.0, help="Lengthen every deadline.")
@NO_TRACE
def run(  # noqa: PLR0917 -- click passes the options by name
    name: str,
    quick: bool,  # noqa: FBT001 -- the same
    folder: Path | None,
    profiles: tuple[str, ...],
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    seed: int | None,
    workers: int,
    report_dir: Path | None,
    time_limit: int,
    timeout_scale: float,
    no_trace: bool,  # noqa: FBT001 -- the same
) -> int:
    """Run peer NAME, or all of them, by the profiles that its driver claims, in a place of its own.

    It has its own HOME and environment, is an ordinary user, and reaches no network where the system can see to that.
    What is not on this machine, or is no longer what its driver was written for, gets a report that says so.

    Exit code: 0 conformant, 1 nonconformant, 2 usage, 3 incomplete or not obtained, 4 fault of kit or driver; of all
    of them, the worst.
    """
    wanted = named(name)
    _refuse_one_for_all(wanted, {"--folder": folder})
    _refuse_unclaimed(wanted, profiles, {"--area": areas, "--requirement": requirements})
    from tck_kit.asked_run import Asked  # noqa: PLC0415 -- the other commands start faster
    from tck_kit.engine_choice import EngineChoice  # noqa: PLC0415 -- the same
    from tck_kit.families import profiles_asked  # noqa: PLC0415 -- the same
    from tck_kit.peers.places import look  # noqa: PLC0415 -- the same
    from tck_kit.run_settings import COURSE_TIME_LIMIT, Settings  # noqa: PLC0415 -- the same

    settings = Settings(
        engine=EngineChoice(timeout_scale=timeout_scale),
        profiles=profiles_asked(profiles),
        workers=workers,
        time_limit=time_limit,
        scenario_time_limit=round(COURSE_TIME_LIMIT * max(1.0, timeout_scale)),
        seed=int.from_bytes(os.urandom(4)) if seed is None else seed,
        thorough=False,
        baseline=None,
        report_dir=None,
        capabilities={},
        source=None,
        quick=quick,
        limited=True,
    )
    codes: list[int] = []
    every = [look(peer, folder) for peer in wanted]
    for found in every:
        found.refuse_without_tool()
    for found in every:
        peer = found.peer
        place = report_dir / peer.name if report_dir is not None and len(wanted) > 1 else report_dir
        asked = Asked(
            settings,
            argv=("session-tck", *sys.argv[1:]),
            areas=areas,
            requirements=requirements,
            trace=trace_in(place, wanted=not no_trace),
        )
        codes.append(_run(found, asked, place))
    return next((int(code) for code in _WORST if code in codes), int(ExitCode.CONFORMANT))


def _refuse_unclaimed(wanted: Sequence[Peer], profiles: Sequence[str], given: Mapping[str, Sequence[str]]) -> None:
    """Raise `UsageFault` where something is asked for of a profile that is neither claimed nor asked for."""
    from tck_kit.families import COURSES  # noqa: PLC0415 -- the other commands start faster

    for option, texts in given.items():
        for text in texts:
            profile = next((one for one in COURSES.profiles if text.partition("-")[0].lower() == one), None)
            without = [peer.name for peer in wanted if profile not in {*(profiles or peer.profiles), None}]
            if profile is None or not without:
                continue
            claim = ", ".join(peer.name for peer in PEERS.values() if profile in peer.profiles)
            raise UsageFault(
                f"{', '.join(without)} would not be held against {profile}",
                f"{option} {text}",
                f"{profile} is claimed by {claim}; leave it out, or add --profile {profile}",
            )


def _publish(page: Path) -> int:
    """Make the tables of a page anew."""
    from tck_kit.peers.page import published, reports_beside  # noqa: PLC0415 -- the other commands start faster
    from tck_reports import files  # noqa: PLC0415 -- the same

    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageFault("it cannot be read", str(page), "give docs/peers.md") from error
    files.write_whole(page, published(text, reports_beside(page)).encode())
    click.echo(f"Page: {page}")
    return ExitCode.CONFORMANT


def _run(found: Found, asked: Asked, place: Path | None) -> int:
    """Run one, write its report, and show it."""
    from rich.console import Console  # noqa: PLC0415 -- the other commands start faster

    from tck_kit.peers.running import run_peer  # noqa: PLC0415 -- the same
    from tck_reports import files, terminal  # noqa: PLC0415 -- the same

    if place is not None:
        click.get_current_context().with_resource(files.kept(place))
    report = run_peer(found, asked, Console(stderr=True))
    if place is not None:
        kept = None if asked.trace is None or not asked.trace.exists() else asked.trace
        files.write_all(report, place, {TRACE: kept})
    terminal.write(report, sys.stdout)
    if place is not None:
        click.echo(f"Report: {place / 'report.html'}")
    return int(report["exit_code"])


def _refuse_one_for_all(wanted: Sequence[Peer], given: dict[str, object]) -> None:
    """Raise `UsageFault` where something is said for all that can be so of one alone."""
    for option, value in given.items():
        if value is not None and len(wanted) > 1:
            raise UsageFault(f"it is for one of {', '.join(PEERS)}", f"{option} {value}", f"name one, not {ALL}")
