"""Drivers that sin, as a connection meets them: each is named for what it did, and nothing of it is left."""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from tck_driver import remote
from tck_driver.capabilities import CAPABILITIES
from tck_driver.configuration import EngineConfig
from tck_driver.connection import About, Connection
from tck_driver.errors import (
    DriverCrashedError,
    DriverError,
    DriverTimeoutError,
    EngineError,
    EngineTimeoutError,
    FalseAdvertisingError,
    UntestableError,
)
from tck_driver.messages import Json
from tck_driver.process import Command
from tck_driver.remote import RemoteEngine
from tck_driver.stdio import StdioTransport
from tck_driver.stimuli import Stimulus

from .hostile.hostile import SINS

PROGRAM = Path(__file__).parent / "hostile" / "hostile.py"
ABOUT = About("0", "small", "1", "d")
#: How long a request waits at which a sin is committed, where the sin is not to answer in time.
BRIEFLY = 0.3
#: How long it may take to see that something is gone.
PATIENCE = 10.0


@dataclass
class Life:
    """A driver with one sin, whatever it leaves behind marked with a token."""

    sin: str
    folder: Path
    token: str = field(default_factory=lambda: secrets.token_hex(8))

    def connect(self) -> Connection:
        """Start it."""
        words = (sys.executable, "-S", "-E", str(PROGRAM), self.sin, self.token)
        return Connection(StdioTransport(Command(words, str(self.folder), (("HOSTILE_TOKEN", self.token),))))

    def day(self, connection: Connection) -> None:
        """Ask everything that a scenario can ask, once."""
        at = SINS[self.sin][0]
        # A start that hangs is not waited for any longer than any other sin.
        connection.timeout_scale = 0.02 if (self.sin, at) == ("hangs-at-start", "initialize") else 1.0
        connection.initialize(ABOUT, CAPABILITIES, str(self.folder / "driver-1"))
        for method, params in self._requests():
            slow = self.sin in SLOW and method == at
            connection.request(method, params, seconds=BRIEFLY if slow else None)

    def left(self) -> list[psutil.Process]:
        """Give what is still there of it, once that had time to go."""
        until = time.monotonic() + PATIENCE
        while (found := _marked(self.token)) and time.monotonic() < until:
            time.sleep(0.02)
        return found

    def _requests(self) -> list[tuple[str, Json]]:
        workdir = self.folder / "0001"
        workdir.mkdir(exist_ok=True)
        config: Json = {"base": str(workdir / "base"), "now": "2026-01-05T09:00:00Z", "projects": [], "settings": []}
        opened: Json = {
            "ref": "0001",
            "seed": 1,
            "workdir": str(workdir),
            "endpoints": {"path": str(self.folder), "forge": "http://127.0.0.1:1", "model": "http://127.0.0.1:1"},
            "config": config | {"credential_mounts": [], "images": []},
        }
        return [
            ("scenario/open", opened),
            ("stimulus/send", {"type": "reconcile.due", "payload": {}}),
            ("barrier/quiesce", {"deadline_ms": 100}),
            ("clock/advance", {"ms": 1000, "now": "2026-01-05T09:00:01Z"}),
            ("state/query", {"view": "sessions"}),
            ("scenario/close", {}),
        ]


def _marked(token: str) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            named = token in process.cmdline() or token in process.environ().values()
            if named and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.fixture
def life(tmp_path: Path) -> Generator[Callable[[str], Life]]:
    """Begin lives of sin, and end what is left of them, whatever a test has found."""
    begun: list[Life] = []

    def begin(sin: str) -> Life:
        begun.append(Life(sin, tmp_path))
        return begun[-1]

    yield begin
    for one in begun:
        for process in _marked(one.token):
            process.kill()


SLOW = {
    "never-answers",
    "answers-late",
    "answers-when-cancelled",
    "answers-the-cancellation",
    "breaks-off-a-line",
    "leaves-its-stdout-to-a-child",
    "ignores-sigterm",
}
_NO_MESSAGE = "answered stimulus/send with something that is no message in JSON and UTF-8: "
_NO_ANSWER = "answered stimulus/send with something that is no answer of JSON-RPC 2.0: "

