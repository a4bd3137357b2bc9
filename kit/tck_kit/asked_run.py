"""A run as it was asked for: plain values that can be sent anywhere, and how a run comes of them.

What a user gave has been heard by then; whether the engine, the scenarios and the selection are usable is found out
here, before the first scenario.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tck_driver.connection import About
from tck_kit import assets
from tck_kit.catalogue import (
    Catalogue,
    Selection,
    quick,
    read_catalogue,
    read_specification,
    refuse_faults,
    select,
    with_left_out,
)
from tck_kit.driver_keeper import Introduction, introduce
from tck_kit.engine_choice import EngineChoice
from tck_kit.families import COURSES, MAILBOXES, family_of
from tck_kit.faults import UsageFault
from tck_kit.progress import progress
from tck_kit.real_containers import RealContainers, available, swept
from tck_kit.run import Options, Run
from tck_kit.run_settings import COURSE_TIME_LIMIT
from tck_kit.shards import shared_out, shown
from tck_kit.workers import Workers
from tck_reports.baseline.entries import Baseline
from tck_reports.shape import Report

if TYPE_CHECKING:
    from rich.console import Console

    from tck_kit.run_settings import Settings


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run is asked to be; its settings have a seed. Paths are absolute where it is sent to another process."""

    settings: Settings
    argv: tuple[str, ...]
    areas: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    database: str | None = None
    specification: Path | None = None
    features: Path | None = None
    #: Known failures; None without a baseline.
    baseline: Baseline | None = None
    #: Where to write what every scenario asked and was given; None for nowhere.
    trace: Path | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin."""

    asked: Asked
    introduced: Introduction | None
    declined: tuple[str, ...]
    catalogue: Catalogue
    selection: Selection
    containers: RealContainers | None = None

    @property
    def thorough(self) -> bool:
        """Whether the further combinations are run as well."""
        return self.asked.settings.thorough or bool(self.declined)


def prepare(asked: Asked, folder: Path) -> Prepared:
    """Hear the driver, read the suite, and look for what is real. Raises `UsageFault` or `SuiteFault`."""
    introduced = _introduced(asked, folder)
    declined = _declined(introduced)
    asked = replace(asked, settings=_settled(asked.settings, introduced))
    catalogue, selection = read_suite(asked, thorough=asked.settings.thorough or bool(declined))
    if asked.settings.shard is not None:
        selection = shared_out(selection, asked.settings.shard, asked.settings.seed or 0)
    containers = available(folder, asked.settings.base) if asked.settings.runtime == "docker" else None
    return Prepared(asked, introduced, tuple(declined), catalogue, selection, containers)


def read_suite(asked: Asked, *, thorough: bool) -> tuple[Catalogue, Selection]:
    """Read specification and scenarios, and choose among them. Raises `UsageFault` or `SuiteFault`."""
    policy = asked.settings.engine.policy
    profiles = asked.settings.profiles or (MAILBOXES.profiles if policy is None else (policy,))
    catalogue = read_catalogue(
        asked.specification,
        asked.features,
        thorough=thorough,
        sentences=asked.features is not None,
        family=family_of(profiles[0]),
    )
    refuse_faults(catalogue, own=asked.features is None and asked.specification is None)
    selection = select(
        catalogue,
        profiles,
        asked.areas,
        asked.requirements,
        own_features=asked.features is not None and asked.specification is None,
    )
    if asked.settings.quick:
        selection = quick(catalogue, selection)
    if asked.baseline is not None:
        catalogue = with_left_out(catalogue)
    return catalogue, selection


def perform(prepared: Prepared, pool: Workers, console: Console) -> Report:
    """Say what is run, and run it."""
    asked, settings, catalogue = prepared.asked, prepared.asked.settings, prepared.catalogue
    seed = settings.seed or 0
    count = len(prepared.selection.scenarios)
    spec = catalogue.specification
    told = "" if settings.engine.in_process else f" through {settings.engine.shown}"
    told += "" if prepared.containers is None else f", in containers of {prepared.containers.shown}"
    told += "" if settings.shard is None else f", part {shown(settings.shard)}"
    heard = "" if settings.source is None else f" ({settings.source})"
    if prepared.declined and not settings.thorough:
        console.print(
            f"{', '.join(prepared.declined)}: not supported, so what is left is shown by all combinations",
            highlight=False,
        )
    console.print(
        f"{count} {'scenario' if count == 1 else 'scenarios'} of "
        f"specification {spec.identifier} {spec.version}, seed {seed}{told}{heard}",
        highlight=False,
    )
    options = Options(
        seed=seed,
        time_limit=settings.time_limit,
        scenario_limit=settings.scenario_time_limit,
        argv=asked.argv,
        thorough=prepared.thorough,
        database_url=asked.database,
        engine=settings.engine,
        introduced=prepared.introduced,
        expected_capabilities=settings.capabilities,
        containers=prepared.containers,
        shard=settings.shard,
        baseline=asked.baseline,
        retries=settings.retries,
        trace=asked.trace,
    )
    if prepared.containers is not None:
        pool.clear = swept
    with progress(console, count) as watch:
        return Run(catalogue, prepared.selection, options, pool, watch).perform()


def _introduced(asked: Asked, folder: Path) -> Introduction | None:
    """Hear what the driver of an engine that is not the simulator says of it."""
    if asked.settings.engine.simulated:
        return None
    spec = read_specification(asked.specification)
    about = About(assets.version(), spec.identifier, spec.version, spec.digest)
    return introduce(asked.settings.engine, folder / "introduction", about)


def _settled(settings: Settings, introduced: Introduction | None) -> Settings:
    """Settle what depends on the kind of engine: by which profiles it is judged, and how long it may take.

    Raises `UsageFault` where an engine is asked for what cannot be shown with its kind, or claims nothing.
    """
    claimed = _claimed(settings.engine, introduced)
    asked, where = settings.profiles, f"--engine {settings.engine.shown}"
    if claimed is None:
        beyond = [profile for profile in asked if settings.engine.simulated and profile in COURSES.profiles[1:]]
        if beyond:
            raise UsageFault(
                f"the simulator of mailboxes does not mean to meet {beyond[0]}",
                f"{where} --profile {beyond[0]}",
                f"use --engine sim:{beyond[0]}",
            )
        return replace(settings, profiles=asked or MAILBOXES.profiles)
    if asked and family_of(asked[0]) is MAILBOXES:
        raise UsageFault(
            f"it plays courses, and {' and '.join(asked)} is shown with mailboxes",
            where,
            f"name a profile of {', '.join(COURSES.profiles)}, or leave --profile out",
        )
    if not (asked or claimed):
        raise UsageFault("it plays courses and claims no profile", where, "name one with --profile")
    settings = replace(settings, profiles=asked or claimed)
    if settings.limited or introduced is None:
        return settings
    return replace(settings, scenario_time_limit=round(COURSE_TIME_LIMIT * max(1.0, settings.engine.timeout_scale)))


def _claimed(engine: EngineChoice, introduced: Introduction | None) -> tuple[str, ...] | None:
    """Give the profiles that an engine claims that plays courses itself, None for an engine of mailboxes."""
    if engine.policy is not None:
        return (engine.policy,)
    if introduced is None or introduced.declaration.policy is None:
        return None
    said = introduced.declaration.capabilities
    return tuple(name for name in COURSES.profiles if said.get(f"profile.{name}") == "supported")


def _declined(introduced: Introduction | None) -> list[str]:
    """Give the adapters that the engine does not declare as supported.

    An ordinary run shows each thing with one adapter or two. For an engine that lacks those, the further combinations
    show it with the ones it has; else it would be left out, and the engine conform for want of being looked at.
    """
    if introduced is None:
        return []
    from tck_driver.capabilities import ADAPTERS  # noqa: PLC0415 -- a run of the simulator starts faster

    said = introduced.declaration.capabilities
    declined = [name for name in ADAPTERS if said.get(name) != "supported"]
    shows = len(declined) < len(ADAPTERS) and said.get("sessions") == "supported"
    return declined if shows else []
