"""`session-tck mutants`: its options, and the hunt that comes of them."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from tck_kit.campaign.choice import CLUSTER
from tck_kit.faults import SuiteFault, UsageFault
from tck_kit.run_command import FEATURES, FILE, SPECIFICATION
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from rich.console import Console

    from tck_fakes.faults import Fault
    from tck_kit.catalogue import Catalogue
    from tck_kit.mutants.matrix import Matrix
    from tck_kit.mutants.plan import Plan
    from tck_kit.mutants.unit import Hunted, Unit
    from tck_reports.records import RequirementEntry

TIME_LIMIT, FULL_TIME_LIMIT = 3600, 6 * 3600
MOST_WORKERS = 16


@click.command()
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only faults of this area. May be repeated.")
@click.option("--requirement", "requirements", multiple=True, metavar="ID", help="Only faults of it. May be repeated.")
@click.option("--fault", "names", multiple=True, metavar="NAME", help="Only this fault. May be repeated.")
@click.option(
    "--matrix",
    "wide",
    is_flag=True,
    help="Let each fault meet all scenarios of its requirement, then those that killed nothing all other faults.",
)
@click.option("--full", is_flag=True, help="Let every fault meet every scenario, which takes hours of processor time.")
@click.option(
    "--pairs",
    type=click.IntRange(0, 100_000),
    default=0,
    metavar="N",
    help="Then try N pairs of faults that could hide one another, drawn by the seed.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=1,
    show_default=True,
    help="Draw names, numbers and pairs from this seed.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help=f"How many processes share the faults.  [default: the processors, at most {MOST_WORKERS}]",
)
@click.option(
    "--time-limit",
    type=click.IntRange(1, 604_800),
    help=f"Seconds for the whole hunt.  [default: {TIME_LIMIT}; {FULL_TIME_LIMIT} with --full]",
)
@CLUSTER
@click.option("--report-dir", type=FILE, metavar="FOLDER", help="Write kill-matrix.json and kill-matrix.md here.")
@click.option("--list", "listed", is_flag=True, help="List the faults, and run nothing.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), help="How to list them.  [default: table]")
@SPECIFICATION
@FEATURES
def mutants(  # noqa: PLR0917 -- click passes the options by name
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    names: tuple[str, ...],
    wide: bool,  # noqa: FBT001 -- the same
    full: bool,  # noqa: FBT001 -- the same
    pairs: int,
    seed: int,
    workers: int | None,
    time_limit: int | None,
    cluster: str | None,
    report_dir: Path | None,
    listed: bool,  # noqa: FBT001 -- the same
    form: str | None,
    specification: Path | None,
    features: Path | None,
) -> int:
    """Prove that the scenarios can fail: let engines that are wrong on purpose go through them.

    Each fault meets the scenarios of the requirement that it breaks, until one of them kills it. A fault that survives
    shows what the scenarios do not look at; so does a requirement that no fault breaks.

    Exit code: 0 all killed, 1 something survived or was not shown able to fail, 2 usage, 3 incomplete, 4 fault of the
    kit.
    """
    if form is not None and not listed:
        raise UsageFault("it says how to list faults", f"--format {form}", "add --list, or leave it out")
    if wide and full:
        raise UsageFault("a full hunt has the matrix in it", "--matrix with --full", "leave one of them out")

    def chosen() -> tuple[Catalogue, tuple[Fault, ...], tuple[RequirementEntry, ...]]:
        return _chosen(specification, features, names=names, areas=areas, requirements=requirements)

    if listed:
        _list(chosen()[1], form or "table")
        return ExitCode.CONFORMANT
    from rich.console import Console  # noqa: PLC0415 -- only this command draws

    from tck_kit.workers import Workers  # noqa: PLC0415 -- the other commands start faster
    from tck_reports import files  # noqa: PLC0415 -- the same

    count = workers or min(os.cpu_count() or 1, MOST_WORKERS)
    until = time.monotonic() + (time_limit or (FULL_TIME_LIMIT if full else TIME_LIMIT))
    console = Console(stderr=True)
    # No worker of a run is wanted here, but the folder, which goes whatever happens.
    with Workers(0) as place, _hunters(cluster, count, place.folder, (specification, features), console) as pool:
        from tck_kit.mutants.plan import Breadth, Plan  # noqa: PLC0415 -- while the hunters load

        catalogue, faults, entries = chosen()
        narrowed = bool(names or areas or requirements)
        breadth = Breadth.FULL if full else Breadth.MATRIX if wide else Breadth.FIRST
        plan = Plan(faults, catalogue.suite.scenarios, entries, seed, breadth, narrowed=narrowed)
        if report_dir is not None:
            files.prepare(report_dir)
        matrix = _hunt(plan, pool, until, pairs, console)
    from tck_kit.mutants import show  # noqa: PLC0415 -- as above

    if report_dir is not None:
        _write(matrix, catalogue, report_dir)
    show.write(matrix, Console(highlight=False))
    if report_dir is not None:
        click.echo(f"Report: {report_dir / 'kill-matrix.md'}")
    return matrix.exit_code


class Pool(Protocol):
    """Hunters, here or elsewhere."""

    def hunt(
        self, units: Iterable[Unit], until: float, heard: Callable[[Hunted], None]
    ) -> tuple[tuple[Hunted, ...], str | None]:
        """Do all units; give what came of them, and why that was cut short, if so."""
        ...


@contextmanager
def _hunters(
    cluster: str | None, count: int, folder: Path, graded_by: tuple[Path | None, Path | None], console: Console
) -> Generator[Pool]:
    """Give hunters: so many processes on this machine, or those of a cluster."""
    if cluster is None:
        from tck_kit.mutants.hunters import Hunters  # noqa: PLC0415 -- as above

        with Hunters(count, folder) as pool:
            yield pool
        return
    from tck_kit.campaign.choice import executor  # noqa: PLC0415 -- as above
    from tck_kit.campaign.fitness import Suites  # noqa: PLC0415 -- as above
    from tck_kit.campaign.hunts import SharedHunters  # noqa: PLC0415 -- as above

    suites = Suites(*(None if one is None else one.absolute() for one in graded_by))
    with executor(cluster, suites) as there:
        yield SharedHunters(there, lambda text: console.print(text, highlight=False, markup=False))


def _chosen(
    specification: Path | None,
    features: Path | None,
    *,
    names: tuple[str, ...],
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
) -> tuple[Catalogue, tuple[Fault, ...], tuple[RequirementEntry, ...]]:
    """Read what the faults are to meet, and choose them."""
    from tck_fakes.faults import FAULTS  # noqa: PLC0415 -- as above
    from tck_kit.catalogue import read_catalogue, refuse_faults  # noqa: PLC0415 -- as above
    from tck_kit.mutants.plan import choose  # noqa: PLC0415 -- as above

    catalogue = read_catalogue(specification, features, thorough=False, sentences=features is not None, family=None)
    own = specification is None and features is None
    refuse_faults(catalogue, own=own)
    graded = {entry.id for entry in catalogue.entries}
    astray = next((one for one in FAULTS.values() if one.requirement not in graded), None) if own else None
    if astray is not None:
        raise SuiteFault(f"the fault {astray.name} breaks {astray.requirement}, which is no requirement that is graded")
    return catalogue, *choose(catalogue, FAULTS, names=names, areas=areas, requirements=requirements)


def _list(faults: tuple[Fault, ...], form: str) -> None:
    if form == "json":
        rows = [
            {"name": one.name, "requirement": one.requirement, "kind": one.kind.value, "sin": one.sin} for one in faults
        ]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    from rich.console import Console  # noqa: PLC0415 -- only this form draws
    from rich.table import Table  # noqa: PLC0415 -- the same

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("Name", "Requirement", "Kind"):
        table.add_column(column, no_wrap=True)
    table.add_column("Sin", overflow="fold")
    for one in faults:
        table.add_row(one.name, one.requirement, one.kind.value, one.sin)
    console = Console(highlight=False)
    console.print(table)
    console.print(f"\n{len(faults)} faults; session-tck run --engine mutant:NAME shows what one of them does")


def _hunt(plan: Plan, pool: Pool, until: float, pairs: int, console: Console) -> Matrix:
    """Hunt the faults, then pairs of those that were killed."""
    from tck_kit.mutants.matrix import merge  # noqa: PLC0415 -- as above
    from tck_kit.mutants.pairs import sample  # noqa: PLC0415 -- the same
    from tck_kit.mutants.plan import Breadth  # noqa: PLC0415 -- the same
    from tck_kit.mutants.show import progress  # noqa: PLC0415 -- the same

    through = "every scenario" if plan.breadth is Breadth.FULL else "the scenarios of their requirements"
    console.print(f"{len(plan.faults)} faults through {through}, seed {plan.seed}", highlight=False)
    units = plan.units()
    with progress(console, units) as heard:
        hunted, cut_short = pool.hunt(units, until, heard)
    matrix = merge(plan, hunted, cut_short=cut_short)
    if cut_short is None and plan.breadth is Breadth.MATRIX and not plan.narrowed:
        hunted, matrix = _go_round(matrix, hunted, pool, until, console)
    if not pairs or matrix.cut_short is not None:
        return matrix
    killers = {
        row.fault.name: frozenset(meeting.scenario for meeting in (*row.killers, *row.elsewhere))
        for row in matrix.faults
        if row.killers
    }
    drawn = sample(plan.faults, killers, pairs, plan.seed)
    units = tuple(pair.unit(plan) for pair in drawn)
    with progress(console, units, "pairs") as heard:
        more, cut_short = pool.hunt(units, until, heard)
    return merge(plan, (*hunted, *more), drawn, cut_short)


def _go_round(
    matrix: Matrix, hunted: tuple[Hunted, ...], pool: Pool, until: float, console: Console
) -> tuple[tuple[Hunted, ...], Matrix]:
    """Let what has killed nothing meet the faults of others, until that is so of none or there are no more faults."""
    from tck_kit.mutants.matrix import merge  # noqa: PLC0415 -- as above
    from tck_kit.mutants.rounds import next_round  # noqa: PLC0415 -- the same
    from tck_kit.mutants.show import progress  # noqa: PLC0415 -- the same

    for number in itertools.count():
        units = next_round(matrix, number)
        if not units or matrix.cut_short is not None:
            break
        told = f"scenarios killed nothing so far: they meet {len(units)} faults of other requirements"
        console.print(f"{len(matrix.barren)} {told}", highlight=False)
        with progress(console, units) as heard:
            more, cut_short = pool.hunt(units, until, heard)
        hunted = (*hunted, *more)
        matrix = merge(matrix.plan, hunted, cut_short=cut_short)
    return hunted, matrix


def _write(matrix: Matrix, catalogue: Catalogue, folder: Path) -> None:
    from tck_kit import assets  # noqa: PLC0415 -- as above
    from tck_kit.mutants.fields import encode  # noqa: PLC0415 -- as above
    from tck_kit.mutants.page import page  # noqa: PLC0415 -- as above
    from tck_reports import files  # noqa: PLC0415 -- as above
    from tck_reports.records import KitFacts, SpecFacts  # noqa: PLC0415 -- as above

    spec = catalogue.specification
    kit = KitFacts(assets.version(), assets.suite_digest(catalogue.suite.folder))
    facts = SpecFacts(spec.identifier, spec.version, spec.digest, spec.set_digest)
    files.write_whole(folder / "kill-matrix.md", page(matrix).encode())
    files.write_whole(folder / "kill-matrix.json", encode(matrix, kit, facts))
