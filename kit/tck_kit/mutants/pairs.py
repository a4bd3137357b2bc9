"""Faults that could hide one another: what catches each of two alone may catch neither where both are there."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

from tck_fakes.faults import Fault, Sabotage
from tck_kit.mutants.plan import Plan
from tck_kit.mutants.unit import Unit


@dataclass(frozen=True, slots=True)
class Pair:
    """Two faults that are to be there at once, and why they could hide one another."""

    one: Fault
    other: Fault
    why: str

    @property
    def names(self) -> tuple[str, str]:
        """The names of both."""
        return self.one.name, self.other.name

    @property
    def name(self) -> str:
        """The name of the engine that has both."""
        return "+".join(self.names)

    def unit(self, plan: Plan) -> Unit:
        """Give the piece of work that shows whether they do: the scenarios of both, until one kills them."""
        broken = (self.one.requirement, self.other.requirement)
        scenarios = plan.own(self.one, self.other)
        return Unit(self.names, scenarios, plan.seed, patience=plan.patience, requirements=broken)


class _Inventory:
    """Takes note of what a fault would replace, and replaces nothing."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.replaced: set[str] = set()

    def replace(self, owner: object, name: str, make: Callable[[Any], object]) -> None:  # noqa: ARG002 -- as Sabotage has it
        """Take note of an attribute."""
        module = getattr(owner, "__module__", "")
        self.replaced.add(f"{module}:{getattr(owner, '__qualname__', getattr(owner, '__name__', ''))}.{name}")


def replaced(fault: Fault) -> frozenset[str]:
    """Give what a fault replaces in the simulator."""
    inventory = _Inventory()
    fault.commit(cast("Sabotage", inventory))
    return frozenset(inventory.replaced)


def sample(faults: Sequence[Fault], killers: Mapping[str, frozenset[str]], count: int, seed: int) -> tuple[Pair, ...]:
    """Draw as many pairs by the seed, among those that have something in common; in the order of the faults.

    `killers` gives the scenarios that kill each fault, by its name; a fault that none kills is no part of a pair.
    """
    alive = [fault for fault in faults if killers.get(fault.name)]
    held = {fault.name: replaced(fault) for fault in alive}
    found: list[Pair] = []
    for one, other in combinations(alive, 2):
        if one.policy != other.policy:
            # No engine has both.
            continue
        if one.requirement == other.requirement:
            found.append(Pair(one, other, "same requirement"))
        elif common := held[one.name] & held[other.name]:
            found.append(Pair(one, other, f"both replace {min(common).rpartition(':')[2]}"))
        elif killers[one.name] & killers[other.name]:
            found.append(Pair(one, other, "killed by one scenario"))
    drawn = random.Random(seed).sample(range(len(found)), min(count, len(found)))  # noqa: S311 -- a sample, no secret
    return tuple(found[place] for place in sorted(drawn))
