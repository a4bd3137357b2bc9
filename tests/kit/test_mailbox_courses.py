"""A course for an engine of mailboxes: what it is translated to, and what such an engine has nothing of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tck_driver.engine import Declaration
from tck_driver.errors import UnsupportedError, UntestableError
from tck_driver.vocabulary import AdapterId
from tck_features.courses import course_of
from tck_features.library import LIBRARY
from tck_features.world import World
from tck_kit.laboratory import Laboratory


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """The simulator with its mailboxes, of which continuity is asked."""
    laboratory = Laboratory.in_process(tmp_path, 1, "0")
    made = laboratory.world("courses")
    yield made
    laboratory.end(made)
    laboratory.close()


def play(world: World, *givens: str) -> None:
    for given in ("an engine that claims continuity", *givens):
        LIBRARY.find("given", given)(world)
    LIBRARY.find("when", "the course is played")(world)


def without(world: World, monkeypatch: pytest.MonkeyPatch, *capabilities: str) -> None:
    """Let the engine decline some capabilities."""
    real: Callable[..., Declaration] = world.engine.declare

    def declare(asked: object) -> Declaration:
        said = real(asked)
        return replace(said, capabilities={**said.capabilities, **dict.fromkeys(capabilities, "unsupported")})

    monkeypatch.setattr(world.engine, "declare", declare)


def test_a_scope_is_an_issue_and_a_turn_is_a_run(world: World) -> None:
    play(world, "a turn of the scope", "a turn of the other scope", "a turn of the scope")
    playing = course_of(world)

    assert [len(world.runs_of(name)) for name in playing.names.values()] == [2, 1]
    assert [start.cli.asked_id is None for start in playing.seen] == [True, True, False]
    assert [outcome for _, outcome, _ in playing.came()] == ["done", "done", "done"]
    assert all(start.full for start in playing.seen)


def test_a_run_that_failed_is_a_turn_that_failed_and_shows_it(world: World) -> None:
    play(world, "a turn of the scope in which the CLI gets a server error")

    ((_, outcome, visible),) = course_of(world).came()
    assert (outcome, visible.endswith("is recorded as failed")) == ("failed", True)


def test_another_provider_is_another_adapter_of_the_same_project(world: World) -> None:
    change = "from then on the scope is served by another provider's CLI"
    play(world, "a turn of the scope", change, "a turn of the scope", change, "a turn of the scope")

    adapters = [start.cli.adapter for start in course_of(world).seen]
    assert adapters[0] != adapters[1] != adapters[2]


@pytest.mark.parametrize(
    "given",
    [
        "a turn of the scope after which the hook fails",
        "a turn of the scope in which the engine is killed",
        "a turn of the scope in which the answer has the wrong form",
        "from then on the scope is worked on in another directory",
        "from then on the help of the CLI offers no resuming",
        "a new session of the tracker on the scope",
        "taking up earlier sessions is turned on",
    ],
)
def test_what_an_engine_of_mailboxes_has_nothing_of_is_unsupported_and_nothing_happens(
    world: World, given: str
) -> None:
    with pytest.raises(UnsupportedError, match=r"act\."):
        play(world, "a turn of the scope", given)
    assert not world.opened


def test_an_engine_without_sessions_claims_no_continuity(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    without(world, monkeypatch, "sessions")
    with pytest.raises(UnsupportedError, match="sessions"):
        play(world, "a turn of the scope")


def test_the_first_adapter_that_can_behave_in_every_way_is_taken(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    without(world, monkeypatch, "adapter.claude-code")
    play(world, "a turn of the scope")

    assert [start.cli.adapter for start in course_of(world).seen] == [AdapterId.CODEX]


def test_an_engine_with_neither_of_them_is_not_held_against_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    without(world, monkeypatch, "adapter.claude-code", "adapter.codex")
    with pytest.raises(UnsupportedError, match=r"adapter\."):
        play(world, "a turn of the scope")


def test_a_start_that_no_run_can_have_made_is_nobodys(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "starts_of", lambda _: [])
    with pytest.raises(UntestableError, match="nobody can say which scope"):
        play(world, "a turn of the scope")
