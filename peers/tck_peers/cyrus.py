"""The driver of Cyrus: a scope is an issue of its tracker, a turn a session opened on it or a prompt in that session.

`python -m tck_peers.cyrus`, with TCK_PEER the name of one of the `PINS` and TCK_PEER_FOLDER where it lies, built.
A scope keeps to one session of the tracker until the course opens a further one; whether that takes up what an earlier
one left, the service is told at its start. What a turn came to is what its session shows: a response, an error, or
nothing, by which no user can tell that anything has failed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, cast

from tck_driver.courses import (
    Act,
    Cast,
    Come,
    Course,
    NewSession,
    Played,
    Policy,
    Restart,
    Role,
    SessionRemoved,
    TakingUp,
    Turn,
)
from tck_driver.errors import DriverError, DriverIncompatibleError, EngineTimeoutError
from tck_driver.vocabulary import AdapterId
from tck_peers.common import NAME, Claims, Stage, peer_folder, serve
from tck_peers.cyrus_service import TAKING_UP, Activity, Service, place_on
from tck_peers.processes import run

_HOST = Path(__file__).with_name("cyrus_host.mjs")
_HOMEPAGE = "https://github.com/cyrusagents/cyrus"
_PACKAGE = "packages/edge-worker/package.json"
_BUILT = "packages/edge-worker/dist/index.js"
_TRACKER = "packages/core/dist/issue-tracker/adapters/CLIRPCServer.js"
_CALLS = ("ping", "createIssue", "startSession", "promptSession", "viewSession", "terminateIssue")
_CHECK_SECONDS = 60.0
_TURN_SECONDS = 60.0
#: How long a turn that is to be broken off has for its CLI to name a session.
_BEGIN_SECONDS = 10.0
_END_SECONDS = 20.0
_SHOWN = 300

#: A prompt in a session resumes, whoever asks: no setting turns that off.
_IN_SESSION = Policy(
    scope=("issue", "session"),
    identity="reported",
    valid="init",
    fork="adopt",
    fallback="fail",
    prompt="delta",
    default="on",
)
_ACTS = frozenset({"adapter.claude-code", "act.second_scope", "act.killed", "act.restart"})


@dataclass(frozen=True, slots=True)
class Pin:
    """A state of Cyrus that the driver was written for."""

    #: The commit that this is; the kit looks whether it is the one that was obtained.
    commit: str
    #: The version of its service in that commit.
    version: str
    policy: Policy
    capabilities: frozenset[str]
    #: A file and what has to stand in it, by which the build of this state is told from that of another.
    marks: Mapping[str, str] = field(default_factory=dict[str, str])


PINS: Mapping[str, Pin] = {
    "cyrus-main": Pin(
        "fbfa80f6910c5065de4d899590cd821e037cd8e4",
        "0.2.68",
        _IN_SESSION,
        _ACTS | {"profile.continuity"},
    ),
    # The head of pull request 1286: a further session can take up what an earlier one of its issue left.
    "cyrus-1286": Pin(
        "5a25233ad93b2801f816c678b3a32731212509b4",
        "0.2.62",
        replace(_IN_SESSION, fallback="same_turn"),
        _ACTS
        | {"profile.continuity", "profile.redelegation", "act.new_session", "act.session_removed", "act.taking_up"},
        {"packages/edge-worker/dist/EdgeWorker.js": TAKING_UP},
    ),
}
#: Peer → the policy that is declared for it.
POLICIES: Mapping[str, Policy] = {name: pin.policy for name, pin in PINS.items()}


class Running(Protocol):
    """A service, as acts are played on it (`Service`)."""

    @property
    def running(self) -> bool:
        """Whether it has been started and not been ended."""
        ...

    def start(self, *, taking_up: bool) -> None:
        """Start it."""
        ...

    def stop(self) -> None:
        """End it in the orderly way."""
        ...

    def kill(self) -> None:
        """End it without warning."""
        ...

    def rest(self, seconds: float) -> None:
        """Wait until no work is under way."""
        ...

    def await_activity(self, session: str, seconds: float, wanted: Callable[[Activity], bool]) -> bool:
        """Wait for an activity."""
        ...

    def create_issue(self, title: str, description: str) -> str:
        """Open an issue."""
        ...

    def open_session(self, issue: str) -> str:
        """Begin a session with a turn."""
        ...

    def prompt(self, session: str, text: str) -> None:
        """Ask for a turn in a session."""
        ...

    def complete(self, issue: str) -> None:
        """End the issue, and its sessions with it."""
        ...

    def activities(self, session: str) -> tuple[Activity, ...]:
        """Give what a session shows."""
        ...


@dataclass(slots=True)
class Ticket:
    """The issue of a scope, and the session in which its next turn is; None where one has to be opened for it."""

    issue: str
    session: str | None = None
    turns: int = 0


class Acts:
    """Plays a course on a service, act by act."""

    def __init__(self, service: Running, course: Course) -> None:
        """Keep both; the service is started with the first act that needs it."""
        self._service = service
        self._course = course
        self._tickets: dict[str, Ticket] = {}
        self._taking_up = False

    def play(self) -> Played:
        """Play everything."""
        acts = tuple(self._play(act) for act in self._course.acts)
        return Played(acts, next((come.visible for come in acts if come.visible), ""))

    def _play(self, act: Act) -> Come:
        match act:
            case Turn():
                return self._turn(act)
            case Restart():
                self._stop()
                self._run()
            case TakingUp():
                self._taking_up = act.on
                # The service reads it once, when it starts.
                if self._service.running:
                    self._stop()
                    self._run()
            case NewSession():
                self._ticket(act.scope).session = None
            case SessionRemoved():
                self._remove(self._ticket(act.scope))
            case _:
                raise DriverError(f"{type(act).__name__} was not claimed")
        return Come("done")

    def _run(self) -> None:
        if not self._service.running:
            self._service.start(taking_up=self._taking_up)

    def _stop(self) -> None:
        if self._service.running:
            self._service.stop()

    def _ticket(self, scope: str) -> Ticket:
        if scope not in self._tickets:
            self._run()
            self._tickets[scope] = Ticket(self._service.create_issue(f"Look after {scope}", whole_task(scope)))
        return self._tickets[scope]

    def _turn(self, turn: Turn) -> Come:
        self._run()
        ticket = self._ticket(turn.scope)
        before = set[str]() if ticket.session is None else self._numbers(ticket.session)
        ticket.turns += 1
        if ticket.session is None:
            ticket.session = self._service.open_session(ticket.issue)
        else:
            self._service.prompt(ticket.session, f"Go on with {turn.scope}, part {ticket.turns}.")
        if turn.killed:
            self._service.await_activity(
                ticket.session, _BEGIN_SECONDS, lambda one: one.number not in before and names_a_session(one)
            )
            self._service.kill()
            self._run()
        self._service.rest(_TURN_SECONDS)
        return come_of([one for one in self._service.activities(ticket.session) if one.number not in before])

    def _numbers(self, session: str) -> set[str]:
        return {one.number for one in self._service.activities(session)}

    def _remove(self, ticket: Ticket) -> None:
        session, ticket.session = ticket.session, None
        if session is None:
            return
        before = self._numbers(session)
        self._service.complete(ticket.issue)
        if not self._service.await_activity(
            session, _END_SECONDS, lambda one: one.number not in before and one.kind == "response"
        ):
            raise EngineTimeoutError(
                f"Cyrus does not end the session of an issue that is done within {_END_SECONDS:g} s"
            )
        self._service.rest(_END_SECONDS)


def whole_task(scope: str) -> str:
    """Give the description of a scope's issue, which stands in a prompt that holds the whole task and in no other."""
    return f"The whole task of {scope} is to look after it, and to say when that is done."


