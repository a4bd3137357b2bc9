"""The two ways of a message, each with the worst that can wait at its other end."""

from __future__ import annotations

import re
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Protocol

import psutil
import pytest

from tck_driver.errors import DriverCrashedError, DriverError, DriverTimeoutError
from tck_driver.http import HttpTransport
from tck_driver.process import MARK, Command, DriverProcess, end_all
from tck_driver.stdio import StdioTransport
from tck_driver.transport import MOST_BYTES, quote

CANCEL = b'{"cancel":1}'


# --- over standard streams -----------------------------------------------------------------------------------------


def _python(code: str, folder: Path, *variables: tuple[str, str]) -> Command:
    return Command((sys.executable, "-S", "-E", "-c", code), str(folder), variables)


ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


def test_a_message_goes_and_one_comes_back_on_a_line_each(tmp_path: Path) -> None:
    transport = StdioTransport(_python(ECHO, tmp_path))

    answers = [transport.exchange(b"%d" % number, CANCEL, 10) for number in range(3)]

    assert answers == [b"0", b"1", b"2"]
    assert transport.stray() is None
    assert transport.end(5) is None


def test_a_message_of_the_greatest_length_goes_both_ways(tmp_path: Path) -> None:
    transport = StdioTransport(_python(ECHO, tmp_path))
    message = b"x" * MOST_BYTES

    assert transport.exchange(message, CANCEL, 20) == message
    transport.kill()


def test_a_driver_that_does_not_read_holds_nobody_up(tmp_path: Path) -> None:
    transport = StdioTransport(_python("import time; time.sleep(60)", tmp_path))

    with pytest.raises(DriverTimeoutError, match=r"^the driver does not read what it is sent$"):
        transport.exchange(b"x" * MOST_BYTES, CANCEL, 0.2)

    assert not transport.usable
    transport.kill()


def test_a_driver_that_was_interrupted_in_its_answer_is_not_asked_again(tmp_path: Path) -> None:
    transport = StdioTransport(_python("import time; time.sleep(60)", tmp_path))

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise InterruptedRunError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(InterruptedRunError):
            transport.exchange(b"1", CANCEL, 30)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert not transport.usable
    transport.kill()


class InterruptedRunError(Exception):
    """A scenario took longer than it may."""


def test_the_stand_ins_are_first_on_the_path_and_the_environment_is_handed_on(tmp_path: Path) -> None:
    code = f"import os; print(os.environ['PATH'].split(':')[0], os.environ['COLOUR'], len(os.environ['{MARK}']))"
    process = DriverProcess(_python(code, tmp_path, ("COLOUR", "blue")), tmp_path / "stand-ins")

    said = process.read()
    process.kill()

    assert said.decode() == f"{tmp_path / 'stand-ins'} blue 16\n"


def test_a_driver_that_inherits_nothing_has_its_own_variables_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", "x")
    code = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}), os.environ['PATH'])"
    command = replace(_python(code, tmp_path, ("PATH", "/bin")), inherits=False)
    process = DriverProcess(command, tmp_path / "stand-ins")

    said = process.read()
    process.kill()

    assert said.decode() == f"{sorted((MARK, 'PATH'))} {tmp_path / 'stand-ins'}:/bin\n"


NOT_STARTED: Sequence[tuple[Callable[[Path], Command], str]] = (
    (lambda folder: Command(("no-such-program", "x"), str(folder)), r"'no-such-program x' in .*: No such file or dir"),
    (lambda folder: Command((str(folder),), str(folder)), r": Permission denied$"),
    (lambda folder: Command(("true",), str(folder / "nowhere")), r"in .*nowhere: No such file or directory$"),
    (lambda folder: Command(("true", "a\0b"), str(folder)), r"embedded null byte$"),
)


@pytest.mark.parametrize(("command", "words"), NOT_STARTED)
def test_a_driver_that_cannot_be_started_is_told_with_its_command_and_folder(
    command: Callable[[Path], Command], words: str, tmp_path: Path
) -> None:
    with pytest.raises(DriverError, match=r"^the driver cannot be started: .*" + words):
        StdioTransport(command(tmp_path))