#: What a connection says of each sin that breaks a day, from the beginning of its message on.
FAULTS: Mapping[str, tuple[type[Exception], str]] = {
    "never-answers": (
        DriverTimeoutError,
        "state/query: the driver did not answer within 0.3 s, nor after a cancellation",
    ),
    "answers-late": (
        DriverTimeoutError,
        "state/query: the driver did not answer within 0.3 s, nor after a cancellation",
    ),
    "answers-when-cancelled": (
        DriverTimeoutError,
        "state/query: the driver did not answer within 0.3 s, and answered only once the request was cancelled",
    ),
    "answers-the-cancellation": (
        DriverTimeoutError,
        "state/query: the driver did not answer within 0.3 s, and answered only once the request was cancelled",
    ),
    "answers-twice": (
        DriverError,
        (
            "the driver said something before barrier/quiesce that nobody asked for: "
            """'{"jsonrpc":"2.0","id":"r3","result":{"run":null,"outcome":null,"error":null}}'"""
        ),
    ),
    "answers-another-id": (DriverError, "the driver answered stimulus/send with the id 'r0' instead of 'r3': '"),
    "answers-a-number": (DriverError, f"""the driver {_NO_ANSWER}'{{"jsonrpc":"2.0","id":1,"""),
    "answers-nobody": (
        DriverError,
        (
            "the driver answered stimulus/send with the id None instead of 'r3': "
            """'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"I cannot read that"}}'"""
        ),
    ),
    "breaks-off-a-line": (
        DriverTimeoutError,
        (
            "state/query: the driver did not answer within 0.3 s, nor after a cancellation; "
            """its last line is not whole: '{"jsonrpc":"2.0","id'"""
        ),
    ),
    "writes-a-banner": (
        DriverError,
        "the driver answered initialize with something that is no message in JSON and UTF-8: 'decent 1.4.0 is ready'",
    ),
    "writes-junk": (DriverError, f"the driver {_NO_MESSAGE}'done!'"),
    "writes-a-gigabyte": (DriverError, "stimulus/send: the driver wrote a line of more than 1 MiB: 'xxxx"),
    "floods-with-lines": (DriverError, "the driver "),
    "shouts-and-exits": (
        DriverCrashedError,
        "stimulus/send: the driver ended with exit code 3\nits standard error ends with: ",
    ),
    "tells-unasked": (DriverError, f"""the driver {_NO_ANSWER}'{{"jsonrpc":"2.0","method":"log","params":{{}}}}'"""),
    "answers-in-a-batch": (DriverError, f"the driver {_NO_ANSWER}'[{{"),
    "answers-twofold": (DriverError, f"the driver {_NO_ANSWER}'{{"),
    "answers-without-a-version": (DriverError, f"""the driver {_NO_ANSWER}'{{"id":"r3","""),
    "writes-a-byte-order-mark": (DriverError, f"the driver {_NO_MESSAGE}'\\ufeff{{"),
    "writes-latin-1": (
        DriverError,
        f"""the driver {_NO_MESSAGE}'{{"jsonrpc":"2.0","id":"r3","result":{{"run":"\\\\xe9""",
    ),
    "writes-utf-16": (DriverError, f"the driver {_NO_MESSAGE}'\\x00{{\\x00"),
    "nests-beyond-reading": (DriverError, f"""the driver {_NO_MESSAGE}'{{"a":{{"a":"""),
    "nests-deep": (
        DriverError,
        (
            "the answer to stimulus/send does not fit its schema: "
            "Additional properties are not allowed ('deep' was unexpected) @ $"
        ),
    ),
    "writes-no-number": (
        DriverError,
        (
            "the driver answered scenario/close with something that is no message in JSON and UTF-8: "
            """'{"jsonrpc":"2.0","id":"r7","result":{"leaks":[NaN]}}'"""
        ),
    ),
    "writes-half-a-pair": (
        DriverError,
        (
            "the driver answered scenario/close with something that is no message in JSON and UTF-8: "
            """'{"jsonrpc":"2.0","id":"r7","result":{"leaks":["\\\\ud800"]}}'"""
        ),
    ),
    "exits-at-start": (DriverCrashedError, "initialize: the driver ended with exit code 3"),
    "hangs-at-start": (
        DriverTimeoutError,
        "initialize: the driver did not answer within 0.4 s, nor after a cancellation",
    ),
    "exits": (DriverCrashedError, "stimulus/send: the driver ended with exit code 3"),
    "exits-in-a-line": (
        DriverCrashedError,
        (
            "stimulus/send: the driver ended with exit code 3; its last line was cut off: "
            """'{"jsonrpc":"2.0","id'"""
        ),
    ),
    "kills-itself": (DriverCrashedError, "stimulus/send: the driver ended with signal 9"),
    "leaves-its-stdout-to-a-child": (DriverCrashedError, "state/query: the driver ended with exit code 3"),
    "closes-stdout": (DriverCrashedError, "stimulus/send: the driver closed its standard output and went on"),
    "closes-stdin": (DriverCrashedError, "barrier/quiesce: the driver closed its standard input and went on"),
    "ignores-sigterm": (
        DriverTimeoutError,
        "state/query: the driver did not answer within 0.3 s, nor after a cancellation",
    ),
    "refuses-what-it-declared": (
        FalseAdvertisingError,
        "stimulus.run.due is declared as supported, and stimulus/send refused it: not today",
    ),
    "refuses-without-a-name": (
        FalseAdvertisingError,
        "stimulus/send is declared as supported, and stimulus/send refused it: not today",
    ),
    "refuses-what-it-declined": (
        UntestableError,
        "stimulus/send was refused for want of adapter.api: not today",
    ),
    "refuses-to-begin": (DriverError, "the driver answered initialize with error -32001: not today"),
    "fails-to-begin": (DriverError, "the driver answered initialize with error -32002: there is no database"),
    "engine-fails": (EngineError, "the engine is \\x1b[31mgone\\x00"),
    "invents-a-code": (DriverError, "the driver answered stimulus/send with error -1: something went wrong"),
    "says-cancelled": (DriverError, "the driver answered stimulus/send with error -32800: cancelled"),
    "names-a-branch": (
        DriverError,
        "the version 'Main' names a branch; say what was built, such as 1.4.0 or a commit",
    ),
    "speaks-protocol-2": (DriverError, "the driver speaks protocol 2, and this kit speaks 1"),
    "declares-unasked": (DriverError, "the driver answers for capabilities that nobody asked about: telepathy"),
    "misfits": (
        DriverError,
        "the answer to state/query does not fit its schema: 7 is not of type 'string' @ $.run of rows[0]",
    ),
    "misfits-at-start": (
        DriverError,
        "the answer to initialize does not fit its schema: 'sundial' is not one of ['virtual', 'wall'] @ $.clock",
    ),
}