def role_of(scope: str) -> Role:
    """Say by what the starts of a scope can be told: its name is in every prompt, its description in a full one."""
    return Role(scope, AdapterId.CLAUDE_CODE, rf"\b{re.escape(scope)}\b", re.escape(whole_task(scope)), ("Done.",))


def names_a_session(activity: Activity) -> bool:
    """Say whether this is what is shown once the CLI has named its session: which model it uses."""
    return activity.kind == "thought" and activity.text.startswith("Using model")


def come_of(shown: list[Activity]) -> Come:
    """Tell what a turn came to by what its session shows of it."""
    errors = [one.text for one in shown if one.kind == "error"]
    if errors:
        return Come("failed", f"the session shows an error: {errors[-1][:_SHOWN]}")
    return Come("done" if any(one.kind == "response" for one in shown) else "failed")


class Cyrus:
    """Implements `Peer`."""

    def __init__(self, name: str) -> None:
        """Keep which one it is; raises `DriverIncompatibleError` where there is none of that name."""
        if name not in PINS:
            raise DriverIncompatibleError(f"{NAME} is {name!r}; it has to be one of {', '.join(PINS)}")
        self._pin = PINS[name]
        self._name = name
        self._service: Service | None = None
        self._acts: Acts | None = None

    @property
    def claims(self) -> Claims:
        """Who it is and what it claims."""
        pin = self._pin
        version = f"{pin.version}+{pin.commit[:8]}"
        return Claims(self._name, version, "TypeScript", _HOMEPAGE, pin.policy, pin.capabilities)

    def check(self) -> None:
        """Look whether it is there, in this version, built, and with the seams that the host leans on."""
        folder = peer_folder()
        for program in ("node", "git"):
            if shutil.which(program) is None:
                raise DriverIncompatibleError(f"there is no {program} on PATH")
        _check_files(folder, self._pin)
        with tempfile.TemporaryDirectory() as scratch:
            environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": scratch, "LANG": "C.UTF-8"}
            _check_seams(folder, scratch, environment)

    def cast(self, course: Course, stage: Stage) -> Cast:
        """Prepare an empty service, which is started by the first turn."""
        self._service = Service(place_on(stage, ("node", str(_HOST), "run"), peer_folder()))
        self._acts = Acts(self._service, course)
        return Cast(tuple(role_of(scope) for scope in course.scopes))

    def play(self) -> Played:
        """Play the course."""
        if self._acts is None:
            raise DriverError("cast comes before play")
        return self._acts.play()

    def stop(self) -> None:
        """End the service."""
        if self._service is not None:
            self._service.stop()


