"""What a leg was: the table of §16.5.4, in which the first row that fits decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tck_driver.vocabulary import FallbackReason, RunOutcome

Reported = Literal["asked", "other", "none", "several"]


@dataclass(frozen=True, slots=True)
class LegSeen:
    """A leg as it was seen to go. `reported` are the distinct ids that match the pattern, announcements left out."""

    asked: str | None
    reported: tuple[str, ...]
    turn: bool
    refused: bool
    rotates: bool
    end: RunOutcome

    @property
    def kind(self) -> Reported:
        """What was reported, in the table's words."""
        if len(self.reported) != 1:
            return "several" if self.reported else "none"
        return "asked" if self.reported[0] == self.asked else "other"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is recorded of a run after this leg; `again` says that one fresh leg follows instead."""

    row: int
    resumed: bool = False
    native_id: str | None = None
    reason: FallbackReason | None = None
    again: bool = False


_REFUSED = FallbackReason.REFUSED


def judge(leg: LegSeen, before: FallbackReason | None) -> Verdict:
    """Judge a leg; `before` is the reason that was decided before a fresh one."""
    first = leg.reported[0] if leg.reported else None
    if leg.asked is None:
        return Verdict(0, native_id=first if len(leg.reported) == 1 else None, reason=before)
    kind, done = leg.kind, leg.end is RunOutcome.SUCCEEDED
    refused = leg.refused and not leg.turn and leg.asked not in leg.reported
    table = (
        (refused, Verdict(1, reason=_REFUSED, again=True)),
        (kind == "asked", Verdict(2, resumed=True, native_id=leg.asked)),
        (kind == "other" and leg.rotates and leg.turn, Verdict(3, resumed=True, native_id=first)),
        (kind == "other" and done, Verdict(4, native_id=first, reason=_REFUSED)),
        (done, Verdict(5, reason=_REFUSED)),
        (True, Verdict(6)),
    )
    return next(verdict for fits, verdict in table if fits)
