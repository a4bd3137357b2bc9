"""A driver that sins: `hostile.py SIN [TOKEN]`, where the token marks whatever it leaves behind.

Beneath the sin is a decent driver of an engine that does nothing. With `-` for a sin, each scenario names its own by
its branch prefix; a prefix that is no sin is a scenario without one. It needs nothing but Python, so it starts at once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
#: Longer than any test waits.
FOREVER = 60.0
_REST: Json = {"idle": True, "pending": []}
_CHUNK = b"x" * 65536


@dataclass
class Decent:
    """What a decent driver knows, and what it answers."""

    sin: str
    token: str = ""
    now: str = ""
    workdir: str = ""
    #: Whether it takes no notice of the end of its standard input.
    stays: bool = False
    #: Which driver of a worker this is: 1 for the first, 2 for the one after a restart.
    number: int = 0
    #: Whether it was started only to say who it is.
    introduced: bool = False
    capabilities: list[str] = field(default_factory=list[str])

    def result(self, method: str, params: Json) -> Json:
        """Answer as an engine does in which nothing ever happens."""
        if method == "initialize":
            self.number = int(params["directory"].rpartition("-")[2] or 0)
            self.introduced = "introduction" in params["directory"]
            self.capabilities = params["capabilities"]
            return {
                "protocol": 1,
                "driver": {"name": "hostile", "version": "1.4.0"},
                "implementation": {"name": "decent", "version": "1.4.0", "language": "Python"},
                "capabilities": dict.fromkeys(self.capabilities, "supported") | {"adapter.api": "unsupported"},
                "clock": "virtual",
            }
        if method == "scenario/open":
            self.now, self.workdir = params["config"]["now"], params["workdir"]
        if method == "clock/advance":
            self.now = params["now"]
        answers: Mapping[str, Json] = {
            "scenario/open": {"refused": None},
            "stimulus/send": {"run": None, "outcome": None, "error": None},
            "clock/advance": {"now": self.now},
            "barrier/quiesce": _REST,
            "state/query": {"rows": []},
            "engine/start": {"refused": None},
            "scenario/close": {"leaks": []},
        }
        return dict(answers.get(method, {}))


@dataclass
class Ask:
    """One request, as a sin has it: the honest result and the frame around it can be bent."""

    driver: Decent
    name: str
    method: str
    result: Json

    @property
    def answer(self) -> Json:
        """The honest answer."""
        return {"jsonrpc": "2.0", "id": self.name, "result": self.result}


Act = Callable[[Ask], None]


def say(data: bytes, to: int = 1) -> None:
    """Write to standard output, all of it."""
    left = memoryview(data)
    while left:
        left = left[os.write(to, left) :]


def line(value: object) -> bytes:
    """Give a message."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def wait(_ask: Ask | None = None) -> None:
    """Do nothing, for longer than anybody waits."""
    time.sleep(FOREVER)


def saying(frame: Callable[[Ask], bytes]) -> Act:
    """Say this in place of the answer."""
    return lambda ask: say(frame(ask))


def bent(**fields: object) -> Act:
    """Answer with other fields in the frame; one that is ... is left out."""
    return saying(
        lambda ask: line({name: value for name, value in {**ask.answer, **fields}.items() if value is not ...})
    )


def giving(**fields: object) -> Act:
    """Answer with other fields in the result."""
    return saying(lambda ask: line({**ask.answer, "result": {**ask.result, **fields}}))


def failing(code: object, message: str, **data: object) -> Act:
    """Answer with an error."""
    error = {"code": code, "message": message, **({"data": data} if data else {})}
    return bent(result=..., error=error)


def chain(*acts: Act) -> Act:
    """Do one after the other."""

    def act(ask: Ask) -> None:
        for one in acts:
            one(ask)

    return act


honest = saying(lambda ask: line(ask.answer))


def cancelled(_ask: Ask) -> None:
    """Wait for the next message, which is the cancellation."""
    sys.stdin.buffer.readline()


def in_pieces(ask: Ask) -> None:
    """Answer, five bytes at a time."""
    whole = line(ask.answer)
    for start in range(0, len(whole), 5):
        say(whole[start : start + 5])
        time.sleep(0.001)


def gigabyte(_ask: Ask) -> None:
    """Write a gigabyte that is no line."""
    for _ in range(16 * 1024):
        say(_CHUNK)


def lines_without_end(_ask: Ask) -> None:
    """Write line after line, as fast as it can."""
    while True:
        say(b"a note\n" * 8192)


def loud(_ask: Ask) -> None:
    """Write 64 MiB to standard error, and last words."""
    for _ in range(1024):
        say(_CHUNK, 2)
    say(b"\nthese are the last words\n", 2)


def ends(status: int) -> Act:
    """End at once."""
    return lambda _ask: os._exit(status)


def kills_itself(_ask: Ask) -> None:
    """End as one does whom the kernel has killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def closing(descriptor: int) -> Act:
    """Close a standard stream, and go on."""
    return lambda _ask: os.close(descriptor)


def deaf(_ask: Ask) -> None:
    """Take no notice of a polite request to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def stays(ask: Ask) -> None:
    """Take no notice of any request to end, when it comes to that."""
    deaf(ask)
    ask.driver.stays = True


