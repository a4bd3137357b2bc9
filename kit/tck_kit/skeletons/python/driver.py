#!/usr/bin/env python3
"""A driver: it puts your engine behind the protocol of session-tck, one JSON object a line on stdin and stdout.

As it stands it supports nothing, and session-tck says so of every requirement. It becomes yours step by step: fill in
a method of the first half, name in SUPPORTED what now works, run `session-tck driver check`. What each method is given
and answers is described in docs/driver-protocol.md of session-tck, under the name of the method.
"""

from __future__ import annotations

import json
import logging
import os
import select
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NoReturn, cast

if TYPE_CHECKING:
    from collections.abc import Callable

LOG = logging.getLogger("driver")
Object = dict[str, Any]

# ---------------------------------------------------------------------------------------------- your engine

#: Who drives, and what is driven. The versions are releases or commits, never the name of a branch.
DRIVER = {"name": "my-driver", "version": "0.1.0"}
IMPLEMENTATION = {"name": "my-engine", "version": "0.1.0", "language": "python"}

#: "virtual" where the engine takes its time from clock/advance, "wall" where it looks at the machine's clock.
CLOCK = "wall"

#: What works, such as "sessions", "adapter.codex", "view.sessions", "stimulus.run.due", "control.kill".
#: Whatever is named here is used; docs/driver-protocol.md, "Capabilities", lists all the names.
SUPPORTED: frozenset[str] = frozenset()


def initialize(params: Object) -> Object:
    """Say who answers, and which of the capabilities asked are supported."""
    if params["protocol"] != 1:
        raise Fault(PARAMS_DO_NOT_FIT, f"this driver speaks protocol 1, not {params['protocol']}")
    # params["directory"] is a folder for this process alone: the place for a database or a log of the engine.
    return {
        "protocol": 1,
        "driver": DRIVER,
        "implementation": IMPLEMENTATION,
        "capabilities": {name: "supported" if name in SUPPORTED else "unsupported" for name in params["capabilities"]},
        "clock": CLOCK,
    }


def open_scenario(_params: Object) -> Object:
    """Begin a scenario with an empty engine."""
    # Start the engine with params["config"]: its projects, bindings, settings, mounts and images. Keep its state under
    # config["base"], put endpoints["path"] first on its PATH, and let its tracker and model clients talk to
    # endpoints["forge"] and endpoints["model"]. Then: return {"refused": None}, or the engine's own text where it
    # refuses this configuration. docs/driver-protocol.md, "scenario/open".
    raise unsupported("sessions")


def send_stimulus(params: Object) -> Object:
    """Let something happen to the engine."""
    # Hand params["payload"] to the engine in the way in which it learns of params["type"] in real life: a webhook, an
    # API call, a row in its database. Then: return {"run": id of the run or None, "outcome": None, "error": None}.
    # docs/driver-protocol.md, "stimulus/send", and the table of types and payloads in "Stimuli".
    raise unsupported(f"stimulus.{params['type']}")


def advance_clock(_params: Object) -> Object:
    """Let time pass."""
    # Set the clock of the engine to params["now"], params["ms"] milliseconds later than it was, and let every deadline
    # up to there take effect, in order. Then: return {"now": params["now"]}. docs/driver-protocol.md, "clock/advance".
    raise unsupported("control.clock")


def under_way() -> list[Object]:
    """Give what the engine has under way."""
    # One {"what": text, "waits_for": "container", "clock", "run" or "work"} for each thing that is not done, with
    # "container": its name where it waits for one. docs/driver-protocol.md, "barrier/quiesce".
    return []


def quiesce(params: Object) -> Object:
    """Answer as soon as the engine is at rest, or when the deadline has passed."""
    deadline = time.monotonic() + params["deadline_ms"] / 1000
    while any(one["waits_for"] == "work" for one in under_way()):
        if time.monotonic() >= deadline or WIRE.cancelled():
            break
        time.sleep(0.01)
    pending = under_way()
    # Add "next_deadline" where the engine has something to do by itself at a later time.
    return {"idle": not pending, "pending": pending}


