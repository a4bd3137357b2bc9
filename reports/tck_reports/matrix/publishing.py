"""Putting a site in the place of the former one: built beside it, then exchanged with it.

Until the very last step nothing of the former site is touched, so a full disk or an interruption leaves it whole. That
step is one call of the kernel where it has one, and otherwise two renames of which the first is taken back where the
second fails.
"""

import ctypes
import errno
import os
import re
import secrets
import shutil
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Final

from tck_reports.errors import ReportWriteError
from tck_reports.folder_lock import locked

#: Says that a folder is a site, that nothing in it is a report, and which files were written: those may be replaced.
MARKER: Final = ".session-tck-site"
_SAID: Final = "Made by `session-tck matrix`, which replaces these files:"
#: What a desktop leaves in every folder that somebody looks into.
_LITTER: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
#: So many files of somebody else's are named.
_MOST_NAMED: Final = 3
#: Of renameat2(2): both names stay, each with what the other had.
_EXCHANGE: Final = 2
_AT_FDCWD: Final = -100
_ROOM: Final = "free some space, or name a folder on another disk"
_RIGHTS: Final = "name a folder that you may write, or change its permissions"
_CURES: Final = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "name a folder on a disk that takes larger files",
    errno.EROFS: "name a folder on a disk that can be written",
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EBUSY: "something is mounted there: name a folder below it",
    errno.EXDEV: "something is mounted there: name a folder below it",
    errno.EEXIST: "name a folder; a file stands in its way",
    errno.ENOTDIR: "name a folder; a file stands in its way",
    errno.ENAMETOOLONG: "name a folder with a shorter path",
}


@contextmanager
def replacing(folder: Path) -> Generator[Path]:
    """Give an empty folder, and put it in the place of this one when all went well; ReportWriteError where it cannot.

    The place is free, an empty folder, or a site that was made so before and holds nothing else: a checkout's `.git`
    would go with the folder. Two at once are an error of the second one.
    """
    try:
        place = Path(os.path.realpath(folder))
    except (OSError, ValueError) as error:
        raise _unwritable(error, folder) from error
    if place == place.parent:
        raise ReportWriteError("is no place for a site", str(folder), "name a folder of its own")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # The folder is swapped for another, so the lock is beside it.
        with locked(place, place.with_name(f".{place.name}.lock")):
            _free(place, folder)
            _sweep(place)
            beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.new")
            try:
                beside.mkdir()
                _mark(beside)
                yield beside
                _mark(beside)
                if place.exists():
                    shutil.copymode(place, beside)
                _exchange(beside, place)
            finally:
                shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise _unwritable(error, folder) from error


def write(files: Iterable[tuple[str, bytes]], folder: Path) -> int:
    """Write files by their paths below the folder, with `/`; return how many. A path that leads out is an error."""
    made = {folder}
    count = 0
    for path, content in files:
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts:
            raise ValueError(f"{path!r} is no path below a site")
        target = folder.joinpath(*parts)
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        with target.open("xb", buffering=0) as file:
            rest = memoryview(content)
            while rest:  # a disk that is nearly full takes a part first and refuses the rest
                rest = rest[file.write(rest) :]
        count += 1
    return count


def _free(place: Path, folder: Path) -> None:
    """Make sure that nothing of anybody's is replaced."""
    if place.is_dir():
        if not any(place.iterdir()):
            return
        if not (place / MARKER).is_file():
            raise ReportWriteError(
                "holds files that are no site of session-tck", str(folder), "name a folder of its own, or empty it"
            )
        if foreign := _foreign(place):
            named = ", ".join(foreign[:_MOST_NAMED])
            more = f" and {len(foreign) - _MOST_NAMED} more" if len(foreign) > _MOST_NAMED else ""
            raise ReportWriteError(
                f"holds what this command did not write, and would take away: {named}{more}",
                str(folder),
                "make the site in a folder of its own, and copy it here; or move these away",
            )
    elif os.path.lexists(place):
        raise ReportWriteError("is not a folder", str(folder), "name a folder; a file stands in its way")


def _mark(site: Path) -> None:
    """Say that this is a site, and what is in it."""
    (site / MARKER).write_text("\n".join((_SAID, *sorted(_files(site) - {MARKER}), "")), encoding="utf-8")


def _files(folder: Path) -> set[str]:
    """Return the paths of all files below a folder, with `/`; a link is one, whatever it leads to."""
    found: set[str] = set()
    for top, folders, names in os.walk(folder):
        links = [one for one in folders if Path(top, one).is_symlink()]
        found.update(Path(top, one).relative_to(folder).as_posix() for one in (*names, *links))
    return found


def _foreign(site: Path) -> list[str]:
    """Return what lies in a site and was not written with it; of a folder that has nothing else, its name."""
    written = {MARKER, *(site / MARKER).read_text(encoding="utf-8", errors="replace").splitlines()[1:]}
    ours = {parent.as_posix() for one in written for parent in PurePosixPath(one).parents}
    others = (PurePosixPath(one) for one in _files(site) - written)
    return sorted(
        {
            next((f"{one.as_posix()}/" for one in reversed(path.parents) if one.as_posix() not in ours), str(path))
            for path in others
            if path.name not in _LITTER
        }
    )


def _sweep(place: Path) -> None:
    """Remove what killed writers left beside the place; a site that was moved away and not replaced comes back."""
    ours = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{8}}\.(new|old)\Z")
    for left in sorted(place.parent.iterdir()):
        match = ours.match(left.name)
        if match is None:
            continue
        if match[1] == "old" and not os.path.lexists(place) and (left / MARKER).is_file():
            left.rename(place)
        else:
            shutil.rmtree(left, ignore_errors=True)


def _exchange(beside: Path, place: Path) -> None:
    """Let the new folder take the place; what was there is then under the other name, or gone."""
    if not place.exists():
        beside.rename(place)
        return
    if _swapped(beside, place):
        return
    old = place.with_name(f".{place.name}.{secrets.token_hex(4)}.old")
    place.rename(old)
    try:
        beside.rename(place)
    except BaseException:
        with suppress(OSError):
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _swapped(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; false where this system has no such step."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    rename.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in {errno.EINVAL, errno.ENOSYS, errno.EPERM}:  # a file system, or a sandbox, without it
        return False
    raise OSError(number, os.strerror(number), str(other))


def _unwritable(error: OSError | ValueError, folder: Path) -> ReportWriteError:
    number = error.errno if isinstance(error, OSError) else None
    what = os.strerror(number) if number is not None else str(error)
    return ReportWriteError(
        f"the site cannot be written: {what}", str(folder), _CURES.get(number or 0, "name another folder")
    )
