"""Records scenarios and judges them again, without the command and its processes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tck_driver.connection import About
from tck_driver.engine import Declaration, Engine
from tck_fakes.stage import Stage
from tck_features.hygiene import check_hygiene
from tck_features.library import LIBRARY
from tck_kit.catalogue import read_catalogue
from tck_kit.engine_choice import EngineChoice
from tck_kit.families import COURSES
from tck_kit.judging import record
from tck_kit.laboratory import Laboratory
from tck_kit.scenarios import Scenario
from tck_kit.sources import BASE, NOBODY, Source, source
from tck_kit.trace.head import Head
from tck_kit.trace.held import Held
from tck_kit.trace.joining import join
from tck_kit.trace.reading import Trace, read
from tck_kit.trace.recorder import Recorder
from tck_kit.trace.source import TraceSource
from tck_kit.trace.wire import plain
from tck_reports.records import CheckRecord, Implementation, KitFacts, SpecFacts, Surroundings

SEED = 7
#: Steps make files of their own whose times a report may show: they are those of the judging.
_CLOCK = re.compile(r"\b1[0-9]{18}\b")


@cache
def _suite() -> tuple[Scenario, ...]:
    return read_catalogue(None, None, thorough=False).suite.scenarios


@cache
def courses() -> tuple[Scenario, ...]:
    """Give the kit's own scenarios of engines that play courses."""
    return read_catalogue(None, None, thorough=False, family=COURSES).suite.scenarios


def scenarios(*begins: str) -> list[Scenario]:
    """Give the kit's own scenarios whose ids begin so."""
    return [one for one in _suite() if one.id.startswith(begins)]


def scenario(begins: str) -> Scenario:
    """Give the first of them."""
    return scenarios(begins)[0]


def with_steps(one: Scenario, *changes: tuple[str, str | None]) -> Scenario:
    """Give a scenario in which sentences are others; None takes one away."""
    steps = list(one.steps)
    for was, now in changes:
        at = next(at for at, step in enumerate(steps) if step.text == was)
        steps[at : at + 1] = [] if now is None else [replace(steps[at], text=now)]
    return replace(one, steps=tuple(steps))


def and_then(one: Scenario, *sentences: str) -> Scenario:
    """Give a scenario with further Thens."""
    return replace(one, steps=(*one.steps, *(replace(one.steps[-1], kind="then", text=text) for text in sentences)))


def some_head() -> Head:
    """Give the first line of some trace."""
    return Head(
        kit=KitFacts("0", "suite"),
        spec=SpecFacts("spec", "1", "digest", "set"),
        implementation=Implementation("engine", "1.0"),
        capabilities={"sessions": "supported"},
        seed=SEED,
        engine="sim",
        transport="in process",
        surroundings=Surroundings(),
        profiles=("core", "hardened"),
        only=None,
        thorough=False,
        shard=None,
        retries=0,
        workers=1,
        budgets={"run": 900.0},
        baseline=None,
        umask=0o022,
        started="2026-11-30T00:00:00+00:00",
        finished="2026-11-30T00:01:00+00:00",
        host={"system": "Linux"},
    )


@dataclass(frozen=True, slots=True)
class Taped:
    """A trace, and what the scenarios in it gave when it was recorded."""

    trace: Trace
    gave: tuple[CheckRecord, ...]


def tape(
    folder: Path,
    some: Iterable[Scenario],
    *,
    choice: EngineChoice | None = None,
    around: Callable[[Engine], Engine] | None = None,
    stopped: BaseException | None = None,
) -> Taped:
    """Record scenarios; `around` puts something around each engine, `stopped` is what the clock stopped them by."""
    choice = choice or EngineChoice()
    worker = folder / "worker-0"
    worker.mkdir(parents=True)
    about = About("0", "spec", "1", "digest")
    made = source(choice, worker, about, database_url=None, number=0, introduced=None)
    recorder = Recorder(worker / "trace.ndjson", in_process=choice.in_process)
    laboratory = Laboratory(worker / "scenarios", SEED, made if around is None else _Around(made, around), recorder)
    laboratory.declaration()
    gave: list[CheckRecord] = []
    for one in some:
        came = _judged(one, laboratory)
        laboratory.told(came, stopped)
        gave.append(came)
    laboratory.close()
    recorder.close()
    join([worker / "trace.ndjson"], folder / "trace.ndjson", some_head(), {})
    return Taped(read(folder / "trace.ndjson"), tuple(gave))


def again(
    folder: Path, trace: Trace, some: Iterable[Scenario], declaration: Declaration | None = None
) -> tuple[CheckRecord, ...]:
    """Judge scenarios by what was recorded of them, of an engine that had declared this or next to nothing."""
    worker = folder / "worker-0"
    worker.mkdir(parents=True)
    index = folder / "index.json"
    index.write_text(
        json.dumps({name: [(one.offset, one.length) for one in tries] for name, tries in trace.scenarios.items()}),
        encoding="ascii",
    )
    declared = json.dumps(plain(declaration or Declaration("engine", "1.0", "")))
    held = Held(str(trace.path), str(index), declared, 0o022)
    laboratory = Laboratory(worker / "scenarios", SEED, TraceSource(held, BASE, NOBODY))
    return tuple(_judged(one, laboratory) for one in some)


def _judged(one: Scenario, laboratory: Laboratory) -> CheckRecord:
    """Perform a scenario as pytest does: what its end raises counts where nothing was raised before."""
    world = laboratory.world(one.id)
    failed: str | None = None
    stopped_by: Exception | None = None
    try:
        for step in one.steps:
            failed = f"{step.kind.capitalize()} {step.text}"
            LIBRARY.find(step.kind, step.text)(world)
        failed = None
        check_hygiene(world)
    except Exception as fault:  # noqa: BLE001 -- whatever stops a scenario is judged
        stopped_by = fault
    try:
        laboratory.end(world)
    except Exception as fault:  # noqa: BLE001 -- the same
        stopped_by = stopped_by or fault
    checks, hints = world.checks.expectations, world.hints()
    return record(one, stopped_by, checks, duration_ms=0, failed_step=failed, hints=hints)


def plainly(records: Sequence[CheckRecord]) -> list[str]:
    """Give records as texts that are the same for the same judgement, whichever folder it was made in."""
    return [
        _CLOCK.sub("TIME", re.sub(r"/\S*?/worker-0/scenarios/\d+", "PLACE", repr(replace(one, duration_ms=0))))
        for one in records
    ]


class _Around:
    """A source whose engines have something around them."""

    in_process = True

    def __init__(self, inner: Source, around: Callable[[Engine], Engine]) -> None:
        self._inner = inner
        self._around = around
        self.database_url = inner.database_url
        self.stage, self.bench = inner.stage, inner.bench
        self.ending, self.let_go, self.close = inner.ending, inner.let_go, inner.close

    def engine(self, stage: Stage) -> Engine:
        """Give an engine with that around it."""
        return self._around(self._inner.engine(stage))


__all__ = [
    "Taped",
    "again",
    "and_then",
    "courses",
    "plainly",
    "scenario",
    "scenarios",
    "some_head",
    "tape",
    "with_steps",
]