def query_state(params: Object) -> Object:
    """Give the rows of a view."""
    # Read the rows of params["view"] from the engine's own bookkeeping, None where a column is not known. Then: return
    # {"rows": [...]}. docs/driver-protocol.md, "state/query", and the columns of each view in "Views".
    raise unsupported(f"view.{params['view']}")


def overwrite_state(_params: Object) -> Object:
    """Overwrite the native id that the engine has stored for a run."""
    # Write params["native_session_id"] where the engine keeps it for params["run"], past the engine's own checks.
    # Then: return {}. The kit does it itself where it can reach the database. docs/driver-protocol.md,
    # "state/overwrite".
    raise unsupported("control.overwrite")


def kill_engine(_params: Object) -> Object:
    """End the engine without warning, as a power cut would."""
    # SIGKILL the engine's own processes; containers, database and folders stay as they are. Then: return {}.
    # docs/driver-protocol.md, "engine/kill".
    raise unsupported("control.kill")


def start_engine(_params: Object) -> Object:
    """Start the engine again on what is there."""
    # As in open_scenario, but on the state that the killed engine left. Then: return {"refused": None}.
    # docs/driver-protocol.md, "engine/start".
    raise unsupported("control.kill")


def close_scenario(_params: Object) -> Object:
    """End the scenario."""
    # End the engine of this scenario, and name in "leaks" the runs that were still under way.
    # docs/driver-protocol.md, "scenario/close".
    return {"leaks": []}


def leave() -> None:
    """Put away what is left when the driver ends, after shutdown or at the end of standard input."""
    # End the engine and every process that this driver started; none may outlive it.


def shutdown(_params: Object) -> Object:
    """Get ready to end; the process ends as soon as this is answered."""
    return {}


# ------------------------------------------------------------------------- the wire: nothing to fill in below

NOT_JSON, NO_REQUEST, UNKNOWN_METHOD, PARAMS_DO_NOT_FIT, INTERNAL = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED, ENGINE_FAILED, CANCELLED = -32001, -32002, -32800

#: The bytes of a line, both ways.
LIMIT = 1_048_576

METHODS: dict[str, tuple[Callable[[Object], Object], dict[str, str]]] = {
    "initialize": (
        initialize,
        {"protocol": "integer", "kit": "object", "spec": "object", "capabilities": "texts", "directory": "text"},
    ),
    "scenario/open": (
        open_scenario,
        {"ref": "text", "seed": "integer", "workdir": "text", "endpoints": "object", "config": "object"},
    ),
    "stimulus/send": (send_stimulus, {"type": "text", "payload": "object"}),
    "clock/advance": (advance_clock, {"ms": "integer", "now": "text"}),
    "barrier/quiesce": (quiesce, {"deadline_ms": "integer"}),
    "state/query": (query_state, {"view": "text"}),
    "state/overwrite": (overwrite_state, {"run": "text", "native_session_id": "text"}),
    "engine/kill": (kill_engine, {}),
    "engine/start": (start_engine, {}),
    "scenario/close": (close_scenario, {}),
    "shutdown": (shutdown, {}),
}


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[object]", value))


FITS: dict[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "texts": _texts,
}


class Fault(Exception):  # noqa: N818 -- it stands for an error of the protocol
    """An error that the kit is told; raise `Fault(ENGINE_FAILED, text)` where the engine crashed, hung or broke off."""

    def __init__(self, code: int, message: str, data: Object | None = None) -> None:
        """Keep the parts of the error."""
        super().__init__(message)
        self.error: Object = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


def unsupported(capability: str) -> Fault:
    """Make the error for something that was declared as unsupported."""
    return Fault(UNSUPPORTED, f"{capability} is unsupported", {"capability": capability})


