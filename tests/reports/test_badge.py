"""A badge says one verdict, and never in a better colour than it has."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tck_reports.formats import badge
from tck_reports.formats.badge import Badge
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .consumers.peers import node, peer
from .consumers.standards import SVG
from .full import HOSTILE, full_report, hostile_report
from .samples import check, entry, graded, held, report_of


def of(outcome: Outcome, *, reported: bool = False) -> Report:
    seen = (held("reported"),) if reported else None
    one = check("a", "RESUME-1", outcome=outcome, expectations=seen, reason=None if outcome == "passed" else "so")
    return report_of(graded([entry("RESUME-1")], [one]))


@pytest.mark.parametrize(
    ("report", "right"),
    [
        (of(Outcome.PASSED), Badge("session-resume 1.0.0 core", "conformant 1/1 witnessed", "brightgreen")),
        (of(Outcome.PASSED, reported=True), Badge("session-resume 1.0.0 core", "conformant 1/1", "green")),
        (of(Outcome.FAILED), Badge("session-resume 1.0.0 core", "nonconformant 0/1", "red")),
        (of(Outcome.EXPECTED_FAILURE), Badge("session-resume 1.0.0 core", "indeterminate 0/1", "orange")),
        (of(Outcome.NOT_RUN), Badge("session-resume 1.0.0 core", "indeterminate 0/1", "orange")),
        (full_report(), Badge("session-resume 1.0.0 core", "indeterminate 1/9", "orange")),
    ],
)
def test_a_badge_says_the_verdict(report: Report, right: Badge) -> None:
    assert badge.badge(report) == right


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.PASSED])
def test_only_a_conformant_engine_is_green(outcome: Outcome) -> None:
    assert "green" not in badge.badge(of(outcome)).colour
    assert json.loads(badge.render_json(of(outcome)))["isError"] is True


def test_a_run_without_a_verdict_on_core_says_what_it_is_about() -> None:
    grading = graded([entry("ISOLATE-1", status="proposed")], [check("a", "ISOLATE-1")], profiles=("hardened",))
    assert badge.badge(report_of(grading)).label == "session-resume 1.0.0 hardened"
    report = report_of(grading)
    report["verdict"] = {}
    assert badge.badge(report) == Badge("session-resume 1.0.0", "no verdict", "lightgrey")


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.FAILED, Outcome.NOT_RUN])
def test_shields_draws_what_the_endpoint_gives(outcome: Outcome, tmp_path: Path) -> None:
    peer("badge-maker")
    file = tmp_path / "badge.json"
    file.write_text(badge.render_json(of(outcome)), encoding="utf-8")
    drawn = ET.fromstring(node("badge_drawn.mjs", file))  # noqa: S314 -- drawn a moment ago by shields.io's own library
    own = badge.badge(of(outcome))
    assert drawn.get("aria-label") == f"{own.label}: {own.message}"
    # A colour that it does not know becomes its grey.
    assert "#9f9f9f" not in ET.tostring(drawn, encoding="unicode")


def test_the_image_has_a_title_that_is_read_aloud_and_room_for_its_text() -> None:
    root = ET.fromstring(badge.render_svg(of(Outcome.PASSED)))  # noqa: S314 -- ours
    said = "session-resume 1.0.0 core: conformant 1/1 witnessed"
    assert (root.get("role"), root.get("aria-label")) == ("img", said)
    assert root.findtext(f"{SVG}title") == said
    widths = [float(one.get("textLength", "0")) for one in root.iter(f"{SVG}text")]
    assert float(root.get("width", "0")) == sum(widths) + 20


@pytest.mark.parametrize("which", HOSTILE)
def test_a_name_stays_text_and_the_image_small(which: str) -> None:
    report = hostile_report("x")
    report["spec"]["id"] = HOSTILE[which]
    root = ET.fromstring(badge.render_svg(report))  # noqa: S314 -- ours
    assert len(list(root.iter())) == 10
    assert float(root.get("width", "0")) < 1200


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", badge.COLOURS.values())
def test_white_on_each_colour_has_the_contrast_that_wcag_asks_for(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5
