"""What a process sees of its own file system: every question goes to the kernel, which knows links, mounts and rights.

It has the calls of `ContainerView` and none of its rules; a stand-in that runs as a program of its own is in whatever
container it was really started in.
"""

# Paths are strings here, as in `ContainerView`, and a Path would cost more to import than a stand-in takes.
# ruff: noqa: PTH103, PTH108, PTH110, PTH112, PTH113, PTH114, PTH116, PTH120, PTH208, PTH211

from __future__ import annotations

import errno
import os
import stat


class RealView:
    """The file system of this process."""

    def resolve(self, path: str) -> str:
        """Give the path itself."""
        return path

    def exists(self, path: str) -> bool:
        """Tell whether something is there, links followed."""
        return os.path.exists(path)

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file is there, links followed."""
        return os.path.isfile(path)

    def is_dir(self, path: str) -> bool:
        """Tell whether a directory is there, links followed."""
        return os.path.isdir(path)

    def names(self, path: str) -> list[str]:
        """Give the names in a directory, sorted."""
        return sorted(os.listdir(path))

    def files(self, path: str) -> list[str]:
        """Give the paths of all regular files below a directory, sorted; each directory is looked into once."""
        found: list[str] = []
        pending, seen = [path], set[tuple[int, int]]()
        while pending:
            folder = pending.pop()
            try:
                about = os.stat(folder)
                names = [] if (about.st_dev, about.st_ino) in seen else os.listdir(folder)
            except OSError:
                continue
            seen.add((about.st_dev, about.st_ino))
            for name in names:
                inner = f"{folder}/{name}"
                if os.path.isfile(inner):
                    found.append(inner)
                elif os.path.isdir(inner):
                    pending.append(inner)
        return sorted(found)

    def read(self, path: str) -> bytes:
        """Give a file's bytes; a pipe or device, which would block or answer for ever, is refused instead."""
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EACCES
                raise OSError(number, os.strerror(number), path)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)

    def modified(self, path: str) -> int:
        """Give the time of a file's last change, nanoseconds."""
        return os.stat(path).st_mtime_ns

    def may_write(self, path: str) -> bool:
        """Tell whether a file may be written, or made in the nearest directory above it that is there."""
        if os.path.lexists(path):
            return os.access(path, os.W_OK)
        folder = os.path.dirname(path) or "."
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder) or "."
        return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)

    def make_dirs(self, path: str, mode: int = 0o777) -> None:
        """Make a directory, less the process's mask, and what is missing above it."""
        os.makedirs(path, mode, exist_ok=True)

    def give(self, path: str) -> None:
        """Do nothing: a directory is there or it is not."""

    def write(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Replace a file's content, or make the file; directories above it are made."""
        self._put(path, data, mode, os.O_WRONLY | os.O_TRUNC)

    def append(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Add lines to a file's end, or make the file; a last line that was cut off is ended first."""
        self._put(path, data, mode, os.O_RDWR | os.O_APPEND)

    def _put(self, path: str, data: bytes, mode: int, how: int) -> None:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_NONBLOCK | how, mode)
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)
            if how & os.O_APPEND and about.st_size and os.pread(descriptor, 1, about.st_size - 1) != b"\n":
                data = b"\n" + data
            # One call, so that two stand-ins that append to one file at once do not part each other's lines.
            os.write(descriptor, data)
        finally:
            os.close(descriptor)

    def link(self, path: str, target: str) -> None:
        """Plant a symbolic link in place of whatever is there."""
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if os.path.islink(path) or os.path.isfile(path):
            os.unlink(path)
        elif os.path.isdir(path):
            # Only here is a tree removed, and shutil takes long to import.
            import shutil  # noqa: PLC0415 -- see above

            shutil.rmtree(path)
        os.symlink(target, path)

    def hold(self, path: str) -> bool:
        """Take a lock for as long as this process lives; False where another one has it."""
        # Only a CLI that locks needs it.
        import fcntl  # noqa: PLC0415 -- see above

        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # It stays open, and so locked, until this process is no more.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError:
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        return True

    def touch(self, path: str, ahead_ns: int) -> None:
        """Move the time of a file's last change ahead."""
        changed = os.stat(path).st_mtime_ns + ahead_ns
        os.utime(path, ns=(changed, changed))
