"""Many searches: one engine with each of several seeds, here or on a cluster, and what all of them came to.

A search that its time ended has gone as far as the machine let it. So `fuzz.json` says what ended each: where that is
never the time, the same seeds give the same bytes.
"""

from __future__ import annotations

import json
import shlex
import signal
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tck_kit.campaign.choice import executor
from tck_kit.campaign.fitness import Suites
from tck_kit.campaign.runs import one_at_a_time
from tck_kit.campaign.units import Ended, Unit, shown_seeds
from tck_kit.faults import DriverFault, SuiteFault, UsageFault
from tck_reports import files
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from rich.console import Console

    from tck_kit.fuzz.search import Asked, Outcome

CANONICAL = "fuzz.json"
#: Exit codes, the worst first: a counterexample is one whether or not everything was searched.
_WORST: Final = (
    ExitCode.FAULT,
    ExitCode.USAGE,
    ExitCode.NONCONFORMANT,
    ExitCode.INCOMPLETE,
    ExitCode.CONFORMANT,
)


@dataclass(frozen=True, slots=True)
class SearchesOrder:
    """A search that is to be made with each of these seeds, one after the other."""

    asked: Asked
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SearchGiven:
    """What one search gave. `kind` and `text` are those of a fault that kept it from anything else."""

    seed: int
    exit_code: int
    #: What ended it: a counterexample, enough examples, the time, or a fault.
    ended_by: str
    histories: int = 0
    events: int = 0
    stimuli: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict[str, int])
    requirements: tuple[str, ...] = ()
    #: What was found, in one line, and the file that shows it again.
    found: str | None = None
    name: str | None = None
    feature: str | None = None
    faults: tuple[str, ...] = ()


def perform_searches(order: SearchesOrder) -> tuple[SearchGiven, ...]:
    """Make the searches of one unit, in this process."""
    return tuple(_one(replace(order.asked, seed=seed)) for seed in order.seeds)


def _one(asked: Asked) -> SearchGiven:
    """Search, and bring home what would have been kept here: it is kept where the search was asked for."""
    from tck_kit.fuzz.search import search  # noqa: PLC0415 -- whoever makes orders starts faster

    with tempfile.TemporaryDirectory(prefix="session-tck-", ignore_cleanup_errors=True) as folder:
        place = Path(folder) / "kept"
        try:
            return _given(asked, search(replace(asked, output=place)), place)
        except (UsageFault, DriverFault, SuiteFault) as fault:
            code = ExitCode.USAGE if isinstance(fault, UsageFault) else ExitCode.FAULT
            return SearchGiven(asked.seed, code, "fault", faults=(str(fault),))


def _given(asked: Asked, outcome: Outcome, place: Path) -> SearchGiven:
    from tck_kit.fuzz.counterexample import told  # noqa: PLC0415 -- as above

    tally, finding = outcome.result.tally, outcome.result.finding
    code, ended_by = ExitCode.CONFORMANT, "examples" if tally.examples >= asked.examples else "time"
    if finding is not None:
        code = ExitCode.NONCONFORMANT if finding.blames_engine else ExitCode.FAULT
        ended_by = "counterexample"
    elif outcome.faults:
        code = ExitCode.FAULT
    text, name = outcome.text, None if outcome.path is None else outcome.path.name
    if name is not None:
        # It says by which command it is run again, with the place where it will be.
        text = text.replace(shlex.quote(str(place / name)), shlex.quote(str(asked.output / name)))
    return SearchGiven(
        asked.seed,
        code,
        ended_by,
        tally.examples,
        tally.events,
        tally.stimuli,
        dict(sorted(tally.kinds.items())),
        outcome.requirements,
        None if finding is None else told(finding),
        name,
        text or None,
        tuple(outcome.faults) if outcome.unwritten is None else (*outcome.faults, outcome.unwritten),
    )


def units_of(asked: Asked, seeds: Sequence[int]) -> list[Unit[SearchesOrder]]:
    """Cut searches into units."""
    parts = [tuple(seeds)] if one_at_a_time(asked.choice) else [(seed,) for seed in seeds]
    return [Unit(f"seed{'s' * (len(part) > 1)} {shown_seeds(part)}", SearchesOrder(asked, part)) for part in parts]


