"""What the steps of a scenario do to files, told by the interpreter itself (PEP 578).

Steps talk to the disk past every interface of the kit, so this is the one place where their share can be told from the
engine's. A hook cannot be taken away again; with nobody to tell, it costs one look at each event.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Final, cast

#: Is told the path that is written or read, and whether it is written; None stands for one that cannot be told.
Told = Callable[[str | None, bool], None]

_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Events that change what lies at a path: the places of the paths in the event, and of the descriptors they start from.
_CHANGES: Final[dict[str, tuple[tuple[int, int | None], ...]]] = {
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "os.truncate": ((0, None),),
    "shutil.rmtree": ((0, 1),),
}
_LOOKS: Final = frozenset({"os.listdir", "os.scandir"})


class _Watch:
    """Who is told at present."""

    told: Told | None = None
    installed = False


def watch(told: Told | None) -> None:
    """Tell somebody from now on what files are opened, changed and listed; None ends it."""
    if not _Watch.installed:
        sys.addaudithook(_hear)
        _Watch.installed = True
    _Watch.told = told


def _hear(event: str, given: tuple[Any, ...]) -> None:
    told = _Watch.told
    if told is None:
        return
    if event == "open":
        told(_path(given[0], None), bool(given[2] & _WRITING))
    elif event in _CHANGES:
        for at, start in _CHANGES[event]:
            told(_path(given[at], None if start is None or start >= len(given) else given[start]), True)  # noqa: FBT003 -- a callback
    elif event in _LOOKS:
        told(_path(given[0], None), False)  # noqa: FBT003 -- the same


def _path(path: object, start: object) -> str | None:
    """Give a path as text; None where it is a descriptor, or starts from one."""
    if isinstance(start, int) and start >= 0:
        return None
    if not isinstance(path, str | bytes | os.PathLike):
        return None
    text = os.fsdecode(cast("str | bytes", path))
    return text if os.path.isabs(text) else os.path.abspath(text)  # noqa: PTH100, PTH117 -- a hook makes no Path
