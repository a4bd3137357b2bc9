"""A container engine, reached by the Docker SDK where `containers check` looks for it: the few calls that a run needs.

Every error comes out as one of three: the engine refuses a container, it is gone, or it cannot be used at all. Each of
its calls costs milliseconds, so nothing is asked twice and nothing is polled: a container's end is the end of its
output.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from tck_driver.errors import KitError
from tck_fakes.docker.order import OWNER, Order
from tck_fakes.images.engine import connect
from tck_fakes.images.missing import MissingPartError

if TYPE_CHECKING:
    from docker import DockerClient

#: Seconds after which an engine that does not answer counts as gone: well before a scenario's own time is over, for
#: which the engine under test would be blamed.
PATIENCE = 60
#: How to come by what is missing.
PACKAGES = "pip install 'session-tck[containers]'"
_NOT_FOUND, _CONFLICT, _FAULTY = 404, 409, 500
#: Statuses from 500 on are the engine's own trouble, such as a full disk. But by these words of the runtime below it,
#: with the same status, a mount is refused that nobody could make: below a read-only one, in /proc, with a null in it.
_NO_SUCH_MOUNT = re.compile(
    r'error mounting "/.* to rootfs at .*(?:read-only file system|not a directory|cannot be mounted because)'
    r"|mount field contains null byte",
    re.DOTALL,
)


class EngineLostError(KitError):
    """The engine was there and is gone; nothing that follows means anything."""


class RefusedError(Exception):
    """The engine does not make or start a container, for the reason that it gives."""


@dataclass(frozen=True, slots=True)
class About:
    """What is at the other end."""

    version: str
    storage: str

    @property
    def shown(self) -> str:
        """As a report names it."""
        return f"docker {self.version} {self.storage}"


class ContainerEngine:
    """One connection to an engine. `close` lets it go."""

    def __init__(self) -> None:
        """Connect to where `DOCKER_HOST`, a Docker context or the usual socket says. Raises `MissingPartError`."""
        #: Why nothing more can be done, once the engine has gone.
        self.lost: str | None = None
        try:
            # Of Testcontainers only the labels are used, by which its tools know its containers: its own client fetches
            # an image that is missing from a registry, where anybody may have put one of that name.
            from testcontainers.core.labels import create_labels  # noqa: PLC0415 -- an optional package
        except ImportError as fault:
            raise MissingPartError(f"the Python package {fault.name} is missing", PACKAGES) from fault
        self._labels = create_labels
        self.client: DockerClient = connect()
        try:
            self._api.timeout = PATIENCE
            version = self.client.version()
            self.about = About(str(version["Version"]), str(self.client.info()["Driver"]))
        except (OSError, ValueError) as fault:
            self.client.close()
            raise MissingPartError(f"no container engine answers ({_said(fault)})", "start Docker") from fault

    @property
    def _api(self) -> Any:  # noqa: ANN401 -- the SDK types no more of what it gives
        return self.client.api

    @property
    def place(self) -> Path | None:
        """Where the engine listens on this host, where that is a socket."""
        api = self._api
        listens = getattr(api.get_adapter(api.base_url), "socket_path", None)
        return None if listens is None else Path(str(listens))

    def variables(self, image: str) -> frozenset[str]:
        """Give the names that an image puts into the environment."""
        with self._explained():
            held: list[str] = self._api.inspect_image(image)["Config"].get("Env") or []
        return frozenset(one.partition("=")[0] for one in held)

    def close(self) -> None:
        """Let the connection go."""
        self.client.close()

    # Containers

    def create(self, order: Order) -> str:
        """Make a container and give its id. Raises `RefusedError`."""
        with self._explained(refusing=True):
            words = dict(order.words)
            words["labels"] = {**self._labels(words["image"], {}), **words["labels"]}
            # An image that is missing is missing: this call fetches none.
            made = self.client.containers.create(**words)
            return str(made.id)

    def attach(self, container: str, *, stdin: bool) -> Attached:
        """Listen to what a container will put out, before it is started."""
        with self._explained():
            params = {"stdout": 1, "stderr": 1, "stream": 1, "stdin": int(stdin)}
            return Attached(self._api.attach_socket(container, params=params))

    def start(self, container: str) -> None:
        """Start it. Raises `RefusedError`."""
        with self._explained(refusing=True):
            self._api.start(container)

    def wait(self, container: str) -> int:
        """Wait for its end, and give its exit code."""
        with self._explained():
            # The SDK would wait here for ever, whatever its client's time-out.
            return int(self._api.wait(container, timeout=PATIENCE)["StatusCode"])

    def kill(self, container: str) -> None:
        """Send SIGKILL to everything in it; one that has just ended by itself is left alone."""
        with self._explained(passing=(_NOT_FOUND, _CONFLICT)):
            self._api.kill(container)

    def remove(self, container: str) -> None:
        """Remove it, running or not; one that is gone is left alone."""
        with self._explained(passing=(_NOT_FOUND, _CONFLICT)):
            self._api.remove_container(container, v=True, force=True)

    def find(self, labels: Iterable[str], *, running: bool = False) -> Sequence[str]:
        """Give the ids of the containers with all these labels, newest first; `name=value`, or a name alone."""
        with self._explained():
            found: list[dict[str, Any]] = self._api.containers(all=not running, filters={"label": [*labels]})
            return [str(one["Id"]) for one in found]

    def sweep(self) -> int:
        """Remove what processes of this host have left that are no more, and say how many containers that were."""
        with self._explained():
            found: list[dict[str, Any]] = self._api.containers(all=True, filters={"label": OWNER})
        stale = [one for one in found if _ownerless(str(one["Labels"][OWNER]), one["State"], one["Created"])]
        for one in stale:
            self.remove(str(one["Id"]))
        return len(stale)

    @contextmanager
    def _explained(self, *, refusing: bool = False, passing: tuple[int, ...] = ()) -> Generator[None]:
        """Turn the errors of the SDK into the three of this module; `passing` names the statuses that are no errors."""
        from docker.errors import APIError, DockerException, ImageNotFound  # noqa: PLC0415 -- an optional package
        from requests.exceptions import RequestException  # noqa: PLC0415 -- comes with the SDK
        from urllib3.exceptions import HTTPError  # noqa: PLC0415 -- the same

        try:
            yield
        except ImageNotFound as fault:
            raise KitError(f"the image of the stand-ins is gone from the container engine ({_said(fault)})") from fault
        except APIError as fault:
            status = fault.response.status_code if fault.response is not None else 0
            if status in passing:
                return
            words = str(fault.explanation or _said(fault))
            if refusing and _refused(status, words):
                raise RefusedError(words) from fault
            does = "fails at" if status >= _FAULTY else "refuses"
            raise KitError(f"the container engine {does} a call: {words}") from fault
        except (DockerException, RequestException, HTTPError, OSError) as fault:
            late = isinstance(_innermost(fault), TimeoutError)
            self.lost = f"the container engine {'did not answer' if late else 'is gone'} ({_said(fault)})"
            raise EngineLostError(self.lost) from fault


class Attached:
    """What a container puts out, as it comes."""

    def __init__(self, held: Any) -> None:  # noqa: ANN401 -- the SDK gives what its transport happens to have
        self._held = held
        self.link: socket.socket = getattr(held, "_sock", held)
        self._rest = b""

    def fileno(self) -> int:
        """Give what can be waited on."""
        return self.link.fileno()

    def read(self) -> Sequence[tuple[int, bytes]] | None:
        """Give what has come: whether it was standard error (1), and the bytes. None at the end of all output."""
        try:
            came = self.link.recv(65536)
        except ConnectionError:
            # Whether that was the container's end or the engine's is found out by whoever waits for the former.
            came = b""
        except OSError as fault:
            raise KitError(f"the container engine did not answer ({_said(fault)})") from fault
        if not came:
            return None
        self._rest += came
        frames: list[tuple[int, bytes]] = []
        while len(self._rest) >= _HEADER:
            end = _HEADER + int.from_bytes(self._rest[4:_HEADER])
            if len(self._rest) < end:
                break
            frames.append((self._rest[0] - 1, self._rest[_HEADER:end]))
            self._rest = self._rest[end:]
        return frames

    def write(self, text: str) -> None:
        """Give a text as standard input, and close it."""
        try:
            self.link.sendall(text.encode("utf-8", "surrogateescape"))
            self.link.shutdown(socket.SHUT_WR)
        except BrokenPipeError:
            # Whoever was to read it has ended, which its exit code tells.
            return
        except OSError as fault:
            raise KitError(f"the container engine did not answer ({_said(fault)})") from fault

    def close(self) -> None:
        """Listen no more."""
        shared: tuple[Any, ...] = (getattr(self._held, "_response", None), self._held, self.link)
        for one in shared:
            # They share one descriptor, and the first that is closed takes the others with it.
            with suppress(OSError, ValueError, AttributeError):
                one.close()


#: Seconds after which nobody can still be about to read what a container has left.
_LONG = 86_400
#: Where a process's tick of start stands in its line of `/proc`, behind the name of its program: the field 22.
_STARTED = 19
#: A frame of output begins with the number of its stream, three empty bytes, and its length.
_HEADER = 8


def _refused(status: int, words: str) -> bool:
    """Tell whether a container is refused for what was asked, and not for the engine's own trouble."""
    return 0 < status < _FAULTY or _NO_SUCH_MOUNT.search(words) is not None


