"""How a run is to be made: what options say, what a project file says in their place, and what holds otherwise."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tck_kit.faults import UsageFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tck_kit.engine_choice import EngineChoice, Observed
    from tck_kit.project_file import ProjectFile
    from tck_reports.records import Shard

T = TypeVar("T")
#: What holds where neither an option nor the project file says anything.
TIME_LIMIT, SCENARIO_TIME_LIMIT = 900, 20
#: Seconds that a scenario may take in which an engine plays a course at its own pace; its driver's deadlines are in it.
COURSE_TIME_LIMIT = 330
MOST_WORKERS = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run is made, once options and project file have been heard."""

    engine: EngineChoice
    #: The profiles that are asked for; none where the engine is to be held against what it claims.
    profiles: tuple[str, ...]
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
    #: Where the simulator's containers run: on the stand-in, or on docker.
    runtime: str = "stand-in"
    #: The image that those on docker are made of; None for Debian's packages.
    base: str | None = None
    #: Which part of the scenarios is run; None for all of them.
    shard: Shard | None = None
    #: How often a scenario that has failed is tried again.
    retries: int = 0
    #: Whether what is labelled `quick` is enough.
    quick: bool = False
    #: Whether somebody has said how long a scenario may take.
    limited: bool = False


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
    """Choose the engine for a command that is about mailboxes, by the options of `run`. Raises `UsageFault`."""
    choice = engine_of(None if no_project_file else project_here(), engine, observe_db, timeout_scale)
    if choice.policy is not None:
        raise UsageFault("it plays courses, and has no mailboxes", f"--engine {choice.shown}", "use sim, or a driver")
    return choice


def project_here() -> ProjectFile | None:
    """Read the project file of this folder or of the nearest one above it, where there is one."""
    from tck_kit.project_file import find, read  # noqa: PLC0415 -- as above

    path = find(Path.cwd())
    return None if path is None else read(path)


def engine_of(
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


def settings_of(
    project: ProjectFile | None,
    *,
    engine: EngineChoice,
    profiles: tuple[str, ...] = (),
    workers: int | None,
    time_limit: int | None,
    scenario_time_limit: int | None,
    seed: int | None,
    thorough: bool | None,
    baseline: Path | None,
    report_dir: Path | None,
    runtime: str = "stand-in",
    base: str | None = None,
    retries: int | None = None,
) -> Settings:
    """Make the settings of one run: what an option says wins over the project file. Raises `UsageFault`."""

    def first(option: T | None, written: T | None, otherwise: T) -> T:
        return option if option is not None else written if written is not None else otherwise

    from tck_kit.families import profiles_asked  # noqa: PLC0415 -- as above
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
    patience, limit = max(SCENARIO_TIME_LIMIT, patience), TIME_LIMIT
    if runtime == "docker":
        from tck_kit import real_containers  # noqa: PLC0415 -- as above

        patience, limit = real_containers.SCENARIO_TIME_LIMIT, real_containers.TIME_LIMIT
    return Settings(
        engine=engine,
        profiles=profiles_asked(profiles or held.profiles),
        workers=count,
        time_limit=first(time_limit, held.time_limit, limit),
        scenario_time_limit=first(scenario_time_limit, held.scenario_time_limit, patience),
        seed=held.seed if seed is None else seed,
        thorough=first(thorough, held.thorough, False),  # noqa: FBT003 -- the value of a flag
        baseline=baseline or held.baseline,
        report_dir=report_dir or held.report_dir,
        capabilities={} if project is None or engine.simulated else dict(project.capabilities),
        runtime=runtime,
        base=base,
        retries=first(retries, held.retries, 0),
        limited=scenario_time_limit is not None or held.scenario_time_limit is not None,
        source=None if project is None else project.path,
    )
