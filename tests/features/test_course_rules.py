"""Sentences about courses, each with what it must let pass, and with what it must not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from tests.features.played import POLICY, Did, course, say

from tck_driver.courses import Come, Policy
from tck_driver.errors import UntestableError
from tck_features.checks import ExpectationFailedError
from tck_features.courses import course_of
from tck_features.hygiene import check_hygiene

A, B = "the scope", "the other scope"
DONE, SAID, SILENT, NOT = Come("done"), Come("failed", "it says so"), Come("failed"), Come("not_reached")
#: A fresh start, a resume of it, and one that is answered in another session.
FRESH, AGAIN, FORK = Did(served="a"), Did("a", "a", full=False), Did("a", "b", shape="other_id", full=False)
#: What a CLI does that is asked for a session that it does not have.
LOST = Did("a", None, code=1, full=False, saved=False)
#: A fresh start whose session is never saved.
UNSAVED = Did(served="a", shape="unsaved", saved=False)
#: Resumes that did not name the asked session alone.
UNNAMED, WITH_TWO = replace(AGAIN, reported=()), replace(AGAIN, reported=("a", "b"))
#: A start that failed after its session had come up.
FAILED = Did(served="a", shape="server_error", code=1)


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, a course, and what was seen of it: in `good` ways the sentence holds, in `bad` ones it does not."""

    sentence: str
    givens: tuple[str, ...]
    good: Sequence[Sequence[Did]] = ()
    bad: Sequence[Sequence[Did]] = ()
    comes: Sequence[Come] | None = None
    policy: Policy = POLICY
    visible: str = ""


def of_helper(start: Did) -> Did:
    """Give the same start for a helper."""
    return replace(start, scope="")


def of_b(start: Did) -> Did:
    """Give the same start for the other scope."""
    return replace(start, scope=B)


TWO = ("2 turns of the scope",)
THREE = ("3 turns of the scope",)
BOTH = ("a turn of the scope", "a turn of the other scope", "a turn of the scope", "a turn of the other scope")
RESTARTED = (*TWO, "a turn of the other scope", "an orderly restart of the engine", BOTH[0], BOTH[1])
SECOND_B = of_b(Did(served="z"))
KILLED = Did("a", "a", shape="killed", code=137)

