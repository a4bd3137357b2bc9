"""Cyrus as a service that runs here, and its tracker as a user of it sees it.

Cyrus brings a tracker of its own for trying it out, which is reached over JSON-RPC at `/cli/rpc`; `/status` says
whether any work is under way. `cyrus_host.mjs` starts it.
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import cast

from tck_driver.errors import DriverError, EngineError, EngineTimeoutError
from tck_peers.common import Stage
from tck_peers.processes import kill_group, run

#: Turned on, a new session of an issue takes up what an earlier one left; read by the service at its start.
TAKING_UP = "CYRUS_RESUME_ACROSS_SESSIONS"
_LOOPBACK = "127.0.0.1"
#: How long the service has to load all that it is made of, on a machine with other things to do.
_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_REQUEST_SECONDS = 30.0
_POLL_SECONDS = 0.05
#: How often in a row it has to be idle: between two steps of its work it can be so for a moment.
_CALM = 4
_TAIL = 2_000
#: More activities than a session of any course has.
_MANY = 10_000


@dataclass(frozen=True, slots=True)
class Activity:
    """Something that a session of the tracker shows its user: of a kind such as `thought`, `response` or `error`."""

    number: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where one service runs: what starts it, and its folders."""

    #: What starts it, before the path of its settings.
    command: tuple[str, ...]
    #: Where Cyrus lies.
    folder: Path
    #: The claude that it is to start.
    cli: Path
    #: The service's environment; `TAKING_UP` is added to it.
    environment: Mapping[str, str]
    #: A folder of this service alone.
    own: Path

    @property
    def home(self) -> Path:
        """Where Cyrus keeps its data."""
        return self.own / "data"

    @property
    def repository(self) -> Path:
        """The repository that it works on."""
        return self.own / "repository"

    @property
    def log(self) -> Path:
        """What the service writes."""
        return self.own / "service.log"


def place_on(stage: Stage, command: Sequence[str], folder: Path) -> Place:
    """Give the place of a service in a course's folder, with the repository that it needs. Raises `DriverError`."""
    place = Place(tuple(command), folder, stage.programs / "claude", stage.environment(), stage.folder("cyrus"))
    place.repository.mkdir()
    identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    for words in (("init", "-q", "-b", "main"), (*identity, "commit", "-q", "--allow-empty", "-m", "Begin")):
        came = run(("git", *words), environment=place.environment, cwd=place.repository, seconds=_REQUEST_SECONDS)
        if came.code != 0:
            raise DriverError(f"git {words[-1]} in {place.repository}: {came.err.strip()}")
    return place


