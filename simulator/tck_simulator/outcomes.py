"""How one invocation of a CLI is judged: done, failed, or a refused resume; and what follows from a failure.

Specification: RESUME-11, FALLBACK-6, FALLBACK-12, FALLBACK-16, FALLBACK-17, §13.4. Pure: what the adapter read comes
in, a judgement comes out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from tck_simulator.adapters.base import Reading


class Verdict(Enum):
    """What one invocation came to."""

    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, the native id that may be stored, and whether the asked session was really resumed.

    `went_fresh` marks a CLI that, asked to resume, did its work in a session of its own or in nobody knows which:
    nothing is repeated, and the run is recorded as a fallback.
    """

    verdict: Verdict
    native_id: str | None
    resumed: bool
    went_fresh: bool = False


def judge(reading: Reading, asked: str | None, pattern: re.Pattern[str], *, rotates: bool) -> Judgement:
    """Judge one leg, by the table of §16.5.4. `asked` is the id that it was to resume, None for a fresh leg."""
    ids = tuple(native_id for native_id in reading.reported if pattern.fullmatch(native_id))
    one = ids[0] if len(ids) == 1 else None
    verdict = Verdict.DONE if reading.ok else Verdict.FAILED
    if asked is None:
        return Judgement(verdict, one, resumed=False)
    if asked not in ids and not reading.turn and reading.cannot_resume:
        return Judgement(Verdict.REFUSED, None, resumed=False)
    if one == asked or (one is not None and rotates and reading.turn):
        return Judgement(verdict, one, resumed=True)
    if reading.ok:
        return Judgement(verdict, one, resumed=False, went_fresh=True)
    return Judgement(verdict, None, resumed=False)


def back_off_seconds(first: int, retries: int) -> int:
    """Give how long to wait before the retry that brings the counter to `retries`: each twice as long (§13.4)."""
    return first << (retries - 1)
