"""One scenario under power cuts: played again and again, the power going one event later each time."""

from __future__ import annotations

import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from tck_driver.errors import KitError
from tck_features import invariants
from tck_features.checks import ExpectationFailedError
from tck_features.invariants import Leniency
from tck_features.library import LIBRARY
from tck_features.world import World
from tck_kit.crash.source import CutSource
from tck_kit.judging import ScenarioTimeoutError, record
from tck_kit.laboratory import Laboratory
from tck_kit.scenarios import Scenario
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord

#: Words of sentences by which a scenario itself does what may cost a session: damage, other versions, foreign ids.
_DAMAGE = (
    "state directory",
    "session directory",
    "session file",
    "overwritten",
    "version",
    "new image",
    "bound to",
    "AGENT_SESSION_RESUME",
    "phase is served by",
    "saves nothing",
    "reports the id",
    "day(s)",
    "days have passed",
    "links",
    "in prose",
    "foreign session",
    "starts a session of its own",
)
_GUARD = ("cannot be removed", "tracker answers", "directory of the host")


@dataclass(frozen=True, slots=True)
class Cut:
    """One power cut: after how many events, at which moment, in which sentence, and what came of it."""

    scenario: str
    events: int
    late: bool
    step: str
    record: CheckRecord


@dataclass(frozen=True, slots=True)
class Swept:
    """A scenario after its sweep: how many events it has, its cuts, and why it was left out, if it was."""

    scenario: str
    events: int
    cuts: tuple[Cut, ...]
    left_out: str | None = None


def sweep(
    scenario: Scenario,
    laboratory: Laboratory,
    source: CutSource,
    *,
    every: int,
    seconds: int,
    start: bool = False,
    at: tuple[int, bool] | None = None,
) -> Swept:
    """Cut the power after every k-th event of a scenario, k being `every`, once for each time it is played.

    In process there are two moments for each event. The events of the engine's start, which are the same in every
    scenario, are left out unless `start`. `at` names one cut alone.
    """
    first = _whole(scenario, laboratory, source, seconds)
    if first.record.outcome is Outcome.ERROR:
        return Swept(scenario.id, first.events, (first,))
    if first.record.outcome is not Outcome.PASSED:
        reason = first.record.reason or str(first.record.outcome)
        passed_by = first.record.outcome in {Outcome.UNSUPPORTED, Outcome.UNTESTABLE}
        return Swept(scenario.id, 0, (), reason if passed_by else f"it fails without any cut: {reason}")
    moments = [at] if at is not None else _moments(source, 0 if start else _started(source), first.events, every)
    return Swept(
        scenario.id,
        first.events,
        tuple(_cut(scenario, laboratory, source, seconds, events, late=late) for events, late in moments),
    )


def first_failure(scenario: Scenario, laboratory: Laboratory, source: CutSource, *, seconds: int) -> Cut | None:
    """Cut after every event until something is lost, and give that cut."""
    first = _whole(scenario, laboratory, source, seconds)
    for events, late in _moments(source, _started(source), first.events, 1):
        cut = _cut(scenario, laboratory, source, seconds, events, late=late)
        if cut.record.outcome is Outcome.FAILED:
            return cut
    return None


def _started(source: CutSource) -> int:
    return 0 if source.last is None else source.last.started


def _moments(source: CutSource, after: int, events: int, every: int) -> list[tuple[int, bool]]:
    lates = (False, True) if source.in_process else (False,)
    return [(at, late) for at in range(after + every, events + 1, every) for late in lates]


def _whole(scenario: Scenario, laboratory: Laboratory, source: CutSource, seconds: int) -> Cut:
    source.events, source.late = None, False
    return _play(scenario, laboratory, source, seconds)


def _cut(
    scenario: Scenario, laboratory: Laboratory, source: CutSource, seconds: int, events: int, *, late: bool
) -> Cut:
    source.events, source.late = events, late
    return _play(scenario, laboratory, source, seconds)


def _play(scenario: Scenario, laboratory: Laboratory, source: CutSource, seconds: int) -> Cut:
    """Play what happens in a scenario up to the cut, start the engine again, and look at what it made of that."""
    begun = time.perf_counter()
    played = _Played()
    stopped_by: Exception | None = None
    world = laboratory.world(scenario.id)
    try:
        with _limited(seconds):
            _steps(scenario, world, source, played)
            _look(world, _leniency(scenario))
    except Exception as fault:  # noqa: BLE001 -- whatever stops it is judged
        stopped_by = fault
    finally:
        laboratory.end(world)
    duration = (time.perf_counter() - begun) * 1000
    failed = None if stopped_by is None else played.step
    gave = record(scenario, stopped_by, world.checks.expectations, duration_ms=duration, failed_step=failed)
    events = played.events if source.events is None else source.events
    return Cut(scenario.id, events, source.late, played.step, gave)


@dataclass(slots=True)
class _Played:
    """How far a scenario has been played: the sentence, and how many events there were when it had ended."""

    step: str = ""
    events: int = 0


def _steps(scenario: Scenario, world: World, source: CutSource, played: _Played) -> None:
    """Play what happens, and stop where the power goes."""
    engine = source.last
    if engine is None:
        raise KitError("the laboratory has made a world without an engine")
    for one in scenario.steps:
        if one.kind == "then":
            continue
        played.step = f"{one.kind.capitalize()} {one.text}"
        try:
            LIBRARY.find(one.kind, one.text)(world)
        except ExpectationFailedError:
            if not engine.cut:
                raise
        if engine.cut:
            # What the scenario itself expects is not to be had any more.
            world.checks.expectations.clear()
            break
    played.events = world.bench.witness.mark()


def _look(world: World, leniency: Leniency) -> None:
    """Let the engine come to rest, and check everything that no power cut may cost."""
    if not world.opened or world.refusal is not None:
        refused = world.refusal is not None
        world.checks.expect("it refuses to start", expected=True, actual=refused, rests_on="reported")
        return
    invariants.come_to_rest(world)
    invariants.check_rest(world)
    invariants.check_writers(world)
    invariants.check_origin(world, leniency)
    invariants.check_reported(world, leniency)
    invariants.check_comments(world)
    invariants.probe(world, leniency)
    invariants.end_all(world, leniency)


def _leniency(scenario: Scenario) -> Leniency:
    text = "\n".join(step.text for step in scenario.steps if step.kind != "then")
    return Leniency(
        damaged=any(word in text for word in _DAMAGE),
        guarded=any(word in text for word in _GUARD),
        reopened="reopened" in text,
    )


@contextmanager
def _limited(seconds: int) -> Generator[None]:
    def late(_signal: int, _frame: FrameType | None) -> None:
        raise ScenarioTimeoutError("it took longer than its time limit after the power cut")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
