"""Every skeleton driver as its user finds it: written, started as its session-tck.toml says, and spoken to."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from tck_kit import skeleton
from tck_kit.skeleton import LANGUAGES, write_skeleton

from .needs import PROGRAMS, SOURCES, need

LIMIT = 1_048_576

Spoken = dict[str, Any]
ASKED = ["sessions", "view.sessions", "stimulus.run.due", "control.kill", "7", "constructor"]
INITIALIZE: Spoken = {
    "protocol": 1,
    "kit": {"name": "session-tck", "version": "0.1.0"},
    "spec": {"id": "small", "version": "0.1.0", "digest": "00"},
    "capabilities": ASKED,
    "directory": "/nowhere",
}
OPEN: Spoken = {"ref": "a", "seed": 7, "workdir": "/nowhere", "endpoints": {}, "config": {}}
DECLINED: list[tuple[str, Spoken, str]] = [
    ("scenario/open", OPEN, "sessions"),
    ("stimulus/send", {"type": "run.due", "payload": {}}, "stimulus.run.due"),
    ("stimulus/send", {"type": "issue.opened", "payload": {}}, "stimulus.issue.opened"),
    ("clock/advance", {"ms": 1000, "now": "2031-01-01T00:00:01Z"}, "control.clock"),
    ("state/query", {"view": "sessions"}, "view.sessions"),
    ("state/overwrite", {"run": "1", "native_session_id": "x"}, "control.overwrite"),
    ("engine/kill", {}, "control.kill"),
    ("engine/start", {}, "control.kill"),
]
ANSWERED: list[tuple[str, Spoken, Spoken]] = [
    ("barrier/quiesce", {"deadline_ms": 50}, {"idle": True, "pending": []}),
    ("scenario/close", {}, {"leaks": []}),
]
MALFORMED: list[tuple[str, object]] = [
    ("initialize", {}),
    ("initialize", {**INITIALIZE, "protocol": True}),
    ("initialize", {**INITIALIZE, "protocol": 2}),
    ("initialize", {**INITIALIZE, "capabilities": [None]}),
    ("initialize", {**INITIALIZE, "capabilities": {}}),
    ("scenario/open", {**OPEN, "seed": "7"}),
    ("scenario/open", {**OPEN, "config": []}),
    ("scenario/open", {**OPEN, "ref": None}),
    ("stimulus/send", {"type": 1, "payload": {}}),
    ("clock/advance", {"ms": "1", "now": "2031-01-01T00:00:01Z"}),
    ("barrier/quiesce", {}),
    ("state/query", {"view": ["sessions"]}),
    ("engine/kill", []),
    ("shutdown", None),
]


class Driver:
    """A driver as a process, and its lines. One that says nothing for a minute is killed, so that its test fails."""

    def __init__(self, folder: Path) -> None:
        command = tomllib.loads((folder / "session-tck.toml").read_text(encoding="utf-8"))["engine"]["command"]
        self.process = subprocess.Popen(
            shlex.split(command),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._patience = Timer(60, os.killpg, (self.process.pid, signal.SIGKILL))
        self._patience.start()

    def write(self, *lines: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def read(self) -> Spoken:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n")
        message: Spoken = json.loads(line.decode("utf-8"))
        assert message["jsonrpc"] == "2.0"
        assert ("result" in message) != ("error" in message)
        return message

    def ask(self, method: str, params: object, identifier: str = "1") -> Spoken:
        self.write(_request(method, params, identifier))
        answer = self.read()
        assert answer["id"] == identifier
        return answer

    def end(self, last: bytes = b"") -> tuple[int, bytes]:
        """Close standard input after a last piece; give the exit code, and what was still written."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(last)
        self.process.stdin.close()
        rest = self.process.stdout.read()
        code = self.process.wait()
        self._patience.cancel()
        self.process.stdout.close()
        return code, rest

    def leave(self) -> None:
        """End it, unless it has been ended."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.end()


def _request(method: str, params: object, identifier: str) -> bytes:
    message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
    return json.dumps(message, ensure_ascii=False).encode("utf-8")


def _notification(method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


@pytest.fixture(params=LANGUAGES)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    language: str = request.param
    need(*PROGRAMS[language])
    folder = tmp_path / "driver"
    write_skeleton(language, folder)
    return language, folder


@pytest.fixture
def driver(written: tuple[str, Path]) -> Iterator[Driver]:
    one = Driver(written[1])
    yield one
    one.leave()


def test_a_fresh_skeleton_supports_nothing_of_what_is_asked(driver: Driver) -> None:
    said = driver.ask("initialize", INITIALIZE)["result"]

    assert said["protocol"] == 1
    assert said["capabilities"] == dict.fromkeys(ASKED, "unsupported")
    assert said["clock"] == "wall"
    assert set(said["driver"]) == {"name", "version"}
    assert set(said["implementation"]) == {"name", "version", "language"}


def test_asked_about_nothing_it_answers_with_an_empty_object(driver: Driver) -> None:
    assert driver.ask("initialize", {**INITIALIZE, "capabilities": []})["result"]["capabilities"] == {}


def test_every_method_is_there_and_declines_or_answers(driver: Driver) -> None:
    for method, params, capability in DECLINED:
        error = driver.ask(method, params)["error"]
        assert (error["code"], error["data"]) == (-32001, {"capability": capability}), method
    for method, params, result in ANSWERED:
        assert driver.ask(method, params)["result"] == result, method


def test_an_unknown_method_is_refused(driver: Driver) -> None:
    for method in ("nonsense", "", "constructor", "__proto__", "Initialize", "$/cancel"):
        assert driver.ask(method, {})["error"]["code"] == -32601, method


def test_params_that_do_not_fit_are_refused(driver: Driver) -> None:
    for method, params in MALFORMED:
        assert driver.ask(method, params)["error"]["code"] == -32602, (method, params)


def test_params_may_be_left_out_where_none_are_needed(driver: Driver) -> None:
    driver.write(b'{"jsonrpc": "2.0", "id": "1", "method": "scenario/close"}')

    assert driver.read()["result"] == {"leaks": []}


NO_JSON = [
    b"{",
    b"",
    b"nonsense",
    b'{"jsonrpc": "2.0", "id": "1", "method": "shutdown", "params": {"n": NaN}}',
    b'{"jsonrpc": "2.0", "id": "\xff", "method": "shutdown", "params": {}}',
    b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": "1", "method": "shutdown", "params": {}}',
    b"[" * 200_000,
]


def test_a_line_that_is_no_json_is_told_without_an_id(driver: Driver) -> None:
    for line in NO_JSON:
        driver.write(line)
        told = driver.read()
        assert (told["id"], told["error"]["code"]) == (None, -32700), line[:80]
    assert driver.ask("scenario/close", {})["result"] == {"leaks": []}


NO_REQUEST = [
    (b'[{"jsonrpc": "2.0", "id": "1", "method": "shutdown", "params": {}}]', None),
    (b"null", None),
    (b'"shutdown"', None),
    (b"{}", None),
    (b'{"jsonrpc": "1.0", "id": "1", "method": "shutdown", "params": {}}', "1"),
    (b'{"id": "1", "method": "shutdown", "params": {}}', "1"),
    (b'{"jsonrpc": "2.0", "id": "1", "params": {}}', "1"),
    (b'{"jsonrpc": "2.0", "id": "1", "method": 7, "params": {}}', "1"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {}}', None),
    (b'{"jsonrpc": "2.0", "id": null, "method": "shutdown", "params": {}}', None),
]


def test_json_that_is_no_request_is_refused(driver: Driver) -> None:
    for line, identifier in NO_REQUEST:
        driver.write(line)
        told = driver.read()
        assert (told["id"], told["error"]["code"]) == (identifier, -32600), line
    assert driver.ask("scenario/close", {})["result"] == {"leaks": []}


def test_notifications_are_not_answered(driver: Driver) -> None:
    driver.write(
        _notification("$/cancel", {"id": "1"}),
        _notification("$/cancel", {"id": 7}),
        _notification("$/cancel", None),
        _notification("nonsense", {}),
        _notification("shutdown", {}),
    )

    assert driver.ask("scenario/close", {}, "the next")["result"] == {"leaks": []}


def test_an_id_comes_back_as_it_was(driver: Driver) -> None:
    for identifier in ("", " ", "1", "null", '"\\\n\t\x00', "grüße 日本 \U0001f600 </script>&", "x" * 10_000):
        assert driver.ask("scenario/close", {}, identifier)["result"] == {"leaks": []}


def test_text_comes_back_as_it_was(driver: Driver) -> None:
    view = 'grüße 日本 \U0001f600 </script>& \\ " \n'

    assert driver.ask("state/query", {"view": view})["error"]["data"] == {"capability": f"view.{view}"}


def test_a_line_of_a_mebibyte_is_taken_and_a_longer_one_refused(driver: Driver) -> None:
    empty = _request("stimulus/send", {"type": "a", "payload": {"text": ""}}, "1")
    room = LIMIT - 1 - len(empty)
    longest, longer = (
        _request("stimulus/send", {"type": "a", "payload": {"text": "x" * size}}, "1") for size in (room, room + 2)
    )

    driver.write(longest)
    assert driver.read()["error"]["code"] == -32001
    driver.write(longer + b"x" * LIMIT)
    told = driver.read()
    assert (told["id"], told["error"]["code"]) == (None, -32600)
    assert driver.ask("scenario/close", {})["result"] == {"leaks": []}


def test_an_answer_that_would_be_longer_than_a_line_becomes_an_error(driver: Driver) -> None:
    view = "x" * (LIMIT - 200)

    assert driver.ask("state/query", {"view": view})["error"]["code"] == -32603


def test_it_ends_after_shutdown(driver: Driver) -> None:
    assert driver.ask("shutdown", {})["result"] == {}
    assert driver.process.wait() == 0


def test_it_ends_at_the_end_of_its_input(driver: Driver) -> None:
    begun = b'{"jsonrpc": '
    code, rest = driver.end(_request("scenario/close", {}, "1") + b"\n" + begun)

    assert code == 0
    assert rest.count(b"\n") == 1


WORK = {
    "python": (
        "    return []\n\n\ndef quiesce",
        '    print("chatter")\n    return [{"what": "a", "waits_for": "work"}]\n\n\ndef quiesce',
    ),
    "node": ("  return [];", '  console.log("chatter");\n  return [{ what: "a", waits_for: "work" }];'),
    "php": ("    return [];", "    echo 'chatter';\n    return [['what' => 'a', 'waits_for' => 'work']];"),
    "go": (
        "\treturn []object{}\n",
        '\tfmt.Println("chatter")\n\treturn []object{{"what": "a", "waits_for": "work"}}\n',
    ),
}
BROKEN = {
    "python": ('    return {"leaks": []}', '    raise ValueError("gründlich")'),
    "node": ("  return { leaks: [] };", '  throw new Error("gründlich");'),
    "php": ("    return (object) ['leaks' => []];", "    throw new RuntimeException('gründlich');"),
    "go": ('\treturn object{"leaks": []string{}}, nil', '\tpanic("gründlich")'),
}
FAILED = {
    "python": (BROKEN["python"][0], '    raise Fault(ENGINE_FAILED, "it crashed")'),
    "node": (BROKEN["node"][0], '  throw new Fault(ENGINE_FAILED, "it crashed");'),
    "php": (BROKEN["php"][0], "    throw new Fault(ENGINE_FAILED, 'it crashed');"),
    "go": (BROKEN["go"][0], '\treturn nil, &fault{code: engineFailed, message: "it crashed"}'),
}


@pytest.fixture
def changed(written: tuple[str, Path]) -> Iterator[Callable[[dict[str, tuple[str, str]]], Driver]]:
    """Start the skeleton with a piece of its source replaced, as its user would."""
    language, folder = written
    started: list[Driver] = []

    def start(change: dict[str, tuple[str, str]]) -> Driver:
        source = folder / SOURCES[language]
        text = source.read_text(encoding="utf-8")
        old, new = change[language]
        assert text.count(old) == 1
        source.write_text(text.replace(old, new), encoding="utf-8")
        started.append(Driver(folder))
        return started[-1]

    yield start
    for one in started:
        one.leave()


Change = Callable[[dict[str, tuple[str, str]]], Driver]


def test_a_request_that_is_cancelled_is_answered_before_its_deadline_and_chatter_stays_out(changed: Change) -> None:
    driver = changed(WORK)
    hours = 3_600_000
    driver.write(_request("barrier/quiesce", {"deadline_ms": hours}, "long"), _notification("$/cancel", {"id": "long"}))
    answer = driver.read()

    assert answer["id"] == "long"
    assert answer["result"] == {"idle": False, "pending": [{"what": "a", "waits_for": "work"}]}


def test_the_cancelling_of_another_request_changes_nothing(changed: Change) -> None:
    driver = changed(WORK)
    driver.write(_notification("$/cancel", {"id": "a"}), _request("barrier/quiesce", {"deadline_ms": 100}, "b"))

    assert driver.read()["id"] == "b"


def test_the_end_of_its_input_ends_it_while_it_works(changed: Change) -> None:
    driver = changed(WORK)
    driver.write(_request("barrier/quiesce", {"deadline_ms": 3_600_000}, "long"))

    assert driver.end()[0] == 0


def test_a_fault_in_a_method_is_an_internal_error_and_the_driver_goes_on(changed: Change) -> None:
    driver = changed(BROKEN)
    error = driver.ask("scenario/close", {})["error"]

    assert error["code"] == -32603
    assert "gründlich" in error["message"]
    assert driver.ask("barrier/quiesce", {"deadline_ms": 0})["result"] == {"idle": True, "pending": []}


def test_a_failure_of_the_engine_can_be_told(changed: Change) -> None:
    assert changed(FAILED).ask("scenario/close", {})["error"] == {"code": -32002, "message": "it crashed"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_method_says_where_to_read_about_it_and_that_is_there(language: str) -> None:
    (source,) = [path for path in skeleton.files_of(language) if path.name == SOURCES[language]]
    text = " ".join(line.strip(" \t/#") for line in source.read_text(encoding="utf-8").splitlines())
    page = (Path(__file__).parents[2] / "docs" / "driver-protocol.md").read_text(encoding="utf-8")
    headings = {line.lstrip("# ") for line in page.splitlines() if line.startswith("#")}
    named = re.findall(r'docs/driver-protocol\.md, "([^"]+)"(?:, and [a-z ]+ in "([^"]+)")?', text)

    assert {one for pair in named for one in pair if one} <= headings
    assert {first for first, _ in named} >= {method for method, _, _ in (*DECLINED, *ANSWERED)}
    assert {second for _, second in named} >= {"Stimuli", "Views"}
    assert "TODO" not in text