class Service:
    """One service, started and ended as often as a course wants it; its data and its tracker's outlive each run."""

    def __init__(self, place: Place) -> None:
        """Keep the place; nothing runs yet."""
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def running(self) -> bool:
        """Whether it has been started and not been ended."""
        return self._process is not None

    def start(self, *, taking_up: bool) -> None:
        """Start it, and wait until it answers. Raises `EngineError` where it ends instead."""
        self._port = _free_port()
        settings = self._place.own / "settings.json"
        settings.write_text(json.dumps(self._settings()), encoding="utf-8")
        environment = {**self._place.environment, **({TAKING_UP: "1"} if taking_up else {})}
        with self._place.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._place.command, str(settings)],
                cwd=self._place.own,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait("answer", _START_SECONDS, self._answers)

    def stop(self) -> None:
        """End it in the orderly way; raises `EngineTimeoutError` where it does not end."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise EngineTimeoutError(f"Cyrus does not end within {_STOP_SECONDS:g} s of SIGTERM") from None
        finally:
            self.kill()

    def kill(self) -> None:
        """End it, and the CLI that it has started, without warning."""
        if self._process is not None:
            kill_group(self._process.pid)
            self._process.wait()
            self._process = None

    def rest(self, seconds: float) -> None:
        """Wait until no work is under way; raises `EngineTimeoutError` where that takes longer."""
        calm = 0

        def at_rest() -> bool:
            nonlocal calm
            calm = calm + 1 if self._get("/status").get("status") == "idle" else 0
            return calm >= _CALM

        self._wait("come to rest", seconds, at_rest)

    def await_activity(self, session: str, seconds: float, wanted: Callable[[Activity], bool]) -> bool:
        """Wait until the session shows such an activity, and say whether it came in time."""
        try:
            self._wait("show it", seconds, lambda: any(map(wanted, self.activities(session))))
        except EngineTimeoutError:
            return False
        return True

    def create_issue(self, title: str, description: str) -> str:
        """Open an issue, and give its id."""
        made = self._call("createIssue", teamId="team-default", title=title, description=description)
        return str(_inner(made, "issue")["id"])

    def open_session(self, issue: str) -> str:
        """Delegate the issue to the agent: a session of the tracker begins, whose id is given, and with it a turn."""
        return str(_inner(self._call("startSession", issueId=issue), "session")["sessionId"])

    def prompt(self, session: str, text: str) -> None:
        """Write to the agent in a session of the tracker; that is a turn."""
        self._call("promptSession", sessionId=session, message=text)

    def complete(self, issue: str) -> None:
        """Move the issue to where it is done; the sessions of it come to their end."""
        self._call("terminateIssue", issueId=issue, action="completed")

    def activities(self, session: str) -> tuple[Activity, ...]:
        """Give all that the session shows."""
        shown = self._call("viewSession", sessionId=session, limit=_MANY).get("activities")
        rows = cast("list[Mapping[str, object]]", shown if isinstance(shown, list) else [])
        return tuple(Activity(str(row["id"]), str(row["type"]), str(row["content"])) for row in rows)

    def _settings(self) -> Mapping[str, object]:
        return {
            "folder": str(self._place.folder),
            "home": str(self._place.home),
            "port": self._port,
            "repository": str(self._place.repository),
            "cli": str(self._place.cli),
            "tracker": str(self._place.own / "tracker.json"),
        }

    def _wait(self, what: str, seconds: float, come: Callable[[], bool]) -> None:
        end = time.monotonic() + seconds
        while not come():
            self._still_there()
            if time.monotonic() > end:
                raise EngineTimeoutError(f"Cyrus does not {what} within {seconds:g} s; its log ends: {self._tail()}")
            time.sleep(_POLL_SECONDS)

    def _still_there(self) -> None:
        code = self._process.poll() if self._process is not None else None
        if code is not None:
            raise EngineError(f"Cyrus ended with exit code {code}; its log ends: {self._tail()}")

    def _tail(self) -> str:
        try:
            return self._place.log.read_bytes()[-_TAIL:].decode("utf-8", "replace").strip()
        except OSError:
            return ""

    def _answers(self) -> bool:
        try:
            self._exchange("POST", "/cli/rpc", {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}})
        except (OSError, HTTPException):
            return False
        return True

    def _get(self, path: str) -> Mapping[str, object]:
        return self._reached(lambda: self._exchange("GET", path, None))

    def _call(self, method: str, **params: object) -> Mapping[str, object]:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        said = self._reached(lambda: self._exchange("POST", "/cli/rpc", asked))
        if "error" in said:
            raise EngineError(f"Cyrus refuses {method}: {_inner(said, 'error').get('message')}")
        return _inner(said, "result")

    def _reached(self, exchange: Callable[[], Mapping[str, object]]) -> Mapping[str, object]:
        try:
            return exchange()
        except (OSError, HTTPException, ValueError) as fault:
            self._still_there()
            raise EngineError(f"Cyrus does not answer ({fault}); its log ends: {self._tail()}") from fault

    def _exchange(self, method: str, path: str, body: Mapping[str, object] | None) -> Mapping[str, object]:
        connection = HTTPConnection(_LOOPBACK, self._port, timeout=_REQUEST_SECONDS)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, {"Content-Type": "application/json"} if sent else {})
            answer = cast("object", json.loads(connection.getresponse().read()))
        finally:
            connection.close()
        if not isinstance(answer, dict):
            raise ValueError(f"{path} answers with something else than an object")  # noqa: TRY004 -- as json.loads does
        return cast("Mapping[str, object]", answer)


def _inner(value: Mapping[str, object], name: str) -> Mapping[str, object]:
    inner = value.get(name)
    if not isinstance(inner, dict):
        raise EngineError(f"Cyrus answers without {name}")
    return cast("Mapping[str, object]", inner)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        return int(probe.getsockname()[1])
