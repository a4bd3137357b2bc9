"""What `--volume`, `--mount` and `--tmpfs` ask for, read as the docker command and its daemon read them."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass

from tck_driver.witness import Mount
from tck_fakes.programs.flags import TRUTH, Words

#: Modes of `--volume`; but for `ro` they say how a mount is shared or labelled, and nothing of what is mounted.
_MODES = frozenset(
    "ro rw z Z nocopy consistent cached delegated private rprivate shared rshared slave rslave".split()  # noqa: SIM905
)
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
    """What is mounted cannot be, in docker's words. `daemon`: it says so itself, not the flag's reader."""

    def __init__(self, text: str, *, daemon: bool = False, unknown: bool = False) -> None:
        super().__init__(text)
        self.daemon = daemon
        #: Docker would take it, and the stand-in does not.
        self.unknown = unknown


@dataclass(frozen=True, slots=True)
class Asked:
    """What is mounted: host folders, and folders that begin empty and end with the container."""

    binds: tuple[Mount, ...] = ()
    empty: tuple[tuple[str, str], ...] = ()
    #: Host folders that docker makes where they are missing; `--mount` never does.
    made: tuple[str, ...] = ()


def read_mounts(words: Words, cwd: str) -> Asked:
    """Give what the options ask to be mounted. Raises `MountError`."""
    binds: list[Mount] = []
    empty: list[tuple[str, str]] = []
    made: list[str] = []
    for name, value in words.given:
        if name == "volume":
            volume = _volume(value, cwd)
            if volume is None:
                empty.append(("volume", value))
            else:
                binds.append(volume)
                made.append(volume.source)
        elif name == "mount":
            fields = dict(_fields(value))
            kind, target = fields.get("type", "volume"), _target(fields["target"], bind=True)
            if kind == "bind":
                binds.append(Mount(_source(fields, cwd), target, TRUTH[fields.get("readonly", "false")]))
            elif kind == "tmpfs" or (kind == "volume" and "source" not in fields):
                empty.append((kind, target))
            else:
                raise MountError(f"--mount of type {kind} ({value})", unknown=True)
        elif name == "tmpfs":
            _target(value.partition(":")[0], bind=False)
            empty.append(("tmpfs", value))
    _refuse_shared(binds, empty)
    return Asked(tuple(binds), tuple(empty), tuple(made))


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


def _source(fields: dict[str, str], cwd: str) -> str:
    source = fields["source"]
    if source == "." or source.startswith(("./", "../")):
        source = os.path.normpath(f"{cwd}/{source}")
    if not source.startswith("/"):
        raise MountError(
            f"invalid mount config for type \"bind\": invalid mount path: '{source}' mount path must be absolute",
            daemon=True,
        )
    return source


def _volume(value: str, cwd: str) -> Mount | None:
    """Read `--volume`; None where it names no source, and so asks for a folder that begins empty."""
    parts = value.split(":")
    if len(parts) == 1:
        _target(value, bind=False)
        return None
    source, target, mode = parts[0], parts[1], parts[2:]
    if len(parts) > 3 or not source or not target:  # noqa: PLR2004 -- source, target, mode
        raise MountError(f"invalid volume specification: '{value}'", daemon=True)
    words = mode[0].split(",") if mode else []
    if not _MODES.issuperset(words):
        raise MountError(f"invalid mode: {mode[0]}", daemon=True)
    if source == "." or source.startswith(("./", "../")):
        source = os.path.normpath(f"{cwd}/{source}")
    if not source.startswith("/"):
        raise MountError(f"the named volume {source} (--volume {value})", unknown=True)
    return Mount(source, _target(target, bind=True), "ro" in words)


def _target(target: str, *, bind: bool) -> str:
    if not target.startswith("/"):
        what = f"invalid mount path: '{target}' mount path must be absolute"
        raise MountError(f'invalid mount config for type "bind": {what}' if bind else what, daemon=True)
    if os.path.normpath(target) in ("/", "//"):
        raise MountError(f"invalid specification: destination can't be '/': {target}", daemon=True)
    return target


def _refuse_shared(binds: list[Mount], empty: list[tuple[str, str]]) -> None:
    """Refuse an empty folder in the place of another mount; two host folders in one place the runtime refuses."""
    seen = [os.path.normpath(bind.target) for bind in binds]
    for _, value in empty:
        target = value.partition(":")[0]
        if os.path.normpath(target) in seen:
            raise MountError(f"Duplicate mount point: {target}", daemon=True)
        seen.append(os.path.normpath(target))
