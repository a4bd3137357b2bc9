"""What is to be mounted in a container, read and refused as docker's daemon does."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from tck_driver.witness import Mount
from tck_fakes.daemon.errors import DaemonError, UnknownError

#: Modes of a volume; but for `ro` they say how a mount is shared or labelled, and nothing of what is mounted.
_MODES = frozenset(
    "ro rw z Z nocopy consistent cached delegated private rprivate shared rshared slave rslave".split()  # noqa: SIM905
)
_KINDS = ("bind", "volume", "tmpfs", "npipe", "cluster", "image")
_INVALID, _BROKEN = 400, 500


@dataclass(frozen=True, slots=True)
class Asked:
    """What is mounted: host folders, and folders that begin empty and end with the container."""

    binds: tuple[Mount, ...] = ()
    empty: tuple[tuple[str, str], ...] = ()
    #: Host folders that docker makes where they are missing; a mount of type `bind` never does.
    made: tuple[str, ...] = ()


@dataclass(slots=True)
class Asking:
    """Takes in what is to be mounted, one by one. Each may raise `DaemonError` or `UnknownError`."""

    binds: list[Mount] = field(default_factory=list[Mount])
    empty: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    made: list[str] = field(default_factory=list[str])

    def volume(self, value: str) -> None:
        """Take what `--volume` says; one that names no source is a folder that begins empty."""
        parts = value.split(":")
        if len(parts) == 1:
            self.anonymous(value)
            return
        source, target, mode = parts[0], parts[1], parts[2:]
        if len(parts) > 3 or not source or not target:  # noqa: PLR2004 -- source, target, mode
            raise DaemonError(_BROKEN, f"invalid volume specification: '{value}'")
        words = mode[0].split(",") if mode else []
        if not _MODES.issuperset(words):
            raise DaemonError(_BROKEN, f"invalid mode: {mode[0]}")
        if source.startswith("."):
            raise DaemonError(
                _INVALID,
                f'create {source}: "{source}" includes invalid characters for a local volume name, only '
                '"[a-zA-Z0-9][a-zA-Z0-9_.-]" are allowed. If you intended to pass a host directory, use absolute path',
            )
        if not source.startswith("/"):
            raise UnknownError(f"the named volume {source} (--volume {value})")
        try:
            self.binds.append(Mount(source, _target(target, "bind"), "ro" in words))
        except DaemonError as error:
            raise DaemonError(_BROKEN, f"invalid volume specification: '{value}': {error}") from None
        self.made.append(source)

    def anonymous(self, target: str) -> None:
        """Take a volume without a name."""
        self.empty.append(("volume", _target(target)))

    def mount(self, kind: str, source: str | None, target: str, *, read_only: bool, said: str) -> None:
        """Take what `--mount` says; `said` is how it was said."""
        if kind not in _KINDS:
            raise DaemonError(_INVALID, f'invalid mount config for type "{kind}": mount type unknown')
        target = _target(target, kind)
        if kind == "bind":
            if not source:
                raise DaemonError(_INVALID, 'invalid mount config for type "bind": field Source must not be empty')
            if not source.startswith("/"):
                what = f"invalid mount path: '{source}' mount path must be absolute"
                raise DaemonError(_INVALID, f'invalid mount config for type "bind": {what}')
            self.binds.append(Mount(source, target, read_only))
        elif kind == "tmpfs" and source:
            raise DaemonError(_INVALID, 'invalid mount config for type "tmpfs": field Source must not be specified')
        elif kind == "tmpfs" or (kind == "volume" and not source):
            self.empty.append((kind, target))
        else:
            raise UnknownError(f"a mount of type {kind} ({said})")

    def tmpfs(self, value: str) -> None:
        """Take what `--tmpfs` says."""
        _target(value.partition(":")[0])
        self.empty.append(("tmpfs", value))

    def holds(self, target: str) -> bool:
        """Tell whether something is mounted there already."""
        there = (*(bind.target for bind in self.binds), *(value.partition(":")[0] for _, value in self.empty))
        return os.path.normpath(target) in map(os.path.normpath, there)

    def asked(self) -> Asked:
        """Give all of it; two host folders in one place the runtime refuses."""
        seen = [os.path.normpath(bind.target) for bind in self.binds]
        for _, value in self.empty:
            target = value.partition(":")[0]
            if os.path.normpath(target) in seen:
                raise DaemonError(_INVALID, f"Duplicate mount point: {target}")
            seen.append(os.path.normpath(target))
        return Asked(tuple(self.binds), tuple(self.empty), tuple(self.made))


def _target(target: str, kind: str = "") -> str:
    where = f'invalid mount config for type "{kind}": ' if kind else ""
    if not target.startswith("/"):
        raise DaemonError(_INVALID, f"{where}invalid mount path: '{target}' mount path must be absolute")
    if os.path.normpath(target) in ("/", "//"):
        raise DaemonError(_INVALID, f"{where}invalid specification: destination can't be '/'")
    return target
