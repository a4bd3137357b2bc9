"""What a scope's starts of a CLI asked for, one by one, and what the turns of a course came to.

A start is named by its place among those of its scope: so the course says how the CLI behaves at it, whichever turn an
engine makes it in.
"""

from __future__ import annotations

import contextlib
from itertools import pairwise

from tck_driver.errors import UntestableError
from tck_features.checks import ExpectationFailedError
from tck_features.course_checks import about, done_by, lines, nth
from tck_features.courses import Seen, course_of
from tck_features.sentences import SENTENCES, Within, then
from tck_features.world import World


@then("as {requirements} say(s), {judgement}")
def as_required(world: World, requirements: tuple[str, ...], judgement: Within) -> None:
    """Look at what another sentence says, for these requirements and no other that the scenario has."""
    about(*requirements)(SENTENCES.find("then", judgement.text))(world)


@then("nothing can be said unless {judgement}")
def sayable(world: World, judgement: Within) -> None:
    """Look at what is no requirement, and what the requirements rest on: where it does not hold, nothing is shown.

    What breaks elsewhere in the scenario is shown all the same, so the doubt counts where nothing does.
    """
    checks = world.checks
    before = len(checks.expectations)
    with contextlib.suppress(ExpectationFailedError):
        SENTENCES.find("then", judgement.text)(world)
    broken = [one for one in checks.expectations[before:] if not one.held]
    checks.expectations[before:] = [one for one in checks.expectations[before:] if one.held]
    course_of(world).doubts += [f"{one.statement}: expected {one.expected}, found {one.actual}" for one in broken]


@then("nothing more can be said unless {judgement}")
def more_sayable(world: World, judgement: Within) -> None:
    """Look at what all that follows rests on, and leave it at what was seen so far where it does not hold.

    Raises `UntestableError` then.
    """
    before = len(course_of(world).doubts)
    sayable(world, judgement)
    doubts = course_of(world).doubts[before:]
    if doubts:
        raise UntestableError("; ".join(doubts))


@then("every act of the course is done")
def every_act_is_done(world: World) -> None:
    """Check what is told of each act, and that as many starts have ended well as there are turns."""
    playing = course_of(world)
    undone = [
        f"act {number}, {type(act).__name__}: {came.outcome} {came.visible}".rstrip()
        for number, (act, came) in enumerate(playing.told(), 1)
        if came.outcome != "done"
    ]
    world.checks.expect(
        "acts of the course that are not done",
        expected=[],
        actual=undone,
        rests_on="reported",
        evidence=playing.shown(),
    )
    for words in playing.names:
        done_by(world, playing, words, [start for start in playing.starts(words) if start.well])


@then("the {ordinal} turn of {course_scope} is done")
def turn_is_done(world: World, ordinal: int, scope: str) -> None:
    """Check what is told of one turn."""
    playing = course_of(world)
    outcomes = [outcome for _, outcome, _ in playing.came(scope)]
    world.checks.expect(
        f"the outcome of turn {ordinal + 1} of {scope}",
        expected="done",
        actual=outcomes[ordinal],
        rests_on="reported",
        evidence=playing.shown(),
    )


@then("no turn of {course_scope} is done without a start that ended well")
def done_ended_well(world: World, scope: str) -> None:
    """Check that nothing is told as done that no CLI has done."""
    playing = course_of(world)
    done_by(world, playing, scope, [start for start in playing.starts(scope) if start.well])


@then("no resume of {course_scope} that did not name the asked session alone is taken for done")
def strays_are_not_done(world: World, scope: str) -> None:
    """Check that the turns that are done have each a start that ended well, and not in whatever session."""
    playing = course_of(world)
    done_by(world, playing, scope, [start for start in playing.starts(scope) if start.well and not start.strayed])


@then("{course_scope} was started {int} time(s)")
def count_of_starts(world: World, scope: str, count: int) -> None:
    """Check how often a CLI was started for the scope."""
    found = course_of(world).starts(scope)
    world.checks.expect(
        f"starts of a CLI for {scope}", expected=count, actual=len(found), rests_on="witnessed", evidence=lines(found)
    )


@then("the {ordinal} start of {course_scope} asks for no session")
def asks_for_nothing(world: World, ordinal: int, scope: str) -> None:
    """Check that one start asked for no session at all."""
    start = nth(world, scope, ordinal)
    world.checks.expect(
        f"what start {ordinal + 1} of {scope} asks for",
        expected=None,
        actual=start.wants,
        rests_on="witnessed",
        evidence=course_of(world).shown(),
    )


@then("the {ordinal} start of {course_scope} is fresh, with the whole task")
def fresh_and_full(world: World, ordinal: int, scope: str) -> None:
    """Check that one start asked for no session, and was sent all that a fresh one needs."""
    asks_for_nothing(world, ordinal, scope)
    start = nth(world, scope, ordinal)
    world.checks.expect(
        f"the prompt of start {ordinal + 1} of {scope} holds the whole task",
        expected=True,
        actual=start.full,
        rests_on="witnessed",
        evidence=lines([start]),
    )


@then("the {ordinal} start of {course_scope} asks for the session of the {ordinal}")
def asks_for_that_of(world: World, ordinal: int, scope: str, earlier: int) -> None:
    """Check the id of one start against the session that an earlier one worked in."""
    start, before = nth(world, scope, ordinal), nth(world, scope, earlier)
    _goes_on(world, f"start {ordinal + 1} of {scope}", start, before)


@then("the last start of {course_scope} asks for the session of the one before")
def last_goes_on(world: World, scope: str) -> None:
    """Check the id of the last start against the session of the one before it."""
    nth(world, scope, 1)
    *_, before, last = course_of(world).starts(scope)
    _goes_on(world, f"the last start of {scope}", last, before)


