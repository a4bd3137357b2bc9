"""One container as it is ordered of the daemon, by whichever client."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

from tck_fakes.daemon.errors import DaemonError
from tck_fakes.daemon.values import whole
from tck_simulator.ports import ContainerRequest

#: What the stand-in images have for a home, and where docker starts a process without being told.
HOME, WORKDIR = "/home/agent", "/"
_INVALID = 400

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]+")
#: Host or name, path, tag, digest: as far as engines get it wrong.
_IMAGE = re.compile(r"[a-z0-9][\w.:-]*(/[a-z0-9._-]+)*(:[\w][\w.-]{0,127})?(@[a-z0-9]+:[0-9a-f]+)?")
_UPPER = re.compile(r"[A-Z]")


@dataclass(frozen=True, slots=True)
class Order:
    """What the daemon needs to know to make a container."""

    request: ContainerRequest
    name: str = ""
    #: What else was asked, by the name of `docker run`'s option.
    limits: tuple[tuple[str, str], ...] = ()
    #: Host folders that are made where they are missing.
    made: tuple[str, ...] = ()
    #: It is removed by itself at its end.
    removed: bool = False


def check_image(image: str) -> None:
    """Refuse what can be no image's name. Raises `DaemonError`."""
    if not _IMAGE.fullmatch(image.lower()):
        raise DaemonError(_INVALID, "invalid reference format")
    if _UPPER.search(image.partition(":")[0].rpartition("/")[2]):
        raise DaemonError(_INVALID, f"invalid reference format: repository name (library/{image}) must be lowercase")


def check_order(name: str, workdir: str, stop_signal: str) -> None:
    """Refuse what the daemon does not take. Raises `DaemonError`."""
    if name and not _NAME.fullmatch(name.removeprefix("/")):
        allowed = _NAME.pattern.removesuffix("+")
        raise DaemonError(_INVALID, f"Invalid container name ({name}), only {allowed} are allowed")
    if stop_signal and signal_number(stop_signal) is None:
        raise DaemonError(_INVALID, f"invalid signal: {stop_signal}")
    if workdir and not workdir.startswith("/"):
        raise DaemonError(_INVALID, f"the working directory '{workdir}' is invalid, it needs to be an absolute path")


def broken_text(request: ContainerRequest) -> str | None:
    """Give the daemon's words against a text that no system can hand to a process, None where all can be."""
    variables = (text for pair in request.environment for text in pair)
    folders = (text for mount in request.mounts for text in (mount.source, mount.target))
    texts = {
        "command": request.argv,
        "environment variable": variables,
        "mount": folders,
        "working directory": (request.workdir,),
        "user": (request.user,),
    }
    for what, given in texts.items():
        for text in given:
            if "\0" in text:
                return f"invalid {what}: contains nul byte (\\x00): {text!r}"
    return None


def command(entry: tuple[str, ...], rest: tuple[str, ...]) -> tuple[str, ...]:
    """Give the argument vector; an entry point that is empty is none. Raises `DaemonError` where nothing is left."""
    argv = (*entry, *rest) if entry and entry != ("",) else rest
    if not argv:
        raise DaemonError(_INVALID, "no command specified")
    return argv


def signal_number(name: str) -> int | None:
    """Give a signal's number from its name, with or without SIG, or from its number; None for no signal."""
    if name.isdecimal():
        number = whole(name)
        return number if number is not None and 0 < number <= signal.SIGRTMAX else None
    named = signal.Signals.__members__.get(f"SIG{name.upper().removeprefix('SIG')}")
    return None if named is None else int(named)
