"""Who writes a history: the hand that all happenings share, and the register that they are in.

A happening makes one event of what it draws, or a few that belong together. It aims well and expects nothing: what is
right is for the watchers to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tck_driver.bench import Script, Shape
from tck_driver.stimuli import IssueOpened, RunDue
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, MailboxRef, Phase
from tck_features.history.events import Event, Scripted, Sent, VersionSet
from tck_kit.fuzz import stock
from tck_kit.fuzz.scene import Scene
from tck_kit.fuzz.stock import Pick


class Stage(Protocol):
    """Where a history is played."""

    @property
    def scene(self) -> Scene:
        """Give what exists so far."""
        ...

    def play(self, event: Event) -> None:
        """Let an event happen, and whoever watches look at it."""
        ...

    def finish(self) -> None:
        """Hear that nothing more happens in this history."""
        ...


class Author:
    """Writes one history on a stage."""

    def __init__(self, stage: Stage) -> None:
        """Begin with an empty stage."""
        self._stage = stage
        self.scene = stage.scene
        #: The images of each adapter that were installed, each with what its version command says.
        self.images: dict[AdapterId, list[tuple[str, VersionSet]]] = {}

    def happen(self, *events: Event) -> bool:
        """Let events happen, one after the other, as far as they make sense; say whether all of them did."""
        for event in events:
            if not self.scene.allows(event):
                return False
            self._stage.play(event)
        return True

    def end(self) -> None:
        """End the history."""
        self._stage.finish()

    def script(self, adapter: AdapterId, *scripts: Script) -> bool:
        """Tell a CLI what to do at its next starts; API mode has none."""
        return adapter is not AdapterId.API and self.happen(Scripted(adapter, scripts))

    def open_one(self, pick: Pick) -> None:
        """Assign an issue to the agent, if the number that is drawn is free."""
        ref = MailboxRef(*pick.of(tuple(self.scene.bindings)), "issue", pick.of(stock.NUMBERS))
        self.happen(Sent(IssueOpened(ref, pick.title())))

    def run(self, pick: Pick) -> tuple[Sent, MailboxRef, AdapterId]:
        """Draw a run of an issue that there is, and give it with what it belongs to."""
        ref, phase = pick.of(self.scene.issues()), pick.of(ISSUE_PHASES)
        return Sent(RunDue(ref, phase)), ref, self.scene.binding(ref, phase).adapter

    def local_run(self, pick: Pick) -> tuple[Sent, MailboxRef, AdapterId] | None:
        """Draw a run that starts a CLI; None where what was drawn is served by API mode."""
        drawn = self.run(pick)
        return None if drawn[2] is AdapterId.API else drawn


def able(adapter: AdapterId, shape: Shape) -> Shape:
    """Give a shape that the CLI of this adapter can take: this one, or that it does what it was asked."""
    return shape if shape in stock.SHAPES[adapter] else "ok"


def due(ref: MailboxRef, phase: Phase) -> Sent:
    """Give the event of a run that is due."""
    return Sent(RunDue(ref, phase))


Deed = Callable[[Author, Pick], None]


def has_issue(scene: Scene) -> bool:
    """Say whether there is an issue in which something can happen."""
    return not scene.refused and bool(scene.issues())


def has_ended(scene: Scene) -> bool:
    """Say whether there is an issue that has ended."""
    return not scene.refused and bool(scene.issues(open_=False))


def always(_scene: Scene) -> bool:
    """Say yes."""
    return True


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that can happen: its name, what it does, and when it can be chosen at all."""

    name: str
    do: Deed
    possible: Callable[[Scene], bool]


_ENTERED: list[Happening] = []


def happening(possible: Callable[[Scene], bool] = has_issue) -> Callable[[Deed], Deed]:
    """Enter the function below as something that can happen."""

    def enter(do: Deed) -> Deed:
        _ENTERED.append(Happening(do.__name__, do, possible))
        return do

    return enter


def entered() -> tuple[Happening, ...]:
    """Give everything that was entered so far."""
    return tuple(_ENTERED)
