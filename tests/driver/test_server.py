"""The other end of the protocol: every message is answered as it says, whatever an engine in Python does behind it."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver import schemas
from tck_driver.configuration import EngineConfig
from tck_driver.connection import METHOD_NOT_FOUND
from tck_driver.engine import Declaration, Leaks, Quiescence
from tck_driver.errors import EngineError, FalseAdvertisingError, KitError, UnsupportedError
from tck_driver.messages import Json, Pending, Rest, config_params
from tck_driver.server import Server, serve_http
from tck_driver.stimuli import RunDue, Stimulus, StimulusResult
from tck_driver.transport import MOST_BYTES
from tck_driver.views import CounterRow, Row, ViewName
from tck_driver.vocabulary import Phase, RunOutcome

from .scripted import CONFIG, IDLE, ISSUE, MAILBOX, NOON, after

ENDPOINTS = {"path": "/bin", "forge": "http://127.0.0.1:1/forge", "model": "http://127.0.0.1:1/model"}
OPEN: Json = {
    "ref": "1",
    "seed": 7,
    "workdir": "/w",
    "endpoints": ENDPOINTS,
    "config": config_params(CONFIG, NOON),
}
INITIALIZE: Json = {
    "protocol": 1,
    "kit": {"name": "k", "version": "1"},
    "spec": {"id": "s", "version": "1", "digest": "00"},
    "capabilities": ["sessions", "control.kill"],
    "directory": "/d",
}


@dataclass(slots=True)
class Engine:
    """Implements `ServedEngine`: notes what it is asked, and answers or fails as a test says."""

    directory: str = ""
    heard: list[tuple[str, object]] = field(default_factory=list[tuple[str, object]])
    resting: Rest = field(default_factory=lambda: Rest(idle=True))
    refusal: str | None = None
    fault: BaseException | None = None
    result: StimulusResult = field(default_factory=StimulusResult)

    def _hear(self, name: str, value: object = None) -> None:
        self.heard.append((name, value))
        if self.fault is not None:
            raise self.fault

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        self._hear("declare", list(capabilities))
        return Declaration("e", "1.2", "Python", "https://e.example", {"sessions": "supported"})

    def prepare(self, now: datetime, endpoints: Mapping[str, str]) -> None:
        self._hear("prepare", (now, dict(endpoints)))

    def open(self, config: EngineConfig) -> str | None:
        self._hear("open", config)
        return self.refusal

    def send(self, stimulus: Stimulus) -> StimulusResult:
        self._hear("send", stimulus)
        return self.result

    def advance(self, milliseconds: int) -> None:
        raise NotImplementedError

    def advance_to(self, now: datetime) -> None:
        self._hear("advance_to", now)

    def quiesce(self, deadline_ms: int) -> Quiescence:
        self._hear("quiesce", deadline_ms)
        return Quiescence(idle=True)

    def rest(self) -> Rest:
        return self.resting

    def query(self, view: ViewName) -> Sequence[Row]:
        self._hear("query", view)
        return [CounterRow(ISSUE, 1, 2)]

    def overwrite(self, run: str, native_session_id: str) -> None:
        self._hear("overwrite", (run, native_session_id))

    def kill(self) -> None:
        self._hear("kill")

    def start(self) -> str | None:
        self._hear("start")
        return self.refusal

    def close(self) -> Leaks:
        self._hear("close")
        return Leaks(("run 7",))


@dataclass(slots=True)
class Desk:
    """A server with its engine, and a short way to ask it."""

    engine: Engine = field(default_factory=Engine)
    server: Server = field(init=False)

    def __post_init__(self) -> None:
        self.server = Server(self._make, "d", "0.1")

    def _make(self, directory: str) -> Engine:
        self.engine.directory = directory
        return self.engine

    def begin(self) -> Desk:
        self.ask("initialize", INITIALIZE)
        self.engine.heard.clear()
        return self

    def say(self, message: object) -> Json | None:
        said = self.server.handle(message if isinstance(message, bytes) else json.dumps(message).encode())
        return None if said is None else whole(said)

    def ask(self, method: str, params: object, name: str = "a") -> Json:
        answer = self.say({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
        assert answer is not None
        assert answer["id"] == name
        return answer

    def result(self, method: str, params: Json) -> Json:
        """Give a result that fits its schema."""
        answer = self.ask(method, params)
        schemas.check_result(method, params, answer["result"])
        result: Json = answer["result"]
        return result

    def code(self, method: str, params: object) -> int:
        return int(self.ask(method, params)["error"]["code"])


def whole(said: bytes) -> Json:
    """Read an answer, which is one line and fits the frame."""
    assert b"\n" not in said
    answer: Json = json.loads(said)
    schemas.check(answer, "envelope", "answer")
    return answer


@pytest.fixture
def desk() -> Desk:
    return Desk().begin()


def test_the_engine_is_made_in_the_folder_of_the_kit_and_asked_who_it_is() -> None:
    desk = Desk()

    assert desk.result("initialize", INITIALIZE) == {
        "protocol": 1,
        "driver": {"name": "d", "version": "0.1"},
        "implementation": {"name": "e", "version": "1.2", "language": "Python", "homepage": "https://e.example"},
        "capabilities": {"sessions": "supported"},
        "clock": "virtual",
    }
    assert desk.engine.directory == "/d"
    assert desk.engine.heard == [("declare", ["sessions", "control.kill"])]


RUN_DUE: Json = {"type": "run.due", "payload": {"mailbox": MAILBOX, "phase": "answer"}}
METHODS: list[tuple[str, Json, list[tuple[str, object]], Json]] = [
    (
        "scenario/open",
        OPEN,
        [("prepare", (NOON, ENDPOINTS)), ("open", CONFIG)],
        {"refused": None, "rest": IDLE},
    ),
    (
        "stimulus/send",
        RUN_DUE,
        [("send", RunDue(ISSUE, Phase.ANSWER))],
        {"run": None, "outcome": None, "error": None, "rest": IDLE},
    ),
    (
        "clock/advance",
        {"ms": 250, "now": "2026-01-05T12:00:00.250Z"},
        [("advance_to", after(250))],
        {"now": "2026-01-05T12:00:00.250000Z", "rest": IDLE},
    ),
    ("barrier/quiesce", {"deadline_ms": 500}, [("quiesce", 500)], IDLE),
    (
        "state/query",
        {"view": "counters"},
        [("query", "counters")],
        {"rows": [{"mailbox": MAILBOX, "llm_retries": 1, "fix_attempts": 2}]},
    ),
    ("state/overwrite", {"run": "7", "native_session_id": "x"}, [("overwrite", ("7", "x"))], {}),
    ("engine/kill", {}, [("kill", None)], {}),
    ("engine/start", {}, [("start", None)], {"refused": None, "rest": IDLE}),
    ("scenario/close", {}, [("close", None)], {"leaks": ["run 7"]}),
]
NAMES = [method for method, _, _, _ in METHODS]


@pytest.mark.parametrize("method", ["course/cast", "course/play"])
def test_an_engine_of_mailboxes_plays_no_courses(desk: Desk, method: str) -> None:
    assert desk.begin().ask(method, {})["error"]["code"] == METHOD_NOT_FOUND


def test_every_other_method_of_the_protocol_is_among_those_that_are_asked_here() -> None:
    of_courses = {"course/cast", "course/play"}
    assert {"initialize", *NAMES, "shutdown"} == set(schemas.METHODS) - of_courses


@pytest.mark.parametrize(("method", "params", "heard", "result"), METHODS, ids=NAMES)
def test_each_method_is_one_call_of_the_engine_and_gives_what_that_gave(
    desk: Desk, method: str, params: Json, heard: list[tuple[str, object]], result: Json
) -> None:
    assert desk.result(method, params) == result
    assert desk.engine.heard == heard


def test_what_a_run_came_to_is_told(desk: Desk) -> None:
    desk.engine.result = StimulusResult("7", RunOutcome.FAILED, "no")

    assert desk.result("stimulus/send", RUN_DUE) == {"run": "7", "outcome": "failed", "error": "no", "rest": IDLE}


def test_what_the_engine_waits_for_is_told_with_every_answer_and_when_asked(desk: Desk) -> None:
    desk.engine.resting = Rest(
        idle=False,
        pending=(Pending("run 7", "container", "c7"), Pending("run 8", "run")),
        next_deadline=datetime(2026, 1, 5, 13, 0, tzinfo=UTC),
    )
    told = {
        "idle": False,
        "pending": [
            {"what": "run 7", "waits_for": "container", "container": "c7"},
            {"what": "run 8", "waits_for": "run"},
        ],
        "next_deadline": "2026-01-05T13:00:00Z",
    }

    assert desk.result("barrier/quiesce", {"deadline_ms": 1}) == told
    for method, params, _, result in METHODS:
        if "rest" in result:
            assert desk.result(method, params)["rest"] == told


@pytest.mark.parametrize(("method", "params"), [("scenario/open", OPEN), ("engine/start", {})])
def test_a_refused_configuration_is_no_error_and_says_nothing_of_rest(desk: Desk, method: str, params: Json) -> None:
    desk.engine.refusal = "X is no setting"

    assert desk.result(method, params) == {"refused": "X is no setting"}


def test_nothing_can_be_asked_before_the_beginning() -> None:
    desk = Desk()
    for method, params, _, _ in METHODS:
        assert desk.code(method, params) == -32600
    assert desk.ask("shutdown", {})["result"] == {}


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (
            UnsupportedError("control.kill"),
            {
                "code": -32001,
                "message": "control.kill is declared unsupported",
                "data": {"capability": "control.kill"},
            },
        ),
        (EngineError("out of memory"), {"code": -32002, "message": "out of memory"}),
        (FalseAdvertisingError("it cannot"), {"code": -32002, "message": "it cannot"}),
        (KeyError("x"), {"code": -32603, "message": "KeyError: 'x'"}),
        (KitError("no scenario"), {"code": -32603, "message": "KitError: no scenario"}),
        (RecursionError("too deep"), {"code": -32603, "message": "RecursionError: too deep"}),
        (EngineError("x" * 100_000), {"code": -32002, "message": "x" * 10_000}),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_the_engine_raises_becomes_an_error_with_its_code_and_the_server_goes_on(
    desk: Desk, fault: BaseException, error: Json
) -> None:
    desk.engine.fault = fault
    assert desk.ask("engine/kill", {})["error"] == error

    desk.engine.fault = None
    assert desk.result("engine/kill", {}) == {}


@pytest.mark.parametrize(
    "result", [object(), {1, 2}, float("nan"), "x" * MOST_BYTES], ids=["no JSON", "a set", "no number", "too long"]
)
def test_an_answer_that_cannot_be_sent_becomes_an_error(desk: Desk, result: Any) -> None:  # noqa: ANN401 -- any wrong value
    desk.engine.result = StimulusResult(run=result)
    assert desk.code("stimulus/send", RUN_DUE) == -32603

    desk.engine.result = StimulusResult()
    assert desk.result("stimulus/send", RUN_DUE)["run"] is None


def test_an_answer_with_the_end_of_its_line_is_a_mebibyte_at_most(desk: Desk) -> None:
    request = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "stimulus/send", "params": RUN_DUE}).encode()
    desk.engine.result = StimulusResult(run="")
    room = MOST_BYTES - 1 - len(desk.server.handle(request) or b"")

    desk.engine.result = StimulusResult(run="x" * room)
    assert len(desk.server.handle(request) or b"") == MOST_BYTES - 1
    desk.engine.result = StimulusResult(run="x" * (room + 1))
    assert desk.code("stimulus/send", RUN_DUE) == -32603


@pytest.mark.parametrize("method", ["initialise", "Initialize", "$/cancel", "rpc.discover", "__init__", "x" * 200])
def test_a_method_that_there_is_not(desk: Desk, method: str) -> None:
    assert desk.code(method, {}) == -32601
    assert desk.engine.heard == []


MISFITS: list[tuple[str, object]] = [
    ("initialize", {}),
    ("initialize", {**INITIALIZE, "protocol": 2}),
    ("scenario/open", {**OPEN, "seed": "7"}),
    ("scenario/open", {**OPEN, "more": 1}),
    ("scenario/open", {**OPEN, "config": {**OPEN["config"], "now": "2026-02-30T12:00:00Z"}}),
    ("stimulus/send", {"type": "issue.eaten", "payload": {}}),
    ("stimulus/send", {"type": "run.due", "payload": {"mailbox": MAILBOX}}),
    ("stimulus/send", {"type": "run.due", "payload": {"mailbox": {**MAILBOX, "iid": 0}, "phase": "answer"}}),
    ("clock/advance", {"ms": -1, "now": "2026-01-05T12:00:00Z"}),
    ("clock/advance", {"ms": 1, "now": "noon"}),
    ("clock/advance", {"ms": 1, "now": "2026-01-05T24:30:00Z"}),
    ("barrier/quiesce", {"deadline_ms": "soon"}),
    ("barrier/quiesce", {}),
    ("state/query", {"view": "moon"}),
    ("state/overwrite", {"run": "7"}),
    ("engine/kill", {"now": True}),
]


@pytest.mark.parametrize(("method", "params"), MISFITS, ids=lambda one: str(one)[:60])
def test_params_that_do_not_fit_never_reach_the_engine(desk: Desk, method: str, params: object) -> None:
    assert desk.code(method, params) == -32602
    assert desk.engine.heard == []


NO_REQUEST: list[object] = [
    [],
    [{"jsonrpc": "2.0", "id": "a", "method": "shutdown", "params": {}}],
    None,
    7,
    "shutdown",
    {},
    {"id": "a"},
    {"jsonrpc": "2.0", "id": 7, "method": "shutdown", "params": {}},
    {"jsonrpc": "2.0", "id": None, "method": "shutdown", "params": {}},
    {"jsonrpc": "2.0", "id": "", "method": "shutdown", "params": {}},
    {"jsonrpc": "1.0", "id": "a", "method": "shutdown", "params": {}},
    {"jsonrpc": "2.0", "id": "a", "method": "shutdown"},
    {"jsonrpc": "2.0", "id": "a", "method": "shutdown", "params": []},
    {"jsonrpc": "2.0", "id": "a", "method": 7, "params": {}},
    {"jsonrpc": "2.0", "id": "a", "method": "shutdown", "params": {}, "more": 1},
]


@pytest.mark.parametrize("message", NO_REQUEST, ids=str)
def test_json_that_is_no_request(desk: Desk, message: object) -> None:
    answer = desk.say(message)

    assert answer is not None
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert not desk.server.ended


@pytest.mark.parametrize("line", [b"", b"{", b"shutdown", b"\xff\xfe\xfa", b'{"a": "\xe9"}', b"[" * 200_000])
def test_what_is_no_json(desk: Desk, line: bytes) -> None:
    answer = desk.say(line)

    assert answer is not None
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)


def test_a_message_that_is_too_long_is_not_read(desk: Desk) -> None:
    message = {"jsonrpc": "2.0", "id": "a", "method": "shutdown", "params": {"text": ""}}
    room = MOST_BYTES - len(json.dumps(message))
    fits, longer = ({**message, "params": {"text": "x" * size}} for size in (room, room + 1))

    said = [desk.say(one) for one in (fits, longer)]

    assert [(one or {})["error"]["code"] for one in said] == [-32602, -32600]


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": "a"}},
        {"jsonrpc": "2.0", "method": "shutdown", "params": {}},
        {"jsonrpc": "2.0", "method": "shutdown"},
        {"method": 7},
        {"method": "nonsense", "params": []},
    ],
    ids=str,
)
def test_a_notification_is_never_answered_and_does_nothing(desk: Desk, message: object) -> None:
    assert desk.say(message) is None
    assert desk.engine.heard == []
    assert not desk.server.ended


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NOTHING: Json = {}
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": st.text(max_size=3) | JSON, "params": st.just(NOTHING) | st.just(RUN_DUE) | JSON},
    optional={"method": st.sampled_from([*schemas.METHODS]) | JSON},
)


@settings(max_examples=150)
@given(MESSAGES | JSON)
def test_whatever_is_said_is_answered_within_the_frame_or_not_at_all(message: object) -> None:
    desk = Desk().begin()
    answer = desk.say(message)

    notified = isinstance(message, dict) and "method" in message and "id" not in message
    assert (answer is None) == notified


# HTTP


@contextmanager
def listening(server: Server) -> Generator[Callable[..., tuple[int, bytes]]]:
    """Serve over HTTP, and give a way to post; it ends by `shutdown`."""
    told: list[str] = []
    there = threading.Event()

    def announce(url: str) -> None:
        told.append(url)
        there.set()

    thread = threading.Thread(target=serve_http, args=(server, 0, announce), daemon=True)
    thread.start()
    assert there.wait(30)
    where = urlsplit(told[0])
    assert where.hostname == "127.0.0.1"

    def post(body: bytes, path: str = "/rpc", method: str = "POST", **headers: str) -> tuple[int, bytes]:
        link = http.client.HTTPConnection(str(where.hostname), int(where.port or 0), timeout=20)
        try:
            link.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = link.getresponse()
            return answer.status, answer.read()
        finally:
            link.close()

    try:
        yield post
    finally:
        if not server.ended:
            post(SHUTDOWN)
        thread.join(10)
    assert not thread.is_alive()


SHUTDOWN = b'{"jsonrpc": "2.0", "id": "z", "method": "shutdown", "params": {}}'
KILL = b'{"jsonrpc": "2.0", "id": "a", "method": "engine/kill", "params": {}}'


def test_over_http_results_and_errors_come_back_with_status_200_and_shutdown_ends_it(desk: Desk) -> None:
    with listening(desk.server) as post:
        status, said = post(KILL)
        assert (status, whole(said)["result"]) == (200, {})
        status, said = post(b"nonsense")
        assert (status, whole(said)["error"]["code"]) == (200, -32700)
        assert post(b'{"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": "a"}}') == (200, b"")
        assert whole(post(SHUTDOWN)[1])["result"] == {}


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("/", "POST", {}, 404),
        ("/rpc/", "POST", {}, 404),
        ("/rpc", "GET", {}, 501),
        ("/rpc", "POST", {"Content_Length": "-1"}, 413),
        ("/rpc", "POST", {"Content_Length": "many"}, 413),
        ("/rpc", "POST", {"Content_Length": "0"}, 413),
        ("/rpc", "POST", {"Content_Length": str(MOST_BYTES + 1)}, 413),
        ("/rpc", "POST", {"Content_Length": "9" * 5000}, 413),
    ],
)
def test_what_is_no_message_over_http_is_refused_and_the_next_one_is_answered(
    desk: Desk, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    with listening(desk.server) as post:
        assert post(KILL, path, method, **headers)[0] == status
        assert desk.engine.heard == []
        assert post(KILL)[0] == 200


def test_a_connection_is_kept_and_one_that_asks_to_be_closed_is_closed(desk: Desk) -> None:
    with listening(desk.server) as post:
        assert post(KILL, Connection="close")[0] == 200
        assert post(KILL, Connection="keep-alive")[0] == 200


# Standard streams

PROGRAM = """\
import sys
from tck_driver.errors import EngineError
from tck_driver.server import Server, serve_stdio

