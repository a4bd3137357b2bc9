"""The ways in which a fault gets between the simulator and what it does: around a call, or at what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tck_driver.vocabulary import FallbackReason
from tck_fakes.faults.fault import Sabotage
from tck_fakes.faults.register import Real
from tck_simulator import run
from tck_simulator.adapters import Reading
from tck_simulator.contract import LlmResult
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerState
from tck_simulator.resolution import Resolution, Situation
from tck_simulator.run import RunSequence

#: The leg that follows a refusal.
_FRESH_LEG = 2
#: A part of the simulator, whose inside a fault reaches into, or whatever passes through its hands.
Inside = Any


def around(sabotage: Sabotage, owner: object, name: str, body: Callable[..., Inside]) -> None:
    """Put `body` in the place of a function or method. It is given the real one, and then what that was to be given."""

    def make(real: Real) -> Real:
        def replaced(*given: Inside, **named: Inside) -> Inside:
            return body(real, *given, **named)

        return replaced

    sabotage.replace(owner, name, make)


def decided(sabotage: Sabotage, change: Callable[[Resolution, Situation], Resolution]) -> None:
    """Change what was decided about a session, knowing what the decision rested on."""

    def body(real: Real, situation: Situation) -> Resolution:
        return change(real(situation), situation)

    around(sabotage, run, "resolve", body)


def recorded(sabotage: Sabotage, change: Callable[[LiveRun, LlmResult], LlmResult]) -> None:
    """Change what a run that has a session is about to have on record."""

    def body(real: Real, self: Inside, live: LiveRun, state: Inside) -> LlmResult:
        result: LlmResult = real(self, live, state)
        return result if live.state is None else change(live, result)

    around(sabotage, RunSequence, "result", body)


def fell_back(live: LiveRun) -> bool:
    """Say whether a run has been refused its session, and started afresh."""
    return live.leg == _FRESH_LEG


def last_id(then: Situation, *, of_any: bool = False) -> str | None:
    """Give the last native id of the run's adapter, or of any adapter, whatever stands in the way of asking for it."""
    ids = (one.native_id for one in then.prior if one.native_id and (of_any or one.adapter is then.adapter))
    return next(ids, None)


def asked_despite(sabotage: Sabotage, *reasons: FallbackReason) -> None:
    """Ask for the last session of the adapter where one of these reasons was found."""

    def change(made: Resolution, then: Situation) -> Resolution:
        return Resolution(session=True, resume_id=last_id(then)) if made.reason in reasons else made

    decided(sabotage, change)


def called_instead(sabotage: Sabotage, found: FallbackReason, given: FallbackReason | None) -> None:
    """Decide as the simulator does, and call one reason by another's name, or by none."""
    decided(sabotage, lambda made, _: replace(made, reason=given) if made.reason is found else made)


def read(sabotage: Sabotage, adapter: type, change: Callable[[Reading, ContainerState], Reading]) -> None:
    """Change what an adapter reads out of what its CLI has put out."""

    def body(real: Real, self: Inside, state: ContainerState) -> Reading:
        return change(real(self, state), state)

    around(sabotage, adapter, "read", body)


def started(sabotage: Sabotage, before: Callable[[Inside, LiveRun], None]) -> None:
    """Do something before each start of a CLI, knowing the run sequence and the run."""

    def body(real: Real, self: Inside, live: LiveRun) -> None:
        before(self, live)
        real(self, live)

    around(sabotage, RunSequence, "_start", body)
