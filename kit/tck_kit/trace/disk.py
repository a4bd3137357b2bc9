"""What lies below the folder of a scenario, and what has changed there since somebody last looked.

Only what engine and steps share is looked at: the stand-in containers' own layers are not. A file's content is read
where its inode says that it may be another one; the clock of a file system is coarse, so one that was changed just
before the last look is read again in any case.
"""

# Each look is some system calls on plain strings; a Path for each entry would double the cost.
# ruff: noqa: PTH115

from __future__ import annotations

import base64
import hashlib
import os
import stat
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

Kind = Literal["file", "dir", "link", "fifo", "socket", "device"]
#: Beside the engine's folder: layers of the stand-in containers, which nobody else looks into.
APART: Final = frozenset({"containers"})
#: A larger file is held by its size and its digest alone.
MOST_BYTES: Final = 256 * 1024
#: More entries than this are not held.
MOST_ENTRIES: Final = 20_000
#: Nanoseconds within which the time of a change says nothing of its order.
_COARSE: Final = 20_000_000
#: Seconds by which the time of a file's content must differ from that of its inode to have been set on purpose.
_SET: Final = 3_600
_KINDS: Final[dict[int, Kind]] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "dir",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


class TooMuchError(Exception):
    """There is more on the disk than a trace holds."""


@dataclass(slots=True)
class Entry:
    """One file, directory or link as it lies there."""

    kind: Kind
    mode: int
    size: int
    stamp: tuple[int, int, int]
    #: Whether the time of its content was set on purpose.
    set_time: bool
    #: User and group, where they are others than the kit's own.
    owner: tuple[int, int] | None
    #: Its bytes, of a file that is small enough; of a link, where it leads.
    content: bytes | None = None
    #: The digest of a file that is too large.
    digest: str | None = None

    @property
    def time(self) -> int:
        """The time of its content, in nanoseconds."""
        return self.stamp[1]

    def same(self, other: Entry, *, to_the_time: bool) -> bool:
        """Tell whether nobody could see a difference, or none but in times that nobody has set."""
        timed = self.kind in {"file", "dir"} and (to_the_time or self.set_time or other.set_time)
        return (
            self.kind == other.kind
            and self.mode == other.mode
            and (not timed or self.time == other.time)
            and self.content == other.content
            and self.digest == other.digest
            and (self.kind != "file" or self.size == other.size)
        )


Tree = dict[str, Entry]
#: What is new or another, by its path below the folder; None for what is gone.
Changes = dict[str, Entry | None]


