"""The second half of a hunt for the matrix: what has killed nothing yet goes round, until it kills or has met all.

Most scenarios kill a fault of their own requirement, so only a few are left to meet those of others, and most of these
kill one of the first that they meet. The rounds grow, so that few such meetings are for nothing and few rounds are
needed; and which scenarios are in a round depends on what the round before has shown, not on who was faster.
"""

from __future__ import annotations

from tck_kit.mutants.matrix import Matrix
from tck_kit.mutants.unit import Unit
from tck_kit.scenarios import Scenario

#: How many faults each scenario meets in the first round; each round has twice as many as the one before.
FIRST_ROUND = 32


def next_round(matrix: Matrix, number: int) -> tuple[Unit, ...]:
    """Give the pieces of a round, counted from 0, as each fault meets several scenarios: none where no more are due."""
    plan = matrix.plan
    start, end = (FIRST_ROUND * (2**count - 1) for count in (number, number + 1))
    due: dict[str, list[Scenario]] = {}
    for scenario in matrix.barren:
        for fault in plan.strangers(scenario)[start:end]:
            due.setdefault(fault.name, []).append(scenario)
    return tuple(plan.unit(fault, tuple(due[fault.name]), full=True) for fault in plan.faults if fault.name in due)
