"""Every false pass that other kits let through, and what this one makes of it."""

from dataclasses import replace

import pytest

from tck_reports.grading import RequirementResult
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord, Expectation, RequirementEntry
from tck_reports.verdict import conclude

from .samples import broke, check, entry, graded, held


def only(
    entries: list[RequirementEntry],
    checks: list[CheckRecord],
    *,
    excluded: dict[str, str] | None = None,
) -> RequirementResult:
    grading = graded(entries, checks, excluded=excluded)
    assert len(grading.requirements) == 1
    return grading.requirements[0]


def test_a_requirement_passes_when_all_its_checks_do() -> None:
    result = only([entry("RESUME-1")], [check("a", "RESUME-1"), check("b", "RESUME-1")])
    assert (result.outcome, result.reason, result.evidence, result.checks) == (
        Outcome.PASSED,
        None,
        "witnessed",
        ("a", "b"),
    )


@pytest.mark.parametrize("outcome", [one for one in Outcome if one not in {Outcome.PASSED, Outcome.UNSUPPORTED}])
def test_one_pass_hides_no_other_outcome(outcome: Outcome) -> None:
    other = check("b", "RESUME-1", outcome=outcome, reason="why")
    result = only([entry("RESUME-1", level="SHOULD")], [check("a", "RESUME-1"), other])
    assert (result.outcome, result.reason) == (outcome, "why")


def test_a_check_that_looked_at_nothing_is_an_error_of_the_kit() -> None:
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1", expectations=())])
    assert (grading.requirements[0].outcome, grading.requirements[0].reason) == (Outcome.ERROR, "vacuous")
    assert (grading.checks[0].outcome, grading.checks[0].blame) == (Outcome.ERROR, "kit")


def test_an_unexpected_pass_that_looked_at_nothing_is_an_error_too() -> None:
    result = only([entry("RESUME-1")], [check("a", "RESUME-1", outcome=Outcome.STALE, expectations=())])
    assert (result.outcome, result.reason) == (Outcome.ERROR, "vacuous")


def test_a_pass_with_an_expectation_that_did_not_hold_is_a_failure() -> None:
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1", expectations=(held(), broke()))])
    assert grading.requirements[0].outcome is Outcome.FAILED
    assert (grading.checks[0].reason, grading.checks[0].blame) == ("assertion", "engine")


def test_a_requirement_without_a_scenario_is_an_error() -> None:
    result = only([entry("RESUME-1")], [])
    assert (result.outcome, result.reason, result.evidence) == (Outcome.ERROR, "no scenario", None)


def test_an_expected_check_that_never_came_is_an_error_and_is_listed() -> None:
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1")], {"a": ["RESUME-1"], "b": ["RESUME-1"]})
    result = grading.requirements[0]
    assert (result.outcome, result.reason, result.missing) == (Outcome.ERROR, "no record of b", ("b",))
    assert grading.missing == ("b",)


def test_in_a_run_that_was_cut_short_a_check_that_never_came_was_not_run() -> None:
    suite = {"a": ["RESUME-1"], "b": ["RESUME-1"]}
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1")], suite, cut_short="the budget of 600 s is spent")
    assert grading.requirements[0].outcome is Outcome.NOT_RUN
    assert grading.incomplete_reasons == ("the budget of 600 s is spent",)


def test_a_check_left_out_by_the_budget_says_that_the_run_was_cut_short() -> None:
    checks = [check("a", "RESUME-1"), check("b", "RESUME-1", outcome=Outcome.NOT_RUN, reason="budget")]
    assert graded([entry("RESUME-1")], checks).incomplete_reasons == ("cut short: budget (checks not run: 1)",)


def test_a_check_that_came_twice_is_an_error_even_if_both_passed() -> None:
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1"), check("a", "RESUME-1")])
    assert grading.faults == ("check a was emitted 2 times",)
    assert [record.outcome for record in grading.checks] == [Outcome.ERROR]
    assert grading.requirements[0].outcome is Outcome.ERROR


def test_a_check_of_an_unknown_requirement_is_a_fault_of_the_run() -> None:
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1"), check("b", "RESUME-99")])
    assert "check b names the unknown requirement RESUME-99" in grading.faults
    assert grading.checks[1].outcome is Outcome.ERROR