#: Sins after which a driver is asked further: it has answered in its turn, if wrongly, or was not at work yet.
GOES_ON = {
    "answers-when-cancelled",
    "answers-the-cancellation",
    "nests-deep",
    "refuses-what-it-declared",
    "refuses-without-a-name",
    "refuses-what-it-declined",
    "engine-fails",
    "invents-a-code",
    "says-cancelled",
    "misfits",
}


@pytest.mark.parametrize("sin", FAULTS)
def test_a_sin_is_named_for_what_it_was_and_nothing_of_the_driver_is_left(
    sin: str, life: Callable[[str], Life]
) -> None:
    kind, words = FAULTS[sin]
    one = life(sin)
    connection = one.connect()

    with pytest.raises((DriverError, EngineError, UntestableError)) as caught:
        one.day(connection)
    usable = connection.usable
    connection.kill()

    assert str(caught.value)[: len(words)] == words
    assert type(caught.value) is kind
    assert usable == (
        sin in GOES_ON or (SINS[sin][0] == "initialize" and kind is DriverError and sin != "writes-a-banner")
    )
    assert one.left() == []


@pytest.mark.parametrize("sin", ["refuses-what-it-declared", "engine-fails", "misfits", "answers-when-cancelled"])
def test_a_driver_that_answered_in_its_turn_can_be_asked_further(sin: str, life: Callable[[str], Life]) -> None:
    one = life(sin)
    connection = one.connect()
    with pytest.raises((DriverError, EngineError)):
        one.day(connection)

    assert connection.request("scenario/close") == {"leaks": []}
    assert connection.end() is None
    assert one.left() == []


@pytest.mark.parametrize("sin", ["answers-another-id", "exits", "closes-stdout", "never-answers"])
def test_a_driver_whose_answers_could_belong_to_anything_is_not_asked_again(
    sin: str, life: Callable[[str], Life]
) -> None:
    one = life(sin)
    connection = one.connect()
    with pytest.raises(DriverError):
        one.day(connection)

    with pytest.raises(DriverError, match=r"^state/query: there is no driver to ask any more$"):
        connection.request("state/query", {"view": "sessions"})

    connection.kill()
    assert one.left() == []


