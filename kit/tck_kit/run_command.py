"""`session-tck run`: its options, what a project file says in their place, and the run that comes of both."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from tck_kit.faults import UsageFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tck_kit.driver_keeper import Introduction
    from tck_kit.engine_choice import EngineChoice, Observed
    from tck_kit.project_file import ProjectFile

T = TypeVar("T")
FILE = click.Path(path_type=Path)
SPECIFICATION = click.option(
    "--specification", type=FILE, metavar="FILE", help="Grade by this specification instead of the kit's own."
)
FEATURES = click.option("--features", type=FILE, metavar="FOLDER", help="Use these scenarios instead of the kit's own.")
#: What holds where neither an option nor the project file says anything.
TIME_LIMIT, SCENARIO_TIME_LIMIT = 900, 20
MOST_WORKERS = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run is made, once options and project file have been heard."""

    engine: EngineChoice
    profile: str
    workers: int
    time_limit: int
    scenario_time_limit: int
    seed: int | None
    thorough: bool
    baseline: Path | None
    report_dir: Path | None
    capabilities: Mapping[str, str]
    #: The project file that was heard.
    source: Path | None


@click.command()
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only this area, such as RESUME. May be repeated.")
@click.option(
    "--requirement", "requirements", multiple=True, metavar="ID", help="Only this requirement. May be repeated."
)
@click.option(
    "--engine",
    metavar="ENGINE",
    help="The engine under test: sim, sim+stdio, sim+http, the URL of a driver, or a command that starts one.  "
    "[default: what session-tck.toml names, else sim]",
)
@click.option(
    "--profile",
    type=click.Choice(["core", "hardened", "all"]),
    help="core: what is agreed; hardened: what is proposed.  [default: all]",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw names, numbers and order from this seed.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help=f"How many processes share the scenarios.  [default: the processors, at most {MOST_WORKERS}; one a URL]",
)
@click.option(
    "--report-dir", type=FILE, metavar="FOLDER", help="Write report.json, report.html, junit.xml and summary.md here."
)
@click.option(
    "--time-limit", type=click.IntRange(1, 604_800), help=f"Seconds for the whole run.  [default: {TIME_LIMIT}]"
)
@click.option(
    "--scenario-time-limit",
    type=click.IntRange(1, 86_400),
    help=f"Seconds for one scenario.  [default: {SCENARIO_TIME_LIMIT}; twice that with a driver]",
)
@click.option(
    "--timeout-scale",
    type=click.FloatRange(0.1, 100.0),
    help="Lengthen (or shorten) every deadline of a driver by this factor.",
)
@click.option(
    "--observe-db",
    metavar="URL",
    help="SQLAlchemy URL of the engine's own database, to read its rows; {workdir} and {directory} are filled in.",
)
@click.option(
    "--baseline", type=FILE, metavar="FILE", help="JSON object of known failures: the id of a check, and the reason."
)
@click.option(
    "--thorough", is_flag=True, default=None, help="Run the rows of the Examples called `more combinations` as well."
)
@click.option(
    "--database", metavar="URL", help="SQLAlchemy URL of an empty database for the simulator; needs --workers 1."
)
@click.option("--no-project-file", is_flag=True, help="Do not look for a session-tck.toml.")
@SPECIFICATION
@FEATURES
def run(  # noqa: PLR0917 -- click passes the options by name
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    engine: str | None,
    profile: str | None,
    seed: int | None,
    workers: int | None,
    report_dir: Path | None,
    time_limit: int | None,
    scenario_time_limit: int | None,
    timeout_scale: float | None,
    observe_db: str | None,
    baseline: Path | None,
    thorough: bool | None,  # noqa: FBT001 -- click passes the options by name
    database: str | None,
    no_project_file: bool,  # noqa: FBT001 -- the same
    specification: Path | None,
    features: Path | None,
) -> int:
    """Run the scenarios against an engine and grade every requirement.

    The engine is the reference simulator, unless --engine or a session-tck.toml in this folder or above names another.

    Exit code: 0 conformant, 1 nonconformant, 2 usage, 3 incomplete, 4 fault of kit or driver, 5 stale baseline.
    """
    project = None if no_project_file else _project()
    settings = _settings(
        project,
        engine=_engine(project, engine, observe_db, timeout_scale),
        profile=profile,
        workers=workers,
        time_limit=time_limit,
        scenario_time_limit=scenario_time_limit,
        seed=seed,
        thorough=thorough,
        baseline=baseline,
        report_dir=report_dir,
    )
    if database is not None:
        if not settings.engine.in_process:
            raise UsageFault("it is for the simulator in process", "--database", "use --observe-db, or --engine sim")
        from tck_kit.database import usable  # noqa: PLC0415 -- seldom needed

        database = usable(database, settings.workers)
    return _perform(
        settings,
        areas=areas,
        requirements=requirements,
        database=database,
        specification=specification,
        features=features,
    )


