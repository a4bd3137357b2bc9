"""A course that was played by nobody: a world in which a scenario's sentences find what a test says that was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from tck_driver.bench import Bench
from tck_driver.capabilities import ASKED
from tck_driver.courses import Cast, Come, Course, Played, Policy, Role
from tck_driver.engine import Declaration, Engine
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted, WitnessLog
from tck_features.library import LIBRARY
from tck_features.world import World

#: What an engine declares that resumes as most do.
POLICY = Policy(
    scope=("agent",),
    identity="reported",
    valid="success",
    fork="reject",
    fallback="next_turn",
    prompt="delta",
    default="on",
    switch="RESUME",
)


_DONE = Come("done")


@dataclass(frozen=True, slots=True)
class Did:
    """One start of a CLI: whose, what it asked for, and what came of it. Without `served` it came to no session."""

    asked: str | None = None
    served: str | None = None
    scope: str | None = "the scope"
    full: bool = True
    shape: str = "ok"
    code: int | None = 0
    saved: bool = True
    reported: tuple[str, ...] | None = None
    chosen: str | None = None
    loosely: bool = False
    place: str = "/work"
    adapter: str = AdapterId.CLAUDE_CODE
    prompt: str = "Mend the door."
    #: By what the kit knows whose it is.
    by: Literal["prompt", "id"] = "prompt"


@dataclass(slots=True)
class Stand:
    """The bench of a course, as far as sentences about courses need one."""

    witness: WitnessLog = field(default_factory=WitnessLog)
    base: Path = Path("/nowhere")
    casts: list[tuple[Cast, Course]] = field(default_factory=list[tuple[Cast, Course]])

    def cast(self, cast: Cast, course: Course) -> None:
        """Keep what it was given."""
        self.casts.append((cast, course))


@dataclass(slots=True)
class Puppet:
    """An engine of courses that does what a test says, whatever it is asked."""

    stand: Stand
    starts: Sequence[Did]
    comes: Sequence[Come] | None
    visible: str
    policy: Policy | None
    lacks: frozenset[str]
    every: Come
    names: dict[str, str] = field(default_factory=dict[str, str])

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Claim everything but what it lacks."""
        assert set(capabilities) == set(ASKED)
        support = {name: "unsupported" if name in self.lacks else "supported" for name in capabilities}
        return Declaration("puppet", "1", "Python", capabilities=support, policy=self.policy)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- words of the closed set

    def cast(self, course: Course) -> Cast:
        """Have a role for each scope."""
        self.names = dict(zip(("the scope", "the other scope"), course.scopes, strict=False))
        self.comes = [self.every] * len(course.acts) if self.comes is None else self.comes
        return Cast(tuple(Role(scope, AdapterId.CLAUDE_CODE, scope, "", ("Done.",)) for scope in course.scopes))

    def play(self) -> Played:
        """Let everything be seen that the test says."""
        for number, did in enumerate(self.starts):
            self.stand.witness.add(
                CliStarted(
                    container=str(number),
                    adapter=did.adapter,
                    argv=("cli", *(("--resume", did.asked) if did.asked else ()), did.prompt),
                    environment=(),
                    workdir=did.place,
                    prompt=did.prompt,
                    asked_id=did.asked,
                    chosen_id=did.chosen,
                    label=None,
                    asked_loosely=did.loosely,
                    usage_error=None,
                    scope=self.names.get(did.scope or "", did.scope),
                    full=None if did.scope is None else did.full,
                    scope_by=None if did.scope is None else did.by,
                )
            )
            told = did.reported if did.reported is not None else (did.served,) if did.served else ()
            self.stand.witness.add(
                CliAnswered(str(number), did.adapter, did.shape, did.served, (), told, did.saved, did.code)
            )
        return Played(tuple(self.comes or ()), self.visible)


def say(world: World, *sentences: str) -> None:
    """Let sentences be said, each as `Given …`, `When …` or `Then …`."""
    for sentence in sentences:
        kind, _, text = sentence.partition(" ")
        match kind:
            case "Given" | "When" | "Then":
                LIBRARY.find("given" if kind == "Given" else "when" if kind == "When" else "then", text)(world)
            case _:
                raise AssertionError(f"no sentence begins with {kind}")


def empty(
    *,
    starts: Sequence[Did] = (),
    comes: Sequence[Come] | None = None,
    visible: str = "",
    policy: Policy | None = POLICY,
    lacks: frozenset[str] = frozenset(),
    every: Come = _DONE,
) -> World:
    """Make a world in which no sentence was said; without `comes`, `every` act comes to the same."""
    stand = Stand()
    puppet = Puppet(stand, starts, comes, visible, policy, lacks, every)
    return World(cast("Engine", puppet), cast("Bench", stand), "seed")


def course(
    *givens: str,
    starts: Sequence[Did] = (),
    comes: Sequence[Come] | None = None,
    visible: str = "",
    policy: Policy | None = POLICY,
    lacks: frozenset[str] = frozenset(),
) -> World:
    """Make a world in which a course of these acts is to be played; without `comes` every act of it will be done."""
    world = empty(starts=starts, comes=comes, visible=visible, policy=policy, lacks=lacks)
    say(world, "Given an engine that claims continuity", *(f"Given {one}" for one in givens))
    return world


def played(
    *givens: str,
    starts: Sequence[Did] = (),
    comes: Sequence[Come] | None = None,
    visible: str = "",
    policy: Policy = POLICY,
) -> World:
    """Make a world in which it was played."""
    world = course(*givens, starts=starts, comes=comes, visible=visible, policy=policy)
    say(world, "When the course is played")
    return world
