"""A program of its own: it holds a network that has nobody else in it, or goes into one and becomes an agent.

It is started by its path with Python's own library alone (`python -I -S network.py hold|enter …`), so nothing of the
kit's environment is in it. `hold` makes the namespaces, answers on a socket what could be closed, hands out sockets
that are bound inside, and ends all that is left in there once its caller has gone. `enter` joins them, lays down every
privilege, and executes the program that it was given, under its own process number.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import shutil
import signal
import socket
import struct
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

# Every path is handed to a system call as it is.
# ruff: noqa: PTH103, PTH110, PTH112, PTH115, PTH120, PTH123, PTH208

#: From <sched.h>, <sys/mount.h>, <linux/prctl.h>, <linux/sockios.h>, <linux/if.h>.
NEW_NAMESPACES = {"user": 0x10000000, "net": 0x40000000, "mnt": 0x00020000}
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
#: Flags that a mount may carry and that a remount inside a user namespace has to repeat, as statvfs gives them.
KEPT_FLAGS = {2: 2, 4: 4, 8: 8, 1024: 1024, 2048: 2048, 4096: 1 << 21}
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
#: The system call keyctl has no function in the C library; its number, and the first of its commands that we need.
KEYCTL, JOIN_SESSION_KEYRING = {"x86_64": 250, "aarch64": 219}, 1
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
#: No file that an agent writes may become larger.
LARGEST_FILE = 2 << 30
#: What a caller asks for: the number of a port, 0 for a free one; and what it says before it goes by itself.
PORT = "!i"
FAREWELL = -1
#: What the system means where it refuses namespaces; its own words for these are about disks and doors.
REFUSED = {
    errno.ENOSPC: "this user may have no namespaces, or no more of them (/proc/sys/user/max_*_namespaces)",
    errno.EPERM: "the system gives no namespaces to whom we are (a container without CAP_SYS_ADMIN, for one)",
}
#: Where the way in was hindered, for whoever reads why.
JOINING, CHANGING, EXECUTING = "joining", "changing", "executing"


def called(name: str, *arguments: Any) -> None:  # noqa: ANN401 -- whatever a C function takes
    """Call a function of the C library. Raises `OSError` where it fails or is not there."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Mount as the system call does."""
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    called("mount", texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])


# Holding


def closed_off() -> list[str]:
    """Leave the network of the machine for one of our own, with loopback alone; give the namespaces that are new."""
    names = ["net", "mnt"] if os.geteuid() == 0 else ["user", "net", "mnt"]
    user, group = os.geteuid(), os.getegid()
    called("unshare", ctypes.c_int(sum(NEW_NAMESPACES[name] for name in names)))
    if "user" in names:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        flags = struct.unpack("16sH", fcntl.ioctl(asked, SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0))[:18])[1]
        fcntl.ioctl(asked, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))
    return names


def hidden(places: Iterable[tuple[str, int]], kept: Iterable[tuple[str, bool]]) -> None:
    """Lay an empty file system over each place (path, mode), with windows to what is kept below (path, writable).

    What is kept elsewhere is where it was; it is read-only there if it is to be.
    """
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    places, kept = list(places), list(kept)
    elsewhere = [window for window in windows_to(kept) if not overlaps(window.path, [place for place, _ in places])]
    for place, mode in places:
        windows = windows_to((path, writable) for path, writable in kept if path.startswith(f"{place}/"))
        mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode:04o},size=256m")
        try:
            for window in windows:
                opened(window)
        except OSError:
            # Better seen than lost: the agent's own program may be among it.
            called("umount2", os.fsencode(place), MNT_DETACH)
            raise
    for window in elsewhere:
        # What may be written to needs no window, unless it lies in something that may not.
        if not window.writable or any(within(window.path, other.path) for other in elsewhere if other != window):
            # A system's own folders cannot always be laid over themselves; they are not ours to write either.
            with contextlib.suppress(OSError):
                opened(window)


class Window(NamedTuple):
    """What is kept below a hidden place, held open from before."""

    path: str
    writable: bool
    held: int
    folder: bool


def windows_to(kept: Iterable[tuple[str, bool]]) -> list[Window]:
    """Hold what is kept open, whatever is going to lie over it; outermost first."""
    return [
        Window(path, writable, os.open(path, os.O_PATH), os.path.isdir(path))
        for path, writable in sorted(kept, key=lambda each: each[0].count("/"))
    ]


def overlaps(path: str, places: Iterable[str]) -> bool:
    """Say whether a path lies in one of these places, or has one in itself."""
    return any(within(path, place) or within(place, path) for place in places)


def within(path: str, folder: str) -> bool:
    """Say whether a path is a folder, or lies in it."""
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def opened(window: Window) -> None:
    """Make what is kept visible where it was."""
    path = window.path
    os.makedirs(path if window.folder else os.path.dirname(path), mode=0o755, exist_ok=True)
    if not window.folder and not os.path.exists(path):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(f"/proc/self/fd/{window.held}", path, None, MS_BIND | MS_REC)
    os.close(window.held)
    if not window.writable:
        flags = os.statvfs(path).f_flag
        again = sum(flag for bit, flag in KEPT_FLAGS.items() if flags & bit)
        # What is not ours cannot always be made read-only; it is not ours to write then either.
        with contextlib.suppress(OSError):
            mount("none", path, None, MS_REMOUNT | MS_BIND | MS_RDONLY | again)


