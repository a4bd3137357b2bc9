"""How the model server fails, seen over plain HTTP."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator

import pytest

from tck_fakes.modelserver.asked import heard
from tck_fakes.modelserver.faults import FAULTS, MEANING, Fault, read_faults
from tck_fakes.modelserver.server import ModelServer

from .modelling import PATHS, ask, body_of, connection, say

MARK = "tck-0a1b2c3d"
#: What each failure is called, by protocol: `messages` by its type, the other two by their code.
NAMES = {
    "401": ("authentication_error", "invalid_api_key"),
    "403": ("permission_error", "model_not_allowed"),
    "404": ("not_found_error", "model_not_found"),
    "429": ("rate_limit_error", "rate_limit_exceeded"),
    "500": ("api_error", None),
    "529": ("overloaded_error", "overloaded"),
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(slow=0.3) as made:
        yield made


def test_every_fault_is_described() -> None:
    assert tuple(MEANING) == FAULTS


@pytest.mark.parametrize("protocol", PATHS)
@pytest.mark.parametrize("streaming", [False, True])
class TestAnswers:
    @pytest.mark.parametrize("fault", NAMES)
    def test_a_failure_has_its_status_and_its_name(
        self, server: ModelServer, protocol: str, fault: Fault, *, streaming: bool
    ) -> None:
        server.script(fault)
        status, answer = ask(server, PATHS[protocol], body_of(protocol, MARK, stream=streaming))
        error = json.loads(answer)["error"]
        named = error["type"] if protocol == "messages" else error["code"]
        assert (status, named) == (int(fault), NAMES[fault][protocol != "messages"])

    def test_an_overflow_is_said_as_the_vendor_says_it(
        self, server: ModelServer, protocol: str, *, streaming: bool
    ) -> None:
        server.script("overflow")
        status, answer = ask(server, PATHS[protocol], body_of(protocol, MARK, stream=streaming))
        if protocol == "responses" and streaming:
            last = json.loads(answer.strip().splitlines()[-1].removeprefix("data: "))
            assert (status, last["type"], last["response"]["status"]) == (200, "response.failed", "failed")
            error = last["response"]["error"]
        else:
            error = json.loads(answer)["error"]
            assert status == 400
        if protocol == "messages":
            assert (error["type"], error["message"].partition(":")[0]) == (
                "invalid_request_error",
                "prompt is too long",
            )
        else:
            assert error["code"] == "context_length_exceeded"

    def test_an_answer_that_is_cut_has_begun_and_does_not_end(
        self, server: ModelServer, protocol: str, *, streaming: bool
    ) -> None:
        server.script("cut")
        link = connection(server)
        link.request("POST", PATHS[protocol], json.dumps(body_of(protocol, MARK, stream=streaming)))
        answer = link.getresponse()
        assert answer.status == 200
        with pytest.raises(http.client.IncompleteRead) as cut:
            answer.read()
        assert cut.value.partial
        link.close()

    def test_a_slow_answer_is_whole(self, server: ModelServer, protocol: str, *, streaming: bool) -> None:
        server.script("slow")
        begun = time.monotonic()
        status, answer = ask(server, PATHS[protocol], body_of(protocol, MARK, stream=streaming))
        assert time.monotonic() - begun >= 0.3
        assert (status, MARK in answer) == (200, True)

    def test_a_connection_that_is_down_breaks_without_a_word(
        self, server: ModelServer, protocol: str, *, streaming: bool
    ) -> None:
        server.script("down")
        with pytest.raises(ConnectionResetError):
            ask(server, PATHS[protocol], body_of(protocol, MARK, stream=streaming))
        assert heard(say(server, protocol, MARK)) == (MARK,)

    def test_a_request_that_hangs_gets_nothing_until_the_client_goes(
        self, server: ModelServer, protocol: str, *, streaming: bool
    ) -> None:
        server.script("hang")
        link = connection(server)
        link.request("POST", PATHS[protocol], json.dumps(body_of(protocol, MARK, stream=streaming)))
        _until(server, 1)
        server.release()
        assert server.waiting() == 1
        link.close()
        _until(server, 0)


def _until(server: ModelServer, waiting: int) -> None:
    deadline = time.monotonic() + 30
    while server.waiting() != waiting:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_scripted_faults_are_one_for_each_request(server: ModelServer) -> None:
    server.always("500")
    server.script("429", "401")
    statuses = [ask(server, PATHS["chat"], body_of("chat", MARK))[0] for _ in range(4)]
    server.always(None)
    assert [*statuses, ask(server, PATHS["chat"], body_of("chat", MARK))[0]] == [429, 401, 500, 500, 200]


def test_after_too_many_requests_one_may_try_again_in_a_second(server: ModelServer) -> None:
    server.script("429")
    link = connection(server)
    link.request("POST", PATHS["messages"], json.dumps(body_of("messages", MARK)))
    assert link.getresponse().headers["retry-after"] == "1"
    link.close()


def test_a_server_that_is_down_refuses_connections_and_comes_back_at_the_same_place(server: ModelServer) -> None:
    for _ in range(3):
        open_before = connection(server)
        open_before.request("POST", PATHS["chat"], json.dumps(body_of("chat", MARK)))
        open_before.getresponse().read()
        server.always("down")
        with pytest.raises(ConnectionRefusedError):
            say(server, "chat", MARK)
        assert open_before.sock.recv(1) == b""
        open_before.close()
        server.always(None)
        assert heard(say(server, "chat", MARK)) == (MARK,)
    assert len(server.asked()) == 6


def test_what_is_held_when_the_server_goes_down_is_broken(server: ModelServer) -> None:
    server.hold()
    failed: list[BaseException] = []

    def asks() -> None:
        try:
            say(server, "chat", MARK)
        except (OSError, http.client.HTTPException) as fault:
            failed.append(fault)

    asker = threading.Thread(target=asks)
    asker.start()
    _until(server, 1)
    server.always("down")
    asker.join(30)
    assert len(failed) == 1


@pytest.mark.parametrize(
    ("given", "always", "script"),
    [
        ((), None, ()),
        (("hang",), "hang", ()),
        (("429=2", "cut", "500=1"), "cut", ("429", "429", "500")),
    ],
)
def test_faults_are_read_as_words(given: tuple[str, ...], always: str | None, script: tuple[str, ...]) -> None:
    assert read_faults(given) == (always, script)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("nope",), "there is no fault 'nope'; there are down, 401"),
        (("",), "there is no fault ''"),
        (("429=",), "no usable count"),
        (("429=0",), "no usable count"),
        (("429=1000",), "no usable count"),
        (("429=²",), "no usable count"),
        (("429", "down"), "cannot both be always"),
    ],
)
def test_words_that_are_none_are_said(given: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_faults(given)
