"""What `--volume`, `--mount` and `--tmpfs` ask for, read as the docker command reads it; the rest is its daemon's."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator

from tck_fakes.daemon.mounts import Asked, Asking
from tck_fakes.programs.flags import TRUTH, Words

#: Keys of `--mount` → their one spelling.
_KEYS = {
    "type": "type",
    "source": "source",
    "src": "source",
    "target": "target",
    "dst": "target",
    "destination": "target",
    "readonly": "readonly",
    "ro": "readonly",
}
#: Keys of `--mount` that change nothing that a stand-in could show.
_BESIDE = ("consistency", "bind-propagation", "bind-nonrecursive", "bind-recursive", "tmpfs-size", "tmpfs-mode")


class MountError(Exception):
    """The reader of `--mount` refuses a value, in its own words."""


def read_mounts(words: Words, cwd: str) -> Asked:
    """Give what the options ask to be mounted. Raises `MountError`, `DaemonError` and `UnknownError`."""
    asking = Asking()
    for name, value in words.given:
        if name == "volume":
            asking.volume(_placed(value, cwd) if ":" in value else value)
        elif name == "mount":
            fields = dict(_fields(value))
            kind, source = fields.get("type", "volume"), fields.get("source")
            source = _placed(source, cwd) if kind == "bind" and source else source
            read_only = TRUTH[fields.get("readonly", "false")]
            asking.mount(kind, source, fields["target"], read_only=read_only, said=value)
        elif name == "tmpfs":
            asking.tmpfs(value)
    return asking.asked()


def _placed(source: str, cwd: str) -> str:
    """Give a source, alone or with what follows it, whose folder the caller may have given from where it stands."""
    here, colon, rest = source.partition(":")
    if here == "." or here.startswith(("./", "../")):
        here = os.path.normpath(f"{cwd}/{here}")
    return f"{here}{colon}{rest}"


def mount_fault(value: str) -> str | None:
    """Give what the reader of `--mount` says against a value, None where nothing."""
    try:
        fields = dict(_fields(value))
    except MountError as error:
        return str(error)
    if "target" not in fields:
        return "target is required"
    if fields.get("type") == "bind" and "source" not in fields:
        return "source is required"
    return None


def _fields(value: str) -> Iterator[tuple[str, str]]:
    try:
        fields = next(csv.reader([value], strict=True), list[str]())
    except csv.Error:
        raise MountError(
            f'parse error on line 1, column {len(value)}: extraneous or missing " in quoted-field'
        ) from None
    if not fields:
        raise MountError("value is empty")
    for field in fields:
        name, given, text = field.partition("=")
        key = _KEYS.get(name.lower())
        if key == "readonly" and not given:
            text = "true"
        elif not given:
            raise MountError(f"invalid field '{field}' must be a key=value pair")
        if key == "readonly" and text not in TRUTH:
            raise MountError(f"invalid value for {name}: {text}")
        if key is None and name.lower() not in _BESIDE and not name.lower().startswith("volume-"):
            raise MountError(f"unexpected key '{name}' in '{field}'")
        if key is not None:
            yield key, text
