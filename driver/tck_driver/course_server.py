"""The other end of the protocol for an engine that plays courses: puts a driver written in Python behind it.

`serve_stdio` and `serve_http` of `tck_driver.server` carry its messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from tck_driver.answering import Method, RequestError, answer, introduction
from tck_driver.connection import INVALID_REQUEST
from tck_driver.course_messages import cast_fields, played_fields, read_course
from tck_driver.courses import Cast, Course, Played
from tck_driver.engine import Declaration, Leaks
from tck_driver.messages import Json


class CourseEngine(Protocol):
    """An engine that plays courses, as its driver holds it.

    Any call may raise `UnsupportedError` and `EngineError`; `declare` raises `DriverIncompatibleError` where the engine
    is not the one that the driver was written for, saying what is missing or has moved. Whatever else is raised is the
    driver's own fault.
    """

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Say who it is, by which policy it resumes, and which of these capabilities it supports."""
        ...

    def prepare(self, workdir: str, endpoints: Mapping[str, str]) -> None:
        """Take in the scenario's folder and where its stand-ins are, before `cast`."""
        ...

    def cast(self, course: Course) -> Cast:
        """Begin with an empty engine that is to play this course, and say whose starts of a CLI will come."""
        ...

    def play(self) -> Played:
        """Play the course to its end, and say what came of each act."""
        ...

    def close(self) -> Leaks:
        """End the scenario; nothing of it is left running."""
        ...


class CourseServer:
    """Answers messages for one engine, which `make` makes in the folder that the kit gives."""

    def __init__(self, make: Callable[[str], CourseEngine], name: str, version: str) -> None:
        """Prepare; `name` and `version` are the driver's."""
        self._make = make
        self._who = {"name": name, "version": version}
        self._engine: CourseEngine | None = None
        #: Whether a scenario has begun, and whether its course is yet to be played.
        self._begun = self._to_play = False
        self.ended = False
        self._methods: Mapping[str, Method] = {
            "initialize": self._initialize,
            "course/cast": self._cast,
            "course/play": self._play,
            "scenario/close": self._close,
            "shutdown": self._shutdown,
        }

    def handle(self, line: bytes) -> bytes | None:
        """Answer one message; a notification has no answer."""
        return answer(self._methods, line)

    def _it(self) -> CourseEngine:
        if self._engine is None:
            raise RequestError(INVALID_REQUEST, "initialize comes first")
        return self._engine

    def _initialize(self, params: Json) -> Json:
        self._engine, self._begun, self._to_play = None, False, False
        engine = self._make(params["directory"])
        said = engine.declare(params["capabilities"])
        self._engine = engine
        return introduction(self._who, said, "wall")

    def _cast(self, params: Json) -> Json:
        engine = self._it()
        self._begun, self._to_play = True, False
        engine.prepare(params["workdir"], params["endpoints"])
        roles = engine.cast(read_course(params["course"]))
        self._to_play = True
        return {"cast": cast_fields(roles)}

    def _play(self, _params: Json) -> Json:
        engine = self._it()
        if not self._to_play:
            raise RequestError(INVALID_REQUEST, "course/cast comes first, once for every course/play")
        self._to_play = False
        return played_fields(engine.play())

    def _close(self, _params: Json) -> Json:
        engine, begun = self._it(), self._begun
        self._begun = self._to_play = False
        return {"leaks": list(engine.close().runs) if begun else []}

    def _shutdown(self, _params: Json) -> Json:
        self.ended = True
        return {}
