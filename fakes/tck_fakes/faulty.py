"""Engines that are wrong on purpose: if a scenario lets one of these pass, the scenario is worth nothing.

They go through the same steps before an engine is graded, and what they gave stands in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tck_driver.engine import Engine
from tck_fakes.faults import FAULTS, FaultyEngine
from tck_fakes.silent import ForgetfulEngine, MuteEngine, SilentEngine


@dataclass(frozen=True, slots=True)
class Control:
    """A faulty engine, its sin in one line, and the tags of the scenarios that must notice (none: all)."""

    sin: str
    make: Callable[[Engine], Engine]
    tags: frozenset[str] = frozenset()

    def must_fail(self, tags: Collection[str]) -> bool:
        """Say whether a scenario with these tags must notice the sin."""
        return not self.tags or not self.tags.isdisjoint(tags)


def _memoryless(engine: Engine) -> Engine:
    return FaultyEngine(engine, (FAULTS["never-resumed"],))


#: The engines that every run of an engine of mailboxes begins with.
CONTROLS: Mapping[str, Control] = MappingProxyType(
    {
        "silent": Control("takes every event and does nothing", SilentEngine),
        "forgetful": Control("forgets every native id", ForgetfulEngine, frozenset({"resume-2"})),
    }
)
#: The engines that every run begins with in which courses are played, and the policy under which they are wrong.
TURN_CONTROLS: Mapping[str, Control] = MappingProxyType(
    {
        "mute": Control("takes every course, says that all is done, and starts nothing", MuteEngine),
        "memoryless": Control("never resumes", _memoryless, frozenset({"continuity-12"})),
    }
)
_POLICY_OF_CONTROLS = "continuity"


def policy_of(name: str) -> str | None:
    """Give the kind of engine of turns that a faulty engine is, by its name; None for one of mailboxes.

    Raises `KeyError` for a name that there is not, `ValueError` for faults of different kinds of engines.
    """
    if name in CONTROLS:
        return None
    if name in TURN_CONTROLS:
        return _POLICY_OF_CONTROLS
    policies = {FAULTS[one].policy for one in name.split("+")}
    if len(policies) > 1:
        raise ValueError("no engine can be wrong in all of these ways")
    return policies.pop()


def spoilt(engine: Engine, name: str) -> Engine:
    """Give the faulty engine of this name: a control, a fault, or several faults with `+` between them.

    Raises `KeyError` for a name that there is not.
    """
    control = CONTROLS.get(name) or TURN_CONTROLS.get(name)
    if control is not None:
        return control.make(engine)
    return FaultyEngine(engine, [FAULTS[one] for one in name.split("+")])


def unknown_fault(name: str) -> str | None:
    """Give what of a faulty engine's name is the name of nothing, None where all of it is known."""
    if name in CONTROLS or name in TURN_CONTROLS:
        return None
    return next((one for one in name.split("+") if one not in FAULTS), None)
