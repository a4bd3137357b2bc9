"""What stands below a session directory: every entry with what tells that it was changed, links not followed."""

# One look is a handful of system calls on plain strings; a Path for each entry would cost more than the rest.
# ruff: noqa: PTH208

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping

#: Mode, size, time of the last change, inode.
Stamp = tuple[int, int, int, int]
#: By path, what stands there.
Tree = Mapping[str, Stamp]
EMPTY: Tree = {}


def stamp(path: str) -> Stamp | None:
    """Give what stands at a path; None where nothing does. The mode of a directory tells its kind alone."""
    try:
        return _stamp(os.lstat(path))
    except OSError:
        return None


def _stamp(status: os.stat_result) -> Stamp:
    mode = status.st_mode
    return stat.S_IFMT(mode) if stat.S_ISDIR(mode) else mode, status.st_size, status.st_mtime_ns, status.st_ino


def mode(path: str) -> int | None:
    """Give the permissions of what stands at a path; None where nothing does."""
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except OSError:
        return None


def is_folder(path: str) -> bool:
    """Say whether a real directory stands at a path."""
    found = stamp(path)
    return found is not None and stat.S_ISDIR(found[0])


def look(root: str) -> dict[str, Stamp]:
    """Give everything below a directory, and nothing where it is none."""
    found: dict[str, Stamp] = {}
    pending = [root] if is_folder(root) else []
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    found[entry.path] = _stamp(entry.stat(follow_symlinks=False))
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            continue
    return found


def names(folder: str) -> list[str]:
    """Give what stands in a directory, sorted; nothing where it is none."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def is_as_before(root: str, tree: Tree) -> bool:
    """Say whether everything stands as it did. A new entry shows by its directory."""
    if not tree:
        return not os.path.lexists(root) or not os.listdir(root)
    return all(stamp(path) == held for path, held in tree.items())


def files(tree: Tree, below: str) -> list[str]:
    """Give the regular files below a directory."""
    start = f"{below}/"
    return [path for path, held in tree.items() if path.startswith(start) and stat.S_ISREG(held[0])]


def is_link(held: Stamp | None) -> bool:
    """Say whether a link stands there."""
    return held is not None and stat.S_ISLNK(held[0])


def digest(path: str, size: int) -> str:
    """Give a digest of the first bytes of a file; of what cannot be read, the empty text."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return hashlib.blake2b(os.read(descriptor, size)).hexdigest()
    except OSError:
        return ""
    finally:
        os.close(descriptor)
