"""What lies in state directories, as far as a run's beginning depends on it (§16.5.3)."""

from __future__ import annotations

import os
from pathlib import Path

#: How many entries the engine looks at.
_MOST_ENTRIES = 10_000


def holds_something(folder: Path) -> bool:
    """Say whether a state directory holds something: any regular file, links not followed."""
    place = str(folder)
    if os.path.islink(place) or os.path.islink(os.path.dirname(place)):  # noqa: PTH114, PTH120 -- after every event
        return False
    pending, looked_at = [place], 0
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue
        for entry in entries:
            looked_at += 1
            if looked_at > _MOST_ENTRIES:
                return False
            if entry.is_file(follow_symlinks=False):
                return True
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
    return False


def wordless_sessions(folder: Path | None) -> set[str]:
    """Give the sessions of copilot whose description was overwritten: resumed, it ends with 1 and without a word.

    By the second table of §16.5.4 that is no refusal, which nothing but what was done to the files can tell.
    """
    if folder is None or folder.is_symlink() or not folder.is_dir():
        return set()
    found = set[str]()
    for place in folder.iterdir():
        description = place / "workspace.yaml"
        if description.is_file() and description.read_bytes()[:1] == b"\0":
            found.add(place.name)
    return found
