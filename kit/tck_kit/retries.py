"""Trying again what has failed: which scenarios, and what several tries of one come to.

A further try is the same scenario with the same names, numbers and times, in a fresh world and after all others: what
passes then does not fail by anything that the kit has chosen, so it is the engine, or the machine, that is not steady.
It is told as flaky, and never counts as passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tck_reports.baseline.applying import knows, unexcusable
from tck_reports.baseline.entries import Baseline
from tck_reports.outcomes import Outcome, worst
from tck_reports.records import Attempt, CheckRecord, Expectation


@dataclass(slots=True)
class Retries:
    """How often scenarios may be tried again, and how often each was."""

    most: int = 0
    baseline: Baseline | None = None
    _asked: Counter[str] = field(default_factory=Counter[str])

    def due(self, record: CheckRecord) -> bool:
        """Say whether a scenario that gave this is to be tried again, and take it that it will be.

        What the kit is to blame for is not tried again, since there is nothing to find out about the engine; nor is a
        failure that the baseline knows, since it is no surprise.
        """
        if record.outcome is not Outcome.FAILED or self._asked[record.id] >= self.most:
            return False
        if self.baseline is not None and knows(record, self.baseline):
            return False
        self._asked[record.id] += 1
        return True

    def further(self, scenario: str) -> bool:
        """Say whether what is being done is a further try of this scenario."""
        return self._asked[scenario] > 0

    def settled(self, records: Iterable[CheckRecord]) -> tuple[CheckRecord, ...]:
        """Make one record of all tries of a scenario; what nobody asked for again stays doubled, which is a fault."""
        tries: dict[str, list[CheckRecord]] = {}
        for record in records:
            tries.setdefault(record.id, []).append(record)
        return tuple(
            one
            for name, several in tries.items()
            for one in ((self._one_of(several),) if len(several) <= 1 + self._asked[name] else several)
        )

    def _one_of(self, tries: Sequence[CheckRecord]) -> CheckRecord:
        """Let a pass on a later try be flaky, and otherwise the worst outcome decide.

        Of several failures the one is shown that says most: the first that no entry may excuse, or else of those that
        the baseline does not know the first that has failed as a whole, or the first. A known failure on a further try
        excuses nothing that went before it, and what any try has failed for is held against all of them.
        """
        *earlier, last = tries
        if not earlier:
            return last
        if last.outcome is Outcome.PASSED:
            shown = _of_all(self._telling(earlier), earlier)
            reason = f"passed on try {len(tries)}; before: {shown.reason or shown.outcome}"
            return replace(shown, outcome=Outcome.FLAKY, reason=reason, attempts=_attempts(earlier))
        decides = worst({one.outcome for one in tries})
        telling = self._telling([one for one in tries if one.outcome is decides])
        shown = _of_all(telling, tries)
        return replace(shown, attempts=_attempts(one for one in tries if one is not telling))

    def _telling(self, tries: Sequence[CheckRecord]) -> CheckRecord:
        unknown = [one for one in tries if self.baseline is None or not knows(one, self.baseline)] or tries
        whole = next((one for one in unknown if not one.failed_for), unknown[0])
        return next((one for one in unknown if unexcusable(one) is not None), whole)


def _of_all(shown: CheckRecord, tries: Sequence[CheckRecord]) -> CheckRecord:
    """Have a try that spares requirements tell what the others have failed for as well, none of which has passed.

    What broke for a requirement that the try itself spares is added to what it has seen.
    """
    if not shown.failed_for:
        return shown
    if not all(one.failed_for for one in tries):
        own = tuple(replace(one, requirements=()) for one in shown.expectations)
        return replace(shown, failed_for=(), expectations=own)
    failed = {name for one in tries for name in one.failed_for}
    seen, more = {*shown.failed_for}, list[Expectation]()
    for one in tries:
        more += [what for what in one.expectations if not what.held and not seen.intersection(what.requirements)]
        seen.update(one.failed_for)
    return replace(
        shown,
        failed_for=tuple(name for name in shown.requirements if name in failed),
        expectations=(*shown.expectations, *more),
    )


def _attempts(tries: Iterable[CheckRecord]) -> tuple[Attempt, ...]:
    return tuple(Attempt(one.outcome, one.reason) for one in tries)