def _project() -> ProjectFile | None:
    from tck_kit.project_file import find, read  # noqa: PLC0415 -- as above

    path = find(Path.cwd())
    return None if path is None else read(path)


def _engine(
    project: ProjectFile | None, engine: str | None, observe_db: str | None, timeout_scale: float | None
) -> EngineChoice:
    """Choose the engine: what an option says wins over the project file."""
    from tck_fakes.observed_mapping import SessionMapping  # noqa: PLC0415 -- as above
    from tck_fakes.observed_url import anchored  # noqa: PLC0415 -- as above
    from tck_kit.engine_choice import EngineChoice, Observed, choose, chosen_by  # noqa: PLC0415 -- as above

    if engine is not None:
        choice = choose(engine, Path.cwd())
    else:
        choice = EngineChoice() if project is None else chosen_by(project)
    if observe_db is not None and choice.simulated:
        raise UsageFault("the simulator's database is read anyway", "--observe-db", "leave it out, or name an engine")
    url = None if observe_db is None else anchored(observe_db, Path.cwd())
    scale, mapping = timeout_scale, SessionMapping()
    if project is not None:
        url, scale, mapping = url or project.observe_url, scale or project.timeout_scale, project.observe or mapping
    if url is not None and not choice.simulated:
        choice = replace(choice, observed=Observed(url, mapping))
        _refuse_unusable(Observed(url, mapping))
    return choice if scale is None else replace(choice, timeout_scale=scale)


def _refuse_unusable(observed: Observed) -> None:
    """Raise `UsageFault` for a database that cannot be meant, before anything is run."""
    from tck_fakes.database import ObservedDatabase  # noqa: PLC0415 -- as above
    from tck_fakes.observed_mapping import MappingError  # noqa: PLC0415 -- as above
    from tck_fakes.observed_url import fill  # noqa: PLC0415 -- as above

    try:
        ObservedDatabase(fill(observed.url, directory=Path("/"), workdir=Path("/")), observed.mapping).close()
    except MappingError as fault:
        first = fault.faults[0]
        raise UsageFault(first.what, f"observed database, {first.key}", first.cure) from fault


def _settings(
    project: ProjectFile | None,
    *,
    engine: EngineChoice,
    profile: str | None,
    workers: int | None,
    time_limit: int | None,
    scenario_time_limit: int | None,
    seed: int | None,
    thorough: bool | None,
    baseline: Path | None,
    report_dir: Path | None,
) -> Settings:
    def first(option: T | None, written: T | None, otherwise: T) -> T:
        return option if option is not None else written if written is not None else otherwise

    from tck_kit.project_file import ProjectFile  # noqa: PLC0415 -- as above

    held = project or ProjectFile(Path(), Path())
    usual = len(engine.urls) or min(os.cpu_count() or 1, MOST_WORKERS)
    # How many workers a file wants is about the drivers that it names.
    written = held.workers if engine.urls in ((), held.urls) else None
    count = first(workers, written, usual)
    if engine.urls and count > len(engine.urls):
        where = f"--workers {count}" if workers is not None else f"{held.path}: run.workers = {count}"
        raise UsageFault(
            f"one driver serves one worker, and {len(engine.urls)} are named",
            where,
            "name a URL for each, or leave it out",
        )
    # A driver's own deadlines come before that of its scenario, so that whoever is late is blamed.
    patience = SCENARIO_TIME_LIMIT if engine.in_process else round(2 * SCENARIO_TIME_LIMIT * engine.timeout_scale)
    patience = max(SCENARIO_TIME_LIMIT, patience)
    return Settings(
        engine=engine,
        profile=first(profile, held.profile, "all"),
        workers=count,
        time_limit=first(time_limit, held.time_limit, TIME_LIMIT),
        scenario_time_limit=first(scenario_time_limit, held.scenario_time_limit, patience),
        seed=held.seed if seed is None else seed,
        thorough=first(thorough, held.thorough, False),  # noqa: FBT003 -- the value of a flag
        baseline=baseline or held.baseline,
        report_dir=report_dir or held.report_dir,
        capabilities={} if project is None or engine.simulated else dict(project.capabilities),
        source=None if project is None else project.path,
    )


