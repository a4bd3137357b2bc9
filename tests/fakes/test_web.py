"""Forge and model over HTTP, as an engine of any language meets them."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from tck_driver.bench import TrackerAnswer
from tck_driver.errors import DriverError, KitError
from tck_driver.vocabulary import MailboxRef
from tck_driver.witness import ForgeWrite, ModelCalled, Record
from tck_fakes.forge import FIRST_MERGE_REQUEST
from tck_fakes.stage import Stage
from tck_fakes.web import Web
from tck_simulator.ports import ModelAnswer

from .outside import until

Json = dict[str, Any]
ISSUE = MailboxRef("acme", "shöp & co", "issue", 17)
MAILBOX: Json = {"organization": "acme", "project": "shöp & co", "kind": "issue", "iid": 17}
LOOK = f"/forge/issue?{urlencode(MAILBOX)}"


@dataclass(slots=True)
class Site:
    """The two services of one scenario, and a short way to ask them."""

    stage: Stage
    #: What is open for the services: the stage, or nothing.
    current: Stage | None
    web: Web

    @property
    def where(self) -> tuple[str, int]:
        parts = urlsplit(self.web.urls["forge"])
        return str(parts.hostname), int(parts.port or 0)

    def ask(
        self, method: str, path: str, body: object = None, link: http.client.HTTPConnection | None = None, **more: str
    ) -> tuple[int, Json]:
        """Ask over a connection of its own, or over one that is kept."""
        said = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        over = link or http.client.HTTPConnection(*self.where, timeout=30)
        try:
            over.request(method, path, said, {name.replace("_", "-"): value for name, value in more.items()})
            answer = over.getresponse()
            assert answer.headers["Content-Type"] == "application/json"
            return answer.status, json.loads(answer.read())
        finally:
            if link is None:
                over.close()

    def raw(self, said: bytes) -> bytes:
        """Send bytes as they are, and give all that comes back until the connection is closed."""
        with socket.create_connection(self.where, timeout=30) as line:
            line.sendall(said)
            parts: list[bytes] = []
            while more := line.recv(65536):
                parts.append(more)
        return b"".join(parts)

    @property
    def records(self) -> list[Record]:
        return self.stage.witness.records


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    stage = Stage.at(tmp_path, 7, threading.RLock(), {})
    there: list[Site] = []
    web = Web(lambda: there[0].current)
    there.append(Site(stage, stage, web))
    yield there[0]
    web.close()
    stage.close()


def test_both_are_on_this_machine_alone(site: Site) -> None:
    host, port = site.where
    assert site.web.urls == {"forge": f"http://127.0.0.1:{port}/forge", "model": f"http://127.0.0.1:{port}/model"}
    assert host == "127.0.0.1"


WRITES: list[tuple[str, Json, Json, Record]] = [
    ("comment", {"mailbox": MAILBOX, "text": "Grüße\n"}, {}, ForgeWrite("comment", str(ISSUE), "Grüße\n")),
    ("label", {"mailbox": MAILBOX, "label": "ai::retry"}, {}, ForgeWrite("label", str(ISSUE), "ai::retry")),
    ("unlabel", {"mailbox": MAILBOX, "label": "ai::retry"}, {}, ForgeWrite("unlabel", str(ISSUE), "ai::retry")),
    (
        "branch",
        {"organization": "acme", "project": "shop", "branch": "agent/issue-17"},
        {},
        ForgeWrite("branch", "acme/shop", "agent/issue-17"),
    ),
    (
        "merge_request",
        {"mailbox": MAILBOX, "branch": "agent/issue-17", "title": "Mend it"},
        {"number": FIRST_MERGE_REQUEST},
        ForgeWrite("merge_request", str(ISSUE), "agent/issue-17\nMend it", FIRST_MERGE_REQUEST),
    ),
    (
        "comment",
        {"mailbox": {**MAILBOX, "kind": "merge_request", "iid": "17"}, "text": "", "more": "is let pass"},
        {},
        ForgeWrite("comment", "acme/shöp & co!17", ""),
    ),
]


@pytest.mark.parametrize(("path", "body", "answer", "record"), WRITES)
def test_every_write_is_witnessed(site: Site, path: str, body: Json, answer: Json, record: Record) -> None:
    assert site.ask("POST", f"/forge/{path}", body) == (200, answer)
    assert site.records == [record]


def test_an_issue_is_given_as_the_tracker_knows_it(site: Site) -> None:
    assert site.ask("GET", LOOK) == (200, {"open": True, "assigned": True, "merged": False})

    site.stage.forge.set_issue(ISSUE, open_=False, assigned=False, merged=True)

    assert site.ask("GET", LOOK) == (200, {"open": False, "assigned": False, "merged": True})
    assert site.ask("GET", LOOK.replace("issue&", "merge_request&"))[1]["open"]
    assert site.records == []


STATUSES: list[TrackerAnswer] = ["401", "403", "404", "429", "500", "503"]


@pytest.mark.parametrize("answer", STATUSES)
def test_the_tracker_answers_with_the_status_of_the_scenario_and_the_connection_is_kept(
    site: Site, answer: TrackerAnswer
) -> None:
    link = http.client.HTTPConnection(*site.where, timeout=30)
    site.stage.forge.tracker_answers(ISSUE, answer)
    assert site.ask("GET", LOOK, link=link)[0] == int(answer)

    site.stage.forge.tracker_answers(ISSUE, "normal")
    assert site.ask("GET", LOOK, link=link)[0] == 200
    link.close()


def test_a_time_out_is_a_connection_that_is_closed_without_an_answer(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.stage.forge.tracker_answers(ISSUE, "timeout")
    with pytest.raises(http.client.RemoteDisconnected):
        site.ask("GET", LOOK)
    assert site.raw(f"GET {LOOK} HTTP/1.1\r\nHost: x\r\n\r\n".encode()) == b""
    until(lambda: not _serving(), "both connections are let go")
    assert capsys.readouterr().err == ""

    assert site.ask("POST", "/forge/comment", {"mailbox": MAILBOX, "text": "still there"})[0] == 200


QUESTION: Json = {"provider": "p", "model": "m", "prompt": "do it"}


@pytest.mark.parametrize(
    ("more", "fields"),
    [
        ({}, ()),
        ({"session_id": "x"}, ("session_id",)),
        ({"thread": None, "conversation": {"id": 1}}, ("conversation", "thread")),
    ],
)
def test_what_goes_to_a_model_besides_the_prompt_is_witnessed_as_fields_of_a_session(
    site: Site, more: Json, fields: tuple[str, ...]
) -> None:
    assert site.ask("POST", "/model/complete", {**QUESTION, **more}) == (200, {"ok": True, "text": "Done."})
    assert site.records == [ModelCalled("p", "m", "do it", fields)]


def test_a_model_answers_as_it_was_told(site: Site) -> None:
    site.stage.models.answers(ModelAnswer(ok=False, text="overloaded"))

    assert site.ask("POST", "/model/complete", QUESTION) == (200, {"ok": False, "text": "overloaded"})
    assert site.ask("POST", "/model/complete", QUESTION)[1]["ok"]


BAD: list[tuple[str, str, object]] = [
    ("POST", "/forge/comment", b"{"),
    ("POST", "/forge/comment", b"[" * 100_000),
    ("POST", "/forge/comment", b"\xff"),
    ("POST", "/forge/comment", []),
    ("POST", "/forge/comment", b"null"),
    ("POST", "/forge/comment", None),
    ("POST", "/forge/comment", {"text": "no mailbox"}),
    ("POST", "/forge/comment", {"mailbox": MAILBOX}),
    ("POST", "/forge/comment", {"mailbox": MAILBOX, "text": None}),
    ("POST", "/forge/comment", {"mailbox": MAILBOX, "text": ["a"]}),
    ("POST", "/forge/comment", {"mailbox": "acme/shop#17", "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "kind": "epic"}, "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "kind": ["issue"]}, "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "iid": "many"}, "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "iid": None}, "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "iid": True}, "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "iid": 1.5}, "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "iid": "1" * 5000}, "text": "a"}),
    ("POST", "/forge/comment", {"mailbox": {**MAILBOX, "project": 7}, "text": "a"}),
    ("POST", "/forge/branch", {"organization": "acme", "branch": "b"}),
    ("POST", "/forge/merge_request", {"mailbox": MAILBOX, "branch": "b"}),
    ("POST", "/model/complete", {"provider": "p", "prompt": "no model"}),
    ("GET", "/forge/issue", None),
    ("GET", "/forge/issue?organization=acme&project=&kind=issue&iid=1", None),
    ("GET", LOOK.replace("iid=17", "iid=x"), None),
]


@pytest.mark.parametrize(("method", "path", "body"), BAD, ids=lambda one: str(one)[:60])
def test_a_request_that_lacks_something_is_a_bad_one_and_changes_nothing(
    site: Site, method: str, path: str, body: object
) -> None:
    link = http.client.HTTPConnection(*site.where, timeout=30)
    status, answer = site.ask(method, path, body, link)

    assert (status, list(answer)) == (400, ["error"])
    assert site.records == []
    assert site.ask("GET", LOOK, link=link)[0] == 200
    link.close()
    # Whoever asks so is wired wrongly: nothing can be said of the engine.
    with pytest.raises(DriverError, match=f"{method} {urlsplit(path).path}: a field is missing or of the wrong type"):
        site.stage.raise_faults()
    site.stage.raise_faults()
    link.close()


def test_a_request_for_what_is_no_url_is_a_bad_one(site: Site) -> None:
    said = site.raw(b"GET http://[/forge/issue HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    assert said.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/forge"),
        ("GET", "/forge/comment"),
        ("POST", "/forge/issue"),
        ("POST", "/forge/comment/"),
        ("POST", "/model"),
        ("POST", "/complete"),
        ("PUT", "/forge/label"),
        ("PATCH", "/forge/issue"),
        ("DELETE", "/forge/label"),
    ],
)
def test_what_there_is_not_is_not_found(site: Site, method: str, path: str) -> None:
    assert site.ask(method, path, {}) == (404, {"error": f"there is no {method} {path}"})
    with pytest.raises(DriverError, match="there is no such request"):
        site.stage.raise_faults()


@pytest.mark.parametrize("length", ["-1", "many", "1e3", str(1024 * 1024 + 1), "9" * 5000, "1 2", "+2", "0_2"])
def test_a_body_without_a_usable_length_ends_the_connection(site: Site, length: str) -> None:
    said = site.raw(f"POST /forge/comment HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{{}}".encode())

    assert said.startswith(b"HTTP/1.1 413 ")
    assert site.records == []


def _chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    head = b"POST /forge/comment HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def test_a_body_may_come_in_chunks_as_some_languages_send_it(site: Site) -> None:
    body = json.dumps({"mailbox": MAILBOX, "text": "a" * 100}).encode()
    closing = b"GET /forge/issue HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    said = site.raw(_chunked(body[:20], body[20:90], body[90:], end=b"0;x=y\r\nTrailer: t\r\n\r\n") + closing)

    assert said.count(b"HTTP/1.1 200 ") == 1
    assert said.count(b"HTTP/1.1 400 ") == 1
    assert site.records == [ForgeWrite("comment", str(ISSUE), "a" * 100)]


@pytest.mark.parametrize(
    "said",
    [_chunked(end=b"zz\r\n"), _chunked(end=b"-1\r\n"), _chunked(b"x" * 1024 * 1024, end=b"1\r\nx\r\n")],
    ids=["no number", "less than nothing", "more than a mebibyte"],
)
def test_chunks_that_have_no_end_or_are_too_many_end_the_connection(site: Site, said: bytes) -> None:
    assert site.raw(said).startswith(b"HTTP/1.1 413 ")


def test_whoever_waits_to_be_asked_for_the_body_is_asked_at_once(site: Site) -> None:
    body = json.dumps({"mailbox": MAILBOX, "text": "a"}).encode()
    head = f"POST /forge/comment HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(site.where, timeout=30) as line:
        line.sendall(head.encode())
        assert line.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(body)
        assert line.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_between_two_scenarios_nothing_is_served(site: Site) -> None:
    site.current = None
    assert site.ask("GET", LOOK) == (503, {"error": "no scenario is open"})
    assert site.ask("POST", "/forge/comment", {"mailbox": MAILBOX, "text": "a"})[0] == 503

    site.current = site.stage
    assert site.ask("GET", LOOK)[0] == 200
    assert site.records == []


def test_requests_at_the_same_time_are_all_witnessed_and_each_merge_request_has_its_number(site: Site) -> None:
    link = http.client.HTTPConnection(*site.where, timeout=30)
    site.ask("GET", LOOK, link=link)  # kept open, and in nobody's way

    def open_one(number: int) -> int:
        body = {"mailbox": MAILBOX, "branch": f"b{number}", "title": "t"}
        status, answer = site.ask("POST", "/forge/merge_request", body)
        assert status == 200
        return int(answer["number"])

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(open_one, range(40)))

    assert sorted(numbers) == list(range(FIRST_MERGE_REQUEST, FIRST_MERGE_REQUEST + 40))
    told = {(write.text, write.number) for write in site.stage.witness.of(ForgeWrite)}
    assert told == {(f"b{number}\nt", given) for number, given in zip(range(40), numbers, strict=True)}
    link.close()


def test_what_goes_wrong_among_the_fakes_is_told_to_the_engine_and_raised_as_the_kits(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KitError("no room")

    monkeypatch.setattr(site.stage.forge, "comment", broken)

    assert site.ask("POST", "/forge/comment", {"mailbox": MAILBOX, "text": "a"}) == (500, {"error": "no room"})
    with pytest.raises(KitError, match="POST /forge/comment: no room"):
        site.stage.raise_faults()


def test_an_engine_that_goes_away_in_the_middle_is_not_talked_about(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(site.where, timeout=30) as line:
        line.sendall(b"POST /forge/comment HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
        until(_serving, "the request is being read")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    until(lambda: not _serving(), "the request is given up")

    assert capsys.readouterr() == ("", "")


def test_a_mistake_of_the_kits_own_is_talked_about(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> Stage | None:
        raise ZeroDivisionError

    web = Web(broken)
    link = http.client.HTTPConnection(str(urlsplit(web.urls["forge"]).netloc), timeout=30)
    link.request("GET", LOOK)
    with pytest.raises(http.client.RemoteDisconnected):
        link.getresponse()
    until(lambda: not _serving(), "the request is given up")

    assert "ZeroDivisionError" in capsys.readouterr().err
    web.close()


def _serving() -> bool:
    return any("process_request_thread" in thread.name for thread in threading.enumerate())


def test_once_closed_nobody_listens(site: Site) -> None:
    link = http.client.HTTPConnection(*site.where, timeout=30)
    site.ask("GET", LOOK, link=link)
    site.web.close()

    with pytest.raises(ConnectionRefusedError):
        site.ask("GET", LOOK)
    link.close()