def child(
    *, streams: int | None = subprocess.DEVNULL, bare: bool = False, session: bool = False, twice: bool = False
) -> Act:
    """Start a process that stays: with an empty environment, in a session of its own, or by way of another one."""

    def act(ask: Ask) -> None:
        words = [sys.executable, "-S", "-E", "-c", f"import time; time.sleep({FOREVER})", ask.driver.token]
        if twice:
            code = f"import subprocess; subprocess.Popen({words!r}, start_new_session=True)"
            words = [sys.executable, "-S", "-E", "-c", code, ask.driver.token]
        environment = {} if bare else dict(os.environ)
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=streams, stderr=streams, env=environment, start_new_session=session
        )
        if twice:
            process.wait()
        process.returncode = 0  # nobody is to complain that it was left

    return act


def writes_outside(ask: Ask) -> None:
    """Leave a file beside the scenario's folder."""
    Path(ask.driver.workdir, "..", "stranger").write_text("I was here\n", encoding="utf-8")


def later(act: Act) -> Act:
    """Sin in a driver that was started anew, and be honest in the first."""
    return lambda ask: (act if ask.driver.number > 1 else honest)(ask)


def unless_introduced(act: Act) -> Act:
    """Sin in the drivers that run scenarios, and not in the one that is heard before a run."""
    return lambda ask: (honest if ask.driver.introduced else act)(ask)


def with_capability(name: str, support: str | None) -> Act:
    """Answer another thing for one capability; without a support, leave it out."""

    def act(ask: Ask) -> None:
        said = {**ask.result["capabilities"], name: support}
        giving(capabilities={one: word for one, word in said.items() if word is not None})(ask)

    return act


def with_deadline(ask: Ask) -> None:
    """Have something to do in a millisecond, whatever time it is."""
    due = datetime.fromisoformat(ask.driver.now) + timedelta(milliseconds=1)
    giving(next_deadline=due.isoformat().replace("+00:00", "Z"))(ask)


def _who(**fields: str) -> Act:
    return giving(implementation={"name": "decent", "version": "1.4.0", "language": "Python", **fields})


def _pending(waits_for: str, **fields: str) -> Act:
    return giving(idle=False, pending=[{"what": "run 1", "waits_for": waits_for, **fields}])