@then("every start of {course_scope} after the first asks for the session of the one before")
@about("CONTINUITY-12", "REUSE-1")
def asks_for_the_one_before(world: World, scope: str) -> None:
    """Check start by start, of which there are as many as turns at least."""
    playing = course_of(world)
    found = playing.starts(scope)
    turns = len([*playing.came(scope)])
    world.checks.expect(
        f"{scope} has {turns} turns, and as many starts of a CLI at least",
        expected=True,
        actual=turns > 1 and len(found) >= turns,
        rests_on="witnessed",
        evidence=lines(found),
    )
    for number, (before, start) in enumerate(pairwise(found), 2):
        _goes_on(world, f"start {number} of {scope}", start, before)


@then("every start of {course_scope} after one that went well asks for its session")
@about("CONTINUITY-12")
def goes_on_from_what_went_well(world: World, scope: str) -> None:
    """Check each start against the one before it, where that one left a session of which the CLI gave the one id."""
    playing = course_of(world)
    others = [
        f"start {number}: {start.wants or 'none'}, not {before.served}"
        for number, (before, start) in enumerate(pairwise(playing.starts(scope)), 2)
        if before.well and before.kept and not before.forked and start.wants != before.served
    ]
    # Said also where no start went well: then nothing speaks against the engine.
    world.checks.expect(
        f"starts of {scope} after one that went well that ask for something else than its session",
        expected=[],
        actual=others,
        rests_on="witnessed",
        evidence=playing.shown(),
    )


def _which(ordinal: int) -> str:
    return "the last start" if ordinal < 0 else f"start {ordinal + 1}"


def _goes_on(world: World, what: str, start: Seen, before: Seen) -> None:
    world.checks.expect(
        f"the start that {what} is to go on from had a session",
        expected=True,
        actual=before.served is not None,
        rests_on="witnessed",
        evidence=lines([before]),
    )
    world.checks.expect(
        f"the id that {what} asks for",
        expected=before.served,
        actual=start.wants,
        rests_on="witnessed",
        evidence=course_of(world).shown(),
    )


@then("the {ordinal} start of {course_scope} is in another directory than the {ordinal}")
def elsewhere(world: World, ordinal: int, scope: str, earlier: int) -> None:
    """Check that a change of the working directory has reached the CLI."""
    start, before = nth(world, scope, ordinal), nth(world, scope, earlier)
    world.checks.expect(
        f"{_which(ordinal)} of {scope} is in another directory than {_which(earlier)}",
        expected=True,
        actual=start.cli.workdir != before.cli.workdir,
        rests_on="witnessed",
        evidence=lines([before, start]),
    )


@then("the {ordinal} start of {course_scope} is of another CLI than the {ordinal}")
def of_another_cli(world: World, ordinal: int, scope: str, earlier: int) -> None:
    """Check that a change of the provider has reached the CLI."""
    start, before = nth(world, scope, ordinal), nth(world, scope, earlier)
    world.checks.expect(
        f"{_which(ordinal)} of {scope} is of another CLI than {_which(earlier)}",
        expected=True,
        actual=start.cli.adapter != before.cli.adapter,
        rests_on="witnessed",
        evidence=lines([before, start]),
    )


@then("every scope asks after the restart for what it would have asked for without one")
@about("CONTINUITY-9", "REUSE-7")
def as_without_the_restart(world: World) -> None:
    """Check the first start of each scope after the restart: it resumes, or not, as later turns did before it."""
    playing = course_of(world)
    for words in playing.names:
        nth(world, words, playing.turns_before_restart(words))
    resumed = any(
        before.served is not None and start.asked == before.served
        for words in playing.names
        for before, start in pairwise(playing.starts(words)[: playing.turns_before_restart(words)])
    )
    for words in playing.names:
        turns = playing.turns_before_restart(words)
        before, start = playing.starts(words)[turns - 1 : turns + 1]
        world.checks.expect(
            f"what {words} asks for after the restart, where turns before it asked for "
            + ("the session of the one before" if resumed else "none"),
            expected=before.served if resumed else None,
            actual=start.wants,
            rests_on="witnessed",
            evidence=playing.shown(),
        )


@then("no start of {course_scope} asks for a session")
@about("CONTINUITY-6", "CONTINUITY-9")
def nothing_asks(world: World, scope: str) -> None:
    """Check that there are starts, one for each turn at least, and that none asks for a session."""
    playing = course_of(world)
    found = playing.starts(scope)
    turns = len([*playing.came(scope)])
    world.checks.expect(
        f"{scope} has as many starts of a CLI as turns at least",
        expected=True,
        actual=len(found) >= turns,
        rests_on="witnessed",
        evidence=lines(found),
    )
    world.checks.expect(
        f"starts of {scope} that ask for a session",
        expected=[],
        actual=[str(start) for start in found if start.wants is not None],
        rests_on="witnessed",
    )
    world.checks.expect(
        f"starts of helpers that ask for a session of {scope} all the same",
        expected=[],
        actual=[*lines(playing.helping_where_off(scope))],
        rests_on="witnessed",
    )


@then("no start of {course_scope} after the {ordinal} is fresh")
def nothing_cold_after(world: World, scope: str, ordinal: int) -> None:
    """Check that nothing began afresh after a certain start."""
    nth(world, scope, ordinal)
    later = course_of(world).starts(scope)[ordinal + 1 :]
    world.checks.expect(
        f"fresh starts of {scope} after start {ordinal + 1}",
        expected=[],
        actual=[str(start) for start in later if start.wants is None],
        rests_on="witnessed",
        evidence=course_of(world).shown(),
    )
