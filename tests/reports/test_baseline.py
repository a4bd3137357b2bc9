"""The baseline excuses what is known and nothing else."""

from tck_reports.baseline import apply_baseline
from tck_reports.outcomes import Outcome

from .samples import check


def test_a_known_failure_becomes_an_expected_one_and_keeps_both_reasons() -> None:
    graded = apply_baseline([check("a", "RESUME-1", outcome=Outcome.FAILED)], {"a": "issue 12"}, ["a"])
    assert (graded.checks[0].outcome, graded.checks[0].reason) == (
        Outcome.EXPECTED_FAILURE,
        "assertion; known: issue 12",
    )


def test_an_unexpected_pass_is_stale_and_never_a_silent_success() -> None:
    graded = apply_baseline([check("a", "RESUME-1")], {"a": "issue 12"}, ["a"])
    assert graded.checks[0].outcome is Outcome.STALE


def test_a_crash_is_never_excused() -> None:
    for reason in ("crashed", "crashed: the engine is gone"):
        crash = check("a", "RESUME-1", outcome=Outcome.FAILED, reason=reason)
        assert apply_baseline([crash], {"a": "issue 12"}, ["a"]).checks == (crash,)


def test_errors_and_what_was_not_run_stay_as_they_are() -> None:
    for outcome in (Outcome.ERROR, Outcome.NOT_RUN, Outcome.UNTESTABLE, Outcome.FLAKY, Outcome.UNSUPPORTED):
        record = check("a", "RESUME-1", outcome=outcome)
        assert apply_baseline([record], {"a": "issue 12"}, ["a"]).checks == (record,)


def test_checks_that_are_not_listed_stay_as_they_are_and_unknown_entries_are_told() -> None:
    record = check("a", "RESUME-1", outcome=Outcome.FAILED)
    graded = apply_baseline([record], {"gone": "x", "also_gone": "y"}, ["a"])
    assert (graded.checks, graded.unknown) == ((record,), ("also_gone", "gone"))