def test_the_first_line_of_a_message_is_enough_and_fits_a_screen(life: Callable[[str], Life]) -> None:
    one = life("shouts-and-exits")
    connection = one.connect()

    with pytest.raises(DriverCrashedError) as caught:
        one.day(connection)
    connection.kill()

    first, *rest = str(caught.value).splitlines()
    assert first == "stimulus/send: the driver ended with exit code 3"
    assert rest[-1] == "these are the last words"
    assert len(str(caught.value)) < 2200


def test_an_answer_to_a_cancellation_breaks_the_next_request(life: Callable[[str], Life]) -> None:
    one = life("answers-the-cancellation")
    connection = one.connect()
    with pytest.raises(DriverTimeoutError):
        one.day(connection)

    assert _until_it_breaks(connection).startswith("the driver ")

    assert one.left() == []


def _until_it_breaks(connection: Connection) -> str:
    """Ask until what was said too much is met, and give what is then told."""
    for _ in range(1000):
        try:
            connection.request("scenario/close")
        except DriverError as fault:
            return str(fault)
    return "it never broke"


def test_a_flood_of_lines_is_found_at_the_next_request(life: Callable[[str], Life]) -> None:
    one = life("floods-with-lines")
    connection = one.connect()

    with pytest.raises(DriverError, match=r"barrier/quiesce .*: 'a note'$"):
        one.day(connection)

    assert one.left() == []


#: What is unusual and allowed.
FINE = (
    "answers-in-pieces",
    "answers-with-carriage-returns",
    "floods-standard-error",
    "declares-nothing",
    "has-a-wall-clock",
)


@pytest.mark.parametrize("sin", FINE)
def test_what_is_unusual_and_allowed_is_no_fault(sin: str, life: Callable[[str], Life]) -> None:
    one = life(sin)
    connection = one.connect()

    one.day(connection)

    assert connection.end() is None
    assert one.left() == []


#: What a connection says of the end of a driver that was decent until then.
ENDS: Mapping[str, str] = {
    "hangs-at-shutdown": r"shutdown: the driver did not answer within 0\.2 s, nor after a cancellation",
    "stays-after-shutdown": r"the driver did not end within 0\.3 s after shutdown, and was killed",
    "stays-after-its-run": r"the driver did not end within 0\.3 s after shutdown, and was killed",
    "leaves-a-daemon-in-a-run": r"the driver left processes running: \S+ \(\d+\)",
    "ends-with-5": r"the driver ended with exit code 5 after shutdown",
    "exits-between": r"shutdown: the driver ended with exit code 3",
    "leaves-a-child": r"the driver left processes running: \S+ \(\d+\)",
    "leaves-a-daemon": r"the driver left processes running: \S+ \(\d+\)",
    "leaves-a-bare-child": r"the driver left processes running: \S+ \(\d+\)",
}


@pytest.mark.parametrize("sin", ENDS)
def test_what_is_wrong_with_an_end_is_said_and_nothing_is_left(sin: str, life: Callable[[str], Life]) -> None:
    one = life(sin)
    connection = one.connect()
    one.day(connection)

    connection.timeout_scale = 0.1 if sin == "hangs-at-shutdown" else 1.0
    said = connection.end(0.3 if sin.startswith("stays-") else 2.0)

    assert re.fullmatch(ENDS[sin], said or "")
    assert one.left() == []


def test_a_driver_that_is_killed_takes_its_children_with_it(life: Callable[[str], Life]) -> None:
    one = life("leaves-a-daemon")
    connection = one.connect()
    one.day(connection)
    connection.request("shutdown")
    assert len(_marked(one.token)) >= 1

    connection.kill()

    assert one.left() == []


FLOODS = ("writes-a-gigabyte", "floods-with-lines", "floods-standard-error", "nests-beyond-reading")
_MEASURED = """
import pathlib, resource, sys
sys.path.insert(0, sys.argv[1])
from driver.test_hostile import Life
life = Life(sys.argv[2], pathlib.Path(sys.argv[3]))
connection = life.connect()
try:
    life.day(connection)
except Exception as fault:
    print(type(fault).__name__)
connection.kill()
# On Linux what getrusage says has in it what the process was forked from; the peak of a program's own memory has not.
status = pathlib.Path("/proc/self/status")
if status.exists():
    print(next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) // 1024)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024 // 1024)
"""


