"""A course behind a driver, as steps hold it: what is asked, what is refused, and whose fault what is wrong is."""

from __future__ import annotations

from typing import Any

import pytest

from tck_driver.capabilities import ASKED
from tck_driver.courses import COURSE_FEATURES, Come, Course, Moved, Played, Policy, Restart, Start, Turn
from tck_driver.errors import (
    DriverError,
    EngineError,
    FalseAdvertisingError,
    KitError,
    UnsupportedError,
    UntestableError,
)
from tck_driver.messages import Json

from .scripted import Scene

POLICY = Policy(("issue",), "assigned", "init", "adopt", "fail", "full", "on", "RESUME")
DECLARED = {"adapter.codex": "supported", "profile.continuity": "supported", "act.restart": "supported"}
COURSE = Course((Turn("a", (Start(), Start("unsaved"))), Restart(), Turn("a")))
ROLE: Json = {"scope": "a", "adapter": "codex", "prompt": "for a", "full": "the task", "answers": ["Done."]}
PLAYED: Json = {"acts": [{"outcome": "done"}, {"outcome": "done"}, {"outcome": "failed", "visible": "in red"}]}


def cast_of(**other: Any) -> Json:  # noqa: ANN401 -- whatever a role has
    return {"cast": {"roles": [{**ROLE, **other}]}}


@pytest.fixture
def scene() -> Scene:
    made = Scene(DECLARED, "wall", POLICY)
    made.answers("course/cast", cast_of())
    made.answers("course/play", PLAYED)
    return made


def test_a_course_is_sent_whole_and_played_by_one_request(scene: Scene) -> None:
    scene.engine.cast(COURSE)
    played = scene.engine.play()
    scene.engine.close()

    assert scene.asked == ["course/cast", "course/play", "scenario/close"]
    _, params = scene.log[0]
    assert params == {
        "ref": "0001",
        "workdir": "/scenes/0001",
        "endpoints": dict(scene.around.endpoints()),
        "course": {
            "acts": [
                {
                    "act": "turn",
                    "scope": "a",
                    "starts": [{"shape": "ok", "invalid": False}, {"shape": "unsaved", "invalid": False}],
                    "hook_fails": False,
                    "killed": False,
                },
                {"act": "restart"},
                {
                    "act": "turn",
                    "scope": "a",
                    "starts": [{"shape": "ok", "invalid": False}],
                    "hook_fails": False,
                    "killed": False,
                },
            ]
        },
    }
    assert played == Played((Come("done"), Come("done"), Come("failed", "in red")))


def test_an_engine_without_a_policy_is_never_cast() -> None:
    scene = Scene()
    with pytest.raises(UnsupportedError, match="course/cast"):
        scene.engine.cast(COURSE)
    assert scene.log == []


def test_what_an_engine_of_mailboxes_says_of_courses_is_of_no_account() -> None:
    scene = Scene(dict.fromkeys(ASKED, "supported"))
    assert not set(COURSE_FEATURES) & set(scene.connection.declaration.capabilities)
    assert len(scene.connection.declaration.capabilities) == len(ASKED) - len(COURSE_FEATURES)


@pytest.mark.parametrize(
    ("course", "needs"),
    [
        (Course((Turn("a"), Turn("b"))), "act.second_scope"),
        (Course((Turn("a"), Moved("a"))), "act.moved"),
        (Course((Turn("a", (Start("hang"),), killed=True),)), "act.killed"),
        (Course((Turn("a", (Start(invalid=True),)),)), "act.invalid"),
        (Course((Turn("a", hook_fails=True),)), "act.hook"),
    ],
)
def test_what_an_engine_does_not_claim_is_never_played(scene: Scene, course: Course, needs: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"^{needs} "):
        scene.engine.cast(course)
    scene.engine.close()
    assert scene.log == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (cast_of(scope=""), "the driver's cast cannot be played: it has no role for the scope 'a'"),
        (cast_of(prompt="["), "the driver's cast cannot be played: roles[0].prompt is no regular expression: "),
        (cast_of(adapter="copilot"), "the driver casts copilot, and does not declare adapter.copilot as supported"),
        (cast_of(answers=[]), "the answer to course/cast does not fit its schema: [] should be non-empty"),
        ({"cast": {}}, "the answer to course/cast does not fit its schema: 'roles' is a required property"),
    ],
)
def test_a_cast_that_cannot_be_played_is_the_drivers_fault(scene: Scene, answer: Json, said: str) -> None:
    scene.answers("course/cast", answer)
    with pytest.raises(DriverError) as caught:
        scene.engine.cast(COURSE)
    assert str(caught.value).startswith(said)


def test_an_act_too_many_or_too_few_is_the_drivers_fault(scene: Scene) -> None:
    scene.engine.cast(COURSE)
    told: list[Json] = PLAYED["acts"]
    for acts in (told[:2], told * 2, told[:0]):
        scene.answers("course/play", {"acts": acts})
        with pytest.raises(DriverError, match=rf"^the course has 3 acts, and the driver says of {len(acts)} "):
            scene.engine.play()


def test_a_hook_that_was_to_fail_and_did_not_is_the_drivers_fault() -> None:
    scene = Scene({**DECLARED, "act.hook": "supported"}, "wall", POLICY)
    scene.answers("course/cast", cast_of())
    scene.engine.cast(Course((Turn("a", hook_fails=True),)))
    scene.answers("course/play", {"acts": [{"outcome": "done"}]})
    with pytest.raises(DriverError, match=r"act 1 .*: the hook did not fail"):
        scene.engine.play()
    scene.answers("course/play", {"acts": [{"outcome": "failed"}]})
    assert scene.engine.play() == Played((Come("failed"),))


@pytest.mark.parametrize("place", ["act", "whole"])
def test_what_is_shown_has_a_bound_and_the_error_about_it_too(scene: Scene, place: str) -> None:
    scene.engine.cast(COURSE)
    endless = "\x1b[31mred" * 1_000_000
    told = PLAYED if place == "act" else {**PLAYED, "visible": endless}
    acts = [*PLAYED["acts"][:2], {"outcome": "failed", "visible": endless if place == "act" else ""}]
    scene.answers("course/play", {**told, "acts": acts})
    with pytest.raises(DriverError, match="does not fit its schema: ") as caught:
        scene.engine.play()
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("error", "raised", "said"),
    [
        ({"code": -32002, "message": "it died"}, EngineError, "it died"),
        ({"code": -32603, "message": "a bug"}, DriverError, "the driver answered course/play with error -32603: a bug"),
        (
            {"code": -32001, "message": "no", "data": {"capability": "act.restart"}},
            FalseAdvertisingError,
            "act.restart is declared as supported, and course/play refused it: no",
        ),
        (
            {"code": -32001, "message": "no", "data": {"capability": "act.moved"}},
            UntestableError,
            "course/play was refused for want of act.moved: no",
        ),
    ],
)
def test_whose_fault_it_is_where_a_course_comes_to_nothing(
    scene: Scene, error: Json, raised: type[Exception], said: str
) -> None:
    scene.engine.cast(COURSE)
    scene.answers("course/play", {"error": error})
    with pytest.raises(raised) as caught:
        scene.engine.play()
    assert type(caught.value) is raised
    assert str(caught.value) == said


def test_what_goes_wrong_among_the_stand_ins_of_a_course_is_the_kits_fault(scene: Scene) -> None:
    scene.engine.cast(COURSE)
    scene.around.fault = "claude --worktree is not in the stand-in"
    with pytest.raises(KitError, match="--worktree"):
        scene.engine.play()
