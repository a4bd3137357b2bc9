"""The register of faults: each module of an area enters its own, with the requirement, the kind and the sin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tck_driver.errors import KitError
from tck_fakes.faults.fault import Fault, Kind, Sabotage

Commit = Callable[[Sabotage], None]
#: A function of the simulator that is to be replaced, whatever it takes and gives.
Real = Callable[..., Any]

_ENTERED: dict[str, Fault] = {}


def fault(
    name: str, requirement: str, kind: Kind, sin: str, *, policy: str | None = None
) -> Callable[[Commit], Commit]:
    """Enter the function below as a fault. Raises `KitError` for a name that is taken.

    `policy` names the kind of engine of turns that it is about; without one it is about the engine of mailboxes.
    """

    def enter(commit: Commit) -> Commit:
        if name in _ENTERED:
            raise KitError(f"there are two faults of the name {name}")
        _ENTERED[name] = Fault(name, requirement, kind, sin, commit, policy)
        return commit

    return enter


def entered() -> tuple[Fault, ...]:
    """Give every fault that was entered so far."""
    return tuple(_ENTERED.values())
