"""What people read of an exit code: that a job passes, and never that an engine conforms which does not."""

import io
import re
from collections.abc import Callable

import pytest

from tck_reports import terminal
from tck_reports.explain import exit_line
from tck_reports.formats import ctrf, cucumber, html, junit, markdown, sarif
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .samples import check, entry, graded, report_of

PASSED, KNOWN, FAILED = Outcome.PASSED, Outcome.EXPECTED_FAILURE, Outcome.FAILED
EXCUSED = "excused: nothing failed that the baseline does not excuse (2 known failures)"


def run_of(*outcomes: Outcome, spec: str = "agreed") -> Report:
    names = [f"RESUME-{place}" for place, _ in enumerate(outcomes, 1)]
    checks = [check(f"c{name}", name, outcome=one, reason="why") for name, one in zip(names, outcomes, strict=True)]
    return report_of(
        graded([entry(name, status=spec) for name in names], checks, profiles=("core", "hardened")), asked=["core"]
    )


def _terminal(report: Report) -> str:
    stream = io.StringIO()
    terminal.write(report, stream, width=200, color=False)
    return stream.getvalue()


FORMATS: dict[str, Callable[[Report], str]] = {
    "terminal": _terminal,
    "markdown": markdown.render,
    "html": html.render,
    "junit": junit.render,
    "ctrf": ctrf.render,
    "cucumber": cucumber.render,
    "sarif": sarif.render,
}


@pytest.mark.parametrize(
    ("outcomes", "line"),
    [
        ((PASSED, PASSED), "exit code 0, conformant: nothing speaks against it"),
        ((PASSED, KNOWN, KNOWN), f"exit code 0, {EXCUSED}"),
        ((PASSED, FAILED, KNOWN), "exit code 1, nonconformant: RESUME-2: failed (why)"),
    ],
)
def test_only_a_conformant_engine_is_called_so(outcomes: tuple[Outcome, ...], line: str) -> None:
    assert exit_line(run_of(*outcomes)) == line


def test_a_report_that_was_written_before_is_told_in_the_words_of_today() -> None:
    report = run_of(PASSED, KNOWN, KNOWN)
    report["exit_reason"] = "nothing speaks against it"
    assert exit_line(report) == f"exit code 0, {EXCUSED}"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_what_a_baseline_excuses(form: str) -> None:
    report = run_of(PASSED, KNOWN, KNOWN)
    text = re.sub(r"<[^>]*strong>|[\\\n]", "", FORMATS[form](report))
    assert EXCUSED in re.sub(r"\s+", " ", text)
    assert "nothing speaks against it" not in text
