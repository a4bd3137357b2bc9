"""Engines that are wrong about fallbacks, or about runs without a session: what one sees of them, and what not."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.configuration import Binding
from tck_driver.engine import Engine
from tck_driver.stimuli import BindingChanged, SettingChanged
from tck_driver.views import SettingRow
from tck_driver.vocabulary import AdapterId, Phase
from tck_driver.witness import ForgeWrite
from tck_fakes.bench import FakeBench
from tck_fakes.database import ObservedDatabase
from tck_fakes.faults import (
    FaultyEngine,
    Kind,
    fallback_before_start,
    fallback_fresh_start,
    fallback_poisoned,
    fallback_reasons,
    fallback_refusals,
    fallback_shapes,
    fallback_silence,
    off_runs,
    off_scopes,
    off_setting,
)
from tck_fakes.faults.register import entered
from tck_fakes.in_process import InProcessEngine
from tck_fakes.stage import Stage
from tck_features.world import World
from tck_kit.catalogue import read_catalogue
from tck_simulator.store import Store

MODULES = (
    fallback_before_start,
    fallback_fresh_start,
    fallback_poisoned,
    fallback_reasons,
    fallback_refusals,
    fallback_shapes,
    fallback_silence,
    off_runs,
    off_scopes,
    off_setting,
)
MINE = {one.name: one for one in entered() if one.commit.__module__ in {module.__name__ for module in MODULES}}
ISSUE = "the issue"
MINUTE = 60_000

Make = Callable[..., World]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Gives a world with one issue, and a simulator with the faults named, or with none."""
    store = Store(f"sqlite:///{tmp_path / 'engine.sqlite'}")
    store.create()
    table = ObservedDatabase(store.url)
    ends: list[Callable[[], object]] = []

    def made(adapter: AdapterId, *wanted: str | None) -> World:
        names = [name for name in wanted if name is not None]
        place = tmp_path / f"{len(ends)}"
        place.mkdir()
        stage = Stage.at(place, 7, threading.RLock(), {})
        right = InProcessEngine(
            clock=stage.clock,
            runtime=stage.runtime,
            forge=stage.forge,
            models=stage.models,
            remover=stage.remover,
            store=store,
            version="0",
            hear=stage.forge.hear,
            next_end=stage.runtime.next_end,
        )
        engine: Engine = FaultyEngine(right, [MINE[name] for name in names]) if names else right
        world = World(engine, FakeBench(stage, place / "base", table), "7", store.url)
        world.add_party(ISSUE, world.add_project(adapter))
        ends.extend((engine.close, stage.close))
        return world

    yield made
    for end in ends:
        end()
    table.close()
    store.close()


def ran(world: World, *phases: Phase) -> World:
    for phase in phases:
        world.run(ISSUE, phase)
    return world


def reasons(world: World) -> list[str | None]:
    return [row.resume_fallback for row in world.runs_of()]


def set_resume(world: World, value: bool | str) -> str | None:  # noqa: FBT001 -- a setting's value is what it is about
    ref = world.ref(ISSUE)
    return world.send(SettingChanged("project", ref.organization, ref.project, "AGENT_SESSION_RESUME", value)).error


def comments(world: World) -> int:
    return sum(write.kind == "comment" for write in world.bench.witness.of(ForgeWrite))


def test_a_refusal_without_a_reason_is_followed_by_a_fresh_start_all_the_same(make: Make) -> None:
    world = ran(make(AdapterId.CODEX, "refusal-without-a-reason"), Phase.ANALYSIS)
    world.script(AdapterId.CODEX, "refuse")
    ran(world, Phase.DEVELOPMENT)

    assert reasons(world) == ["no_prior_session", None]
    assert [row.outcome for row in world.runs_of()] == ["succeeded", "succeeded"]
    assert len(world.starts_of(world.row())) == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [(None, "state_missing"), ("folders-count-as-state", "refused"), ("empty-state-asked", "refused")],
)
def test_a_directory_with_empty_folders_alone_is_asked_by_an_engine_that_does_not_look_well(
    make: Make, name: str | None, reason: str
) -> None:
    world = ran(make(AdapterId.CLAUDE_CODE, name), Phase.ANALYSIS)
    for path in world.state_dir().rglob("*.jsonl"):
        path.unlink()
    ran(world, Phase.DEVELOPMENT)

    assert reasons(world)[-1] == reason


