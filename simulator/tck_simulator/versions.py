"""Versions of agent CLIs, compared as their publishers mean them.

Specification: CAPABILITY-2, CAPABILITY-5, §16.6. A pre-release is older than its release.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?")


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """Three numbers, and whether it is a release; ordered, pre-releases first and among themselves by their text."""

    major: int
    minor: int
    patch: int
    release: bool = True
    suffix: str = ""

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Read `1.2.3` or `1.2.3-rc.1`; None for anything else."""
        found = _VERSION.fullmatch(text)
        if found is None:
            return None
        suffix = found[4] or ""
        return cls(int(found[1]), int(found[2]), int(found[3]), not suffix, suffix)

    def __str__(self) -> str:
        """Give it as it was written, without build metadata."""
        return f"{self.major}.{self.minor}.{self.patch}{self.suffix}"
