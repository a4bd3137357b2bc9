"""Holds what a container looked like from inside against what was asked: what is lacking is no fault of who asked.

An engine that asks for too much is graded by its request, which is witnessed. Here it is found out whether the
container engine closed what it was told to close; if it did not, nothing can be said of anybody, and the kit says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tck_fakes.docker.order import MEMORY, PIDS, Order
from tck_fakes.docker.talk import SOCKET
from tck_simulator.ports import ContainerRequest

#: How a fault of the container engine is told, by which a report knows that nothing was enforced.
UNDONE = "the container engine did not do what it was asked"
#: What every container has mounted, whoever started it.
_USUAL = ("/", "/dev", "/dev/shm", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/tmp", SOCKET)  # noqa: S108 -- inside
#: The kernel's own places that a container runtime covers.
_COVERED = ("/proc/", "/sys/")
#: What the kit's own image, a runtime or a shell puts into the environment beside what was asked.
_OWN_VARIABLES = frozenset({"HOME", "HOSTNAME", "LANG", "LC_ALL", "LC_CTYPE", "OLDPWD", "PATH", "PWD", "SHLVL", "_"})

#: Device and inode: what a file is, whatever its path.
Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Host:
    """What this host knows: its kernel's boot, what the source of each mount is, and what nobody asked for."""

    kernel: str
    sources: Mapping[str, Identity | None]
    forbidden: Mapping[Identity, str]
    #: The targets whose sources are folders of the container's user, who may write there.
    owned: frozenset[str] = frozenset()
    #: The names that the image itself puts into the environment, whoever starts it.
    variables: frozenset[str] = frozenset()


def faults(request: ContainerRequest, order: Order, seen: Mapping[str, Any], host: Host) -> Iterator[str]:
    """Say what is not as it was asked."""
    yield from _process(request, order, seen, host)
    yield from _closed(seen)
    yield from _mounts(request, order, seen, host)
    if seen["kernel"] != host.kernel:
        # Devices and inodes are its own then, so nobody can tell what it reaches.
        yield f"its kernel is not this machine's, but {seen['kernel'] or 'one that tells nothing of itself'}"
        return
    for path, device, inode in seen["reached"]:
        found = host.forbidden.get((device, inode))
        if found is not None:
            yield f"{found} of this host can be reached at {path}"
    if seen["cut"]:
        yield f"there is more in it than is looked at, which is {len(seen['reached'])} files"


def _process(request: ContainerRequest, order: Order, seen: Mapping[str, Any], host: Host) -> Iterator[str]:
    if seen["user"] != order.user:
        yield f"the process runs as {seen['user']} in place of {order.user}"
    if seen["groups"]:
        yield f"the process has further groups: {seen['groups']}"
    if seen["argv"][1:] != list(request.argv[1:]):
        yield f"the arguments are {seen['argv']} in place of {list(request.argv)}"
    if seen["workdir"] != request.workdir:
        yield f"the working directory is {seen['workdir']} in place of {request.workdir}"
    asked, found = dict(request.environment), seen["environment"]
    wrong = sorted(name for name, value in asked.items() if found.get(name) != value)
    if wrong:
        yield f"the environment lacks what was asked: {', '.join(wrong)}"
    strange = sorted(found.keys() - asked.keys() - _OWN_VARIABLES - host.variables)
    if strange:
        yield f"the environment holds what nobody asked for: {', '.join(strange)}"
    if not seen["home_writable"]:
        yield "the home directory cannot be written"


def _closed(seen: Mapping[str, Any]) -> Iterator[str]:
    status = seen["status"]
    held = sorted(name for name, value in status.items() if name.startswith("Cap") and int(value, 16))
    if held:
        yield f"the process holds capabilities: {', '.join(held)}"
    if status.get("NoNewPrivs") != "1":
        yield "the process may gain privileges"
    if seen["interfaces"] != ["lo"]:
        yield f"there is a network: {', '.join(seen['interfaces'])}"
    for place in seen["answered"]:
        yield f"{place} can be reached from inside"
    for name, most in (("memory", MEMORY), ("pids", PIDS)):
        limit = seen["limits"][name]
        if not limit.isdecimal() or int(limit) > most:
            yield f"the limit of {name} is {limit or 'not to be seen'} in place of {most}"


def _mounts(request: ContainerRequest, order: Order, seen: Mapping[str, Any], host: Host) -> Iterator[str]:
    there = {mount["target"]: mount for mount in seen["mounts"]}
    asked = {mount.target: mount for mount in request.mounts}
    # An ordinary user can write to none of it anyway, so only the table tells.
    if request.read_only_root and not there["/"]["read_only"]:
        yield "the root file system is mounted read-write"
    for target in sorted(there.keys() - asked.keys() - {*_USUAL, *order.memory_mounts}):
        if not target.startswith(_COVERED):
            yield f"{target} is mounted, and nobody asked for that"
    for target, mount in asked.items():
        found = there.get(target)
        if found is None:
            yield f"{target} is not mounted"
            continue
        if found["read_only"] != mount.read_only:
            yield f"{target} is mounted {'read-only' if found['read_only'] else 'read-write'}"
        if found["writable"] and mount.read_only:
            yield f"{target} can be written, and is mounted read-only"
        if target in host.owned and not mount.read_only and not found["writable"]:
            yield f"{target} cannot be written by the user to whom it belongs"
        if seen["kernel"] == host.kernel and (found["device"], found["inode"]) != host.sources[target]:
            yield f"{target} is not what lies at {mount.source}"
