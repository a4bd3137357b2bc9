"""The container engine: where it is, and whether it answers."""

from __future__ import annotations

import os
import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from tck_fakes.images.missing import MissingPartError

if TYPE_CHECKING:
    from docker import DockerClient

#: Seconds for one answer; importing a few hundred megabytes on a busy machine takes one or two minutes.
_PATIENCE = 600
#: Seconds for a socket to be opened.
_KNOCKING = 10
_USUAL = "unix:///var/run/docker.sock"
_PACKAGE = "install it with: pip install 'session-tck[containers]'"
_START = "start Docker, or name its socket in DOCKER_HOST"
#: Where an engine is on this machine; what it mounts by a path is then what lies there for us.
_HERE = ("unix", "http+unix", "npipe")


def connect() -> DockerClient:
    """Connect to the engine that `DOCKER_HOST`, the docker program's present context, or the usual socket names."""
    host = _named()
    import docker  # noqa: PLC0415 -- an optional package
    from docker.errors import DockerException  # noqa: PLC0415 -- the same

    where = host or _USUAL
    if where.startswith("ssh://") and find_spec("paramiko") is None:
        # The SDK would say so in the name of a class of its own.
        what = f"the Python package paramiko is missing, without which nobody gets to {where}"
        raise MissingPartError(what, "install it with: pip install paramiko, or name a local socket in DOCKER_HOST")
    try:
        _knock(where)
        client = docker.DockerClient(base_url=host, timeout=_PATIENCE) if host else docker.from_env(timeout=_PATIENCE)
        client.ping()
    except (DockerException, OSError, ValueError) as fault:
        what = f"no container engine answers at {where} ({_innermost(fault)})"
        forbidden = isinstance(fault, PermissionError)
        raise MissingPartError(what, "be in the group that may use its socket" if forbidden else _START) from fault
    return client


def elsewhere() -> str | None:
    """Give where the engine is when that is no socket of this machine, without asking it anything."""
    host = _named() or _USUAL
    scheme, colon, _ = host.partition("://")
    # What is no address at all is told by whoever connects to it.
    return host if colon and scheme not in _HERE else None


def _named() -> str | None:
    """Give the address that somebody has named, None for the usual one."""
    if find_spec("docker") is None:
        raise MissingPartError("the Python package docker is missing", _PACKAGE)
    return os.environ.get("DOCKER_HOST") or _context()


def _knock(where: str) -> None:
    """Find out whether anybody is there; the SDK would leave a socket open where nobody is. Raises `OSError`."""
    scheme, _, path = where.partition("://")
    if scheme == "unix":
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_KNOCKING)
            link.connect(path)


def _innermost(fault: BaseException) -> str:
    """Give the words of the system: what lies around them are the names of Python's classes."""
    inner = fault
    while (below := inner.__cause__ or inner.__context__) is not None:
        inner = below
    words = getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
    return " ".join(str(words).split())[:160]


def _context() -> str | None:
    """Give the address that the docker program would use, which docker-py alone does not look up."""
    from docker.context import ContextAPI  # noqa: PLC0415 -- an optional package

    try:
        context = cast("Any", ContextAPI.get_current_context())
    except Exception:  # noqa: BLE001 -- somebody's broken configuration of another program; the usual socket remains
        return None
    return None if context is None or context.name == "default" else str(context.Host)
