"""Versions of agent CLIs, compared as their publishers mean them.

Specification: CAPABILITY-2, CAPABILITY-5, §16.6. A pre-release is older than its release.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?")


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """Three numbers, and whether it is a release; ordered as in SemVer 2.0.0, a pre-release before its release."""

    major: int
    minor: int
    patch: int
    release: bool = True
    suffix: str = field(default="", compare=False)
    precedence: tuple[tuple[bool, int, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Read `1.2.3` or `1.2.3-rc.1`; None for anything else."""
        found = _VERSION.fullmatch(text)
        if found is None:
            return None
        suffix = found[4] or ""
        return cls(int(found[1]), int(found[2]), int(found[3]), not suffix, suffix, _precedence(suffix))

    def __str__(self) -> str:
        """Give it as it was written, without build metadata."""
        return f"{self.major}.{self.minor}.{self.patch}{self.suffix}"


def _precedence(suffix: str) -> tuple[tuple[bool, int, str], ...]:
    """Give what orders two pre-releases: part by part, numbers by value and before words (SemVer 2.0.0, item 11)."""
    parts = suffix.removeprefix("-").split(".") if suffix else []
    return tuple((False, int(part), "") if part.isdecimal() else (True, 0, part) for part in parts)