class Wire:
    """Standard input and output as lines, and nobody else's: whatever else is printed goes to standard error."""

    def __init__(self) -> None:
        """Take both away from `print`, `input` and child processes."""
        self._in, self._out = os.dup(0), os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self._begun = bytearray()
        self._waiting: deque[bytes] = deque()
        self._ended = False
        self.current: str | None = None

    def cancelled(self) -> bool:
        """Say whether the kit has given up the request that is being worked on. Ask this wherever you wait."""
        while not self._ended and select.select([self._in], [], [], 0)[0]:
            self._read()
        return self._ended or any(self._cancels(line) for line in self._waiting)

    def next(self) -> bytes | None:
        """Give the next line, or None at the end of the input."""
        while not self._waiting and not self._ended:
            self._read()
        return self._waiting.popleft() if self._waiting else None

    def send(self, answer: bytes) -> None:
        """Write a line at once."""
        rest = memoryview(answer + b"\n")
        while rest:
            rest = rest[os.write(self._out, rest) :]

    def _read(self) -> None:
        piece = os.read(self._in, 65_536)
        self._ended = not piece
        first, *more = piece.split(b"\n")
        self._begin(first)
        for line in more:
            self._waiting.append(bytes(self._begun))
            self._begun.clear()
            self._begin(line)

    def _begin(self, piece: bytes) -> None:
        self._begun += piece
        del self._begun[LIMIT + 1 :]  # one byte more than allowed is enough to refuse the line

    def _cancels(self, line: bytes) -> bool:
        try:
            message = json.loads(line)
            return bool(message["method"] == "$/cancel" and message["params"]["id"] == self.current)
        except (ValueError, LookupError, TypeError, RecursionError):
            return False


WIRE = Wire()


def main() -> None:
    """Answer request after request."""
    logging.basicConfig(stream=sys.stderr)
    try:
        while (line := WIRE.next()) is not None:
            identifier, method, answer = answered(line)
            if answer is not None:
                WIRE.send(encoded(identifier, answer))
            if method == "shutdown":
                break
    except (BrokenPipeError, KeyboardInterrupt):
        LOG.warning("the kit has gone")
    leave()


def answered(line: bytes) -> tuple[str | None, str | None, Object | None]:
    """Give the id, the method, and result or error of a line; no answer for a notification."""
    identifier: str | None = None
    try:
        message = parsed(line)
        if isinstance(message.get("id"), str):
            identifier = message["id"]
        method = named(message)
        if identifier is None:
            return None, None, None
        WIRE.current = identifier
        return identifier, method, {"result": called(method, message.get("params", {}))}
    except Fault as fault:
        return identifier, None, {"error": fault.error}
    except Exception as fault:
        LOG.exception("a fault of this driver")
        return identifier, None, {"error": {"code": INTERNAL, "message": f"{type(fault).__name__}: {fault}"}}


def parsed(line: bytes) -> Object:
    """Read a line as a JSON object."""
    if len(line) > LIMIT:
        raise Fault(NO_REQUEST, f"the line is longer than {LIMIT} bytes")
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as fault:
        raise Fault(NOT_JSON, f"the line is no JSON: {fault}") from None
    if not isinstance(message, dict):
        raise Fault(NO_REQUEST, "a request is one object")
    return cast("Object", message)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def named(message: Object) -> str:
    """Give the method that a request or notification names."""
    method = message.get("method")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str) or not isinstance(message.get("id", ""), str):
        raise Fault(NO_REQUEST, 'a request has jsonrpc "2.0", a method and an id that is a string')
    return method


def called(method: str, params: object) -> Object:
    """Call a method with params that fit it."""
    if method not in METHODS:
        raise Fault(UNKNOWN_METHOD, f"there is no method {method}")
    call, members = METHODS[method]
    if not isinstance(params, dict):
        raise Fault(PARAMS_DO_NOT_FIT, "params is an object")
    given = cast("Object", params)
    for name, kind in members.items():
        if not FITS[kind](given.get(name)):
            raise Fault(PARAMS_DO_NOT_FIT, f"{method} needs {name}: {kind}")
    return call(given)


def encoded(identifier: str | None, answer: Object) -> bytes:
    """Write an answer as one line of UTF-8."""
    message = {"jsonrpc": "2.0", "id": identifier, **answer}
    try:
        line = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        line = json.dumps(message).encode("ascii")  # half a surrogate pair can only be written escaped
    except (TypeError, ValueError) as fault:
        return encoded(identifier, {"error": {"code": INTERNAL, "message": f"the answer is no JSON: {fault}"}})
    if len(line) < LIMIT:
        return line
    return encoded(identifier, {"error": {"code": INTERNAL, "message": f"the answer is longer than {LIMIT} bytes"}})


if __name__ == "__main__":
    main()
