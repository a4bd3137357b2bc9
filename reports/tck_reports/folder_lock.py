"""One writer at a time in a folder: a lock that the system takes back from a process that has ended, however it ended.

The lock is on a file, and the file only a place to put it: one that was left behind holds nobody up. Who holds a folder
may lock it again, so that what writes into it need not know that a whole run holds it already.
"""

import errno
import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tck_reports.errors import ReportWriteError

#: The name of the file in the folder.
NAME: Final = ".lock"
#: What this process holds; a child that was forked inherits the list, and not the right to it.
_HELD: Final[set[tuple[int, Path]]] = set()
_TAKEN: Final = frozenset({errno.EAGAIN, errno.EACCES})
_WITHOUT: Final = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP})
#: Taking a lock that is just being removed is tried again; nobody removes one without end.
_MOST_TRIES: Final = 100


@contextmanager
def locked(folder: Path, lock: Path | None = None) -> Generator[None]:
    """Keep all other processes from writing into a folder; ReportWriteError where one of them does so already.

    The folder is there already, unless the file of the lock is elsewhere: a folder that is swapped for another takes a
    lock in it along. OSError where the file cannot be made.
    """
    path = (lock or folder / NAME).absolute()
    key = (os.getpid(), path)
    if key in _HELD:
        yield
        return
    descriptor = _taken(path, folder)
    _HELD.add(key)
    try:
        yield
    finally:
        _HELD.discard(key)
        # Whoever has opened it meanwhile finds that the path leads elsewhere now, and opens it again.
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _taken(path: Path, folder: Path) -> int:
    """Return the descriptor that the lock is on."""
    for _ in range(_MOST_TRIES):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _lock(descriptor)
            if _leads(path, descriptor):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            if error.errno in _TAKEN:
                break
            raise
        os.close(descriptor)
    raise ReportWriteError(
        "another run is writing here", str(folder), "wait until it has ended, or name another folder"
    )


def _lock(descriptor: int) -> None:
    """Take the lock; a file system that has none keeps nobody out, and that is no reason not to write there."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _WITHOUT:
            raise


def _leads(path: Path, descriptor: int) -> bool:
    """Whether the path still leads to the file that was opened."""
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    return False
