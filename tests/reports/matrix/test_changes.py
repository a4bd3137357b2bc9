"""What a report brought: regressions and fixes where the same was demanded, and nothing that was not there."""

from __future__ import annotations

from typing import Any

from tck_reports.matrix.gathering import gathered
from tck_reports.matrix.model import Change, VerdictChange
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .given_reports import given, report

PASSED, FAILED, DECLINED, LEFT = Outcome.PASSED, Outcome.FAILED, Outcome.UNSUPPORTED, Outcome.NOT_RUN


def changes(*reports: Report) -> list[Change]:
    """Return what each report brought, in the order of the reports."""
    site = gathered([given(one) for one in reports])
    rows = {row.digest: (engine.slug, row.slug) for engine in site.engines for row in engine.rows}
    found = {(one.engine, one.row): one for one in site.changes}
    return [found[rows[one["digest"]]] for one in reports]


def test_a_first_report_brings_its_verdicts() -> None:
    (only,) = changes(report(outcomes={"RESUME-1": FAILED}))
    assert only.kind == "new_engine"
    assert only.before is None
    assert only.verdicts == (VerdictChange("core", None, "nonconformant"),)
    assert not only.regressions


def test_what_passed_and_does_not_now_is_a_regression_and_the_other_way_a_fix() -> None:
    _, second = changes(
        report(version="1.0.0", outcomes={"RESUME-1": FAILED, "NAME-1": PASSED}),
        report(version="1.0.1", outcomes={"RESUME-1": PASSED, "NAME-1": FAILED}),
    )
    assert second.kind == "new_version"
    assert second.before == "1.0.0"
    assert (second.regressions, second.fixes) == (("NAME-1",), ("RESUME-1",))
    assert second.verdicts == ()


def test_a_verdict_that_turns_is_told() -> None:
    _, second = changes(report(version="1.0.0"), report(version="1.0.1", outcomes={"RESUME-1": FAILED}))
    assert second.verdicts == (VerdictChange("core", "conformant", "nonconformant"),)


def test_a_feature_that_is_declined_now_is_a_regression() -> None:
    _, second = changes(report(version="1.0.0"), report(version="1.0.1", outcomes={"CLEAN-1": DECLINED}))
    assert second.regressions == ("CLEAN-1",)


def test_what_was_not_run_is_neither() -> None:
    partial: dict[str, Any] = {"complete": False, "incomplete_reasons": ["filter"]}
    _, second, third = changes(
        report(version="1.0.0"),
        report(version="1.0.1", outcomes={"CLEAN-1": LEFT}, **partial),
        report(version="1.0.2"),
    )
    assert (second.regressions, second.fixes) == ((), ())
    assert (third.regressions, third.fixes) == ((), ())
    assert second.verdicts == (VerdictChange("core", "conformant", "indeterminate"),)


def test_a_mended_old_version_is_held_against_the_one_before_it_and_not_against_the_newest() -> None:
    _, newest, mended = changes(
        report(version="1.0.4", day=1, outcomes={"NAME-1": FAILED}),
        report(version="2.0.0", day=2),
        report(version="1.0.5", day=3),
    )
    assert (newest.before, mended.before) == ("1.0.5", "1.0.4")
    assert mended.fixes == ("NAME-1",)
    assert newest.fixes == ()


def test_a_requirement_of_another_text_is_no_regression_but_reworded() -> None:
    _, second = changes(
        report(version="1.0.0", spec="1.0.0", texts={"NAME-1": "Old."}),
        report(
            version="1.0.1",
            spec="1.1.0",
            texts={"NAME-1": "New."},
            outcomes={"NAME-1": FAILED, "OFF-1": FAILED},
        ),
    )
    assert second.regressions == ()
    assert second.reworded == ("NAME-1",)
    assert second.added == ("OFF-1",)
    assert second.removed == ()


def test_the_same_version_run_again_is_quiet_unless_something_changed() -> None:
    _, same, other = changes(
        report(day=1),
        report(day=2, kit={"version": "0.2.0"}),
        report(day=3, kit={"version": "0.3.0"}, outcomes={"NAME-1": FAILED}),
    )
    assert (same.kind, same.quiet) == ("new_run", True)
    assert (other.kind, other.quiet) == ("new_run", False)


def test_a_new_version_of_the_specification_is_told_once_with_what_it_changes() -> None:
    old = report(spec="1.0.0", texts={"NAME-1": "Old."}, day=1)
    new = report(spec="1.1.0", texts={"NAME-1": "New."}, outcomes={"OFF-1": PASSED}, day=2)
    again = report(name="other", spec="1.1.0", texts={"NAME-1": "New."}, outcomes={"OFF-1": PASSED}, day=3)
    site = gathered([given(one) for one in (old, new, again)])
    (told,) = [one for one in site.changes if one.kind == "new_spec"]
    assert (told.set, told.before, told.at) == ("session-resume-1.1.0", "session-resume-1.0.0", "2026-01-02T03:05:05Z")
    assert (told.reworded, told.added, told.removed) == (("NAME-1",), ("OFF-1",), ())
    assert (told.engine, told.row) == ("", "")


def test_an_entry_keeps_its_id_when_more_reports_come() -> None:
    first, second = report(version="1.0.0", day=1), report(version="1.0.1", day=2)
    before = {one.id for one in gathered([given(first), given(second)]).changes}
    more = [given(one) for one in (first, second, report(version="1.0.2", day=3), report(name="other", day=4))]
    assert before < {one.id for one in gathered(more).changes}
