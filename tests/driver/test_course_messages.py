"""Courses, casts and policies come back over the wire as they went, and a cast that cannot be played is told apart."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Literal, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver import patterns, schemas
from tck_driver.bench import Shape
from tck_driver.course_messages import (
    cast_fields,
    course_fields,
    misfits,
    played_fields,
    policy_fields,
    read_cast,
    read_course,
    read_played,
    read_policy,
    untrue,
)
from tck_driver.courses import (
    ACT_TYPES,
    COURSE_FEATURES,
    Act,
    Cast,
    Come,
    Course,
    Moved,
    NewSession,
    OtherProvider,
    Played,
    Policy,
    Restart,
    Role,
    SessionRemoved,
    Start,
    Switch,
    TakingUp,
    Turn,
    Unadvertised,
    capabilities_of,
)
from tck_driver.messages import Json
from tck_driver.vocabulary import AdapterId

TEXTS = st.text(max_size=30)
SCOPES = st.sampled_from(["a", "b", "the third"])
STARTS = st.builds(Start, st.sampled_from(get_args(Shape)), st.booleans())
TURNS = st.builds(Turn, SCOPES, st.lists(STARTS, max_size=3).map(tuple), st.booleans(), st.booleans())
#: What each field of an act that is no turn can hold.
OF_AN_ACT = {"scope": SCOPES, "on": st.booleans()}
ACTS = st.one_of(
    TURNS,
    *(
        st.builds(kind, **{one.name: OF_AN_ACT[one.name] for one in fields(kind)})
        for kind in ACT_TYPES.values()
        if kind is not Turn
    ),
)
COURSES = st.lists(ACTS, min_size=1, max_size=6).map(tuple).map(Course)
ROLES = st.builds(
    Role,
    SCOPES | st.just(""),
    st.sampled_from(AdapterId),
    TEXTS,
    TEXTS,
    st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
    TEXTS,
)
CASTS = st.lists(ROLES, min_size=1, max_size=3).map(tuple).map(Cast)
COMES = st.builds(Come, st.sampled_from(get_args(get_type_hints(Come)["outcome"])), TEXTS)
PLAYED = st.builds(Played, st.lists(COMES, max_size=4).map(tuple), TEXTS)
_WORDS = {name: get_args(kind) for name, kind in get_type_hints(Policy).items()}
POLICIES = st.builds(
    Policy,
    scope=st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=3).map(tuple),
    switch=TEXTS,
    **{name: st.sampled_from(words) for name, words in _WORDS.items() if name not in {"scope", "switch"}},
)
ENDPOINTS = {"path": "/bin", "forge": "http://127.0.0.1:1", "model": "http://127.0.0.1:1"}


def over_the_wire(message: Json) -> Json:
    said: Json = json.loads(json.dumps(message))
    return said


@given(COURSES)
def test_a_course_comes_back_as_it_went_and_fits_its_schema(course: Course) -> None:
    said = over_the_wire(course_fields(course))
    schemas.check_params("course/cast", {"ref": "1", "workdir": "/w", "endpoints": ENDPOINTS, "course": said})
    assert read_course(said) == course


@given(CASTS)
def test_a_cast_comes_back_as_it_went_and_fits_its_schema(roles: Cast) -> None:
    said = over_the_wire(cast_fields(roles))
    schemas.check_result("course/cast", {}, {"cast": said})
    assert read_cast(said) == roles


@given(PLAYED)
def test_what_became_of_a_course_comes_back_as_it_went_and_fits_its_schema(played: Played) -> None:
    said = over_the_wire(played_fields(played))
    schemas.check_result("course/play", {}, said)
    assert read_played(said) == played


@given(POLICIES)
def test_a_policy_comes_back_as_it_went(policy: Policy) -> None:
    assert read_policy(over_the_wire(policy_fields(policy))) == policy


def test_what_may_be_left_out_of_an_answer_is_empty() -> None:
    role = {"scope": "a", "adapter": "codex", "prompt": "p", "full": "f", "answers": ["x"]}
    assert read_cast({"roles": [role]}) == Cast((Role("a", AdapterId.CODEX, "p", "f", ("x",)),))
    assert read_played({"acts": [{"outcome": "done"}]}) == Played((Come("done"),))
    policy = policy_fields(Policy(("issue",), "assigned", "hook", "adopt", "fail", "full", "on"))
    del policy["switch"]
    assert read_policy(policy).switch == ""


def role(scope: str = "a", *, prompt: str = "p", full: str = "f", invalid: str = "") -> Role:
    return Role(scope, AdapterId.CODEX, prompt, full, ("x",), invalid)


ONE_TURN = Course((Turn("a"),))


@pytest.mark.parametrize(
    ("roles", "course", "wrong"),
    [
        ((role(),), ONE_TURN, []),
        ((role(), role("")), ONE_TURN, []),
        ((role(""),), ONE_TURN, ["it has no role for the scope 'a'"]),
        ((role(),), Course((Turn("a"), Restart(), Turn("b"))), ["it has no role for the scope 'b'"]),
        ((role(), role("b")), ONE_TURN, ["roles[1] is for the scope 'b', which has no turn"]),
        (
            (role(prompt="("), role(full="*")),
            ONE_TURN,
            [
                "roles[0].prompt is no regular expression: missing ), unterminated subpattern at position 0",
                "roles[1].full is no regular expression: nothing to repeat at position 0",
            ],
        ),
        (
            (role(prompt=""), role(full="x*"), role("", full="")),
            ONE_TURN,
            [
                "roles[0].prompt is found even in an empty text, and so in any",
                "roles[1].full is found even in an empty text, and so in any",
            ],
        ),
        ((role(), role("", prompt="^")), ONE_TURN, ["roles[1].prompt is found even in an empty text, and so in any"]),
        (
            (role(), Role("a", AdapterId.CODEX, "p", "f", ())),
            ONE_TURN,
            ["roles[1] has no answers; one is the least"],
        ),
        (
            (role(prompt="a{99999999999}"),),
            ONE_TURN,
            ["roles[0].prompt is no regular expression: the repetition number is too large"],
        ),
        (
            (role(invalid="{"), role()),
            Course((Turn("a", (Start(), Start(invalid=True))),)),
            ["roles[1] has no answer of the wrong form, which its scope is to give"],
        ),
        ((role(), role("b", invalid="{")), Course((Turn("a"), Turn("b", (Start(invalid=True),)))), []),
    ],
)
def test_a_cast_is_held_against_its_course(roles: tuple[Role, ...], course: Course, wrong: list[str]) -> None:
    assert list(misfits(Cast(roles), course)) == wrong


def test_an_expression_that_goes_astray_in_an_empty_text_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.5)
    endless = role(full="(?:|^)" * 60 + "(?!)")
    assert list(misfits(Cast((endless,)), ONE_TURN)) == [
        "roles[0].full cannot be searched for: it was not done with a text after 0.5 s"
    ]


@pytest.mark.parametrize(
    ("outcomes", "wrong"),
    [
        (("done", "failed"), []),
        (("failed", "not_reached"), []),
        (("done", "done"), ["act 2 is told as done, a turn whose hook was to fail: the hook did not fail"]),
    ],
)
def test_a_turn_whose_hook_was_to_fail_cannot_have_gone_well(
    outcomes: tuple[Literal["done", "failed", "not_reached"], ...], wrong: list[str]
) -> None:
    course = Course((Turn("a"), Turn("a", hook_fails=True)))
    assert list(untrue(Played(tuple(Come(one) for one in outcomes)), course)) == wrong


@given(COURSES)
def test_whatever_a_course_needs_is_something_that_an_engine_is_asked_about(course: Course) -> None:
    assert set(capabilities_of(course)) <= set(COURSE_FEATURES)


@given(COURSES, ACTS)
def test_a_longer_course_needs_no_less(course: Course, act: Act) -> None:
    assert set(capabilities_of(course)) <= set(capabilities_of(Course((*course.acts, act))))


@pytest.mark.parametrize(
    ("course", "needed"),
    [
        (ONE_TURN, ()),
        (Course((Turn("a"), Turn("a"))), ()),
        (Course((Turn("a"), Turn("b"))), ("act.second_scope",)),
        (Course((Turn("a", hook_fails=True),)), ("act.hook",)),
        (Course((Turn("a", killed=True),)), ("act.killed",)),
        (Course((Turn("a", (Start(), Start(invalid=True))),)), ("act.invalid",)),
        (Course((Switch(on=False),)), ("act.switch",)),
        (Course((Moved("a"), OtherProvider("a"), Moved("a"))), ("act.moved", "act.other_provider")),
        (Course((SessionRemoved("a"), NewSession("a"))), ("act.session_removed", "act.new_session")),
        (Course((NewSession("a"), SessionRemoved("b"))), ("act.new_session", "act.session_removed")),
        (
            Course((NewSession("a"), SessionRemoved("a"))),
            ("act.new_session", "act.one_session_removed", "act.session_removed"),
        ),
        (Course((TakingUp(on=True), Restart(), Unadvertised())), ("act.taking_up", "act.restart", "act.unadvertised")),
    ],
)
def test_a_course_needs_what_its_acts_need(course: Course, needed: tuple[str, ...]) -> None:
    assert capabilities_of(course) == needed
