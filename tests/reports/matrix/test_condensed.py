"""What the matrix takes from one report: all of its outcomes, nothing that could do harm, and no more than it shows."""

from __future__ import annotations

from typing import Any

import pytest
from tests.reports.samples import check, entry, graded, mixed_report, report_of

from tck_reports.errors import ReportReadError
from tck_reports.matrix.condensed import LINE, SHORT, address, condense, line, moment
from tck_reports.matrix.model import ABSENT, SIGNS
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .given_reports import given, report


def test_a_row_has_a_sign_for_every_outcome() -> None:
    made = mixed_report()
    row = given(made)
    assert row.cells == "".join(SIGNS[Outcome(one["outcome"])] for one in made["requirements"])
    assert len({*row.cells}) == len(SIGNS)
    assert [column.id for column in row.columns] == [one["id"] for one in made["requirements"]]
    assert dict(row.reasons).keys() == {one["id"] for one in made["requirements"] if one["outcome"] != "passed"}


def test_what_nobody_asked_for_is_neither_open_nor_missing() -> None:
    made = report_of(graded([entry("RESUME-1"), entry("OFF-9", status="proposed")], [check("a", "RESUME-1")]))
    assert [one["outcome"] for one in made["requirements"]] == ["passed", "not_run"]

    row = given(made)

    assert row.cells == f"P{ABSENT}"
    assert row.reasons == ()


def test_evidence_is_told_as_it_was_graded() -> None:
    made = mixed_report()
    row = given(made)
    expected = {"witnessed": "w", "reported": "r", None: "-"}
    assert list(row.evidence) == [expected[one["evidence"]] for one in made["requirements"]]


def test_the_verdict_is_that_of_the_report() -> None:
    made = report(outcomes={"RESUME-1": Outcome.FAILED})
    (verdict,) = given(made).verdicts
    assert (verdict.result, verdict.numerator, verdict.denominator) == ("nonconformant", 3, 4)


@pytest.mark.parametrize(
    "parts",
    [
        {"complete": False, "incomplete_reasons": ["cut short: the time was up"]},
        {"faults": ["check a was emitted twice"]},
        {"run": {"shard": {"number": 2, "count": 5}}},
    ],
)
def test_a_run_that_was_not_whole_conforms_to_nothing(parts: dict[str, Any]) -> None:
    made = report(**parts)
    assert made["verdict"]["core"]["result"] == "conformant"
    row = given(made)
    assert [one.result for one in row.verdicts] == ["indeterminate"]
    assert row.verdicts[0].why in {
        "cut short: the time was up",
        "check a was emitted twice",
        "one part of a run that was shared out",
    }


def test_an_engine_that_is_wrong_on_purpose_is_known_by_how_it_was_named() -> None:
    assert given(report(run={"engine": "mutant:key-for-number"})).faulty
    assert not given(report(run={"engine": "./my mutant: really"})).faulty


@pytest.mark.parametrize("version", ["main", "feature/x-1", "", "latest"])
def test_a_branch_is_no_version(version: str) -> None:
    with pytest.raises(ReportReadError, match="version") as caught:
        given(report(version=version), "acme/report.json")
    assert caught.value.where == "acme/report.json"
    assert "state" in caught.value.cure


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand  spaces", "two lines and spaces"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ufeffmark", "\\ufeffmark"),
        ("\x00", "\\x00"),
        ("\ufffe\uffff", "\\ufffe\\uffff"),
        ("😀 ok", "😀 ok"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert line(text) == shown


@pytest.mark.parametrize("text", ["x" * 10_000_000, "\x1b" * 10_000_000, "\u202e" * 1_000])
def test_a_text_of_any_length_becomes_a_line(text: str) -> None:
    assert len(line(text)) == LINE
    assert line(text).endswith("…")


def test_a_hostile_report_leaves_nothing_that_a_terminal_or_a_reader_obeys() -> None:
    evil = "\x1b]0;owned\x07<script>alert(1)</script>\u202e\u200b\n" + "m" * 10_000
    entries = [entry("RESUME-1", text=evil)]
    checks = [check("a", "RESUME-1", outcome=Outcome.UNSUPPORTED, reason=evil)]
    made = report_of(graded(entries, checks), name=evil)
    row = given(made)
    shown = [row.name, row.columns[0].text, *dict(row.reasons).values(), row.exit_reason, row.verdicts[0].why]
    for text in shown:
        assert text.isprintable()
        assert "\u202e" not in text
    assert len(row.name) == SHORT


@pytest.mark.parametrize(
    "url", ["https://engine.example", "http://engine.example:8080/a?b=c#d", "https://engine.example/%E2%80%AE"]
)
def test_an_address_of_the_web_is_kept(url: str) -> None:
    assert address(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        " https://engine.example",
        "data:text/html,<script>",
        "//engine.example",
        "https://",
        "https:///path",
        'https://engine.example/"onclick=',
        "https://engine.example/<b>",
        "https://engine.example/\x1b",
        "https://engine.example/\u202e",
        "https://user:password@engine.example",
        "https://engine.example:port",
        "https://[::1",
        "ftp://engine.example",
        f"https://engine.example/{'x' * 1000}",
    ],
)
def test_any_other_address_is_not(url: str) -> None:
    assert not address(url)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.612+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
    ],
)
def test_times_are_told_in_utc(text: str, utc: str) -> None:
    assert moment(text, "run.started", "a.json") == utc


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-01-02T03:04:05", "9999-12-31T23:59:59-23:00", "2026-13-01T00:00Z"]
)
def test_what_is_no_time_is_a_clear_error(text: str) -> None:
    with pytest.raises(ReportReadError, match=r"run\.started is no time"):
        moment(text, "run.started", "a.json")


def test_real_parts_that_the_engine_met_are_named() -> None:
    met = {"isolation": "enforced", "database": "SQLite", "not_exercised": []}
    real = report(run={"surroundings": {"containers": "Docker 27.1", "clis": "stand-ins", **met}})
    assert given(real).surroundings == "real containers"
    assert not given(report()).surroundings


def test_a_requirement_that_stands_twice_is_an_error() -> None:
    made: Report = report()
    made["requirements"].append(made["requirements"][0])
    with pytest.raises(ReportReadError, match="names a requirement twice"):
        condense(made, "a.json")


def test_more_requirements_than_any_specification_has_are_an_error() -> None:
    made: Report = report()
    made["requirements"] *= 600
    with pytest.raises(ReportReadError, match="more than 2000 requirements"):
        condense(made, "a.json")
