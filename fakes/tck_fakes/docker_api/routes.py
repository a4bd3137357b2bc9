"""Which request is carried out by whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus

from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.errors import UNKNOWN, DaemonError, UnknownError
from tck_fakes.docker_api import around, containers
from tck_fakes.docker_api.answer import Answer, Stream, refused
from tck_fakes.docker_api.call import Call, Later
from tck_fakes.docker_api.wire import Request

#: Versions of the API that are spoken, by the beginning of a path.
OLDEST, NEWEST = (1, 24), (1, 52)
_PREFIX = re.compile(r"/v(\d{1,3})\.(\d{1,3})(?=/)")

#: Requests that are answered whether or not a scenario is open: clients ask as soon as they are made.
_ALWAYS: dict[tuple[str, str], Callable[[Daemon | None, Request], Answer]] = {
    ("GET", "/_ping"): around.ping,
    ("HEAD", "/_ping"): around.ping,
    ("GET", "/version"): around.version,
    ("GET", "/info"): around.info,
}
_ROUTES: tuple[tuple[str, str, Callable[[Call], Answer | Stream]], ...] = (
    ("POST", "/containers/create", containers.create),
    ("GET", "/containers/json", containers.ps),
    ("POST", "/containers/prune", containers.prune),
    ("POST", "/containers/{name}/start", containers.start),
    ("POST", "/containers/{name}/attach", containers.attach),
    ("GET", "/containers/{name}/logs", containers.logs),
    ("POST", "/containers/{name}/wait", containers.wait),
    ("GET", "/containers/{name}/json", containers.inspect),
    ("POST", "/containers/{name}/kill", containers.kill),
    ("POST", "/containers/{name}/stop", containers.stop),
    ("POST", "/containers/{name}/resize", containers.resize),
    ("POST", "/containers/{name}/exec", containers.execute),
    ("DELETE", "/containers/{name}", containers.remove),
    ("GET", "/images/json", around.images),
    ("GET", "/images/{image}/json", around.image_inspect),
    ("POST", "/images/create", around.pull),
    ("GET", "/networks", around.networks),
    ("POST", "/networks/create", around.network_create),
    ("GET", "/networks/{name}", around.network_inspect),
    ("DELETE", "/networks/{name}", around.network_remove),
)


def _pattern(path: str) -> re.Pattern[str]:
    # An image's name has slashes, as nothing else has.
    return re.compile(path.replace("{name}", "(?P<name>[^/]+)").replace("{image}", "(?P<name>.+)"))


_TABLE = tuple((method, _pattern(path), action) for method, path, action in _ROUTES)


def carry_out(daemon: Daemon | None, request: Request, later: Later) -> tuple[Answer | Stream, Call | None]:
    """Answer a request, with the daemon of the scenario that is open; to be called under the kit's lock."""
    path, version = request.path, NEWEST
    prefix = _PREFIX.match(path)
    if prefix is not None:
        version, path = (int(prefix[1]), int(prefix[2])), path[prefix.end() :]
        if not OLDEST <= version <= NEWEST:
            return refused(HTTPStatus.BAD_REQUEST, _unfit(version)), None
    always = _ALWAYS.get((request.method, path))
    if always is not None:
        return always(daemon, request), None
    if daemon is None:
        text = "session-tck: no scenario is open, so nothing can be started"
        return refused(HTTPStatus.SERVICE_UNAVAILABLE, text), None
    try:
        action, named = _action(request.method, path)
        call = Call(daemon, request, named, later, version)
        return action(call), call
    except DaemonError as error:
        return refused(error.status, str(error)), None
    except UnknownError as error:
        daemon.unknown.append(str(error))
        return refused(HTTPStatus.NOT_IMPLEMENTED, f"{UNKNOWN} {error}"), None


def _action(method: str, path: str) -> tuple[Callable[[Call], Answer | Stream], Mapping[str, str]]:
    for wanted, pattern, action in _TABLE:
        found = pattern.fullmatch(path)
        if wanted == method and found is not None:
            return action, found.groupdict()
    raise UnknownError(f"the request {method} {path[:200]}")


def _unfit(version: tuple[int, int]) -> str:
    said, oldest, newest = (".".join(map(str, one)) for one in (version, OLDEST, NEWEST))
    if version > NEWEST:
        return f"client version {said} is too new. Maximum supported API version is {newest}"
    return (
        f"client version {said} is too old. Minimum supported API version is {oldest}, "
        "please upgrade your client to a newer version"
    )
