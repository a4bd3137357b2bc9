"""What several sentences about courses expect in the same way: that a start is there, and that what is told is true."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, TypeVarTuple

from tck_features.checks import ExpectationFailedError
from tck_features.courses import course_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from tck_features.courses import Playing, Seen
    from tck_features.world import World


Words = TypeVarTuple("Words")


def about(*requirements: str) -> Callable[[Callable[[World, *Words], None]], Callable[[World, *Words], None]]:
    """Say which requirements a sentence is about, so that what breaks in it is held against no other.

    A course takes long and shows much. Where something does not hold the sentences after it are looked at all the same,
    and the scenario has failed for what did not hold alone.
    """

    def concerning(step: Callable[[World, *Words], None]) -> Callable[[World, *Words], None]:
        @functools.wraps(step)
        def looking(world: World, *words: *Words) -> None:
            if world.checks.about:
                # The scenario itself has said what this is about.
                step(world, *words)
                return
            world.checks.about = requirements
            try:
                step(world, *words)
            except ExpectationFailedError:
                # It is written down, and has failed the scenario.
                return
            finally:
                world.checks.about = ()

        return looking

    return concerning


def nth(world: World, words: str, ordinal: int) -> Seen:
    """Give one start of a scope; a missing one fails as an expectation on the engine, not as an error of the kit."""
    playing = course_of(world)
    found = playing.starts(words)
    wanted = len(found) if ordinal < 0 else ordinal + 1
    world.checks.expect(
        f"a CLI was started for {words} {max(wanted, 1)} time(s) at least",
        expected=True,
        actual=0 < wanted <= len(found),
        rests_on="witnessed",
        evidence=playing.shown(),
    )
    return found[ordinal]


def done_by(world: World, playing: Playing, words: str, well: Collection[Seen]) -> None:
    """Expect that no more turns of a scope are told as done than these starts can have done."""
    done = sum(outcome == "done" for _, outcome, _ in playing.came(words))
    world.checks.expect(
        f"turns of {words} that are told as done, and that no start can have done",
        expected=0,
        actual=max(0, done - len(well)),
        rests_on="witnessed",
        evidence=playing.shown(),
    )


def shown_or_done(world: World, playing: Playing, words: str) -> None:
    """Expect that of each turn of a scope that is not done its user can see that it has failed."""
    signs = {visible for _, _, visible in playing.came() if visible}
    silent = [
        f"{which}: {outcome}"
        for which, outcome, visible in playing.came(words)
        if outcome != "done" and not (playing.visible or visible or (outcome == "not_reached" and signs))
    ]
    world.checks.expect(
        f"turns of {words} that have failed, and nothing shows it",
        expected=[],
        actual=silent,
        rests_on="reported",
        evidence=playing.shown(),
    )


def lines(starts: Iterable[Seen]) -> tuple[str, ...]:
    """Give starts as lines of evidence."""
    return tuple(str(start) for start in starts)
