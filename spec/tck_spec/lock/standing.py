"""Standing: how a document stands to the lock that belongs to it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from tck_spec.lock.file import beside, read_strictly
from tck_spec.lock.reading import Edited, LockFault
from tck_spec.lock.updating import Update, update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_spec.lock.records import Lock
    from tck_spec.settings import Settings
    from tck_spec.specification import Specification
    from tck_spec.statements import Statement

__all__ = ["Standing", "document_of", "lock_path", "source_of", "standing_at", "standing_of"]

#: How many locks are kept.
_KEPT: Final = 8
#: The first line of a lock is no longer than this.
_HEADER: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Standing:
    """A document and its lock."""

    path: Path
    #: None where the file cannot be used; then `fault` says why.
    lock: Lock | None = None
    update: Update | None = None
    edited: tuple[Edited, ...] = ()
    fault: LockFault | None = None


def source_of(document: Path, lock: Path) -> str:
    """Return how a lock names its document: relative to its own folder, with slashes."""
    try:
        relative = os.path.relpath(document.absolute(), lock.absolute().parent)
    except ValueError:  # pragma: no cover - another drive of Windows
        return document.as_posix()
    return relative.replace(os.sep, "/")


def document_of(lock: Path) -> str | None:
    """Return how a lock names its document; None where it cannot be read."""
    try:
        with lock.open("rb") as file:
            header = cast("object", json.loads(file.readline(_HEADER)))
    except (OSError, ValueError, RecursionError):
        return None
    source = cast("dict[str, object]", header).get("source") if isinstance(header, dict) else None
    return source if isinstance(source, str) else None


def lock_path(source: str, settings: Settings, *, only: bool = True) -> Path | None:
    """Return the lock of a document: the one of the settings if it is this one's, or the one beside the document.

    `only` says that the document is the only one, or stands for all: to it belongs a lock of the settings that is not
    there, or that nobody can read.
    """
    document = Path(source)
    with suppress(OSError, ValueError):
        near = beside(document)
        if settings.lock is not None:
            named = document_of(settings.lock)
            if only if named is None else named == source_of(document, settings.lock):
                return settings.lock
        return near if near.is_file() else None
    return None


def standing_of(
    spec: Specification, statements: Sequence[Statement], settings: Settings, *, only: bool = True
) -> Standing | None:
    """Hold a document against its lock; None where it has none."""
    path = lock_path(spec.source, settings, only=only)
    return None if path is None else standing_at(path, spec, statements)


def standing_at(path: Path, spec: Specification, statements: Sequence[Statement]) -> Standing:
    """Hold a document against a lock."""
    try:
        lock, edited = _read(path, *_state(path))
    except LockFault as fault:
        return Standing(path, fault=fault)
    return Standing(path, lock, update(lock, spec, statements), edited)


def _state(path: Path) -> tuple[int, int]:
    """Return what changes whenever a file is written."""
    with suppress(OSError):
        status = path.stat()
        return status.st_mtime_ns, status.st_size
    return 0, 0


@lru_cache(_KEPT)
def _read(path: Path, _time: int, _size: int) -> tuple[Lock, tuple[Edited, ...]]:
    """Read a lock once, for as long as nobody writes it: an editor asks for it at every key."""
    return read_strictly(path)
