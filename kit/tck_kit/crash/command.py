"""`session-tck crash`: its options, and the sweep that comes of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.campaign.choice import CLUSTER
from tck_kit.faults import UsageFault
from tck_kit.run_command import FILE
from tck_kit.run_settings import chosen_engine

if TYPE_CHECKING:
    from tck_kit.campaign.units import Executor, Harvest, Unit
    from tck_kit.crash.part import Part
    from tck_kit.crash.sweep import Swept
    from tck_kit.engine_choice import EngineChoice
    from tck_kit.scenarios import Scenario

TIME_LIMIT, MOST_WORKERS, PART = 3600, 4, 8
#: Seconds that a scenario with its aftermath may take, in process and behind a driver.
PATIENCE, OUTSIDE_PATIENCE = 20, 120


@click.command()
@click.option("--engine", metavar="ENGINE", help="The engine, as for `run`.  [default: session-tck.toml, else sim]")
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only scenarios of this area. May be repeated.")
@click.option(
    "--requirement", "requirements", multiple=True, metavar="ID", help="Only scenarios of it. May be repeated."
)
@click.option("--scenario", "scenario", metavar="ID", help="Only this scenario, by the id that a finding gives.")
@click.option(
    "--every",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    metavar="K",
    help="Cut the power after every K-th witnessed event; 1 leaves none out.",
)
@click.option("--at", type=click.IntRange(1, 100_000), metavar="N", help="Cut after the N-th event alone.")
@click.option("--late", is_flag=True, help="With --at: just before the next effect, not just after the event.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Draw names and numbers from it."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help=f"How many processes.  [default: the processors, at most {MOST_WORKERS}]",
)
@click.option(
    "--time-limit", type=click.IntRange(1, 604_800), default=TIME_LIMIT, show_default=True, help="Seconds for it all."
)
@click.option("--timeout-scale", type=click.FloatRange(0.1, 100.0), help="Lengthen every deadline of a driver.")
@click.option("--observe-db", metavar="URL", help="SQLAlchemy URL of the engine's own database, as for `run`.")
@click.option("--report-dir", type=FILE, metavar="FOLDER", help="Write crash.json here.")
@click.option("--no-project-file", is_flag=True, help="Do not look for a session-tck.toml.")
@CLUSTER
def crash(  # noqa: PLR0917 -- click passes the options by name
    engine: str | None,
    areas: tuple[str, ...],
    requirements: tuple[str, ...],
    scenario: str | None,
    every: int,
    at: int | None,
    late: bool,  # noqa: FBT001 -- the same
    seed: int,
    workers: int | None,
    time_limit: int,
    timeout_scale: float | None,
    observe_db: str | None,
    report_dir: Path | None,
    no_project_file: bool,  # noqa: FBT001 -- the same
    cluster: str | None,
) -> int:
    """Kill the engine at every point of a scenario, start it again, and look for what was lost.

    Each scenario is played up to the power cut; then the engine starts on what it left, and comes to rest. No session
    may be lost or be another's, no answer be published twice, no container or directory be left, and every run ends.

    Exit code: 0 nothing was lost, 1 something was, 2 usage, 3 incomplete, 4 fault of kit or driver.
    """
    if late and at is None:
        raise UsageFault("it says when the cut that --at names falls", "--late", "add --at, or leave it out")
    if at is not None and scenario is None:
        raise UsageFault("one cut belongs to one scenario", f"--at {at}", "name it with --scenario")
    choice = chosen_engine(engine, observe_db, timeout_scale, no_project_file=no_project_file)
    from tck_kit.campaign.choice import executor  # noqa: PLC0415 -- the other commands start faster
    from tck_kit.campaign.fitness import Suites  # noqa: PLC0415 -- the same
    from tck_kit.campaign.together import Together  # noqa: PLC0415 -- the same

    scenarios = _scenarios(areas, requirements, scenario)
    if report_dir is not None:
        from tck_reports import files  # noqa: PLC0415 -- the same

        files.prepare(report_dir)
    units = _units(choice, scenarios, seed=seed, every=every, at=None if at is None else (at, late))
    count = len(choice.urls) or workers or min(os.cpu_count() or 1, MOST_WORKERS)
    click.echo(f"{len(scenarios)} scenarios through {choice.shown}, seed {seed}, every {every}. event", err=True)
    if cluster is None:
        return _swept(Together(count), units, choice, time_limit, report_dir)
    with executor(cluster, Suites()) as there:
        return _swept(there, units, choice, time_limit, report_dir)


def _scenarios(areas: tuple[str, ...], requirements: tuple[str, ...], name: str | None) -> tuple[Scenario, ...]:
    from tck_kit.catalogue import read_catalogue, select  # noqa: PLC0415 -- as above

    catalogue = read_catalogue(None, None, thorough=name is not None, sentences=False)
    if name is not None:
        found = tuple(one for one in catalogue.suite.scenarios if one.id == name)
        if not found:
            raise UsageFault("there is no such scenario", f"--scenario {name}", "copy the id from a finding")
        return found
    return select(catalogue, "all", areas, requirements, own_features=False).scenarios


def _units(
    choice: EngineChoice, scenarios: tuple[Scenario, ...], *, seed: int, every: int, at: tuple[int, bool] | None
) -> list[Unit[Part]]:
    """Hear the driver and run the controls; then split the scenarios, so that nobody waits long for the last."""
    from tck_driver.connection import About  # noqa: PLC0415 -- as above
    from tck_kit import assets  # noqa: PLC0415 -- as above
    from tck_kit.campaign.units import Unit  # noqa: PLC0415 -- as above
    from tck_kit.catalogue import read_specification  # noqa: PLC0415 -- as above
    from tck_kit.crash.controls import check_controls  # noqa: PLC0415 -- as above
    from tck_kit.crash.part import Part  # noqa: PLC0415 -- as above
    from tck_kit.driver_keeper import introduce_mailboxes  # noqa: PLC0415 -- as above
    from tck_kit.workers import Workers  # noqa: PLC0415 -- as above

    spec = read_specification(None)
    about = About(assets.version(), spec.identifier, spec.version, spec.digest)
    with Workers(0) as place:
        introduced = None if choice.simulated else introduce_mailboxes(choice, place.folder / "introduction", about)
        check_controls(place.folder / "controls", seed)
    patience = PATIENCE if choice.in_process else round(OUTSIDE_PATIENCE * max(1.0, choice.timeout_scale))
    pieces = [scenarios[start : start + PART] for start in range(0, len(scenarios), PART)]
    if choice.urls:
        # One driver serves one part at a time, so each has one part.
        share = -(-len(scenarios) // len(choice.urls))
        pieces = [scenarios[start : start + share] for start in range(0, len(scenarios), share)]
    return [
        Unit(f"part {number + 1}", Part(piece, choice, about, introduced, seed, every, patience, at, number))
        for number, piece in enumerate(pieces)
    ]


def _swept(
    there: Executor, units: list[Unit[Part]], choice: EngineChoice, time_limit: int, report_dir: Path | None
) -> int:
    from rich.console import Console  # noqa: PLC0415 -- as above

    from tck_kit.crash.part import sweep_part  # noqa: PLC0415 -- as above
    from tck_kit.crash.show import watched, write  # noqa: PLC0415 -- as above

    with watched(Console(stderr=True), len(units)) as watch:
        harvest = there.perform(sweep_part, units, watch=watch, seconds=time_limit)
    if report_dir is not None:
        from tck_reports import files  # noqa: PLC0415 -- as above

        files.write_whole(report_dir / "crash.json", _fields(harvest, choice))
    code = write(harvest, choice.shown, Console(highlight=False))
    if report_dir is not None:
        click.echo(f"Report: {report_dir / 'crash.json'}")
    return code


def _fields(harvest: Harvest[tuple[Swept, ...]], choice: EngineChoice) -> bytes:
    swept = [one for part in harvest.results for one in part]
    told = {
        "engine": choice.shown,
        "cut_short": harvest.cut_short,
        "scenarios": [
            {
                "id": one.scenario,
                "events": one.events,
                "left_out": one.left_out,
                "cuts": [
                    {
                        "events": cut.events,
                        "late": cut.late,
                        "step": cut.step,
                        "outcome": str(cut.record.outcome),
                        "reason": cut.record.reason,
                        "lost": [
                            {"statement": held.statement, "expected": held.expected, "actual": held.actual}
                            for held in cut.record.expectations
                            if not held.held
                        ],
                    }
                    for cut in one.cuts
                ],
            }
            for one in swept
        ],
        "failed": [{"part": one.name, "reason": f"{one.kind}: {one.text}"} for one in harvest.failed],
    }
    return (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
