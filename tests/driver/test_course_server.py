"""An engine that plays courses, behind a driver in a process of its own: over standard streams and over HTTP alike."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver import schemas
from tck_driver.capabilities import ASKED
from tck_driver.connection import About, Connection
from tck_driver.course_messages import course_fields
from tck_driver.course_server import CourseServer
from tck_driver.courses import Course, NewSession, Restart, Start, Turn
from tck_driver.errors import (
    DriverError,
    DriverIncompatibleError,
    DriverTimeoutError,
    EngineError,
    FalseAdvertisingError,
    UnsupportedError,
)
from tck_driver.http import HttpTransport
from tck_driver.messages import Json
from tck_driver.process import Command
from tck_driver.remote import RemoteEngine
from tck_driver.stdio import StdioTransport

from .course_engine import BROKEN, CAPABILITIES, POLICY, SHORT, UNKNOWN, CourseTalker
from .scripted import Around

PROGRAM = Path(__file__).parent / "course_engine.py"
ABOUT = About("0", "small", "1", "d")
Way = Literal["stdio", "http"]
TWO_TURNS = Course((Turn("a"), Restart(), Turn("b", (Start("unsaved"), Start()))))


@contextmanager
def connection(way: Way, *words: str) -> Generator[Connection]:
    """Start the driver, and end it in any case."""
    program = (sys.executable, "-m", "tests.driver.course_engine", *words)
    root = str(PROGRAM.parents[2])
    if way == "stdio":
        talk = Connection(StdioTransport(Command(program, root)))
        try:
            yield talk
        finally:
            talk.kill()
        return
    with subprocess.Popen((*program, "http"), cwd=root, stdout=subprocess.PIPE) as process:
        url = process.stdout.readline().decode().strip() if process.stdout else ""
        talk = Connection(HttpTransport(url))
        try:
            yield talk
        finally:
            talk.kill()
            process.kill()


@contextmanager
def engine(way: Way, folder: Path, *words: str) -> Generator[RemoteEngine]:
    """Give the engine of a scenario in this folder."""
    with connection(way, *words) as talk:
        talk.initialize(ABOUT, ASKED, str(folder))
        yield RemoteEngine(talk, Around([]), "0001", str(folder))


@pytest.fixture(params=["stdio", "http"])
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


def test_a_policy_and_what_is_claimed_of_courses_are_declared(way: Way, tmp_path: Path) -> None:
    with engine(way, tmp_path) as one:
        said = one.declare(ASKED)
    assert said.policy == POLICY
    assert said.capabilities == dict.fromkeys(CAPABILITIES, "supported")


def test_a_course_is_cast_played_and_closed(way: Way, tmp_path: Path) -> None:
    with engine(way, tmp_path) as one:
        roles = one.cast(TWO_TURNS)
        played = one.play()
        leaks = one.close()
    assert [(role.scope, role.prompt, role.answers, role.invalid) for role in roles.roles] == [
        ("a", "for a", ("Done.",), ""),
        ("b", "for b", ("Done.",), ""),
    ]
    assert [come.outcome for come in played.acts] == ["done"] * 3
    assert played.visible.startswith("process ")
    assert leaks.runs == ("a child",)


def test_a_course_is_begun_anew_in_the_same_driver(way: Way, tmp_path: Path) -> None:
    with engine(way, tmp_path) as one:
        first, again = [(one.cast(TWO_TURNS), one.play(), one.close()) for _ in range(2)]
    assert first == again


def test_a_course_that_needs_what_is_not_claimed_is_unsupported_and_never_sent(tmp_path: Path) -> None:
    with engine("stdio", tmp_path) as one:
        with pytest.raises(UnsupportedError, match=r"^act\.new_session "):
            one.cast(Course((Turn("a"), NewSession("a"), Turn("a"))))
        assert one.close().runs == ()


def test_what_is_claimed_and_then_refused_is_false_advertising(way: Way, tmp_path: Path) -> None:
    with engine(way, tmp_path) as one, pytest.raises(FalseAdvertisingError, match=r"^act\.second_scope is declared"):
        one.cast(Course((Turn("a"), Turn(UNKNOWN))))


def test_an_engine_that_breaks_off_in_its_course_has_failed(way: Way, tmp_path: Path) -> None:
    with engine(way, tmp_path) as one:
        one.cast(Course((Turn(BROKEN),)))
        with pytest.raises(EngineError, match=r"^it broke off$"):
            one.play()


def test_a_driver_that_leaves_out_what_became_of_an_act_is_at_fault(way: Way, tmp_path: Path) -> None:
    with engine(way, tmp_path) as one:
        one.cast(Course((Turn(SHORT), Turn(SHORT))))
        with pytest.raises(DriverError, match="the course has 2 acts, and the driver says of 1"):
            one.play()


def test_a_course_is_played_only_once_it_was_cast(way: Way, tmp_path: Path) -> None:
    with connection(way) as talk:
        talk.initialize(ABOUT, ASKED, str(tmp_path))
        with pytest.raises(DriverError, match="course/cast comes first"):
            talk.request("course/play")


def test_a_scenario_that_never_began_is_closed_without_a_word_to_the_engine(way: Way, tmp_path: Path) -> None:
    with connection(way) as talk:
        talk.initialize(ABOUT, ASKED, str(tmp_path))
        assert talk.request("scenario/close") == {"leaks": []}


def test_an_engine_that_the_driver_was_not_written_for_is_told_apart_from_a_broken_driver(
    way: Way, tmp_path: Path
) -> None:
    with connection(way, "moved") as talk, pytest.raises(DriverIncompatibleError) as caught:
        talk.initialize(ABOUT, ASKED, str(tmp_path))
    assert str(caught.value).splitlines()[0].endswith("incompatible: there is no runner.start in 2.0.0")


def test_an_engine_of_mailboxes_is_no_method_of_it(way: Way, tmp_path: Path) -> None:
    with connection(way) as talk:
        talk.initialize(ABOUT, ASKED, str(tmp_path))
        with pytest.raises(DriverError, match="there is no method engine/kill"):
            talk.request("engine/kill")


def test_a_course_without_end_is_ended_by_its_deadline(tmp_path: Path) -> None:
    with connection("stdio", "hangs") as talk:
        talk.initialize(ABOUT, ASKED, str(tmp_path))
        one = RemoteEngine(talk, Around([]), "0001", str(tmp_path))
        one.cast(TWO_TURNS)
        # Nobody is to wait for four minutes.
        talk.timeout_scale = 0.001
        with pytest.raises(DriverTimeoutError, match=r"^course/play: "):
            one.play()


# In any order

CAST: Json = {"ref": "1", "workdir": "/w", "endpoints": {"path": "/b", "forge": "http://f", "model": "http://m"}}
ASKED_OF_IT: Mapping[str, Json] = {
    "initialize": {
        "protocol": 1,
        "kit": {"name": "k", "version": "1"},
        "spec": {"id": "s", "version": "1", "digest": "00"},
        "capabilities": [*ASKED],
        "directory": "/d",
    },
    "course/cast": CAST | {"course": course_fields(TWO_TURNS)},
    "course/play": {},
    "scenario/close": {},
}


def _said(server: CourseServer, method: str) -> str:
    """Ask, and say in a word what was answered."""
    request = {"jsonrpc": "2.0", "id": method, "method": method, "params": ASKED_OF_IT[method]}
    answer = json.loads(server.handle(json.dumps(request).encode()) or b"")
    assert answer["id"] == method
    if "error" in answer:
        return str(answer["error"]["code"])
    schemas.check_result(method, ASKED_OF_IT[method], answer["result"])
    return "a leak" if answer["result"].get("leaks") else "ok"


@given(st.lists(st.sampled_from([*ASKED_OF_IT]), max_size=12))
def test_in_whatever_order_it_is_asked_a_course_is_played_once_for_each_cast_and_closed_once(asked: list[str]) -> None:
    server = CourseServer(CourseTalker, "a talker's driver", "0.1")
    known = begun = to_play = False
    for method in asked:
        said = _said(server, method)
        if method == "initialize":
            known, begun, to_play = True, False, False
            assert said == "ok"
        elif not known:
            assert said == "-32600"
        elif method == "course/cast":
            begun = to_play = True
            assert said == "ok"
        elif method == "course/play":
            assert said == ("ok" if to_play else "-32600")
            to_play = False
        else:
            assert said == ("a leak" if begun else "ok")
            begun = to_play = False


@given(st.binary(max_size=200))
def test_whatever_is_said_to_it_is_answered_by_one_message_or_by_none(said: bytes) -> None:
    answer = CourseServer(CourseTalker, "a talker's driver", "0.1").handle(said)
    assert answer is None or {"jsonrpc", "id", "error"} == set(json.loads(answer))
