"""Findings to write: an ordinary set, and one in which everything that can be hostile is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tck_reports.findings import Listing, RuleText
from tck_spec.findings import Edit, Finding

TEXT = "# Tea\n\nBrew it as [Section 2](#3-pour) says.\n\nSee §9. Then 🫖 see §8.\n"
RULES = {
    "XREF001": RuleText(
        "XREF001", "unknown-section", "E", "A reference has the number of no heading.", "It is *dead*."
    ),
    "XREF002": RuleText("XREF002", "label-target-number", "E", "The label names one section, the link another."),
    "REQ001": RuleText("REQ001", "lower-case", "I", "A key word is in lower case.", on=False),
}
FINDINGS = (
    Finding(
        "XREF002",
        "E",
        3,
        12,
        "the label names section 2, but the link goes to section 3",
        "write 3",
        "docs/tea.md",
        11,
        (Edit(3, 21, 22, "3"),),
    ),
    Finding("XREF001", "E", 5, 5, "there is no section 9", "did you mean 3?", "docs/tea.md", 2),
    Finding("XREF001", "W", 5, 20, "there is no section 8", "", "docs/tea.md", 2),
    Finding("COV001", "I", 1, 1, "TEA-1 has no scenario", "tag one", "docs/cups.md"),
)
#: What a document, or whoever names its file, can put into a message.
HOSTILE = (
    "a\nb\r\n::error::c\x00\x07\x1b[31mred\x1b[0m ]]></failure><x> & \u202egnp\u2066 \x85\u2028 \ufffe \ud800 "
    "%0A {0} [l](2)"
)
NAME = "docs/b\n::error file=x::\x1b[2J\u202e%,:?#ü.md"


ORDINARY = Listing(
    findings=FINDINGS,
    files=("docs/tea.md", "docs/cups.md", "docs/clean.md"),
    texts={"docs/tea.md": TEXT, "docs/cups.md": "# Cups\n", "docs/clean.md": "# Clean\n"},
    rules=RULES,
    root=Path.cwd(),
    requirements=1,
    sections=3,
    version="1.2.3",
)


def ordinary(**changes: Any) -> Listing:  # noqa: ANN401 -- each of its type
    return replace(ORDINARY, **changes)


def hostile() -> Listing:
    text = f"# Tea\n\n{HOSTILE.splitlines()[0]}\x1b]0;owned\x07 \t§9 {HOSTILE[20:]}\n"
    finding = Finding("XREF001", "E", 3, 3, HOSTILE, HOSTILE, NAME, 4, (Edit(3, 1, 2, HOSTILE),))
    return ordinary(findings=(finding,), files=(NAME,), texts={NAME: text})


def clean() -> Listing:
    return ordinary(findings=())
