"""A driver of an engine that plays courses: it says what it was told, as roles and as outcomes.

Its words: `http` serves over HTTP, `moved` finds another engine than it was written for, `hangs` never ends a course;
`starts` starts a CLI for each turn, and `strangers` starts one for nobody; `tidy` leaves
nothing behind; `+NAME` and `-NAME` claim more and less; `switchless` has a policy without a switch.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tck_driver.capabilities import Support
from tck_driver.course_server import CourseServer
from tck_driver.courses import Act, Cast, Come, Course, Played, Policy, Role, Turn
from tck_driver.engine import Declaration, Leaks
from tck_driver.errors import DriverIncompatibleError, EngineError, UnsupportedError
from tck_driver.server import serve_http, serve_stdio
from tck_driver.vocabulary import AdapterId

POLICY = Policy(("agent",), "reported", "success", "reject", "same_turn", "delta", "off", "--resume")
CAPABILITIES = ("adapter.claude-code", "profile.continuity", "profile.reuse", "act.second_scope", "act.restart")
#: Scopes by whose names a course says what is to go wrong with it.
UNKNOWN, BROKEN, SHORT = "unknown", "broken", "short"


class CourseTalker:
    """Implements `CourseEngine`."""

    def __init__(self, directory: str) -> None:
        """Keep the folder."""
        self._directory = directory
        self._workdir = ""
        self._course = Course(())

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Say who it is."""
        if "moved" in sys.argv:
            raise DriverIncompatibleError("there is no runner.start in 2.0.0")
        more = {word.removeprefix("+") for word in sys.argv if word.startswith("+")}
        fewer = {word.removeprefix("-") for word in sys.argv if word.startswith("-")}
        claimed = {*CAPABILITIES, *more} - fewer
        supported: dict[str, Support] = {name: "supported" for name in capabilities if name in claimed}
        policy = replace(POLICY, switch="") if "switchless" in sys.argv else POLICY
        return Declaration("a talker", "1.0.0", "Python", "", supported, policy)

    def prepare(self, workdir: str, endpoints: Mapping[str, str]) -> None:
        """Keep the scenario's folder."""
        if "path" not in endpoints:
            raise EngineError("no stand-ins")
        self._workdir = workdir

    def cast(self, course: Course) -> Cast:
        """Name a role for each scope."""
        self._course = course
        if UNKNOWN in course.scopes:
            raise UnsupportedError("act.second_scope")
        return Cast(
            tuple(Role(one, AdapterId.CLAUDE_CODE, f"for {one}", "the task", ("Done.",)) for one in course.scopes)
        )

    def play(self) -> Played:
        """Come to whatever the course is named after."""
        if "hangs" in sys.argv:
            time.sleep(600)
        if BROKEN in self._course.scopes:
            raise EngineError("it broke off")
        for act in self._course.acts:
            self._start(act)
        acts = self._course.acts[1:] if SHORT in self._course.scopes else self._course.acts
        come = [Come("failed", "in red") if isinstance(act, Turn) and act.killed else Come("done") for act in acts]
        there = Path(self._workdir).is_dir() and Path(self._directory).is_dir()
        return Played(tuple(come), f"process {os.getpid()}" if there else "no folder")

    def _start(self, act: Act) -> None:
        who = "nobody" if "strangers" in sys.argv else act.scope if isinstance(act, Turn) else ""
        if who and {"starts", "strangers"} & {*sys.argv}:
            asked = ("claude", "-p", f"for {who}: the task", "--output-format", "json")
            environment = {**os.environ, "HOME": self._workdir}
            subprocess.run(asked, cwd=self._workdir, env=environment, check=False, stdout=subprocess.DEVNULL)

    def close(self) -> Leaks:
        """Leave something behind."""
        return Leaks(() if "tidy" in sys.argv else ("a child",))


def main() -> None:
    """Serve."""
    server = CourseServer(CourseTalker, "a talker's driver", "0.1")
    if "http" in sys.argv:
        serve_http(server, 0, lambda url: print(url, flush=True))  # noqa: T201 -- the one line that is waited for
    else:
        serve_stdio(server)


if __name__ == "__main__":
    main()
