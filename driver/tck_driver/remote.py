"""An engine behind a driver, as steps hold it: the calls of an engine in process, with the same meaning of rest.

Theory of operation. The kit owns time and containers; the engine owns its deadlines. After everything that is sent, the
kit waits until the engine is at rest: until all that it waits for is a time, another run, or a container of which the
kit knows that it stands still. Time then passes in steps, to the next instant at which a container ends or at which the
engine has something to do, so that hours pass in no time and in the right order. Specification: §28.1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from tck_driver.capabilities import require
from tck_driver.configuration import EngineConfig
from tck_driver.connection import Connection
from tck_driver.course_messages import course_fields, misfits, read_cast, read_played, untrue
from tck_driver.courses import Cast, Course, Played, capabilities_of
from tck_driver.engine import Declaration, Leaks, Quiescence
from tck_driver.errors import DriverError, EngineTimeoutError, UnsupportedError
from tck_driver.messages import (
    Json,
    Pending,
    Rest,
    config_params,
    instant,
    moment,
    read_rest,
    read_result,
    read_rows,
    stimulus_params,
)
from tck_driver.stimuli import BindingChanged, InstallationChanged, Stimulus, StimulusResult
from tck_driver.views import Row, ViewName

#: Seconds that an engine has to come to rest, of real time.
PATIENCE = 15.0
#: How many steps of time one `advance` may take.
MOST_STEPS = 5_000
_POLL_MS = 500
_PAUSE, _LONGEST_PAUSE = 0.001, 0.02
#: How much time passes at once for a command that hangs, where nobody has anything to do at a certain instant.
_A_WHILE = timedelta(seconds=1)


class Surroundings(Protocol):
    """What the kit has around an engine that is not in its own process."""

    def now(self) -> datetime:
        """Give the scenario's time."""
        ...

    def set_time(self, now: datetime) -> None:
        """Let it be this time; containers whose end is due by then end."""
        ...

    def next_end(self) -> datetime | None:
        """Give the next instant at which a container ends by itself."""
        ...

    def stands_still(self, container: str) -> bool:
        """Say whether this container runs, and goes on only when time passes or the kit lets it."""
        ...

    def asked_version(self) -> bool:
        """Say whether a version command is what stands still."""
        ...

    @property
    def relayed(self) -> Callable[[], bool]:
        """Say whether the stand-in programs have written all that they were given, for the engine to read."""
        ...

    def endpoints(self) -> Mapping[str, str]:
        """Give where stand-ins, forge and model are: `path`, `forge`, `model`."""
        ...

    def hear(self, stimulus: Stimulus) -> None:
        """Let the tracker know what it would, before the engine is told."""
        ...

    def raise_faults(self) -> None:
        """Raise what went wrong among the kit's own stand-ins meanwhile."""
        ...


