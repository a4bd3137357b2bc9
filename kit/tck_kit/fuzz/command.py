"""`session-tck fuzz`: its options, and the search that comes of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.campaign.choice import CLUSTER
from tck_kit.faults import UsageFault
from tck_kit.run_command import FILE
from tck_kit.run_settings import chosen_engine, chosen_seeds
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.fuzz.search import Asked, Outcome

EXAMPLES, STEPS, SECONDS = 500, 40, 60
#: Seconds that making a history shorter may take with an engine that is not in this process.
SHRINK_SECONDS = 120
FOLDER = Path("counterexamples")
#: What to do where it was not the engine that went wrong.
_CURES = {
    "driver": "the driver is at fault, and `session-tck driver check` looks at it alone",
    "kit": "this is a fault of the kit, please report it with the counterexample",
}


@click.command()
@click.option(
    "--engine",
    metavar="ENGINE",
    help="The engine under test, as `run` takes it.  [default: what session-tck.toml names, else sim]",
)
@click.option(
    "--max-examples",
    type=click.IntRange(1, 10_000_000),
    default=EXAMPLES,
    show_default=True,
    help="End after so many histories.",
)
@click.option(
    "--steps", type=click.IntRange(1, 1_000), default=STEPS, show_default=True, help="How many steps a history has."
)
@click.option(
    "--time",
    "seconds",
    type=click.IntRange(1, 604_800),
    default=SECONDS,
    show_default=True,
    help="End with the history that is under way after so many seconds.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Draw from this seed.  [default: another each time]")
@click.option("--seeds", "many_seeds", metavar="SEEDS", help="Search with each of these seeds: 1-20, or 1,2,7.")
@CLUSTER
@click.option(
    "--output",
    "--report-dir",
    "output",
    type=FILE,
    metavar="FOLDER",
    default=FOLDER,
    show_default=True,
    help="Keep counterexamples here.",
)
@click.option(
    "--shrink-time",
    type=click.IntRange(0, 604_800),
    help="Make a counterexample shorter for so many seconds at most."
    f"  [default: no limit in this process, else {SHRINK_SECONDS}]",
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
@click.option("--no-project-file", is_flag=True, help="Do not look for a session-tck.toml.")
def fuzz(  # noqa: PLR0917 -- click passes the options by name
    engine: str | None,
    max_examples: int,
    steps: int,
    seconds: int,
    seed: int | None,
    many_seeds: str | None,
    cluster: str | None,
    output: Path,
    shrink_time: int | None,
    timeout_scale: float | None,
    observe_db: str | None,
    no_project_file: bool,  # noqa: FBT001 -- the same
) -> int:
    """Search for histories that an engine does not get right.

    Each is drawn at random out of everything that can happen to an engine, and each event in it is held against the
    specification. What is found is made shorter and kept as a feature file, which `run --feature` runs again.

    Exit code: 0 nothing found, 1 a counterexample, 2 usage, 3 cut short, 4 fault of kit or driver.
    """
    choice = chosen_engine(engine, observe_db, timeout_scale, no_project_file=no_project_file)
    if choice.kind == "url" and len(choice.urls) > 1:
        raise UsageFault("a search has one engine", f"--engine {choice.shown}", "give one URL")
    from tck_kit.fuzz.search import Asked, search  # noqa: PLC0415 -- the other commands start faster

    seeds = chosen_seeds(seed, many_seeds) or (int.from_bytes(os.urandom(4)),)
    limit = shrink_time if choice.in_process or shrink_time is not None else SHRINK_SECONDS
    asked = Asked(
        engine=engine,
        choice=choice,
        seed=seeds[0],
        examples=max_examples,
        steps=steps,
        seconds=seconds,
        shrink_seconds=limit,
        output=output,
    )
    if cluster is not None or len(seeds) > 1:
        from tck_kit.campaign.searches import search_many  # noqa: PLC0415 -- the same

        return search_many(asked, seeds, cluster=cluster)
    return _told(asked, search(asked))


def _told(asked: Asked, outcome: Outcome) -> int:
    """Say what came of it, once, and give the exit code."""
    for line in outcome.lines(asked):
        click.echo(line)
    if outcome.unwritten is not None:
        click.echo(f"session-tck: {outcome.unwritten}; so here it is:", err=True)
        sys.stdout.write(f"\n{outcome.text}")
    for line in outcome.faults:
        click.echo(f"session-tck: {line}", err=True)
    result = outcome.result
    if result.finding is not None:
        if result.finding.blames_engine:
            return ExitCode.NONCONFORMANT
        cure = _CURES.get(result.finding.judged.blame or "", "nothing can be said of the engine")
        click.echo(f"session-tck: the history was stopped by no fault of the engine's; {cure}", err=True)
        return ExitCode.FAULT
    if outcome.faults:
        return ExitCode.FAULT
    return ExitCode.INCOMPLETE if result.interrupted else ExitCode.CONFORMANT
