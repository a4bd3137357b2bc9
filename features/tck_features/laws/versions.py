"""Versions of CLIs: how one is found in what a version command prints, and which of two is older (§16.6)."""

from __future__ import annotations

import re

_VERSION = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)(?:-([0-9A-Za-z.-]+))?", re.ASCII)
_LOOKED_AT = 64 * 1024

#: A version by its numbers; a pre-release comes before its release, and among its like by its parts (SemVer 2.0.0).
Version = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def version_in(text: str) -> Version | None:
    """Give the version that a command's output tells, None where it tells none."""
    found = _VERSION.search(text[:_LOOKED_AT])
    if found is None:
        return None
    before = (found[4] or "").rstrip(".")
    parts = tuple(_part(part) for part in before.split(".")) if before else ()
    return int(found[1]), int(found[2]), int(found[3]), not before, parts


def _part(part: str) -> tuple[bool, int, str]:
    return (False, int(part), "") if part.isdecimal() else (True, 0, part)