def _introduced(settings: Settings, specification: Path | None, folder: Path) -> Introduction | None:
    """Hear what the driver of an engine that is not the simulator says of it."""
    if settings.engine.simulated:
        return None
    from tck_driver.connection import About  # noqa: PLC0415 -- as above
    from tck_kit import assets  # noqa: PLC0415 -- as above
    from tck_kit.catalogue import read_specification  # noqa: PLC0415 -- as above
    from tck_kit.driver_keeper import introduce  # noqa: PLC0415 -- as above

    spec = read_specification(specification)
    about = About(assets.version(), spec.identifier, spec.version, spec.digest)
    return introduce(settings.engine, folder / "introduction", about)


def _declined(introduced: Introduction | None) -> list[str]:
    """Give the adapters that the engine does not declare as supported.

    An ordinary run shows each thing with one adapter or two. For an engine that lacks those, the further combinations
    show it with the ones it has; else it would be left out, and the engine conform for want of being looked at.
    """
    if introduced is None:
        return []
    from tck_driver.capabilities import ADAPTERS  # noqa: PLC0415 -- as above

    said = introduced.declaration.capabilities
    declined = [name for name in ADAPTERS if said.get(name) != "supported"]
    shows = len(declined) < len(ADAPTERS) and said.get("sessions") == "supported"
    return declined if shows else []


def _perform(
    settings: Settings,
    *,
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    database: str | None,
    specification: Path | None,
    features: Path | None,
) -> int:
    from rich.console import Console  # noqa: PLC0415 -- only this command draws

    from tck_kit.workers import Workers  # noqa: PLC0415 -- the same

    with Workers(settings.workers) as pool:
        from tck_kit.catalogue import (  # noqa: PLC0415 -- while the workers load
            read_catalogue,
            refuse_faults,
            select,
            with_left_out,
        )
        from tck_kit.known import read_baseline  # noqa: PLC0415 -- the same
        from tck_kit.progress import progress  # noqa: PLC0415 -- the same
        from tck_kit.run import Options, Run  # noqa: PLC0415 -- the same
        from tck_reports import files, terminal  # noqa: PLC0415 -- the same

        introduced = _introduced(settings, specification, pool.folder)
        declined = _declined(introduced)
        thorough = settings.thorough or bool(declined)
        catalogue = read_catalogue(specification, features, thorough=thorough, sentences=features is not None)
        refuse_faults(catalogue, own=features is None and specification is None)
        selection = select(
            catalogue,
            settings.profile,
            areas,
            requirements,
            own_features=features is not None and specification is None,
        )
        known_failures: dict[str, str] = {}
        if settings.baseline is not None:
            known_failures, catalogue = read_baseline(settings.baseline), with_left_out(catalogue)
        if settings.report_dir is not None:
            files.prepare(settings.report_dir)
        seed = int.from_bytes(os.urandom(4)) if settings.seed is None else settings.seed
        console = Console(stderr=True)
        count = len(selection.scenarios)
        spec = catalogue.specification
        told = "" if settings.engine.in_process else f" through {settings.engine.shown}"
        heard = "" if settings.source is None else f" ({settings.source})"
        if declined and not settings.thorough:
            console.print(
                f"{', '.join(declined)}: not supported, so what is left is shown by all combinations", highlight=False
            )
        console.print(
            f"{count} scenarios of specification {spec.identifier} {spec.version}, seed {seed}{told}{heard}",
            highlight=False,
        )
        options = Options(
            seed=seed,
            time_limit=settings.time_limit,
            scenario_limit=settings.scenario_time_limit,
            argv=("session-tck", *sys.argv[1:]),
            thorough=thorough,
            database_url=database,
            engine=settings.engine,
            introduced=introduced,
            expected_capabilities=settings.capabilities,
            baseline=known_failures,
        )
        with progress(console, count) as watch:
            report = Run(catalogue, selection, options, pool, watch).perform()
    if settings.report_dir is not None:
        files.write_all(report, settings.report_dir)
    terminal.write(report, sys.stdout)
    if catalogue.suite.left_out:
        click.echo(f"{catalogue.suite.left_out} more combinations were left out; --thorough runs them as well.")
    if settings.report_dir is not None:
        click.echo(f"Report: {settings.report_dir / 'report.html'}")
    return int(report["exit_code"])
