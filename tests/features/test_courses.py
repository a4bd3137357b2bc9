"""A course in a scenario: what sentences make of it, who may play it, and what is refused before anything is judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from tests.features.played import POLICY, Did, Stand, course, played, say

from tck_driver.courses import (
    Come,
    Moved,
    NewSession,
    OtherProvider,
    Policy,
    Restart,
    SessionRemoved,
    Start,
    Switch,
    TakingUp,
    Turn,
    Unadvertised,
)
from tck_driver.errors import DriverError, FalseAdvertisingError, KitError, UnsupportedError, UntestableError
from tck_features.checks import ExpectationFailedError
from tck_features.courses import course_of
from tck_features.hygiene import check_hygiene


def policy_with(*, default: Literal["on", "off"] = "on", switch: str = "RESUME") -> Policy:
    return replace(POLICY, default=default, switch=switch)


def test_every_act_has_a_sentence_and_stands_where_its_sentence_stood() -> None:
    world = course(
        "resuming is on from the beginning",
        "2 turns of the scope",
        "a turn of the other scope in which the CLI names two sessions",
        "a turn of the scope in which the answer has the wrong form",
        "a turn of the scope after which the hook fails",
        "a turn of the scope in which the engine is killed",
        "an orderly restart of the engine",
        "resuming is turned off",
        "from then on the scope is served by another provider's CLI",
        "from then on the other scope is worked on in another directory",
        "from then on the help of the CLI offers no resuming",
        "a new session of the tracker on the scope",
        "the session of the tracker on the scope is removed",
        "taking up earlier sessions is turned on",
    )
    playing = course_of(world)
    one, other = playing.names["the scope"], playing.names["the other scope"]

    assert one != other
    assert playing.acts == [
        Turn(one),
        Turn(one),
        Turn(other, (Start("two_ids"),)),
        Turn(one, (Start(invalid=True),)),
        Turn(one, hook_fails=True),
        Turn(one, killed=True),
        Restart(),
        Switch(on=False),
        OtherProvider(one),
        Moved(other),
        Unadvertised(),
        NewSession(one),
        SessionRemoved(one),
        TakingUp(on=True),
    ]


def test_resuming_is_switched_on_where_it_is_off_by_default() -> None:
    off = policy_with(default="off")
    world = course("resuming is on from the beginning", "a turn of the scope", policy=off)

    assert course_of(world).acts[0] == Switch(on=True)


def test_what_cannot_be_switched_on_is_not_held_against_the_engine() -> None:
    with pytest.raises(UnsupportedError, match=r"act\.switch"):
        course("resuming is on from the beginning", policy=policy_with(default="off", switch=""))
    with pytest.raises(UnsupportedError, match=r"act\.switch"):
        course("a turn of the scope", "resuming is turned off", policy=policy_with(switch=""))


def test_a_profile_that_is_not_claimed_is_unsupported() -> None:
    with pytest.raises(UnsupportedError, match=r"profile\.continuity"):
        course(lacks=frozenset({"profile.continuity"}))


def test_an_engine_of_mailboxes_claims_continuity_and_no_other_profile() -> None:
    world = course("a turn of the scope", policy=None)
    assert course_of(world).translated
    other = course(policy=None)
    other.course = None
    with pytest.raises(UnsupportedError, match=r"profile\.reuse"):
        say(other, "Given an engine that claims reuse")


def test_an_act_that_the_engine_does_not_have_is_unsupported_and_nothing_is_cast() -> None:
    world = course("an orderly restart of the engine", "a turn of the scope", lacks=frozenset({"act.restart"}))
    with pytest.raises(UnsupportedError, match=r"act\.restart"):
        say(world, "When the course is played")
    assert isinstance(world.bench, Stand)
    assert world.bench.casts == []
    assert not world.opened


def test_a_driver_that_does_not_tell_of_every_act_is_at_fault() -> None:
    with pytest.raises(DriverError, match="of 2 acts the driver tells 1"):
        played("2 turns of the scope", comes=[Come("done")])


def test_a_start_that_is_nobodys_leaves_nothing_that_could_be_said_of_the_others() -> None:
    starts = [Did(served="a"), Did(scope=None, prompt="words of a peer")]
    with pytest.raises(UntestableError, match="nobody can say") as stopped:
        played("a turn of the scope", starts=starts)
    assert "words of a peer" not in str(stopped.value)


def test_a_helper_has_no_part_in_what_is_looked_at() -> None:
    world = played("a turn of the scope", starts=[Did(scope="", asked="x"), Did(served="a")])

    say(world, "Then the scope was started 1 time", "Then the first start of every scope asks for no session")


def test_a_helper_that_asks_for_a_session_of_a_scope_is_shown() -> None:
    starts = [Did(served="a"), Did("a", "a", scope=""), Did(scope="", served="h")]
    world = played("a turn of the scope", starts=starts)
    shown = [line for line in course_of(world).shown() if line.startswith("a helper: ")]

    assert len(shown) == 1
    assert "asking for a" in shown[0]


def test_a_helper_is_not_to_ask_for_the_most_recent_session_either() -> None:
    world = played("a turn of the scope", starts=[Did(scope="", loosely=True), Did(served="a")])

    say(world, "Then no session was asked for but by its id")
    (broken,) = [one for one in world.checks.expectations if not one.held]
    assert broken.requirements == ("CONTINUITY-2", "REUSE-6")


def test_what_breaks_in_a_sentence_about_a_requirement_lets_the_scenario_go_on() -> None:
    world = played("2 turns of the scope", starts=[Did(served="a"), Did("x", "x", full=False)])

    say(
        world,
        "Then every id that was asked for had come up in an earlier start of its scope",
        "Then no fresh session was sent a prompt that relies on what is remembered",
    )
    found = {one.requirements[0]: one.held for one in world.checks.expectations}
    assert found == {"CONTINUITY-3": False, "CONTINUITY-8": True}
    assert world.checks.about == ()


def test_what_breaks_in_a_sentence_about_the_course_as_a_whole_ends_the_scenario() -> None:
    world = played("a turn of the scope", comes=[Come("failed", "no")], starts=[Did(served="a")])

    with pytest.raises(ExpectationFailedError, match="acts of the course that are not done"):
        say(world, "Then every act of the course is done")


def test_nothing_is_left_to_be_checked_at_the_end_of_a_course() -> None:
    world = played("a turn of the scope", starts=[Did(served="a")])
    before = len(world.checks.expectations)

    check_hygiene(world)

    assert len(world.checks.expectations) == before


def test_sentences_about_a_course_need_one_and_one_that_was_played() -> None:
    world = course("a turn of the scope")
    with pytest.raises(KitError, match="before it was played"):
        say(world, "Then the scope was started 1 time")
    with pytest.raises(KitError, match="begun its course already"):
        say(world, "Given an engine that claims continuity")
    world.course = None
    with pytest.raises(KitError, match="Given an engine that claims"):
        say(world, "Given a turn of the scope")


def test_a_scope_that_has_no_turn_cannot_be_looked_at() -> None:
    world = played("a turn of the scope", starts=[Did(served="a")])

    with pytest.raises(KitError, match="the other scope before there is one"):
        say(world, "Then the other scope was started 1 time")


def test_what_stands_in_a_report_has_no_words_of_a_prompt() -> None:
    starts = [Did(served="a", prompt="Secret words\nof a peer."), Did("a", "a", full=False, prompt="More words.")]
    world = played("2 turns of the scope", starts=starts)
    shown = "\n".join(course_of(world).shown())

    assert "words" not in shown
    assert "<prompt: 23 characters, full>" in shown
    assert "<prompt: 11 characters, delta>" in shown


def test_a_sentence_can_be_said_to_be_about_some_of_a_scenarios_requirements_alone() -> None:
    world = played("2 turns of the scope", starts=[Did(served="a"), Did("a", "a", full=False)])

    say(
        world,
        "Then as REUSE-4 says, the second start of the scope asks for no session",
        "Then as REUSE-4 and REUSE-5 say, no session was asked for but by its id",
    )
    held = {one.requirements: one.held for one in world.checks.expectations}
    assert held == {("REUSE-4",): False, ("REUSE-4", "REUSE-5"): True}


@pytest.mark.parametrize("asked", ["cast", "play"])
@pytest.mark.parametrize(
    "fault",
    [FalseAdvertisingError("act.x is declared"), UnsupportedError("act.x"), UntestableError("for want of act.x")],
)
def test_a_driver_that_refuses_what_it_has_declared_is_wrong_and_not_its_engine(
    asked: str, fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise fault

    monkeypatch.setattr(f"tests.features.played.Puppet.{asked}", refuse)
    world = course("2 turns of the scope")
    with pytest.raises(DriverError, match=r"the driver refuses a course of which it has declared every act: .*act\.x"):
        say(world, "When the course is played")
