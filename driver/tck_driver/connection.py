"""A driver as the kit talks to it: requests with answers that have been held against the protocol.

Order of a driver's life: it is started; `initialize` says who it is; scenarios are opened and closed; `shutdown` ends
it. What goes wrong is told by type: `DriverCrashedError` where it ended, `DriverTimeoutError` where it was too late,
`DriverError` where it broke the protocol. Only an error with a code of the protocol's own speaks of the engine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from tck_driver import schemas
from tck_driver.course_messages import read_policy
from tck_driver.courses import COURSE_FEATURES
from tck_driver.engine import Declaration
from tck_driver.errors import (
    DriverError,
    DriverIncompatibleError,
    EngineError,
    FalseAdvertisingError,
    KitError,
    UntestableError,
)
from tck_driver.messages import PROTOCOL, Json
from tck_driver.transport import Transport, quote

#: Seconds that a request has for its answer; a start may load what it needs, an event may start programs.
CONTROL, WORK, START = 2.0, 10.0, 20.0
#: A course engine may have to be built for its course, and runs its turns at its own pace.
CAST, PLAY = 60.0, 240.0
DEADLINES: Mapping[str, float] = {
    "initialize": START,
    "scenario/open": START,
    "engine/start": START,
    "stimulus/send": WORK,
    "clock/advance": WORK,
    "course/cast": CAST,
    "course/play": PLAY,
    "scenario/close": WORK,
}
#: Error codes: JSON-RPC's own, and those of the protocol.
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
CANCELLED, UNSUPPORTED, ENGINE_FAILED = -32800, -32001, -32002
#: What stays as it is of the escapes in JSON (a backslash, a surrogate pair), or half a pair.
_ESCAPES = re.compile(r"(\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2}")
#: How the message of an error begins by which a driver declines an engine that it was not written for.
INCOMPATIBLE = "incompatible: "
#: How much of a driver's text stands in a message.
_LONGEST = 500
#: Words that are no version: they name another thing tomorrow.
BRANCHES = frozenset({"main", "master", "head", "develop", "dev", "trunk", "latest", "nightly", "next"})


@dataclass(frozen=True, slots=True)
class About:
    """What the kit says of itself and of the specification when it begins."""

    kit_version: str
    spec_id: str
    spec_version: str
    spec_digest: str


class Connection:
    """One driver process, from its start to its end."""

    def __init__(self, transport: Transport, timeout_scale: float = 1.0) -> None:
        """Talk through a transport; `timeout_scale` lengthens every deadline."""
        self._transport = transport
        self.timeout_scale = timeout_scale
        self._count = 0
        self._declared: Declaration | None = None
        self.clock = "virtual"

    @property
    def usable(self) -> bool:
        """Whether another request can be sent."""
        return self._transport.usable

    @property
    def declaration(self) -> Declaration:
        """What the driver said of the engine."""
        if self._declared is None:
            raise DriverError("the driver was asked before it was initialized")
        return self._declared

    def initialize(self, about: About, capabilities: Sequence[str], directory: str) -> Declaration:
        """Begin. Raises `DriverError` for an answer that cannot be used."""
        params: Json = {
            "protocol": PROTOCOL,
            "kit": {"name": "session-tck", "version": about.kit_version},
            "spec": {"id": about.spec_id, "version": about.spec_version, "digest": about.spec_digest},
            "capabilities": [*capabilities],
            "directory": directory,
        }
        said = self.request("initialize", params)
        if said["protocol"] != PROTOCOL:
            raise DriverError(f"the driver speaks protocol {said['protocol']}, and this kit speaks {PROTOCOL}")
        strange = sorted(set(said["capabilities"]) - set(capabilities))
        if strange:
            raise DriverError(f"the driver answers for capabilities that nobody asked about: {', '.join(strange[:5])}")
        who = said["implementation"]
        if who["version"].strip().lower() in BRANCHES:
            raise DriverError(
                f"the version {who['version']!r} names a branch; say what was built, such as 1.4.0 or a commit"
            )
        self.clock = said["clock"]
        policy = read_policy(said["policy"]) if "policy" in said else None
        # What an engine of mailboxes says of courses is of no account: it is the kit that plays them there.
        counted = {
            name: support
            for name, support in said["capabilities"].items()
            if policy is not None or name not in COURSE_FEATURES
        }
        self._declared = Declaration(
            who["name"], who["version"], who["language"], who.get("homepage", ""), counted, policy
        )
        return self._declared

    def request(self, method: str, params: Json | None = None, seconds: float | None = None) -> Json:
        """Send a request and give its result. Raises as the class says."""
        given = params or {}
        try:
            schemas.check_params(method, given)
        except schemas.MisfitError as fault:
            raise KitError(f"this is no message that a driver can be sent: {method}: {fault}") from fault
        if not self._transport.usable:
            raise DriverError(f"{method}: there is no driver to ask any more")
        self._count += 1
        name = f"r{self._count}"
        message = encode({"jsonrpc": "2.0", "id": name, "method": method, "params": given})
        cancel = encode({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": name}})
        allowed = (DEADLINES.get(method, CONTROL) if seconds is None else seconds) * self.timeout_scale
        # A driver may take the whole of the time that it is given to come to rest.
        allowed += given.get("deadline_ms", 0) / 1000
        try:
            stray = self._transport.stray()
            said = self._transport.exchange(message, cancel, allowed) if stray is None else b""
        except DriverError as fault:
            raise type(fault)(f"{method}: {fault}{self._words()}") from fault
        if stray is not None:
            self._broken(f"said something before {method} that nobody asked for: {quote(stray)}")
        return self._result(method, given, name, said)

    def end(self, seconds: float = 2.0) -> str | None:
        """Let the driver end; say what was wrong with its end, if anything was."""
        try:
            self.request("shutdown")
        except (DriverError, EngineError, UntestableError) as fault:
            self._transport.kill()
            return str(fault)
        return self._transport.end(seconds * self.timeout_scale)

    def kill(self) -> None:
        """End the driver at once."""
        self._transport.kill()

    def _result(self, method: str, params: Json, name: str, said: bytes) -> Json:
        answer = self._answer(method, said)
        if answer["id"] != name:
            self._broken(f"answered {method} with the id {answer['id']!r} instead of {name!r}: {quote(said)}")
        if "error" in answer:
            self._refused(method, answer["error"])
        try:
            schemas.check_result(method, params, answer["result"])
        except schemas.MisfitError as fault:
            raise DriverError(f"the answer to {method} does not fit its schema: {fault}") from fault
        result: Json = answer["result"]
        return result

    def _answer(self, method: str, said: bytes) -> Json:
        try:
            answer = decode(said)
        except (ValueError, RecursionError):
            self._broken(f"answered {method} with something that is no message in JSON and UTF-8: {quote(said)}")
        try:
            schemas.check(answer, "envelope", "answer")
        except schemas.MisfitError:
            self._broken(f"answered {method} with something that is no answer of JSON-RPC 2.0: {quote(said)}")
        envelope: Json = answer
        return envelope

    def _refused(self, method: str, error: Json) -> NoReturn:
        code, message = error["code"], _on_one_line(error["message"])
        if self._declared is None:
            # Nobody has said yet which engine this is, so nothing can be said of it.
            kind = DriverIncompatibleError if message.startswith(INCOMPATIBLE) else DriverError
            raise kind(f"the driver answered {method} with error {code}: {message}{self._words()}")
        if code == UNSUPPORTED:
            self._declined(_subject(error), method, message)
        if code == ENGINE_FAILED:
            raise EngineError(message)
        raise DriverError(f"the driver answered {method} with error {code}: {message}{self._words(always=True)}")

    def _declined(self, capability: str | None, method: str, message: str) -> NoReturn:
        """Hold a refusal against what was declared.

        One that names what was not declared as supported is no false advertising. It keeps the kit from looking all the
        same, and must not take a requirement out of the grading: that can be done only before anything is asked.
        """
        what = method if capability is None else _on_one_line(capability)
        if capability is not None and self.declaration.capabilities.get(capability) != "supported":
            raise UntestableError(f"{method} was refused for want of {what}: {message}")
        raise FalseAdvertisingError(f"{what} is declared as supported, and {method} refused it: {message}")

    def _broken(self, what: str) -> NoReturn:
        """Give a driver up that has broken the protocol: what it says next could belong to anything."""
        self._transport.kill()
        raise DriverError(f"the driver {what}{self._words()}")

    def _words(self, *, always: bool = False) -> str:
        words = self._transport.words() if always or not self._transport.usable else ""
        return f"\nits standard error ends with: {words}" if words else ""


def encode(message: Json) -> bytes:
    """Give a message in ASCII, so that no reader of lines can take a sign in it for a line's end.

    Half a surrogate pair, which not every language can read, becomes the sign for "no such character".
    """
    text = json.dumps(message, separators=(",", ":"))
    if "\\ud" in text:
        text = _ESCAPES.sub(lambda found: found[1] or "\\ufffd", text)
    return text.encode("ascii")


def decode(said: bytes) -> Any:  # noqa: ANN401 -- whatever a driver has said
    """Read a message. Raises `ValueError`, also for what Python alone takes for JSON."""
    text = said.decode("utf-8")
    message = json.loads(text, parse_constant=_no_number)
    if "\\ud" in text.lower():
        # Half a surrogate pair can be written in JSON, and is no text that could stand in a report.
        json.dumps(message, ensure_ascii=False).encode("utf-8")
    return message


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _on_one_line(text: str) -> str:
    """Give a text of the driver's as it can stand in a message."""
    shown = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in " ".join(text.split()))
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} …"


def _subject(error: Json) -> str | None:
    match error:
        case {"data": {"capability": str(capability)}}:
            return capability
        case _:
            return None
