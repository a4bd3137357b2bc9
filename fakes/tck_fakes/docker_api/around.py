"""Requests about what is round the containers: the daemon, which is none, images and networks."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from tck_fakes.daemon.about import information
from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.defaults import VERSION
from tck_fakes.daemon.described import image, network, network_id
from tck_fakes.daemon.errors import DaemonError, UnknownError
from tck_fakes.daemon.order import check_image
from tck_fakes.docker_api.answer import JSON, NOTHING, Answer, said
from tck_fakes.docker_api.call import Call
from tck_fakes.docker_api.wire import Request

_ALWAYS_THERE = ("bridge", "host", "none")


def ping(daemon: Daemon | None, request: Request) -> Answer:
    """Say that somebody is there."""
    del daemon, request
    never = {"Cache-Control": "no-cache, no-store, must-revalidate", "Pragma": "no-cache"}
    return Answer(HTTPStatus.OK, b"OK", "text/plain; charset=utf-8", never)


def version(daemon: Daemon | None, request: Request) -> Answer:
    """Say which docker is imitated."""
    del daemon, request
    return said(HTTPStatus.OK, VERSION)


def info(daemon: Daemon | None, request: Request) -> Answer:
    """Say the little that is true of it."""
    del request
    return said(HTTPStatus.OK, information(daemon))


def image_inspect(call: Call) -> Answer:
    """Describe an image: any is there."""
    check_image(call.named["name"])
    return said(HTTPStatus.OK, image(call.named["name"]))


def images(call: Call) -> Answer:
    """List the images that are asked for; which others there are, nobody can know."""
    rows: list[dict[str, Any]] = []
    for kind, name in call.filters():
        if kind != "reference":
            raise UnknownError(f"the filter {kind} for images")
        document = image(name)
        rows.append(
            {
                "Containers": -1,
                "Created": 0,
                "Id": document["Id"],
                "Labels": None,
                "ParentId": "",
                "RepoDigests": None,
                "RepoTags": document["RepoTags"],
                "SharedSize": -1,
                "Size": 0,
                "VirtualSize": 0,
            }
        )
    return said(HTTPStatus.OK, rows)


def pull(call: Call) -> Answer:
    """Say that the image is there."""
    query = call.request.query
    name, tag = query.get("fromImage", ""), query.get("tag", "")
    if not name:
        raise UnknownError("how to import an image")
    named = f"{name}{'@' if tag.startswith('sha256:') else ':'}{tag}" if tag else name
    check_image(named)
    lines = ({"status": f"Pulling from {name}", "id": tag or "latest"}, {"status": _there(named)})
    return Answer(HTTPStatus.OK, "".join(f"{json.dumps(line)}\r\n" for line in lines).encode(), JSON)


def _there(name: str) -> str:
    return f"Status: Image is up to date for {name}"


def network_create(call: Call) -> Answer:
    """Make a network, which no container of a stand-in will ever reach anything through."""
    name = call.document().get("Name")
    if not isinstance(name, str) or not name:
        raise DaemonError(HTTPStatus.BAD_REQUEST, f"invalid name: {name or ''}")
    if name in _ALWAYS_THERE:
        raise DaemonError(HTTPStatus.FORBIDDEN, f"operation is not permitted on predefined {name} network ")
    if name in call.daemon.networks:
        raise DaemonError(HTTPStatus.CONFLICT, f"network with name {name} already exists")
    call.daemon.networks.append(name)
    return said(HTTPStatus.CREATED, {"Id": network_id(name), "Warning": ""})


def network_inspect(call: Call) -> Answer:
    """Describe a network."""
    return said(HTTPStatus.OK, network(_network(call)))


def networks(call: Call) -> Answer:
    """List networks; filters by name and by the beginning of an id are those that are known."""
    asked = call.filters()
    for kind, _ in asked:
        if kind not in ("name", "id"):
            raise UnknownError(f"the filter {kind} for networks")
    found = list(call.daemon.networks)
    for kind in {kind for kind, _ in asked}:
        values = [value for one, value in asked if one == kind]
        found = [name for name in found if any(_means(kind, value, name) for value in values)]
    return said(HTTPStatus.OK, [network(name) for name in found])


def network_remove(call: Call) -> Answer:
    """Remove a network."""
    name = _network(call)
    if name in _ALWAYS_THERE:
        text = f"{name} is a pre-defined network and cannot be removed"
        raise DaemonError(HTTPStatus.FORBIDDEN, text)
    call.daemon.networks.remove(name)
    return NOTHING


def _means(kind: str, value: str, name: str) -> bool:
    return value in name if kind == "name" else network_id(name).startswith(value)


def _network(call: Call) -> str:
    named = call.named["name"]
    for name in call.daemon.networks:
        if named == name or (len(named) >= 12 and network_id(name).startswith(named)):  # noqa: PLR2004 -- a short id
            return name
    raise DaemonError(HTTPStatus.NOT_FOUND, f"network {named} not found")
