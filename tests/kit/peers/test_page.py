"""The tables of docs/peers.md are those of the drivers and of the reports that are committed beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reports.matrix.course_reports import course_report

from tck_kit.faults import UsageFault
from tck_kit.peers.page import published, reports_beside
from tck_kit.peers.table import PEERS
from tck_reports.matrix.condensed import condense

PAGE = Path(__file__).resolve().parents[3] / "docs" / "peers.md"
EMPTY = "# Peers\n\n<!-- declared -->\n<!-- end -->\n\nby hand\n\n<!-- outcomes -->\nold\n<!-- end -->\n"


def test_the_page_is_made_of_the_drivers_and_the_reports_that_are_committed() -> None:
    held = PAGE.read_text(encoding="utf-8")

    assert held == published(held, reports_beside(PAGE)), "session-tck peers list --publish docs/peers.md"


def test_a_report_that_is_committed_is_of_the_pinned_version_and_can_be_shown() -> None:
    for name, report in reports_beside(PAGE).items():
        assert report["implementation"]["version"] == PEERS[name].version
        assert report["run"]["engine"] == f"peer:{name}"
        assert condense(report, name).name == name


def test_every_peer_has_a_column_with_its_version_and_policy() -> None:
    declared = published(EMPTY, {}).partition("by hand")[0]
    assert "|  | zeroshot-10 | zeroshot-node | cyrus-main | cyrus-1286 |" in declared
    assert "| `reject` | `reject` | `adopt` | `adopt` |" in declared
    assert all(f" {peer.version} " in declared for peer in PEERS.values())


def test_without_reports_the_page_says_so_and_what_stood_there_is_gone() -> None:
    made = published(EMPTY, {})
    assert "No report is there yet." in made
    assert "old" not in made
    assert "by hand" in made
    assert published(made, {}) == made


def test_outcomes_stand_side_by_side_with_what_failed_and_how_to_see_it() -> None:
    made = published(
        EMPTY,
        {
            "a": course_report("a", failed=("CONTINUITY-7",)),
            "b": course_report("b", absent="not obtained", policy=False),
            "c": course_report("c", absent="driver incompatible: it moved", policy=False),
        },
    )
    assert "| **continuity** | nonconformant, 1 of 2 | not obtained | driver incompatible |" in made
    assert "| **reuse** | not claimed | not claimed | not claimed |" in made
    assert "| `CONTINUITY-1` | passed | not run | error |" in made
    assert "| `CONTINUITY-7` | **failed** | not run | error |" in made
    assert "REUSE-1" not in made
    assert "`session-tck peers run a --requirement CONTINUITY-7 --seed 42`" in made
    assert "| run on | 3 January 2026 |" in made


@pytest.mark.parametrize("text", ["", "<!-- declared -->", EMPTY.replace("outcomes", "others")])
def test_a_page_without_a_place_for_the_tables_is_a_clear_error(text: str) -> None:
    with pytest.raises(UsageFault, match="there is no <!--"):
        published(text, {})
