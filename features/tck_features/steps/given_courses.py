"""What is to happen to an engine of any kind, turn by turn: the acts of a course, in the order of the sentences."""

from __future__ import annotations

from tck_driver.bench import Shape
from tck_driver.courses import (
    Moved,
    NewSession,
    OtherProvider,
    Restart,
    SessionRemoved,
    Start,
    Switch,
    TakingUp,
    Turn,
    Unadvertised,
)
from tck_driver.errors import UnsupportedError
from tck_features.courses import begin, course_of
from tck_features.sentences import given
from tck_features.world import World


@given("an engine that claims {profile}")
def claims(world: World, profile: str) -> None:
    """Begin a course for an engine that means to meet a profile; another one is not held against it."""
    begin(world, profile)


@given("resuming is {on_or_off} from the beginning")
def resuming(world: World, on: bool) -> None:  # noqa: FBT001 -- a sentence gives its words in order
    """Turn resuming on or off by the engine's switch, unless it is so by default."""
    course_of(world).resuming(on=on)


@given("resuming is turned {on_or_off}")
def switched(world: World, on: bool) -> None:  # noqa: FBT001 -- as above
    """Turn resuming on or off by the engine's switch."""
    playing = course_of(world)
    if not playing.policy.switch:
        raise UnsupportedError("act.switch")
    playing.acts.append(Switch(on))


@given("a turn of {course_scope}")
def a_turn(world: World, scope: str) -> None:
    """Ask for a turn in which the CLI does what it is told."""
    playing = course_of(world)
    playing.acts.append(Turn(playing.scope(scope)))


@given("{int} turns of {course_scope}")
def turns(world: World, count: int, scope: str) -> None:
    """Ask for several turns, one after the other, in which the CLI does what it is told."""
    for _ in range(count):
        a_turn(world, scope)


@given("a turn of {course_scope} in which the CLI {behaviour}")
def a_turn_in_which(world: World, scope: str, shape: Shape) -> None:
    """Ask for a turn in which the CLI behaves in a certain way at its first start."""
    playing = course_of(world)
    playing.acts.append(Turn(playing.scope(scope), (Start(shape),)))


@given("a turn of {course_scope} in which the answer has the wrong form")
def a_turn_of_wrong_form(world: World, scope: str) -> None:
    """Ask for a turn in which the CLI ends well, with an answer that does not stand up to the engine's examination."""
    playing = course_of(world)
    playing.acts.append(Turn(playing.scope(scope), (Start(invalid=True),)))


@given("a turn of {course_scope} after which the hook fails")
def a_turn_with_a_failing_hook(world: World, scope: str) -> None:
    """Ask for a turn that goes well, up to what the engine does after it."""
    playing = course_of(world)
    playing.acts.append(Turn(playing.scope(scope), hook_fails=True))


@given("a turn of {course_scope} in which the engine is killed")
def a_turn_cut_off(world: World, scope: str) -> None:
    """Kill the engine while the CLI is at work, and start it again."""
    playing = course_of(world)
    playing.acts.append(Turn(playing.scope(scope), killed=True))


@given("an orderly restart of the engine")
def an_orderly_restart(world: World) -> None:
    """Stop the engine between two turns, and start it again."""
    course_of(world).acts.append(Restart())


@given("from then on {course_scope} is served by another provider's CLI")
def another_provider(world: World, scope: str) -> None:
    """Change the provider."""
    playing = course_of(world)
    playing.acts.append(OtherProvider(playing.scope(scope)))


@given("from then on {course_scope} is worked on in another directory")
def another_directory(world: World, scope: str) -> None:
    """Change the working directory."""
    playing = course_of(world)
    playing.acts.append(Moved(playing.scope(scope)))


@given("from then on the help of the CLI offers no resuming")
def unadvertised(world: World) -> None:
    """Let another version of the CLI be installed, as it were."""
    course_of(world).acts.append(Unadvertised())


@given("a new session of the tracker on {course_scope}")
def a_new_session(world: World, scope: str) -> None:
    """Delegate the issue again."""
    playing = course_of(world)
    playing.acts.append(NewSession(playing.scope(scope)))


@given("the session of the tracker on {course_scope} is removed")
def session_removed(world: World, scope: str) -> None:
    """End the present session of the issue."""
    playing = course_of(world)
    playing.acts.append(SessionRemoved(playing.scope(scope)))


@given("taking up earlier sessions is turned {on_or_off}")
def taking_up(world: World, on: bool) -> None:  # noqa: FBT001 -- as above
    """Decide whether a new session takes up what an earlier one left."""
    course_of(world).acts.append(TakingUp(on))
