"""The text form: a line for each finding, and below it what a terminal shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tck_reports.findings import FORMATS, render
from tck_reports.findings.one_line import lines, summary
from tck_spec.findings import Finding

from .listings import TEXT, clean, hostile, ordinary


def test_each_finding_is_a_line_that_grep_can_take_apart() -> None:
    first, second, third, fourth = render("text", ordinary()).splitlines()[:4]
    assert first == (
        "docs/tea.md:3:12: error XREF002: the label names section 2, but the link goes to section 3 (write 3)"
    )
    assert second == "docs/tea.md:5:5: error XREF001: there is no section 9 (did you mean 3?)"
    assert third == "docs/tea.md:5:20: warning XREF001: there is no section 8"
    assert fourth == "docs/cups.md:1:1: info COV001: TEA-1 has no scenario (tag one)"


def test_the_end_counts_for_each_file_and_for_all() -> None:
    assert render("text", ordinary()).splitlines()[4:] == [
        "docs/tea.md: 2 errors, 1 warning, 0 infos",
        "docs/cups.md: 0 errors, 0 warnings, 1 info",
        "3 files, 1 requirement in 3 sections: 2 errors, 1 warning, 1 info",
    ]


def test_one_file_needs_no_count_of_its_own() -> None:
    listing = ordinary(files=("docs/tea.md",), findings=ordinary().findings[:1])
    assert render("text", listing).splitlines()[1:] == ["1 requirement in 3 sections: 1 error, 0 warnings, 0 infos"]


def test_nothing_found_is_one_line() -> None:
    assert render("text", clean()) == f"{summary(clean())}\n"


def test_the_place_is_marked_below_the_line_of_the_document() -> None:
    shown = list(lines(ordinary(), context=True))
    assert shown[1:4] == [
        "    3 | Brew it as [Section 2](#3-pour) says.",
        "      |            ^^^^^^^^^^^",
        "        hint: write 3",
    ]


def test_a_hint_has_its_own_line_and_is_not_said_twice() -> None:
    shown = list(lines(ordinary(), context=True))
    assert sum("did you mean 3?" in line for line in shown) == 1


@pytest.mark.parametrize(
    ("line", "column", "length", "before"),
    [
        ("茶は良い §9", 6, 2, 9),
        ("cafe\u0301 §9", 7, 2, 5),
        ("\t\t§9", 3, 2, 2),
        ("a\x1bb §9", 5, 2, 7),
    ],
    ids=["wide characters", "combining characters", "tabs", "control characters"],
)
def test_the_mark_stands_under_the_place(line: str, column: int, length: int, before: int) -> None:
    finding = Finding("XREF001", "E", 1, column, "there is no section 9", source="a.md", length=length)
    shown = list(lines(ordinary(findings=(finding,), files=("a.md",), texts={"a.md": line}), context=True))
    assert shown[2] == f"      | {' ' * before}^^"


def test_a_long_line_is_cut_around_the_place() -> None:
    line = f"{'word ' * 400}§9{' more' * 400}"
    finding = Finding("XREF001", "E", 1, 2001, "there is no section 9", source="a.md", length=2)
    listing = ordinary(findings=(finding,), files=("a.md",), texts={"a.md": line})
    _, text, mark, *_ = lines(listing, context=True, width=80)
    assert len(text) <= 82
    assert text[mark.index("^") :].startswith("§9 more")
    assert text.endswith("…")


def test_the_end_of_a_long_line_fills_the_window() -> None:
    line = f"{'word ' * 40}§9"
    finding = Finding("XREF001", "E", 1, 201, "there is no section 9", source="a.md", length=2)
    listing = ordinary(findings=(finding,), files=("a.md",), texts={"a.md": line})
    _, text, mark, *_ = lines(listing, context=True, width=80)
    assert len(text) > 75
    assert text[mark.index("^") :] == "§9"


def test_a_place_behind_the_end_of_its_line_is_marked_at_the_end() -> None:
    finding = Finding("XREF001", "E", 1, 90, "x", source="a.md")
    listing = ordinary(findings=(finding,), files=("a.md",), texts={"a.md": "# Tea"})
    assert list(lines(listing, context=True))[1:3] == ["    1 | # Tea", "      |      ^"]


def test_a_byte_order_mark_does_not_move_the_mark() -> None:
    finding = Finding("XREF001", "E", 1, 3, "x", source="a.md", length=3)
    listing = ordinary(findings=(finding,), files=("a.md",), texts={"a.md": "\ufeff# Tea"})
    assert list(lines(listing, context=True))[1:3] == ["    1 | # Tea", "      |   ^^^"]


def test_colours_change_nothing_but_colours() -> None:
    plain = list(lines(ordinary(), context=True))
    coloured = list(lines(ordinary(), color=True, context=True))
    assert coloured != plain
    assert [re.sub("\x1b\\[[0-9;]*m", "", line) for line in coloured] == plain


def _texts() -> Iterator[tuple[str, str]]:
    yield "context", "".join(f"{line}\n" for line in lines(hostile(), context=True))
    yield from ((form, render(form, hostile())) for form in FORMATS)


def test_no_format_lets_a_terminal_obey_the_document() -> None:
    for form, text in _texts():
        obeyed = [one for one in text if not one.isprintable() and one not in "\n\u00a0"]
        assert obeyed == [], form


def test_a_hostile_finding_is_still_one_line() -> None:
    assert len(render("text", hostile()).splitlines()) == 2


def test_every_format_can_be_encoded() -> None:
    for form in FORMATS:
        render(form, hostile()).encode("utf-8", "strict" if form != "text" else "backslashreplace")


def test_a_message_of_a_megabyte_is_cut() -> None:
    finding = Finding("XREF001", "E", 1, 1, "x" * 1_000_000, source="a.md")
    for form in FORMATS:
        if form != "json":
            assert len(render(form, ordinary(findings=(finding,), rules={}))) < 20_000, form


def test_lines_are_those_that_the_parser_counts() -> None:
    text = "a\rb\r\nc\u2028still c\x0band c\nd"
    finding = Finding("XREF001", "E", 4, 1, "x", source="a.md")
    assert ordinary(texts={"a.md": text}).line_of(finding) == "d"
    assert ordinary(texts={"a.md": TEXT}).line_of(Finding("X", "E", 99, 1, "x", source="a.md")) is None
