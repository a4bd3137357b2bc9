"""Where a stand-in differs from the CLI that it stands for, on purpose, and why that stays.

The stand-ins go through the cases of a probe like the real CLIs. Each difference between their record and the shipped
one is either mended or stands here; one that stands here and is not there any more has to go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.difference import Difference


@dataclass(frozen=True, slots=True)
class Explanation:
    """What of some cases of one CLI is different with its stand-in, and why."""

    adapter: AdapterId
    cases: tuple[str, ...]
    facts: tuple[str, ...]
    why: str

    def covers(self, adapter: AdapterId, difference: Difference) -> bool:
        """Tell whether a difference is one of these."""
        return adapter is self.adapter and difference.case in self.cases and difference.what in self.facts


#: Facts that are never compared, and why.
UNCOMPARED: Final[Mapping[str, str]] = MappingProxyType(
    {"waits": "a stand-in calls the model as often as the real CLI, and does not wait in between"}
)

EXPLAINED: tuple[Explanation, ...] = ()


def unexplained(adapter: AdapterId, differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """Give the differences that nobody has explained."""
    return tuple(
        one
        for one in differences
        if one.what not in UNCOMPARED and not any(each.covers(adapter, one) for each in EXPLAINED)
    )


def unneeded(adapter: AdapterId, differences: Iterable[Difference]) -> tuple[tuple[str, str], ...]:
    """Give the cases and facts that are explained and are not different any more."""
    different = {(one.case, one.what) for one in differences}
    wanted = [
        (case, fact) for each in EXPLAINED if each.adapter is adapter for case in each.cases for fact in each.facts
    ]
    return tuple(one for one in wanted if one not in different)
