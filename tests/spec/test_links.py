"""Links: laws that hold for any text, in every dialect, with files around it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import check, parse
from tck_spec.files import FileLibrary
from tck_spec.rules.contents import contents_drift, contents_lines
from tck_spec.rules.context import context_of
from tck_spec.settings import DIALECTS, Settings
from tck_spec.targets import targets_of

_FRAGMENTS = st.sampled_from(
    [
        "\n\n",
        "\n",
        "# Tea\n\n",
        "## 4.1 Water\n\n",
        "## Contents\n\n",
        "## Pots & lids {#own}\n\n",
        "## Pots & lids\n\n",
        "- [Tea](#tea)\n",
        "- [4.1 Water](#41-Water)\n",
        "- [9.1 Lids](#41-water)\n",
        "- [Pots](#41-water)\n",
        "- 4.2 Lids\n",
        "[Pots & lids](#pots-lids) ",
        "[Section 4.2 (Water)](#41-water) ",
        "[a](lids.md#pots) ",
        "[a](%2e%2e/x.md) ",
        "[a](/lids) ",
        "[a][b] ",
        "[b]: #Tea\n",
        "[b]: <> (x)\n",
        "<a id='x' href=\"#X\">",
        "<img src=x.png>",
        "Section 4.1 (Old Water), §4.2–4.9 ",
        "Appendices A–C of `x.md` ",
        "Fair Tea Licence 1.0 §2 ",
        '§4.1 "Water" ',
        "TBD ",
        "[^1] ",
        "[^1]: x\n",
        "{% include lids.md %}\n",
        "{#x} ",
        "`",
        "](",
        "é",
        "\ufeff",
        "\r\n",
    ]
)
_TEXTS = st.lists(_FRAGMENTS, max_size=40).map("".join) | st.text(max_size=100)
_ALL: Final = Settings(anchors=DIALECTS, rules={"all": "on"}, root=Path(__file__).parent)


@settings(max_examples=300, deadline=None)
@given(_TEXTS, _TEXTS)
def test_any_texts_are_checked_together(text: str, other: str) -> None:
    sources = [str(Path(__file__).parent / name) for name in ("tea.md", "lids.md")]
    documents = [parse(one, source) for one, source in zip((text, other), sources, strict=True)]
    library = FileLibrary(documents, root=Path(__file__).parent)
    for spec in documents:
        lines = re.split(r"\r\n|\n|\r", spec.text.removeprefix("\ufeff"))
        for finding in check(spec, _ALL, library):
            assert 1 <= finding.line <= len(lines)
            for edit in finding.fix:
                line = lines[edit.line - 1]
                assert 1 <= edit.column < edit.end_column <= len(line) + 1
                assert line[edit.column - 1 : edit.end_column - 1] != edit.text


@settings(max_examples=200, deadline=None)
@given(_TEXTS)
def test_no_two_edits_touch_one_place(text: str) -> None:
    places = [
        (edit.line, column)
        for one in check(parse(text, "tea.md"))
        for edit in one.fix
        for column in range(edit.column, edit.end_column)
    ]
    assert len(set(places)) == len(places)


def test_lines_of_a_table_of_contents_are_known() -> None:
    text = "# Tea\n\n- [Pots](#pots)\n  - [Big](#big)\n- [Lids](#lids)\n\n## Pots\n\n### Big\n\n## Lids\n"
    context = context_of(parse(text, "tea.md"))
    assert contents_lines(context) == {3, 4, 5}
    assert list(contents_drift(context)) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_link_made_of_a_heading_is_alive_in_its_dialect(dialect: str) -> None:
    headings = ["4.2 Beta", "Pots & lids — all", "Čaj", "Pots & lids — all", "Own {#own}", "33", "!"]
    text = "".join(f"## {heading}\n\n" for heading in headings)
    anchors = list(targets_of(parse(text, "tea.md")).slugs(dialect))
    linked = text + "".join(f"[a](#{anchor}) " for anchor in anchors)
    found = check(parse(linked, "tea.md"), Settings(anchors=(dialect,)))
    assert not [one for one in found if one.rule in ("ANC001", "ANC002", "ANC003")]


def test_a_second_reading_of_a_text_is_judged_as_the_first() -> None:
    text = "# Tea\n\n## 4 Pots\n\nSee [this](#4-pots), [that](#Tea), [x](#4-pot) and Section 4.\n"
    first, second = (check(parse(text, "tea.md")) for _ in range(2))
    assert first == second
    assert {one.rule for one in first} == {"XREF008", "ANC001", "ANC003"}
