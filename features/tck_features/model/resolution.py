"""How a run begins: the table of §16.5.3, in which the first row that fits decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tck_driver.vocabulary import FallbackReason

KindOfRows = Literal["none", "of others", "of this adapter"]


@dataclass(frozen=True, slots=True)
class Situation:
    """What is the case when a run begins. `prior` is the native id that RESUME-3 gives, None where there is none."""

    setting: bool
    declares: bool
    issue: bool
    rows: KindOfRows = "none"
    good: bool = True
    holds: bool = True
    failures: bool = False
    prior: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What follows: whether a session applies, the id to ask for, and the reason where it is a fresh one."""

    row: int
    applies: bool
    asked: str | None = None
    reason: FallbackReason | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """One row of the table; None stands for "any"."""

    number: int
    setting: bool | None = True
    declares: bool | None = True
    issue: bool | None = True
    rows: KindOfRows | None = "of this adapter"
    good: bool | None = None
    holds: bool | None = None
    failures: bool | None = None
    start: Literal["without a session", "fresh", "resume"] = "fresh"
    reason: FallbackReason | None = None

    def fits(self, situation: Situation) -> bool:
        """Say whether nothing of it speaks against a situation."""
        return (
            self.setting in {None, situation.setting}
            and self.declares in {None, situation.declares}
            and self.issue in {None, situation.issue}
            and self.rows in {None, situation.rows}
            and self.good in {None, situation.good}
            and self.holds in {None, situation.holds}
            and self.failures in {None, situation.failures}
        )


# fmt: off
_TABLE = (
    _Line(1, setting=False, declares=None, issue=None, rows=None, start="without a session"),
    _Line(2, declares=False, issue=None, rows=None, start="without a session"),
    _Line(3, issue=False, rows=None, start="without a session"),
    _Line(4, rows="none", reason=FallbackReason.NO_PRIOR_SESSION),
    _Line(5, rows="of others", reason=FallbackReason.ADAPTER_CHANGED),
    _Line(6, good=False, reason=FallbackReason.UNSUPPORTED_VERSION),
    _Line(7, good=True, holds=False, reason=FallbackReason.STATE_MISSING),
    _Line(8, good=True, holds=True, failures=True, reason=FallbackReason.REFUSED),
    _Line(9, good=True, holds=True, start="resume"),
)
# fmt: on


def resolve(situation: Situation) -> Decision:
    """Decide by the first row that fits."""
    line = next(line for line in _TABLE if line.fits(situation))
    asked = situation.prior if line.start == "resume" else None
    return Decision(line.number, line.start != "without a session", asked, line.reason)


def reasons(situation: Situation) -> tuple[FallbackReason, ...]:
    """Give every reason that holds of a session of this adapter, in the order of FALLBACK-18."""
    if situation.rows != "of this adapter":
        return ()
    held = (
        (not situation.good, FallbackReason.UNSUPPORTED_VERSION),
        (not situation.holds, FallbackReason.STATE_MISSING),
        (situation.failures, FallbackReason.REFUSED),
    )
    return tuple(reason for holds, reason in held if holds)
