"""Which files of a folder are reports to be read.

Every `*.json` below the folder is one, under whatever name and however deep. Left aside are only

- files that the kit itself writes under these names beside a report or over several of them (`NO_REPORTS`),
- what is hidden, that is named with a dot first,
- a site that the matrix was written to, and
- links to what is read in its own place anyway.

Whatever else is named `*.json` and is no report is an error, so that no result is missing because of a slip.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tck_reports.errors import ReportReadError
from tck_reports.files import CANONICAL, FORMATS
from tck_reports.matrix.publishing import MARKER
from tck_reports.plain import visible

#: Files of JSON that the kit writes and that are no reports.
NO_REPORTS: Final = frozenset(
    {
        "badge.json",
        "campaign.json",
        "ctrf-report.json",
        "ctrf.json",
        "kill-matrix.json",
        *(name for name in FORMATS if name.endswith(".json") and name != CANONICAL),
    }
)
#: Deeper folders are a mistake, or a trap.
MAX_DEPTH: Final = 64
_OTHER_FOLDER: Final = "name the folder that the reports were committed to"


@dataclass(frozen=True, slots=True)
class Source:
    """One file: where it is, and what it is called below the folder, with `/` and without invisible characters."""

    path: str
    name: str


def found(folder: Path) -> tuple[Source, ...]:
    """Return the files that have to be reports, by name; ReportReadError where the folder cannot be walked through."""
    try:
        root = folder.resolve(strict=True)
        if not root.is_dir():
            raise ReportReadError("is not a folder", str(folder), _OTHER_FOLDER)
        return tuple(sorted(_walked(root, "", root, {root}, 0), key=lambda one: one.name))
    except RecursionError as error:
        raise ReportReadError("is too deep", str(folder), _OTHER_FOLDER) from error
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links, in Python 3.11
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        where = error.filename if isinstance(error, OSError) and isinstance(error.filename, str) else str(folder)
        raise ReportReadError(f"cannot be read: {why}", where, _OTHER_FOLDER) from error


def _walked(here: Path, below: str, root: Path, seen: set[Path], depth: int) -> Iterator[Source]:
    if depth > MAX_DEPTH:
        raise ReportReadError(f"is deeper than {MAX_DEPTH} folders", str(here), _OTHER_FOLDER)
    with os.scandir(here) as entries:
        listed = sorted(entries, key=lambda one: one.name)
    if any(one.name == MARKER for one in listed):
        return
    for one in listed:
        if one.name.startswith("."):
            continue
        path, name = here / one.name, f"{below}{one.name}"
        if one.is_symlink():
            target = _target(path)
            if target is not None:
                if target in seen or target.is_relative_to(root):
                    continue
                seen.add(target)
        if path.is_dir():  # of an entry it would be an error where links go round
            yield from _walked(path, f"{name}/", root, seen, depth + 1)
        elif one.name.lower().endswith(".json") and one.name.lower() not in NO_REPORTS:
            yield Source(str(path), _shown(name))


def _shown(name: str) -> str:
    """Return a name on one line, with everything that nobody would see spelled out."""
    text = visible(name.encode("utf-8", "backslashreplace").decode("utf-8"))
    return text.replace("\n", "\\n").replace("\t", "\\t")


def _target(link: Path) -> Path | None:
    """Return what a link leads to in the end, null where that is nothing: reading it will say so."""
    try:
        return link.resolve(strict=True)
    except (OSError, RuntimeError):
        return None


def content(source: Source, limit: int) -> bytes:
    """Return what is in a file; ReportReadError where it is not a file of at most this many bytes."""
    cure = "name the report.json of a run, or take it out of the folder"
    try:
        descriptor = os.open(source.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ReportReadError("is not a file", source.name, cure)
            if status.st_size > limit:
                raise ReportReadError(f"is larger than {limit // 1024 // 1024} MiB", source.name, cure)
            return file.read(status.st_size)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReportReadError(f"cannot be read: {why}", source.name, cure) from error