def _check_files(folder: Path, pin: Pin) -> None:
    package = cast("Mapping[str, object]", json.loads(_text(folder, _PACKAGE)))
    if package.get("version") != pin.version:
        there = package.get("version")
        raise DriverIncompatibleError(f"{folder} holds Cyrus {there}, and the driver was written for {pin.version}")
    marks = {_BUILT: "", **pin.marks}
    for name, mark in marks.items():
        if mark not in _text(folder, name):
            raise DriverIncompatibleError(f"{name} in {folder} says nothing of {mark}; it was built from another state")
    said = _text(folder, _TRACKER)
    missing = [call for call in _CALLS if f'"{call}"' not in said]
    if missing:
        raise DriverIncompatibleError(f"the tracker's {', '.join(missing)} is no longer in {_TRACKER}")


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except OSError as fault:
        raise DriverIncompatibleError(f"{name} in {folder} cannot be read ({fault.strerror}): is it built?") from None


def _check_seams(folder: Path, scratch: str, environment: Mapping[str, str]) -> None:
    asked = ("node", str(_HOST), "check", str(folder), scratch)
    said = run(asked, environment=environment, cwd=Path(scratch), seconds=_CHECK_SECONDS)
    if said.code != 0:
        last = (said.err.strip().splitlines() or ["it says nothing"])[-1]
        raise DriverIncompatibleError(f"Cyrus in {folder} cannot be loaded by node: {last}")
    # What it writes to standard output while it is loaded comes before.
    found = cast("Mapping[str, list[str]]", json.loads(said.out.splitlines()[-1]))
    if found["missing"]:
        raise DriverIncompatibleError(f"no longer there: {'; '.join(found['missing'])}")


def main() -> None:
    """Serve the kit on standard input and output."""
    name = os.environ.get(NAME, "")
    serve(lambda: Cyrus(name), "Cyrus")


if __name__ == "__main__":
    main()
