"""What a container request becomes on a real engine: the words of the Docker SDK, as one table.

Everything that the engine under test asks for is asked of the container engine as it was asked. What it leaves open is
closed: no network, no capabilities, no new privileges, limits. Two things are the kit's own, and every check knows them
by name: a socket over which the stand-in inside is told what to do, and file systems in memory for the home directory
and its parents of mounts (§17.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from tck_fakes.docker.talk import SOCKET
from tck_simulator.ports import ContainerRequest

#: Labels of our own: the process whose containers these are, the scenario, and what a report calls the container.
OWNER, SCENARIO, CONTAINER = "session-tck.owner", "session-tck.scenario", "session-tck.container"
#: Bytes of memory, with no swap beside it, and processes. A stand-in needs a tenth of either.
MEMORY, PIDS = 512 * 1024 * 1024, 128
#: Bytes of each file system in memory.
_ROOM = 64 * 1024 * 1024
#: Whoever asks for root gets an ordinary user: no agent of the kit ever runs as root, wherever it came from.
ORDINARY = 12345
#: What of a host an engine could ask for as a network. None of it is given: whoever asks is graded by the request.
CLOSED = "none"


@dataclass(frozen=True, slots=True)
class Order:
    """One container, as it is asked of the engine. `words` are those of `containers.create` of the Docker SDK."""

    user: str
    memory_mounts: tuple[str, ...]
    words: Mapping[str, Any]


def order(request: ContainerRequest, image: str, socket: str, labels: Mapping[str, str]) -> Order:
    """Put a request into the SDK's words. `image` is the one really used, `socket` the kit's on this host."""
    from docker.types import Mount  # noqa: PLC0415 -- an optional package

    user = ordinary(request.user)
    uid, _, gid = user.partition(":")
    owned = f"uid={uid},gid={gid},mode=0755,size={_ROOM}"
    in_memory = tuple(_in_memory(request))
    mounts = [
        # A bind mount of the older kind would make a source that is missing, and as root.
        Mount(target=mount.target, source=mount.source, type="bind", read_only=mount.read_only)
        for mount in request.mounts
    ]
    return Order(
        user,
        in_memory,
        {
            "image": image,
            "command": list(request.argv),
            "environment": dict(request.environment),
            "user": user,
            "working_dir": request.workdir,
            "mounts": [*mounts, Mount(target=SOCKET, source=socket, type="bind", read_only=True)],
            "tmpfs": {"/tmp": f"mode=1777,size={_ROOM}", **dict.fromkeys(in_memory, owned)},  # noqa: S108 -- in the container
            "labels": {**dict(request.labels), **labels},
            "network": CLOSED,
            "read_only": request.read_only_root,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            "mem_limit": MEMORY,
            "memswap_limit": MEMORY,
            "pids_limit": PIDS,
            "stdin_open": bool(request.stdin),
            # Else the proxies of whoever runs the kit would stand in the environment.
            "use_config_proxy": False,
        },
    )


def ordinary(user: str) -> str:
    """Give the user that a container really gets."""
    uid, colon, gid = user.partition(":")
    if not uid.isdecimal() or int(uid) == 0:
        return f"{ORDINARY}:{ORDINARY}"
    return f"{uid}:{gid if colon and gid.isdecimal() and int(gid) else uid}"


def _in_memory(request: ContainerRequest) -> Iterator[str]:
    """Give the home directory, and what lies between it and each mount: a runtime would make that as root's."""
    home = PurePosixPath(request.home)
    targets = {PurePosixPath(mount.target) for mount in request.mounts}
    places = {home, *(parent for target in targets for parent in target.parents if home in parent.parents)}
    # What is mounted, or lies in what is mounted, has its folders from there.
    held = {place for place in places if place in targets or targets & {*place.parents}}
    yield from sorted(str(place) for place in places - held)
