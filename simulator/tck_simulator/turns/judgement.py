"""What is to be made of the answer of a CLI, under a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tck_driver.courses import Policy
from tck_simulator.turns.prompts import fit
from tck_simulator.turns.starting import Answered

#: lost: the session that was asked for is not to be had; forked: something else was answered; failed: anything else.
Result = Literal["went_well", "lost", "forked", "failed"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a start, the id under which it can be gone on with, and what a user is told of a failure."""

    result: Result
    native_id: str | None
    told: str = ""


def judge(answered: Answered, policy: Policy) -> Judgement:
    """Judge one start of a CLI."""
    reading = answered.reading
    native_id = identified(answered, policy)
    if answered.asked is not None:
        if reading.cannot_resume and not reading.turn:
            return Judgement("lost", None, f"the session {answered.asked} was not found")
        if forked(answered, policy):
            return Judgement("forked", None, f"the session {answered.asked} was asked for, and another one answered")
    if not answered.ended:
        return Judgement("failed", native_id, "the agent did not come to an end")
    if not reading.ok:
        return Judgement("failed", native_id, "the agent failed")
    if not fit(reading.text):
        return Judgement("failed", native_id, "the agent's answer has not the form that is due")
    return Judgement("went_well", native_id)


def forked(answered: Answered, policy: Policy) -> bool:
    """Say whether a resume is to be rejected, as it was not answered under the asked id and no other (REUSE-4)."""
    return policy.fork == "reject" and answered.ended and answered.reading.reported != (answered.asked,)


def identified(answered: Answered, policy: Policy) -> str | None:
    """Give the id that a start leaves: whatever was named last, or where forks are rejected, the only one named."""
    reported = answered.reading.reported
    if policy.fork == "adopt":
        return reported[-1] if reported else answered.asked
    return reported[0] if len(reported) == 1 else None
