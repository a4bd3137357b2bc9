"""Requests about containers: what each leads to, and when it is answered."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliStarted, ContainerEnded, ContainerStarted
from tck_fakes.docker_api import containers

from ..outside import PATIENCE, until  # noqa: TID252 -- the room that this one is in
from .house import CODEX, House


def attach(house: House, name: str = "nn", query: str = "stream=1&stdout=1&stderr=1") -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(PATIENCE)
    link.connect(str(house.socket))
    path = f"/v1.44/containers/{name}/attach?{query}"
    link.sendall(f"POST {path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += link.recv(1)
    assert head.startswith(b"HTTP/1.1 101 UPGRADED\r\n"), head
    return link


def frames(link: socket.socket) -> Iterator[tuple[int, str]]:
    with link, link.makefile("rb") as data:
        while head := data.read(8):
            number, size = struct.unpack(">BxxxL", head)
            yield number, data.read(size).decode()


def hows(house: House) -> list[tuple[str, int | None]]:
    return [(record.how, record.exit_code) for record in house.box.witness.of(ContainerEnded)]


def test_a_container_is_made_started_waited_for_and_removed(house: House) -> None:
    made = house.create(name="nn")
    assert (len(made), house.box.witness.records) == (64, [])
    assert house.ask("GET", "/containers/nn/json").json["State"]["Status"] == "created"
    assert house.ask("POST", f"/containers/{made[:12]}/start").status == 204
    reply = house.ask("POST", "/containers/nn/wait")
    assert (reply.status, reply.json) == (200, {"Error": None, "StatusCode": 0})
    assert house.ask("DELETE", "/containers/nn").status == 204
    assert hows(house) == [("exited", 0), ("removed", 0)]
    assert house.ask("GET", "/containers/nn/json").status == 404


def test_an_attached_client_sees_both_streams_up_to_the_end(house: House) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script(duration_ms=5000))
    house.create()
    link = attach(house)
    house.ask("POST", "/containers/nn/start")
    with house.lock:
        house.box.clock.advance(5000)
    said = list(frames(link))
    assert said[0] == (2, "Reading additional input from stdin...\n")
    assert [json.loads(text)["type"] for number, text in said if number == 1] == [
        "thread.started",
        "turn.started",
        "item.completed",
        "turn.completed",
    ]


@pytest.mark.parametrize(("query", "numbers"), [("stdout=1", {1}), ("stderr=1", {2}), ("stdout=1&stderr=True", {1, 2})])
def test_only_the_streams_that_are_asked_for_are_shown(house: House, query: str, numbers: set[int]) -> None:
    house.create()
    link = attach(house, query=f"stream=1&{query}")
    house.ask("POST", "/containers/nn/start")
    assert {number for number, _ in frames(link)} == numbers


def test_a_terminal_has_one_stream_without_frames(house: House) -> None:
    house.create("claude", "-p", "--", "hello", Tty=True)
    link = attach(house)
    house.ask("POST", "/containers/nn/start")
    with link, link.makefile("rb") as data:
        assert data.read() == b"Done.\r\n"
    assert house.ask("GET", "/containers/nn/logs?stdout=1&stderr=1").body == b"Done.\r\n"


def test_whoever_attaches_later_sees_what_comes_from_then_on_or_all(house: House) -> None:
    house.hang()
    later, whole = attach(house), attach(house, query="stream=1&stdout=1&logs=1")
    house.release()
    assert "thread.started" not in "".join(text for _, text in frames(later))
    assert "thread.started" in "".join(text for _, text in frames(whole))
    assert list(frames(attach(house))) == []


@pytest.mark.parametrize("order", ["before", "after"])
def test_standard_input_up_to_its_end_is_what_the_agent_reads(house: House, order: str) -> None:
    prompt = "Ünï\n" + "x" * 300_000
    house.create("claude", "-p", OpenStdin=True, StdinOnce=True)
    link = attach(house, query="stream=1&stdin=1&stdout=1")
    if order == "before":
        assert house.ask("POST", "/containers/nn/start").status == 204
        assert house.ask("GET", "/containers/nn/json").json["State"]["Running"] is True
        assert (house.box.runtime.parked("nn"), house.box.witness.records) == (False, [])
    link.sendall(prompt.encode())
    link.shutdown(socket.SHUT_WR)
    if order == "after":
        until(lambda: house.box.runtime.containers()[0].fed, "all of it came")
        assert house.ask("POST", "/containers/nn/start").status == 204
    assert list(frames(link)) == [(1, "Done.\n")]
    assert [record.stdin for record in house.box.witness.of(ContainerStarted)] == [prompt]
    assert [record.prompt for record in house.box.witness.of(CliStarted)] == [prompt]


def test_standard_input_that_nobody_attaches_to_is_given_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "PATIENCE", 0.01)
    house.run("claude", "-p", "--", "hello", OpenStdin=True)
    assert house.ask("POST", "/containers/nn/wait").json["StatusCode"] == 0
    assert [record.stdin for record in house.box.witness.of(ContainerStarted)] == [""]


def fails(*_: object) -> None:
    raise RuntimeError("out of order")


def test_a_container_whose_begin_fails_has_ended_for_whoever_waits(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house.box.runtime, "_start_cli", fails)
    house.create()
    link = attach(house)
    reply = house.ask("POST", "/containers/nn/start")
    assert (reply.status, "RuntimeError: out of order" in reply.message, list(frames(link))) == (500, True, [])
    assert house.ask("POST", "/containers/nn/wait").json["StatusCode"] == 125
    assert house.unknown == ["how to answer POST /containers/nn/start (RuntimeError: out of order)"]


@pytest.mark.parametrize("attached", [True, False])
def test_a_begin_that_fails_once_standard_input_has_ended_is_noted_and_lets_clients_go(
    house: House, monkeypatch: pytest.MonkeyPatch, *, attached: bool
) -> None:
    monkeypatch.setattr(containers, "PATIENCE", 0.01)
    house.hang("other")
    monkeypatch.setattr(house.box.runtime, "_start_cli", fails)
    house.create("claude", "-p", OpenStdin=True)
    link = attach(house, query="stream=1&stdin=1&stdout=1") if attached else None
    bystander = attach(house, "other")
    assert house.ask("POST", "/containers/nn/start").status == 204
    if link is not None:
        link.shutdown(socket.SHUT_WR)
        assert list(frames(link)) == []
    assert list(frames(bystander)) == []
    assert house.ask("POST", "/containers/nn/wait").json["StatusCode"] == 125
    what = "how to take standard input" if attached else "how to go on without standard input"
    assert house.unknown == [f"{what} (RuntimeError: out of order)"]


@pytest.mark.parametrize("attached", [True, False])
def test_a_container_that_still_reads_does_not_begin_after_its_scenario(
    house: House, monkeypatch: pytest.MonkeyPatch, *, attached: bool
) -> None:
    monkeypatch.setattr(containers, "PATIENCE", 0.2)
    house.create("claude", "-p", OpenStdin=True)
    link = attach(house, query="stream=1&stdin=1&stdout=1") if attached else None
    assert house.ask("POST", "/containers/nn/start").status == 204
    with house.lock:
        house.programs.close()
        house.daemon = None
    if link is not None:
        assert list(frames(link)) == []
    until(lambda: not any("timer" in one.name or "input" in one.name for one in threading.enumerate()), "nothing waits")
    assert house.box.witness.records == []


@pytest.mark.parametrize(
    ("method", "path", "how"),
    [("POST", "/containers/nn/kill", "stopped"), ("DELETE", "/containers/nn?force=1", "removed")],
)
def test_a_container_that_still_reads_can_be_ended(house: House, method: str, path: str, how: str) -> None:
    house.create("claude", "-p", OpenStdin=True)
    link = attach(house, query="stream=1&stdin=1&stdout=1")
    house.ask("POST", "/containers/nn/start")
    assert house.ask(method, path).status == 204
    assert (list(frames(link)), hows(house)) == ([], [(how, 137)])
    assert len(house.box.witness.of(ContainerStarted)) == 1


def test_waiting_ends_as_its_condition_says(house: House) -> None:
    house.create()
    assert house.ask("POST", "/containers/nn/wait").json == {"Error": None, "StatusCode": 0}
    links = []
    for condition in ("next-exit", "removed"):
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(PATIENCE)
        link.connect(str(house.socket))
        link.sendall(f"POST /containers/nn/wait?condition={condition} HTTP/1.1\r\n\r\n".encode())
        # That somebody listens is said before anything else, or `docker run` would never start its container.
        assert link.recv(15) == b"HTTP/1.1 200 OK"
        links.append(link)
    house.box.runtime.script(AdapterId.CODEX, Script("generic_error"))
    house.ask("POST", "/containers/nn/start")
    assert b'{"Error":null,"StatusCode":1}' in _rest(links[0])
    assert house.ask("DELETE", "/containers/nn").status == 204
    assert b'{"Error":null,"StatusCode":1}' in _rest(links[1])
    assert house.ask("POST", "/containers/nn/wait").status == 404


def _rest(link: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"0\r\n\r\n"):
        data += link.recv(65_536)
    link.close()
    return data


def test_a_container_that_removes_itself_is_gone_before_anybody_learns_of_its_end(house: House) -> None:
    house.hang(HostConfig={"AutoRemove": True})
    link = attach(house)
    house.release()
    list(frames(link))
    assert (house.ask("GET", "/containers/json?all=1").json, hows(house)) == ([], [("exited", 0), ("removed", 0)])


def test_logs_show_what_came_so_far_its_last_lines_or_everything_to_the_end(house: House) -> None:
    house.hang()
    first = house.ask("GET", "/containers/nn/logs?stdout=1&stderr=1").body
    assert (b"thread.started" in first, b"turn.completed" in first) == (True, False)
    last = house.ask("GET", "/containers/nn/logs?stdout=1&tail=1").body
    assert (last.count(b"\n"), first.endswith(last)) == (1, True)
    assert house.ask("GET", "/containers/nn/logs").status == 400
    huge = house.ask("GET", f"/containers/nn/logs?stdout=1&tail={'9' * 5000}")
    assert (huge.status, huge.message) == (400, f"tail is no number: {'9' * 50}")
    house.release()
    assert b"turn.completed" in house.ask("GET", "/containers/nn/logs?stdout=1&follow=1").body


ENDS = [
    ("kill", {}, 137),
    ("kill?signal=KILL", {}, 137),
    ("kill?signal=TERM", {"Init": True}, 143),
    ("kill?signal=SIGINT", {"Init": True}, 130),
    ("kill?signal=1", {"Init": True}, 129),
    ("stop", {}, 137),
    ("stop?t=3", {"Init": True}, 143),
    ("stop?signal=INT", {"Init": True}, 130),
]


@pytest.mark.parametrize(("action", "host", "code"), ENDS)
def test_a_running_container_is_ended_from_outside(
    house: House, action: str, host: dict[str, object], code: int
) -> None:
    house.hang(HostConfig=host)
    assert house.ask("POST", f"/containers/nn/{action}").status == 204
    assert hows(house) == [("stopped", code)]


def test_a_signal_that_nothing_handles_is_ignored_without_an_init_process(house: House) -> None:
    house.hang()
    assert house.ask("POST", "/containers/nn/kill?signal=TERM").status == 204
    assert house.box.runtime.parked("nn")


#: What a container is when it is asked → request, status and what the message says.
STATES = [
    ("running", "POST", "start", 304, ""),
    ("running", "DELETE", "", 409, "container is running: stop the container before removing or force remove"),
    ("running", "POST", "kill?signal=NONE", 400, "invalid signal: NONE"),
    ("running", "POST", f"kill?signal={'9' * 5000}", 400, "invalid signal: 999"),
    ("running", "POST", f"stop?signal={'9' * 5000}", 400, "invalid signal: 999"),
    ("running", "POST", "resize?h=1&w=1", 200, ""),
    ("ended", "POST", "kill", 409, "is not running"),
    ("ended", "POST", "stop", 304, ""),
    ("ended", "POST", "resize?h=1&w=1", 409, "is not running"),
    ("ended", "POST", "wait?condition=odd", 400, "invalid condition"),
]


@pytest.mark.parametrize("row", STATES)
def test_what_does_not_fit_the_state_is_answered_as_docker_does(
    house: House, row: tuple[str, str, str, int, str]
) -> None:
    state, method, action, status, text = row
    made = house.hang()
    if state == "ended":
        house.release()
    reply = house.ask(method, f"/containers/{made}/{action}".rstrip("/"))
    assert (reply.status, text in reply.body.decode()) == (status, True), reply.body


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "json"), ("POST", "start"), ("POST", "stop"), ("POST", "kill"), ("POST", "wait"), ("DELETE", ""),
        ("POST", "attach?stdout=1"), ("GET", "logs?stdout=1"), ("POST", "exec"), ("POST", "resize"),
    ],
)  # fmt: skip
def test_a_container_that_is_not_there_is_named(house: House, method: str, path: str) -> None:
    reply = house.ask(method, f"/containers/nobody/{path}".rstrip("/"))
    assert (reply.status, reply.message, house.unknown) == (404, "No such container: nobody", [])


def test_a_name_is_taken_until_its_container_is_removed(house: House) -> None:
    made = house.create()
    reply = house.ask("POST", "/containers/create?name=nn", {"Image": "image", "Cmd": CODEX})
    assert (reply.status, f'"/nn" is already in use by container "{made}"' in reply.message) == (409, True)


@pytest.mark.parametrize("host", [{}, {"AutoRemove": True}])
def test_a_program_that_no_image_has_is_docker_s_error_and_the_kit_s_lack(house: House, host: dict[str, bool]) -> None:
    house.create("sh", "-c", "true", HostConfig=host)
    link = attach(house)
    reply = house.ask("POST", "/containers/nn/start")
    assert (reply.status, 'exec: "sh": executable file not found in $PATH' in reply.message) == (400, True)
    assert (list(frames(link)), house.unknown) == ([], ["the program 'sh' in the image image"])
    assert house.ask("GET", "/containers/nn/json").status == (404 if host else 200)
    if not host:
        state = house.ask("GET", "/containers/nn/json").json["State"]
        assert (state["Status"], state["ExitCode"], "sh" in state["Error"]) == ("created", 127, True)
        waited = house.ask("POST", "/containers/nn/wait").json
        assert (waited["StatusCode"], "sh" in waited["Error"]["Message"]) == (127, True)


FILTERS: list[tuple[object, str, list[str]]] = [
    (None, "", ["cc", "bb"]),
    (None, "all=1", ["cc", "bb", "aa"]),
    (None, "limit=2", ["cc", "bb"]),
    ({"label": ["run=r1"]}, "all=1", ["aa"]),
    ({"label": {"run=r1": True}}, "all=true", ["aa"]),
    ({"label": ["run", "kind=x"]}, "all=1", ["bb"]),
    ({"name": ["^/bb$"]}, "", ["bb"]),
    ({"name": ["b", "c"]}, "", ["cc", "bb"]),
    ({"status": ["exited"]}, "", ["aa"]),
    ({"exited": ["0"]}, "", ["aa"]),
    ({"ancestor": ["other"]}, "all=1", []),
]


@pytest.mark.parametrize(("filters", "query", "names"), FILTERS)
def test_containers_are_listed_by_filters_newest_first(
    house: House, filters: object, query: str, names: list[str]
) -> None:
    house.run(name="aa", Labels={"run": "r1"})
    house.hang("bb", Labels={"run": "r2", "kind": "x"})
    house.hang("cc")
    query += "" if filters is None else f"&filters={quote(json.dumps(filters))}"
    rows = house.ask("GET", f"/v1.44/containers/json?{query}").json
    assert [row["Names"] for row in rows] == [[f"/{name}"] for name in names]


BROKEN = [
    ("filters=x", 400, "the filters are no JSON"),
    ("filters=[]", 400, "the filters are no JSON object"),
    ('filters={"label":1}', 400, "the values of the filter label are no list"),
    ('filters={"odd":["x"]}', 400, "invalid filter 'odd'"),
    ('filters={"name":["("]}', 400, "invalid filter 'name=('"),
    ("limit=x", 400, "limit is no number: x"),
    (f"limit={'9' * 5000}", 400, f"limit is no number: {'9' * 50}"),
]


@pytest.mark.parametrize(("query", "status", "text"), BROKEN)
def test_a_filter_that_there_is_none_of_is_refused(house: House, query: str, status: int, text: str) -> None:
    reply = house.ask("GET", f"/containers/json?{quote(query, safe='=')}")
    assert (reply.status, text in reply.message, house.unknown) == (status, True, []), reply.body


def test_what_does_not_run_is_pruned_by_label(house: House) -> None:
    ended = house.run(name="aa", Labels={"run": "r1"})
    house.run(name="bb", Labels={"run": "r2"})
    house.hang("cc", Labels={"run": "r1"})
    query = quote(json.dumps({"label": ["run=r1"]}))
    assert house.ask("POST", f"/containers/prune?filters={query}").json == {
        "ContainersDeleted": [ended],
        "SpaceReclaimed": 0,
    }
    assert len(house.ask("GET", "/containers/json?all=1").json) == 2


def test_the_program_and_the_api_see_the_same_containers(house: House) -> None:
    made = house.hang()
    with house.lock:
        live = house.programs.daemon.find("nn")
        house.programs.daemon.stop(live)
    assert house.ask("GET", f"/containers/{made}/json").json["State"]["ExitCode"] == 137


# What the stand-in does not know

UNKNOWN = [
    ("POST", "/containers/nn/exec", "docker exec"),
    ("PUT", "/containers/nn/archive?path=/", "the request PUT /containers/nn/archive"),
    ("GET", "/containers/nn/archive?path=/", "the request GET /containers/nn/archive"),
    ("GET", "/containers/nn/stats", "the request GET /containers/nn/stats"),
    ("GET", "/volumes", "the request GET /volumes"),
    ("POST", "/volumes/create", "the request POST /volumes/create"),
    ("GET", "/events", "the request GET /events"),
    ("POST", "/build", "the request POST /build"),
    ("GET", "/containers/nn/logs?stdout=1&timestamps=1", "logs with timestamps"),
    ("GET", '/containers/json?filters={"health":["x"]}', "the filter health for containers"),
    ("POST", "/containers/ended/start", "a second start of the same container"),
]


@pytest.mark.parametrize(("method", "path", "noted"), UNKNOWN)
@pytest.mark.parametrize("prefix", ["", "/v1.24", "/v1.52"])
def test_what_the_stand_in_does_not_know_is_refused_and_remembered(
    house: House, method: str, path: str, noted: str, prefix: str
) -> None:
    house.hang()
    house.run(name="ended")
    reply = house.ask(method, prefix + quote(path, safe="/?&="))
    assert (reply.status, len(house.unknown), house.unknown[0].startswith(noted)) == (501, 1, True), house.unknown
    assert reply.message.startswith(f"session-tck's stand-in for docker does not know {noted}")


@pytest.mark.parametrize(
    ("prefix", "status"),
    [("", 200), ("/v1.24", 200), ("/v1.52", 200), ("/v1.53", 400), ("/v1.23", 400), ("/v2.0", 400)],
)
def test_versions_are_spoken_by_prefix(house: House, prefix: str, status: int) -> None:
    reply = house.ask("GET", f"{prefix}/containers/json")
    assert (reply.status, reply.headers["Api-Version"]) == (status, "1.50")


def test_without_a_scenario_only_the_daemon_is_known(house: House) -> None:
    house.daemon = None
    statuses = [house.ask("GET", path).status for path in ("/_ping", "/v1.44/version", "/info", "/containers/json")]
    assert statuses == [200, 200, 200, 503]


def test_what_is_under_way_ends_with_its_scenario(house: House) -> None:
    house.hang()
    links = [attach(house), attach(house, query="stream=1&stdout=1&logs=1")]
    with house.lock:
        house.programs.close()
    said = [list(frames(link)) for link in links]
    assert (said[0], len(said[1])) == ([], 2)
    assert house.box.runtime.parked("nn")
    assert [link.fileno() for link in links] == [-1, -1]