CASES = (
    Case(
        "every act of the course is done",
        TWO,
        good=[[FRESH, AGAIN], [FRESH, LOST, FRESH], [FRESH, KILLED, AGAIN]],
        # Done is told, and nobody can have done it.
        bad=[[], [FRESH], [FRESH, LOST], [FRESH, KILLED], [LOST, LOST]],
    ),
    Case("every act of the course is done", TWO, bad=[[FRESH, AGAIN]], comes=[DONE, SAID]),
    Case("every act of the course is done", TWO, bad=[[FRESH, AGAIN]], comes=[DONE, NOT]),
    Case(
        "every act of the course is done",
        ("an orderly restart of the engine", "a turn of the scope"),
        bad=[[FRESH]],
        comes=[SAID, DONE],
    ),
    Case("the second turn of the scope is done", TWO, good=[[FRESH, AGAIN]], comes=[SAID, DONE]),
    Case("the second turn of the scope is done", TWO, bad=[[FRESH, AGAIN]], comes=[DONE, SAID]),
    Case("no turn of the scope is done without a start that ended well", TWO, good=[[FRESH, AGAIN]], bad=[[FRESH], []]),
    Case(
        "no resume of the scope that did not name the asked session alone is taken for done",
        TWO,
        good=[[FRESH, AGAIN], [FRESH, FORK, FRESH], [FRESH, UNNAMED, FRESH], [replace(FRESH, reported=()), FRESH]],
        bad=[[FRESH, FORK], [FRESH, UNNAMED], [FRESH, WITH_TWO], [FRESH, WITH_TWO, UNNAMED], [FRESH]],
    ),
    Case(
        "no resume of the scope that did not name the asked session alone is taken for done",
        THREE,
        good=[[FRESH, FORK, FRESH], [FRESH, UNNAMED, FRESH], [FRESH, WITH_TWO, FRESH]],
        comes=[DONE, SAID, DONE],
        bad=[[FRESH, FORK, replace(FORK, asked="b", served="c")]],
    ),
    Case("the scope was started 2 times", TWO, good=[[FRESH, AGAIN]], bad=[[FRESH], [FRESH, AGAIN, AGAIN], []]),
    Case(
        "the second start of the scope asks for no session",
        TWO,
        good=[[FRESH, FRESH]],
        bad=[[FRESH, AGAIN], [FRESH], [], [FRESH, Did(served="b", loosely=True)]],
    ),
    Case(
        "the second start of the scope is fresh, with the whole task",
        TWO,
        good=[[FRESH, FRESH]],
        bad=[[FRESH, AGAIN], [FRESH, Did(served="b", full=False)], [FRESH, Did(served="b", loosely=True)], [FRESH]],
    ),
    Case(
        "the second start of the scope asks for the session of the first",
        TWO,
        good=[[FRESH, AGAIN], [FRESH, LOST]],
        bad=[[FRESH, FRESH], [FRESH, Did("b", "b")], [FRESH], [], [Did(), Did()], [FRESH, Did(loosely=True)]],
    ),
    Case(
        "the last start of the scope asks for the session of the one before",
        TWO,
        good=[[FRESH, AGAIN], [FRESH, Did(served="b"), Did("b", "b")]],
        bad=[[FRESH, AGAIN, FRESH], [FRESH], []],
    ),
    Case(
        "every start of the scope after the first asks for the session of the one before",
        THREE,
        good=[[FRESH, AGAIN, AGAIN], [FRESH, Did("a", "b"), Did("b", "b")]],
        bad=[[FRESH, AGAIN], [FRESH, AGAIN, FRESH], [FRESH, FRESH, AGAIN], [FRESH, Did("a", "b"), AGAIN], []],
    ),
    Case(
        "every start of the scope after one that went well asks for its session",
        THREE,
        good=[
            [FRESH, AGAIN, AGAIN],
            [UNSAVED, LOST, Did(served="b"), Did("b", "b")],
            [UNSAVED, FRESH],
            [FRESH, FORK, FRESH],
            [Did(served="a", reported=()), FRESH],
            [Did(served="a", reported=("a", "b")), FRESH],
        ],
        bad=[[FRESH, FRESH], [UNSAVED, LOST, Did(served="b"), AGAIN]],
    ),
    Case(
        "no start of the scope asks for a session",
        TWO,
        good=[[FRESH, FRESH]],
        bad=[[FRESH, AGAIN], [FRESH, Did(served="b", loosely=True)], [FRESH], []],
    ),
    Case(
        "no start of the scope asks for a session",
        ("a turn of the scope", "resuming is turned off", *TWO),
        # A helper before the second start could be of the turn in which resuming was on.
        good=[[FRESH, FRESH, of_helper(Did()), FRESH], [FRESH, of_helper(AGAIN), FRESH, FRESH]],
        bad=[[FRESH, FRESH, of_helper(AGAIN), FRESH], [FRESH, FRESH, FRESH, of_helper(AGAIN)]],
    ),
    Case(
        "no start of the scope after the second is fresh",
        THREE,
        good=[[FRESH, AGAIN], [FRESH, AGAIN, AGAIN]],
        bad=[[FRESH, AGAIN, FRESH], [FRESH]],
    ),
    Case(
        "the second start of the scope is in another directory than the first",
        TWO,
        good=[[FRESH, replace(FRESH, place="/other")]],
        bad=[[FRESH, FRESH]],
    ),
    Case(
        "the second start of the scope is of another CLI than the first",
        TWO,
        good=[[FRESH, replace(FRESH, adapter="codex")]],
        bad=[[FRESH, FRESH]],
    ),
    Case(
        "every scope asks after the restart for what it would have asked for without one",
        RESTARTED,
        good=[
            [FRESH, AGAIN, SECOND_B, AGAIN, of_b(Did("z", "z"))],
            # One that never resumes does not do so after a restart either.
            [FRESH, FRESH, SECOND_B, FRESH, SECOND_B],
        ],
        bad=[
            [FRESH, AGAIN, SECOND_B, FRESH, SECOND_B],
            [FRESH, AGAIN, SECOND_B, AGAIN, SECOND_B],
            [FRESH, AGAIN, SECOND_B, AGAIN, of_b(AGAIN)],
            [FRESH, AGAIN, SECOND_B, AGAIN],
            [FRESH, FRESH, SECOND_B, AGAIN, SECOND_B],
            [],
        ],
    ),
    Case(
        "the first start of every scope asks for no session",
        BOTH,
        good=[[FRESH, SECOND_B, AGAIN]],
        bad=[[FRESH, of_b(AGAIN)], [FRESH], [], [FRESH, of_b(Did(served="z", loosely=True))]],
    ),
    Case("no session was asked for but by its id", TWO, good=[[FRESH, AGAIN]], bad=[[Did(loosely=True)], []]),
    Case(
        "every id that was asked for had come up in an earlier start of its scope",
        BOTH,
        good=[
            [FRESH, AGAIN],
            [Did(served="a", chosen="a", reported=()), AGAIN],
            [Did(served="a", reported=("x", "a")), Did("x")],
            # What helpers have among themselves is nobody's concern.
            [FRESH, of_helper(Did(served="h")), of_helper(Did("h", "h")), of_helper(Did("x"))],
        ],
        bad=[
            [AGAIN],
            [FRESH, of_b(AGAIN)],
            [FRESH, Did("x")],
            [Did(served="a", reported=()), AGAIN],
            [],
            [FRESH, of_helper(AGAIN)],
            [FRESH, of_helper(AGAIN), of_helper(AGAIN)],
            [FRESH, of_helper(Did(served="h")), Did("h", "h")],
        ],
    ),
    Case(
        "no id of one scope was asked for in another",
        BOTH,
        good=[
            [FRESH, SECOND_B, AGAIN, of_b(Did("z", "z"))],
            [FRESH, SECOND_B, of_b(Did("nobody's"))],
            [FRESH, SECOND_B, of_helper(Did(served="h")), of_helper(Did("h", "h"))],
        ],
        # Not even where the first of them has meanwhile gone on under that id.
        bad=[
            [FRESH, of_b(AGAIN)],
            [FRESH, SECOND_B, of_b(AGAIN), of_b(AGAIN)],
            [FRESH],
            [],
            [FRESH, SECOND_B, of_helper(AGAIN)],
            [FRESH, SECOND_B, of_helper(Did(served="h")), Did("h", "h")],
        ],
    ),
    Case(
        "no id of one provider's CLI was asked of another's",
        TWO,
        good=[[FRESH, replace(FRESH, adapter="codex", served="c"), Did("c", "c", adapter="codex")], [FRESH, AGAIN]],
        bad=[[FRESH, replace(AGAIN, adapter="codex")], [FRESH, of_helper(replace(AGAIN, adapter="codex"))], []],
    ),
    Case(
        "no fresh session was sent a prompt that relies on what is remembered",
        TWO,
        good=[[FRESH, AGAIN], [FRESH, LOST, FRESH], [FRESH, FORK]],
        bad=[[Did(served="a", full=False)], [FRESH, LOST, Did(served="b", full=False)], []],
    ),
    Case(
        "every session was resumed in the directory in which it began",
        TWO,
        good=[[FRESH, AGAIN], [FRESH, Did(served="b", place="/other"), Did("b", "b", place="/other")]],
        bad=[
            [FRESH, replace(AGAIN, place="/other")],
            [FRESH, replace(LOST, place="/other")],
            [FRESH, of_helper(replace(AGAIN, place="/other"))],
            [],
        ],
    ),
    Case(
        "no id that the CLI did not find was asked for more than 3 times",
        TWO,
        good=[[UNSAVED, LOST, LOST, LOST], [UNSAVED, LOST, FRESH], [FRESH, *[AGAIN] * 5]],
        bad=[[UNSAVED, *[LOST] * 4], [UNSAVED, LOST, FRESH, LOST, FRESH, LOST, FRESH, LOST], []],
    ),
    Case(
        "the scope goes on without the lost session, or its failure is shown",
        TWO,
        good=[[UNSAVED, LOST, Did(served="b")], [UNSAVED, Did(served="b")]],
        bad=[[UNSAVED, LOST], [UNSAVED], []],
    ),
    Case(
        "the scope goes on without the lost session, or its failure is shown",
        THREE,
        good=[[UNSAVED, LOST, LOST]],
        bad=[[UNSAVED]],
        comes=[DONE, SAID, NOT],
    ),
    Case(
        "the scope goes on without the lost session, or its failure is shown",
        THREE,
        # The work of the second turn is gone, and nobody is told, whatever comes of the third.
        bad=[[UNSAVED, LOST, LOST], [UNSAVED, LOST, Did(served="b")]],
        comes=[DONE, SILENT, DONE],
    ),
    Case(
        "the resume of the scope under another id is treated as the engine declares",
        THREE,
        good=[[FRESH, FORK, Did(served="c"), Did("c", "c")]],
        bad=[[FRESH, FORK, Did("b", "b"), FRESH], [FRESH, FORK, FRESH], []],
    ),
    Case(
        "the resume of the scope under another id is treated as the engine declares",
        THREE,
        good=[[FRESH, FORK]],
        bad=[[FRESH, FORK, Did("b", "b")]],
        comes=[DONE, SAID, NOT],
    ),
    Case(
        "the resume of the scope under another id is treated as the engine declares",
        THREE,
        good=[[FRESH, FORK, Did("b", "b")]],
        bad=[[FRESH, FORK, AGAIN], [FRESH, FORK, FRESH], [FRESH, FORK]],
        policy=replace(POLICY, fork="adopt"),
    ),
    Case(
        "no session of the scope was asked for before it was valid, as the engine declares",
        TWO,
        good=[[FAILED, Did(served="b"), Did("b", "b")], [FAILED, FRESH, AGAIN], [FRESH, FAILED, AGAIN]],
        bad=[[FAILED, AGAIN], [FAILED, Did(served="b"), AGAIN], []],
        comes=[SAID, DONE],
    ),
    Case(
        "no session of the scope was asked for before it was valid, as the engine declares",
        TWO,
        # It was gone on with within the turn, until that was done.
        good=[[FAILED, AGAIN, AGAIN]],
        bad=[[]],
    ),
    Case(
        "no session of the scope was asked for before it was valid, as the engine declares",
        TWO,
        good=[[FAILED, AGAIN]],
        bad=[[]],
        comes=[SAID, DONE],
        policy=replace(POLICY, valid="init"),
    ),
    Case("every session that was resumed was sent what the engine declares", TWO, good=[[FRESH, AGAIN]], bad=[[]]),
    Case(
        "every session that was resumed was sent what the engine declares",
        TWO,
        good=[[FRESH, replace(AGAIN, full=True)], [FRESH, FRESH], [FRESH, replace(LOST, prompt="")]],
        bad=[[FRESH, AGAIN], [FRESH, Did(served="a", loosely=True, full=False)]],
        policy=replace(POLICY, prompt="full"),
    ),
)
PAIRS = [
    (case, starts, right) for case in CASES for right, seen in ((True, case.good), (False, case.bad)) for starts in seen
]


