"""GitLab's code quality report, by the fields that its documentation demands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tck_reports.findings import Listing, render

from .listings import FINDINGS, clean, hostile, ordinary

SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./)."},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def read_back(listing: Listing) -> list[dict[str, Any]]:
    text = render("gitlab", listing)
    assert not text.startswith("\ufeff")
    read: list[dict[str, Any]] = json.loads(text)
    Draft202012Validator(SCHEMA).validate(read)
    return read


@pytest.mark.parametrize(("listing", "number"), [(ordinary(), 4), (clean(), 0), (hostile(), 1)])
def test_it_has_what_gitlab_demands(listing: Listing, number: int) -> None:
    assert len(read_back(listing)) == number


def test_a_finding_has_its_place_and_what_is_wrong() -> None:
    one = read_back(ordinary())[1]
    assert one["location"] == {"path": "docs/tea.md", "lines": {"begin": 5}}
    assert one["description"] == "there is no section 9 (did you mean 3?)"
    assert one["check_name"] == "XREF001"


def test_severities_are_those_of_gitlab() -> None:
    assert [one["severity"] for one in read_back(ordinary())] == ["major", "major", "minor", "info"]


def test_no_two_findings_share_a_fingerprint() -> None:
    read = read_back(ordinary(findings=FINDINGS * 3))
    assert len({one["fingerprint"] for one in read}) == len(read)
