"""A scenario of several requirements, as one of them has it: what it failed for others is not held against this one."""

from __future__ import annotations

from tck_reports.outcomes import Outcome
from tck_reports.shape import CheckPart

#: The outcomes of a scenario in which something did not hold.
_BROKEN = frozenset({Outcome.FAILED, Outcome.EXPECTED_FAILURE})


def outcome_for(check: CheckPart, requirement: str) -> Outcome:
    """Give the outcome that a check has for one of its requirements."""
    outcome = Outcome(check["outcome"])
    failed_for = check.get("failed_for", [])
    spared = failed_for and requirement in check["requirements"] and requirement not in failed_for
    return Outcome.PASSED if spared and outcome in _BROKEN else outcome


def check_for(check: CheckPart, requirement: str) -> CheckPart:
    """Give a check without the expectations that broke for other requirements than this one."""
    if "failed_for" not in check:
        return check
    own = [one for one in check["expectations"] if one["held"] or requirement in one.get("requirements", [requirement])]
    return {**check, "expectations": own}
