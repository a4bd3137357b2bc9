"""What holds of every start of a course, whichever it is: where the ids come from, where they go, and what is lost.

Specification: §30.6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tck_features.course_checks import about, done_by, lines, shown_or_done
from tck_features.courses import Playing, Seen, course_of
from tck_features.sentences import then
from tck_features.world import World

_TWO = 2


@then("the first start of every scope asks for no session")
@about("CONTINUITY-1")
def first_is_fresh(world: World) -> None:
    """Check each scope, and that there is such a start."""
    playing = course_of(world)
    first = {words: next(iter(playing.starts(words)), None) for words in playing.names}
    world.checks.expect(
        "scopes for which no CLI was started",
        expected=[],
        actual=[words for words, start in first.items() if start is None],
        rests_on="witnessed",
        evidence=playing.shown(),
    )
    world.checks.expect(
        "what the first start of each scope asks for",
        expected=dict.fromkeys(first),
        actual={words: None if start is None else start.wants for words, start in first.items()},
        rests_on="witnessed",
        evidence=playing.shown(),
    )


@then("no session was asked for but by its id")
@about("CONTINUITY-2", "REUSE-6")
def nothing_loose(world: World) -> None:
    """Check that no start asked for the most recent session, or for one by name."""
    playing = _started(world)
    world.checks.expect(
        "starts that ask for the most recent session, or for one by name",
        expected=[],
        actual=[*playing.loosely],
        rests_on="witnessed",
        evidence=playing.shown(),
    )


@then("every id that was asked for had come up in an earlier start of its scope")
@about("CONTINUITY-3", "REUSE-6")
def ids_are_known(world: World) -> None:
    """Check that the CLI had reported it there, or that the engine had given it."""
    playing = _started(world)
    known: dict[str, set[str]] = {}
    strange: list[Seen] = []
    for start in playing.concerned:
        own = known.setdefault(start.scope, set())
        if start.asked is not None and start.asked not in own:
            strange.append(start)
        # What comes up for a helper in a scope's session is none of the helper's.
        if start.scope:
            own.update(start.named)
    _none(world, "starts that ask for an id that was neither reported nor given before", playing, strange)


@then("no id of one scope was asked for in another")
@about("CONTINUITY-4", "REUSE-6", "REDELEGATION-8")
def no_crossing(world: World) -> None:
    """Check each id against the scope in which it came up first."""
    playing = _started(world)
    world.checks.expect(
        "scopes for which a CLI was started",
        expected=len(playing.names),
        actual=len({start.scope for start in playing.seen}),
        rests_on="witnessed",
        evidence=playing.shown(),
    )
    owners = playing.owners()
    crossed = [
        start for start in playing.concerned if start.asked in owners and owners[start.asked].scope != start.scope
    ]
    _none(world, "starts that ask for an id of another scope", playing, crossed)


@then("no id of one provider's CLI was asked of another's")
@about("CONTINUITY-5")
def no_foreign_provider(world: World) -> None:
    """Check each id against the CLI that named it first."""
    playing = _started(world)
    owners = playing.owners()
    foreign = [
        start
        for start in playing.concerned
        if start.asked in owners and owners[start.asked].cli.adapter != start.cli.adapter
    ]
    _none(world, "starts that ask a CLI for an id of another one's", playing, foreign)


@then("no fresh session was sent a prompt that relies on what is remembered")
@about("CONTINUITY-8", "REUSE-8")
def no_delta_to_fresh(world: World) -> None:
    """Check that every start that asks for nothing holds the whole task."""
    playing = _started(world)
    short = [start for start in playing.seen if start.wants is None and not start.full]
    if playing.policy.prompt == "delta":
        _doubt_full(playing)
    _none(world, "fresh starts without the whole task", playing, short)


@then("every session was resumed in the directory in which it began")
@about("CONTINUITY-10")
def same_directory(world: World) -> None:
    """Check the working directory of each start that asks for an id against that of the one that named it first."""
    playing = _started(world)
    owners = playing.owners()
    elsewhere = [
        start
        for start in playing.concerned
        if start.asked in owners and owners[start.asked].cli.workdir != start.cli.workdir
    ]
    _none(
        world, "starts that ask for a session in another directory than the one in which it began", playing, elsewhere
    )


@then("no id that the CLI did not find was asked for more than {int} times")
@about("CONTINUITY-7")
def bounded(world: World, most: int) -> None:
    """Check how often each lost id was asked for in vain."""
    playing = _started(world)
    counts = Counter(start.asked for start in playing.seen if start.lost)
    world.checks.expect(
        f"ids that were asked for more than {most} times in vain",
        expected=[],
        actual=[f"{one}: {count} times" for one, count in counts.items() if count > most],
        rests_on="witnessed",
        evidence=playing.shown(),
    )


@then("{course_scope} goes on without the lost session, or its failure is shown")
@about("CONTINUITY-13")
def gone_on_or_shown(world: World, scope: str) -> None:
    """Check that work was done after the loss, or else that it can be seen that none was."""
    playing = _started(world)
    starts = playing.starts(scope)
    world.checks.expect(
        f"a CLI was started for {scope} after the turn whose session was lost",
        expected=True,
        actual=len(starts) > 1,
        rests_on="witnessed",
        evidence=playing.shown(),
    )
    lost = [number for number, start in enumerate(starts) if start.lost]
    dead = {starts[number].asked for number in lost}
    after = starts[lost[-1] + 1 :] if lost else starts[1:]
    gone_on = any(start.well and start.asked not in dead for start in after)
    signs = [visible for _, outcome, visible in playing.came(scope) if outcome != "done" and visible]
    world.checks.expect(
        "the engine went on without the lost session, or shows that the work has failed",
        expected=True,
        actual=gone_on or bool(playing.visible or signs),
        rests_on="witnessed" if gone_on else "reported",
        evidence=playing.shown(),
    )
    shown_or_done(world, playing, scope)
    done_by(world, playing, scope, [start for start in starts if start.well])


@then("the resume of {course_scope} under another id is treated as the engine declares")
@about("CONTINUITY-11")
def fork_as_declared(world: World, scope: str) -> None:
    """Check what is built on: nothing of a rejected session, and an adopted one next."""
    playing = _started(world)
    starts = playing.starts(scope)
    forks = [number for number, start in enumerate(starts) if start.forked]
    if not forks:
        playing.doubts.append(f"no session was asked for, for {scope}, and so none answered under another id")
        return
    fork, later = starts[forks[0]], starts[forks[0] + 1 :]
    if playing.policy.fork == "adopt":
        world.checks.expect(
            "what is asked for after a resume under another id, which the engine declares to adopt",
            expected=fork.served,
            actual=later[0].wants if later else "there was no further start",
            rests_on="witnessed",
            evidence=playing.shown(),
        )
        return
    built_on = [start for start in later if start.asked == fork.served]
    _none(world, "starts that ask for the session of a resume that the engine declares to reject", playing, built_on)
    done_by(world, playing, scope, [start for start in starts if start.well and not start.forked])


@then("no session of {course_scope} was asked for before it was valid, as the engine declares")
@about("CONTINUITY-11")
def valid_as_declared(world: World, scope: str) -> None:
    """Check that no session is built on in which nothing went well, unless an id is enough for the engine.

    Where every turn is told as done, each had got over what failed in it, and its session was valid in the end.
    """
    playing = _started(world)
    starts = playing.starts(scope)
    if len(starts) < _TWO:
        playing.doubts.append(f"after the first there was no start for {scope}, and so nothing to ask for")
    went_well: set[str | None] = set()
    early: list[Seen] = []
    for start in starts:
        if start.asked is not None and start.asked not in went_well:
            early.append(start)
        if start.well:
            went_well |= {start.served, *start.named}
    got_over = all(outcome == "done" for _, outcome, _ in playing.came(scope))
    found = [] if playing.policy.valid == "init" or got_over else early
    _none(world, f"starts for {scope} that ask for a session in which nothing had gone well", playing, found)


@then("every session that was resumed was sent what the engine declares")
@about("CONTINUITY-11")
def prompted_as_declared(world: World) -> None:
    """Check that where the engine declares full prompts a resumed session is sent the whole task too."""
    playing = _started(world)
    # A CLI that does not find the session can end before it has read any prompt.
    short = [start for start in playing.seen if start.wants is not None and start.cli.prompt and not start.full]
    found = short if playing.policy.prompt == "full" else []
    _none(world, "resumed sessions that were sent less than the whole task", playing, found)


def _started(world: World) -> Playing:
    """Give the course, expecting that it led to a start at all: of nothing everything holds."""
    playing = course_of(world)
    world.checks.expect(
        "a CLI was started", expected=True, actual=bool(playing.seen), rests_on="witnessed", evidence=playing.shown()
    )
    return playing


def _doubt_full(playing: Playing) -> None:
    """Doubt that a prompt with the whole task is told from another, where every resume of a scope was sent one."""
    for scope in playing.names.values():
        resumed = [start for start in playing.seen if start.scope == scope and start.asked and start.cli.prompt]
        if resumed and all(start.full for start in resumed):
            playing.doubts.append(
                "the engine declares that a resumed session is not sent the whole task, and by the driver's roles each"
                f" was: {resumed[0]}"
            )


def _none(world: World, what: str, playing: Playing, found: Iterable[Seen]) -> None:
    wrong = [*lines([*found])]
    world.checks.expect(
        what, expected=[], actual=wrong, rests_on="witnessed", evidence=playing.shown() if wrong else ()
    )
