"""The vocabulary: complete by the specification, made of values that nobody can change, and said in its words."""

from __future__ import annotations

import dataclasses
import inspect
from types import ModuleType, UnionType
from typing import Any, cast, get_args

import pytest

from tck_driver import bench, capabilities, configuration, courses, engine, stimuli, views, vocabulary, witness
from tck_driver.engine import Declaration
from tck_driver.errors import UnsupportedError, UntestableError
from tck_driver.vocabulary import (
    ISSUE_PHASES,
    AdapterId,
    Closing,
    FallbackReason,
    MergeRequestEvent,
    Phase,
    RunOutcome,
)


def classes(module: ModuleType) -> list[type[Any]]:
    """Give the dataclasses that a module defines."""
    found = (one for _, one in inspect.getmembers(module, inspect.isclass) if one.__module__ == module.__name__)
    return [one for one in found if dataclasses.is_dataclass(one)]


VALUES = [
    one
    for module in (bench, configuration, engine, stimuli, views, vocabulary, witness)
    for one in classes(module)
    if one is not witness.WitnessLog
]


@pytest.mark.parametrize("value", VALUES, ids=lambda one: one.__name__)
def test_every_value_is_frozen_has_slots_and_says_what_it_is(value: type[Any]) -> None:
    assert value.__dataclass_params__.frozen
    assert "__slots__" in vars(value)
    assert value.__doc__
    assert not value.__doc__.startswith(f"{value.__name__}(")  # the text that a dataclass makes of itself


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (  # §1.2
            Phase,
            "analysis development ci_fix review_fix conflict_resolution answer human_review",
        ),
        (AdapterId, "claude-code codex opencode copilot grok-build api"),  # §16.5.1, §16.1
        (  # FALLBACK-1
            FallbackReason,
            "no_prior_session adapter_changed state_missing unsupported_version refused",
        ),
        (RunOutcome, "queued live succeeded failed timed_out cancelled abandoned"),  # §13.4
        (MergeRequestEvent, "ci_failed review conflict"),  # §11.1
        (Closing, "merged unassigned unmerged"),  # §7.2
    ],
    ids=lambda one: one.__name__ if inspect.isclass(one) else "",
)
def test_a_closed_set_has_the_specifications_words_in_its_order(
    words: type[Phase | AdapterId | FallbackReason | RunOutcome | MergeRequestEvent | Closing], values: str
) -> None:
    assert [str(word) for word in words] == values.split()
    assert all(f"{word}" == word for word in words)


def test_six_phases_are_an_issues_and_one_is_a_merge_requests() -> None:
    assert set(Phase) - set(ISSUE_PHASES) == {Phase.HUMAN_REVIEW}
    assert len(ISSUE_PHASES) == 6


@pytest.mark.parametrize(
    ("module", "union", "beside"),
    [
        (stimuli, stimuli.Stimulus, {stimuli.StimulusResult}),
        (views, views.Row, set[type[Any]]()),
        (witness, witness.Record, {witness.Mount, witness.WitnessLog}),
    ],
)
def test_a_closed_union_has_every_class_of_its_module(
    module: ModuleType, union: UnionType, beside: set[type[Any]]
) -> None:
    assert set(get_args(union)) == set(classes(module)) - beside


def test_there_is_a_row_for_every_view() -> None:
    assert len(get_args(views.ViewName)) == len(get_args(views.Row))


def test_a_capability_is_asked_for_every_adapter_every_view_and_every_stimulus() -> None:
    asked = set(capabilities.CAPABILITIES)
    assert {f"adapter.{adapter}" for adapter in AdapterId} <= asked
    assert {f"view.{view}" for view in get_args(views.ViewName)} <= asked
    assert {f"stimulus.{name}" for name in stimuli.STIMULUS_TYPES} <= asked
    assert len(asked) == len(capabilities.CAPABILITIES)


def test_of_courses_a_profile_and_an_act_are_asked_one_by_one_and_nothing_twice() -> None:
    asked = capabilities.ASKED
    assert {f"profile.{name}" for name in courses.PROFILES} <= set(asked)
    assert {f"act.{name}" for name in courses.ACT_TYPES} - set(asked) == {"act.turn"}
    assert len(set(asked)) == len(asked)


def test_every_act_has_its_type() -> None:
    assert set(courses.ACT_TYPES.values()) == set(get_args(courses.Act))


def test_every_stimulus_and_every_view_has_its_type() -> None:
    assert set(stimuli.STIMULUS_TYPES.values()) == set(get_args(stimuli.Stimulus))
    assert set(views.ROW_TYPES) == set(get_args(views.ViewName))
    assert set(views.ROW_TYPES.values()) == set(get_args(views.Row))


SUPPORT = {
    "sessions": "unsupported",
    "view.details": "unsupported",
    "adapter.codex": "supported",
    # Of courses, what is left out is declined.
    "profile.reuse": "supported",
    "act.restart": "unsupported",
}


@pytest.mark.parametrize(
    ("capability", "raised"),
    [
        ("adapter.codex", None),
        ("sessions", UnsupportedError),
        ("view.details", UntestableError),
        ("adapter.copilot", UntestableError),
        ("view.sessions", UntestableError),
        ("profile.reuse", None),
        ("profile.continuity", UnsupportedError),
        ("act.restart", UnsupportedError),
    ],
)
def test_a_declined_feature_or_course_is_unsupported_and_all_else_that_is_not_declared_as_supported_is_untestable(
    capability: str, raised: type[Exception] | None
) -> None:
    declaration = Declaration("e", "1", "Go", capabilities=cast("dict[str, capabilities.Support]", SUPPORT))
    if raised is None:
        capabilities.require(declaration, capability)
        return
    with pytest.raises(raised, match=capability):
        capabilities.require(declaration, capability)
