"""The forge and the model provider over HTTP, for engines in other processes: small JSON over loopback.

`GET …/forge/issue` answers as the scenario says, with a status of 401 to 503, or by closing the connection for a
time-out; `POST …/forge/comment` and its like are witnessed. `POST …/model/complete` answers a prompt, and whatever
stands in its body besides provider, model and prompt is witnessed as a session field (OFF-4).
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from tck_driver.vocabulary import MailboxRef
from tck_fakes.stage import Stage
from tck_simulator.ports import ForgeError

_MOST_BYTES, _LONGEST_LINE = 1024 * 1024, 1000
Json = dict[str, Any]


class Web:
    """Listens on a free port of loopback until `close`."""

    def __init__(self, current: Callable[[], Stage | None]) -> None:
        """Listen from now on; `current` gives the scenario that is open."""

        class Handler(_Handler):
            stage = staticmethod(current)

        # Its threads are daemons: whoever keeps a connection open must not keep the kit from ending.
        self._server = _Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def urls(self) -> Mapping[str, str]:
        """The base URLs of forge and model."""
        base = f"http://127.0.0.1:{self._server.server_address[1]}"
        return {"forge": f"{base}/forge", "model": f"{base}/model"}

    def close(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    #: Connections that may wait to be taken; one too many would wait a second.
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 -- the library's types
        """Keep quiet about an engine that went away in the middle, as one does that is killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _RequestError(Exception):
    """A request that cannot be answered: the status and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 60
    stage: Callable[[], Stage | None]

    def do_GET(self) -> None:
        self._respond({})

    def do_POST(self) -> None:
        try:
            said = self._body()
        except ValueError as fault:
            self.close_connection = True
            self._say(413, {"error": str(fault)})
            return
        try:
            body: object = json.loads(said or b"{}")
        except (ValueError, RecursionError):
            body = None
        if isinstance(body, dict):
            self._respond(cast("Json", body))
        else:
            self._misread("a field is missing or of the wrong type: the body is no JSON object")

    do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815 -- the library's names

    def _body(self) -> bytes:
        """Read the body, whole or in the chunks of HTTP/1.1. Raises `ValueError` for one whose end nobody can find."""
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            return b"".join(self._chunks())
        return self.rfile.read(_size(self.headers.get("Content-Length") or "0", 10, 0))

    def _chunks(self) -> Iterator[bytes]:
        told = 0
        while size := _size(self.rfile.readline(_LONGEST_LINE).partition(b";")[0].strip().decode("latin-1"), 16, told):
            told += size
            yield self.rfile.read(size)
            self.rfile.readline(_LONGEST_LINE)
        while self.rfile.readline(_LONGEST_LINE).strip():
            pass

    def handle_expect_100(self) -> bool:
        """Say at once that a body is welcome; the answer itself comes much later."""
        welcome = super().handle_expect_100()
        self.wfile.flush()
        return welcome

    def _respond(self, body: Json) -> None:
        stage = self.stage()
        if stage is None:
            self._say(503, {"error": "no scenario is open"})
            return
        try:
            with stage.lock:
                answer = self._answer(stage, urlsplit(self.path).path, body)
        except _RequestError as fault:
            self._say(fault.status, {"error": str(fault)})
        except ForgeError as fault:
            if fault.status is None:
                self.close_connection = True
                return
            self._say(fault.status, {"error": "as the scenario says"})
        except (KeyError, TypeError, ValueError) as fault:
            self._misread(f"a field is missing or of the wrong type: {fault}")
        except Exception as fault:  # noqa: BLE001 -- told to both sides
            with stage.lock:
                stage.faults.append(f"{self.command} {self.path}: {fault}")
            self._say(500, {"error": str(fault)})
        else:
            self._say(200, answer)

    def _misread(self, why: str) -> None:
        """Refuse a request that cannot be read, and note it against whoever wired the engine to this."""
        stage = self.stage()
        if stage is not None:
            with stage.lock:
                stage.misused(f"{self.command} {self.path.partition('?')[0]}: {why}")
        self._say(400, {"error": why})

    def _answer(self, stage: Stage, path: str, body: Json) -> Json:
        forge = stage.forge
        match (self.command, path):
            case ("GET", "/forge/issue"):
                query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
                state = forge.issue(_mailbox(query))
                return {"open": state.open, "assigned": state.assigned, "merged": state.merged}
            case ("POST", "/forge/comment"):
                forge.comment(_mailbox(body["mailbox"]), _text(body, "text"))
            case ("POST", "/forge/label"):
                forge.add_label(_mailbox(body["mailbox"]), _text(body, "label"))
            case ("POST", "/forge/unlabel"):
                forge.remove_label(_mailbox(body["mailbox"]), _text(body, "label"))
            case ("POST", "/forge/branch"):
                forge.push_branch(_text(body, "organization"), _text(body, "project"), _text(body, "branch"))
            case ("POST", "/forge/merge_request"):
                number = forge.open_merge_request(
                    _mailbox(body["mailbox"]), _text(body, "branch"), _text(body, "title")
                )
                return {"number": number}
            case ("POST", "/model/complete"):
                others = tuple(sorted(set(body) - {"provider", "model", "prompt"}))
                answer = stage.models.complete(
                    _text(body, "provider"), _text(body, "model"), _text(body, "prompt"), others
                )
                return {"ok": answer.ok, "text": answer.text}
            case _:
                stage.misused(f"{self.command} {path}: there is no such request")
                raise _RequestError(404, f"there is no {self.command} {path}")
        return {}

    def _say(self, status: int, answer: Json) -> None:
        said = json.dumps(answer).encode("ascii")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's name
        """Keep quiet."""


def _size(said: str, base: int, before: int) -> int:
    """Read the length of a body, or of a chunk after so many bytes."""
    size = int(said, base) if said.isalnum() else -1
    if not 0 <= size <= _MOST_BYTES - before:
        raise ValueError("the body has no usable length")
    return size


def _mailbox(fields: Json) -> MailboxRef:
    kind = fields["kind"]
    if kind not in {"issue", "merge_request"}:
        raise ValueError(f"kind {kind!r}")
    iid = fields["iid"]
    if not isinstance(iid, (int, str)) or isinstance(iid, bool):
        raise TypeError("iid")
    return MailboxRef(_text(fields, "organization"), _text(fields, "project"), kind, int(iid))


def _text(fields: Json, name: str) -> str:
    value = fields[name]
    if not isinstance(value, str):
        raise TypeError(name)
    return value
