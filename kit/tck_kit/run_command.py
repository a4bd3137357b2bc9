"""`session-tck run`: its options, what a project file says in their place, and the run that comes of both."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from tck_kit.campaign.choice import CLUSTER
from tck_kit.faults import UsageFault

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    "engines",
    multiple=True,
    metavar="ENGINE",
    help="The engine under test: sim, sim+stdio, sim+http, the URL of a driver, or a command that starts one. May be "
    "repeated.  [default: what session-tck.toml names, else sim]",
)
@click.option(
    "--profile",
    type=click.Choice(["core", "hardened", "all"]),
    help="core: what is agreed; hardened: what is proposed.  [default: all]",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw names, numbers and order from this seed.")
@click.option("--seeds", "many_seeds", metavar="SEEDS", help="Run with each of these seeds: 1-20, or 1,2,7.")
@CLUSTER
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help=f"How many processes share the scenarios.  [default: the processors, at most {MOST_WORKERS}; one a URL]",
)
@click.option(
    "--report-dir",
    type=FILE,
    metavar="FOLDER",
    help="Write report.json, report.html, junit.xml and summary.md here; of several runs, each in a folder of its own, "
    "and campaign.json and campaign.md for all of them.",
)
@click.option(
    "--time-limit",
    type=click.IntRange(1, 604_800),
    help=f"Seconds for the whole run, and for all of several runs.  [default: {TIME_LIMIT} for each run]",
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
@click.option(
    "--feature",
    "feature_files",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Run this feature file in place of the scenarios, such as one that `fuzz` has kept. May be repeated.",
)
@SPECIFICATION
@FEATURES
def run(  # noqa: PLR0917 -- click passes the options by name
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    engines: tuple[str, ...],
    profile: str | None,
    seed: int | None,
    many_seeds: str | None,
    cluster: str | None,
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
    feature_files: tuple[Path, ...],
    specification: Path | None,
    features: Path | None,
) -> int:
    """Run the scenarios against an engine and grade every requirement.

    The engine is the reference simulator, unless --engine or a session-tck.toml in this folder or above names another.
    With several engines or seeds, and with --cluster, each engine is run with each seed, and all runs are merged.

    Exit code: 0 conformant, 1 nonconformant, 2 usage, 3 incomplete, 4 fault of kit or driver, 5 stale baseline; of
    several runs, the worst.
    """
    project = None if no_project_file else _project()
    if feature_files:
        from tck_kit.given_features import gathered  # noqa: PLC0415 -- seldom needed

        features = click.get_current_context().with_resource(gathered(feature_files, features, specification))
    seeds = chosen_seeds(seed, many_seeds)
    each = [
        _settings(
            project,
            engine=_engine(project, engine, observe_db, timeout_scale),
            profile=profile,
            workers=workers,
            time_limit=time_limit,
            scenario_time_limit=scenario_time_limit,
            seed=seeds[0] if seeds else None,
            thorough=thorough,
            baseline=baseline,
            report_dir=report_dir,
        )
        for engine in engines or (None,)
    ]
    if cluster is not None or len(each) * max(1, len(seeds)) > 1:
        if database is not None:
            raise UsageFault("it is for one run", "--database", "leave it out, or give one engine and one seed")
        return _perform_many(
            each,
            seeds,
            cluster=cluster,
            time_limit=time_limit,
            areas=areas,
            requirements=requirements,
            specification=specification,
            features=features,
        )
    settings = each[0]
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


def chosen_seeds(seed: int | None, many: str | None) -> tuple[int, ...]:
    """Give the seeds that the options name, none where they name none."""
    if many is None:
        return () if seed is None else (seed,)
    if seed is not None:
        raise UsageFault("both --seed and --seeds are given", f"--seed {seed}", "give one of them")
    from tck_kit.campaign.units import read_seeds  # noqa: PLC0415 -- as above

    return read_seeds(many)


def chosen_engine(
    engine: str | None, observe_db: str | None, timeout_scale: float | None, *, no_project_file: bool
) -> EngineChoice:
    """Choose the engine for a command that is not `run`, by the same options. Raises `UsageFault`."""
    return _engine(None if no_project_file else _project(), engine, observe_db, timeout_scale)


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


def _perform(
    settings: Settings,
    *,
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    database: str | None,
    specification: Path | None,
    features: Path | None,
) -> int:
    from tck_kit.workers import Workers  # noqa: PLC0415 -- as above

    with Workers(settings.workers) as pool:
        from rich.console import Console  # noqa: PLC0415 -- while the workers load

        from tck_kit.asked_run import Asked, perform, prepare  # noqa: PLC0415 -- the same
        from tck_kit.known import read_baseline  # noqa: PLC0415 -- the same
        from tck_reports import files, terminal  # noqa: PLC0415 -- the same

        seed = int.from_bytes(os.urandom(4)) if settings.seed is None else settings.seed
        asked = Asked(
            replace(settings, seed=seed),
            argv=("session-tck", *sys.argv[1:]),
            areas=areas,
            requirements=requirements,
            database=database,
            specification=specification,
            features=features,
            baseline=None if settings.baseline is None else read_baseline(settings.baseline),
        )
        prepared = prepare(asked, pool.folder)
        if settings.report_dir is not None:
            files.prepare(settings.report_dir)
        report = perform(prepared, pool, Console(stderr=True))
    if settings.report_dir is not None:
        files.write_all(report, settings.report_dir)
    terminal.write(report, sys.stdout)
    if left_out := prepared.catalogue.suite.left_out:
        click.echo(f"{left_out} more combinations were left out; --thorough runs them as well.")
    if settings.report_dir is not None:
        click.echo(f"Report: {settings.report_dir / 'report.html'}")
    return int(report["exit_code"])


def _perform_many(
    each: list[Settings],
    seeds: tuple[int, ...],
    *,
    cluster: str | None,
    time_limit: int | None,
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    specification: Path | None,
    features: Path | None,
) -> int:
    from tck_kit.asked_run import Asked  # noqa: PLC0415 -- as above
    from tck_kit.campaign.many_runs import perform_many  # noqa: PLC0415 -- as above
    from tck_kit.known import read_baseline  # noqa: PLC0415 -- as above

    first = each[0]
    seed = int.from_bytes(os.urandom(4)) if first.seed is None else first.seed
    baseline = None if first.baseline is None else read_baseline(first.baseline)
    asked = [
        Asked(
            # The workers of a cluster are as many processes already.
            settings if cluster is None else replace(settings, workers=1),
            argv=("session-tck", *sys.argv[1:]),
            areas=areas,
            requirements=requirements,
            specification=None if specification is None else specification.absolute(),
            features=None if features is None else features.absolute(),
            baseline=baseline,
        )
        for settings in each
    ]
    return perform_many(asked, seeds or (seed,), cluster=cluster, folder=first.report_dir, seconds=time_limit)
