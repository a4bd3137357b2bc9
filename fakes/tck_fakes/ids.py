"""Session and container ids in the forms of the real programs, from a seed.

Two runs with one seed give the same ids; forms as measured: claude and copilot UUID v4, codex UUID v7, opencode `ses_`
with 12 hexadecimal digits and 14 of base 62.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CLOCK_48_BITS = 1 << 48


def _dashed(value: int) -> str:
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _stamped(value: int, version: int) -> str:
    value &= ~(0xF << 76) & ~(0x3 << 62)
    return _dashed(value | version << 76 | 0x2 << 62)


@dataclass(frozen=True, slots=True)
class Ids:
    """A source of ids; nothing of it is secret, all of it is reproducible."""

    source: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - reproducible on purpose

    def v4(self) -> str:
        """Give a random UUID, version 4."""
        return _stamped(self.source.getrandbits(128), 4)

    def v7(self, now: datetime) -> str:
        """Give a UUID, version 7, of this moment."""
        milliseconds = int(now.timestamp() * 1000) % _CLOCK_48_BITS
        return _stamped(milliseconds << 80 | self.source.getrandbits(80), 7)

    def ses(self, now: datetime) -> str:
        """Give an opencode session id; its time part counts down, so that newer ids sort first."""
        count_down = _CLOCK_48_BITS - 1 - int(now.timestamp() * 1000) * 0x20 % _CLOCK_48_BITS
        return f"ses_{count_down:012x}" + "".join(self.source.choices(_BASE62, k=14))

    def container(self) -> str:
        """Give a container id, 12 hexadecimal digits."""
        return f"{self.source.getrandbits(48):012x}"
