"""What `docker run` and `docker create` order: the container's request, and what the command does besides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tck_fakes.daemon import order as daemon
from tck_fakes.daemon.errors import DaemonError
from tck_fakes.programs.call import ProgramCall
from tck_fakes.programs.flags import Words
from tck_fakes.programs.mounts import read_mounts
from tck_fakes.programs.options import LIMITS
from tck_simulator.ports import ContainerRequest

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
    """One container as ordered, and what the command does besides."""

    container: daemon.Order
    streams: tuple[str, ...]
    detached: bool
    proxied: bool
    cidfile: str


def read_order(words: Words, call: ProgramCall) -> Order:
    """Read a command's words. Raises `OrderError`, `MountError`, `DaemonError` and `UnknownError`."""
    image, *rest = words.positionals
    _check(words, call, image)
    asked = read_mounts(words, call.cwd)
    environment = tuple(_environment(words, call).items())
    argv = daemon.command((words.last("entrypoint"),), tuple(rest))
    interactive = words.on("interactive")
    request = ContainerRequest(
        image=image,
        argv=argv,
        environment=environment,
        mounts=asked.binds,
        labels=tuple(_labels(words, call).items()),
        time_limit_ms=0,
        workdir=words.last("workdir") or daemon.WORKDIR,
        home=dict(environment).get("HOME") or daemon.HOME,
        user=words.last("user"),
        network=_network(words),
        read_only_root=words.on("read-only"),
        stdin=call.stdin if interactive else "",
    )
    return Order(
        container=daemon.Order(
            request, words.last("name"), (*_limits(words), *asked.empty), asked.made, words.on("rm")
        ),
        streams=tuple(stream.lower() for stream in words.all("attach")),
        detached=words.on("detach"),
        proxied=words.on("sig-proxy", default=True),
        cidfile=words.last("cidfile"),
    )


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
    try:
        daemon.check_image(image)
    except DaemonError as error:
        # The command itself reads the name before anything is sent.
        raise OrderError(str(error), client=True) from None
    daemon.check_order(name, words.last("workdir"), words.last("stop-signal"))


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
