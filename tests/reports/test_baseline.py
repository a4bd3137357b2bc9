"""The baseline excuses what is known and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.baseline.applying import Baselined, Ground, apply_baseline, knows, states
from tck_reports.baseline.entries import Baseline, Known, matches, pattern_of
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.reading import inconsistencies, validate
from tck_reports.records import Attempt, BaselineEntry, CheckRecord, Excuse
from tck_reports.verdict import conclude

from .samples import DIGEST, broke, check, entry, graded, report_of

TODAY = date(2026, 11, 30)
STATEMENT = "the id that the CLI was given"
REQUIREMENT, CHECK = "RESUME-1", "resume/phases.feature::A second run"
FAILED = check(CHECK, REQUIREMENT, outcome=Outcome.FAILED)
PASSED = check(CHECK, REQUIREMENT)
FLAKY = replace(
    FAILED, outcome=Outcome.FLAKY, reason="passed on try 2", attempts=(Attempt(Outcome.FAILED, "assertion"),)
)


def known(
    name: str,
    *,
    kind: Literal["failure", "flaky"] = "failure",
    until: str | None = None,
    statement: str | None = None,
    fails: str | None = None,
    step: str | None = None,
) -> Known:
    target: Literal["requirement", "check"] = "check" if "::" in name else "requirement"
    row = BaselineEntry(kind, target, name, "issue 12", "runtime team", "2026-01-31", until)
    return Known(row, statement, fails, step)


def against(
    checks: CheckRecord | Sequence[CheckRecord],
    *entries: Known,
    suite: Mapping[str, tuple[str, ...]] | None = None,
    left_out: frozenset[str] = frozenset(),
) -> Baselined:
    """Hold checks against entries, in a suite of these checks unless another is given."""
    rows = [checks] if isinstance(checks, CheckRecord) else list(checks)
    ground = Ground(
        {one.id: one.requirements for one in rows} if suite is None else suite,
        {REQUIREMENT, "RESUME-2", "RESUME-3"},
        left_out,
    )
    return apply_baseline(rows, Baseline(DIGEST, entries, TODAY), ground)


def state(held: Baselined) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.state, one.checks) for one in held.used.entries]


# What is excused


@pytest.mark.parametrize("name", [REQUIREMENT, CHECK])
def test_a_known_failure_becomes_an_expected_one_and_says_who_knows_of_it(name: str) -> None:
    held = against(FAILED, known(name))
    assert held.checks == (
        replace(
            FAILED,
            outcome=Outcome.EXPECTED_FAILURE,
            reason="assertion; known: issue 12",
            excused=Excuse(name, "issue 12", "runtime team", "2026-01-31"),
        ),
    )
    assert (state(held), held.stale) == ([("used", (CHECK,))], ())


def test_of_a_requirement_only_the_checks_that_fail_are_excused() -> None:
    held = against([FAILED, check("x::b", REQUIREMENT)], known(REQUIREMENT))
    assert [one.outcome for one in held.checks] == [Outcome.EXPECTED_FAILURE, Outcome.PASSED]
    assert state(held) == [("used", (CHECK,))]


def test_false_advertising_is_a_failure_like_another() -> None:
    record = replace(FAILED, reason="false_advertising: there is no such view")
    assert against(record, known(CHECK)).checks[0].outcome is Outcome.EXPECTED_FAILURE


def test_the_last_day_of_an_entry_is_a_day_on_which_it_excuses() -> None:
    assert against(FAILED, known(CHECK, until="2026-11-30")).checks[0].outcome is Outcome.EXPECTED_FAILURE


def test_a_timeout_is_excused_where_the_entry_says_so() -> None:
    late = replace(FAILED, reason="timeout: it never ended", expectations=())
    assert against(late, known(CHECK, fails="timeout")).checks[0].outcome is Outcome.EXPECTED_FAILURE
    assert against(FAILED, known(CHECK, fails="timeout")).checks[0].outcome is Outcome.FAILED


def test_an_entry_for_a_statement_excuses_that_one_whatever_the_engine_calls_its_runs() -> None:
    record = replace(FAILED, expectations=(replace(broke(), statement="outcome of run r-17 of the issue"),))
    entries = known(CHECK, statement=pattern_of("outcome of run 2f of the issue"))
    assert entries.statement == "outcome of run * of the issue"
    assert against(record, entries).checks[0].outcome is Outcome.EXPECTED_FAILURE


@pytest.mark.parametrize(
    ("statement", "pattern"),
    [
        ("session_name of run 1 of the issue", "session_name of run 1 of the issue"),
        ("session_name of run 1a of the issue", "session_name of run * of the issue"),
        ("session_name of run 1041 of the issue", "session_name of run * of the issue"),
        ("exchanges of run r-1", "exchanges of run *"),
        ("the id that the CLI was asked to resume in run 7f", "the id that the CLI was asked to resume in run *"),
        ("the run of the issue that comes first has succeeded", "the run of the issue that comes first has succeeded"),
        ("the run before had a session", "the run before had a session"),
        ("starts of the CLI in this run", "starts of the CLI in this run"),
        ("the version command was run in \udcff", "the version command was run in \\udcff"),
        ("an incident that names uzzj-szugm-issue-3490 and says why", "an incident that names * and says why"),
        ("the state of the issue lies at a-b-issue-7/codex", "the state of the issue lies at */codex"),
        ("/dev/shm/x/worker-1/base/.agent-sessions/a-b-issue-7/codex is there", "* is there"),  # noqa: S108 -- a text
        ("the version command was run in runner-codex:divd", "the version command was run in runner-*"),
        ("session mounts: source, target, read-only", "session mounts: source, target, read-only"),
    ],
)
def test_a_written_entry_means_the_same_expectation_with_any_seed(statement: str, pattern: str) -> None:
    assert pattern_of(statement) == pattern
    assert matches(pattern, statement)


def test_an_entry_of_one_run_does_not_excuse_another_run() -> None:
    record = replace(FAILED, expectations=(replace(broke(), statement="outcome of run 2 of the issue"),))
    entries = known(CHECK, statement=pattern_of("outcome of run 3 of the issue"))
    assert against(record, entries).checks[0].outcome is Outcome.FAILED


def test_an_entry_for_a_step_excuses_a_failure_in_that_step_alone() -> None:
    steps = FAILED.steps
    assert against(FAILED, known(CHECK, step=steps[-1])).checks[0].outcome is Outcome.EXPECTED_FAILURE
    (other,) = against(FAILED, known(CHECK, step=steps[-2])).checks
    assert other.outcome is Outcome.FAILED
    assert other.reason == f"assertion; not excused: the entry is about another step, '{steps[-2]}'"
    (after,) = against(replace(FAILED, failed_step=None), known(CHECK, step=steps[-1])).checks
    assert after.outcome is Outcome.FAILED, "what is looked at after the last step is of no step"


def test_half_a_character_is_matched_as_a_report_spells_it() -> None:
    assert matches("a \\udcff b", "a \udcff b")
    assert matches("a \udcff b", "a \udcff b")


def test_a_report_says_which_failure_an_entry_means() -> None:
    held = against(FAILED, known(CHECK, statement=STATEMENT, fails="assertion", step="Then it resumes"))
    told = [(one.statement, one.fails, one.step) for one in held.used.entries]
    assert told == [(STATEMENT, "assertion", "Then it resumes")]
    report = report_of(graded([entry(REQUIREMENT)], held.checks), baseline=held.used)
    assert report["baseline"] is not None
    assert [one["step"] for one in report["baseline"]["entries"]] == ["Then it resumes"]


def test_what_was_flaky_is_excused_by_an_entry_for_what_is_flaky() -> None:
    held = against(FLAKY, known(CHECK, kind="flaky", until="2026-12-31"))
    assert held.checks[0].outcome is Outcome.EXPECTED_FAILURE
    assert held.checks[0].attempts == FLAKY.attempts
    assert state(held) == [("used", (CHECK,))]


# What is not


OTHERS = check(CHECK, REQUIREMENT, "RESUME-2", outcome=Outcome.FAILED)
NOT_EXCUSED: list[tuple[str, CheckRecord, Known, str]] = [
    (
        "a crash",
        replace(FAILED, reason="crashed: the engine is gone"),
        known(CHECK),
        "crashed: the engine is gone; not excused: a crash may be any fault at all",
    ),
    (
        "a crash that is asked for",
        replace(FAILED, reason="crashed"),
        known(CHECK, fails="crashed"),
        "crashed; not excused: a crash may be any fault at all",
    ),
    (
        "a driver that is late",
        replace(FAILED, reason="timeout", blame="driver"),
        known(CHECK, fails="timeout"),
        "timeout; not excused: it is the driver's",
    ),
    (
        "a scenario that could not be prepared",
        replace(FAILED, failed_step="Given an analysis run of the issue has ended"),
        known(REQUIREMENT),
        "assertion; not excused: it did not get as far as its question",
    ),
    (
        "a timeout that nobody named",
        replace(FAILED, reason="timeout"),
        known(CHECK),
        'timeout; not excused: an entry is about timeout only where it says fails = "timeout"',
    ),
    (
        "another way of failing",
        FAILED,
        known(CHECK, fails="timeout"),
        "assertion; not excused: the entry is about timeout, and not about assertion",
    ),
    (
        "another statement",
        FAILED,
        known(CHECK, statement="the state directory"),
        "assertion; not excused: the entry is about another statement, 'the state directory'",
    ),
    (
        "an entry whose time is over",
        FAILED,
        known(CHECK, until="2026-11-29"),
        "assertion; not excused: the entry was good until 2026-11-29",
    ),
    (
        "another requirement of the same check",
        OTHERS,
        known(REQUIREMENT),
        "assertion; not excused: it is about RESUME-2 as well, which no entry names; an entry for the check would do",
    ),
    (
        "a failure of what is flaky",
        FAILED,
        known(CHECK, kind="flaky", until="2026-12-31"),
        "assertion; not excused: it is known to be flaky, and passed on no try",
    ),
    (
        "what passes at times",
        FLAKY,
        known(CHECK),
        "passed on try 2; not excused: it passes at times, which is for a [[flaky]] entry",
    ),
    (
        "a crash on one of the tries",
        replace(FLAKY, attempts=(*FLAKY.attempts, Attempt(Outcome.FAILED, "crashed: gone"))),
        known(CHECK, kind="flaky", until="2026-12-31"),
        "passed on try 2; not excused: a crash may be any fault at all",
    ),
]


@pytest.mark.parametrize(
    ("record", "one", "why"), [row[1:] for row in NOT_EXCUSED], ids=[row[0] for row in NOT_EXCUSED]
)
def test_what_may_be_another_fault_is_not_excused_and_says_why(record: CheckRecord, one: Known, why: str) -> None:
    held = against(record, one)
    assert held.checks == (replace(record, reason=why),)
    assert held.used.entries[0].checks == ()
    assert held.used.entries[0].state in {"unused", "expired"}


@pytest.mark.parametrize(
    "outcome", [Outcome.ERROR, Outcome.NOT_RUN, Outcome.UNTESTABLE, Outcome.UNSUPPORTED, Outcome.EXCLUDED]
)
@pytest.mark.parametrize("name", [REQUIREMENT, CHECK])
def test_what_says_nothing_of_the_engine_stays_as_it_is(outcome: Outcome, name: str) -> None:
    record = check(CHECK, REQUIREMENT, outcome=outcome, reason="why")
    held = against(record, known(name))
    assert held.checks == (record,)
    assert (state(held), held.stale) == ([("unused", ())], ())


def test_a_check_of_two_requirements_is_excused_where_both_are_known_to_fail() -> None:
    held = against(OTHERS, known(REQUIREMENT), known("RESUME-2"))
    assert held.checks[0].outcome is Outcome.EXPECTED_FAILURE
    assert state(held) == [("used", (CHECK,)), ("used", (CHECK,))]
    assert against(OTHERS, known(CHECK)).checks[0].outcome is Outcome.EXPECTED_FAILURE


# What is out of date


def test_a_listed_check_that_passes_is_stale_and_never_a_silent_success() -> None:
    held = against(PASSED, known(CHECK))
    assert (held.checks[0].outcome, held.checks[0].reason) == (
        Outcome.STALE,
        "passed, but the baseline expects a failure: issue 12",
    )
    assert state(held) == [("stale", ())]


def test_a_listed_requirement_whose_checks_all_pass_is_stale_and_its_checks_stay_passed() -> None:
    held = against([PASSED, check("x::b", REQUIREMENT)], known(REQUIREMENT))
    assert [one.outcome for one in held.checks] == [Outcome.PASSED, Outcome.PASSED]
    assert (state(held), held.stale) == ([("stale", ())], ("RESUME-1: none of its checks fails any more",))


@pytest.mark.parametrize("other", [None, Outcome.NOT_RUN, Outcome.ERROR, Outcome.UNTESTABLE])
def test_a_requirement_is_not_stale_where_one_of_its_checks_may_still_fail(other: Outcome | None) -> None:
    suite = {CHECK: (REQUIREMENT,), "x::b": (REQUIREMENT,)}
    more = [] if other is None else [check("x::b", REQUIREMENT, outcome=other, reason="shard")]
    held = against([PASSED, *more], known(REQUIREMENT), suite=suite)
    assert (state(held), held.stale) == ([("unused", ())], ())


def test_parts_of_a_run_that_know_a_requirement_by_halves_know_it_together() -> None:
    checks, suite = [PASSED, check("x::b", REQUIREMENT)], {CHECK: (REQUIREMENT,), "x::b": (REQUIREMENT,)}
    halves = [against(one, known(REQUIREMENT), suite=suite) for one in checks]
    assert [state(one) for one in halves] == [[("unused", ())], [("unused", ())]]
    rejoined = [one for half in halves for one in half.checks]
    used = states([known(REQUIREMENT).entry], rejoined, Ground(suite, {REQUIREMENT}), TODAY)
    assert [one.state for one in used] == ["stale"]


def test_what_passes_is_stale_even_where_the_entry_is_out_of_time() -> None:
    assert state(against(PASSED, known(CHECK, until="2026-01-01"))) == [("stale", ())]
    assert state(against(PASSED, known(REQUIREMENT, until="2026-01-01"))) == [("stale", ())]


def test_what_is_flaky_and_passes_at_once_is_not_stale() -> None:
    held = against(PASSED, known(CHECK, kind="flaky", until="2026-12-31"))
    assert (held.checks, state(held), held.stale) == ((PASSED,), [("unused", ())], ())


def test_entries_for_what_does_not_exist_are_told() -> None:
    held = against(FAILED, known("gone::a"), known("GONE-1"))
    assert held.checks == (FAILED,)
    assert (state(held), held.stale) == (
        [("unknown", ()), ("unknown", ())],
        ("GONE-1: there is no such requirement", "gone::a: there is no such check"),
    )


def test_an_entry_for_a_check_that_this_run_leaves_out_is_not_out_of_date() -> None:
    held = against(FAILED, known("more::a"), left_out=frozenset({"more::a"}))
    assert (state(held), held.stale) == ([("unused", ())], ())


# Tries


def test_a_known_failure_need_not_be_tried_again_and_any_other_one_must() -> None:
    baseline = Baseline(DIGEST, (known(CHECK, statement=STATEMENT),), TODAY)
    assert knows(FAILED, baseline)
    assert not knows(replace(FAILED, reason="crashed"), baseline)
    assert not knows(replace(FAILED, expectations=(replace(broke(), statement="another"),)), baseline)
    assert not knows(PASSED, baseline)


# Statements


@pytest.mark.parametrize(
    ("pattern", "statement", "fits"),
    [
        ("a b", "a b", True),
        ("a b", "a b c", False),
        ("run * of", "run r.1 of", True),
        ("run * of", "run of", False),
        ("*", "", True),
        ("a*a", "a", False),
        ("a*b*c", "a b b c", True),
        ("a*b*c", "a c b", False),
        ("*b*b*", "b", False),
        ("[a]", "a", False),
    ],
)
def test_a_star_stands_for_any_text_and_nothing_else_does(pattern: str, statement: str, *, fits: bool) -> None:
    assert matches(pattern, statement) is fits


@given(st.text("ab* ", max_size=8), st.text("ab ", max_size=12))
def test_stars_match_as_a_shell_has_it(pattern: str, statement: str) -> None:
    assert matches(pattern, statement) is fnmatchcase(statement, pattern)


# Whole reports


def test_a_report_with_a_baseline_is_valid_and_says_what_became_of_each_entry() -> None:
    checks = [FAILED, check("x::b", "RESUME-2"), replace(FLAKY, id="x::c", requirements=("RESUME-3",))]
    held = against(checks, known(CHECK), known("RESUME-2"), known("x::c", kind="flaky", until="2026-12-01"))
    grading = graded([entry(f"RESUME-{number}") for number in (1, 2, 3)], held.checks)
    report = report_of(grading, stale_entries=held.stale, baseline=held.used)
    assert validate(report) == inconsistencies(report) == []
    assert report["baseline"] is not None
    assert [(one["name"], one["kind"], one["state"], one["checks"]) for one in report["baseline"]["entries"]] == [
        (CHECK, "failure", "used", [CHECK]),
        ("RESUME-2", "failure", "stale", []),
        ("x::c", "flaky", "used", ["x::c"]),
    ]
    assert [one["excused"] and one["excused"]["owner"] for one in report["checks"]] == [
        "runtime team",
        None,
        "runtime team",
    ]
    assert report["exit_code"] == ExitCode.STALE_BASELINE
    assert report["verdict"]["core"]["result"] == "nonconformant"


@given(
    st.lists(st.sampled_from([FAILED, PASSED, FLAKY, OTHERS, replace(FAILED, reason="crashed")]), max_size=4),
    st.lists(
        st.sampled_from(
            [
                known(REQUIREMENT),
                known("RESUME-2"),
                known("x::0"),
                known("x::1", kind="flaky", until="2026-12-31"),
                known("x::2", statement="another"),
                known("x::3", until="2020-01-01"),
            ]
        ),
        max_size=4,
        unique=True,
    ),
)
def test_no_baseline_makes_an_engine_conform_that_does_not(rows: list[CheckRecord], entries: list[Known]) -> None:
    checks = [replace(one, id=f"x::{place}") for place, one in enumerate(rows)]
    requirements = [entry(one) for one in (REQUIREMENT, "RESUME-2")]
    held = against(checks, *entries)
    before, after = (conclude(graded(requirements, one)).verdicts["core"] for one in (checks, held.checks))
    assert after.numerator <= before.numerator
    assert (before.result == "conformant") or (after.result != "conformant")
    assert [one.outcome for one in held.checks if one.reason and one.reason.startswith("crashed")] == [
        Outcome.FAILED for one in checks if one.reason == "crashed"
    ]
