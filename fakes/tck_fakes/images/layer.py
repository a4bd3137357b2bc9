"""Files for an image, as a tar archive whose bytes depend on nothing but what was put in.

Owner, time and order are fixed, so that the same content gives the same layer on every machine. Packages are merged in
as a Debian system with one `/usr` holds them: `/bin`, `/sbin` and `/lib*` are links, whatever a package was built for.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

#: Folders that are links into `/usr`.
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
#: What no program that we start ever reads.
NEEDLESS = (
    "usr/share/doc/",
    "usr/share/man/",
    "usr/share/info/",
    "usr/share/locale/",
    "usr/share/lintian/",
    "usr/share/bug/",
    "usr/lib/systemd/",
)


class Layer:
    """Puts files into an archive; a folder on the way to a file is made where it is not there yet."""

    def __init__(self, target: BinaryIO) -> None:
        """Write into an open file, which stays open."""
        self._archive = tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115 -- `close` does
        self._there: set[str] = set()

    def folder(self, path: str, mode: int = 0o755, owner: int = 0) -> None:
        """Make a folder and those above it."""
        name = path.strip("/")
        if not name or name in self._there:
            return
        self.folder(str(PurePosixPath(name).parent).removeprefix("."))
        entry = _entry(name, tarfile.DIRTYPE, mode, owner)
        self._there.add(name)
        self._archive.addfile(entry)

    def file(self, path: str, content: bytes, mode: int = 0o644) -> None:
        """Write a file."""
        entry = self._new(path, tarfile.REGTYPE, mode)
        entry.size = len(content)
        self._archive.addfile(entry, io.BytesIO(content))

    def copy(self, path: str, source: Path) -> None:
        """Copy a file of the host, with its right to be executed."""
        with source.open("rb") as content:
            entry = self._new(path, tarfile.REGTYPE, 0o755 if source.stat().st_mode & 0o100 else 0o644)
            entry.size = source.stat().st_size
            self._archive.addfile(entry, content)

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link."""
        entry = self._new(path, tarfile.SYMTYPE, 0o777)
        entry.linkname = target
        self._archive.addfile(entry)

    def merge(self, package: IO[bytes]) -> None:
        """Put in the files of one package, given as the archive of its files."""
        with tarfile.open(fileobj=package, mode="r|") as archive:
            for member in archive:
                self._take(archive, member)

    def close(self) -> None:
        """Write the end of the archive."""
        self._archive.close()

    def _take(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        name = merged(member.name)
        if not name or name in self._there or f"{name}/".startswith(NEEDLESS):
            return
        if member.isdir():
            self.folder(name, member.mode)
            return
        entry = self._new(name, member.type, member.mode)
        entry.size = member.size if member.isreg() else 0
        entry.linkname = merged(member.linkname) if member.islnk() else member.linkname
        self._archive.addfile(entry, archive.extractfile(member) if member.isreg() else None)

    def _new(self, path: str, kind: bytes, mode: int) -> tarfile.TarInfo:
        name = path.strip("/")
        self.folder(str(PurePosixPath(name).parent).removeprefix("."))
        self._there.add(name)
        return _entry(name, kind, mode, 0)


def _entry(name: str, kind: bytes, mode: int, owner: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    entry.mode = mode & 0o7777
    entry.uid = entry.gid = owner
    return entry


def merged(path: str) -> str:
    """Give where a package's file lies on a system with one `/usr`, without a slash at either end."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and parts[0] in MERGED:
        # The links themselves are made beforehand; a package's own folder of that name is one below /usr.
        return "/".join(["usr", *parts])
    return "/".join(parts)


def links(layer: Layer, names: Iterable[str] = MERGED) -> None:
    """Make the links of a system with one `/usr`."""
    for name in names:
        layer.folder(f"usr/{name}")
        layer.link(name, f"usr/{name}")