_DUE = "stimulus/send"
#: Every sin, with the method at whose request it is committed. `start` is before any request.
SINS: Mapping[str, tuple[str, Act]] = {
    # It talks otherwise than agreed.
    "never-answers": ("state/query", wait),
    "answers-late": ("state/query", chain(lambda _ask: time.sleep(3), honest)),
    "answers-when-cancelled": ("state/query", chain(cancelled, honest)),
    "answers-the-cancellation": (
        "state/query",
        chain(cancelled, honest, bent(id=None, result=..., error={"code": -32601, "message": "$/cancel"})),
    ),
    "answers-twice": (_DUE, saying(lambda ask: line(ask.answer) * 2)),
    "answers-another-id": (_DUE, bent(id="r0")),
    "answers-a-number": (_DUE, bent(id=1)),
    "answers-nobody": (_DUE, bent(id=None, result=..., error={"code": -32700, "message": "I cannot read that"})),
    "answers-in-pieces": (_DUE, in_pieces),
    "answers-with-carriage-returns": (_DUE, saying(lambda ask: line(ask.answer).replace(b"\n", b"\r\n"))),
    "breaks-off-a-line": ("state/query", chain(saying(lambda ask: line(ask.answer)[:20]), wait)),
    "writes-a-banner": ("initialize", chain(saying(lambda _ask: b"decent 1.4.0 is ready\n"), honest)),
    "writes-junk": (_DUE, saying(lambda _ask: b"done!\n")),
    "writes-a-gigabyte": (_DUE, gigabyte),
    "floods-with-lines": (_DUE, chain(honest, lines_without_end)),
    "floods-standard-error": (_DUE, chain(loud, honest)),
    "shouts-and-exits": (_DUE, chain(loud, ends(3))),
    "tells-unasked": (_DUE, chain(bent(id=..., result=..., method="log", params={}), honest)),
    "answers-in-a-batch": (_DUE, saying(lambda ask: line([ask.answer]))),
    "answers-twofold": (_DUE, bent(error={"code": -32002, "message": "and it failed"})),
    "answers-without-a-version": (_DUE, bent(jsonrpc=...)),
    "writes-a-byte-order-mark": (_DUE, saying(lambda ask: b"\xef\xbb\xbf" + line(ask.answer))),
    "writes-latin-1": (_DUE, saying(lambda ask: line(ask.answer).replace(b"null", b'"\xe9"', 1))),
    "writes-utf-16": (_DUE, saying(lambda ask: line(ask.answer).decode().rstrip().encode("utf-16-be") + b"\n")),
    "nests-beyond-reading": (_DUE, saying(lambda _ask: b'{"a":' * 100_000 + b"\n")),
    "nests-deep": (_DUE, giving(deep=json.loads('{"a":' * 400 + "1" + "}" * 400))),
    "writes-no-number": ("scenario/close", giving(leaks=[float("nan")])),
    "writes-half-a-pair": ("scenario/close", giving(leaks=["\ud800"])),
    # It lives otherwise than agreed.
    "exits-at-start": ("start", ends(3)),
    "hangs-at-start": ("initialize", wait),
    "exits": (_DUE, ends(3)),
    "exits-in-a-line": (_DUE, chain(saying(lambda ask: line(ask.answer)[:20]), ends(3))),
    "exits-between": ("scenario/close", chain(honest, ends(3))),
    "kills-itself": (_DUE, kills_itself),
    "leaves-its-stdout-to-a-child": ("state/query", chain(child(streams=None), ends(3))),
    "closes-stdout": (_DUE, chain(closing(1), wait)),
    "closes-stdin": (_DUE, chain(closing(0), honest, wait)),
    "ignores-sigterm": ("state/query", chain(deaf, wait)),
    "hangs-at-shutdown": ("shutdown", wait),
    "stays-after-shutdown": ("shutdown", chain(deaf, honest, wait)),
    "stays-after-its-run": (_DUE, chain(stays, honest)),
    "leaves-a-daemon-in-a-run": ("scenario/close", chain(child(session=True, twice=True), honest)),
    "ends-with-5": ("shutdown", chain(honest, ends(5))),
    "leaves-a-child": ("shutdown", chain(child(), honest)),
    "leaves-a-daemon": ("shutdown", chain(child(session=True, twice=True), honest)),
    "leaves-a-bare-child": ("shutdown", chain(child(bare=True), honest)),
    "writes-outside": (_DUE, chain(writes_outside, honest)),
    # It claims what is not so.
    "refuses-what-it-declared": (_DUE, failing(-32001, "not today", capability="stimulus.run.due")),
    "refuses-without-a-name": (_DUE, failing(-32001, "not today")),
    "refuses-what-it-declined": (_DUE, failing(-32001, "not today", capability="adapter.api")),
    "refuses-to-begin": ("initialize", failing(-32001, "not today", capability="sessions")),
    "fails-to-begin": ("initialize", failing(-32002, "there is no database")),
    "engine-fails": (_DUE, failing(-32002, "the engine\nis \x1b[31mgone\x00")),
    "invents-a-code": (_DUE, failing(-1, "something\nwent wrong")),
    "says-cancelled": (_DUE, failing(-32800, "cancelled")),
    "names-a-branch": ("initialize", _who(version="Main")),
    "speaks-protocol-2": ("initialize", giving(protocol=2)),
    "declares-unasked": ("initialize", with_capability("telepathy", "supported")),
    "declares-nothing": ("initialize", giving(capabilities={})),
    "changes-its-version": ("initialize", later(_who(version="1.4.1"))),
    "changes-its-capabilities": ("initialize", later(with_capability("sessions", "unsupported"))),
    "changes-its-clock": ("initialize", later(giving(clock="wall"))),
    "declines-after-its-introduction": (
        "initialize",
        unless_introduced(with_capability("adapter.codex", "unsupported")),
    ),
    "misfits": ("state/query", giving(rows=[{"run": 7}])),
    "misfits-at-start": ("initialize", giving(clock="sundial")),
    "has-a-wall-clock": ("initialize", giving(clock="wall")),
    "tells-another-time": ("clock/advance", giving(now="2000-01-01T00:00:00Z")),
    "has-no-such-day": ("clock/advance", giving(now="2026-02-31T09:00:00Z")),
    "is-due-in-the-past": ("barrier/quiesce", giving(next_deadline="2000-01-01T00:00:00Z")),
    "is-due-again-and-again": ("barrier/quiesce", with_deadline),
    "is-due-on-no-day": ("barrier/quiesce", giving(next_deadline="2026-02-31T09:00:00Z")),
    "works-without-end": ("barrier/quiesce", _pending("work")),
    "waits-for-nobodys-container": ("barrier/quiesce", _pending("container", container="nobodys")),
    "waits-for-a-container-without-a-name": ("barrier/quiesce", _pending("container")),
    "is-neither-idle-nor-busy": ("barrier/quiesce", giving(idle=False)),
}


def main() -> None:
    """Answer until standard input ends."""
    named = sys.argv[1]
    driver = Decent("" if named == "-" else named, sys.argv[2] if len(sys.argv) > 2 else "")
    if SINS.get(driver.sin, ("", wait))[0] == "start":
        SINS[driver.sin][1](Ask(driver, "", "start", {}))
    for said in iter(sys.stdin.buffer.readline, b""):
        message = json.loads(said)
        if "id" not in message:
            continue
        method, params = message["method"], message["params"]
        if named == "-" and method == "scenario/open":
            driver.sin = params["config"]["projects"][0]["branch_prefix"]
        ask = Ask(driver, message["id"], method, driver.result(method, params))
        at, act = SINS.get(driver.sin, ("", honest))
        (act if at == method else honest)(ask)
    if driver.stays:
        wait()


if __name__ == "__main__":
    main()
