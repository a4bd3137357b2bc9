"""Units on this machine, several at a time, each in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from tck_kit.campaign.alone import judged
from tck_kit.campaign.apart import Answer, Apart, packed, unpacked
from tck_kit.campaign.units import Ended, Harvest, Order, Result, Unit, Watch, collected


@dataclass(frozen=True, slots=True)
class Together:
    """Executes so many units at a time. A process that falls costs its unit, and no other."""

    workers: int

    def perform(
        self,
        function: Callable[[Order], Result],
        units: Sequence[Unit[Order]],
        *,
        watch: Watch,
        seconds: float | None = None,
    ) -> Harvest[Result]:
        """Call the function with what each unit holds; what is finished when time is up or Ctrl-C comes is kept."""
        deadline = None if seconds is None else time.monotonic() + seconds
        at_work: dict[Future[Ended[Result]], Apart] = {}
        ended: list[Ended[Result]] = []
        waiting = list(units)
        cut_short = None
        pool = ThreadPoolExecutor(self.workers)
        try:
            while waiting or at_work:
                while waiting and len(at_work) < self.workers:
                    unit = waiting.pop(0)
                    apart = Apart(packed(function, unit.order))
                    at_work[pool.submit(_wait_for, unit, apart, function)] = apart
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                done, _ = wait(at_work, timeout=left, return_when=FIRST_COMPLETED)
                if not done:
                    cut_short = f"the time limit of {seconds:g} s was reached"
                    break
                for future in done:
                    at_work.pop(future)
                    ended.append(future.result())
                    watch.ended(ended[-1], len(ended), len(units))
        except KeyboardInterrupt:
            cut_short = "interrupted"
        finally:
            for apart in at_work.values():
                apart.end()
            pool.shutdown(wait=True)
        return collected([unit.name for unit in units], ended, cut_short)


def _wait_for(unit: Unit[Order], apart: Apart, _function: Callable[[Order], Result]) -> Ended[Result]:
    """Wait for the answer of a process; the function is here for the type of what it gives."""
    begun = time.monotonic()
    answer: Answer[Result] = unpacked(apart.answer(None))
    if answer.stopped:
        return Ended(unit.name, "not run")
    return judged(unit.name, answer, time.monotonic() - begun)
