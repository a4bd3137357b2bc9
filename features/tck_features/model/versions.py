"""The version of a CLI: how it is found in what its version command printed, and which is older (§16.6)."""

from __future__ import annotations

import re

from tck_features.model.facts import VERIFIED_FROM

_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?")
_LOOKED_AT = 64 * 1024
#: Sorts after every pre-release.
_RELEASE = ((2, 0, ""),)


def find_version(printed: str) -> str | None:
    """Find the version in the standard output of a version command."""
    found = _VERSION.search(printed[:_LOOKED_AT])
    return None if found is None else found.group().rstrip(".")


def _key(version: str) -> tuple[tuple[int, ...], tuple[tuple[int, int, str], ...]]:
    numbers, _, early = version.partition("-")
    parts = tuple(
        (0, int(part), "") if re.fullmatch("[0-9]+", part) else (1, 0, part) for part in early.split(".") if early
    )
    return tuple(int(number) for number in numbers.split(".")), parts or _RELEASE


def is_older(version: str, than: str) -> bool:
    """Compare as SemVer 2.0.0 does: number by number, a pre-release before its release."""
    return _key(version) < _key(than)


def is_verified(adapter: str, version: str | None) -> bool:
    """Say whether an installed version is verified to resume without interaction (CAPABILITY-2)."""
    needed = VERIFIED_FROM.get(adapter)
    return needed is not None and version is not None and not is_older(version, needed)


def is_bad(adapter: str, installed: str | None, recorded: str | None) -> bool:
    """Say whether a version is "bad" in the sense of §16.5.3 for a row on which another one is recorded."""
    if not is_verified(adapter, installed) or installed is None:
        return True
    return recorded is not None and is_older(installed, recorded)
