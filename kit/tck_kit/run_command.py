"""`session-tck run`: its options, what a project file says in their place, and the run that comes of both."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import click

from tck_kit.campaign.choice import CLUSTER
from tck_kit.faults import UsageFault
from tck_kit.run_settings import (
    MOST_WORKERS,
    SCENARIO_TIME_LIMIT,
    TIME_LIMIT,
    Settings,
    chosen_seeds,
    engine_of,
    project_here,
    settings_of,
)
from tck_kit.trace.lines import FILE as TRACE
from tck_kit.trace.option import NO_TRACE, trace_in

FILE = click.Path(path_type=Path)
SPECIFICATION = click.option(
    "--specification", type=FILE, metavar="FILE", help="Grade by this specification instead of the kit's own."
)
FEATURES = click.option("--features", type=FILE, metavar="FOLDER", help="Use these scenarios instead of the kit's own.")
MOST_RETRIES = 5


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
    help="The engine under test: sim, sim+stdio, sim+http, sim:PROFILE for the simulator of a profile that is "
    "shown with courses (continuity, reuse, redelegation), the URL of a driver, or a command that starts one. May be "
    "repeated.  [default: what session-tck.toml names, else sim]",
)
@click.option(
    "--profile",
    multiple=True,
    type=click.Choice(["core", "hardened", "all", "continuity", "reuse", "redelegation"]),
    help="core: what is agreed; hardened: what is proposed; all: core and hardened; continuity: for every engine that "
    "resumes; reuse, redelegation: for engines of other kinds. May be repeated.  [default: all, or what is "
    "claimed by an engine that plays courses]",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw names, numbers and order from this seed.")
@click.option("--seeds", "many_seeds", metavar="SEEDS", help="Run with each of these seeds: 1-20, or 1,2,7.")
@click.option(
    "--shard",
    "part",
    metavar="N/M",
    help="Run the Nth of M parts of the scenarios, and let `merge` join the reports; needs --seed.",
)
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
    help="Write report.json and all that `render --list` names here; of several runs, each in a folder of its own, and "
    "campaign.json and campaign.md for all of them.",
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
    "--baseline",
    type=FILE,
    metavar="FILE",
    help="Known failures, as TOML: of a requirement or a check, each with reason, owner and date.",
)
@click.option(
    "--retries",
    type=click.IntRange(0, MOST_RETRIES),
    help="Try what has failed so often again, after everything else; what passes then is flaky.  [default: 0]",
)
@click.option(
    "--thorough", is_flag=True, default=None, help="Run the rows of the Examples called `more combinations` as well."
)
@click.option(
    "--database", metavar="URL", help="SQLAlchemy URL of an empty database for the simulator; needs --workers 1."
)
@click.option(
    "--runtime",
    type=click.Choice(["stand-in", "docker"]),
    default="stand-in",
    show_default=True,
    help="Where the simulator's containers run: in the kit's own stand-in, or on a real container engine.",
)
@click.option(
    "--base",
    metavar="IMAGE",
    help="Make the image of --runtime docker of this one, which has Python 3.11 or newer, in the place of Debian's "
    "packages.",
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
@NO_TRACE
@SPECIFICATION
@FEATURES
def run(  # noqa: PLR0917 -- click passes the options by name
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    engines: tuple[str, ...],
    profile: tuple[str, ...],
    seed: int | None,
    many_seeds: str | None,
    part: str | None,
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
    runtime: str,
    base: str | None,
    no_project_file: bool,  # noqa: FBT001 -- the same
    retries: int | None,
    feature_files: tuple[Path, ...],
    no_trace: bool,  # noqa: FBT001 -- the same
    specification: Path | None,
    features: Path | None,
) -> int:
    """Run the scenarios against an engine and grade every requirement.

    The engine is the reference simulator, unless --engine or a session-tck.toml in this folder or above names another.
    With several engines or seeds, and with --cluster, each engine is run with each seed, and all runs are merged.

    Exit code: 0 conformant, 1 nonconformant, 2 usage, 3 incomplete, 4 fault of kit or driver, 5 stale baseline; of
    several runs, the worst.
    """
    project = None if no_project_file else project_here()
    if feature_files:
        from tck_kit.given_features import gathered  # noqa: PLC0415 -- seldom needed

        features = click.get_current_context().with_resource(gathered(feature_files, features, specification))
    seeds = chosen_seeds(seed, many_seeds)
    each = [
        settings_of(
            project,
            engine=engine_of(project, engine, observe_db, timeout_scale),
            profiles=profile,
            workers=workers,
            time_limit=time_limit,
            scenario_time_limit=scenario_time_limit,
            seed=seeds[0] if seeds else None,
            thorough=thorough,
            baseline=baseline,
            report_dir=report_dir,
            runtime=runtime,
            base=base,
            retries=retries,
        )
        for engine in engines or (None,)
    ]
    if base is not None and runtime != "docker":
        raise UsageFault("it is the base of real containers", "--base", "leave it out, or add --runtime docker")
    _refuse_elsewhere(each, runtime, cluster)
    if part is not None:
        from tck_kit.shards import chosen_part  # noqa: PLC0415 -- seldom needed

        runs = len(each) * max(1, len(seeds))
        each[0] = replace(each[0], shard=chosen_part(part, each[0].seed, alone=cluster is None and runs == 1))
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
        if not settings.engine.in_process or settings.engine.policy is not None:
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
        traced=not no_trace,
    )


def _refuse_elsewhere(each: list[Settings], runtime: str, cluster: str | None) -> None:
    """Raise `UsageFault` where real containers are asked for that would not be this machine's simulator's."""
    if runtime == "stand-in":
        return
    if any(not settings.engine.in_process or settings.engine.policy is not None for settings in each):
        raise UsageFault("it is for the simulator in process", "--runtime", "leave it out, or use --engine sim")
    if cluster is not None:
        raise UsageFault("its containers would be on other machines", "--runtime", "leave out --cluster")


def _perform(
    settings: Settings,
    *,
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    database: str | None,
    specification: Path | None,
    features: Path | None,
    traced: bool,
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
            trace=trace_in(settings.report_dir, wanted=traced),
        )
        prepared = prepare(asked, pool.folder)
        if settings.report_dir is not None:
            click.get_current_context().with_resource(files.kept(settings.report_dir))
        report = perform(prepared, pool, Console(stderr=True))
    if settings.report_dir is not None:
        files.write_all(report, settings.report_dir, {TRACE: asked.trace})
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
