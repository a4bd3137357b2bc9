"""How a container looks from inside: who runs in it, what is mounted, what can be reached, what was tried in vain.

The kernel is asked, and nobody else. A path tells little from inside, since every path of a host may be some other
file here; so whatever can be reached is told by device and inode, which are the host's own behind a bind mount.
"""

# Paths are strings, as in the view of a stand-in.
# ruff: noqa: PTH109, PTH116, PTH123, PTH208

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence

#: File systems of the kernel's own, in which nothing of a host lies.
_KERNEL = ("cgroup", "cgroup2", "devpts", "mqueue", "proc", "sysfs")
#: How many entries below the mounts are looked at.
_MOST = 4_000
#: An address that nobody has (RFC 5737): with a way out, a connection to it would be on its way.
_NOWHERE = ("192.0.2.1", 9)
#: Where limits stand, in the second and in the first version of control groups.
_LIMITS = {
    "memory": ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    "pids": ("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"),
}
#: What of the kernel's account of this process is of interest.
_STATUS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")


def look(paths: Iterable[str], port: int, abstract: str) -> dict[str, object]:
    """Look round, and try to reach each of these host paths, and the kit over the host's loopback."""
    mounts = list(_mounts())
    reached, cut = _reached(mounts, paths)
    return {
        "user": f"{os.getuid()}:{os.getgid()}",
        "groups": sorted({*os.getgroups()} - {os.getgid()}),
        "environment": dict(os.environ),
        "workdir": os.getcwd(),
        "status": _status(),
        "kernel": _first_line("/proc/sys/kernel/random/boot_id"),
        "interfaces": sorted(_up()),
        "limits": {name: _first_of(files) for name, files in _LIMITS.items()},
        "home_writable": _writable(os.environ.get("HOME", "/")),
        "mounts": mounts,
        "reached": reached,
        "cut": cut,
        "answered": list(_answered(port, abstract)),
    }


def _mounts() -> Iterator[dict[str, object]]:
    """Give what is mounted besides the kernel's own."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        for row in table:
            before, _, after = row.partition(" - ")
            target = _unescaped(before.split(" ")[4])
            kind = after.split(" ", 1)[0]
            if kind in _KERNEL:
                continue
            about = os.stat(target)
            yield {
                "target": target,
                "kind": kind,
                "read_only": bool(os.statvfs(target).f_flag & os.ST_RDONLY),
                "writable": _writable(target),
                "device": about.st_dev,
                "inode": about.st_ino,
            }


def _unescaped(field: str) -> str:
    """Give a path as it is: blanks and backslashes stand in the table as three octal digits."""
    raw = field.encode("utf-8", "surrogateescape").decode("unicode_escape").encode("latin-1")
    return raw.decode("utf-8", "surrogateescape")


def _writable(path: str) -> bool:
    """Tell whether something could be written here; the mode of a file system comes before the rights of a user."""
    return not os.statvfs(path).f_flag & os.ST_RDONLY and os.access(path, os.W_OK)


def _reached(
    mounts: Iterable[Mapping[str, object]], paths: Iterable[str]
) -> tuple[Sequence[tuple[str, int, int]], bool]:
    """Give path, device and inode of what lies below the mounts, links followed, and at the paths to be tried.

    Also tell whether there is more than is looked at, since what nobody has looked at is not known to be harmless.
    """
    pending = [str(mount["target"]) for mount in mounts if mount["target"] != "/"]
    pending = [path for path in pending if not path.startswith(("/dev", "/etc", "/proc", "/sys"))]
    pending.extend(paths)
    found: list[tuple[str, int, int]] = []
    seen: set[tuple[int, int]] = set()
    while pending and len(seen) < _MOST:
        path = pending.pop()
        try:
            about = os.stat(path)
        except OSError:
            continue
        here = (about.st_dev, about.st_ino)
        if here in seen:
            continue
        seen.add(here)
        found.append((path, *here))
        if stat.S_ISDIR(about.st_mode):
            try:
                pending.extend(f"{path}/{name}" for name in os.listdir(path))
            except OSError:
                continue
    return found, bool(pending)


def _up() -> Iterator[str]:
    """Give the network interfaces that are up: some kernels put a tunnel that is down into every network."""
    for name in os.listdir("/sys/class/net"):
        if int(_first_line(f"/sys/class/net/{name}/flags") or "0x1", 16) & 1:
            yield name


def _answered(port: int, abstract: str) -> Iterator[str]:
    """Give what of the outside answers: the host's loopback, an abstract socket of the host, any way out at all."""
    if port and not _connected(socket.AF_INET, ("127.0.0.1", port), 1.0):
        yield f"127.0.0.1:{port}"
    if abstract and not _connected(socket.AF_UNIX, f"\0{abstract}", 1.0):
        yield f"@{abstract}"
    # Where there is a way out, the attempt is on its way; where there is none, the kernel says so at once.
    if _connected(socket.AF_INET, _NOWHERE, 0.0) in (0, errno.EINPROGRESS):
        yield "a way out of this network"


def _connected(family: socket.AddressFamily, address: str | tuple[str, int], seconds: float) -> int:
    """Try to connect, and give the kernel's answer, 0 where somebody is there."""
    with socket.socket(family, socket.SOCK_STREAM) as link:
        link.settimeout(seconds)
        return link.connect_ex(address)


def _status() -> dict[str, str]:
    with open("/proc/self/status", encoding="ascii", errors="replace") as rows:
        told = (row.partition(":") for row in rows)
        return {name: value.strip() for name, _, value in told if name in _STATUS}


def _first_of(files: Iterable[str]) -> str:
    """Give what stands in the first of these files that is there."""
    return next((found for found in (_first_line(path) for path in files) if found), "")


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.readline().strip()
    except OSError:
        return ""