@dataclass(slots=True)
class _Watcher:
    """Says what happens, and keeps each counterexample as soon as it is there."""

    console: Console
    folder: Path

    def ended(self, unit: Ended[Any], done: int, total: int) -> None:
        """Say what the searches of a unit came to."""
        searches: tuple[SearchGiven, ...] = unit.result or ()
        words = ", ".join(one.found or one.ended_by for one in searches) or unit.text
        self.told(f"{done} of {total}: {unit.name}: {words}")
        keep(searches, self.folder)

    def told(self, text: str) -> None:
        """Say it."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)


def keep(given: Iterable[SearchGiven], folder: Path) -> None:
    """Write the counterexamples; one that several seeds have shown tells of the first of them."""
    for one in sorted(given, key=lambda one: one.seed, reverse=True):
        if one.name is not None and one.feature is not None:
            files.write_whole(folder / one.name, one.feature.encode("utf-8"))


def search_many(asked: Asked, seeds: Sequence[int], *, cluster: str | None) -> int:
    """Search with every seed, keep what is found, and give the worst exit code."""
    from rich.console import Console  # noqa: PLC0415 -- only this draws

    files.prepare(asked.output)
    (asked.output / CANONICAL).unlink(missing_ok=True)
    units = units_of(asked, seeds)
    with executor(cluster, Suites()) as work:
        harvest = work.perform(perform_searches, units, watch=_Watcher(Console(stderr=True), asked.output))
        # What was found out is not to be lost to a second Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders = {unit.name: unit.order for unit in units}
    given = [one for searches in harvest.results for one in searches]
    given.extend(
        SearchGiven(seed, ExitCode.FAULT, "fault", faults=(f"{one.kind}: {one.text}",))
        for one in harvest.failed
        for seed in orders[one.name].seeds
    )
    keep(given, asked.output)
    merged = merge(asked.choice.shown, seeds, given, harvest.cut_short)
    files.write_whole(asked.output / CANONICAL, f"{json.dumps(merged, indent=2)}\n".encode("ascii"))
    for line in _lines(merged, asked):
        click.echo(line)
    return int(merged["exit_code"])


def merge(engine: str, seeds: Sequence[int], given: Iterable[SearchGiven], cut_short: str | None) -> dict[str, Any]:
    """Merge what searches gave, in whatever order they did."""
    by_seed = {one.seed: one for one in given}
    known = [by_seed.get(seed) or SearchGiven(seed, ExitCode.INCOMPLETE, "not run") for seed in seeds]
    kinds: Counter[str] = Counter()
    for one in known:
        kinds.update(one.kinds)
    return {
        "engine": engine,
        "seeds": list(seeds),
        "complete": cut_short is None,
        "incomplete_reasons": [] if cut_short is None else [cut_short],
        "exit_code": int(min((ExitCode(one.exit_code) for one in known), key=_WORST.index)),
        "histories": sum(one.histories for one in known),
        "events": sum(one.events for one in known),
        "stimuli": sum(one.stimuli for one in known),
        "kinds": dict(sorted(kinds.items())),
        "searches": [
            {
                "seed": one.seed,
                "ended_by": one.ended_by,
                "exit_code": int(one.exit_code),
                "histories": one.histories,
                "events": one.events,
                "stimuli": one.stimuli,
                "requirements": list(one.requirements),
                "found": one.found,
                "counterexample": one.name,
                "faults": list(one.faults),
            }
            for one in known
        ],
    }


def _lines(merged: Mapping[str, Any], asked: Asked) -> Iterable[str]:
    """Give the summary for a person."""
    from tck_kit.fuzz.counterexample import replay  # noqa: PLC0415 -- as above

    counted = f"{merged['histories']:,} histories, {merged['events']:,} events, {merged['stimuli']:,} stimuli"
    yield f"{merged['engine']}, seeds {shown_seeds(merged['seeds'])}: {counted}"
    named: dict[str, list[int]] = {}
    for one in merged["searches"]:
        if one["counterexample"] is not None:
            named.setdefault(one["counterexample"], []).append(one["seed"])
        for fault in one["faults"]:
            yield f"seed {one['seed']}: {str(fault).partition(chr(10))[0]}"
    for one in merged["searches"]:
        seeds = named.pop(one["counterexample"], None)
        if seeds is not None:
            yield f"{' '.join(one['requirements'])}: {one['found']} (seeds {shown_seeds(seeds)})"
            yield f"  again: {replay(asked.engine, asked.output / one['counterexample'])}"
    for reason in merged["incomplete_reasons"]:
        yield f"incomplete: {reason}"
    if not any(one["found"] or one["faults"] for one in merged["searches"]):
        yield "Nothing found."
    yield f"Report: {asked.output / CANONICAL}"