class RemoteEngine:
    """Implements `Engine` for one scenario, over a connection that outlives it."""

    def __init__(self, connection: Connection, surroundings: Surroundings, ref: str, workdir: str) -> None:
        """Prepare; nothing is sent before `open`."""
        self._connection = connection
        self._around = surroundings
        self._ref = ref
        self._workdir = workdir
        self._deadline: datetime | None = None
        self._opened = False
        self._course = Course(())

    def declare(self, capabilities: Sequence[str]) -> Declaration:  # noqa: ARG002 -- asked when the driver was started
        """Give what the driver declared at its start."""
        return self._connection.declaration

    def open(self, config: EngineConfig) -> str | None:
        """Begin a scenario; what it needs of features is looked up first."""
        needed = ["sessions", *(f"adapter.{binding.adapter}" for one in config.projects for _, binding in one.bindings)]
        self._require(*dict.fromkeys(needed))
        self._opened = True
        params: Json = {
            "ref": self._ref,
            "seed": config.seed,
            "workdir": self._workdir,
            "endpoints": dict(self._around.endpoints()),
            "config": config_params(config, self._around.now()),
        }
        return self._begin("scenario/open", params)

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Tell the tracker and the engine, and wait until the engine is at rest."""
        params = stimulus_params(stimulus)
        needed = [f"stimulus.{params['type']}"]
        mailbox = getattr(stimulus, "mailbox", None)
        if mailbox is not None and mailbox.kind == "merge_request":
            needed.append("mailbox.merge_request")
        if isinstance(stimulus, BindingChanged):
            needed.append(f"adapter.{stimulus.binding.adapter}")
        if isinstance(stimulus, InstallationChanged):
            needed.append(f"adapter.{stimulus.adapter}")
        self._require(*needed)
        self._around.hear(stimulus)
        answer = self._ask("stimulus/send", params)
        result = read_result(answer)
        self._settle(answer)
        return result

    def advance(self, milliseconds: int) -> None:
        """Let time pass, stopping at each instant at which something is due."""
        self._require("control.clock")
        if self._connection.clock == "wall":
            raise DriverError("the driver declares control.clock as supported, and its clock as the machine's own")
        target = self._around.now() + timedelta(milliseconds=milliseconds)
        for _ in range(MOST_STEPS):
            now = self._around.now()
            self._settle(self._go(now, min(self._due(now) or target, target)))
            # What happened on the way may have taken time of its own, beyond our target even.
            if self._around.now() >= target:
                return
        raise DriverError(f"the driver's next_deadline moved on {MOST_STEPS} times in one advance of the clock")

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Ask what is under way."""
        rest = self._take(self._ask("barrier/quiesce", {"deadline_ms": deadline_ms}))
        return Quiescence(rest.idle, tuple(one.what for one in rest.pending))

    def query(self, view: ViewName) -> Sequence[Row]:
        """Give the rows of a view."""
        self._require(f"view.{view}")
        return read_rows(view, self._ask("state/query", {"view": view})["rows"])

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Have a stored native id overwritten."""
        self._require("control.overwrite")
        self._ask("state/overwrite", {"run": run, "native_session_id": native_session_id})

    def kill(self) -> None:
        """End the engine without warning."""
        self._require("control.kill")
        self._deadline = None
        self._ask("engine/kill", {})

    def start(self) -> str | None:
        """Start it again."""
        self._require("control.kill")
        return self._begin("engine/start", {})

    def cast(self, course: Course) -> Cast:
        """Begin a scenario with a course; what it needs of features is looked up first."""
        if self._connection.declaration.policy is None:
            raise UnsupportedError("course/cast")
        self._require(*capabilities_of(course))
        self._opened = True
        self._course = course
        params: Json = {
            "ref": self._ref,
            "workdir": self._workdir,
            "endpoints": dict(self._around.endpoints()),
            "course": course_fields(course),
        }
        roles = read_cast(self._ask("course/cast", params)["cast"])
        self._can_be_played(roles, course)
        return roles

    def play(self) -> Played:
        """Have the course played to its end."""
        played = read_played(self._ask("course/play", {}))
        acts = len(self._course.acts)
        if len(played.acts) != acts:
            raise DriverError(f"the course has {acts} acts, and the driver says of {len(played.acts)} what came of it")
        wrong = next(untrue(played, self._course), None)
        if wrong is not None:
            raise DriverError(f"the driver has not played the course as it is: {wrong}")
        return played

    def close(self) -> Leaks:
        """End the scenario, if the driver was ever told of it."""
        if not self._opened or not self._connection.usable:
            return Leaks()
        return Leaks(tuple(self._ask("scenario/close", {})["leaks"]))

    def _can_be_played(self, roles: Cast, course: Course) -> None:
        wrong = next(misfits(roles, course), None)
        if wrong is not None:
            raise DriverError(f"the driver's cast cannot be played: {wrong}")
        supported = self._connection.declaration.capabilities
        for role in roles.roles:
            if supported.get(f"adapter.{role.adapter}") != "supported":
                raise DriverError(
                    f"the driver casts {role.adapter}, and does not declare adapter.{role.adapter} as supported"
                )

    def _require(self, *capabilities: str) -> None:
        for capability in capabilities:
            require(self._connection.declaration, capability)

    def _ask(self, method: str, params: Json) -> Json:
        try:
            return self._connection.request(method, params)
        finally:
            self._around.raise_faults()

    def _begin(self, method: str, params: Json) -> str | None:
        answer = self._ask(method, params)
        refused: str | None = answer["refused"]
        if refused is None:
            self._settle(answer)
        return refused

    def _due(self, now: datetime) -> datetime | None:
        """Give the next instant at which engine or containers have something to do by themselves."""
        known = (self._deadline, self._around.next_end())
        return min((when for when in known if when is not None and now < when), default=None)

    def _go(self, now: datetime, when: datetime) -> Json:
        """Let it be another instant for kit and engine."""
        # Whoever has something to do at that instant is to find the other at it: a deadline starts and stops containers
        # at the kit's time, and a container's end is noted by the engine at the engine's time.
        engine_first = when == self._around.next_end() and when != self._deadline
        if not engine_first:
            self._around.set_time(when)
        answer = self._pass(now, when)
        if engine_first:
            self._around.set_time(when)
            answer.pop("rest", None)
        return answer

    def _pass(self, now: datetime, when: datetime) -> Json:
        """Tell the engine that time has passed."""
        milliseconds = (when - now) // timedelta(milliseconds=1)
        answer = self._ask("clock/advance", {"ms": milliseconds, "now": instant(when)})
        try:
            there = moment(answer["now"])
        except ValueError as fault:
            raise DriverError(f"the driver gave a time that is none: {fault}") from fault
        if abs(there - when) >= timedelta(milliseconds=1):
            raise DriverError(f"the driver's clock was to go to {instant(when)}, and it says {answer['now']}")
        return answer

    def _settle(self, answer: Json) -> None:
        """Wait until the engine is at rest, by the answer's own account of it or by asking."""
        patience = PATIENCE * self._connection.timeout_scale
        until = time.monotonic() + patience
        pause, sure = _PAUSE, False
        rest = self._rest_in(answer)
        while True:
            if rest is None or not self._stands(rest):
                sure = False
            elif self._waits_for_version(rest):
                # A version command that hangs is no agent's run: its time passes at once, as for any short command.
                now = self._around.now()
                rest = self._rest_in(self._go(now, self._due(now) or now + _A_WHILE))
            elif sure or not any(one.waits_for == "container" for one in rest.pending):
                return
            else:
                # What a container has said by now may not have reached the engine when it gave this answer.
                sure = self._around.relayed()
            if rest is not None and time.monotonic() > until:
                raise EngineTimeoutError(f"the engine did not come to rest within {patience:g} s: {_told(rest)}")
            if rest is not None:
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            rest = self._take(self._ask("barrier/quiesce", {"deadline_ms": _POLL_MS}))

    def _waits_for_version(self, rest: Rest) -> bool:
        moves = self._connection.declaration.capabilities.get("control.clock") == "supported"
        return moves and bool(rest.pending) and self._around.asked_version()

    def _rest_in(self, answer: Json) -> Rest | None:
        return self._take(answer["rest"]) if "rest" in answer else None

    def _stands(self, rest: Rest) -> bool:
        """Say whether everything that is under way, as far as that is known, waits for the outside world."""
        return (rest.idle or bool(rest.pending)) and all(self._waits(one) for one in rest.pending)

    def _waits(self, one: Pending) -> bool:
        if one.waits_for == "container":
            return one.container is not None and self._around.stands_still(one.container)
        return one.waits_for in {"clock", "run"}

    def _take(self, fields: Json) -> Rest:
        try:
            rest = read_rest(fields)
        except ValueError as fault:
            raise DriverError(f"the driver gave a next_deadline that is no point in time: {fault}") from fault
        self._deadline = rest.next_deadline
        return rest


def _told(rest: Rest) -> str:
    words = [f"{one.what} waits for {one.container or one.waits_for}" for one in rest.pending[:5]]
    return ", ".join(words) or "it says that it is not idle, and does not say what is pending"
