"""Putting the formats on disk: all of them rendered and written beside first, then each put in its place.

Whoever finds a `report.json` therefore finds the others beside it, and of the same run: an older one is taken away
before the first file changes, and the new one comes last. Until then a failure leaves everything as it was.

A file that is named alone is written so, too. A link is followed, and stays one; a device or a pipe is written into,
since whatever were put in its place would be no device any more.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from tck_reports.errors import ReportWriteError
from tck_reports.folder_lock import locked
from tck_reports.formats import table as formats
from tck_reports.formats.bounded import bounded
from tck_reports.report import encode
from tck_reports.shape import Report

#: The files of a report folder, in the order in which they are written.
FORMATS: Final[Mapping[str, Callable[[Report], str]]] = {one.file: one.render for one in formats.ALL}
CANONICAL: Final = "report.json"

_ROOM: Final = "free some space, or name a {} on another disk"
_RIGHTS: Final = "name a {} that you may write, or change its permissions"
#: By what went wrong, for a folder and for a file that was named.
_CURES: Final[Mapping[int, str]] = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "name a {} on a disk that takes larger files",
    errno.EROFS: "name a {} on a disk that can be written",
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.ENAMETOOLONG: "name a {} with a shorter path",
}
_CURES_OF_FOLDERS: Final[Mapping[int, str]] = {
    errno.ENOTDIR: "name a folder; a file stands in its way",
    errno.EEXIST: "name a folder; a file stands in its way",
    errno.EISDIR: "move away the folder that bears the name of a report file",
}
_CURES_OF_FILES: Final[Mapping[int, str]] = {
    errno.ENOENT: "make its folder first, or name another file",
    errno.ENOTDIR: "name another file; a file stands where its folder should be",
    errno.EISDIR: "name a file; this is a folder",
    errno.ELOOP: "name another file; the link leads to itself",
}


def prepare(folder: Path) -> None:
    """Find out before a run whether its report can be written at all; ReportWriteError where it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _beside(folder / ".writable", b"").unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(error, folder) from error


@contextmanager
def kept(folder: Path) -> Generator[None]:
    """Do as `prepare`, and let nobody else write a report there until this one is written."""
    prepare(folder)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder))
        except OSError as error:
            raise _unwritable(error, folder) from error
        yield


def rendered(report: Report, names: Iterable[str] | None = None) -> dict[str, bytes]:
    """Return the report in these formats, all unless some are named, by the names of their files."""
    short = bounded(report)
    return {name: FORMATS[name](short).encode("utf-8") for name in (FORMATS if names is None else names)}


@contextmanager
def waiting(path: Path) -> Generator[Path]:
    """Give a place beside a file's own, where it waits for `write_together`; what waits in vain is removed."""
    beside = _place_beside(path)
    try:
        yield beside
    finally:
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)


def write_all(report: Report, folder: Path, others: Mapping[str, Path | None] | None = None) -> tuple[Path, ...]:
    """Write every format into the folder, made where it does not exist; ReportWriteError where that cannot be done.

    `others` are files of the same report by their names, as of `write_together`.
    """
    return write_together({**rendered(report), CANONICAL: encode(report)}, folder, others)


def write_together(
    contents: Mapping[str, bytes], folder: Path, others: Mapping[str, Path | None] | None = None
) -> tuple[Path, ...]:
    """Write files of one report into a folder, alone: none of them if one has no room, or somebody else is writing.

    `others` are put in their places with them: each is written already, and waits in the folder; where there is none
    of this report, one of an older report is taken away.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            return _written(contents, folder, others or {})
    except (OSError, ValueError) as error:
        raise _unwritable(error, folder) from error


def _written(contents: Mapping[str, bytes], folder: Path, others: Mapping[str, Path | None]) -> tuple[Path, ...]:
    """Write them beside their places, and then all into these."""
    targets = {name: folder / name for name in (*others, *contents)}
    for target in targets.values():
        if target.is_dir() and not target.is_symlink():
            raise _unwritable(IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)), target)
    beside = {name: path for name, path in others.items() if path is not None}
    _sweep(folder, targets, frozenset(path.name for path in beside.values()))
    try:
        for name, content in contents.items():
            beside[name] = _beside(targets[name], content)
        if CANONICAL in contents:
            targets[CANONICAL].unlink(missing_ok=True)
        for name, target in targets.items():
            if name in beside:
                beside[name].replace(target)
            else:
                target.unlink(missing_ok=True)
    finally:
        for left in beside.values():
            with suppress(OSError):
                left.unlink(missing_ok=True)
    return tuple(targets[name] for name in contents)


def _sweep(folder: Path, names: Iterable[str], kept: frozenset[str]) -> None:
    """Remove what a process that was killed left beside these files; nobody else writes here now."""
    ours = re.compile(rf"\.(?:{'|'.join(map(re.escape, names))})\.[0-9a-f]{{8}}")
    for one in folder.iterdir():
        if ours.fullmatch(one.name) and one.name not in kept:
            with suppress(OSError):
                one.unlink()


def write_whole(path: Path, content: bytes) -> Path:
    """Write one file so that it is there wholly or as it was before; ReportWriteError where that cannot be done.

    What a link leads to is replaced, and the link stays. A character device and a pipe are written into.
    """
    try:
        kind = _kind(path)
        if kind in {stat.S_IFCHR, stat.S_IFIFO}:
            _pour(path, content)
        elif kind in {None, stat.S_IFREG}:
            _replace(Path(os.path.realpath(path)) if path.is_symlink() else path, content)
        elif kind == stat.S_IFDIR:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        else:
            raise ReportWriteError("is no file that can be written", str(path), "name another file")
    except (OSError, ValueError) as error:
        raise _no_file(error, path) from error
    return path


def _kind(path: Path) -> int | None:
    """Return of which kind that is which is there, at the end of all links; null where nothing is."""
    try:
        return stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _pour(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _write(descriptor, content)
    finally:
        os.close(descriptor)


def _replace(path: Path, content: bytes) -> None:
    beside = _beside(path, content)
    try:
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def _place_beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")


def _beside(path: Path, content: bytes) -> Path:
    """Write the content of a file beside it, for good; nothing is left where that fails with OSError or ValueError."""
    beside = _place_beside(path)
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            _write(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
        raise
    return beside


def _write(descriptor: int, content: bytes) -> None:
    """Write all of it; a disk that is nearly full takes a part first and refuses the rest."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _unwritable(error: OSError | ValueError, path: Path) -> ReportWriteError:
    cures = {**{number: cure.format("folder") for number, cure in _CURES.items()}, **_CURES_OF_FOLDERS}
    what, cure = _told(error, cures, "name another folder")
    return ReportWriteError(f"the report cannot be written: {what}", str(path), cure)


def _no_file(error: OSError | ValueError, path: Path) -> ReportWriteError:
    cures = {**{number: cure.format("file") for number, cure in _CURES.items()}, **_CURES_OF_FILES}
    what, cure = _told(error, cures, "name another file")
    return ReportWriteError(f"this file cannot be written: {what}", str(path), cure)


def _told(error: OSError | ValueError, cures: Mapping[int, str], other: str) -> tuple[str, str]:
    """Return what went wrong, and what to do."""
    number = error.errno if isinstance(error, OSError) else None
    return os.strerror(number) if number is not None else str(error), cures.get(number or 0, other)
