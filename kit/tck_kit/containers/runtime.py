"""A real container runtime for the simulator: each request becomes one container of the engine, and is kept on record.

The kit adds nothing to what the simulator asked for but limits, labels, and one folder that tells the proof what could
be seen from inside: a test-only mount, which is no part of the request. What the engine says that it made is read back
before a container goes. Specification: §17.2, ISOLATE-2.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from tck_fakes.docker.engine import owner
from tck_fakes.docker.order import OWNER, order, ordinary
from tck_fakes.docker.talk import SOCKET
from tck_fakes.images.inside import TOLD
from tck_fakes.images.making import labels
from tck_simulator.ports import ContainerRequest, ContainerState

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

#: What the container runtime itself says of a container that it cannot start, and of a program that is not there.
REFUSED, NO_SUCH_PROGRAM = 125, 127
_MEMORY: Final = 3 * 1024**3
_ROOM: Final = 512 * 1024**2
_PIDS: Final = 512
#: By how much a version command may exceed its time: the proof is of memory, and a slow machine disproves none.
_LENIENT: Final = 6
_SIZE: Final = re.compile(r"size=\d+")
_LIFETIME: Final = 3600
_OWN: Final = "session-tck.proof"


@dataclass(slots=True)
class Kept:
    """One container as it was asked for, as the engine made it, and as it was seen from inside."""

    container: str
    request: ContainerRequest
    told: Path
    made: Mapping[str, Any] = field(default_factory=dict[str, Any])
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    began: float = field(default_factory=time.monotonic)
    #: When it was removed, None while it is there.
    gone: float | None = None
    #: The variables that its image brings, as `NAME=value`.
    image_environment: tuple[str, ...] = ()

    def seen(self, name: str) -> Mapping[str, Any]:
        """Read what was told from inside, nothing where the container never came so far."""
        with contextlib.suppress(OSError, ValueError):
            return cast("Mapping[str, Any]", json.loads((self.told / name).read_text(encoding="utf-8")))
        return {}


class RealRuntime:
    """Implements `ContainerRuntime` on a container engine."""

    def __init__(self, client: DockerClient, folder: Path) -> None:
        """Keep what containers tell below `folder`."""
        self._client = client
        self._folder = folder
        self._own = secrets.token_hex(8)
        self._containers: dict[str, Container] = {}
        self._last: dict[str, ContainerState] = {}
        self.kept: list[Kept] = []

    def start(self, request: ContainerRequest) -> str:
        """Start a container and give its id; one that cannot start has ended already."""
        told = self._folder / f"told-{len(self.kept) + 1}"
        told.mkdir(mode=0o700)
        user, _, group = ordinary(request.user).partition(":")
        writable = (Path(mount.source) for mount in request.mounts if not mount.read_only)
        self._hand_over([told, *writable], (int(user), int(group)))
        create = cast("Any", self._client.containers.create)
        container: Container = create(**arguments(request, told, self._own))
        name = str(container.id)
        self._containers[name] = container
        brought: list[str] = self._client.images.get(request.image).attrs["Config"].get("Env") or []
        self.kept.append(Kept(name, request, told, image_environment=tuple(brought)))
        self._start(name)
        return name

    def _start(self, name: str) -> None:
        from docker.errors import APIError  # noqa: PLC0415 -- an optional package

        try:
            self._containers[name].start()
        except APIError as fault:
            missing = "executable file not found" in str(fault.explanation)
            code = NO_SUCH_PROGRAM if missing else REFUSED
            self._last[name] = ContainerState(code, "", f"{fault.explanation}\n")
            self._keep(name)

    def _hand_over(self, places: Sequence[Path], owner: tuple[int, int]) -> None:
        """Give what a container may write to the one it runs as; a link is given itself, never what it leads to.

        Only root has to: an engine that is an ordinary user runs its containers as itself.
        """
        if os.getuid() != 0:
            return
        for place in places:
            os.chown(place, *owner, follow_symlinks=False)
            for here, folders, names in os.walk(place):
                for each in (*folders, *names):
                    os.chown(Path(here, each), *owner, follow_symlinks=False)

    def poll(self, container: str) -> ContainerState:
        """Give what a container has put out so far, and its exit code once it has ended."""
        known = self._last.get(container)
        if known is not None:
            return known
        live = self._containers[container]
        live.reload()
        ended = live.attrs["State"]["Status"] in ("exited", "dead")
        state = ContainerState(
            int(live.attrs["State"]["ExitCode"]) if ended else None,
            live.logs(stdout=True, stderr=False).decode("utf-8", "replace"),
            live.logs(stdout=False, stderr=True).decode("utf-8", "replace"),
        )
        if ended:
            self._last[container] = state
            self._keep(container)
        return state

    def _keep(self, container: str) -> None:
        """Read back what the engine has made of a request, and how the container ended."""
        kept = self._kept(container)
        live = self._containers[container]
        live.reload()
        kept.made = live.attrs
        state = self._last[container]
        kept.exit_code, kept.stdout, kept.stderr = state.exit_code, state.stdout, state.stderr

    def run(self, request: ContainerRequest) -> ContainerState:
        """Run a command to its end or its time limit, of which a busy machine is given more."""
        if not request.image:
            return ContainerState(REFUSED, "", "no image is installed\n")
        container = self.start(request)
        try:
            if container not in self._last:
                with contextlib.suppress(OSError):  # its time is up: requests reports it as a connection that failed
                    self._containers[container].wait(timeout=_LENIENT * request.time_limit_ms / 1000)
            return self.poll(container)
        finally:
            self.remove(container)

    def stop(self, container: str) -> None:
        """Kill everything in it, and wait until it is gone."""
        from docker.errors import APIError  # noqa: PLC0415 -- an optional package

        if container in self._last:
            return
        with contextlib.suppress(APIError):  # it may have ended by itself in the meantime
            self._containers[container].kill()
        self._containers[container].wait()

    def remove(self, container: str) -> None:
        """Remove it, stopped or not."""
        from docker.errors import APIError  # noqa: PLC0415 -- an optional package

        live = self._containers.get(container)
        if live is None:
            return
        self._last.setdefault(container, ContainerState(None, "", ""))
        with contextlib.suppress(APIError):
            live.remove(force=True, v=True)
        del self._containers[container]
        self._kept(container).gone = time.monotonic()

    def _kept(self, container: str) -> Kept:
        return next(each for each in self.kept if each.container == container)

    def find(self, label: str, value: str | None) -> Sequence[str]:
        """Give the containers of ours that carry a label."""
        wanted = label if value is None else f"{label}={value}"
        found = self._client.containers.list(
            all=True, ignore_removed=True, filters={"label": [f"{_OWN}={self._own}", wanted]}
        )
        return [str(each.id) for each in reversed(found)]

    def close(self) -> None:
        """Remove every container that is left, whoever has forgotten it."""
        for container in list(self._containers):
            self.remove(container)
        for left in self._client.containers.list(
            all=True, ignore_removed=True, filters={"label": f"{_OWN}={self._own}"}
        ):
            with contextlib.suppress(Exception):  # another removal may be under way
                left.remove(force=True, v=True)


def arguments(request: ContainerRequest, told: Path, own: str) -> dict[str, Any]:
    """Give what the container engine is asked for, by the names of the Docker SDK.

    It is what the stand-ins' containers get, but for what a real CLI needs more of, and for the folder in the place of
    the kit's socket.
    """
    from docker.types import Mount  # noqa: PLC0415 -- an optional package

    labelled = {**labels("proof", _LIFETIME), OWNER: owner(), _OWN: own}
    asked = dict(order(request, request.image, str(told), labelled).words)
    mounts = [each for each in asked["mounts"] if each["Target"] != SOCKET]
    roomy = {place: _SIZE.sub(f"size={_ROOM}", options) for place, options in asked["tmpfs"].items()}
    return {
        **asked,
        "mounts": [*mounts, Mount(str(TOLD), str(told), type="bind")],
        "tmpfs": roomy,
        "mem_limit": _MEMORY,
        "memswap_limit": _MEMORY,
        "pids_limit": _PIDS,
        # The wrapper inside is the first process, and a CLI leaves others to it.
        "init": True,
        # Else the SDK would put the caller's proxies in, with whatever credentials stand in them.
        "use_config_proxy": False,
    }
