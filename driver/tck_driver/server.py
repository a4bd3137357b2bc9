"""The other end of the protocol: puts an engine written in Python behind it, over standard streams or HTTP.

The reference simulator is driven through this, and an implementer whose engine is in Python may use it as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import BinaryIO, Protocol

from tck_driver.answering import Answerer, Method, RequestError, answer, introduction
from tck_driver.connection import INVALID_PARAMS, INVALID_REQUEST
from tck_driver.engine import MailboxEngine
from tck_driver.messages import (
    Json,
    Rest,
    instant,
    moment,
    read_config,
    read_stimulus,
    rest_fields,
    result_of,
    row_fields,
)
from tck_driver.transport import MOST_BYTES

#: How many digits the length of a body has at most.
_MOST_DIGITS = 10


class ServedEngine(MailboxEngine, Protocol):
    """An engine that can also say what it waits for, and is told where things are."""

    def prepare(self, now: datetime, endpoints: Mapping[str, str]) -> None:
        """Take in what time it is and where a scenario's stand-ins are, before `open`."""
        ...

    def rest(self) -> Rest:
        """Say what is under way."""
        ...

    def advance_to(self, now: datetime) -> None:
        """Let it be this time; every deadline up to it takes effect, in order."""
        ...


class Server:
    """Answers messages for one engine, which `make` makes in the folder that the kit gives."""

    def __init__(self, make: Callable[[str], ServedEngine], name: str, version: str) -> None:
        """Prepare; `name` and `version` are the driver's."""
        self._make = make
        self._who = {"name": name, "version": version}
        self._engine: ServedEngine | None = None
        self.ended = False
        self._methods: Mapping[str, Method] = {
            "initialize": self._initialize,
            "scenario/open": self._open,
            "stimulus/send": self._send,
            "clock/advance": self._advance,
            "barrier/quiesce": self._quiesce,
            "state/query": self._query,
            "state/overwrite": self._overwrite,
            "engine/kill": self._kill,
            "engine/start": self._start,
            "scenario/close": self._close,
            "shutdown": self._shutdown,
        }

    def handle(self, line: bytes) -> bytes | None:
        """Answer one message; a notification has no answer."""
        return answer(self._methods, line)

    def _it(self) -> ServedEngine:
        if self._engine is None:
            raise RequestError(INVALID_REQUEST, "initialize comes first")
        return self._engine

    def _initialize(self, params: Json) -> Json:
        self._engine = self._make(params["directory"])
        return introduction(self._who, self._engine.declare(params["capabilities"]), "virtual")

    def _open(self, params: Json) -> Json:
        engine = self._it()
        engine.prepare(_moment(params["config"]["now"]), params["endpoints"])
        return self._with_rest({"refused": engine.open(read_config(params, None))})

    def _send(self, params: Json) -> Json:
        return self._with_rest(result_of(self._it().send(read_stimulus(params))))

    def _advance(self, params: Json) -> Json:
        now = _moment(params["now"])
        self._it().advance_to(now)
        return self._with_rest({"now": instant(now)})

    def _quiesce(self, params: Json) -> Json:
        self._it().quiesce(params["deadline_ms"])
        return rest_fields(self._it().rest())

    def _query(self, params: Json) -> Json:
        return {"rows": [row_fields(row) for row in self._it().query(params["view"])]}

    def _overwrite(self, params: Json) -> Json:
        self._it().overwrite(params["run"], params["native_session_id"])
        return {}

    def _kill(self, _params: Json) -> Json:
        self._it().kill()
        return {}

    def _start(self, _params: Json) -> Json:
        return self._with_rest({"refused": self._it().start()})

    def _close(self, _params: Json) -> Json:
        return {"leaks": list(self._it().close().runs)}

    def _shutdown(self, _params: Json) -> Json:
        self.ended = True
        return {}

    def _with_rest(self, answer: Json) -> Json:
        return answer if answer.get("refused") is not None else answer | {"rest": rest_fields(self._it().rest())}


def _moment(text: str) -> datetime:
    """Read a point in time, of which the schema knows the form alone."""
    try:
        return moment(text)
    except ValueError as fault:
        raise RequestError(INVALID_PARAMS, f"{text} is in no calendar: {fault}") from None


def serve_stdio(server: Answerer) -> None:
    """Answer over the standard streams until they end; nothing else can write to standard output meanwhile."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    for line in _lines(sys.stdin.buffer):
        said = server.handle(line)
        if said is not None:
            out.write(said + b"\n")


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Give whole lines, and of one that is too long its beginning alone; what is begun and never ended is none."""
    while (line := stream.readline(MOST_BYTES + 1)).endswith(b"\n") or len(line) > MOST_BYTES:
        yield line
        while line and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES)


def _size(said: str | None) -> int:
    return int(said) if said is not None and said.isdecimal() and len(said) < _MOST_DIGITS else -1


def serve_http(server: Answerer, port: int, announce: Callable[[str], None]) -> None:
    """Answer over HTTP on loopback, until `shutdown`; `announce` is told the URL once there is somebody to answer."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        #: Headers and body leave together, so that no half of an answer waits for an acknowledgement.
        wbufsize = -1
        disable_nagle_algorithm = True
        #: Seconds after which a connection over which nothing comes makes room for another one.
        timeout = 5

        def do_POST(self) -> None:
            size = _size(self.headers.get("Content-Length"))
            if self.path != "/rpc" or not 0 < size <= MOST_BYTES:
                self.close_connection = True
                self.send_error(404 if self.path != "/rpc" else 413)
                return
            said = server.handle(self.rfile.read(size)) or b""
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)
            self.close_connection = self.close_connection or server.ended

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's name
            """Keep quiet."""

    with HTTPServer(("127.0.0.1", port), Handler) as listener:
        announce(f"http://127.0.0.1:{listener.server_address[1]}")
        while not server.ended:
            listener.handle_request()
