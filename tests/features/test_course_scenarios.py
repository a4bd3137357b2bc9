"""The scenarios with courses: what each must notice whatever it is about, and that none says what nobody tests."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tests.features.played import Did, empty, say
from tests.features.test_course_rules import CASES

from tck_driver.courses import PROFILES, Come
from tck_driver.errors import UntestableError
from tck_features.checks import ExpectationFailedError
from tck_features.hygiene import check_hygiene
from tck_features.library import LIBRARY
from tck_kit import assets
from tck_kit.scenarios import Scenario, read_suite
from tck_spec import load

REQUIREMENTS = {one.id: one.profile for one in load(assets.specification_file()).requirements}


def scenarios() -> list[Scenario]:
    folder = assets.scenario_folder()
    known = {one.lower() for one in REQUIREMENTS}
    return [one for profile in PROFILES for one in read_suite(Path(folder) / profile, known).scenarios]


SCENARIOS = scenarios()


def fails(scenario: Scenario, every: Come, *starts: Did) -> bool:
    """Say whether a scenario fails where this is seen, and told of each act."""
    world = empty(starts=starts, every=every)
    try:
        say(world, *(f"{step.kind.capitalize()} {step.text}" for step in scenario.steps))
        check_hygiene(world)
    except (ExpectationFailedError, UntestableError):
        return True
    return not all(one.held for one in world.checks.expectations)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.id for one in SCENARIOS])
def test_an_engine_that_starts_nothing_fails_every_scenario(scenario: Scenario) -> None:
    assert fails(scenario, Come("done"))
    assert fails(scenario, Come("failed"))
    assert fails(scenario, Come("failed", "and says so"))
    assert fails(scenario, Come("not_reached"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.id for one in SCENARIOS])
def test_an_engine_that_starts_the_cli_once_and_calls_all_done_fails_every_scenario(scenario: Scenario) -> None:
    assert fails(scenario, Come("done"), Did(served="a"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.id for one in SCENARIOS])
def test_a_start_that_nobody_can_place_is_never_passed_over(scenario: Scenario) -> None:
    assert fails(scenario, Come("done"), Did(served="a"), Did("a", "a"), Did(scope=None))


def judged(text: str) -> tuple[str, tuple[str, ...]]:
    """Give the sentence that judges, and what it is said to be about, if anything."""
    text = re.sub(r"^nothing (more )?can be said unless ", "", text)
    found = re.fullmatch(r"as (\S+(?: and \S+)*) says?, (.+)", text)
    return (text, ()) if found is None else (found[2], tuple(found[1].split(" and ")))


JUDGEMENTS = [(one, *judged(step.text)) for one in SCENARIOS for step in one.steps if step.kind == "then"]


def test_what_a_sentence_is_said_to_be_about_is_a_requirement_of_its_scenario() -> None:
    said = [(one.id, about) for one, _, about in JUDGEMENTS if about and not set(about) <= set(one.requirements)]
    assert said == []
    assert any(about for _, _, about in JUDGEMENTS)


def test_every_requirement_of_the_annex_has_a_scenario_of_its_profile() -> None:
    told = {requirement for one in SCENARIOS for requirement in one.requirements}
    assert told == {one for one, profile in REQUIREMENTS.items() if profile in PROFILES}


def test_a_scenario_begins_with_the_profile_of_its_requirements() -> None:
    for one in SCENARIOS:
        (profile,) = {REQUIREMENTS[requirement] for requirement in one.requirements}
        assert one.steps[0].text == f"an engine that claims {profile}", one.id


def test_every_sentence_that_judges_is_tested_by_itself() -> None:
    judging = {LIBRARY.find("then", text).definition.source for _, text, _ in JUDGEMENTS}
    tested = {LIBRARY.find("then", case.sentence).definition.source for case in CASES}
    assert judging <= tested


def test_a_quick_run_has_three_courses_at_most_and_shows_most_of_continuity() -> None:
    quick = [one for one in SCENARIOS if "quick" in one.labels]
    shown = Counter(requirement for one in quick for requirement in one.requirements)

    assert 0 < len(quick) <= 3
    assert len(shown) >= 8
