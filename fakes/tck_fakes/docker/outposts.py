"""What lies outside of a container and must be out of its reach: places of the host, and ears on its loopback.

An isolation that nobody tries to get through has not been seen to hold. So every container looks for these.
"""

from __future__ import annotations

import os
import secrets
import socket
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tck_fakes.docker.held import Identity


class Outposts:
    """Listens on the loopback of this host, and on a socket without a place; nobody in a container gets here."""

    def __init__(self) -> None:
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._tcp.getsockname()[1]
        self.abstract = f"session-tck-{secrets.token_hex(8)}"
        self._unix = socket.socket(socket.AF_UNIX)
        self._unix.bind(f"\0{self.abstract}")
        self._unix.listen()

    def close(self) -> None:
        """Listen no more."""
        self._tcp.close()
        self._unix.close()


def identity(path: str) -> Identity | None:
    """Give what lies at a path of this host, links followed; None where nothing does."""
    try:
        about = os.stat(path)  # noqa: PTH116 -- a path of the request
    except OSError:
        return None
    return about.st_dev, about.st_ino


def owns(user: str, path: str) -> bool:
    """Tell whether a folder belongs to a user, `uid:gid`, and its mode lets that one write there."""
    try:
        about = os.stat(path)  # noqa: PTH116 -- a path of the request
    except OSError:
        return False
    most = stat.S_IWUSR | stat.S_IXUSR
    return stat.S_ISDIR(about.st_mode) and str(about.st_uid) == user.partition(":")[0] and about.st_mode & most == most


def forbidden(place: Path, asked: Iterable[str], further: Iterable[str]) -> Mapping[Identity, str]:
    """Give what a container must not reach: all below `place` that lies at or below nothing asked for, and more.

    `asked` are the real sources of the mounts. What an engine under test asks for wrongly is graded by its request.
    """
    granted = set(asked)
    found = dict(_below(place, granted))
    for path in further:
        there = identity(path)
        if there is not None:
            found[there] = path
    for source in granted:
        there = identity(source)
        if there is not None:
            found.pop(there, None)
    return found


def _below(place: Path, granted: set[str]) -> Iterator[tuple[Identity, str]]:
    pending = [os.path.realpath(place)]
    while pending:
        folder = pending.pop()
        if folder in granted:
            continue
        try:
            about = os.lstat(folder)
            entries = list(os.scandir(folder))
        except OSError:
            continue
        yield (about.st_dev, about.st_ino), folder
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.path not in granted and not entry.is_symlink():
                about = entry.stat(follow_symlinks=False)
                yield (about.st_dev, about.st_ino), entry.path
