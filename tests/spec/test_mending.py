"""Fixes: what is certain is put right, and nothing else is touched."""

from __future__ import annotations

import re

import pytest

from tck_spec import check, parse

_HEAD = "# Tea\n\n## 4 Brewing\n\n### 4.1 Water\n\n### 4.2 Leaves & buds\n\n## Cups\n\n"


def _mended(text: str) -> str:
    spec = parse(text, "tea.md")
    lines = re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff"))
    edits = [edit for one in check(spec) for edit in one.fix]
    for edit in sorted(edits, key=lambda edit: (edit.line, edit.column), reverse=True):
        line = lines[edit.line - 1]
        lines[edit.line - 1] = line[: edit.column - 1] + edit.text + line[edit.end_column - 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("[a](#Cups)", "[a](#cups)"),
        ("[a](#4.1-water)", "[a](#41-water)"),
        ("[a](#42-leaves-buds) [b](#cups)", "[a](#42-leaves--buds) [b](#cups)"),
        ("[a](<#Cups> 'title')", "[a](<#cups> 'title')"),
        ("[Cups](#cup)", "[Cups](#cups)"),
        ("[4.1 Water](#w) and [b](#Cups)", "[4.1 Water](#41-water) and [b](#cups)"),
        ("[a](#Cups) [b](#Cups)", "[a](#cups) [b](#cups)"),
        ('<a href="#Cups">a</a>', '<a href="#cups">a</a>'),
        ("<p>\n<a href='#Cups'>a</a>\n</p>", "<p>\n<a href='#cups'>a</a>\n</p>"),
        ("[a][x] [b][x]\n\n[x]: #Cups", "[a][x] [b][x]\n\n[x]: #cups"),
        ("| a |\n|---|\n| `|` [a](#Cups) |", "| a |\n|---|\n| `|` [a](#cups) |"),
        ("> - [a\n>   b](#41-water) [c](#Cups)", "> - [a\n>   b](#41-water) [c](#cups)"),
        ("[Section 4.1, Leaves & buds](#42-leaves--buds)", "[Section 4.2, Leaves & buds](#42-leaves--buds)"),
        ("[Section 4.3](#42-leaves--buds)", "[Section 4.2](#42-leaves--buds)"),
        ("[Section 4.1 (Leaves & buds)](#42-leaves--buds)", "[Section 4.2 (Leaves & buds)](#42-leaves--buds)"),
        ("[`4.9`: §4.9](#42-leaves--buds)", "[`4.9`: §4.9](#42-leaves--buds)"),
        ("[Section 4.1](#42-leaves--buds)", "[Section 4.1](#42-leaves--buds)"),
        ("[a](#cup)", "[a](#cup)"),
        ("[a](#nothing-like-it)", "[a](#nothing-like-it)"),
        ("`[a](#Cups)`", "`[a](#Cups)`"),
    ],
)
def test_what_is_certain_is_put_right(line: str, mended: str) -> None:
    assert _mended(f"{_HEAD}{line}\n") == f"{_HEAD}{mended}\n"


@pytest.mark.parametrize(
    ("entry", "mended"),
    [
        ("- [Leafs](#lids)", "- [Lids](#lids)"),
        ("- [Spoons](#lids)", "- [Spoons](#spoons)"),
        ("- [Spoons](#none)", "- [Spoons](#spoons)"),
        ("- [lids](#lids)", "- [lids](#lids)"),
        ("- [Plates](#saucers)", "- [Saucers](#saucers)"),
        ("- [Plates](#a-b_c)", "- [Plates](#a-b_c)"),
    ],
)
def test_an_entry_of_a_table_of_contents_is_put_right(entry: str, mended: str) -> None:
    text = "# Tea\n\n## Contents\n\n- [Pots](#pots)\n{}\n- [Cups](#cups)\n\n## Pots\n\n## Lids\n\n## Spoons\n\n"
    text += "## Cups\n\n## Saucers\n\n## `a b_c`\n"
    assert _mended(text.format(entry)) == text.format(mended)


def test_places_count_without_the_byte_order_mark() -> None:
    assert _mended("\ufeff[a](#Tea) is\r\n\r\n# Tea\r\n") == "[a](#tea) is\n\n# Tea\n"


def test_what_was_mended_needs_no_second_time() -> None:
    text = f"{_HEAD}[a](#Cups) [Cups](#x) [Section 4.3](#42-leaves--buds) [c](#4-1-water)\n"
    once = _mended(text)
    assert once != text
    assert _mended(once) == once
    assert not [one for one in check(parse(once, "tea.md")) if one.fix]


def test_a_document_that_was_written_for_another_place_is_left_to_its_author() -> None:
    text = f"{_HEAD}[a](#water) [b](#leaves-buds)\n"
    assert _mended(text) == text
    at_home = f"{_HEAD}[a](#water) [b](#41-water) [c](#cups)\n"
    assert _mended(at_home) == at_home.replace("(#water)", "(#41-water)")
