"""Where things lie on the host.

Specification: §3.4, ISOLATE-1, ISOLATE-8, ISOLATE-9, ISOLATE-11. A state directory outlives runs, lies outside every
worktree and belongs to one mailbox and one adapter.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path

from tck_driver.vocabulary import AdapterId, MailboxRef

_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_UNSAFE = re.compile(r"^\.|[^A-Za-z0-9._-]")
_LONGEST_NAME = 200
#: How many digits of the digest tell two mailboxes apart, more where fewer do not (§3.4).
_DIGITS = (8, 16, 32, 64)
#: How many entries of a state directory are looked at (§16.5.3).
_MOST_ENTRIES = 10_000
_OWNER_ONLY = 0o700

#: The regular files below a state directory, by path: size in bytes, and time of the last change in nanoseconds.
Fingerprint = Mapping[str, tuple[int, int]]


class StateOnDisk(Enum):
    """What a state directory holds before a run."""

    PRESENT = "present"
    EMPTY = "empty"
    MISSING = "missing"


def directory_names(mailbox: MailboxRef) -> tuple[str, ...]:
    """Give the names that a mailbox's session directory may have, the first that is free being the one (ISOLATE-8).

    The plain `{organization}-{project}-issue-{iid}` comes first where it is fit for a path (ISOLATE-1).
    """
    plain = f"{mailbox.organization}-{mailbox.project}-issue-{mailbox.iid}"
    address = "\0".join((mailbox.organization, mailbox.project, str(mailbox.iid)))
    digest = hashlib.sha256(address.encode("utf-8", "surrogatepass")).hexdigest()
    safe = _UNSAFE.sub("_", plain)[:_LONGEST_NAME]
    told_apart = tuple(f"{safe}~{digest[:digits]}" for digits in _DIGITS)
    fit = _PLAIN.fullmatch(plain) is not None and len(plain) <= _LONGEST_NAME
    return (plain, *told_apart) if fit else told_apart


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders below `{base}`."""

    base: Path

    @property
    def sessions(self) -> Path:
        """`{base}/.agent-sessions`, which holds one directory per mailbox."""
        return self.base / ".agent-sessions"

    @property
    def worktrees(self) -> Path:
        """`{base}/.worktrees`, which holds one directory per run."""
        return self.base / ".worktrees"

    def state(self, session_dir: str, adapter: AdapterId) -> Path:
        """Give the state directory of one mailbox and adapter."""
        return self.sessions / session_dir / adapter

    def worktree(self, mailbox: MailboxRef, run: str) -> Path:
        """Give the worktree of one run."""
        target = f"{'issue' if mailbox.kind == 'issue' else 'mr'}-{mailbox.iid}"
        name = _UNSAFE.sub("_", f"{mailbox.organization}-{mailbox.project}-{target}")[:_LONGEST_NAME]
        return self.worktrees / f"{name}-{run}"


def _is_real_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def look(state: Path) -> StateOnDisk:
    """Say what a state directory holds. A link anywhere on the way to it counts as missing (ISOLATE-9)."""
    if not all(_is_real_directory(path) for path in (state.parent.parent, state.parent, state)):
        return StateOnDisk.MISSING
    held = any(True for _ in islice(_files(state, ""), 1))
    return StateOnDisk.PRESENT if held else StateOnDisk.EMPTY


def prepare(state: Path) -> None:
    """Make the state directory a real one that its owner alone can read (ISOLATE-9, ISOLATE-11).

    Whatever else stands in its place, a link above all, is taken away; what a link leads to is left alone.
    """
    for path in (state.parent.parent, state.parent, state):
        if not _is_real_directory(path):
            path.unlink(missing_ok=True)
            path.mkdir(mode=_OWNER_ONLY)
        path.chmod(_OWNER_ONLY)


def fingerprint(state: Path) -> Fingerprint | None:
    """Give size and change time of the regular files below a state directory, to see whether a run saved anything.

    Links are neither followed nor counted. None where there are too many files. Specification: RECORD-3, §22.3.
    """
    found = dict(islice(_files(state, "", most=None), _MOST_ENTRIES + 1))
    return None if len(found) > _MOST_ENTRIES else found


def saved(before: Fingerprint | None, after: Fingerprint | None) -> bool:
    """Say whether a file is new or changed; where that cannot be told it counts as saved (RECORD-3)."""
    if before is None or after is None:
        return True
    return any(before.get(name) != found for name, found in after.items())


def top_level(state: Path) -> tuple[str, ...]:
    """Give the names of the regular files that stand directly in a state directory."""
    return tuple(name for name, _ in _files(state, "", deep=False))


def _files(
    folder: Path, prefix: str, *, deep: bool = True, most: int | None = _MOST_ENTRIES
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Walk at most so many entries, never through a link; what cannot be listed counts as empty."""
    seen = 0
    waiting = [(folder, prefix)]
    while waiting:
        here, before = waiting.pop()
        try:
            entries = list(os.scandir(here))
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if most is not None and seen > most:
                return
            name = f"{before}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if deep:
                    waiting.append((Path(entry.path), f"{name}/"))
            elif entry.is_file(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                yield name, (found.st_size, found.st_mtime_ns)


def entries(folder: Path) -> list[Path]:
    """Give what stands directly in a folder, whatever it is; nothing where the folder cannot be listed."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