@pytest.mark.parametrize(
    ("name", "starts"), [(None, 1), ("missing-state-tried", 2), ("missing-state-found-in-vain", 2)]
)
def test_state_that_is_known_to_be_missing_costs_one_start_too_many(make: Make, name: str | None, starts: int) -> None:
    world = ran(make(AdapterId.CODEX, name), Phase.ANALYSIS)
    for path in world.state_dir().rglob("*.jsonl"):
        path.unlink()
    ran(world, Phase.DEVELOPMENT)

    assert len(world.starts_of(world.row())) == starts


def test_the_second_refusal_of_an_issue_fails_its_run(make: Make) -> None:
    world = ran(make(AdapterId.COPILOT, "one-refusal-per-issue"), Phase.ANALYSIS)
    for phase in (Phase.DEVELOPMENT, Phase.CI_FIX):
        world.script(AdapterId.COPILOT, "refuse")
        ran(world, phase)

    assert [row.outcome for row in world.runs_of()] == ["succeeded", "succeeded", "failed"]


def test_what_a_fault_counts_begins_anew_with_each_engine(make: Make) -> None:
    for _ in range(2):
        world = ran(make(AdapterId.COPILOT, "one-refusal-per-issue"), Phase.ANALYSIS)
        world.script(AdapterId.COPILOT, "refuse")
        ran(world, Phase.DEVELOPMENT)
        outcome = world.row().outcome
        world.engine.close()

        assert outcome == "succeeded"


@pytest.mark.parametrize(
    ("name", "stops"),
    [(None, 30), ("time-left-rounded-up", 35), ("fresh-start-with-all-its-time", 50)],
)
def test_a_fresh_start_is_stopped_when_its_engine_thinks_that_the_time_is_up(
    make: Make, name: str | None, stops: int
) -> None:
    world = ran(make(AdapterId.CODEX, name), Phase.ANALYSIS)
    world.script(AdapterId.CODEX, Script("refuse", duration_ms=20 * MINUTE), "hang")
    ran(world, Phase.DEVELOPMENT)

    world.advance((stops - 1) * MINUTE)
    before = world.row().outcome
    world.advance(MINUTE)

    assert (before, world.runs_of()[1].outcome) == ("live", "timed_out")


def test_an_id_that_was_named_while_refusing_stands_on_the_row_until_there_is_a_better_one(make: Make) -> None:
    world = ran(make(AdapterId.CODEX, "decoy-noted"), Phase.ANALYSIS)
    world.script(AdapterId.CODEX, "refuse_decoy", "hang_early")
    ran(world, Phase.DEVELOPMENT)
    decoy = world.row().native_session_id
    world.bench.release()
    world.advance(MINUTE)
    refused, fresh = world.starts_of(world.row())

    assert refused.answer is not None
    assert fresh.answer is not None
    assert decoy in refused.answer.reported_ids
    assert world.row().native_session_id == fresh.answer.session_id


@pytest.mark.parametrize(
    ("name", "last"), [(None, None), ("given-up-after-two", "refused"), ("three-failures-of-any-session", None)]
)
def test_a_session_is_given_up_by_another_count(make: Make, name: str | None, last: str | None) -> None:
    world = ran(make(AdapterId.CODEX, name), Phase.ANALYSIS)
    world.script(AdapterId.CODEX, "rate_limited", "rate_limited")
    ran(world, Phase.DEVELOPMENT)
    world.advance(3 * MINUTE)

    assert len(world.runs_of()) == 4
    assert reasons(world)[-1] == last


