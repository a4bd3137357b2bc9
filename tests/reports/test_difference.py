"""A difference tells what is worse, and of the engine only where both sides were judged by the same."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.difference.comparing import Difference, compare
from tck_reports.difference.kinds import MIRROR, WORDS, WORSE, Kind, kind_of
from tck_reports.difference.values import Evidence, Present, Reasoned, Redefined, Standing
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.records import CheckRecord, EvidenceClass, RequirementEntry
from tck_reports.shape import Report

from .samples import broke, check, entry, graded, held, mixed_report, report_of

FAILED, PASSED = Outcome.FAILED, Outcome.PASSED


def report(*checks: CheckRecord, entries: list[RequirementEntry] | None = None, cut_short: str | None = None) -> Report:
    """Make the report of these checks on these requirements, or on those that the checks name."""
    names = dict.fromkeys(name for one in checks for name in one.requirements)
    suite = {one.id: one.requirements for one in checks}
    return report_of(graded(entries or [entry(name) for name in names], checks, suite, cut_short=cut_short))


def one(outcome: Outcome, **more: Any) -> Report:  # noqa: ANN401 -- fields of a check
    return report(check("a", "RESUME-1", outcome=outcome, reason="why", **more), check("b", "RESUME-2"))


def changed(before: Report, edit: Callable[[dict[str, Any]], object]) -> Report:
    copy = deepcopy(before)
    edit(cast("dict[str, Any]", copy))
    return copy


def ids(difference: Difference) -> dict[str, list[str]]:
    return {
        "regressions": [row.id for row in difference.regressions],
        "hidden": [row.id for row in difference.hidden],
        "otherwise": [row.id for row in difference.judged_otherwise],
        "fixes": [row.id for row in difference.fixes],
    }


def seen(**lists: list[str]) -> dict[str, list[str]]:
    return {"regressions": [], "hidden": [], "otherwise": [], "fixes": [], **lists}


# The table of kinds


def test_every_pair_of_outcomes_has_a_kind_and_the_table_is_its_own_mirror() -> None:
    for old in Outcome:
        for new in Outcome:
            kind = kind_of(old, new)
            assert MIRROR[kind] == kind_of(new, old), (old, new)
            assert (kind == "same") is (old is new)
    assert set(MIRROR) == set(WORDS)


PAIRS: list[tuple[Outcome, Outcome, Kind]] = [
    (Outcome.PASSED, Outcome.FAILED, "regression"),
    (Outcome.PASSED, Outcome.UNTESTABLE, "regression"),
    (Outcome.PASSED, Outcome.FLAKY, "regression"),
    (Outcome.PASSED, Outcome.EXPECTED_FAILURE, "regression"),
    (Outcome.PASSED, Outcome.UNSUPPORTED, "withdrawn"),
    (Outcome.PASSED, Outcome.NOT_APPLICABLE, "lost"),
    (Outcome.FAILED, Outcome.EXCLUDED, "lost"),
    (Outcome.EXCLUDED, Outcome.FAILED, "found"),
    (Outcome.FAILED, Outcome.UNSUPPORTED, "dropped"),
    (Outcome.PASSED, Outcome.NOT_RUN, "lost"),
    (Outcome.PASSED, Outcome.ERROR, "lost"),
    (Outcome.PASSED, Outcome.STALE, "sideways"),
    (Outcome.STALE, Outcome.FAILED, "regression"),
    (Outcome.EXPECTED_FAILURE, Outcome.STALE, "fix"),
    (Outcome.EXPECTED_FAILURE, Outcome.FAILED, "unexcused"),
    (Outcome.FLAKY, Outcome.FAILED, "worse"),
    (Outcome.FLAKY, Outcome.EXPECTED_FAILURE, "worse"),
    (Outcome.FLAKY, Outcome.PASSED, "fix"),
    (Outcome.UNSUPPORTED, Outcome.FAILED, "claimed"),
    (Outcome.UNSUPPORTED, Outcome.PASSED, "taken_up"),
    (Outcome.NOT_RUN, Outcome.FAILED, "found"),
    (Outcome.NOT_RUN, Outcome.ERROR, "sideways"),
]


@pytest.mark.parametrize(("old", "new", "kind"), PAIRS)
def test_what_a_pair_of_outcomes_means(old: Outcome, new: Outcome, kind: Kind) -> None:
    assert kind_of(old, new) == kind


# What is told of the engine


def test_what_passed_and_does_not_any_more_is_a_regression_and_the_other_way_round_a_fix() -> None:
    old, new = one(PASSED), one(FAILED)
    there, back = compare(old, new), compare(new, old)
    assert (ids(there), there.exit_code) == (seen(regressions=["RESUME-1"]), ExitCode.NONCONFORMANT)
    assert (ids(back), back.exit_code) == (seen(fixes=["RESUME-1"]), ExitCode.CONFORMANT)
    row = there.regressions[0]
    assert (row.old, row.new, row.kind, row.new_reason) == (PASSED, FAILED, "regression", "why")
    assert row.broke == 'the id that the CLI was given: expected "s-1", actual "s-2"'
    assert [(move.id, move.kind) for move in there.checks] == [("a", "regression")]
    assert [(pair.old, pair.new) for pair in there.verdicts] == [
        (Standing("conformant", 2, 2, witnessed=True), Standing("nonconformant", 1, 2, witnessed=True))
    ]
    assert there.totals == {FAILED: (0, 1), PASSED: (2, 1)}


def test_a_regression_that_the_baseline_excuses_is_one() -> None:
    assert compare(one(PASSED), one(Outcome.EXPECTED_FAILURE)).exit_code is ExitCode.NONCONFORMANT


def test_a_check_that_regressed_below_a_requirement_that_failed_before_is_not_lost_in_it() -> None:
    a, b = check("a", "RESUME-1", outcome=FAILED), check("b", "RESUME-1")
    difference = compare(report(a, b), report(a, replace(b, outcome=FAILED, expectations=(broke(),))))
    assert (ids(difference), difference.requirements) == (seen(hidden=["b"]), ())
    assert difference.exit_code is ExitCode.NONCONFORMANT


def test_a_claim_that_is_withdrawn_is_worse_and_so_is_one_that_is_made_and_fails() -> None:
    declined = one(Outcome.UNSUPPORTED)
    withdrawn, claimed = compare(one(PASSED), declined), compare(declined, one(FAILED))
    assert ([row.kind for row in withdrawn.requirements], withdrawn.exit_code) == (["withdrawn"], 1)
    assert [row.id for row in withdrawn.withdrawn] == ["RESUME-1"]
    assert (ids(claimed)["regressions"], claimed.exit_code) == (["RESUME-1"], 1)
    assert (compare(declined, one(PASSED)).exit_code, claimed.withdrawn) == (0, ())


def test_a_claim_that_is_withdrawn_in_part_is_worse_although_its_requirement_passes() -> None:
    a, b = check("a", "RESUME-1"), check("b", "RESUME-1")
    difference = compare(report(a, b), report(a, replace(b, outcome=Outcome.UNSUPPORTED, expectations=())))
    assert (ids(difference), difference.requirements) == (seen(hidden=["b"]), ())
    assert ([row.id for row in difference.withdrawn], difference.exit_code) == (["b"], ExitCode.NONCONFORMANT)


def test_what_is_declined_in_a_scenario_that_is_new_is_not_held_against_the_engine() -> None:
    a, b = check("a", "RESUME-1"), check("b", "RESUME-1", outcome=Outcome.UNSUPPORTED)
    difference = compare(report(a), report(b))
    assert (ids(difference), difference.withdrawn) == (seen(otherwise=["RESUME-1"]), ())
    assert difference.exit_code is ExitCode.INCOMPLETE


def test_what_a_specification_sets_aside_is_not_held_against_the_engine_and_is_no_pass() -> None:
    difference = compare(one(PASSED), one(Outcome.EXCLUDED))
    assert (ids(difference), [row.kind for row in difference.requirements]) == (seen(), ["lost"])
    assert difference.exit_code is ExitCode.INCOMPLETE


def test_a_failure_that_is_told_for_the_first_time_is_no_regression() -> None:
    difference = compare(one(Outcome.NOT_RUN), one(FAILED))
    assert (ids(difference), [row.kind for row in difference.requirements]) == (seen(), ["found"])


def test_what_cannot_be_said_any_more_is_no_pass() -> None:
    for outcome in (Outcome.NOT_RUN, Outcome.ERROR):
        difference = compare(one(PASSED), one(outcome))
        assert (ids(difference), difference.exit_code) == (seen(), ExitCode.INCOMPLETE)


def test_what_fails_still_for_another_reason_is_told() -> None:
    a = check("a", "RESUME-1", outcome=FAILED)
    late = replace(a, reason="timeout: it never ended", expectations=())
    difference = compare(report(a), report(late))
    assert difference.reasons == (Reasoned("a", ("RESUME-1",), "the id that the CLI was given", "timeout"),)
    assert difference.exit_code is ExitCode.CONFORMANT


def test_a_run_by_another_name_is_no_other_reason() -> None:
    first, second = (
        report(
            check(
                "a",
                "RESUME-1",
                outcome=FAILED,
                expectations=[replace(broke(), statement=f"outcome of run {name} of it")],
            )
        )
        for name in ("r-1", "3f")
    )
    assert compare(first, second).empty


def resting(*classes: EvidenceClass, steps: tuple[str, ...] = ("Then it resumes",)) -> Report:
    """Make the report of passes that rest on these, one requirement for each."""
    return report(
        *(
            check(f"c{place}", f"RESUME-{place}", expectations=[held(one)], steps=steps)
            for place, one in enumerate(classes, 1)
        )
    )


def test_a_pass_that_costs_its_profile_that_it_is_witnessed_is_worse() -> None:
    difference = compare(resting("witnessed", "witnessed"), resting("witnessed", "reported"))
    assert difference.evidence == (Evidence("RESUME-2", "core", PASSED, "witnessed", "reported", weaker=True),)
    assert (difference.empty, ids(difference)) == (False, seen())
    assert [one.profile for one in difference.unwitnessed] == ["core"]
    assert difference.exit_code is ExitCode.NONCONFORMANT


def test_a_pass_on_less_evidence_is_not_silent_where_its_profile_was_not_witnessed_before() -> None:
    before, after = resting("reported", "witnessed"), resting("reported", "reported")
    assert (compare(before, after).unwitnessed, compare(before, after).exit_code) == ((), ExitCode.INCOMPLETE)
    assert [one.weaker for one in compare(after, before).evidence] == [False]
    assert compare(after, before).exit_code is ExitCode.CONFORMANT


def test_a_pass_on_less_evidence_in_another_scenario_is_not_held_against_the_engine() -> None:
    difference = compare(resting("witnessed"), resting("reported", steps=("Then it says so",)))
    assert [one.judged for one in difference.evidence] == ["other scenarios"]
    assert (difference.unwitnessed, difference.exit_code) == ((), ExitCode.INCOMPLETE)


def test_a_requirement_that_has_no_evidence_on_one_side_is_told() -> None:
    there, back = compare(one(PASSED), one(Outcome.NOT_RUN)), compare(one(Outcome.NOT_RUN), one(PASSED))
    assert there.evidence == (Evidence("RESUME-1", "core", Outcome.NOT_RUN, "witnessed", None, weaker=False),)
    assert back.evidence == (Evidence("RESUME-1", "core", PASSED, None, "witnessed", weaker=False),)


def test_new_and_gone_requirements_and_checks_are_told_with_their_outcomes() -> None:
    old = report(check("a", "RESUME-1"), check("b", "RESUME-2", outcome=FAILED))
    new = report(check("a", "RESUME-1"), check("c", "RESUME-3"))
    difference = compare(old, new)
    assert difference.gone_requirements == (Present("RESUME-2", FAILED, "assertion"),)
    assert difference.new_requirements == (Present("RESUME-3", PASSED, None),)
    assert [row.id for row in difference.gone_checks] == ["b"]
    assert [row.id for row in difference.new_checks] == ["c"]
    assert difference.exit_code is ExitCode.CONFORMANT


OTHER_DIGEST = f"sha256:{'1' * 64}"
SETS: list[tuple[str, str, str, ExitCode]] = [
    # what is gone, what is another one, its digest, exit code
    ("requirement", "", "", ExitCode.INCOMPLETE),
    ("requirement", "spec", "set_digest", ExitCode.INCOMPLETE),  # its check is gone from the same suite
    ("check", "", "", ExitCode.INCOMPLETE),
    ("check", "spec", "set_digest", ExitCode.INCOMPLETE),
    ("check", "kit", "version", ExitCode.INCOMPLETE),
    ("check", "kit", "suite_digest", ExitCode.CONFORMANT),
]


@pytest.mark.parametrize(("gone", "part", "digest", "code"), SETS)
def test_what_passed_and_is_gone_is_no_pass_unless_what_it_is_judged_by_is_another_one(
    gone: str, part: str, digest: str, code: ExitCode
) -> None:
    old = report(check("a", "RESUME-1"), check("b", "RESUME-1"), check("c", "RESUME-2"))
    kept = [check("a", "RESUME-1"), *([check("b", "RESUME-1")] if gone == "requirement" else [check("c", "RESUME-2")])]
    new = report(*kept)
    if part:
        new = changed(new, lambda it: it[part].update({digest: OTHER_DIGEST}))
    difference = compare(old, new)
    assert (bool(difference.vanished), difference.exit_code) == (code is ExitCode.INCOMPLETE, code)


def test_a_requirement_that_is_gone_with_its_set_and_suite_is_told_alone() -> None:
    old = report(check("a", "RESUME-1"), check("c", "RESUME-2"))
    new = changed(report(check("a", "RESUME-1")), lambda it: it["spec"].update(set_digest=OTHER_DIGEST))
    new = changed(new, lambda it: it["kit"].update(suite_digest=OTHER_DIGEST))
    difference = compare(old, new)
    assert ([row.id for row in difference.missed_requirements], difference.vanished) == (["RESUME-2"], ())
    assert difference.exit_code is ExitCode.CONFORMANT


def test_what_failed_and_is_gone_is_missed_by_nobody() -> None:
    a, b = check("a", "RESUME-1"), check("b", "RESUME-2", outcome=FAILED)
    difference = compare(report(a, b), report(a))
    assert ([row.id for row in difference.gone_checks], difference.vanished) == (["b"], ())
    assert difference.exit_code is ExitCode.CONFORMANT


@pytest.mark.parametrize("asked", [True, False])
def test_a_verdict_that_has_fallen_is_never_exit_code_0_where_it_was_asked_for(*, asked: bool) -> None:
    old = one(PASSED)
    new = report(check("a", "RESUME-1"), check("b", "RESUME-2"), check("c", "RESUME-3", outcome=FAILED))
    if not asked:
        old, new = (changed(side, lambda it: it["run"].update(asked=["hardened"])) for side in (old, new))
    difference = compare(old, new)
    assert (ids(difference), difference.comparable) == (seen(), True)
    assert [row.profile for row in difference.fallen] == (["core"] if asked else [])
    assert difference.exit_code is (ExitCode.INCOMPLETE if asked else ExitCode.CONFORMANT)


# Judged by something else


def test_a_requirement_that_says_something_else_is_not_held_against_the_engine() -> None:
    reworded = replace(entry("RESUME-1", text="The engine MUST do more."), text_digest=f"sha256:{'1' * 64}")
    new = report(check("a", "RESUME-1", outcome=FAILED), entries=[reworded])
    difference = compare(report(check("a", "RESUME-1")), new)
    assert ids(difference) == seen(otherwise=["RESUME-1"])
    assert [row.judged for row in (*difference.requirements, *difference.checks)] == ["other words", "other words"]
    assert difference.redefined == (
        Redefined("RESUME-1", "text", "The engine MUST do what RESUME-1 says.", "The engine MUST do more."),
    )
    assert difference.exit_code is ExitCode.INCOMPLETE


def test_level_status_and_profile_are_told() -> None:
    before = report(check("a", "RESUME-1"), entries=[entry("RESUME-1")])
    after = report(check("a", "RESUME-1"), entries=[entry("RESUME-1", status="proposed", level="SHOULD")])
    assert [(row.what, row.old, row.new) for row in compare(before, after).redefined] == [
        ("level", "MUST", "SHOULD"),
        ("status", "agreed", "proposed"),
        ("profile", "core", "hardened"),
    ]


def test_a_scenario_that_says_something_else_is_not_held_against_the_engine() -> None:
    failing = check("a", "RESUME-1", outcome=FAILED, steps=("Given an engine", "Then it does more"))
    difference = compare(report(check("a", "RESUME-1")), report(failing))
    assert ids(difference) == seen(otherwise=["RESUME-1"])
    assert [row.judged for row in difference.checks] == ["other scenarios"]


def test_a_scenario_that_is_new_is_not_held_against_the_engine_and_one_beside_it_is() -> None:
    a, b = check("a", "RESUME-1"), check("b", "RESUME-1", outcome=FAILED)
    alone = compare(report(a), report(a, b))
    assert (ids(alone), alone.exit_code) == (seen(otherwise=["RESUME-1"]), ExitCode.INCOMPLETE)
    both = compare(report(a), report(replace(b, id="a"), b))
    assert (ids(both), both.exit_code) == (seen(regressions=["RESUME-1"]), ExitCode.NONCONFORMANT)


def test_a_scenario_that_is_gone_makes_no_fix() -> None:
    a, b = check("a", "RESUME-1"), check("b", "RESUME-1", outcome=FAILED)
    difference = compare(report(a, b), report(a))
    assert (ids(difference), [row.judged for row in difference.requirements]) == (seen(), ["other scenarios"])


# What keeps two reports from being compared


OTHER: list[tuple[str, str, Callable[[dict[str, Any]], object], bool]] = [
    ("another engine", "engine", lambda one: one["implementation"].update(name="other"), True),
    ("another specification", "specification", lambda one: one["spec"].update(id="other"), True),
    ("another edition", "specification", lambda one: one["spec"].update(version="2.0.0"), False),
    ("another set", "specification", lambda one: one["spec"].update(set_digest=f"sha256:{'1' * 64}"), False),
    ("another kit", "kit", lambda one: one["kit"].update(version="0.2.0"), False),
    ("another suite", "kit", lambda one: one["kit"].update(suite_digest=f"sha256:{'1' * 64}"), False),
    ("another seed", "seed", lambda one: one["run"].update(seed=43), False),
    ("another way", "transport", lambda one: one["run"].update(transport="http"), False),
    ("other tries", "tries", lambda one: one["run"].update(retries=2), False),
    ("other profiles", "profiles", lambda one: one["run"].update(profiles=["core", "hardened"]), False),
    ("real containers", "surroundings", lambda one: one["run"]["surroundings"].update(isolation="enforced"), False),
    ("less of it", "incomplete", lambda one: one.update(incomplete_reasons=["filter: 1 of 2"]), True),
    ("a fault", "invalid", lambda one: one.update(faults=["driver: it lied"]), True),
    ("a control", "invalid", lambda one: one["controls"][0].update(observed="passed"), True),
]


@pytest.mark.parametrize(("subject", "edit", "spoils"), [row[1:] for row in OTHER], ids=[row[0] for row in OTHER])
def test_what_is_not_the_same_on_both_sides_is_said_first(
    subject: str, edit: Callable[[dict[str, Any]], object], *, spoils: bool
) -> None:
    before = one(PASSED)
    after = changed(before, edit)
    difference = compare(before, after)
    assert [(caveat.subject, caveat.spoils) for caveat in difference.caveats] == [(subject, spoils)]
    assert (difference.empty, difference.comparable) == (True, not spoils)
    assert difference.exit_code is (ExitCode.INCOMPLETE if spoils else ExitCode.CONFORMANT)


@pytest.mark.parametrize("place", [row[0] for row in OTHER if row[1] in {"incomplete", "invalid"}])
def test_what_is_wanting_in_the_old_report_may_have_passed_and_be_worse_now(place: str) -> None:
    edit = next(row[2] for row in OTHER if row[0] == place)
    old = changed(one(PASSED), edit)
    difference = compare(old, one(PASSED))
    assert [caveat.spoils for caveat in difference.caveats] == [True]
    assert difference.exit_code is ExitCode.INCOMPLETE
    assert compare(old, one(FAILED)).exit_code is ExitCode.NONCONFORMANT


def test_an_error_of_the_old_report_hides_what_there_was_to_lose() -> None:
    difference = compare(one(Outcome.ERROR), one(FAILED))
    assert [(caveat.subject, caveat.old) for caveat in difference.caveats] == [
        ("invalid", "error in 1 of 2 requirements")
    ]
    assert difference.exit_code is ExitCode.INCOMPLETE


def test_between_two_engines_nothing_is_a_regression_and_in_half_a_run_a_regression_is_one() -> None:
    old, new = one(PASSED), one(FAILED)
    other = changed(new, lambda it: it["implementation"].update(name="other"))
    assert compare(old, other).exit_code is ExitCode.INCOMPLETE
    assert compare(old, other, one_engine=True).exit_code is ExitCode.NONCONFORMANT
    half = changed(new, lambda it: it.update(incomplete_reasons=["cut short: interrupted"]))
    assert compare(old, half).exit_code is ExitCode.NONCONFORMANT


# Laws


OUTCOMES = st.sampled_from([one for one in Outcome if one is not Outcome.EXCLUDED])


@st.composite
def reports(draw: st.DrawFn) -> Report:
    checks = [
        check(
            f"c{place}",
            *draw(st.lists(st.sampled_from(["RESUME-1", "RESUME-2", "OFF-1"]), min_size=1, max_size=2, unique=True)),
            outcome=draw(OUTCOMES),
            reason=draw(st.sampled_from(["assertion", "timeout", "crashed"])),
            steps=draw(st.sampled_from([("When a",), ("When b",)])),
        )
        for place in draw(st.sets(st.integers(0, 4)))
    ]
    digests = {name: f"sha256:{draw(st.sampled_from('01')) * 64}" for name in ("RESUME-1", "RESUME-2", "OFF-1")}
    wanted = sorted({"RESUME-1", *(name for one in checks for name in one.requirements)})
    entries = [replace(entry(name), text_digest=digests[name]) for name in wanted]
    return report_of(graded(entries, checks))


@given(reports())
def test_a_report_does_not_differ_from_itself(one: Report) -> None:
    difference = compare(one, deepcopy(one))
    assert difference.empty
    assert (difference.regressions, difference.hidden, difference.fixes, difference.judged_otherwise) == (
        (),
        (),
        (),
        (),
    )


@given(reports(), reports())
def test_the_other_way_round_regressions_are_fixes_and_everything_else_is_its_mirror(a: Report, b: Report) -> None:
    there, back = compare(a, b), compare(b, a)
    assert {row.id for row in there.regressions} == {row.id for row in back.fixes}
    assert {row.id for row in there.fixes} == {row.id for row in back.regressions}
    for left, right in ((there.requirements, back.requirements), (there.checks, back.checks)):
        assert {(row.id, MIRROR[row.kind], row.new, row.judged) for row in left} == {
            (row.id, row.kind, row.old, row.judged) for row in right
        }
    assert {row.id for row in there.new_checks} == {row.id for row in back.gone_checks}
    assert {row.id for row in there.new_requirements} == {row.id for row in back.gone_requirements}
    assert {(row.id, row.new, row.old) for row in there.reasons} == {(row.id, row.old, row.new) for row in back.reasons}
    assert [caveat.subject for caveat in there.caveats] or there.comparable
    assert there.totals == {outcome: (old, new) for outcome, (new, old) in back.totals.items()}


@given(reports(), reports())
def test_exit_code_0_says_that_nothing_that_passed_on_both_sides_is_lost(a: Report, b: Report) -> None:
    difference = compare(a, b)
    if difference.exit_code is ExitCode.CONFORMANT:
        assert all(row.kind not in WORSE | {"lost"} for row in (*difference.requirements, *difference.checks))
        assert not any(row.fallen for row in difference.verdicts)
        assert (difference.vanished, difference.weaker) == ((), ())
        assert not any(caveat.subject in {"incomplete", "invalid"} for caveat in difference.caveats)


def test_a_report_with_every_outcome_does_not_differ_from_itself() -> None:
    assert compare(mixed_report(), mixed_report()).empty
