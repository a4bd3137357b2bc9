"""JSON for scripts."""

from __future__ import annotations

import json

from tck_reports.findings import render

from .listings import HOSTILE, clean, hostile, ordinary


def test_each_finding_has_its_rule_place_and_message() -> None:
    findings = json.loads(render("json", ordinary()))["findings"]
    assert {name: findings[1][name] for name in ("rule", "severity", "file", "line", "column", "message", "hint")} == {
        "rule": "XREF001",
        "severity": "error",
        "file": "docs/tea.md",
        "line": 5,
        "column": 5,
        "message": "there is no section 9",
        "hint": "did you mean 3?",
    }
    assert [one["severity"] for one in findings] == ["error", "error", "warning", "info"]


def test_more_is_said_where_more_is_known() -> None:
    first, *_, last = json.loads(render("json", ordinary()))["findings"]
    assert first["end_column"] == 23
    assert first["name"] == "label-target-number"
    assert first["fix"] == [{"line": 3, "column": 21, "end_column": 22, "text": "3"}]
    assert "fix" not in last
    assert "end_column" not in last


def test_the_counts_and_all_files_are_there_even_if_nothing_was_found() -> None:
    read = json.loads(render("json", clean()))
    assert read["findings"] == []
    assert read["counts"] == {"error": 0, "warning": 0, "info": 0}
    assert read["files"] == ["docs/tea.md", "docs/cups.md", "docs/clean.md"]


def test_a_hostile_message_comes_back_as_it_was() -> None:
    (one,) = json.loads(render("json", hostile()))["findings"]
    assert one["message"] == HOSTILE
    assert one["hint"] == HOSTILE


def test_what_people_read_is_not_escaped() -> None:
    listing = ordinary()
    assert "ü" in render("json", ordinary(files=("tür.md",)))
    assert "\\u" not in render("json", listing)
