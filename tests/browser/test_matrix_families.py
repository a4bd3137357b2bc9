"""The matrix of engines of two kinds in a real browser: rows apart, each kind alone, and who was never run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.reports.matrix.course_reports import course_report
from tests.reports.matrix.given_reports import given, report

from tck_reports.matrix.gathering import gathered

from .chromium import Visitor, barriers, sticking_out
from .test_matrix import put

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    everything = [
        report("mailboxes", run={"engine": "sim"}),
        report("wrong", run={"engine": "mutant:wrong"}),
        course_report("peer", failed=("CONTINUITY-7",)),
        course_report("elsewhere", absent="not obtained", policy=False),
        course_report("moved", absent="driver incompatible: it is another one", policy=False),
    ]
    known = [replace(given(one), page="reports/all.html") for one in everything]
    return put(gathered(known), tmp_path_factory.mktemp("mixed"))


@pytest.fixture
def visits(browser: Browser, mixed: Path) -> Iterator[Visitor]:
    one = Visitor(browser, mixed)
    yield one
    one.close()
    assert one.complaints == []


def _names(page: Page) -> list[str]:
    return page.locator("#grid tbody .engine a").all_inner_texts()


@pytest.mark.parametrize(
    "name",
    ["index.html", "about/index.html", "engines/peer/index.html", "engines/elsewhere/index.html"],
)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_every_page_of_it_keeps_nobody_out(visits: Visitor, name: str, width: int, scheme: str) -> None:
    page = visits.opens(name, width=width, scheme="dark" if scheme == "dark" else "light")
    for one in page.locator("details").all():
        one.evaluate("one => one.open = true")

    assert barriers(page) == []
    assert sticking_out(page) == []


def test_each_kind_has_rows_of_its_own_and_can_be_shown_alone(visits: Visitor) -> None:
    page = visits.opens("index.html")
    groups = page.locator("#grid tr.group th")
    assert [one.partition(" ·")[0] for one in groups.all_inner_texts()] == [
        "Held against core",
        "Held against continuity, reuse",
        "Wrong on purpose: the kit has to find these out",
    ]
    assert _names(page) == ["mailboxes", "elsewhere", "moved", "peer", "wrong"]

    groups.nth(1).get_by_role("button").click()

    assert _names(page) == ["elsewhere", "moved", "peer"]
    assert page.locator("#grid .number").count() == 2
    assert "spec=1" in page.url
    page.go_back()
    assert len(_names(page)) == 5


def test_a_profile_leaves_the_engines_of_the_other_kind_away(visits: Visitor) -> None:
    page = visits.opens("index.html")
    page.get_by_label("Profile").select_option("continuity")
    assert _names(page) == ["elsewhere", "moved", "peer"]
    assert "3 of 4 engines" in page.locator("#shown").inner_text()


def test_who_was_never_run_says_why_in_the_place_of_a_verdict_and_has_nothing_red(visits: Visitor) -> None:
    page = visits.opens("index.html")
    assert page.locator("#grid td.said").all_inner_texts()[1:3] == ["not obtained", "driver incompatible"]
    assert page.locator("#grid tbody td.bad").count() == 1

    page.locator("#grid td.c.open").first.click()

    assert "not obtained, so it was never run" in page.locator("#tip").inner_text()


def test_a_red_cell_leads_to_what_was_witnessed(visits: Visitor) -> None:
    page = visits.opens("index.html")
    page.locator("#grid td.bad").click()
    assert (
        page.locator("#tip").get_by_text("What was witnessed").get_attribute("href") == "reports/all.html#CONTINUITY-7"
    )