def bound(port: int) -> socket.socket:
    """Give a socket at a port of 127.0.0.1 that does not listen yet; port 0 is a free one."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
    except OSError:
        made.close()
        raise
    return made


def ended_inside(own: str) -> None:
    """End whatever is still in our network, this process apart."""
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != os.getpid():
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{name}/ns/net") == own:
                    os.kill(int(name), signal.SIGKILL)


def hold(descriptor: int) -> int:
    """Make the namespaces, say what came of it, hand out sockets, and clear up when the caller has gone."""
    talk = socket.socket(fileno=descriptor)
    asked = json.loads(talk.makefile("r", encoding="utf-8").readline())
    # Whoever is to see the windows is somebody else, whatever the caller keeps to itself.
    os.umask(0o022)
    names: list[str] = []
    why = unhidden = ""
    try:
        names = closed_off()
    except OSError as fault:
        refused = REFUSED.get(fault.errno or 0) if fault.filename == "unshare" else None
        why = refused or f"{fault.filename or 'unshare'}: {fault.strerror}"
    if names:
        try:
            hidden(asked["hide"], asked["keep"])
        except OSError as fault:
            unhidden = f"{fault.filename or 'mount'}: {fault.strerror}"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    talk.sendall((json.dumps({"namespaces": names, "why": why, "unhidden": unhidden}) + "\n").encode())
    said = 0
    while len(port := talk.recv(struct.calcsize(PORT))) == struct.calcsize(PORT):
        (said,) = struct.unpack(PORT, port)
        if said == FAREWELL:
            break
        try:
            with bound(said) as made:
                rights = array.array("i", [made.fileno()])
                talk.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        except OSError as fault:
            talk.sendall(f"-{fault.errno}".encode())
    if names:
        ended_inside(os.readlink("/proc/self/ns/net"))
    if said != FAREWELL:
        cleared(asked["doomed"], [place for place, _ in asked["hide"]] if names else [])
    return 0


def cleared(doomed: str, places: Iterable[str]) -> None:
    """Remove what the caller would have removed, had it not been killed; what lies over it is taken away first."""
    for place in places:
        with contextlib.suppress(OSError):
            called("umount2", os.fsencode(place), MNT_DETACH)
    if doomed:
        shutil.rmtree(doomed, ignore_errors=True)


# Entering


def joined(holder: int, names: Iterable[str]) -> None:
    """Go into the namespaces of the process that holds them."""
    held = [(os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY), NEW_NAMESPACES[name]) for name in names]
    for descriptor, kind in held:
        called("setns", ctypes.c_int(descriptor), ctypes.c_int(kind))
        os.close(descriptor)


def laid_down(user: int, group: int) -> None:
    """Become an ordinary user without any privilege, and without the keys of the caller's session, for good."""
    number = KEYCTL.get(os.uname().machine) if sys.platform == "linux" else None
    if number is not None:
        ctypes.CDLL(None).syscall(ctypes.c_long(number), ctypes.c_long(JOIN_SESSION_KEYRING), None)
    with contextlib.suppress(OSError):
        for capability in range(64):
            called("prctl", PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    if os.geteuid() != user:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    with contextlib.suppress(OSError):
        called("prctl", PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0)


class Entry(NamedTuple):
    """How to go in: where to write what hinders, as whom, whose namespaces, in which folder, with which words."""

    report: int
    user: int
    group: int
    holder: int
    names: str
    directory: str
    words: list[str]


def enter(entry: Entry) -> int:
    """Go in, become the user, and be the program."""
    stage = JOINING
    try:
        with contextlib.suppress(OSError):
            called("prctl", PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
        if entry.names:
            joined(entry.holder, entry.names.split(","))
        laid_down(entry.user, entry.group)
        stage = CHANGING
        os.chdir(entry.directory)
        stage = EXECUTING
        os.umask(0o022)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        largest = LARGEST_FILE if most == resource.RLIM_INFINITY else min(most, LARGEST_FILE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        # What is ignored would be so in the program too: by Python, or by a shell that started it in the background.
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(ignored, signal.SIG_DFL)
        # Whoever becomes another user has to ask for it anew.
        with contextlib.suppress(OSError):
            called("prctl", PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
        os.set_inheritable(entry.report, False)  # noqa: FBT003 -- as the library has it
        os.execve(entry.words[0], entry.words, os.environ)  # noqa: S606 -- what this program is for
    except (OSError, ValueError) as fault:
        number = fault.errno if isinstance(fault, OSError) else errno.EINVAL
        os.write(entry.report, f"{stage} {number} {fault}".encode())
    return 127


def main(words: list[str]) -> int:
    """Do what the first word says."""
    if words[0] == "hold":
        return hold(int(words[1]))
    report, user, group, holder = (int(word) for word in words[1:5])
    return enter(Entry(report, user, group, holder, words[5], words[6], words[7:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
