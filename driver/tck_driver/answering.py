"""The frame in which a driver in Python answers: what comes in is held against its schema, what goes out is one line.

What the methods do is somebody else's: the `Server`'s for an engine of mailboxes, the `CourseServer`'s for one that
plays courses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from tck_driver import schemas
from tck_driver.connection import (
    ENGINE_FAILED,
    INCOMPATIBLE,
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED,
)
from tck_driver.course_messages import policy_fields
from tck_driver.engine import Declaration
from tck_driver.errors import DriverIncompatibleError, EngineError, UnsupportedError
from tck_driver.messages import PROTOCOL, Json
from tck_driver.transport import MOST_BYTES

#: How long an error's text may be.
_LONGEST = 10_000

Method = Callable[[Json], Json]


class RequestError(Exception):
    """A request cannot be answered with a result: the code, the text and the data of the error."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        """Keep the three."""
        super().__init__(message)
        self.code = code
        self.data = data


class Answerer(Protocol):
    """Whoever has an answer to every message."""

    #: Whether `shutdown` was asked.
    ended: bool

    def handle(self, line: bytes) -> bytes | None:
        """Answer one message; a notification has no answer."""
        ...


def answer(methods: Mapping[str, Method], line: bytes) -> bytes | None:
    """Answer one message by these methods; a notification has no answer."""
    name: str | None = None
    try:
        message = _read(line)
        if message is None:
            return None
        name = message["id"]
        return _encoded(name, {"result": _result(methods, message)})
    except RequestError as fault:
        data = {} if fault.data is None else {"data": fault.data}
        return _encoded(name, {"error": {"code": fault.code, "message": str(fault)[:_LONGEST], **data}})


def introduction(driver: Mapping[str, str], said: Declaration, clock: str) -> Json:
    """Give the answer to `initialize`; `driver` is its name and version."""
    who = {"name": said.name, "version": said.version, "language": said.language, "homepage": said.homepage}
    answered: Json = {
        "protocol": PROTOCOL,
        "driver": dict(driver),
        "implementation": who,
        "capabilities": dict(said.capabilities),
        "clock": clock,
    }
    return answered if said.policy is None else answered | {"policy": policy_fields(said.policy)}


def _read(line: bytes) -> Json | None:
    """Read a request; None for a notification, which nothing answers, whatever is wrong with it."""
    if len(line) > MOST_BYTES:
        raise RequestError(INVALID_REQUEST, "this is longer than 1 MiB")
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise RequestError(PARSE_ERROR, f"this is no JSON: {fault}") from None
    if isinstance(message, dict):
        read = cast("Json", message)
        if "method" in read and "id" not in read:
            return None
    try:
        schemas.check(cast("object", message), "envelope", "request")
    except schemas.MisfitError as fault:
        raise RequestError(INVALID_REQUEST, f"this is no request: {fault}") from None
    return cast("Json", message)


def _result(methods: Mapping[str, Method], message: Json) -> Json:
    method, params = message["method"], message["params"]
    if method not in methods:
        raise RequestError(METHOD_NOT_FOUND, f"there is no method {method}")
    try:
        schemas.check_params(method, params)
    except schemas.MisfitError as fault:
        raise RequestError(INVALID_PARAMS, str(fault)) from None
    try:
        return methods[method](params)
    except UnsupportedError as fault:
        raise RequestError(UNSUPPORTED, str(fault), {"capability": fault.what}) from None
    except EngineError as fault:
        raise RequestError(ENGINE_FAILED, str(fault)) from None
    except DriverIncompatibleError as fault:
        raise RequestError(INTERNAL, f"{INCOMPATIBLE}{fault}") from None
    except RequestError:
        raise
    except Exception as fault:
        raise RequestError(INTERNAL, f"{type(fault).__name__}: {fault}") from fault


def _encoded(name: str | None, content: Json) -> bytes:
    """Give an answer as it is sent. Raises `RequestError` for one that cannot be sent."""
    try:
        said = json.dumps({"jsonrpc": "2.0", "id": name, **content}, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as fault:
        raise RequestError(INTERNAL, f"the answer cannot be written in JSON: {fault}") from fault
    if len(said) >= MOST_BYTES:
        raise RequestError(INTERNAL, "the answer is longer than 1 MiB")
    return said.encode("ascii")