def test_a_check_that_the_suite_does_not_know_is_a_fault_of_the_run() -> None:
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1"), check("b", "RESUME-1")], {"a": ["RESUME-1"]})
    assert grading.faults == ("check b was emitted, but the suite does not know it",)


def test_a_check_that_claims_other_requirements_than_the_suite_says_is_a_fault() -> None:
    entries = [entry("RESUME-1"), entry("RESUME-2")]
    grading = graded(entries, [check("a", "RESUME-1")], {"a": ["RESUME-1", "RESUME-2"]})
    assert grading.faults == ("check a names other requirements than the suite says",)


def test_a_failure_counts_against_what_the_suite_says_even_where_the_check_does_not_own_up_to_it() -> None:
    entries = [entry("RESUME-1"), entry("RESUME-2")]
    failed = check("a", "RESUME-1", outcome=Outcome.FAILED)
    grading = graded(entries, [failed], {"a": ["RESUME-1", "RESUME-2"]})
    assert [result.outcome for result in grading.requirements] == [Outcome.FAILED, Outcome.FAILED]


def test_a_check_without_a_requirement_is_a_fault() -> None:
    assert "check a names no requirement" in graded([entry("RESUME-1")], [check("a")], {"a": []}).faults


def test_a_requirement_that_stands_twice_in_the_set_is_a_fault() -> None:
    grading = graded([entry("RESUME-1"), entry("RESUME-1")], [check("a", "RESUME-1")])
    assert grading.faults == ("requirement RESUME-1 stands 2 times in the requirement set",)


@pytest.mark.parametrize("level", ["MUST", "MUST NOT", "MAY", "SHOULD", "OPTIONAL", "RECOMMENDED", "SHOULD NOT"])
def test_a_requirement_that_an_engine_declines_as_a_whole_is_unsupported(level: str) -> None:
    declined = [
        check("a", "RESUME-1", outcome=Outcome.UNSUPPORTED, reason="adapter.codex is declared unsupported"),
        check("b", "RESUME-1", outcome=Outcome.UNSUPPORTED, reason="adapter.copilot is declared unsupported"),
    ]
    result = only([entry("RESUME-1", level=level)], declined)
    assert (result.outcome, result.reason) == (Outcome.UNSUPPORTED, "adapter.codex is declared unsupported")


def test_a_requirement_that_is_declined_in_part_is_graded_by_the_rest_and_says_so() -> None:
    declined = check("a", "RESUME-1", outcome=Outcome.UNSUPPORTED, reason="adapter.codex is declared unsupported")
    result = only([entry("RESUME-1")], [declined, check("b", "RESUME-1")])
    assert result.outcome is Outcome.PASSED
    assert result.reason == "1 of 2 scenarios left out: adapter.codex is declared unsupported"
    failed = only([entry("RESUME-1")], [declined, check("b", "RESUME-1", outcome=Outcome.FAILED)])
    assert failed.outcome is Outcome.FAILED


def test_an_exclusion_needs_a_reason() -> None:
    excluded = only([entry("RESUME-4")], [], excluded={"RESUME-4": "no engine shows it from outside"})
    assert (excluded.outcome, excluded.reason) == (Outcome.EXCLUDED, "no engine shows it from outside")
    assert only([entry("RESUME-4")], [], excluded={"RESUME-4": " "}).outcome is Outcome.ERROR
    unexplained = replace(check("a", "RESUME-4", outcome=Outcome.EXCLUDED), reason=None)
    assert only([entry("RESUME-4")], [unexplained]).outcome is Outcome.ERROR


def test_an_excluded_requirement_that_fails_all_the_same_has_failed() -> None:
    failed = [check("a", "RESUME-4", outcome=Outcome.FAILED)]
    assert only([entry("RESUME-4")], failed, excluded={"RESUME-4": "why"}).outcome is Outcome.FAILED


def test_what_a_filter_leaves_out_was_not_run_and_says_so() -> None:
    entries = [entry("RESUME-1"), entry("OFF-1")]
    suite = {"a": ["RESUME-1"], "b": ["OFF-1"]}
    grading = graded(entries, [check("a", "RESUME-1")], suite, only={"RESUME-1"})
    assert [result.outcome for result in grading.requirements] == [Outcome.PASSED, Outcome.NOT_RUN]
    assert grading.requirements[1].reason == "filter"
    assert grading.missing == ()
    assert grading.filtered == "filter: 1 of 2 requirements were selected"
    assert grading.cut_short is None


