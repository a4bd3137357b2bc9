"""A report that is cut short afterwards says so wherever a run that was cut short does."""

import pytest

from tck_reports.outcomes import Outcome
from tck_reports.reading import inconsistencies, validate
from tck_reports.records import Control
from tck_reports.report import content_digest
from tck_reports.shortened import shortened

from .samples import check, entry, graded, mixed_report, report_of


def test_a_report_without_a_fault_becomes_that_of_a_run_that_was_cut_short() -> None:
    entries, checks = [entry("RESUME-1")], [check("a", "RESUME-1")]
    whole = report_of(graded(entries, checks))
    assert (whole["exit_code"], whole["complete"]) == (0, True)

    cut = shortened(whole, "the trace breaks off")

    assert cut == report_of(graded(entries, checks, cut_short="the trace breaks off"))
    assert (cut["exit_code"], cut["exit_reason"]) == (3, "the trace breaks off")
    assert validate(cut) == inconsistencies(cut) == []


WRONG = Control("silent engine", "failed", "passed")


@pytest.mark.parametrize(
    ("outcome", "controls", "code"), [(Outcome.FAILED, [], 3), (Outcome.PASSED, [WRONG], 4), (Outcome.ERROR, [], 4)]
)
def test_a_failure_is_of_a_run_that_was_cut_short_and_a_fault_stays_one(
    outcome: Outcome, controls: list[Control], code: int
) -> None:
    given = check("a", "RESUME-1", outcome=outcome, reason=None if outcome is Outcome.PASSED else "assertion")
    whole = report_of(graded([entry("RESUME-1")], [given]), controls=controls)
    assert shortened(whole, "interrupted")["exit_code"] == code


def test_what_cut_it_short_before_is_told_as_well_and_the_report_is_left_as_it_was() -> None:
    whole = mixed_report()
    before = content_digest(whole)

    cut = shortened(whole, "interrupted at http://user:secret@host")

    assert content_digest(whole) == before == whole["digest"]
    assert cut["run"]["cut_short"] == f"interrupted at http://user:[redacted]@host; {whole['run']['cut_short']}"
    assert cut["incomplete_reasons"][0] == cut["run"]["cut_short"]
    assert cut["redactions"] == whole["redactions"] + 1
    assert inconsistencies(cut) == []
