"""What a run comes to: examples from the rules, then laws over all runs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.grading import Grading
from tck_reports.outcomes import MEANINGS, ExitCode, Outcome
from tck_reports.reading import inconsistencies
from tck_reports.records import CheckRecord, Control, RequirementEntry, profiles_named
from tck_reports.verdict import Conclusion, conclude

from .samples import broke, check, entry, graded, held, report_of


def run_of(*outcomes: Outcome) -> Grading:
    """Grade one requirement for each outcome."""
    entries = [entry(f"RESUME-{place}", level="SHOULD") for place, _ in enumerate(outcomes, 1)]
    checks = [
        check(f"c{place}", f"RESUME-{place}", outcome=outcome, reason="why")
        for place, outcome in enumerate(outcomes, 1)
    ]
    return graded(entries, checks)


def core(conclusion: Conclusion) -> tuple[str, int, int, int]:
    verdict = conclusion.verdicts["core"]
    return verdict.result, verdict.numerator, verdict.denominator, int(conclusion.exit_code)


PASSED = Outcome.PASSED


@pytest.mark.parametrize(
    ("outcomes", "right"),
    [
        ((PASSED, PASSED), ("conformant", 2, 2, 0)),
        ((PASSED, Outcome.FAILED), ("nonconformant", 1, 2, 1)),
        ((PASSED, Outcome.UNTESTABLE), ("nonconformant", 1, 2, 1)),
        ((PASSED, Outcome.ERROR), ("indeterminate", 1, 2, 4)),
        ((PASSED, Outcome.NOT_RUN), ("indeterminate", 1, 2, 3)),
        ((PASSED, Outcome.UNSUPPORTED), ("conformant", 1, 1, 0)),
        ((PASSED, Outcome.UNSUPPORTED, Outcome.UNSUPPORTED), ("indeterminate", 1, 1, 3)),
        ((PASSED, Outcome.NOT_APPLICABLE), ("conformant", 1, 1, 0)),
        ((PASSED, Outcome.EXCLUDED), ("conformant", 1, 1, 0)),
        ((PASSED, Outcome.FLAKY), ("nonconformant", 1, 2, 1)),
        ((PASSED, Outcome.EXPECTED_FAILURE), ("nonconformant", 1, 2, 0)),
        ((PASSED, Outcome.STALE), ("nonconformant", 1, 2, 5)),
        ((Outcome.UNSUPPORTED, Outcome.EXCLUDED), ("indeterminate", 0, 0, 3)),
        ((), ("indeterminate", 0, 0, 3)),
        ((Outcome.FAILED, Outcome.ERROR, Outcome.NOT_RUN, Outcome.STALE), ("indeterminate", 0, 4, 4)),
        ((Outcome.FAILED, Outcome.NOT_RUN, Outcome.STALE), ("indeterminate", 0, 3, 3)),
        ((Outcome.FAILED, Outcome.STALE), ("nonconformant", 0, 2, 1)),
        ((Outcome.STALE, Outcome.EXPECTED_FAILURE), ("nonconformant", 0, 2, 5)),
    ],
    ids=lambda value: (
        "+".join(value) if isinstance(value, tuple) and all(isinstance(x, Outcome) for x in value) else ""
    ),
)
def test_outcomes_come_to_their_verdict_and_exit_code(
    outcomes: tuple[Outcome, ...], right: tuple[str, int, int, int]
) -> None:
    assert core(conclude(run_of(*outcomes))) == right


@pytest.mark.parametrize(
    ("beside", "right"),
    [
        (PASSED, ("nonconformant", 0, 1, 5)),
        (Outcome.EXPECTED_FAILURE, ("nonconformant", 0, 1, 5)),
        (Outcome.FLAKY, ("nonconformant", 0, 1, 1)),
        (Outcome.FAILED, ("nonconformant", 0, 1, 1)),
        (Outcome.UNTESTABLE, ("nonconformant", 0, 1, 1)),
    ],
)
def test_an_entry_that_is_out_of_date_hides_nothing_that_fails_beside_it(
    beside: Outcome, right: tuple[str, int, int, int]
) -> None:
    checks = [check("a", "RESUME-1", outcome=Outcome.STALE), check("b", "RESUME-1", outcome=beside, reason="why")]
    grading = graded([entry("RESUME-1")], checks)
    assert core(conclude(grading)) == right
    assert inconsistencies(report_of(grading)) == []


def test_a_report_that_called_such_a_requirement_stale_can_still_be_read() -> None:
    flaky = check("b", "RESUME-1", outcome=Outcome.FLAKY, reason="why")
    report = report_of(graded([entry("RESUME-1")], [check("a", "RESUME-1", outcome=Outcome.STALE), flaky]))
    report["requirements"][0]["outcome"], report["exit_code"] = "stale", 5
    report["verdict"]["core"]["counts"] = {"stale": 1}
    assert inconsistencies(report) == []


def test_exit_code_zero_says_what_the_baseline_excuses() -> None:
    known = Outcome.EXPECTED_FAILURE
    assert conclude(run_of(PASSED)).why == "nothing speaks against it"
    assert conclude(run_of(PASSED, known)).why == "nothing failed that the baseline does not excuse (1 known failure)"
    assert (
        conclude(run_of(PASSED, known, known)).why
        == "nothing failed that the baseline does not excuse (2 known failures)"
    )


def test_a_known_failure_of_a_profile_that_was_not_asked_for_has_no_share_in_the_reason() -> None:
    entries = [entry("RESUME-1"), entry("RESUME-11", status="proposed")]
    checks = [check("a", "RESUME-1"), check("b", "RESUME-11", outcome=Outcome.EXPECTED_FAILURE)]
    grading = graded(entries, checks, profiles=("core", "hardened"))
    assert conclude(grading, asked=("core",)).why == "nothing speaks against it"


def test_a_filtered_run_never_gives_zero() -> None:
    entries = [entry("RESUME-1"), entry("OFF-1")]
    suite = {"a": ["RESUME-1"], "b": ["OFF-1"]}
    passed = graded(entries, [check("a", "RESUME-1")], suite, only={"RESUME-1"})
    failed = graded(entries, [check("a", "RESUME-1", outcome=Outcome.FAILED)], suite, only={"RESUME-1"})
    assert core(conclude(passed)) == ("indeterminate", 1, 2, 3)
    assert core(conclude(failed)) == ("indeterminate", 0, 2, 1)


def test_a_run_cut_short_says_so_even_where_something_failed() -> None:
    entries = [entry("RESUME-1"), entry("OFF-1")]
    checks = [check("a", "RESUME-1", outcome=Outcome.FAILED)]
    grading = graded(entries, checks, {"a": ["RESUME-1"], "b": ["OFF-1"]}, cut_short="the budget is spent")
    assert core(conclude(grading)) == ("indeterminate", 0, 2, 3)
    assert conclude(grading).why == "the budget is spent"


def test_a_failure_does_not_hide_that_its_requirement_was_cut_short() -> None:
    checks = [check("a", "RESUME-1", outcome=Outcome.FAILED), check("b", "RESUME-1", outcome=Outcome.NOT_RUN)]
    assert core(conclude(graded([entry("RESUME-1")], checks))) == ("indeterminate", 0, 1, 3)


def test_a_failure_does_not_hide_a_check_that_never_came_because_the_run_was_cut_short() -> None:
    failed = check("a", "RESUME-1", outcome=Outcome.FAILED)
    grading = graded([entry("RESUME-1")], [failed], {"a": ["RESUME-1"], "b": ["RESUME-1"]}, cut_short="budget")
    assert core(conclude(grading)) == ("indeterminate", 0, 1, 3)


def test_a_filter_that_happens_to_keep_everything_still_gives_no_verdict() -> None:
    grading = graded([entry("RESUME-1")], [check("a", "RESUME-1")], only={"RESUME-1"})
    assert core(conclude(grading)) == ("indeterminate", 1, 1, 3)


def test_without_any_evidence_there_is_no_verdict() -> None:
    crashed = [check(name, "RESUME-1", outcome=Outcome.FAILED, reason="crashed", expectations=()) for name in "ab"]
    conclusion = conclude(graded([entry("RESUME-1")], crashed))
    assert core(conclusion) == ("indeterminate", 0, 1, 1)
    assert conclusion.verdicts["core"].why == "there is no evidence at all"
    assert core(conclude(run_of(Outcome.UNTESTABLE))) == ("indeterminate", 0, 1, 1)


def test_what_is_proposed_never_decides_core() -> None:
    entries = [entry("RESUME-1"), entry("RESUME-11", status="proposed")]
    checks = [check("a", "RESUME-1"), check("b", "RESUME-11", outcome=Outcome.FAILED)]
    grading = graded(entries, checks, profiles=("core", "hardened"))
    by_core = conclude(grading, asked=("core",))
    assert core(by_core) == ("conformant", 1, 1, 0)
    assert by_core.verdicts["hardened"].result == "nonconformant"
    assert conclude(grading).exit_code == 1


def test_a_control_that_gives_something_else_makes_every_verdict_impossible() -> None:
    conclusion = conclude(run_of(PASSED), controls=[Control("never resumes", "failed", "passed")])
    assert core(conclusion) == ("indeterminate", 1, 1, 4)
    assert conclusion.why == "control never resumes gave passed, not failed"


def test_a_fault_of_the_run_makes_every_verdict_impossible() -> None:
    grading = replace(run_of(PASSED), faults=("check a was emitted 2 times",))
    assert core(conclude(grading)) == ("indeterminate", 1, 1, 4)


def test_a_baseline_that_names_unknown_checks_is_stale() -> None:
    assert core(conclude(run_of(PASSED), stale_entries=["gone"])) == ("conformant", 1, 1, 5)


def test_a_profile_without_requirements_is_indeterminate() -> None:
    conclusion = conclude(run_of(PASSED), asked=("reuse",))
    assert conclusion.verdicts["reuse"].result == "indeterminate"
    assert conclusion.exit_code == 3


def test_all_stands_for_core_and_hardened() -> None:
    assert profiles_named("all") == ("core", "hardened")
    assert profiles_named("reuse") == ("reuse",)


def witnessed(*checks: CheckRecord, entries: list[RequirementEntry]) -> bool:
    return conclude(graded(entries, checks, excluded={"ISOLATE-7": "why"})).verdicts["core"].witnessed


def test_witnessed_needs_every_pass_to_be_witnessed() -> None:
    entries = [entry("RESUME-1"), entry("RESUME-2")]
    reported = check("b", "RESUME-2", expectations=(held("reported"),))
    assert witnessed(check("a", "RESUME-1"), check("b", "RESUME-2"), entries=entries)
    assert not witnessed(check("a", "RESUME-1"), reported, entries=entries)
    assert not witnessed(check("a", "RESUME-1", outcome=Outcome.FAILED), entries=entries[:1])


@pytest.mark.parametrize("name", ["ISOLATE-7", "FALLBACK-8", "FALLBACK-11"])
def test_witnessed_needs_isolation_and_silent_fallbacks_among_the_passes(name: str) -> None:
    entries = [entry("RESUME-1"), entry(name, level="SHOULD")]
    declined = check("b", name, outcome=Outcome.UNSUPPORTED)
    assert not witnessed(check("a", "RESUME-1"), declined, entries=entries)
    assert witnessed(check("a", "RESUME-1"), check("b", "RESUME-2"), entries=[entry("RESUME-1"), entry("RESUME-2")])


# Laws. A run is drawn as requirements with any checks, any outcomes, any evidence.

NAMES = [f"{area}-{number}" for area in ("RESUME", "ISOLATE", "FALLBACK") for number in (1, 8)]
expectations = st.lists(st.sampled_from([held(), held("reported"), broke()]), max_size=3)


@st.composite
def runs(draw: st.DrawFn) -> Grading:
    entries = [
        entry(name, status=draw(st.sampled_from(["agreed", "proposed"])), level=draw(st.sampled_from(["MUST", "MAY"])))
        for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))
    ]
    names = [one.id for one in entries] or ["RESUME-1"]
    checks = [
        check(
            draw(st.sampled_from([f"c{place}", "twice"])),
            *draw(st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=2)),
            outcome=draw(st.sampled_from(Outcome)),
            reason=draw(st.sampled_from([None, "filter", "budget", "why"])),
            expectations=draw(expectations),
        )
        for place in range(draw(st.integers(0, 8)))
    ]
    suite = {record.id: record.requirements for record in checks}
    suite |= draw(st.sampled_from([{}, {"absent": (names[0],)}]))
    return graded(
        entries,
        checks,
        suite,
        profiles=draw(st.sampled_from([("core",), ("hardened",), ("core", "hardened")])),
        only=draw(st.sampled_from([None, None, names[:1]])),
        cut_short=draw(st.sampled_from([None, None, "budget"])),
    )


@given(runs())
def test_a_numerator_is_never_above_its_denominator(grading: Grading) -> None:
    for profile, verdict in conclude(grading).verdicts.items():
        rows = [row for row in grading.requirements if row.entry.profile == profile]
        assert 0 <= verdict.numerator <= verdict.denominator <= len(rows)


@given(runs())
def test_conformant_means_that_everything_counted_passed_on_evidence_and_nothing_was_left_out(grading: Grading) -> None:
    for profile, verdict in conclude(grading).verdicts.items():
        rows = [row for row in grading.requirements if row.entry.profile == profile]
        if verdict.result == "conformant":
            assert verdict.numerator == verdict.denominator > 0
            assert not grading.faults
            counted = [row for row in rows if MEANINGS[row.outcome].counted]
            assert all(row.outcome is PASSED and row.checks and row.evidence and not row.missing for row in counted)


@given(runs())
def test_exit_code_zero_means_that_nothing_counted_is_worse_than_a_known_failure(grading: Grading) -> None:
    conclusion = conclude(grading)
    if conclusion.exit_code is ExitCode.CONFORMANT:
        outcomes = {row.outcome for row in grading.requirements if row.entry.profile in grading.profiles}
        assert outcomes <= {PASSED, Outcome.EXPECTED_FAILURE} | {one for one in Outcome if not MEANINGS[one].counted}
        assert not grading.incomplete_reasons
        if Outcome.EXPECTED_FAILURE not in outcomes:
            assert all(verdict.result == "conformant" for verdict in conclusion.verdicts.values())


@given(runs())
def test_a_verdict_of_nonconformant_or_none_never_exits_zero_without_a_baseline(grading: Grading) -> None:
    conclusion = conclude(grading)
    excused = any(row.outcome is Outcome.EXPECTED_FAILURE for row in grading.requirements)
    if any(verdict.result != "conformant" for verdict in conclusion.verdicts.values()) and not excused:
        assert conclusion.exit_code is not ExitCode.CONFORMANT


@given(runs(), st.data())
def test_one_more_failing_check_never_makes_anything_better(grading: Grading, data: st.DataObject) -> None:
    entries = [row.entry for row in grading.requirements]
    if not entries:
        return
    target = data.draw(st.sampled_from(entries))
    more = check("one_more", target.id, outcome=Outcome.FAILED)
    checks = (*grading.checks, more)
    suite = {record.id: record.requirements for record in checks} | {
        name: (row.entry.id,) for row in grading.requirements for name in row.missing
    }
    worse = conclude(graded(entries, checks, suite, profiles=grading.profiles, cut_short=grading.cut_short))
    before = conclude(graded(entries, grading.checks, suite, profiles=grading.profiles, cut_short=grading.cut_short))
    for profile, verdict in worse.verdicts.items():
        assert verdict.numerator <= before.verdicts[profile].numerator
        if before.verdicts[profile].result != "conformant":
            assert verdict.result != "conformant"
    if target.profile in grading.profiles:
        assert worse.verdicts[target.profile].result != "conformant"
        assert worse.exit_code is not ExitCode.CONFORMANT
