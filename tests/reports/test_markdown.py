"""The summary is what GitHub's own parser makes of it."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from tck_reports.formats import markdown
from tck_reports.outcomes import Outcome

from .consumers.standards import Elements, github
from .full import HOSTILE, full_report, hostile_report
from .samples import check, entry, graded, report_of


def shown(text: str) -> str:
    """Give what is read of a summary, without any markup."""
    return " ".join("".join(Elements(github(text)).shown).split())


@pytest.mark.parametrize(
    "said",
    [
        "simulator 0.1.0 against session-resume 1.0.0",
        "Part 2 of 5 of the scenarios.",
        "knows_it issue 12 team-a 2026-01-02 2026-12-31 used",
        "RESUME-4 (flaky) the clock team-b 2026-01-03 unused",
        "late: failed (assertion), then error (the driver ended), then passed",
        "Of at most 3 tries, the last one counts.",
        "tried: failed (assertion)",
        "known: knows_it: issue 12 (team-a, since 2026-01-02)",
        "session-tck run --engine sim --requirement RESUME-3 --seed 42",
        "Not exercised: a real container engine (session-tck run --runtime docker).",
    ],
)
def test_the_summary_says(said: str) -> None:
    assert said in shown(markdown.render(full_report()))


def test_a_whole_run_without_a_baseline_says_nothing_of_these() -> None:
    text = shown(markdown.render(report_of(graded([entry("RESUME-1")], [check("a", "RESUME-1")]))))
    assert "Baseline" not in text
    assert "Part " not in text
    assert "tries" not in text


def test_tables_have_as_many_cells_as_columns_whatever_stands_in_them() -> None:
    for name in ("table", "markdown", "fence"):
        seen = [one for one, _ in Elements(github(markdown.render(hostile_report(HOSTILE[name])))).found]
        assert seen.count("table") == 2
    text = markdown.render(hostile_report(HOSTILE["table"]))
    rows = re.findall(r"<tr>(.*?)</tr>", github(text).partition("Baseline")[2], re.DOTALL)
    assert [row.count("<th") + row.count("<td") for row in rows] == [6, 6, 6]
    assert "a|b\\|c\\\\|d" in shown(text)


@pytest.mark.parametrize("name", [one for one in HOSTILE if one not in {"controls", "much", "blank", "nothing"}])
def test_other_parsers_find_no_markup_in_a_text_either(name: str) -> None:
    parser = MarkdownIt("gfm-like", {"linkify": False})
    for token in parser.parse(markdown.render(hostile_report(HOSTILE[name]))):
        for inside in token.children or ():
            assert inside.type in {"text", "softbreak", "html_inline", "text_special", "strong_open", "strong_close"}
            if inside.type == "html_inline":
                assert inside.content in {"<!-- -->", "<span>", "</span>"}


def test_what_was_said_can_be_read() -> None:
    text = shown(markdown.render(hostile_report("@someone #1 www.x.example :smile: *a* $b$ <i>")))
    assert "fault: @someone #1 www.x.example :smile: *a* $b$ <i>" in text


def test_a_summary_fits_where_it_is_put() -> None:
    long = "é@#" * 3_000
    entries = [entry(f"RESUME-{place}", text=long) for place in range(200)]
    checks = [
        check(f"c{place}", f"RESUME-{place}", outcome=Outcome.FAILED, reason=long, scenario=f"{place}{long}")
        for place in range(200)
    ]
    report = report_of(graded(entries, checks))
    report["faults"] = [long] * 5_000
    report["verdict"] |= {f"p{place}": report["verdict"]["core"] for place in range(500)}
    text = markdown.render(report)
    assert len(text.encode()) < 1_000_000
    assert re.search(r"^And 1\d\d more in the full report\.$", text, re.MULTILINE)
    assert "and 4980 more" in text


def test_failures_are_told_as_long_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [entry(f"RESUME-{place}") for place in range(20)]
    checks = [check(f"c{place}", f"RESUME-{place}", outcome=Outcome.FAILED) for place in range(20)]
    report = report_of(graded(entries, checks))
    monkeypatch.setattr(markdown, "ROOM", 5_000)
    text = markdown.render(report)
    told = text.count("<details>")
    assert len(text.encode()) < 5_100
    assert 0 < told < 20
    assert f"And {20 - told} more in the full report." in text
