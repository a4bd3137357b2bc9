"""Whether a trace without its last line is of the run that a report tells of.

The digest of a whole trace stands in the report, so nothing of it can be another. What breaks off has no digest to be
held against: all that both of them say has to be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from tck_kit.trace.head import Head
from tck_kit.trace.reading import Attempt, Trace
from tck_reports.grading import SHARD
from tck_reports.outcomes import Outcome, worst
from tck_reports.plain import Plainer
from tck_reports.shape import CheckPart, Report

#: What a report may say of a scenario that has ended so: a baseline or the grading may have made something else of it.
#: A scenario whose worker was ended from outside is an error in a trace, and may be a failure by its time limit.
_BECOMES: Final[Mapping[str, frozenset[str]]] = {
    Outcome.PASSED: frozenset({Outcome.PASSED, Outcome.STALE, Outcome.ERROR}),
    Outcome.FAILED: frozenset({Outcome.FAILED, Outcome.EXPECTED_FAILURE, Outcome.ERROR}),
    Outcome.FLAKY: frozenset({Outcome.FLAKY, Outcome.EXPECTED_FAILURE, Outcome.ERROR}),
    Outcome.ERROR: frozenset({Outcome.ERROR, Outcome.FAILED}),
}


def differences(trace: Trace, report: Report) -> Iterator[str]:
    """Yield what the two say otherwise of their run."""
    for what, in_head, in_report in _SAME:
        if _plain(in_head(trace.head)) != _plain(in_report(report)):
            yield f"it says otherwise than the report what the run's {what} was"
    yield from _choice(trace.head, report)
    checks = {one["id"]: one for one in report["checks"]}
    for name, tries in trace.scenarios.items():
        check = checks.get(name)
        if check is None:
            # A run that was interrupted may not have heard any more how a scenario ended.
            if name not in report["missing_checks"]:
                yield f"the report knows no {name}"
        elif not _agree(tries, check):
            gave = ", ".join(one.outcome for one in tries)
            yield f"{name} gave {gave} in it, and {check['outcome']} in the report"


def _agree(tries: Sequence[Attempt], check: CheckPart) -> bool:
    """Whether these tries of a scenario can have come to what the report says; the last ones may be missing."""
    outcome = check["outcome"]
    if outcome == Outcome.ERROR:
        # Of a scenario that was told more often than it was asked for, the report says nothing else.
        return True
    if outcome == Outcome.NOT_RUN and check["reason"] == SHARD:
        return False
    gave, earlier = [one.outcome for one in tries], [one["outcome"] for one in check["attempts"]]
    if gave[: len(earlier)] != earlier[: len(gave)] or len(gave) > len(earlier) + 1:
        return False
    if len(gave) <= len(earlier):
        return True
    last = gave[-1]
    came: str = (
        Outcome.FLAKY if earlier and last == Outcome.PASSED else worst({Outcome(one) for one in (*earlier, last)})
    )
    return outcome in _BECOMES.get(came, {came})


def _choice(head: Head, report: Report) -> Iterator[str]:
    """Yield the requirements that the one says were left out, and the other not."""
    for row in report["requirements"]:
        if row["profile"] not in head.profiles:
            continue
        left = row["outcome"] == Outcome.NOT_RUN and row["reason"] == "filter"
        meant = head.only is None or row["id"] in head.only
        # One that was left out tells its failures all the same.
        if left if meant else not left and row["outcome"] not in {Outcome.FAILED, Outcome.ERROR}:
            yield f"it says otherwise than the report whether {row['id']} was selected"


def _plain(value: object) -> object:
    """Give a value as a report would have it."""
    return Plainer().value(value)


def _reached(report: Report) -> tuple[str, str]:
    return report["run"]["engine"], report["run"]["transport"]


#: What both have: in words, and where it stands.
_SAME: Final[Sequence[tuple[str, Callable[[Head], object], Callable[[Report], object]]]] = (
    ("beginning", lambda one: one.started, lambda one: one["run"]["started"]),
    ("kit", lambda one: asdict(one.kit), lambda one: one["kit"]),
    ("specification", lambda one: asdict(one.spec), lambda one: one["spec"]),
    ("engine", lambda one: asdict(one.implementation), lambda one: one["implementation"]),
    ("way to the engine", lambda one: (one.engine, one.transport), _reached),
    ("capabilities", lambda one: one.capabilities, lambda one: one["declared"]["capabilities"]),
    ("policy", lambda one: one.policy, lambda one: one["declared"].get("policy")),
    ("seed", lambda one: one.seed, lambda one: one["run"]["seed"]),
    ("profiles", lambda one: one.profiles, lambda one: one["declared"]["profiles"]),
    ("part", lambda one: None if one.shard is None else asdict(one.shard), lambda one: one["run"]["shard"]),
    ("number of retries", lambda one: one.retries, lambda one: one["run"]["retries"]),
)
