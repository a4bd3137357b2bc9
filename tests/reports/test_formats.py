"""Every format is valid by its own standard, whatever stands in the report; each by its name in the table."""

from __future__ import annotations

import unicodedata
from functools import cache

import pytest

from tck_reports import files
from tck_reports.formats import table as formats
from tck_reports.formats.bounded import bounded
from tck_reports.plain import MAX_TEXT

from .consumers.standards import STANDARDS
from .full import HOSTILE, flooded_report, full_report, hostile_report
from .samples import graded, large_run, mixed_report, report_of

#: What no text file of ours holds, lest a terminal or an editor obey it or show something else than it holds.
OBEYED = {chr(number) for number in [*range(32), 127, *range(128, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]}
OBEYED -= {"\n", "\t"}


@cache
def rendered(which: str) -> dict[str, str]:
    reports = {
        "everything": full_report,
        "mixed": mixed_report,
        "large": lambda: report_of(large_run()),
        "empty": lambda: report_of(graded([], [])),
        "flooded": flooded_report,
    }
    report = reports[which]() if which in reports else hostile_report(HOSTILE[which])
    return {name: content.decode("utf-8") for name, content in files.rendered(report).items()}


def test_each_format_has_a_standard() -> None:
    assert list(STANDARDS) == [one.file for one in formats.ALL]


@pytest.mark.parametrize("which", ["everything", "mixed", "large", "empty"])
@pytest.mark.parametrize("name", STANDARDS)
def test_a_report_is_valid_by_the_standard(name: str, which: str) -> None:
    assert STANDARDS[name](rendered(which)[name]) == []


@pytest.mark.parametrize("which", HOSTILE)
@pytest.mark.parametrize("name", STANDARDS)
def test_a_hostile_report_is_valid_by_the_standard(name: str, which: str) -> None:
    assert STANDARDS[name](rendered(which)[name]) == []


@pytest.mark.parametrize("which", HOSTILE)
@pytest.mark.parametrize("name", STANDARDS)
def test_nothing_that_a_terminal_obeys_is_left(name: str, which: str) -> None:
    found = OBEYED & {*rendered(which)[name]}
    assert [unicodedata.name(one, hex(ord(one))) for one in found] == []


@pytest.mark.parametrize("name", STANDARDS)
def test_ten_megabytes_in_a_message_are_cut_in_every_format(name: str) -> None:
    text = rendered("flooded")[name]
    assert STANDARDS[name](text) == []
    assert len(text) < 60 * MAX_TEXT


def test_what_the_kit_has_built_is_within_bounds_already() -> None:
    report = report_of(large_run())
    assert bounded(report) == report


def test_a_bounded_report_stays_as_it_is() -> None:
    once = bounded(hostile_report(HOSTILE["much"]))
    assert bounded(once) == once
