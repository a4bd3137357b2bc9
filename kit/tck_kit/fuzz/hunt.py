"""A search: history after history on one engine, until one shows something, or there were enough, or time is up.

The clock and an interrupt end a search between two histories only, so what a seed shows does not depend on how fast the
machine is. Hypothesis draws; it never hears of what was found, which is made shorter here (`tck_kit.fuzz.shrinking`).
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.stateful import run_state_machine_as_test

from tck_driver.errors import DriverError
from tck_driver.messages import stimulus_type
from tck_features.history.events import Event, Sent
from tck_kit.fuzz.constants import own_source_unread
from tck_kit.fuzz.ground import Ground
from tck_kit.fuzz.machine import Histories
from tck_kit.fuzz.scene import Scene
from tck_kit.fuzz.shrinking import MOST_TRIES, Shrinker
from tck_kit.fuzz.trial import Finding, Found, Trial, Watch, attempt

#: How many histories Hypothesis draws before it begins anew: it keeps all of them in mind.
_AT_A_TIME = 250
#: What Hypothesis looks at to see whether a test is written well.
_NO_CHECKS: list[HealthCheck] = list(HealthCheck)  # pyright: ignore[reportAssignmentType] -- its metaclass gives its members


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search goes. Seconds are of real time; None is no limit."""

    examples: int
    steps: int
    seconds: float | None
    event_seconds: float
    shrink_seconds: float | None = None
    shrink_tries: int = MOST_TRIES


@dataclass(slots=True)
class Tally:
    """What a search has done so far."""

    examples: int = 0
    events: int = 0
    stimuli: int = 0
    seconds: float = 0.0
    #: How often the same numbers led elsewhere.
    unsteady: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])

    def add(self, event: Event) -> None:
        """Count an event."""
        self.events += 1
        if isinstance(event, Sent):
            self.stimuli += 1
            self.kinds[stimulus_type(event.stimulus)] += 1
        else:
            self.kinds[_WORDS.get(type(event).__name__, type(event).__name__)] += 1


_WORDS = {
    "ProjectThere": "project",
    "SettingStored": "stored setting",
    "CredentialMounted": "credential mount",
    "Scripted": "script of a CLI",
    "VersionSet": "version",
    "TrackerSet": "answer of the tracker",
    "TimePassed": "time",
    "Released": "release",
    "Restarted": "restart",
    "Damaged": "damage",
    "IdOverwritten": "overwritten id",
    "RemovalBlocked": "blocked removal",
}


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a search: what was found, if anything, and whether it was cut short from outside."""

    tally: Tally
    finding: Finding | None = None
    found_with: int = 0
    tries: int = 0
    interrupted: bool = False


class _Over(BaseException):
    """The search is over. Hypothesis lets this through as it does an interrupt."""


class Hunt:
    """One search. `told` hears the tally after every history and event, for a display."""

    def __init__(
        self,
        ground: Ground,
        watch: Watch,
        limits: Limits,
        told: Callable[[Tally, str], None] = lambda _tally, _what: None,
    ) -> None:
        """Prepare a search on this ground."""
        self._ground = ground
        self._watch = watch
        self._limits = limits
        self._told = told
        self._trial: Trial | None = None
        self._finding: Finding | None = None
        self._begun = time.monotonic()
        self._over = False
        self._interrupted = False
        self.tally = Tally()

    # --- what the state machine plays on -----------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """What exists in the history that is being played."""
        if self._trial is None:
            raise DriverError("no history is being played")
        return self._trial.scene

    def begin(self) -> None:
        """Begin another history, if there is to be one."""
        self.tally.seconds = time.monotonic() - self._begun
        late = self._limits.seconds is not None and self.tally.seconds >= self._limits.seconds
        if late or self.tally.examples >= self._limits.examples:
            self._end()
        self.tally.examples += 1
        self._trial = Trial(self._ground, self._watch, self._limits.event_seconds)

    def play(self, event: Event) -> None:
        """Let an event happen; where that shows something, the search is over."""
        if self._interrupted:
            raise KeyboardInterrupt
        if self._trial is None:
            return
        self.tally.add(event)
        self._keep_what_is_found(lambda trial: trial.play(event))
        self._told(self.tally, "searching")

    def finish(self) -> None:
        """End the history."""
        if self._trial is not None:
            self._keep_what_is_found(lambda trial: trial.finish())
            self._trial = None

    def _keep_what_is_found(self, action: Callable[[Trial], None]) -> None:
        trial = self._trial
        if trial is None:
            return
        try:
            action(trial)
        except Found as found:
            self._trial, self._finding = None, found.finding
            self._end()
        except BaseException:
            self._trial = None
            trial.abandon(broken=True)
            raise

    def _end(self) -> NoReturn:
        self._over = True
        raise _Over

    # --- the search ---------------------------------------------------------------------------------------------------

    def search(self, number: int) -> Result:
        """Search with this seed. Raises `DriverError` where the driver cannot be had any more."""
        interrupted, batch = False, 0
        try:
            with self._heard():
                while not self._over:
                    self._draw(number * 1_000_003 + batch)
                    batch += 1
        except KeyboardInterrupt:
            interrupted = True
        self.tally.seconds = time.monotonic() - self._begun
        if self._finding is None:
            return Result(self.tally, interrupted=interrupted)
        return self._shrunk(self._finding)

    @contextmanager
    def _heard(self) -> Generator[None]:
        """Keep an interrupt in mind: raised where nobody can hear it, in a finalizer above all, it would be lost."""
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        ):
            yield
            return

        def hear(_number: int, _frame: FrameType | None) -> None:
            self._interrupted = True
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _draw(self, number: int) -> None:
        """Let Hypothesis draw some histories and play them."""

        def machine() -> Histories:
            self.begin()
            return Histories(self)

        how = settings(
            max_examples=_AT_A_TIME,
            stateful_step_count=self._limits.steps,
            derandomize=False,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=_NO_CHECKS,
            verbosity=Verbosity.quiet,
        )
        try:
            with own_source_unread():
                run_state_machine_as_test(seed(number)(machine), settings=how)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- any factory will do
        except _Over:
            pass
        except FlakyStrategyDefinition:
            # To Hypothesis a search that is over looks like a test that draws less than it did before; so does an
            # engine that does not always do the same, which is no reason to end.
            if not self._over:
                self.tally.unsteady += 1

    def _shrunk(self, finding: Finding) -> Result:
        """Make what was found shorter. An interrupt ends that and keeps the shortest so far."""
        begun = time.monotonic()
        limit = self._limits.shrink_seconds

        def late() -> bool:
            self._told(self.tally, f"found something after {len(finding.events)} events, making it shorter")
            return limit is not None and time.monotonic() - begun >= limit

        def again(events: tuple[Event, ...]) -> Finding | None:
            return attempt(self._ground, self._watch, self._limits.event_seconds, events)

        shrinker = Shrinker(finding, again, late, self._limits.shrink_tries)
        with suppress(KeyboardInterrupt, DriverError):
            shrinker.shrink()
        return Result(self.tally, shrinker.finding, len(finding.events), shrinker.tries)
