"""Putting the formats on disk: all of them rendered first, each written whole or not at all, `report.json` last.

Whoever finds a `report.json` therefore finds the others beside it, and of the same run; an older one is taken away
before the first file changes.
"""

import errno
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tck_reports import html, junit, markdown
from tck_reports.errors import ReportWriteError
from tck_reports.report import encode
from tck_reports.shape import Report

#: The files of a report folder, in the order in which they are written.
FORMATS: Final[Mapping[str, Callable[[Report], str]]] = {
    "report.html": html.render,
    "junit.xml": junit.render,
    "summary.md": markdown.render,
}
CANONICAL: Final = "report.json"

_CURES: Final[Mapping[int, str]] = {
    errno.ENOSPC: "free some space, or name a folder on another disk",
    errno.EDQUOT: "free some space, or name a folder on another disk",
    errno.EFBIG: "name a folder on a disk that takes larger files",
    errno.EROFS: "name a folder on a disk that can be written",
    errno.EACCES: "name a folder that you may write, or change its permissions",
    errno.EPERM: "name a folder that you may write, or change its permissions",
    errno.ENOTDIR: "name a folder; a file stands in its way",
    errno.EEXIST: "name a folder; a file stands in its way",
    errno.EISDIR: "move away the folder that bears the name of a report file",
    errno.ENAMETOOLONG: "name a folder with a shorter path",
}


def prepare(folder: Path) -> None:
    """Find out before a run whether its report can be written at all; ReportWriteError where it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(error, folder) from error
    write_whole(folder / ".writable", b"").unlink(missing_ok=True)


def write_all(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write every format into the folder, made where it does not exist; ReportWriteError where that cannot be done."""
    contents = {name: render(report).encode("utf-8") for name, render in FORMATS.items()} | {CANONICAL: encode(report)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            (folder / CANONICAL).unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(error, folder) from error
    return tuple(write_whole(folder / name, content) for name, content in contents.items())


def write_whole(path: Path, content: bytes) -> Path:
    """Write one file so that it is there wholly or as it was before; ReportWriteError where that cannot be done."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            _write(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        beside.replace(path)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
        raise _unwritable(error, path) from error
    return path


def _write(descriptor: int, content: bytes) -> None:
    """Write all of it; a disk that is nearly full takes a part first and refuses the rest."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _unwritable(error: OSError | ValueError, path: Path) -> ReportWriteError:
    number = error.errno if isinstance(error, OSError) else None
    what = os.strerror(number) if number is not None else str(error)
    return ReportWriteError(
        f"the report cannot be written: {what}", str(path), _CURES.get(number or 0, "name another folder")
    )
