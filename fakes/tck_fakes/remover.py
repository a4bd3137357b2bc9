"""Removal that fails where a scenario says so, as it does for files that a container left to another user."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from tck_simulator.ports import Remover


def _where(path: Path) -> Path:
    """Give where a path really lies; its own last part may be a link, which is removed and not followed."""
    return Path(os.path.realpath(path.parent)) / path.name


class ProtectingRemover:
    """Implements `Remover` over another one, except for protected paths and whatever lies above or below them."""

    def __init__(self, inner: Remover) -> None:
        self._inner = inner
        self._protected: set[Path] = set()

    def protect(self, path: Path) -> None:
        """Make removing it fail from now on."""
        self._protected.add(_where(path))

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        self._protected.discard(_where(path))

    def check(self, path: Path) -> None:
        """Raise `PermissionError` where protection stands in the way of removing a path."""
        here = _where(path)
        for there in self._protected:
            if here.is_relative_to(there) or there.is_relative_to(here):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    def remove(self, path: Path) -> None:
        """Remove a tree. Raises `PermissionError` where protection stands in the way, and what the inner one raises."""
        self.check(path)
        self._inner.remove(path)