def test_a_requirement_half_run_under_a_filter_has_not_passed() -> None:
    both = {"a": ["RESUME-1", "OFF-1"]}
    grading = graded([entry("RESUME-1"), entry("OFF-1")], [check("a", "RESUME-1", "OFF-1")], both, only={"RESUME-1"})
    assert grading.requirements[1].outcome is Outcome.NOT_RUN


def test_a_requirement_of_another_profile_was_not_run_and_is_not_missed() -> None:
    entries = [entry("RESUME-1"), entry("RESUME-11", status="proposed")]
    grading = graded(entries, [check("a", "RESUME-1")], {"a": ["RESUME-1"], "b": ["RESUME-11"]})
    assert (grading.requirements[1].outcome, grading.requirements[1].reason) == (Outcome.NOT_RUN, "profile")
    assert grading.missing == grading.incomplete_reasons == ()


def test_one_reported_expectation_makes_the_evidence_reported() -> None:
    checks = [check("a", "RESUME-1"), check("b", "RESUME-1", expectations=(held(), held("reported")))]
    assert only([entry("RESUME-1")], checks).evidence == "reported"


def test_a_proposed_requirement_cannot_enter_core() -> None:
    proposed = entry("RESUME-11", status="proposed")
    with pytest.raises(ValueError, match=r"RESUME-11: status 'proposed' belongs to profile 'hardened'"):
        replace(proposed, profile="core")


def test_expected_and_actual_are_those_of_the_first_expectation_that_broke() -> None:
    record = check("a", "RESUME-1", expectations=(held(), broke("x", "y"), broke("v", "w")))
    assert (record.expected, record.actual) == ("x", "y")
    assert (check("b", "RESUME-1").expected, check("b", "RESUME-1").actual) == (None, None)


def test_an_expectation_of_nothing_that_held_is_evidence() -> None:
    nothing = Expectation("comments posted", [], [], held=True, evidence_class="witnessed")
    assert only([entry("FALLBACK-10")], [check("a", "FALLBACK-10", expectations=(nothing,))]).outcome is Outcome.PASSED


def test_with_nothing_collected_there_is_no_verdict_and_no_success() -> None:
    grading = graded([entry("RESUME-1"), entry("OFF-1")], [])
    conclusion = conclude(grading)
    assert conclusion.verdicts["core"].result == "indeterminate"
    assert (conclusion.verdicts["core"].numerator, conclusion.verdicts["core"].denominator) == (0, 2)
    assert conclusion.exit_code == 4


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.EXPECTED_FAILURE, Outcome.FLAKY])
def test_a_check_that_says_what_it_failed_for_is_held_against_nothing_else(outcome: Outcome) -> None:
    entries = [entry("RESUME-1"), entry("RESUME-2")]
    failed = replace(check("a", "RESUME-1", "RESUME-2", outcome=outcome), failed_for=("RESUME-2",))
    grading = graded(entries, [failed], {"a": ["RESUME-1", "RESUME-2"]})
    assert [result.outcome for result in grading.requirements] == [Outcome.PASSED, outcome]


def test_a_check_cannot_say_that_it_holds_for_what_it_does_not_own_up_to() -> None:
    entries = [entry("RESUME-1"), entry("RESUME-2")]
    failed = replace(check("a", "RESUME-1", outcome=Outcome.FAILED), failed_for=("RESUME-1",))
    grading = graded(entries, [failed], {"a": ["RESUME-1", "RESUME-2"]})
    assert [result.outcome for result in grading.requirements] == [Outcome.FAILED, Outcome.FAILED]


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.UNTESTABLE, Outcome.NOT_RUN])
def test_what_ended_in_any_other_way_holds_for_nothing(outcome: Outcome) -> None:
    entries = [entry("RESUME-1"), entry("RESUME-2")]
    record = replace(check("a", "RESUME-1", "RESUME-2", outcome=outcome, reason="why"), failed_for=("RESUME-2",))
    grading = graded(entries, [record], {"a": ["RESUME-1", "RESUME-2"]})
    assert [result.outcome for result in grading.requirements] == [outcome, outcome]
