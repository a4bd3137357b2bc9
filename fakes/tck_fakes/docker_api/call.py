"""One request to the API, as its actions get it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast

from tck_fakes.container import Container
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.errors import DaemonError
from tck_fakes.daemon.values import whole
from tck_fakes.docker_api.answer import Stream
from tck_fakes.docker_api.wire import Request

#: How much of a value that cannot be read is shown.
_SHOWN = 50
#: Calls a function under the kit's lock, so many seconds from now.
Later = Callable[[float, Callable[[], None]], None]


@dataclass(slots=True)
class Call:
    """A request, the daemon that it goes to, and what its path names."""

    daemon: Daemon
    request: Request
    named: Mapping[str, str]
    later: Later
    #: The version of the API that the client speaks.
    version: tuple[int, int]
    #: What is done with standard input that the client sends from here on, once there is no more of it.
    hear: Callable[[str], None] | None = field(default=None)

    def find(self) -> Container:
        """Give the container that the path names. Raises `DaemonError`."""
        return self.daemon.find(self.named["name"])

    def document(self) -> Mapping[str, Any]:
        """Give the body, which has to be an object. Raises `DaemonError`."""
        kind = self.request.headers.get("content-type", "").partition(";")[0].strip()
        if self.request.body and kind != "application/json":
            text = f"Content-Type specified ({kind}) must be 'application/json'"
            raise DaemonError(HTTPStatus.BAD_REQUEST, text)
        try:
            read: object = json.loads(self.request.body)
        except (ValueError, RecursionError) as fault:
            raise DaemonError(HTTPStatus.BAD_REQUEST, f"the body is no JSON: {fault}") from None
        if not isinstance(read, dict):
            raise DaemonError(HTTPStatus.BAD_REQUEST, "the body is no JSON object")
        return cast("dict[str, Any]", read)

    def filters(self) -> list[tuple[str, str]]:
        """Give the filters as pairs. Raises `DaemonError`."""
        text = self.request.query.get("filters", "")
        if not text:
            return []
        try:
            read: object = json.loads(text)
        except (ValueError, RecursionError) as fault:
            raise DaemonError(HTTPStatus.BAD_REQUEST, f"the filters are no JSON: {fault}") from None
        if not isinstance(read, dict):
            raise DaemonError(HTTPStatus.BAD_REQUEST, "the filters are no JSON object")
        pairs: list[tuple[str, str]] = []
        for name, values in cast("dict[str, object]", read).items():
            # Lists, or as older clients have it, objects whose keys are the values.
            if not isinstance(values, list | dict):
                raise DaemonError(HTTPStatus.BAD_REQUEST, f"the values of the filter {name} are no list")
            pairs += [(name, str(value)) for value in cast("list[object]", values)]
        return pairs

    def number(self, name: str) -> int | None:
        """Give a number of the query, None where it is not given. Raises `DaemonError`."""
        text = self.request.query.get(name, "")
        if not text:
            return None
        number = whole(text.removeprefix("-"))
        if number is None:
            raise DaemonError(HTTPStatus.BAD_REQUEST, f"{name} is no number: {text[:_SHOWN]}")
        return -number if text.startswith("-") else number

    def opened(self, stream: Stream) -> Stream:
        """Remember that an answer is under way: it must not outlive the scenario."""
        self.daemon.open_ones.add(stream.abort)
        return stream