def holds(case: Case, starts: Sequence[Did]) -> bool:
    world = course(*case.givens, starts=starts, comes=case.comes, visible=case.visible, policy=case.policy)
    say(world, "When the course is played")
    try:
        say(world, f"Then {case.sentence}")
    except ExpectationFailedError:
        return False
    return all(one.held for one in world.checks.expectations)


@pytest.mark.parametrize(
    ("case", "starts", "right"), PAIRS, ids=[f"{case.sentence}-{right}" for case, _, right in PAIRS]
)
def test_a_sentence_holds_of_what_it_is_about_and_of_nothing_else(
    case: Case,
    starts: Sequence[Did],
    right: bool,  # noqa: FBT001 -- a column of the table
) -> None:
    assert holds(case, starts) is right


def test_every_sentence_about_courses_is_shown_what_it_must_not_let_pass() -> None:
    assert {case.sentence for case in CASES if case.bad} == {case.sentence for case in CASES}


def test_an_engine_that_never_resumes_cannot_show_what_it_makes_of_another_id() -> None:
    world = course(*THREE, starts=[FRESH, Did(served="b"), Did(served="c")])
    say(
        world,
        "When the course is played",
        "Then the resume of the scope under another id is treated as the engine declares",
    )

    with pytest.raises(UntestableError, match="no session was asked for"):
        check_hygiene(world)


