"""A search as it was asked for: it shows first that it can find something, then searches, and keeps what it finds."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from hypothesis.configuration import set_hypothesis_home_dir
from rich.console import Console

from tck_driver.connection import About
from tck_driver.errors import DriverError
from tck_fakes.faulty import CONTROLS
from tck_features.history.watchers import watchers
from tck_kit import assets
from tck_kit.catalogue import read_specification
from tck_kit.engine_choice import EngineChoice
from tck_kit.faults import DriverFault, SuiteFault, UsageFault
from tck_kit.fuzz import counterexample
from tck_kit.fuzz.counterexample import Origin
from tck_kit.fuzz.display import Display, rate
from tck_kit.fuzz.ground import Ground
from tck_kit.fuzz.hunt import Hunt, Limits, Result
from tck_kit.fuzz.patience import Within
from tck_kit.fuzz.trial import Watch
from tck_kit.scenarios import read_suite
from tck_kit.workers import Workers
from tck_reports import files
from tck_reports.errors import ReportWriteError
from tck_reports.outcomes import Outcome as How
from tck_spec import Specification

#: How many histories it may take until an engine that is wrong on purpose is found out.
CONTROL_EXAMPLES = 20
#: Seconds of real time that an event may take, in this process and beyond it.
EVENT_SECONDS, DRIVER_SECONDS = 20.0, 60.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What a search is asked to be; `engine` is the text that named it, None where that was a project file."""

    engine: str | None
    choice: EngineChoice
    seed: int
    examples: int
    steps: int
    seconds: float
    shrink_seconds: float | None
    output: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: where the counterexample is, or its text where it could not be written, and the faults."""

    result: Result
    left_out: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    path: Path | None = None
    text: str = ""
    unwritten: str | None = None
    faults: tuple[str, ...] = ()
    shows_again: bool = True

    def lines(self, asked: Asked) -> Iterator[str]:
        """Give the summary."""
        tally, finding = self.result.tally, self.result.finding
        counted = f"{tally.examples:,} histories, {tally.events:,} events, {tally.stimuli:,} stimuli"
        yield f"{counted} in {tally.seconds:.1f} s: {rate(tally, tally.seconds)}"
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(tally.kinds.items()))
        yield f"{len(tally.kinds)} kinds of events: {kinds}"
        if self.left_out:
            yield f"not drawn, as it is not supported: {', '.join(self.left_out)}"
        if tally.unsteady:
            yield f"not always did the same histories go the same way ({tally.unsteady} times): the engine is unsteady"
        if finding is None:
            ending = "nothing found until it was interrupted" if self.result.interrupted else "nothing found"
            yield f"{ending[0].upper()}{ending[1:]}, seed {asked.seed}."
            return
        yield ""
        named = f"{' '.join(self.requirements)}: " if finding.requirements else ""
        yield f"{named}{counterexample.told(finding)}"
        if finding.expectation is not None:
            yield f"  expected  {finding.expectation.expected!r}"[:400]
            yield f"  actual    {finding.expectation.actual!r}"[:400]
        yield (
            f"{len(finding.events)} events, of {self.result.found_with} in which it was found with seed {asked.seed}, "
            f"after {self.result.tries} tries to make it shorter"
        )
        if not self.shows_again:
            yield "It did not show again when it was played once more from its sentences."
        if self.path is not None:
            yield f"Kept: {self.path}"
            yield f"Again: {counterexample.replay(asked.engine, self.path)}"


def search(asked: Asked, watch: Watch = watchers) -> Outcome:
    """Search. Raises `UsageFault`, `DriverFault` or `SuiteFault` where nothing can be said at all."""
    with _output(asked.output), Workers(0) as pool:
        # Hypothesis keeps notes of its own, which are nobody's in the folder that a user stands in.
        set_hypothesis_home_dir(pool.folder / "hypothesis")
        spec = read_specification(None)
        about = About(assets.version(), spec.identifier, spec.version, spec.digest)
        ground = Ground(asked.choice, pool.folder / "engine", about, asked.seed)
        try:
            ground.abilities.refuse_too_few()
            console = Console(stderr=True)
            console.print(
                f"Searching with seed {asked.seed}: {ground.shown}", highlight=False, markup=False, soft_wrap=True
            )
            show_that_it_finds(pool.folder, about, asked.seed, watch)
            found = _found(asked, ground, watch, console)
            outcome = _kept(asked, found, ground, spec, pool.folder)
        finally:
            wrong = ground.close()
    return outcome if wrong is None else replace(outcome, faults=(*outcome.faults, f"driver: {wrong}"))


def _found(asked: Asked, ground: Ground, watch: Watch, console: Console) -> Result:
    limits = Limits(
        examples=asked.examples,
        steps=asked.steps,
        seconds=asked.seconds,
        event_seconds=_event_seconds(asked),
        shrink_seconds=asked.shrink_seconds,
    )
    with Display(console) as display:
        try:
            return Hunt(ground, watch, limits, display).search(asked.seed)
        except DriverError as fault:
            raise DriverFault(str(fault)) from fault


def _event_seconds(asked: Asked) -> float:
    return EVENT_SECONDS if asked.choice.in_process else DRIVER_SECONDS * asked.choice.timeout_scale


def show_that_it_finds(folder: Path, about: About, seed: int, watch: Watch) -> None:
    """Search engines that are wrong on purpose. Raises `SuiteFault` where one is not found out: nothing would be."""
    limits = Limits(CONTROL_EXAMPLES, 20, None, EVENT_SECONDS, shrink_tries=0)
    for name, control in CONTROLS.items():
        ground = Ground(EngineChoice("mutant", faulty=name), folder / name, about, seed)
        try:
            finding = Hunt(ground, watch, limits).search(seed).finding
        finally:
            ground.close()
        if finding is None or finding.judged.outcome is not How.FAILED or not finding.blames_engine:
            seen = "nothing was found" if finding is None else f"{type(finding.fault).__name__}: {finding.fault}"
            raise SuiteFault(
                f"an engine that {control.sin} was searched in {CONTROL_EXAMPLES} histories, and {seen}; "
                "so it proves nothing if nothing is found"
            )


@contextmanager
def _output(folder: Path) -> Generator[None]:
    """Find out before the search whether something can be kept; leave no empty folder where nothing was."""
    there = folder.exists()
    try:
        files.prepare(folder)
    except ReportWriteError as fault:
        what = fault.what.replace("the report", "a counterexample")
        raise UsageFault(what, f"--output {fault.where}", fault.cure) from fault
    try:
        yield
    finally:
        if not there:
            with suppress(OSError):
                folder.rmdir()


def _kept(asked: Asked, result: Result, ground: Ground, spec: Specification, folder: Path) -> Outcome:
    finding = result.finding
    if finding is None:
        return Outcome(result, ground.abilities.left_out)
    texts = MappingProxyType({one.id: one.text for one in spec.requirements})
    path = asked.output / counterexample.file_name(finding, texts)
    origin = Origin(
        engine=asked.engine,
        name=ground.name,
        shown=ground.shown,
        seed=asked.seed,
        example=result.tally.examples,
        events=result.found_with,
        tries=result.tries,
        kit=assets.version(),
        texts=texts,
    )
    text = counterexample.feature(finding, origin, path)
    with Within(_event_seconds(asked) * len(finding.events)):
        shows_again = _shows_again(text, ground, texts, folder)
    if not shows_again:
        text = counterexample.feature(finding, replace(origin, shows_again=False), path)
    unwritten = counterexample.keep(text, path)
    return Outcome(
        result,
        ground.abilities.left_out,
        counterexample.requirements_of(finding, texts),
        None if unwritten else path,
        text,
        unwritten,
        shows_again=shows_again,
    )


def _shows_again(text: str, ground: Ground, texts: MappingProxyType[str, str], folder: Path) -> bool:
    """Play a counterexample from its sentences, with other names and ids drawn, as anybody will who is given it."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        (Path(place) / "one.feature").write_text(text, encoding="utf-8")
        suite = read_suite(Path(place), {one.lower() for one in texts})
    if suite.faults or len(suite.scenarios) != 1:
        raise SuiteFault(f"a counterexample cannot be read back: {'; '.join(map(str, suite.faults))}\n{text}")
    return ground.perform(suite.scenarios[0]).outcome is not How.PASSED
