"""What every scenario checks at its end catches engines that the scenario itself does not look at closely enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tck_fakes.runtime
from tck_driver.configuration import Binding
from tck_driver.stimuli import BindingChanged
from tck_driver.vocabulary import AdapterId, Phase
from tck_fakes.standins.programs import PROGRAMS
from tck_features.checks import ExpectationFailedError
from tck_features.hygiene import check_hygiene
from tck_features.world import World
from tck_kit.laboratory import Laboratory


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A project bound to codex, with one issue."""
    laboratory = Laboratory.in_process(tmp_path, 1, "0")
    made = laboratory.world("hygiene")
    made.add_party("the issue", made.add_project(AdapterId.CODEX))
    yield made
    laboratory.end(made)
    laboratory.close()


def test_an_engine_that_starts_another_cli_than_that_of_its_adapter_is_found_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tck_fakes.runtime, "PROGRAMS", {**PROGRAMS, "codex": PROGRAMS["claude"]})
    world.run("the issue", Phase.DEVELOPMENT)

    with pytest.raises(ExpectationFailedError, match="codex was due, and claude-code was started"):
        check_hygiene(world)


def test_without_labels_the_start_of_another_run_in_the_same_moment_is_not_held_against_this_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.run("the issue", Phase.DEVELOPMENT)
    (start,) = world.starts()
    container = replace(start.container, labels=())
    other = replace(start, cli=replace(start.cli, adapter="copilot"), container=container)
    monkeypatch.setattr(world, "starts_of", lambda _: [other, replace(start, container=container)])
    check_hygiene(world)

    monkeypatch.setattr(world, "starts_of", lambda _: [other])
    with pytest.raises(ExpectationFailedError, match="codex was due, and copilot was started"):
        check_hygiene(world)


def test_an_engine_that_uses_another_adapter_than_is_bound_is_found_out(world: World) -> None:
    world.open()
    ref = world.ref("the issue")
    # Past the world, which would take note of it: the engine changes its mind by itself.
    world.engine.send(BindingChanged(ref.organization, ref.project, Binding(AdapterId.COPILOT)))
    world.run("the issue", Phase.DEVELOPMENT)

    with pytest.raises(ExpectationFailedError, match="development is bound to codex, and was run by copilot"):
        check_hygiene(world)


def test_a_binding_that_a_scenario_changes_is_no_fault_of_the_engine(world: World) -> None:
    ref = world.ref("the issue")
    world.send(BindingChanged(ref.organization, ref.project, Binding(AdapterId.COPILOT)))
    world.run("the issue", Phase.DEVELOPMENT)

    check_hygiene(world)


def test_arguments_that_a_cli_refuses_are_told_beside_what_failed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tck_fakes.runtime, "PROGRAMS", {**PROGRAMS, "codex": PROGRAMS["claude"]})
    world.run("the issue", Phase.DEVELOPMENT)

    assert any("refused its arguments" in hint and "codex exec" in hint for hint in world.hints())