def test_an_engine_that_stops_at_a_failure_cannot_show_when_a_session_is_valid() -> None:
    world = course(*TWO, starts=[FAILED], comes=[SAID, NOT])
    say(
        world,
        "When the course is played",
        "Then no session of the scope was asked for before it was valid, as the engine declares",
    )

    with pytest.raises(UntestableError, match="nothing to ask for"):
        check_hygiene(world)


def test_what_everything_rests_on_fails_nobody_and_leaves_nothing_to_be_said() -> None:
    world = course(*TWO, starts=[FRESH, AGAIN], comes=[DONE, SAID])
    say(
        world,
        "When the course is played",
        "Then nothing can be said unless every act of the course is done",
        "Then every start of the scope after the first asks for the session of the one before",
    )

    assert all(one.held for one in world.checks.expectations)
    with pytest.raises(UntestableError, match=r"acts of the course that are not done: .*it says so"):
        check_hygiene(world)


def test_what_everything_rests_on_takes_nothing_back_of_what_broke_all_the_same() -> None:
    world = course(*TWO, starts=[FRESH, FRESH], comes=[DONE, SAID])
    say(
        world,
        "When the course is played",
        "Then nothing can be said unless every act of the course is done",
        "Then every start of the scope after the first asks for the session of the one before",
    )
    check_hygiene(world)

    (broken,) = [one for one in world.checks.expectations if not one.held]
    assert broken.requirements == ("CONTINUITY-12", "REUSE-1")


def test_what_everything_rests_on_leaves_no_doubt_where_it_holds() -> None:
    world = course(*TWO, starts=[FRESH, AGAIN])
    say(world, "When the course is played", "Then nothing can be said unless every act of the course is done")
    check_hygiene(world)

    assert course_of(world).doubts == []


def test_an_act_that_the_cli_never_sees_leaves_it_at_what_was_seen_before() -> None:
    world = course(*TWO, starts=[FRESH, AGAIN])
    say(world, "When the course is played")

    with pytest.raises(UntestableError, match="the last start of the scope is in another directory than start 1"):
        say(
            world,
            "Then nothing more can be said unless the last start of the scope is in another directory than the first",
        )
    assert all(one.held for one in world.checks.expectations)


def test_an_answer_of_the_wrong_form_is_no_good_end() -> None:
    world = course("a turn of the scope in which the answer has the wrong form", starts=[FRESH])
    say(world, "When the course is played")

    with pytest.raises(ExpectationFailedError, match="that no start can have done"):
        say(world, "Then every act of the course is done")
