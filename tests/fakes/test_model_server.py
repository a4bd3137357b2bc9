"""The model server, asked over plain HTTP: what it hears, what it keeps, and what it takes."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tck_fakes.modelserver.asked import Asked, Turn, heard, read_log, reply
from tck_fakes.modelserver.link import MOST_BYTES
from tck_fakes.modelserver.server import ModelServer, Other

from .modelling import PATHS, Json, ask, body_of, connection, say

KEY = "sk-a-key-that-opens-nothing"
DIGEST = hashlib.sha256(KEY.encode()).hexdigest()[:12]
FIRST, SECOND = "tck-0a1b2c3d", "tck-4e5f6071"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(slow=0.3) as made:
        yield made


def _sha(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


@pytest.mark.parametrize("protocol", PATHS)
class TestHearing:
    def test_an_answer_says_which_prompts_were_heard(self, server: ModelServer, protocol: str) -> None:
        first, second = f"mend the door {FIRST}", f"and the lock {SECOND}"
        text = say(server, protocol, first, second)
        assert text == f"Heard 2 prompts: {FIRST} {SECOND}. Digest {_sha(f'{first}{chr(0)}{second}', 16)}."
        assert heard(text) == (FIRST, SECOND)

    def test_a_prompt_without_a_mark_is_shown_by_its_digest(self, server: ModelServer, protocol: str) -> None:
        assert heard(say(server, protocol, "mend the döör")) == (_sha("mend the döör", 8),)

    def test_the_model_s_own_words_prove_nothing(self, server: ModelServer, protocol: str) -> None:
        where = "input" if protocol == "responses" else "messages"
        said = [{"role": "assistant", "content": FIRST}, {"role": "user", "content": SECOND}]
        ask(server, PATHS[protocol], {"model": "any", where: said})
        (one,) = server.asked()
        assert one.marks == (SECOND,)
        assert one.turns == (Turn("assistant", FIRST), Turn("user", SECOND))

    def test_what_a_cli_puts_around_a_prompt_is_no_prompt(self, server: ModelServer, protocol: str) -> None:
        added = f"<system-reminder>be good {FIRST}</system-reminder>"
        when = "<current_datetime>2026-11-30</current_datetime>"
        say(server, protocol, f"{when}\n\nmend {SECOND}\n\n{added}")
        (one,) = server.asked()
        assert one.prompts == (f"mend {SECOND}",)
        assert one.turns == (Turn("context", added), Turn("context", when), Turn("user", f"mend {SECOND}"))

    def test_a_whole_text_of_a_cli_s_own_is_no_prompt(self, server: ModelServer, protocol: str) -> None:
        say(server, protocol, f"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n{FIRST}\n</INSTRUCTIONS>", SECOND)
        assert server.asked()[0].prompts == (SECOND,)

    def test_an_opening_without_an_end_is_the_user_s(self, server: ModelServer, protocol: str) -> None:
        say(server, protocol, "why is <reminder> shown </reminder ?")
        assert server.asked()[0].prompts == ("why is <reminder> shown </reminder ?",)

    def test_a_stream_gives_the_same_text_as_an_answer(self, server: ModelServer, protocol: str) -> None:
        whole = say(server, protocol, FIRST)
        status, stream = ask(server, PATHS[protocol], body_of(protocol, FIRST, stream=True))
        assert status == 200
        assert _text(protocol, stream) == whole
        assert [one.streaming for one in server.asked()] == [False, True]

    def test_a_request_that_is_none_is_refused_in_the_vendor_s_form(self, server: ModelServer, protocol: str) -> None:
        where = "input" if protocol == "responses" else "messages"
        wrongs: list[object] = [b"{", b"[]", b"\xff", {}, {"model": "m"}, {"model": "m", where: [7]}, {where: []}]
        for wrong in (*wrongs, b"[" * 99999):
            status, answer = ask(server, PATHS[protocol], wrong)
            error = json.loads(answer)["error"]
            assert (status, error["type"], bool(error["message"])) == (400, "invalid_request_error", True)
        assert server.asked() == ()

    def test_a_model_of_any_name_answers(self, server: ModelServer, protocol: str) -> None:
        for name in ("ünknown\ud800", "x" * 5000):
            status, answer = ask(server, PATHS[protocol], {**body_of(protocol, FIRST), "model": name})
            assert (status, json.loads(answer)["model"]) == (200, name)
            assert ask(server, PATHS[protocol], {**body_of(protocol, FIRST, stream=True), "model": name})[0] == 200


def _text(protocol: str, stream: str) -> str:
    """Put the pieces of a stream together, as the protocol has them."""
    lines = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
    if protocol == "chat":
        assert lines.pop() == "[DONE]"
    events: list[Json] = [json.loads(line) for line in lines]
    if protocol == "messages":
        return "".join(event["delta"].get("text", "") for event in events if "delta" in event)
    if protocol == "responses":
        return "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    return "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"])


def test_texts_come_in_blocks_too(server: ModelServer) -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "image", "source": {}}, {"type": "text", "text": FIRST}]
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "done"}]}
    said = [{"role": "user", "content": [*blocks, result]}]
    ask(server, "/v1/messages", {"model": "m", "system": [{"type": "text", "text": "be good"}], "messages": said})
    items = [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "be good"}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call_output", "call_id": "c", "output": "done"},
        {"role": "user", "content": [{"type": "input_text", "text": FIRST}]},
    ]
    ask(server, "/v1/responses", {"model": "m", "instructions": "be quick", "input": items})
    first, second = server.asked()
    assert first.turns == (Turn("system", "be good"), Turn("user", "one"), Turn("user", FIRST), Turn("tool", "done"))
    assert second.turns == (
        Turn("system", "be quick"),
        Turn("system", "be good"),
        Turn("tool", "done"),
        Turn("user", FIRST),
    )


def test_a_deep_body_is_no_end_of_the_server(server: ModelServer) -> None:
    deep: object = "x"
    for _ in range(300):
        deep = [{"type": "tool_result", "content": deep}]
    assert ask(server, "/v1/messages", {"model": "m", "messages": [{"role": "user", "content": deep}]})[0] == 200
    assert heard(say(server, "chat", FIRST)) == (FIRST,)


def test_a_history_that_the_server_would_have_to_know_is_refused(server: ModelServer) -> None:
    status, answer = ask(server, "/v1/responses", {"model": "m", "input": "x", "previous_response_id": "resp_1"})
    assert status == 400
    assert "resp_1" in json.loads(answer)["error"]["message"]


def test_an_answer_takes_the_form_that_a_schema_asks_for(server: ModelServer) -> None:
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "new": {"type": "boolean"},
            "kind": {"enum": ["a", "b"]},
            "more": {
                "type": "object",
                "properties": {"tags": {"type": "array"}, "size": {"type": ["integer", "null"]}},
            },
        },
    }
    ways: list[tuple[str, Json]] = [
        ("messages", {"output_config": {"format": {"type": "json_schema", "schema": schema}}}),
        ("responses", {"text": {"format": {"type": "json_schema", "name": "n", "schema": schema}}}),
        ("chat", {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}}),
    ]
    for protocol, more in ways:
        given = json.loads(say(server, protocol, FIRST, **more))
        assert heard(given["title"]) == (FIRST,)
        assert (given["new"], given["kind"], given["more"]) == (False, "a", {"tags": [], "size": 0})


@pytest.mark.parametrize(
    ("purpose", "body"),
    [
        ("title", {"system": "You are a title generator. You output ONLY a thread title."}),
        ("title", {"system": [{"type": "text", "text": "Generate a concise, sentence-case title (3-7 words)."}]}),
        ("turn", {"system": "Generate a title now and then.", "tools": [{"name": "Bash"}]}),
        ("turn", {"system": "You are an agent."}),
        ("summary", {"messages": [{"role": "user", "content": "Create a new anchored summary from the history."}]}),
    ],
)
def test_what_is_asked_beside_the_turns_is_told_apart(server: ModelServer, purpose: str, body: Json) -> None:
    server.script("500")
    status, _ = ask(server, "/v1/messages", {**body_of("messages", FIRST), **body})
    assert [one.purpose for one in server.asked()] == [purpose]
    assert status == (500 if purpose == "turn" else 200)


def test_marks_are_given_once_each_in_order() -> None:
    turns = (Turn("user", f"{SECOND} {FIRST}"), Turn("tool", "tck-99999999"), Turn("user", f"x{SECOND}, tck-12345678a"))
    one = Asked(1, "chat", "/x", "m", streaming=False, turns=turns, credential="none")
    assert one.marks == (SECOND, FIRST)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (reply([]), ()),
        (reply([f"{FIRST} and {SECOND}"]), (FIRST, SECOND)),
        (f"It said: {reply(['x'])} Well.", (_sha("x", 8),)),
        ("Heard nothing.", None),
        ("", None),
    ],
)
def test_a_reply_is_read_back(text: str, expected: tuple[str, ...] | None) -> None:
    assert heard(text) == expected


class TestKeeping:
    @pytest.mark.parametrize("header", ["x-api-key", "Authorization", "api-key"])
    def test_of_a_credential_only_a_digest_is_kept(self, tmp_path: Path, header: str) -> None:
        log = tmp_path / "log.jsonl"
        value = f"Bearer {KEY}" if header == "Authorization" else KEY
        with ModelServer(log=log) as server:
            body = body_of("chat", f"my key is {KEY} {FIRST}")
            ask(server, f"/{KEY}/v1/chat/completions?key={KEY}", body, {header: value})
            (one,) = server.asked()
        assert one.credential == DIGEST
        assert one.prompts == (f"my key is <credential {DIGEST}> {FIRST}",)
        assert KEY not in log.read_text()
        assert read_log(log) == (one,)

    def test_a_request_without_one_says_so(self, server: ModelServer) -> None:
        say(server, "chat", FIRST)
        assert server.asked()[0].credential == "none"

    def test_a_log_is_appended_to_and_a_line_cut_off_is_left_out(self, tmp_path: Path) -> None:
        log = tmp_path / "log.jsonl"
        for mark in (FIRST, SECOND):
            with ModelServer(log=log) as server:
                say(server, "chat", f"{mark} \ud800\n")
        with log.open("a") as more:
            more.write('{"number": 3, "proto')
        assert [one.marks for one in read_log(log)] == [(FIRST,), (SECOND,)]

    def test_a_line_of_something_else_is_refused(self) -> None:
        for line in ("{}", "[]", "x", '{"turns": 1}', '{"turns": [], "more": 1}'):
            with pytest.raises(ValueError, match=r"line|Expecting"):
                Asked.from_json(line)

    def test_what_was_asked_after_a_mark_can_be_told(self, server: ModelServer) -> None:
        say(server, "chat", FIRST)
        mark = server.mark()
        say(server, "messages", SECOND)
        assert [one.marks for one in server.since(mark)] == [(SECOND,)]
        assert [one.number for one in server.asked()] == [1, 2]

    def test_many_at_once_are_each_written_whole(self, tmp_path: Path) -> None:
        log = tmp_path / "log.jsonl"
        marks = [f"tck-{number:08x}" for number in range(60)]
        with ModelServer(log=log) as server, ThreadPoolExecutor(20) as pool:
            texts = list(pool.map(lambda mark: say(server, "responses", mark), marks))
        assert [heard(text) for text in texts] == [(mark,) for mark in marks]
        assert sorted(mark for one in read_log(log) for mark in one.marks) == marks

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full of Linux")
    def test_a_request_that_cannot_be_logged_is_refused(self) -> None:
        with ModelServer(log=Path("/dev/full")) as server:
            status, answer = ask(server, PATHS["chat"], body_of("chat", FIRST))
            assert (status, server.asked()) == (500, ())
            assert "log" in json.loads(answer)["error"]["message"]


class TestOtherRequests:
    def test_models_are_listed_in_each_vendor_s_form(self, server: ModelServer) -> None:
        anthropic = json.loads(ask(server, "/v1/models", headers={"anthropic-version": "2023-06-01"}, method="GET")[1])
        openai = json.loads(ask(server, "/v1/models", method="GET")[1])
        assert [one["type"] for one in anthropic["data"]] == ["model", "model"]
        assert openai["object"] == "list"
        assert json.loads(ask(server, "/v1/models/gpt-9", method="GET")[1])["id"] == "gpt-9"

    def test_prompts_are_counted(self, server: ModelServer) -> None:
        body = body_of("messages", "x" * 400)
        assert json.loads(ask(server, "/v1/messages/count_tokens", body)[1]) == {"input_tokens": 100}
        assert json.loads(ask(server, "/v1/responses/input_tokens", body_of("responses", "x" * 40))[1]) == {
            "object": "response.input_tokens",
            "input_tokens": 10,
        }
        assert ask(server, "/v1/messages/count_tokens", {"model": "m"})[0] == 400

    def test_they_are_no_request_for_an_answer_but_are_known(self, server: ModelServer) -> None:
        ask(server, "/", method="HEAD")
        ask(server, "/v1/embeddings", {"model": "m"})
        ask(server, "/v1/messages", method="GET")
        assert server.asked() == ()
        assert server.others() == (
            Other("HEAD", "/", 200),
            Other("POST", "/v1/embeddings", 404),
            Other("GET", "/v1/messages", 404),
        )


class TestBounds:
    def test_a_body_that_is_too_long_is_refused_before_it_is_read(self, server: ModelServer) -> None:
        link = connection(server)
        link.putrequest("POST", "/v1/messages")
        link.putheader("Content-Length", str(MOST_BYTES + 1))
        link.endheaders(b"{" * 1000)
        answer = link.getresponse()
        assert (answer.status, json.loads(answer.read())["error"]["type"]) == (413, "request_too_large")
        link.close()

    @pytest.mark.parametrize("length", ["-1", "x", "1_0", "\u0663", "9" * 400])
    def test_a_length_that_is_none_is_refused(self, server: ModelServer, length: str) -> None:
        link = connection(server)
        link.putrequest("POST", PATHS["chat"])
        link.putheader("Content-Length", length.encode())
        link.endheaders()
        assert link.getresponse().status in {400, 413}
        link.close()

    def test_a_body_in_chunks_is_read_and_the_connection_kept(self, server: ModelServer) -> None:
        link = connection(server)
        for mark in (FIRST, SECOND):
            said = json.dumps(body_of("chat", mark)).encode()
            link.request("POST", PATHS["chat"], iter([said[:7], said[7:]]), encode_chunked=True)
            assert mark in link.getresponse().read().decode()
        link.close()

    def test_chunks_that_add_up_to_too_much_are_refused(self, server: ModelServer) -> None:
        link = connection(server)
        link.putrequest("POST", PATHS["chat"])
        link.putheader("Transfer-Encoding", "chunked")
        link.endheaders(b"5\r\n{{{{{\r\n%x\r\n" % MOST_BYTES)
        assert link.getresponse().status == 413
        link.close()

    def test_a_packed_body_is_unpacked_within_the_same_bound(self, server: ModelServer) -> None:
        said = gzip.compress(json.dumps(body_of("chat", FIRST)).encode())
        assert FIRST in ask(server, PATHS["chat"], said, {"Content-Encoding": "gzip"})[1]
        bomb = gzip.compress(b" " * (MOST_BYTES + 1), 1)
        assert ask(server, PATHS["chat"], bomb, {"Content-Encoding": "gzip"})[0] == 413
        assert ask(server, PATHS["chat"], b"no gzip", {"Content-Encoding": "gzip"})[0] == 400
        assert ask(server, PATHS["chat"], said, {"Content-Encoding": "zstd"})[0] == 415

    def test_whoever_is_long_in_asking_is_let_go(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tck_fakes.modelserver.link._READING", 0.0)
        parts = urlsplit(server.url)
        with socket.create_connection((str(parts.hostname), parts.port or 0), timeout=30) as silent:
            silent.sendall(b"POST /v1/messages HTTP/1.1\r\nContent-Le")
            assert silent.recv(100) == b""

    def test_an_older_client_gets_a_stream_without_chunks(self, server: ModelServer) -> None:
        said = json.dumps(body_of("messages", FIRST, stream=True)).encode()
        parts = urlsplit(server.url)
        with socket.create_connection((str(parts.hostname), parts.port or 0), timeout=30) as old:
            old.sendall(b"POST /v1/messages HTTP/1.0\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said))
            given = b"".join(iter(lambda: old.recv(4096), b""))
        assert b"chunked" not in given
        assert _text("messages", given.decode()).startswith("Heard 1 prompts")

    def test_whoever_comes_when_all_places_are_taken_waits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tck_fakes.modelserver.listener._MOST", 2)
        with ModelServer() as server:
            parts = urlsplit(server.url)
            taken = [socket.create_connection((str(parts.hostname), parts.port or 0)) for _ in range(2)]
            deadline = time.monotonic() + 30
            while len(server._listener._links) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            texts: list[str] = []
            asker = threading.Thread(target=lambda: texts.append(say(server, "chat", FIRST)))
            asker.start()
            asker.join(0.2)
            assert texts == []
            for one in taken:
                one.close()
            asker.join(30)
            assert [heard(text) for text in texts] == [(FIRST,)]


class TestPlaces:
    def test_a_unix_socket_is_for_its_owner_and_goes_with_the_server(self, tmp_path: Path) -> None:
        place = tmp_path / "model.sock"
        with ModelServer(socket=place) as server:
            assert server.url == f"unix:{place}"
            assert stat.S_IMODE(place.stat().st_mode) == 0o600
            assert heard(say(server, "responses", FIRST)) == (FIRST,)
            server.always("down")
            with pytest.raises(ConnectionRefusedError):
                say(server, "responses", FIRST)
            server.always(None)
            assert heard(say(server, "responses", FIRST)) == (FIRST,)
        assert not place.exists()

    def test_a_socket_that_nobody_listens_at_is_taken_over(self, tmp_path: Path) -> None:
        place = tmp_path / "model.sock"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(place))
        with ModelServer(socket=place) as server:
            assert heard(say(server, "chat", FIRST)) == (FIRST,)

    def test_a_place_that_somebody_has_is_not_taken(self, tmp_path: Path) -> None:
        place, file = tmp_path / "model.sock", tmp_path / "file"
        file.write_text("mine")
        with ModelServer(socket=place), pytest.raises(FileExistsError):
            ModelServer(socket=place)
        with pytest.raises(FileExistsError):
            ModelServer(socket=file)
        assert file.read_text() == "mine"
        with ModelServer() as server, pytest.raises(OSError, match="in use"):
            ModelServer(port=urlsplit(server.url).port or 0)

    def test_a_socket_made_elsewhere_is_listened_on_and_comes_back(self) -> None:
        made: list[int] = []

        def bind(port: int) -> socket.socket:
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", port))
            made.append(one.getsockname()[1])
            return one

        with ModelServer(bind=bind) as server:
            port = urlsplit(server.url).port
            assert heard(say(server, "chat", FIRST)) == (FIRST,)
            server.always("down")
            server.always(None)
            assert heard(say(server, "chat", SECOND)) == (SECOND,)
        assert made == [port, port, port]

    def test_only_loopback_is_listened_on(self, server: ModelServer) -> None:
        assert urlsplit(server.url).hostname == "127.0.0.1"

    def test_closing_ends_what_waits(self) -> None:
        server = ModelServer()
        server.hold()
        link = connection(server)
        link.request("POST", PATHS["chat"], json.dumps(body_of("chat", FIRST)))
        _until(server, 1)
        server.close()
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            link.getresponse()
        link.close()
        server.close()


def _until(server: ModelServer, waiting: int) -> None:
    deadline = time.monotonic() + 30
    while server.waiting() != waiting:
        assert time.monotonic() < deadline
        time.sleep(0.01)


class TestHolding:
    def test_a_held_request_has_been_heard_and_is_answered_on_release(self, server: ModelServer) -> None:
        server.hold()
        texts: list[str] = []
        asker = threading.Thread(target=lambda: texts.append(say(server, "messages", FIRST)))
        asker.start()
        _until(server, 1)
        assert [one.marks for one in server.asked()] == [(FIRST,)]
        assert texts == []
        server.release()
        asker.join()
        assert (heard(texts[0]), server.waiting()) == ((FIRST,), 0)

    def test_a_client_that_is_killed_waits_no_more(self, server: ModelServer) -> None:
        server.hold()
        link = connection(server)
        link.request("POST", PATHS["chat"], json.dumps(body_of("chat", FIRST)))
        _until(server, 1)
        link.close()
        _until(server, 0)

    def test_a_title_is_held_too_but_is_no_turn_that_waits(self, server: ModelServer) -> None:
        server.hold()
        link = connection(server)
        link.request("POST", PATHS["messages"], json.dumps({**body_of("messages", "x"), "system": "title generator"}))
        deadline = time.monotonic() + 30
        while not server.asked() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (server.asked()[0].purpose, server.waiting()) == ("title", 0)
        server.release()
        assert link.getresponse().status == 200
        link.close()


def test_the_server_needs_nothing_but_the_standard_library() -> None:
    code = (
        "import sys; sys.modules['ssl'] = None; import tck_fakes.modelserver.__main__; "
        "found = {name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names; "
        "print(sorted(name for name in found if name.startswith('tck') or sys.modules[name].__spec__ is not None))"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2] / "fakes")}
    words = [sys.executable, "-S", "-P", "-c", code]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.stdout, ended.stderr) == ("['tck_fakes']\n", "")