class Disk:
    """The folder of a scenario, looked at again and again."""

    def __init__(self, place: Path) -> None:
        """Look for the first time."""
        self._root = str(place)
        self._mine = (os.geteuid(), os.getegid())
        self._looked = 0
        self.tree: Tree = {}
        self.tree = self._walk()

    def changes(self, *, to_the_time: bool) -> Changes:
        """Give what is new or another since the last look, and None for what is gone.

        With `to_the_time` a file that was written again as it was is another one, too.
        """
        before, self.tree = self.tree, self._walk()
        changed: Changes = {
            path: entry
            for path, entry in self.tree.items()
            if (known := before.get(path)) is not entry
            and (known is None or not known.same(entry, to_the_time=to_the_time))
        }
        if len(before) + len(changed) > len(self.tree):
            changed |= {path: None for path in before if path not in self.tree}
        return changed

    def _walk(self) -> Tree:
        started = time.time_ns()
        found: Tree = {}
        pending = [""]
        while pending:
            folder = pending.pop()
            try:
                entries = os.scandir(f"{self._root}/{folder}" if folder else self._root)
            except OSError:
                # Closed to the kit, or gone meanwhile: what was known of it is all that can be said.
                found |= {path: one for path, one in self.tree.items() if folder and path.startswith(f"{folder}/")}
                continue
            with entries:
                for one in entries:
                    path = f"{folder}/{one.name}" if folder else one.name
                    if path in APART:
                        continue
                    try:
                        entry = self._entry(path, one)
                    except OSError:
                        continue
                    found[path] = entry
                    if entry.kind == "dir":
                        pending.append(path)
            if len(found) > MOST_ENTRIES:
                raise TooMuchError(f"more than {MOST_ENTRIES:,} files")
        self._looked = started
        return found

    def _entry(self, path: str, one: os.DirEntry[str]) -> Entry:
        status = one.stat(follow_symlinks=False)
        stamp = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
        known = self.tree.get(path)
        if (
            known is not None
            and known.stamp == stamp
            and known.size == status.st_size
            and known.mode == stat.S_IMODE(status.st_mode)
            and (known.kind != "file" or max(stamp[1:]) < self._looked - _COARSE)
        ):
            return known
        owner = (status.st_uid, status.st_gid)
        entry = Entry(
            kind=_KINDS.get(stat.S_IFMT(status.st_mode), "device"),
            mode=stat.S_IMODE(status.st_mode),
            size=status.st_size,
            stamp=stamp,
            set_time=abs(stamp[1] - stamp[2]) > _SET * 1_000_000_000,
            owner=None if owner == self._mine else owner,
        )
        if entry.kind == "file":
            self._read(entry, path)
        elif entry.kind == "link":
            entry.content = os.fsencode(os.readlink(one.path))
        return entry

    def _read(self, entry: Entry, path: str) -> None:
        descriptor = _opened(f"{self._root}/{path}")
        if descriptor is None:
            entry.digest = "unreadable"
            return
        try:
            if entry.size <= MOST_BYTES:
                entry.content = os.read(descriptor, MOST_BYTES + 1)
                entry.size = len(entry.content)
                if entry.size <= MOST_BYTES:
                    return
                entry.content, entry.size = None, os.fstat(descriptor).st_size
                os.lseek(descriptor, 0, os.SEEK_SET)
            digest = hashlib.sha256()
            while piece := os.read(descriptor, 1 << 20):
                digest.update(piece)
            entry.digest = digest.hexdigest()
        finally:
            os.close(descriptor)


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None


def held(changes: Changes) -> list[dict[str, Any]]:
    """Give changes as a trace holds them, in the order of their paths."""
    return [{"path": path, **_held(entry)} for path, entry in sorted(changes.items())]


def _held(entry: Entry | None) -> dict[str, Any]:
    if entry is None:
        return {"is": "gone"}
    more: dict[str, Any] = {"is": entry.kind}
    if entry.kind == "link":
        return more | {"to": os.fsdecode(entry.content or b"")}
    more["mode"] = f"{entry.mode:o}"
    if entry.kind in {"file", "dir"}:
        more["time"] = entry.time
    if entry.owner is not None:
        more["owner"] = list(entry.owner)
    if entry.kind == "file":
        more |= {"size": entry.size, "digest": entry.digest} if entry.content is None else _content(entry.content)
    return more


def _content(content: bytes) -> dict[str, str]:
    try:
        return {"text": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"packed": base64.b64encode(zlib.compress(content, 1)).decode("ascii")}


def short(changes: Changes, stable: Callable[[bytes], bytes]) -> dict[str, str]:
    """Give changes in a few words each, to be held against others; `stable` takes the folder out of a file's bytes."""
    return {path: _shortly(entry, stable) for path, entry in sorted(changes.items())}


def _shortly(entry: Entry | None, stable: Callable[[bytes], bytes]) -> str:
    if entry is None:
        return "gone"
    if entry.kind == "link":
        return f"link to {os.fsdecode(entry.content or b'')}"
    digest = entry.digest or hashlib.sha256(stable(entry.content or b"")).hexdigest()[:16]
    content = f" {digest}" if entry.kind == "file" else ""
    when = f" of {entry.time}" if entry.set_time else ""
    return f"{entry.kind} {entry.mode:o}{content}{when}"