def owner() -> str:
    """Give who makes containers in this process, so that somebody later can tell whether that one still lives."""
    return f"{_where()}/{os.getpid()}/{_began(os.getpid())}"


def _began(process: int) -> str:
    """Give when a process began; where the kernel counts that from its own start, no clock that is set moves it."""
    ticks = _ticks(process)
    return _time(process) if ticks is None else str(ticks)


def _time(process: int) -> str:
    return f"{psutil.Process(process).create_time():.2f}"


def _ticks(process: int) -> int | None:
    """Give at which tick since the start of a Linux machine a process began, None where nothing says so."""
    try:
        said = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return None
    # The name of its program comes second, in parentheses, and may hold blanks and parentheses of its own.
    fields = said.rpartition(b")")[2].split()
    return int(fields[_STARTED])


def _where() -> str:
    """Give the world in which a process number means something: one start of one machine, and one space of numbers."""
    try:
        return f"{boot()}:{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return boot()


def boot() -> str:
    """Give what is another after each start of this machine, and the same in every container on it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"{psutil.boot_time():.0f}"


def _ownerless(label: str, state: str, created: float) -> bool:
    """Tell whether nobody is left whose container this is. Of another world's, only what ended long ago is known."""
    where, _, process = label.partition("/")
    number, _, began = process.partition("/")
    if where != _where():
        return state != "running" and created < time.time() - _LONG
    try:
        # Kits of other versions tell the time.
        return began not in {_began(int(number)), _time(int(number))}
    except (psutil.Error, ValueError):
        return True


def _innermost(fault: BaseException) -> BaseException:
    """Give the error that all others came of."""
    inner: BaseException = fault
    while True:
        below = (
            inner.__cause__
            or inner.__context__
            or next((one for one in getattr(inner, "args", ()) if isinstance(one, BaseException)), None)
        )
        if below is None or below is inner:
            return inner
        inner = below


def _said(fault: BaseException) -> str:
    """Give the innermost words of an error: what lies around them repeats them with the names of Python's classes."""
    inner = _innermost(fault)
    return " ".join(str(getattr(inner, "strerror", None) or inner).split())[:200]
