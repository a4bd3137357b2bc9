"""Sections: numbers, titles, parents."""

from __future__ import annotations

import pytest

from tck_spec import parse
from tck_spec.sections import split_heading


@pytest.mark.parametrize(
    ("text", "number", "title"),
    [
        ("16 Models", "16", "Models"),
        ("16.5 Local agents", "16.5", "Local agents"),
        ("16.5. Local agents", "16.5", "Local agents"),
        ("§16.5 Local agents", "16.5", "Local agents"),
        ("Section 16: Models", "16", "Models"),
        ("3 — Pots", "3", "Pots"),
        ("4) Cups", "4", "Cups"),
        ("4a Cups", "4a", "Cups"),
        ("Appendix A. Sugar", "A", "Sugar"),
        ("Appendix A: Sugar", "A", "Sugar"),
        ("Annex B (normative)", "B", "(normative)"),
        ("Appendix 1 Milk", "Appendix 1", "Milk"),
        ("A.3 Lumps", "A.3", "Lumps"),
        ("A. Lumps", "A", "Lumps"),
        ("16", "16", ""),
        ("A Lump", None, "A Lump"),
        ("Models", None, "Models"),
        ("404 Not Found", None, "404 Not Found"),
        ("2024 in review", None, "2024 in review"),
        ("2024-01-31", None, "2024-01-31"),
        ("3D pots", None, "3D pots"),
        ("v1.2", None, "v1.2"),
        ("X.509 certificates", None, "X.509 certificates"),
        ("A.10 Lumps", "A.10", "Lumps"),
        ("100% tea", None, "100% tea"),
    ],
)
def test_a_heading_is_split_into_number_and_title(text: str, number: str | None, title: str) -> None:
    assert split_heading(text) == (number, title)


def test_sections_know_their_place_and_parent() -> None:
    spec = parse("# Tea\n\n## 4 Brewing\n\n### 4.1 Water\n\n  ## 5 *Cups*\n\nSix\n---\n", "tea.md")
    rows = [(one.number, one.title, one.level, one.slug, one.line, one.column, one.parent) for one in spec.sections]
    assert rows == [
        (None, "Tea", 1, "tea", 1, 1, None),
        ("4", "Brewing", 2, "4-brewing", 3, 1, "tea"),
        ("4.1", "Water", 3, "41-water", 5, 1, "4-brewing"),
        ("5", "Cups", 2, "5-cups", 7, 3, "tea"),
        (None, "Six", 2, "six", 9, 1, "tea"),
    ]
    assert spec.section("4.1").title == "Water"
    with pytest.raises(KeyError):
        spec.section("4.2")


def test_headings_in_code_and_comments_are_none() -> None:
    spec = parse("```\n# a\n```\n\n    # b\n\n<!--\n# c\n-->\n\n> # d\n\n- # e\n", "x")
    assert [section.title for section in spec.sections] == ["d", "e"]
