"""Lets a process of root go on as an ordinary user, before it runs an engine whose containers run as its own user.

The user of a container is that of the engine's process (§17.2), and no agent is to run as root. A root process would
also never notice what an ordinary one cannot write or remove, which is what goes wrong elsewhere. What remains of
root is that every file can be read, since Python itself may lie where nobody else may look.
"""

from __future__ import annotations

import ctypes
import os
import stat
from pathlib import Path

from tck_driver.errors import KitError
from tck_fakes.docker.order import ORDINARY

#: Of `linux/capability.h`: the version of the call with 64 bits, and the right to read and to search everything.
_VERSION, _READ_AND_SEARCH = 0x20080522, 2


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Rights(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def become_ordinary(folder: Path, socket: Path | None) -> None:
    """Go on as an ordinary user who owns `folder` and may use the engine's socket; nothing is done unless root asks.

    Raises `KitError` where this system cannot do that.
    """
    if os.getuid() != 0:
        return
    for place, names, files in os.walk(folder):
        for path in (place, *(os.path.join(place, name) for name in (*names, *files))):  # noqa: PTH118 -- from a walk
            os.lchown(path, ORDINARY, ORDINARY)
    try:
        os.setgroups(_groups(socket))
        os.setresgid(ORDINARY, ORDINARY, ORDINARY)
        # Root stays as the saved user, without which the last right would be gone as well.
        os.setresuid(ORDINARY, ORDINARY, 0)
        _keep(1 << _READ_AND_SEARCH)
    except OSError as fault:
        raise KitError(f"root cannot become an ordinary user here ({fault.strerror}); start the kit as one") from fault


def _groups(socket: Path | None) -> list[int]:
    """Give the group that may use a socket, if any may."""
    if socket is None or not socket.exists():
        return []
    about = socket.stat()
    return [about.st_gid] if about.st_mode & stat.S_IWGRP else []


def _keep(rights: int) -> None:
    """Have these rights and no others."""
    library = ctypes.CDLL(None, use_errno=True)
    header, wanted = _Header(_VERSION, 0), (_Rights * 2)(_Rights(rights, rights, 0), _Rights(0, 0, 0))
    if library.capset(ctypes.byref(header), wanted) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
