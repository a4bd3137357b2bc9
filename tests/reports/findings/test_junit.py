"""JUnit XML, read back by a parser that others use."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any, cast

import junitparser
import pytest

from tck_reports.findings import Listing, render

from .listings import clean, hostile, ordinary


def suites(listing: Listing) -> list[Any]:
    return list(cast("Any", junitparser.JUnitXml).fromstring(render("junit", listing).encode()))


def failing(suite: Any) -> list[str]:  # noqa: ANN401 -- the parser has no types
    return [one.name for one in suite if any(isinstance(result, junitparser.Failure) for result in one.result)]


def test_each_file_is_a_suite_and_each_finding_a_case() -> None:
    read = suites(ordinary())
    assert [(one.name, one.tests, one.failures) for one in read] == [
        ("docs/tea.md", 3, 2),
        ("docs/cups.md", 1, 0),
        ("docs/clean.md", 1, 0),
    ]


def test_only_what_fails_the_check_is_a_failure() -> None:
    tea, cups, clean_file = suites(ordinary())
    assert failing(tea) == ["XREF002 label-target-number 3:12", "XREF001 unknown-section 5:5"]
    assert failing(cups) == []
    assert failing(clean_file) == []
    (strict, *_) = suites(ordinary(failing=frozenset(("E", "W"))))
    assert len(failing(strict)) == 3


def test_a_failure_says_what_is_wrong_and_where() -> None:
    (failure,) = next(iter(suites(ordinary())[0])).result
    assert failure.message == "the label names section 2, but the link goes to section 3 (write 3)"
    assert failure.type == "XREF002"
    assert failure.text.splitlines() == [
        "docs/tea.md:3:12: error XREF002",
        "the label names section 2, but the link goes to section 3",
        "write 3",
    ]


def test_the_totals_are_the_sums() -> None:
    root = ET.fromstring(render("junit", ordinary()))  # noqa: S314 -- our own
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "2", "0")


@pytest.mark.parametrize("listing", [clean(), hostile()])
def test_names_in_a_suite_are_there_and_it_can_be_read(listing: Listing) -> None:
    assert all(case.name and case.classname for suite in suites(listing) for case in suite)


def test_a_clean_file_has_a_case_that_passed() -> None:
    assert [len(list(suite)) for suite in suites(clean())] == [1, 1, 1]
