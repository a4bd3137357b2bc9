"""Units one after the other, without a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tck_kit.campaign.apart import Answer, Apart, packed, unpacked
from tck_kit.campaign.units import Ended, Harvest, Order, Result, Unit, Watch, collected, failure, refuse_doubled


@dataclass(frozen=True, slots=True)
class Alone:
    """Executes one unit after the other: each in a process of its own, or, unless `apart`, all of them in this one."""

    apart: bool = True

    def perform(
        self,
        function: Callable[[Order], Result],
        units: Sequence[Unit[Order]],
        *,
        watch: Watch,
        seconds: float | None = None,
    ) -> Harvest[Result]:
        """Call the function with what each unit holds, in their order."""
        refuse_doubled(units)
        deadline = None if seconds is None else time.monotonic() + seconds
        ended: list[Ended[Result]] = []
        cut_short = None
        try:
            for unit in units:
                left = None if deadline is None else deadline - time.monotonic()
                outcome = None if left is not None and left <= 0 else self._one(function, unit, left)
                if outcome is None:
                    cut_short = f"the time limit of {seconds:g} s was reached"
                    break
                ended.append(outcome)
                watch.ended(outcome, len(ended), len(units))
        except KeyboardInterrupt:
            cut_short = "interrupted"
        return collected([unit.name for unit in units], ended, cut_short)

    def _one(self, function: Callable[[Order], Result], unit: Unit[Order], left: float | None) -> Ended[Result] | None:
        """Execute one unit; give None where the time ended before it did."""
        begun = time.monotonic()
        answer: Answer[Result]
        if self.apart:
            answer = unpacked(Apart(packed(function, unit.order)).answer(left))
        else:
            try:
                answer = Answer(function(unit.order))
            except Exception as fault:  # noqa: BLE001 -- it is an error of this unit, and the others go on
                answer = Answer(kind=type(fault).__name__, text=str(fault))
        if answer.stopped:
            return None
        return judged(unit.name, answer, time.monotonic() - begun)


def judged(name: str, answer: Answer[Result], seconds: float) -> Ended[Result]:
    """Say how a unit ended that gave this answer."""
    if answer.kind:
        return failure(name, answer.kind, answer.text, seconds)
    return Ended(name, "done", answer.result, seconds=seconds)
