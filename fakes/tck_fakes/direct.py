"""A CLI that is started without a container: it sees the host, and writes where the real one would.

What a script says of the agent is written in container paths; here the working directory stands for `/workspace` and
the caller's home for `/home/agent`. Nothing but these two, and the folders that the CLIs' own variables name, can be
written: a script must not reach the rest of the machine.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tck_driver.bench import Act, Link, Script, Write
from tck_driver.witness import Mount
from tck_fakes.view import ContainerView
from tck_simulator.ports import ContainerRequest

#: The whole host, as the record of such a process shows it.
HOST = Mount("/", "/")

#: Where the CLIs are told to keep their sessions elsewhere; a value that names a file stands for its folder.
_FOLDERS = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME")
_FILES = ("OPENCODE_DB",)


def host_view(
    request: ContainerRequest, home: str, scratch: Path, owner: tuple[int, int] | None = None
) -> ContainerView:
    """Give the host's file system as the stand-in may use it.

    Where its caller is another user than the kit, everything is made for that `owner`, and only where he may write.
    """
    environment = dict(request.environment)
    writable = [home, request.workdir, *(environment.get(name, "") for name in _FOLDERS)]
    writable += [os.path.dirname(environment.get(name, "")) for name in _FILES]  # noqa: PTH120 -- "" stays ""
    roots = {_standing(path) for path in writable if path.startswith("/")} - {"/"}
    roots = {root for root in roots if owner is None or _may_write(root, owner)}
    mounts = [Mount("/", "/", read_only=True), *(Mount(root, root) for root in sorted(roots))]
    return ContainerView(mounts, home, scratch, owner)


def other_user(user: str) -> tuple[int, int] | None:
    """Give the user and group of a caller on whose behalf files are made by a kit that is root; None for itself."""
    number, _, group = user.partition(":")
    if os.geteuid() != 0 or not (number.isdecimal() and group.isdecimal()) or int(number) == 0:
        return None
    return int(number), int(group)


def _may_write(folder: str, owner: tuple[int, int]) -> bool:
    """Tell whether a user may write in a folder: nobody gets the kit to write where he could not."""
    there = Path(folder).stat()
    user, group = owner
    if there.st_uid == user:
        return bool(there.st_mode & stat.S_IWUSR)
    return bool(there.st_mode & (stat.S_IWGRP if there.st_gid == group else stat.S_IWOTH))


def _standing(path: str) -> str:
    """Give the nearest folder at or above a path that is there, links followed."""
    real = Path(os.path.realpath(path))
    return str(next(folder for folder in (real, *real.parents) if folder.is_dir()))


def moved(script: Script, request: ContainerRequest, home: str) -> Script:
    """Give a script whose container paths are those of the host."""
    places = {"/workspace": request.workdir, "/home/agent": home}
    return replace(script, acts=tuple(_moved(act, places) for act in script.acts))


def _moved(act: Act, places: Mapping[str, str]) -> Act:
    match act:
        case Write(path, text):
            return Write(_place(path, places), text)
        case Link(path, target):
            return Link(_place(path, places), _place(target, places))


def _place(path: str, places: Mapping[str, str]) -> str:
    for place, real in places.items():
        if path == place or path.startswith(f"{place}/"):
            return real.rstrip("/") + path.removeprefix(place)
    return path
