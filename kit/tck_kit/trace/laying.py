"""Laying on the disk what a trace holds: below the scenario's folder and nowhere else, through no link.

A trace may come from anybody. Every path is walked from the folder's own descriptor, part by part, and a link on the
way is refused; what a path leads to is made anew and never opened.
"""

from __future__ import annotations

import base64
import os
import stat
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tck_kit.trace.disk import APART, MOST_BYTES

_PARTS: Final = frozenset({"", ".", ".."})
_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OURS: Final = 0o700


class RefusedError(Exception):
    """A trace wants something laid where it may not, or that cannot be laid here."""


class Layer:
    """Lays changes below one folder."""

    def __init__(self, place: Path) -> None:
        """Hold the folder."""
        self._place = place
        self._root = os.open(place, _OPEN)
        #: The files that are there without their content, by their paths on the disk.
        self.hollow: dict[str, str] = {}
        #: When the directories that something is laid in were changed before that.
        self._times: dict[str, int] = {}

    def close(self) -> None:
        """Let the folder go."""
        os.close(self._root)

    def lay(self, changes: Sequence[Mapping[str, Any]]) -> None:
        """Make all of these changes. Raises `RefusedError`."""
        try:
            for one in sorted(changes, key=_depth, reverse=True):
                if one["is"] == "gone":
                    self._remove(one["path"])
            for one in sorted(changes, key=_depth):
                if one["is"] != "gone":
                    self._make(one)
            told = {one["path"] for one in changes}
            for one in sorted(changes, key=_depth, reverse=True):
                self._finish(one)
            for path, time in tuple(self._times.items()):
                # What was replaced here was perhaps written in its place there, of which a directory sees nothing.
                if path not in told:
                    self._restore(path, time)
            self._times.clear()
        except (OSError, ValueError, KeyError, zlib.error, OverflowError) as fault:
            raise RefusedError(f"it cannot be laid on this disk: {fault}") from fault

    @contextmanager
    def _parent(self, path: str) -> Generator[tuple[int, str]]:
        """Open the directory in which a path's last part lies; give it, and that part."""
        parts = path.split("/")
        if _PARTS.intersection(parts) or parts[0] in APART or "\0" in path:
            raise RefusedError(f"{path!r} does not lie in the scenario's folder")
        held = os.dup(self._root)
        try:
            for part in parts[:-1]:
                inner = self._entered(held, part, path)
                os.close(held)
                held = inner
            if len(parts) > 1:
                self._times.setdefault(path.rpartition("/")[0], os.fstat(held).st_mtime_ns)
            yield held, parts[-1]
        finally:
            os.close(held)

    def _entered(self, held: int, part: str, path: str) -> int:
        try:
            return os.open(part, _OPEN, dir_fd=held)
        except PermissionError:
            with suppress(OSError):
                if stat.S_ISDIR(os.stat(part, dir_fd=held, follow_symlinks=False).st_mode):
                    os.chmod(part, _OURS, dir_fd=held)
            return os.open(part, _OPEN, dir_fd=held)
        except NotADirectoryError as fault:
            raise RefusedError(f"{path!r} lies behind something that is no directory, or a link") from fault

    def _remove(self, path: str) -> None:
        with self._parent(path) as (held, name):
            self._clear(held, name)
        self._forget(path)

    def _clear(self, held: int, name: str) -> None:
        """Take away whatever lies there, with everything in it."""
        try:
            mode = os.stat(name, dir_fd=held, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        with _writable(held):
            if not stat.S_ISDIR(mode):
                os.unlink(name, dir_fd=held)
                return
            os.chmod(name, _OURS, dir_fd=held)
            inner = os.open(name, _OPEN, dir_fd=held)
            try:
                for one in os.listdir(inner):  # noqa: PTH208 -- of a descriptor, so that no link can lead elsewhere
                    self._clear(inner, one)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=held)

    def _make(self, one: Mapping[str, Any]) -> None:
        path, kind = one["path"], one["is"]
        with self._parent(path) as (held, name):
            if kind == "dir" and self._is_dir(held, name):
                return
            self._clear(held, name)
            self._forget(path)
            with _writable(held):
                self._put(held, name, one)

    def _put(self, held: int, name: str, one: Mapping[str, Any]) -> None:
        match one["is"]:
            case "dir":
                os.mkdir(name, _OURS, dir_fd=held)
            case "link":
                os.symlink(one["to"], name, dir_fd=held)
            case "fifo":
                os.mkfifo(name, dir_fd=held)
            case "file":
                self._file(held, name, one)
            case _:
                # A socket that nobody listens at; in the place of a device, which only a machine's owner can make, too.
                os.mknod(name, stat.S_IFSOCK | _OURS, dir_fd=held)

    def _file(self, held: int, name: str, one: Mapping[str, Any]) -> None:
        descriptor = os.open(
            name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=held
        )
        try:
            if "text" in one:
                rest = memoryview(one["text"].encode("utf-8"))
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
            elif "packed" in one:
                os.write(descriptor, _unpacked(one["packed"]))
            else:
                os.truncate(descriptor, one["size"])
                self.hollow[f"{self._place}/{one['path']}"] = str(one.get("digest"))
        finally:
            os.close(descriptor)

    def _finish(self, one: Mapping[str, Any]) -> None:
        """Give it its mode and time, once nothing below it changes any more."""
        if one["is"] in {"gone", "link"}:
            return
        with self._parent(one["path"]) as (held, name):
            if stat.S_ISLNK(os.stat(name, dir_fd=held, follow_symlinks=False).st_mode):
                raise RefusedError(f"{one['path']!r} is a link")
            os.chmod(name, int(one["mode"], 8), dir_fd=held)
            if "time" in one:
                os.utime(name, ns=(one["time"], one["time"]), dir_fd=held, follow_symlinks=False)

    def _restore(self, path: str, time: int) -> None:
        with suppress(FileNotFoundError), self._parent(path) as (held, name):
            os.utime(name, ns=(time, time), dir_fd=held, follow_symlinks=False)

    @staticmethod
    def _is_dir(held: int, name: str) -> bool:
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=held, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def _forget(self, path: str) -> None:
        gone = f"{self._place}/{path}"
        for one in [one for one in self.hollow if one == gone or one.startswith(f"{gone}/")]:
            del self.hollow[one]


@contextmanager
def _writable(held: int) -> Generator[None]:
    """Let a directory be written for a moment, however its mode stands."""
    mode = stat.S_IMODE(os.fstat(held).st_mode)
    if mode & stat.S_IWUSR and mode & stat.S_IXUSR:
        yield
        return
    os.fchmod(held, mode | _OURS)
    try:
        yield
    finally:
        os.fchmod(held, mode)


def _unpacked(text: str) -> bytes:
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(base64.b64decode(text, validate=True), MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise RefusedError(f"a file has more than {MOST_BYTES:,} bytes")
    return content


def _depth(one: Mapping[str, Any]) -> int:
    return str(one["path"]).count("/")
