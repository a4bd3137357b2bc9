"""`session-tck run` with several engines or seeds: from what was asked to the files of a campaign."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tck_kit.campaign import merged, pages
from tck_kit.campaign.choice import executor
from tck_kit.campaign.fitness import Suites, facts
from tck_kit.campaign.runs import RunGiven, folders_of, perform_runs, units_of
from tck_kit.campaign.units import Ended
from tck_reports import files

if TYPE_CHECKING:
    from rich.console import Console

    from tck_kit.asked_run import Asked

CANONICAL = "campaign.json"
PAGE = "campaign.md"
#: What differs between two campaigns that gave the same.
TIMES = "times.json"


@dataclass(slots=True)
class _Watcher:
    """Says what happens, and puts the report of each run on disk as soon as it is there."""

    console: Console
    folder: Path | None
    times: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _written: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def ended(self, unit: Ended[Any], done: int, total: int) -> None:
        """Say how the runs of a unit ended, and write their reports."""
        runs: tuple[RunGiven, ...] = unit.result or ()
        codes = ", ".join("no report" if run.report is None else f"exit code {run.report['exit_code']}" for run in runs)
        self.console.print(f"{done} of {total}: {unit.name}: {codes or unit.text}", highlight=False, markup=False)
        self.times.append({"unit": unit.name, "seconds": round(unit.seconds, 3)})
        self.write(runs)

    def write(self, runs: Iterable[RunGiven]) -> None:
        """Write the reports that are not on disk yet."""
        for run in runs:
            pair = run.engine, run.seed
            if self.folder is not None and run.report is not None and pair not in self._written:
                files.write_all(run.report, self.folder / run.engine / f"seed-{run.seed}")
                self._written.add(pair)

    def told(self, text: str) -> None:
        """Say it."""
        self.console.print(text, highlight=False, markup=False)


def perform_many(
    asked: Sequence[Asked], seeds: Sequence[int], *, cluster: str | None, folder: Path | None, seconds: int | None
) -> int:
    """Run every engine with every seed, write what came of it, and give the worst exit code."""
    from rich.console import Console  # noqa: PLC0415 -- only this draws

    from tck_kit.asked_run import read_suite  # noqa: PLC0415 -- whoever names a wrong seed hears of it faster

    folders = folders_of([one.settings.engine for one in asked])
    suites = Suites(asked[0].specification, asked[0].features)
    # What is wrong with what was asked for is said once, and not by every run.
    read_suite(asked[0], thorough=asked[0].settings.thorough)
    here = facts(suites)
    if folder is not None:
        files.prepare(folder)
        (folder / CANONICAL).unlink(missing_ok=True)
    started = datetime.now(UTC)
    console = Console(stderr=True)
    watcher = _Watcher(console, folder)
    units = units_of(list(zip(folders, asked, strict=True)), seeds)
    with executor(cluster, suites) as work:
        console.print(f"{len(asked) * len(seeds)} runs in {len(units)} units of work", highlight=False)
        harvest = work.perform(perform_runs, units, watch=watcher, seconds=seconds)
        # What was found out is not to be lost to a second Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    given = [run for runs in harvest.results for run in runs]
    # One that came together with an interrupt.
    watcher.write(given)
    orders = {unit.name: unit.order for unit in units}
    given.extend(
        RunGiven(orders[one.name].engine, seed, None, one.kind, one.text)
        for one in harvest.failed
        for seed in orders[one.name].seeds
    )
    shown = {name: one.settings.engine.shown for name, one in zip(folders, asked, strict=True)}
    campaign = merged.merge(merged.Frame(shown, seeds, here), given, harvest.cut_short)
    if folder is not None:
        _write(campaign, folder, started, watcher.times)
    pages.write(campaign, sys.stdout)
    if folder is not None:
        click.echo(f"Report: {folder / PAGE}")
    return campaign["exit_code"]


def _write(campaign: merged.Campaign, folder: Path, started: datetime, times: list[dict[str, Any]]) -> None:
    """Write the files of the campaign, `campaign.json` last: whoever finds it finds the others beside it."""
    finished = datetime.now(UTC)
    apart = {
        "started": started.isoformat(timespec="milliseconds"),
        "finished": finished.isoformat(timespec="milliseconds"),
        "units": sorted(times, key=lambda one: str(one["unit"])),
    }
    files.write_whole(folder / TIMES, f"{json.dumps(apart, indent=2)}\n".encode("ascii"))
    files.write_whole(folder / PAGE, pages.markdown(campaign).encode("utf-8"))
    files.write_whole(folder / CANONICAL, merged.encode(campaign))
