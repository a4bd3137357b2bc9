"""Where sentences about courses hold by what the driver says alone, nothing has been shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.features.played import POLICY, Did, played, say

from tck_driver.courses import Come
from tck_driver.errors import UntestableError
from tck_features.hygiene import check_hygiene

B = "the other scope"
BOTH = ("a turn of the scope", "a turn of the other scope", "a turn of the scope")
SCOPED = (
    "Then no id of one scope was asked for in another",
    "Then every id that was asked for had come up in an earlier start of its scope",
)
FULL = "Then no fresh session was sent a prompt that relies on what is remembered"
FIRST, OTHER = Did(served="a"), Did(served="b", scope=B)
AGAIN = Did("a", "a", full=False)
GUESSED = replace(AGAIN, by="id")
#: The CLI has not found the session, and has ended before it read a prompt.
LOST = Did("a", None, full=False, code=1, prompt="", by="id")


def test_of_a_start_that_is_known_by_its_id_alone_nobody_can_say_whether_it_is_another_scope_s() -> None:
    with pytest.raises(UntestableError, match="nothing but the id"):
        played(*BOTH, starts=[FIRST, OTHER, GUESSED])


@pytest.mark.parametrize("last", [AGAIN, LOST])
def test_a_prompt_that_says_so_or_was_never_read_leaves_no_doubt(last: Did) -> None:
    world = played(*BOTH, starts=[FIRST, OTHER, last])
    say(world, *SCOPED)
    check_hygiene(world)


def test_where_there_is_one_scope_its_starts_may_be_known_by_the_id_alone() -> None:
    world = played("2 turns of the scope", starts=[FIRST, GUESSED])
    say(world, *SCOPED)
    check_hygiene(world)


@pytest.mark.parametrize(("prompt", "full"), [("delta", True), ("delta", False), ("full", True)])
def test_an_engine_that_declares_less_for_a_resume_has_to_be_seen_with_less(prompt: str, full: bool) -> None:  # noqa: FBT001 -- as the case says
    policy = replace(POLICY, prompt="delta" if prompt == "delta" else "full")
    world = played("2 turns of the scope", starts=[FIRST, replace(AGAIN, full=full)], policy=policy)
    say(world, FULL)
    if prompt == "delta" and full:
        with pytest.raises(UntestableError, match="by the driver's roles each was"):
            check_hygiene(world)
    else:
        check_hygiene(world)


@pytest.mark.parametrize("last", [FIRST, replace(LOST, full=True)])
def test_where_nothing_was_resumed_with_a_prompt_a_whole_task_is_believed(last: Did) -> None:
    world = played("2 turns of the scope", starts=[FIRST, last])
    say(world, FULL)
    check_hygiene(world)


def test_of_what_shows_a_failure_no_more_is_kept_than_a_line_of_evidence_needs() -> None:
    endless = Come("failed", "red\x1b[31m" * 5_000)
    world = played("a turn of the scope", starts=[FIRST], comes=[endless], visible=endless.visible)
    assert world.course is not None
    lines = world.course.shown()
    assert lines[-1].startswith("the whole: red\x1b[31m")
    assert max(len(line) for line in lines) < 700
