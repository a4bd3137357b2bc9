"""A scenario of several requirements, as one of them has it: what it failed for others is not held against this one."""

from __future__ import annotations

from tck_reports.outcomes import Outcome
from tck_reports.records import BROKEN
from tck_reports.shape import CheckPart


def outcome_for(check: CheckPart, requirement: str) -> Outcome:
    """Give the outcome that a check has for one of its requirements."""
    outcome = Outcome(check["outcome"])
    failed_for = check.get("failed_for", [])
    spared = failed_for and requirement in check["requirements"] and requirement not in failed_for
    return Outcome.PASSED if spared and outcome in BROKEN else outcome


def check_for(check: CheckPart, requirement: str) -> CheckPart:
    """Give a check without the expectations that broke for other requirements than this one.

    Its failed step is then the one in which the first of those that are left did not hold.
    """
    if "failed_for" not in check:
        return check
    own = [one for one in check["expectations"] if one["held"] or requirement in one.get("requirements", [requirement])]
    first = next((one for one in own if not one["held"]), None)
    step = check["failed_step"] if first is None else first.get("step", check["failed_step"])
    return {**check, "expectations": own, "failed_step": step}


def broken_for(check: CheckPart) -> list[str]:
    """Give the requirements that a check which has failed is about: those that it has failed for, or all of its own."""
    return check.get("failed_for") or check["requirements"]
