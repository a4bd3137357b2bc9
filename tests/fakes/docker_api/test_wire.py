"""Whatever comes over the socket is answered, and nothing that comes or does not come holds anybody up."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from tck_driver.bench import Script
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId
from tck_fakes.docker_api import answer, listener, wire
from tck_fakes.docker_api.listener import DockerListener

from ..outside import PATIENCE, until  # noqa: TID252 -- the room that this one is in
from .house import House


def visit(house: House) -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(PATIENCE)
    link.connect(str(house.socket))
    return link


def everything(link: socket.socket) -> bytes:
    data = b""
    while block := link.recv(65_536):
        data += block
    link.close()
    return data


def said(house: House, sent: bytes, *, ends: bool = True) -> tuple[int, bytes]:
    link = visit(house)
    link.sendall(sent)
    if ends:
        link.shutdown(socket.SHUT_WR)
    head, _, body = everything(link).partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), body


MALFORMED = [
    (b"hello\r\n\r\n", 400, "the request line is none of HTTP/1.1"),
    (b"GET /_ping HTTP/2\r\n\r\n", 400, "the request line is none of HTTP/1.1"),
    (b"get /_ping HTTP/1.1\r\n\r\n", 400, "the request line is none of HTTP/1.1"),
    (b"GET /_ping HTTP/1.1\r\nno header\r\n\r\n", 400, "a header of the request has no name"),
    (b"GET /_ping HTTP/1.1\r\n: x\r\n\r\n", 400, "a header of the request has no name"),
    (b"GET /_ping HT", 400, "the connection ended in the middle of a request"),
    (b"GET http://[/ HTTP/1.1\r\n\r\n", 400, "the target of the request is no address"),
    (b"POST /containers/create HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "the content length is no number"),
    (b"POST /containers/create HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "the content length is no number"),
    (b"POST /containers/create HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc", 400, "in the middle of a request"),
    (b"POST /containers/create HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413, "longer than 16777216 bytes"),
    (b"POST /containers/create HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400, "the transfer encoding gzip"),
    (b"POST /containers/create HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "a chunk of the body"),
    (b"POST /containers/create HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413, "longer than 16777216"),
    (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 431, "the head of a request is longer than 65536 bytes"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "the request line is none of HTTP/1.1"),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "status", "text"), MALFORMED)
def test_what_is_no_request_is_refused_in_one_line(house: House, sent: bytes, status: int, text: str) -> None:
    got, body = said(house, sent)
    message = json.loads(body)["message"]
    assert (got, text in message, "\n" in message) == (status, True, False), message
    assert house.ask("GET", "/_ping").status == 200


BODIES = [
    ("", "the body is no JSON"),
    ("{", "the body is no JSON"),
    ("[]", "the body is no JSON object"),
    ("null", "the body is no JSON object"),
    ("[" * 100_000, "the body is no JSON"),
    ('{"Image": 1}', "the field Image has a value of the wrong type"),
    ('{"Image": "image", "Cmd": {"a": 1}}', "the field Cmd has a value of the wrong type"),
    ('{"Image": "image", "Cmd": ["claude"], "HostConfig": {"Memory": "much"}}', ""),
]


@pytest.mark.parametrize(("text", "message"), BODIES)
def test_a_body_that_cannot_be_read_is_refused_and_no_fault_of_the_kit_s(house: House, text: str, message: str) -> None:
    sent = f"POST /containers/create HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    status, body = said(house, (sent + text).encode())
    if message:
        assert (status, json.loads(body)["message"].startswith(message)) == (400, True), body
    assert house.unknown == []


def test_a_body_of_another_kind_is_refused(house: House) -> None:
    status, body = said(
        house, b"POST /containers/create HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"
    )
    text = "Content-Type specified (text/plain) must be 'application/json'"
    assert (status, json.loads(body)) == (400, {"message": text})


def test_requests_follow_each_other_on_one_connection_however_they_are_cut(house: House) -> None:
    link = visit(house)
    body = json.dumps({"Image": "image", "Cmd": ["claude"]}).encode()
    chunked = b"%x\r\n%b\r\n%x;x=y\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" % (5, body[:5], len(body) - 5, body[5:])
    sent = (
        b"GET /_ping HTTP/1.1\r\n\r\n\r\n"
        b"POST /containers/create?name=nn HTTP/1.1\nContent-Type: application/json\nTransfer-Encoding: chunked\n\n"
        + chunked
        + b"HEAD /_ping HTTP/1.1\r\n\r\nGET /containers/nn/json HTTP/1.1\r\nConnection: close\r\n\r\n"
    )
    for at in range(0, len(sent), 7):
        link.sendall(sent[at : at + 7])
    answers = everything(link)
    assert [answers.count(b"HTTP/1.1 %b" % one) for one in (b"200 OK", b"201 Created")] == [3, 1]
    assert answers.endswith(b"}\n")


def test_a_client_that_asks_whether_a_body_is_welcome_is_told(house: House) -> None:
    link = visit(house)
    link.sendall(
        b"POST /networks/create HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 14\r\n"
        b"Expect: 100-continue\r\nConnection: close\r\n\r\n"
    )
    assert link.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    link.sendall(b'{"Name": "nn"}')
    assert everything(link).startswith(b"HTTP/1.1 201 Created\r\n")


def test_a_request_that_never_comes_whole_is_given_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "PATIENCE", 0.05)
    status, body = said(house, b"GET /_ping HTTP/1.1\r\nHost", ends=False)
    assert (status, "was not there within" in json.loads(body)["message"]) == (408, True)


def test_more_connections_than_there_is_room_for_are_told_so(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MAX_CONNECTIONS", 2)
    held = [visit(house) for _ in range(2)]
    for link in held:
        link.sendall(b"GET /_ping HTTP/1.1\r\n\r\n")
        assert link.recv(15) == b"HTTP/1.1 200 OK"
    assert said(house, b"GET /_ping HTTP/1.1\r\n\r\n")[0] == 503
    for link in held:
        link.close()
    until(lambda: said(house, b"GET /_ping HTTP/1.1\r\n\r\n")[0] == 200, "there is room again")


def logs(house: House) -> socket.socket:
    """Follow a log without reading it."""
    link = visit(house)
    link.sendall(b"GET /containers/nn/logs?stdout=1&follow=1 HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert link.recv(15) == b"HTTP/1.1 200 OK"
    return link


@pytest.fixture
def talkative(house: House) -> House:
    """A claude that says much when its time has passed."""
    house.box.runtime.script(AdapterId.CLAUDE_CODE, Script("ok", duration_ms=1000, answer="x" * 20_000_000))
    house.run("claude", "-p", "--", "hello")
    return house


def test_a_client_that_does_not_read_holds_nobody_up(talkative: House) -> None:
    link = logs(talkative)
    with talkative.lock:
        talkative.box.clock.advance(1000)
    assert talkative.ask("GET", "/containers/nn/json").json["State"]["Status"] == "exited"
    assert not talkative.listener.relayed()
    data = everything(link)
    assert (data.count(b"x") >= 20_000_000, data.endswith(b"0\r\n\r\n")) == (True, True)
    assert talkative.listener.relayed()


def test_a_client_that_never_reads_is_given_up(talkative: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "MAX_WAITING", 1_000_000)
    link = logs(talkative)
    with talkative.lock:
        talkative.box.clock.advance(1000)
    assert talkative.listener.relayed()
    assert not everything(link).endswith(b"0\r\n\r\n")


def test_a_client_that_vanishes_is_let_go(talkative: House) -> None:
    logs(talkative).close()
    visit(talkative).close()
    with talkative.lock:
        talkative.box.clock.advance(1000)
    assert talkative.ask("GET", "/containers/nn/json").json["State"]["ExitCode"] == 0
    until(talkative.listener.relayed, "nobody is left")


def test_closing_leaves_neither_thread_nor_file(house: House) -> None:
    house.hang()
    waiting = visit(house)
    waiting.sendall(b"POST /containers/nn/wait HTTP/1.1\r\n\r\n")
    assert waiting.recv(15) == b"HTTP/1.1 200 OK"
    attached = visit(house)
    attached.sendall(b"POST /containers/nn/attach?stream=1&stdout=1&stdin=1 HTTP/1.1\r\nUpgrade: tcp\r\n\r\n")
    assert attached.recv(8) == b"HTTP/1.1"
    idle = visit(house)
    house.listener.close()
    house.listener.close()
    for link in (waiting, attached, idle):
        everything(link)
    assert not house.socket.exists()
    assert [thread.name for thread in threading.enumerate() if "docker" in thread.name] == []


def test_closing_succeeds_while_the_lock_is_held(house: House) -> None:
    with house.lock:
        link = visit(house)
        link.sendall(b"GET /containers/json HTTP/1.1\r\n\r\n")
        until(lambda: any("connection" in thread.name for thread in threading.enumerate()), "a request came")
        house.listener.close()
    assert everything(link) == b""


def test_a_place_without_room_for_a_socket_is_named(house: House) -> None:
    place = house.box.root / ("x" * 104)
    with pytest.raises(KitError, match="longer than 103 bytes; use a shorter folder"):
        DockerListener(place, lambda: None, threading.RLock()).start()


def test_a_fault_of_the_kit_s_own_is_told_and_remembered(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(house.box.runtime, "create", break_down)
    reply = house.ask("POST", "/containers/create", {"Image": "image", "Cmd": ["claude"]})
    assert (reply.status, "a fault of the kit" in reply.message) == (500, True)
    assert house.unknown == ["how to answer POST /containers/create (RuntimeError: out of order)"]
