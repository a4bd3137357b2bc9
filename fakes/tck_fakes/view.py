"""What a process in a container sees of the file system: its mounts, and a scratch directory for everything else.

Every path is walked part by part from the container's root, as a kernel in that container would: a link is followed
inside the container and never on the host, so nothing that an agent plants can reach what is not mounted. A mount's
source alone is followed on the host, as a real bind mount does. Permission is told by the owner's mode bits, also for
a root user, so that a test of an unreadable file says the same on every machine. Specification: ISOLATE-2, ISOLATE-9.
"""

# Every check is one system call on a plain string; a Path for each would double the cost of a run.
# ruff: noqa: PTH102, PTH103, PTH108, PTH110, PTH112, PTH113, PTH114, PTH115, PTH116, PTH123, PTH208, PTH211

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from tck_driver.witness import Mount

#: How many links a walk follows before it is taken for a loop, as in Linux.
MAX_LINKS = 40

_READ, _WRITE, _SEARCH = stat.S_IRUSR, stat.S_IWUSR, stat.S_IXUSR


class MountRefusedError(Exception):
    """A container cannot start because a bind mount cannot be made; the text is the container runtime's."""


def _fail(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _mode(host: str, path: str) -> int:
    """Give the mode of what lies at a host path itself, 0 where nothing does."""
    try:
        return os.lstat(host).st_mode
    except FileNotFoundError:
        return 0
    except NotADirectoryError:
        raise _fail(errno.ENOTDIR, path) from None


class _Bind:
    """One mount, held by its inode: what is later created under the same name on the host is not in the container."""

    __slots__ = ("_held", "at", "read_only", "source")

    def __init__(self, mount: Mount) -> None:
        self.at = tuple(_parts(mount.target))
        self.source = os.path.realpath(mount.source)
        self.read_only = mount.read_only
        if not os.path.exists(self.source):
            raise MountRefusedError(
                f'invalid mount config for type "bind": bind source path does not exist: {mount.source}'
            )
        try:
            # An open descriptor keeps the inode's number from being used again.
            self._held = os.open(self.source, os.O_RDONLY)
        except OSError:
            self._held = -1

    def check(self, path: str) -> None:
        """Raise ENOENT where the source was removed, or removed and made anew, since the container started."""
        if self._held < 0:
            return
        try:
            now, then = os.stat(self.source), os.fstat(self._held)
        except OSError:
            raise _fail(errno.ENOENT, path) from None
        if (now.st_ino, now.st_dev) != (then.st_ino, then.st_dev):
            raise _fail(errno.ENOENT, path)

    def close(self) -> None:
        """Let go of the inode."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1


class ContainerView:
    """The file system of one container. Paths are container paths; all calls raise `OSError` as the kernel would."""

    def __init__(self, mounts: Sequence[Mount], home: str, scratch: Path, owner: tuple[int, int] | None = None) -> None:
        """Make the mounts; `owner` is the user and group to whom all is given that is made, where that is another one.

        Raises `MountRefusedError` for a missing source and for two mounts on one target.
        """
        self.home = home
        self._owner = owner
        self.scratch = scratch
        #: Whether the scratch directory exists on the host; most containers write to their mounts alone.
        self._used = False
        self._binds: dict[tuple[str, ...], _Bind] = {}
        targets = [tuple(_parts(mount.target)) for mount in mounts]
        for mount, target in zip(mounts, targets, strict=True):
            if targets.count(target) > 1:
                raise MountRefusedError(f"Duplicate mount point: {mount.target}")
        try:
            for mount, target in zip(mounts, targets, strict=True):
                self._binds[target] = _Bind(mount)
        except MountRefusedError:
            self.close()
            raise
        # Directories that are there from the start; on the host they are made only once something is written there.
        self._given = {path[:length] for path in (*targets, tuple(_parts(home)), ()) for length in range(len(path) + 1)}

    def close(self) -> None:
        """Let the scratch directory vanish, as a container's own layer does; what is mounted stays."""
        for bind in self._binds.values():
            bind.close()
        self._binds.clear()
        if self._used:
            shutil.rmtree(self.scratch, ignore_errors=True)

    # Walking

    def _host(self, at: Sequence[str]) -> tuple[str, _Bind | None]:
        for length in range(len(at), -1, -1):
            bind = self._binds.get(tuple(at[:length]))
            if bind is not None:
                return "/".join((bind.source, *at[length:])), bind
        return "/".join((str(self.scratch), *at)), None

    def _walk(self, path: str, *, follow: bool) -> tuple[str, ...]:
        pending = _parts(path)[::-1]
        at: list[str] = []
        host, bind = self._host(at)
        links = 0
        while pending:
            part = pending.pop()
            if part == "..":
                del at[-1:]
                host, bind = self._host(at)
                continue
            at.append(part)
            mounted = self._binds.get(tuple(at))
            if mounted is not None:
                host, bind = mounted.source, mounted
                continue
            host = f"{host}/{part}"
            if bind is None and not self._used:
                continue
            mode = _mode(host, path)
            if stat.S_ISLNK(mode):
                if not pending and not follow:
                    break
                links += 1
                if links > MAX_LINKS:
                    raise _fail(errno.ELOOP, path)
                target = os.readlink(host)
                at = [] if target.startswith("/") else at[:-1]
                host, bind = self._host(at)
                pending.extend(_parts(target)[::-1])
            elif pending and stat.S_ISDIR(mode) and not mode & _SEARCH:
                raise _fail(errno.EACCES, path)
        return tuple(at)

    def resolve(self, path: str, *, follow: bool = True) -> str:
        """Give the host path behind a container path, links followed as in the container; it need not exist."""
        host, bind = self._host(self._walk(path, follow=follow))
        if bind is not None:
            bind.check(path)
        return host

    def _to_write(self, at: tuple[str, ...], path: str) -> str:
        host, bind = self._host(at)
        if bind is not None:
            bind.check(path)
            if bind.read_only:
                raise _fail(errno.EROFS, path)
        if os.path.lexists(host):
            return host
        parent, _ = self._host(at[:-1])
        try:
            mode = os.stat(parent).st_mode
        except OSError:
            raise _fail(errno.ENOENT, path) from None
        if not mode & _WRITE:
            raise _fail(errno.EACCES, path)
        return host

    # Reading

    def exists(self, path: str) -> bool:
        """Tell whether something is there, links followed."""
        try:
            return os.path.exists(self.resolve(path)) or self._is_given(path)
        except OSError:
            return False

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file is there, links followed."""
        try:
            return os.path.isfile(self.resolve(path))
        except OSError:
            return False

    def is_dir(self, path: str) -> bool:
        """Tell whether a directory is there, links followed."""
        try:
            return os.path.isdir(self.resolve(path)) or self._is_given(path)
        except OSError:
            return False

    def _is_given(self, path: str) -> bool:
        at = self._walk(path, follow=True)
        return at in self._given and at not in self._binds

    def names(self, path: str) -> list[str]:
        """Give the names in a directory, sorted."""
        at = self._walk(path, follow=True)
        host = self.resolve(path)
        given = {inner[-1] for inner in self._given if inner[:-1] == at and inner}
        if given and not os.path.exists(host):
            return sorted(given)
        if not os.stat(host).st_mode & _READ:
            raise _fail(errno.EACCES, path)
        return sorted(given.union(os.listdir(host)))

    def files(self, path: str) -> list[str]:
        """Give the container paths of all regular files below a directory; each directory is looked into once."""
        found: list[str] = []
        pending, seen = [path], set[str]()
        while pending:
            folder = pending.pop()
            try:
                real = self.resolve(folder)
                names = [] if real in seen else self.names(folder)
            except OSError:
                continue
            seen.add(real)
            for name in names:
                inner = f"{folder}/{name}"
                if self.is_file(inner):
                    found.append(inner)
                elif self.is_dir(inner):
                    pending.append(inner)
        return sorted(found)

    def read(self, path: str) -> bytes:
        """Give a file's bytes."""
        host = self.resolve(path)
        mode = os.stat(host).st_mode
        if stat.S_ISDIR(mode):
            raise _fail(errno.EISDIR, path)
        if not stat.S_ISREG(mode) or not mode & _READ:
            # A pipe or device would block or answer for ever; a stand-in refuses it instead.
            raise _fail(errno.EACCES, path)
        with open(host, "rb") as file:
            return file.read()

    def modified(self, path: str) -> int:
        """Give the time of a file's last change, nanoseconds."""
        return os.stat(self.resolve(path)).st_mtime_ns

    def may_write(self, path: str) -> bool:
        """Tell whether a file may be written and every existing directory above it, up to the mount, may too."""
        try:
            at = self._walk(path, follow=True)
            host, bind = self._host(at)
            if bind is not None:
                bind.check(path)
        except OSError:
            return False
        if bind is not None and bind.read_only:
            return False
        root = bind.at if bind is not None else ()
        for length in range(len(at), len(root) - 1, -1):
            host, _ = self._host(at[:length])
            try:
                mode = os.stat(host).st_mode
            except OSError:
                continue
            if not mode & _WRITE:
                return False
        return True

    # Writing

    def make_dirs(self, path: str, mode: int = 0o777) -> None:
        """Make a directory and what is missing above it; never a mount's own source."""
        at = self._walk(path, follow=True)
        if at not in self._given:
            self._make(at, mode)

    def give(self, path: str) -> None:
        """Let a directory be there from the start, as a container's working directory is."""
        at = self._walk(path, follow=True)
        self._given.update(at[:length] for length in range(len(at) + 1))

    def _make(self, at: tuple[str, ...], mode: int = 0o777) -> None:
        _, inside = self._host(at)
        for length in range(0 if inside is None else len(inside.at), len(at) + 1):
            host, bind = self._host(at[:length])
            if os.path.isdir(host):
                continue
            if bind is None and at[:length] in self._given:
                os.makedirs(host, exist_ok=True)
                self._used = True
            else:
                last = length == len(at)
                made = self._to_write(at[:length], "/" + "/".join(at[:length]))
                os.mkdir(made, mode if last else 0o777)
                self._give_away(made)

    def write(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Replace a file's content, or make the file; directories above it are made."""
        self._put(path, data, mode, os.O_WRONLY | os.O_TRUNC)

    def append(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Add lines to a file's end, or make the file; a last line that was cut off is ended first."""
        self._put(path, data, mode, os.O_RDWR | os.O_APPEND)

    def _put(self, path: str, data: bytes, mode: int, how: int) -> None:
        at = self._walk(path, follow=True)
        self._make(at[:-1])
        host = self._to_write(at, path)
        existing = _mode(host, path)
        if stat.S_ISDIR(existing):
            raise _fail(errno.EISDIR, path)
        if existing and not (stat.S_ISREG(existing) and existing & _WRITE):
            raise _fail(errno.EACCES, path)
        descriptor = os.open(host, os.O_CREAT | os.O_NOFOLLOW | how, mode)
        try:
            if not existing:
                self._give_away(descriptor)
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            os.write(descriptor, data)
        finally:
            os.close(descriptor)

    def link(self, path: str, target: str) -> None:
        """Plant a symbolic link in place of whatever is there."""
        at = self._walk(path, follow=False)
        if at in self._given:
            # A directory that holds a mount, or a working directory, is in use.
            raise _fail(errno.EBUSY, path)
        self._make(at[:-1])
        host = self._to_write(at, path)
        if os.path.islink(host) or os.path.isfile(host):
            os.unlink(host)
        elif os.path.isdir(host):
            shutil.rmtree(host)
        os.symlink(target, host)
        self._give_away(host)

    def _give_away(self, made: str | int) -> None:
        if self._owner is not None:
            os.chown(made, *self._owner, follow_symlinks=isinstance(made, int))

    def hold(self, path: str) -> bool:
        """Say yes: what a CLI locks lies outside of its mounts, so every container has locks of its own."""
        del path
        return True

    def touch(self, path: str, ahead_ns: int) -> None:
        """Move the time of a file's last change ahead."""
        host = self._to_write(self._walk(path, follow=True), path)
        changed = os.stat(host).st_mtime_ns + ahead_ns
        os.utime(host, ns=(changed, changed))