def test_only_the_end_of_standard_error_is_kept(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('x' * 5_000_000 + '\\x1b[31mthe end\\n')"
    process = DriverProcess(_python(code, tmp_path))

    assert process.ended(20) == 0
    process.kill()
    words = process.words()

    assert words.endswith("the end")
    assert len(words) < 2100


def test_killing_twice_is_killing_once(tmp_path: Path) -> None:
    process = DriverProcess(_python("import time; time.sleep(60)", tmp_path))

    assert process.sweep() == []
    assert process.sweep() == []
    assert process.ended(0) == -9


def test_what_a_driver_has_started_ends_with_it_whatever_environment_and_session_it_has(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time; sleeps = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "print(subprocess.Popen(sleeps, env={}, start_new_session=True).pid, flush=True); time.sleep(60)"
    )
    process = DriverProcess(_python(code, tmp_path))
    child = psutil.Process(int(process.read()))
    try:
        process.kill()
        assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    finally:
        with suppress(psutil.Error):
            child.kill()


def test_another_drivers_children_are_left_alone(tmp_path: Path) -> None:
    one, other = (StdioTransport(_python(ECHO, tmp_path)) for _ in range(2))

    one.kill()

    assert other.exchange(b"still there", CANCEL, 10) == b"still there"
    assert other.end(5) is None


def test_all_that_carry_a_variable_are_ended_and_nobody_else(tmp_path: Path) -> None:
    code = "import time; time.sleep(60)"
    red, blue = (
        DriverProcess(_python(code, tmp_path, ("COLOUR", f"{colour} {tmp_path}"))) for colour in ("red", "blue")
    )

    names = end_all("COLOUR", f"red {tmp_path}")

    assert len(names) == 1
    assert red.ended(10) == -9
    assert blue.ended(0) is None
    red.kill()
    blue.kill()


QUOTES = (
    (b"plain", "'plain'"),
    (b"\xff\n\x1b[0m", "'\\\\xff\\n\\x1b[0m'"),
    (b"x" * 201, "'" + "x" * 200 + "' …"),
)


@pytest.mark.parametrize(("said", "shown"), QUOTES)
def test_a_quotation_is_short_and_on_one_line(said: bytes, shown: str) -> None:
    assert quote(said) == shown


# --- over HTTP -----------------------------------------------------------------------------------------------------


@dataclass
class Link:
    """A connection as the server has it; what is asked over it is written down with all the rest."""

    line: socket.socket
    heard: list[bytes]
    over: threading.Event

    def request(self) -> bytes:
        """Read one request, and give its body; nothing at the end of the connection."""
        said = b""
        while b"\r\n\r\n" not in said:
            more = self.line.recv(65536)
            if not more:
                return b""
            said += more
        head, _, body = said.partition(b"\r\n\r\n")
        size = next(int(line[16:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length: "))
        while len(body) < size:
            body += self.line.recv(65536)
        self.heard.append(body)
        return body

    def say(self, *words: bytes) -> None:
        """Write, word by word with a pause between, until the test is over."""
        for number, word in enumerate(words):
            if number and self.over.wait(0.05):
                return
            self.line.sendall(word)

    def answer(self, body: bytes, status: str = "200 OK", headers: str = "") -> None:
        """Answer a request."""
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        self.line.sendall(head.encode() + body)


Handler = Callable[[Link], None]


class Listener:
    """Serves one connection after the other with these handlers, the last of them again and again."""

    def __init__(self, *handlers: Handler) -> None:
        self.heard: list[bytes] = []
        self.connections = 0
        self._handlers = handlers
        self._over = threading.Event()
        self._links: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self._start(self._accept)

    def close(self) -> None:
        self._over.set()
        self._server.shutdown(socket.SHUT_RDWR)
        for link in self._links:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            handler = self._handlers[min(self.connections, len(self._handlers) - 1)]
            self.connections += 1
            self._links.append(line)
            self._start(partial(self._handle, handler, line))

    def _handle(self, handler: Handler, line: socket.socket) -> None:
        with line, suppress(OSError):
            handler(Link(line, self.heard, self._over))
            # To close with something unread would be a reset, and take what was said away from the other side.
            line.shutdown(socket.SHUT_WR)
            while line.recv(65536):
                pass

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()


class Talk(Protocol):
    """Opens a transport to a server with these handlers."""

    def __call__(self, *handlers: Handler) -> tuple[HttpTransport, Listener]: ...


@pytest.fixture
def talk() -> Generator[Talk]:
    """Open transports, and close them and their servers."""
    begun: list[tuple[HttpTransport, Listener]] = []

    def begin(*handlers: Handler) -> tuple[HttpTransport, Listener]:
        listener = Listener(*handlers)
        begun.append((HttpTransport(listener.url), listener))
        return begun[-1]

    yield begin
    for transport, listener in begun:
        transport.kill()
        listener.close()


def echo(link: Link) -> None:
    """Answer every request with itself."""
    while body := link.request():
        link.answer(body)


def echo_once(link: Link) -> None:
    """Answer one request, and close the connection as an idle one."""
    link.answer(link.request())


def hang(link: Link) -> None:
    """Read, and never answer."""
    link.request()
    link.over.wait()


def after_a_request(*words: bytes) -> Handler:
    """Read a request, and write this whatever it was."""

    def handle(link: Link) -> None:
        link.request()
        link.say(*words)

    return handle


def test_messages_of_a_moment_share_a_connection(talk: Talk) -> None:
    transport, listener = talk(echo)

    answers = [transport.exchange(b"%d" % number, CANCEL, 10) for number in range(3)]

    assert answers == [b"0", b"1", b"2"]
    assert (listener.heard, listener.connections) == (answers, 1)
    assert transport.stray() is None


FORMS = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc",
    b"HTTP/1.0 200 OK\r\n\r\nabc",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_that_an_answer_has_in_http_is_read(form: bytes, talk: Talk) -> None:
    transport, _ = talk(after_a_request(form))

    assert transport.exchange(b"1", CANCEL, 10) == b"abc"
    # The server closes after each answer; a request that crossed that on its way would be lost, as it should be.
    assert _closed_by_the_server(transport)
    assert transport.exchange(b"1", CANCEL, 10) == b"abc"


def _closed_by_the_server(transport: HttpTransport) -> bool:
    """Wait until the end of the idle connection has come."""
    line = transport._link.sock  # pyright: ignore[reportPrivateUsage] -- a test may look inside
    return line is None or bool(select.select((line,), (), (), 10)[0])


def test_an_idle_connection_that_the_server_closes_is_no_crash(talk: Talk) -> None:
    transport, listener = talk(echo_once)

    assert transport.exchange(b"1", CANCEL, 10) == b"1"
    assert _closed_by_the_server(transport)
    assert transport.exchange(b"2", CANCEL, 10) == b"2"

    assert (listener.heard, listener.connections) == ([b"1", b"2"], 2)


def test_a_request_that_was_sent_is_never_sent_again(talk: Talk) -> None:
    def answer_one_and_read_another(link: Link) -> None:
        link.answer(link.request())
        link.request()

    transport, listener = talk(answer_one_and_read_another, echo)
    assert transport.exchange(b"1", CANCEL, 10) == b"1"

    with pytest.raises(DriverCrashedError, match=r"^the driver broke the connection off \(RemoteDisconnected: .*\)$"):
        transport.exchange(b"2", CANCEL, 10)

    assert (listener.heard, listener.connections) == ([b"1", b"2"], 1)
    assert not transport.usable


def test_a_connection_that_was_idle_for_long_is_not_used_again(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tck_driver.http._YOUNG", 0.0)
    transport, listener = talk(echo)

    for number in range(3):
        transport.exchange(b"%d" % number, CANCEL, 10)

    assert listener.connections == 3


def test_what_comes_after_an_answer_is_not_taken_for_the_next(talk: Talk) -> None:
    def answer_twice(link: Link) -> None:
        link.answer(link.request())
        link.over.wait(0.05)
        link.answer(b"a second answer")
        link.over.wait()

    transport, listener = talk(answer_twice, echo)
    assert transport.exchange(b"1", CANCEL, 10) == b"1"
    assert _closed_by_the_server(transport)

    assert transport.exchange(b"2", CANCEL, 10) == b"2"
    assert listener.connections == 2


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n"
#: Answers that come so slowly that every single wait is a short one.
SLOW = {
    "a status line": [bytes([sign]) for sign in _HEAD],
    "headers": [_HEAD, *(b"X-%d: y\r\n" % number for number in range(90))],
    "a body": [_HEAD + b"\r\n", *[b"x"] * 100],
    "continuations": [b"HTTP/1.1 100 Continue\r\n\r\n"] * 100,
    "a chunk": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n", *[b"x"] * 100],
}


@pytest.mark.parametrize("form", SLOW)
def test_an_answer_that_trickles_is_cut_off_at_the_deadline(form: str, talk: Talk) -> None:
    transport, listener = talk(after_a_request(*SLOW[form]), echo)

    with pytest.raises(DriverTimeoutError, match=r"^the driver did not answer within 0\.3 s$"):
        transport.exchange(b"1", CANCEL, 0.3)

    assert listener.heard == [b"1", CANCEL]
    assert not transport.usable


def test_a_cancellation_that_nobody_takes_holds_nobody_up(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tck_driver.http.GRACE", 0.2)
    transport, listener = talk(hang)

    with pytest.raises(DriverTimeoutError):
        transport.exchange(b"1", CANCEL, 0.2)

    assert listener.heard == [b"1", CANCEL]


#: What a server does with a request, and what is then said of it.
FAULTS: Sequence[tuple[str, Handler, type[DriverError], str]] = (
    (
        "no answer at all",
        after_a_request(),
        DriverCrashedError,
        r"the driver broke the connection off \(RemoteDisconnected: .*\)",
    ),
    (
        "half a body",
        after_a_request(_HEAD + b"\r\n{"),
        DriverCrashedError,
        r"the driver broke the connection off \(IncompleteRead: .*\)",
    ),
    (
        "half a chunk",
        after_a_request(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nabc"),
        DriverCrashedError,
        r"the driver broke the connection off \(IncompleteRead: .*\)",
    ),
    (
        "an error of the server's",
        after_a_request(b"HTTP/1.1 500 Oh\r\nContent-Length: 3\r\n\r\noh\n"),
        DriverError,
        r"the driver answered with HTTP status 500: 'oh\\n'",
    ),
    (
        "another place",
        after_a_request(b"HTTP/1.1 301 There\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
        DriverError,
        r"the driver answered with HTTP status 301: ''",
    ),
    (
        "nothing to say",
        after_a_request(b"HTTP/1.1 204 No Content\r\n\r\n"),
        DriverError,
        r"the driver answered with HTTP status 204: ''",
    ),
    (
        "a long body",
        after_a_request(b"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + b"x" * 2_000_000),
        DriverError,
        r"the driver answered with more than 1 MiB: 'x{200}' …",
    ),
    (
        "a body without an end",
        after_a_request(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"10000\r\n" + b"x" * 65536),
        DriverCrashedError,
        r"the driver broke the connection off \(IncompleteRead: .*\)",
    ),
    (
        "another protocol",
        after_a_request(b"SSH-2.0-OpenSSH_9.2\r\n"),
        DriverError,
        r"the driver answered with something that is no HTTP \(BadStatusLine: SSH-2.0-OpenSSH_9.2\)",
    ),
    (
        "a long header",
        after_a_request(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n"),
        DriverError,
        r"the driver answered with something that is no HTTP \(LineTooLong: .*\)",
    ),
    (
        "many headers",
        after_a_request(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200),
        DriverError,
        r"the driver answered with something that is no HTTP \(HTTPException: got more than 100 headers\)",
    ),
    (
        "a length that is none",
        after_a_request(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"),
        DriverCrashedError,
        r"the driver broke the connection off \(IncompleteRead: .*\)",
    ),
)


@pytest.mark.parametrize(("handler", "kind", "words"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
def test_what_is_wrong_with_an_answer_is_said(
    handler: Handler, kind: type[DriverError], words: str, talk: Talk
) -> None:
    transport, listener = talk(handler)

    with pytest.raises(DriverError) as caught:
        transport.exchange(b"1", CANCEL, 10)

    assert re.fullmatch(words, str(caught.value))
    assert type(caught.value) is kind
    assert listener.heard == [b"1"]
    assert not transport.usable


def test_where_nobody_listens_that_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    transport = HttpTransport(f"http://127.0.0.1:{port}")

    with pytest.raises(DriverCrashedError, match=r"^the driver cannot be reached \(.*refused"):
        transport.exchange(b"1", CANCEL, 10)


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8700", "https://127.0.0.1:8700", "http://", "http://127.0.0.1:99999", "http://[::1"]
)
def test_a_url_of_no_driver_is_refused(url: str) -> None:
    with pytest.raises(DriverError, match=r"is no URL of a driver; give one such as http://127\.0\.0\.1:8700$"):
        HttpTransport(url)


def test_whoever_has_started_the_driver_is_told_of_its_end_and_asked_for_its_last_words() -> None:
    told: list[str] = []
    transport = HttpTransport("http://127.0.0.1:1/driver/", lambda: told.append("end"), lambda: "last words")

    assert transport.end(1) is None
    assert (told, transport.words(), transport.usable) == (["end"], "last words", False)
