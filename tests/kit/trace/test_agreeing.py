"""A trace that breaks off is held against the report beside it, by all that both of them say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.reports.samples import check, entry, graded, report_of

from tck_kit.trace.agreeing import differences
from tck_kit.trace.head import Head
from tck_kit.trace.reading import Attempt, Trace
from tck_reports.outcomes import Outcome
from tck_reports.records import Attempt as Try
from tck_reports.records import CheckRecord, Implementation, KitFacts, Shard, SpecFacts
from tck_reports.shape import Report

from .taped import some_head

ENTRIES = [entry("RESUME-1"), entry("RESUME-2")]


def report(*checks: CheckRecord, only: set[str] | None = None, missing: Sequence[str] = ()) -> Report:
    suite = {**{one.id: one.requirements for one in checks}, **dict.fromkeys(missing, ("RESUME-2",))}
    return report_of(graded(ENTRIES, checks, suite, only=only, cut_short="interrupted" if missing else None))


def head_of(told: Report) -> Head:
    """Give the first line of the trace that the run of this report would have written."""
    run = told["run"]
    return replace(
        some_head(),
        kit=KitFacts(**told["kit"]),
        spec=SpecFacts(**told["spec"]),
        implementation=Implementation(**told["implementation"]),
        capabilities=told["declared"]["capabilities"],
        seed=run["seed"],
        engine=run["engine"],
        transport=run["transport"],
        profiles=("core",),
        retries=run["retries"],
        started=run["started"],
    )


def trace_of(head: Head, **tries: Sequence[str]) -> Trace:
    held = {name: [Attempt(0, 0, outcome) for outcome in some] for name, some in tries.items()}
    return Trace(Path("trace.ndjson"), head, scenarios=held)


def told(trace: Trace, of: Report) -> list[str]:
    return [*differences(trace, of)]


HEADS: dict[str, dict[str, Any]] = {
    "kit": {"kit": KitFacts("0", "another")},
    "specification": {"spec": SpecFacts("session-resume", "1.0.1", "digest", "set")},
    "engine": {"implementation": Implementation("another", "0.1.0")},
    "way to the engine": {"engine": "mutant:resumes-once"},
    "capabilities": {"capabilities": {"sessions": "unsupported"}},
    "policy": {"policy": {"scope": ["issue"], "valid": "init"}},
    "seed": {"seed": 43},
    "profiles": {"profiles": ("core", "hardened")},
    "part": {"shard": Shard(1, 2)},
    "number of retries": {"retries": 1},
    "beginning": {"started": "2026-01-02T03:04:06+00:00"},
}


@pytest.mark.parametrize("what", HEADS)
def test_a_head_of_another_run_is_named_by_what_differs(what: str) -> None:
    of = report(check("a", "RESUME-1"))
    assert told(trace_of(head_of(of), a=["passed"]), of) == []
    other = trace_of(replace(head_of(of), **HEADS[what]), a=["passed"])
    assert told(other, of) == [f"it says otherwise than the report what the run's {what} was"]


def test_a_head_says_what_a_report_has_redacted() -> None:
    of = report(check("a", "RESUME-1"))
    of["run"]["engine"] = "http://user:[redacted]@host"
    assert told(trace_of(replace(head_of(of), engine="http://user:secret@host"), a=["passed"]), of) == []


@pytest.mark.parametrize(
    ("selected", "only", "named"),
    [
        (None, None, []),
        ({"RESUME-1"}, ("RESUME-1",), []),
        (None, ("RESUME-1",), ["RESUME-2"]),
        ({"RESUME-1"}, None, ["RESUME-2"]),
        ({"RESUME-1"}, ("RESUME-2",), ["RESUME-1", "RESUME-2"]),
    ],
)
def test_both_have_the_same_choice_of_requirements(
    selected: set[str] | None, only: tuple[str, ...] | None, named: list[str]
) -> None:
    of = report(check("a", "RESUME-1"), check("b", "RESUME-2"), only=selected)
    trace = trace_of(replace(head_of(of), only=only), a=["passed"])
    assert told(trace, of) == [f"it says otherwise than the report whether {one} was selected" for one in named]


#: What the tries of a scenario gave in the trace; what its report says, and of which earlier tries; whether that fits.
ENDS: list[tuple[list[str], Outcome, list[Outcome], bool]] = [
    (["passed"], Outcome.PASSED, [], True),
    (["failed"], Outcome.FAILED, [], True),
    (["failed"], Outcome.EXPECTED_FAILURE, [], True),
    (["passed"], Outcome.STALE, [], True),
    (["error"], Outcome.FAILED, [], True),
    (["unsupported"], Outcome.UNSUPPORTED, [], True),
    (["passed"], Outcome.FAILED, [], False),
    (["passed"], Outcome.EXPECTED_FAILURE, [], False),
    (["passed"], Outcome.NOT_RUN, [], False),
    (["failed"], Outcome.PASSED, [], False),
    (["unsupported"], Outcome.PASSED, [], False),
    (["failed", "passed"], Outcome.FLAKY, [Outcome.FAILED], True),
    (["failed", "failed"], Outcome.FAILED, [Outcome.FAILED], True),
    (["failed", "passed"], Outcome.EXPECTED_FAILURE, [Outcome.FAILED], True),
    # The last try is missing, or the last two.
    (["failed"], Outcome.FLAKY, [Outcome.FAILED], True),
    (["failed"], Outcome.FLAKY, [Outcome.FAILED, Outcome.FAILED], True),
    (["failed", "passed"], Outcome.FAILED, [Outcome.FAILED], False),
    (["passed", "passed"], Outcome.FLAKY, [Outcome.FAILED], False),
    (["passed"], Outcome.FLAKY, [Outcome.FAILED], False),
    (["failed", "passed"], Outcome.FAILED, [], False),
]


@pytest.mark.parametrize(("gave", "outcome", "earlier", "fits"), ENDS)
def test_what_a_scenario_gave_can_have_become_what_the_report_says(
    *, gave: list[str], outcome: Outcome, earlier: list[Outcome], fits: bool
) -> None:
    record = replace(
        check("a", "RESUME-1", outcome=outcome, reason=None if outcome is Outcome.PASSED else "why"),
        attempts=tuple(Try(one) for one in earlier),
    )
    of = report(record)
    found = told(trace_of(head_of(of), a=gave), of)
    assert found == ([] if fits else [f"a gave {', '.join(gave)} in it, and {outcome} in the report"])


def test_a_scenario_of_another_part_cannot_be_in_the_trace() -> None:
    of = report(check("a", "RESUME-1"), CheckRecord("b", "B", "x:1", ("RESUME-2",), Outcome.NOT_RUN, reason="shard"))
    assert told(trace_of(head_of(of), a=["passed"], b=["passed"]), of) == [
        "b gave passed in it, and not_run in the report"
    ]


def test_a_scenario_whose_end_the_run_did_not_hear_is_known_to_it_and_another_is_not() -> None:
    of = report(check("a", "RESUME-1"), missing=["b"])
    assert told(trace_of(head_of(of), a=["passed"], b=["passed"]), of) == []
    assert told(trace_of(head_of(of), c=["passed"]), of) == ["the report knows no c"]
