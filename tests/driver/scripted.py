"""A driver that is a script, and the kit's surroundings as a script: both note what happens to them in one order."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tck_driver.capabilities import ASKED, CAPABILITIES
from tck_driver.configuration import EngineConfig, ProjectConfig
from tck_driver.connection import About, Connection
from tck_driver.course_messages import policy_fields
from tck_driver.courses import Policy
from tck_driver.errors import KitError
from tck_driver.messages import Json, instant
from tck_driver.remote import RemoteEngine
from tck_driver.stimuli import Stimulus
from tck_driver.vocabulary import AdapterId, MailboxRef

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
ISSUE = MailboxRef("acme", "shop", "issue", 17)
REVIEW = MailboxRef("acme", "shop", "merge_request", 3)
MAILBOX = {"organization": "acme", "project": "shop", "kind": "issue", "iid": 17}
CONFIG = EngineConfig(
    "/base",
    (ProjectConfig.of("acme", "shop", AdapterId.CODEX),),
    settings=(("project", "acme", "shop", "AGENT_SESSION_RESUME", True),),
    credential_mounts=(("/home/agent/.secrets/token", "/host/token"),),
    seed=7,
)
IDLE: Json = {"idle": True, "pending": [], "next_deadline": None}
DONE: Json = {"run": None, "outcome": None, "error": None, "rest": IDLE}

#: What an answer is when a test does not say otherwise.
USUAL: Mapping[str, Json] = {
    "scenario/open": {"refused": None, "rest": IDLE},
    "stimulus/send": DONE,
    "barrier/quiesce": IDLE,
    "state/query": {"rows": []},
    "state/overwrite": {},
    "engine/kill": {},
    "engine/start": {"refused": None, "rest": IDLE},
    "scenario/close": {"leaks": []},
}


def after(milliseconds: float) -> datetime:
    return NOON + timedelta(milliseconds=milliseconds)


def busy(*pending: Json, due: datetime | None = None) -> Json:
    return {"idle": False, "pending": [*pending], "next_deadline": None if due is None else instant(due)}


def waits(waits_for: str, container: str | None = None) -> Json:
    named = {} if container is None else {"container": container}
    return {"what": "run 7", "waits_for": waits_for, **named}


Event = tuple[str, Any]


@dataclass(slots=True)
class Wire:
    """Implements `Transport` without a driver: what is asked is noted, and answered as a test says."""

    log: list[Event]
    declared: Mapping[str, str]
    clock: str
    policy: Policy | None = None
    #: What comes next, by method; a function is called with the params, the last one stays.
    script: dict[str, list[Json | Callable[[Json], Json]]] = field(default_factory=dict[str, Any])
    usable: bool = True
    name: str = "a script"

    def exchange(self, message: bytes, cancel: bytes, seconds: float) -> bytes:
        assert cancel
        assert seconds > 0
        asked = json.loads(message)
        method, params = asked["method"], asked["params"]
        self.log.append((method, params))
        answers = self.script.get(method, [])
        given = (answers.pop(0) if len(answers) > 1 else answers[0]) if answers else self._usual(method, params)
        answer = given(params) if callable(given) else given
        form = answer if "error" in answer and "run" not in answer else {"result": answer}
        return json.dumps({"jsonrpc": "2.0", "id": asked["id"], **form}).encode()

    def _usual(self, method: str, params: Json) -> Json:
        if method == "initialize":
            return {
                "protocol": 1,
                "driver": {"name": "d", "version": "1"},
                "implementation": {"name": "e", "version": "1", "language": "Go"},
                "capabilities": dict(self.declared),
                "clock": self.clock,
                **({} if self.policy is None else {"policy": policy_fields(self.policy)}),
            }
        return {"now": params["now"], "rest": IDLE} if method == "clock/advance" else USUAL[method]

    def stray(self) -> bytes | None:
        return None

    def end(self, seconds: float) -> str | None:
        raise NotImplementedError

    def kill(self) -> None:
        self.usable = False

    def words(self) -> str:
        return ""


@dataclass(slots=True)
class Around:
    """Implements `Surroundings`. `ends` has the containers that run: when they end, None for one that hangs."""

    log: list[Event]
    time: datetime = NOON
    ends: dict[str, datetime | None] = field(default_factory=dict[str, "datetime | None"])
    version: bool = False
    relayed: Callable[[], bool] = lambda: True
    fault: str | None = None

    def now(self) -> datetime:
        return self.time

    def set_time(self, now: datetime) -> None:
        self.log.append(("time", now))
        self.time = max(self.time, now)
        self.ends = {name: end for name, end in self.ends.items() if end is None or end > now}

    def next_end(self) -> datetime | None:
        return min((end for end in self.ends.values() if end is not None), default=None)

    def stands_still(self, container: str) -> bool:
        return container in self.ends

    def asked_version(self) -> bool:
        return self.version

    def endpoints(self) -> Mapping[str, str]:
        return {"path": "/bin", "forge": "http://127.0.0.1:1/forge", "model": "http://127.0.0.1:1/model"}

    def hear(self, stimulus: Stimulus) -> None:
        self.log.append(("hear", stimulus))

    def raise_faults(self) -> None:
        if self.fault is not None:
            raise KitError(self.fault)


class Scene:
    """An engine over a wire, and everything that happened on either side of it in one order."""

    def __init__(
        self, declared: Mapping[str, str] | None = None, clock: str = "virtual", policy: Policy | None = None
    ) -> None:
        self.log: list[Event] = []
        said = dict.fromkeys(CAPABILITIES, "supported") if declared is None else declared
        self.wire = Wire(self.log, said, clock, policy)
        self.around = Around(self.log)
        self.connection = Connection(self.wire)
        self.connection.initialize(About("0", "s", "1", "00"), ASKED, "/d")
        self.log.clear()
        self.engine = RemoteEngine(self.connection, self.around, "0001", "/scenes/0001")

    def answers(self, method: str, *answers: Json | Callable[[Json], Json]) -> None:
        self.wire.script[method] = [*answers]

    @property
    def asked(self) -> list[str]:
        return [name for name, _ in self.log if "/" in name]

    @property
    def times(self) -> list[Event]:
        """The steps of time, as kit and engine were told of them."""
        told = {"time": "kit", "clock/advance": "engine"}
        return [
            (told[name], value if name == "time" else datetime.fromisoformat(value["now"]))
            for name, value in self.log
            if name in told
        ]
