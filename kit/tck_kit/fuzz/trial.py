"""Plays one history, and tells what stopped it: an engine that did something else than it had to, or a fault of others.

The judgement is that of every scenario (`tck_kit.judging`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tck_features.checks import Expectation, ExpectationFailedError
from tck_features.history.events import Event
from tck_features.history.history import Watcher
from tck_features.history.play import Player
from tck_features.hygiene import check_hygiene
from tck_kit.fuzz.ground import Ground
from tck_kit.fuzz.patience import Within
from tck_kit.fuzz.scene import Scene
from tck_kit.judging import Judged, judge

Watch = Callable[[], Sequence[Watcher]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A history that ended otherwise than it should: its events, what stopped it, and who is to blame."""

    events: tuple[Event, ...]
    fault: Exception
    judged: Judged
    hints: tuple[str, ...] = ()

    @property
    def expectation(self) -> Expectation | None:
        """What was expected, where that is what stopped it."""
        return self.fault.expectation if isinstance(self.fault, ExpectationFailedError) else None

    @property
    def requirements(self) -> tuple[str, ...]:
        """What the engine does not meet, as far as that is known."""
        return () if self.expectation is None else self.expectation.requirements

    @property
    def blames_engine(self) -> bool:
        """Whether it is the engine that went wrong."""
        return self.judged.blame == "engine"

    @property
    def kind(self) -> tuple[object, ...]:
        """What two findings have in common that show the same."""
        statement = "" if self.requirements or self.expectation is None else self.expectation.statement
        return (type(self.fault), self.judged.blame, self.requirements, statement)


class Found(Exception):  # noqa: N818 -- it is no error of ours
    """A history was stopped."""

    def __init__(self, finding: Finding) -> None:
        """Keep what was found."""
        super().__init__(str(finding.fault))
        self.finding = finding


class Trial:
    """One history on a world of its own, event by event."""

    def __init__(self, ground: Ground, watch: Watch, seconds: float) -> None:
        """Begin. `seconds` is how long one event may take, in real time."""
        self._ground = ground
        self._seconds = seconds
        self._events: list[Event] = []
        self._ended = False
        self.scene = Scene(ground.abilities)
        self.world = ground.world()
        self._player = Player(self.world, watch())

    def play(self, event: Event) -> None:
        """Let an event happen. Raises `Found` where something stops the history."""
        self._events.append(event)
        self._do(lambda: self._one(event))

    def _one(self, event: Event) -> None:
        happened = self._player.one(event)
        self.scene.took(happened, self.world.bench.witness.records[happened.since : happened.until])

    def finish(self) -> None:
        """Look whether anything was left behind, and end. Raises `Found` where something is wrong with that."""
        if self._ended:
            return
        self._do(lambda: check_hygiene(self.world))
        self._ended = True
        self._do(lambda: self._ground.end(self.world))

    def _do(self, action: Callable[[], None]) -> None:
        try:
            with Within(self._seconds):
                action()
        except Exception as fault:  # noqa: BLE001 -- whatever stops a history is judged
            self._stopped(fault)

    def _stopped(self, fault: Exception) -> None:
        world = self.world
        judged = judge(fault, world.checks.expectations)
        finding = Finding(tuple(self._events), fault, judged, world.hints())
        self.abandon(broken=not isinstance(fault, ExpectationFailedError))
        raise Found(finding) from fault

    def abandon(self, *, broken: bool = False) -> None:
        """End without looking at anything; an engine that may be `broken` is let go."""
        if not self._ended:
            self._ended = True
            with suppress(Exception):
                self._ground.end(self.world)
        if broken:
            with suppress(Exception):
                self._ground.renew()


def attempt(ground: Ground, watch: Watch, seconds: float, events: Iterable[Event]) -> Finding | None:
    """Play a history from its beginning; give what stopped it, None where nothing did or it makes no sense."""
    trial = Trial(ground, watch, seconds)
    try:
        for event in events:
            if not trial.scene.allows(event):
                trial.abandon()
                return None
            trial.play(event)
        trial.finish()
    except Found as found:
        return found.finding
    except BaseException:
        trial.abandon(broken=True)
        raise
    return None
