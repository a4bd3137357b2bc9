"""Makes a folder that nobody can remove, for engines that remove with their own hands.

An ordinary user is held off by the modes of the folder; for root, whom modes do not stop, it is marked as immutable.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import struct
from pathlib import Path

from tck_driver.errors import KitError

#: Linux: read and set the flags of an inode (`chattr`), and the flag that lets nobody change it.
_GET, _SET, _IMMUTABLE = 0x80086601, 0x40086602, 0x10


class Protection:
    """The folders that are protected now."""

    def __init__(self) -> None:
        self._modes: dict[Path, int] = {}

    def protect(self, path: Path) -> None:
        """Make removing this folder fail. Raises `KitError` where this machine cannot do that."""
        if path in self._modes:
            return
        self._modes[path] = stat.S_IMODE(path.stat().st_mode)
        if os.getuid() != 0:
            path.chmod(self._modes[path] & ~0o222)
            return
        try:
            _mark(path, immutable=True)
        except OSError as fault:
            del self._modes[path]
            raise KitError(
                f"{path} cannot be protected from root here ({fault.strerror}); run the kit as an ordinary user"
            ) from fault

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        mode = self._modes.pop(path, None)
        if mode is None or not path.exists():
            return
        if os.getuid() == 0:
            _mark(path, immutable=False)
        path.chmod(mode)

    def close(self) -> None:
        """Let everything be removed again."""
        for path in list(self._modes):
            self.unprotect(path)


def free(folder: Path) -> None:
    """Let everything below a folder be removed, where whoever protected it was ended before it could do so itself."""
    for place, names, _ in os.walk(folder):
        for path in (Path(place, name) for name in names):
            if path.is_symlink():
                continue
            with contextlib.suppress(OSError):
                if os.getuid() == 0:
                    _mark(path, immutable=False)
                path.chmod(stat.S_IMODE(path.stat().st_mode) | stat.S_IRWXU)


def _mark(path: Path, *, immutable: bool) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        flags = int(struct.unpack("l", fcntl.ioctl(folder, _GET, struct.pack("l", 0)))[0])
        flags = flags | _IMMUTABLE if immutable else flags & ~_IMMUTABLE
        fcntl.ioctl(folder, _SET, struct.pack("l", flags))
    finally:
        os.close(folder)
