"""A folder and a user for whom file modes count, which they do not for root."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """Give a folder of one's own, as a user who is not root; afterwards be who one was."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    root = os.geteuid() == 0  # pytest's own folders are closed to other users
    if root:
        os.chown(folder, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(folder, ignore_errors=True)