class Engine:
    def __init__(self, directory):
        print("made", directory)
    def declare(self, capabilities):
        print("asked")
        raise EngineError("no")

serve_stdio(Server(Engine, "d", "1"))
"""


def _stdio(*lines: bytes, last: bytes = b"") -> tuple[int, list[Json], bytes]:
    """Give lines, and a piece without an end, to a server in a process; give its exit code, answers and chatter."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=b"".join(line + b"\n" for line in lines) + last,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.returncode, [whole(line) for line in done.stdout.splitlines()], done.stderr


def test_over_standard_streams_each_line_is_answered_by_one_and_nothing_else_is_said_there() -> None:
    request = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": INITIALIZE}).encode()
    code, answers, chatter = _stdio(
        request,
        b"x" * (3 * MOST_BYTES),
        b'{"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": "a"}}',
        b"",
        SHUTDOWN,
        last=b'{"jsonrpc": ',
    )

    errors = [(one["id"], one["error"]["code"]) for one in answers[:-1]]
    assert errors == [("a", -32002), (None, -32600), (None, -32700)]
    assert answers[-1] == {"jsonrpc": "2.0", "id": "z", "result": {}}
    assert (code, chatter) == (0, b"made /d\nasked\n")


def test_a_line_that_is_too_long_and_has_no_end_is_answered_once() -> None:
    code, answers, _ = _stdio(last=b"x" * (2 * MOST_BYTES))

    assert code == 0
    assert [one["error"]["code"] for one in answers] == [-32600]