@pytest.mark.parametrize("sin", FLOODS)
def test_a_flood_does_not_fill_the_kits_memory(sin: str, tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])

    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, tests, sin, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert int(done.stdout.split()[-1]) < 400


# --- what a driver says of rest and time, as the engine behind it is driven ----------------------------------------


@dataclass
class Around:
    """Surroundings in which no container ever runs."""

    time: datetime = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def set_time(self, now: datetime) -> None:
        self.time = now

    def next_end(self) -> datetime | None:
        return None

    def stands_still(self, container: str) -> bool:  # noqa: ARG002 -- there is none
        return False

    def asked_version(self) -> bool:
        return False

    @property
    def relayed(self) -> Callable[[], bool]:
        return lambda: True

    def endpoints(self) -> Mapping[str, str]:
        return {"path": "/nowhere", "forge": "http://127.0.0.1:1", "model": "http://127.0.0.1:1"}

    def hear(self, stimulus: Stimulus) -> None:
        """Know nothing."""

    def raise_faults(self) -> None:
        """Have none."""


#: What the engine behind a driver is said to have done, or the driver, that tells something odd of rest and time.
CLAIMS: Mapping[str, tuple[type[Exception], str]] = {
    "tells-another-time": (
        DriverError,
        r"the driver's clock was to go to 2026-01-05T09:01:00Z, and it says 2000-01-01T00:00:00Z",
    ),
    "has-no-such-day": (DriverError, r"the driver gave a time that is none: day is out of range for month"),
    "is-due-again-and-again": (
        DriverError,
        r"the driver's next_deadline moved on 50 times in one advance of the clock",
    ),
    "is-due-on-no-day": (
        DriverError,
        r"the driver gave a next_deadline that is no point in time: day is out of range for month",
    ),
    "has-a-wall-clock": (
        DriverError,
        r"the driver declares control.clock as supported, and its clock as the machine's own",
    ),
    "declares-nothing": (UntestableError, r"sessions is undeclared"),
    "works-without-end": (EngineTimeoutError, r"the engine did not come to rest within 0.3 s: run 1 waits for work"),
    "is-neither-idle-nor-busy": (
        EngineTimeoutError,
        r"the engine did not come to rest within 0.3 s: it says that it is not idle, and does not say what is pending",
    ),
    "waits-for-nobodys-container": (
        EngineTimeoutError,
        r"the engine did not come to rest within 0.3 s: run 1 waits for nobodys",
    ),
    "waits-for-a-container-without-a-name": (
        EngineTimeoutError,
        r"the engine did not come to rest within 0.3 s: run 1 waits for container",
    ),
}


def _minute(one: Life) -> tuple[Connection, datetime]:
    """Let a minute pass in an engine without projects."""
    connection, around = one.connect(), Around()
    try:
        connection.initialize(ABOUT, CAPABILITIES, str(one.folder / "driver-1"))
        engine = RemoteEngine(connection, around, "0001", str(one.folder))
        engine.open(EngineConfig(base=str(one.folder), projects=()))
        engine.advance(60_000)
        engine.close()
    finally:
        connection.kill()
    return connection, around.time


@pytest.mark.parametrize("sin", CLAIMS)
def test_an_odd_claim_is_held_against_whoever_made_it(
    sin: str, life: Callable[[str], Life], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "PATIENCE", 0.3)
    monkeypatch.setattr(remote, "MOST_STEPS", 50)
    kind, words = CLAIMS[sin]

    with pytest.raises(kind) as caught:
        _minute(life(sin))

    assert re.fullmatch(words, str(caught.value))


def test_a_deadline_in_the_past_holds_nothing_up(life: Callable[[str], Life]) -> None:
    _, now = _minute(life("is-due-in-the-past"))

    assert now == datetime(2026, 1, 5, 9, 1, tzinfo=UTC)


#: Sins whose proof needs a whole run.
OF_A_RUN = {
    "writes-outside",
    "changes-its-version",
    "changes-its-capabilities",
    "changes-its-clock",
    "declines-after-its-introduction",
}


def test_every_sin_is_judged_somewhere() -> None:
    judged = {*FAULTS, *FINE, *ENDS, *CLAIMS, *OF_A_RUN, "is-due-in-the-past"}

    assert set(SINS) - judged == set()
    assert judged - set(SINS) == set()
