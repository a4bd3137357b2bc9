"""What `docker run` and `docker create` order: the container's request, and what the command does besides."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tck_fakes.programs.call import ProgramCall
from tck_fakes.programs.flags import Words
from tck_fakes.programs.mounts import Asked, read_mounts
from tck_fakes.programs.options import LIMITS
from tck_simulator.ports import ContainerRequest

#: What the stand-in images have for a home, and where docker starts a process without being told.
HOME, WORKDIR = "/home/agent", "/"

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]+")
#: Host or name, path, tag, digest: as far as engines get it wrong.
_IMAGE = re.compile(r"[a-z0-9][\w.:-]*(/[a-z0-9._-]+)*(:[\w][\w.-]{0,127})?(@[a-z0-9]+:[0-9a-f]+)?")
_UPPER = re.compile(r"[A-Z]")
_STREAMS = ("stdin", "stdout", "stderr")


class OrderError(Exception):
    """Docker takes no such order; the text is its own. `client`: it is not the daemon that refuses."""

    def __init__(self, text: str, *, client: bool = False, bare: bool = False) -> None:
        super().__init__(text)
        self.client = client
        #: Said without anything before or after it, and with exit code 1.
        self.bare = bare


@dataclass(frozen=True, slots=True)
class Order:
    """One container as ordered."""

    request: ContainerRequest
    name: str
    limits: tuple[tuple[str, str], ...]
    asked: Asked
    streams: tuple[str, ...]
    detached: bool
    removed: bool
    proxied: bool
    cidfile: str


def read_order(words: Words, call: ProgramCall) -> Order:
    """Read a command's words. Raises `OrderError` and `MountError`."""
    image, *rest = words.positionals
    _check(words, call, image)
    asked = read_mounts(words, call.cwd)
    environment = tuple(_environment(words, call).items())
    entry = words.last("entrypoint")
    argv = (entry, *rest) if entry else tuple(rest)
    if not argv:
        raise OrderError("no command specified")
    interactive = words.on("interactive")
    request = ContainerRequest(
        image=image,
        argv=argv,
        environment=environment,
        mounts=asked.binds,
        labels=tuple(_labels(words, call).items()),
        time_limit_ms=0,
        workdir=_workdir(words),
        home=dict(environment).get("HOME") or HOME,
        user=words.last("user"),
        network=_network(words),
        read_only_root=words.on("read-only"),
        stdin=call.stdin if interactive else "",
    )
    return Order(
        request=request,
        name=words.last("name"),
        limits=(*_limits(words), *asked.empty),
        asked=asked,
        streams=tuple(stream.lower() for stream in words.all("attach")),
        detached=words.on("detach"),
        removed=words.on("rm"),
        proxied=words.on("sig-proxy", default=True),
        cidfile=words.last("cidfile"),
    )


def signal_number(name: str) -> int | None:
    """Give a signal's number from its name, with or without SIG, or from its number; None for no signal."""
    if name.isdecimal():
        return int(name) if 0 < int(name) <= signal.SIGRTMAX else None
    named = signal.Signals.__members__.get(f"SIG{name.upper().removeprefix('SIG')}")
    return None if named is None else int(named)


def _check(words: Words, call: ProgramCall, image: str) -> None:
    name, pull = words.last("name"), words.last("pull", "missing")
    if words.on("detach") and words.all("attach"):
        raise OrderError("conflicting options: cannot specify both --attach and --detach", bare=True)
    if words.on("rm") and words.last("restart", "no") != "no":
        raise OrderError("conflicting options: cannot specify both --restart and --rm", client=True)
    if words.on("tty") and words.on("interactive") and not words.on("detach") and not call.terminal:
        raise OrderError("the input device is not a TTY", bare=True)
    odd = [stream for stream in words.all("attach") if stream.lower() not in _STREAMS]
    if odd:
        raise OrderError(f"valid streams are STDIN, STDOUT and STDERR, not {odd[0]}", client=True)
    if pull not in ("always", "missing", "never"):
        raise OrderError(f'invalid pull option: \'{pull}\': must be one of "always", "missing" or "never"', client=True)
    if not _IMAGE.fullmatch(image.lower()):
        raise OrderError("invalid reference format", client=True)
    if _UPPER.search(image.partition(":")[0].rpartition("/")[2]):
        raise OrderError(f"invalid reference format: repository name (library/{image}) must be lowercase", client=True)
    if name and not _NAME.fullmatch(name.removeprefix("/")):
        raise OrderError(f"Invalid container name ({name}), only {_NAME.pattern.removesuffix('+')} are allowed")
    if words.last("stop-signal") and signal_number(words.last("stop-signal")) is None:
        raise OrderError(f"invalid signal: {words.last('stop-signal')}")


def _environment(words: Words, call: ProgramCall) -> dict[str, str]:
    """Give the variables; a name without a value is the caller's own, or left out where the caller has none."""
    lines = [line for file in words.all("env-file") for line in _lines(file, call, "environment")]
    given: dict[str, str] = {}
    for line in (*lines, *words.all("env")):
        name, equals, value = line.partition("=")
        if equals:
            given[name] = value
        elif name in call.environment:
            given[name] = call.environment[name]
        else:
            given.pop(name, None)
    return given


def _labels(words: Words, call: ProgramCall) -> Mapping[str, str]:
    lines = [line for file in words.all("label-file") for line in _lines(file, call, "label")]
    pairs = (line.partition("=") for line in (*lines, *words.all("label")))
    return {name: value for name, _, value in pairs}


def _lines(file: str, call: ProgramCall, what: str) -> Iterator[str]:
    try:
        text = Path(call.cwd, file).read_text("utf-8", "surrogateescape")
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise OrderError(f"open {file}: {reason}", client=True) from None
    for line in text.removeprefix("\ufeff").splitlines():
        given = line.lstrip()
        if not given or given.startswith("#"):
            continue
        name = given.partition("=")[0]
        if not name:
            raise OrderError(f"poorly formatted {what}: no variable name on line '{given}'", client=True)
        if re.search(r"\s", name):
            raise OrderError(f"poorly formatted {what}: variable '{name}' contains whitespaces", client=True)
        yield given


def _workdir(words: Words) -> str:
    workdir = words.last("workdir") or WORKDIR
    if not workdir.startswith("/"):
        raise OrderError(f"the working directory '{workdir}' is invalid, it needs to be an absolute path")
    return workdir


def _network(words: Words) -> str:
    """Give the network's name, or all of them; the long form carries it as `name=`."""
    given = [value for name, value in words.given if name in ("network", "net")]
    names: list[str] = []
    for value in given:
        fields = {key: text for key, _, text in (field.partition("=") for field in value.split(","))}
        name = fields.get("name", "") if "=" in value else value
        if not name:
            raise OrderError("no name set for network", client=True)
        names.append(name)
    return ",".join(names) or "bridge"


def _limits(words: Words) -> Iterator[tuple[str, str]]:
    for name, value in words.given:
        if name in LIMITS and value != "false":
            yield name, value