@pytest.mark.parametrize(
    ("name", "said"), [(None, 2), ("comment-on-a-changed-adapter", 3), ("comment-on-missing-state", 2)]
)
def test_a_change_of_the_adapter_is_spoken_of_by_one_fault_alone(make: Make, name: str | None, said: int) -> None:
    world = ran(make(AdapterId.CODEX, name), Phase.ANALYSIS)
    ref = world.ref(ISSUE)
    world.send(BindingChanged(ref.organization, ref.project, Binding(AdapterId.COPILOT)))
    ran(world, Phase.ANSWER)

    assert reasons(world)[-1] == "adapter_changed"
    assert comments(world) == said


def test_turned_off_for_the_project_a_run_can_have_a_mount_and_nothing_else_of_a_session(make: Make) -> None:
    world = make(AdapterId.CLAUDE_CODE, "project-off-mounts")
    set_resume(world, value=False)
    ran(world, Phase.ANALYSIS)
    start = world.only_start(world.row())

    assert len(world.session_mounts(start)) == 1
    assert not any(word.startswith(("--name", "--session-id")) for word in start.cli.argv)
    assert (world.row().session_name, world.row().native_session_id, reasons(world)) == (None, None, [None])


@pytest.mark.parametrize(("name", "asks"), [(None, False), ("grok-resumes", True), ("review-resumes", False)])
def test_grok_is_asked_for_its_last_session_by_one_fault_alone(make: Make, name: str | None, asks: bool) -> None:  # noqa: FBT001 -- pytest passes by name
    world = ran(make(AdapterId.GROK_BUILD, name), Phase.ANALYSIS, Phase.ANALYSIS)

    assert ("--resume" in world.only_start(world.row()).cli.argv) is asks


@pytest.mark.parametrize(
    ("name", "refused", "stored"),
    [
        (None, True, False),
        ("any-word-is-true", False, True),
        ("refused-without-a-word", False, False),
        ("refused-and-removed", True, None),
    ],
)
def test_a_word_that_is_no_boolean_does_what_the_fault_says(
    make: Make,
    name: str | None,
    refused: bool,  # noqa: FBT001 -- pytest passes by name
    stored: bool | None,  # noqa: FBT001 -- the same
) -> None:
    world = make(AdapterId.CODEX, name)
    set_resume(world, value=False)
    error = set_resume(world, "off")
    rows = [row.value for row in world.view("settings", SettingRow)]

    assert (error is not None) is refused
    assert rows == ([] if stored is None else [stored])


def test_two_faults_are_committed_at_once_and_the_simulator_is_right_again_afterwards(make: Make) -> None:
    wrong = ran(make(AdapterId.CODEX, "any-word-is-true", "first-run-without-a-reason"), Phase.ANALYSIS)
    said, error = reasons(wrong), set_resume(wrong, "off")
    wrong.engine.close()
    right = ran(make(AdapterId.CODEX), Phase.ANALYSIS)

    assert (said, error) == ([None], None)
    assert reasons(right) == ["no_prior_session"]
    assert set_resume(right, "off") is not None


def test_every_requirement_of_these_areas_has_faults_and_an_agreed_one_has_them_of_two_kinds() -> None:
    requirements = read_catalogue(None, None, thorough=False, sentences=False).specification.requirements
    kinds: defaultdict[str, set[Kind]] = defaultdict(set)
    for one in MINE.values():
        kinds[one.requirement].add(one.kind)
    wanted = {
        one.id: 2 if one.status == "agreed" else 1 for one in requirements if one.id.startswith(("FALLBACK-", "OFF-"))
    }

    assert len(wanted) == 31
    assert [one for one, least in wanted.items() if len(kinds[one]) < least] == []
    assert sorted(set(kinds) - set(wanted)) == []
