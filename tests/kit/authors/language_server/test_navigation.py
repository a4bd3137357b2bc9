"""Where what stands at a place is defined, who refers to it, and what there is to say of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tck_kit.authors.language_server.diagnostics import find
from tck_kit.authors.language_server.hover import hover
from tck_kit.authors.language_server.navigation import definition, references
from tck_kit.authors.language_server.positions import Encoding
from tck_kit.authors.language_server.symbols import flat, links, outline, requirements

from .rooms import FEATURE, SPECIFICATION, Room, tea


def _leads(room: Room, name: str, words: str, number: int = 1) -> list[tuple[str, str, str]]:
    """Return what is meant at the first character of some words, the file that it leads to, and what stands there."""
    position = room.at(name, words, number=number)
    found: list[tuple[str, str, str]] = []
    for one in definition(room.workspace, room.key(name), position):
        assert one.origin_selection_range is not None
        target = one.target_uri.removeprefix(room.folder.as_uri() + "/")
        found.append(
            (
                room.words(room.uri(name), one.origin_selection_range),
                target,
                room.words(one.target_uri, one.target_selection_range),
            )
        )
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_tag_leads_to_its_requirement(tmp_path: Path, encoding: Encoding) -> None:
    room = tea(tmp_path, encoding=encoding)
    assert _leads(room, "scenarios/tea.feature", "@pot-1") == [("@pot-1", "tea.md", "POT-1")]
    assert _leads(room, "scenarios/tea.feature", "@slow") == []


@pytest.mark.parametrize(
    ("words", "number", "meant", "target"),
    [
        ("POT-1](#pot-1)", 1, "POT-1", "POT-1"),
        ("#pot-1)", 1, "[POT-1](#pot-1)", "POT-1"),
        ("§1.1](#", 1, "§1.1", "### 1.1 Warming"),
        ("#11-", 1, "[§1.1](#11-warming)", "### 1.1 Warming"),
        ("Section 2 first", 1, "Section 2", "## 2 Cups"),
        ("POT-1` comes", 1, "POT-1", "POT-1"),
        ("POT-1** (agreed)", 1, "POT-1", "POT-1"),
        ("## 2 Cups", 1, "## 2 Cups", "## 2 Cups"),
    ],
)
def test_a_reference_leads_to_what_it_names(tmp_path: Path, words: str, number: int, meant: str, target: str) -> None:
    assert _leads(tea(tmp_path), "tea.md", words, number) == [(meant, "tea.md", target)]


def test_a_reference_to_another_document_leads_nowhere_here(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\n## 1 Pots\n\nRFC 2119 Section 1 and §9 and <https://example.org/>.\n"})
    for words in ("Section 1", "§9", "https"):
        assert _leads(room, "tea.md", words) == []


def test_a_link_leads_into_another_file(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.md": "# A\n\n[milk](sub/b.md#two), [whole](sub/b.md), [gone](c.md) [x](<sub/b.md#no>)\n"})
    room.write("sub/b.md", "# One\n\n## Two\n")
    assert _leads(room, "a.md", "milk") == [("[milk](sub/b.md#two)", "sub/b.md", "## Two")]
    assert _leads(room, "a.md", "whole") == [("[whole](sub/b.md)", "sub/b.md", "# One")]
    assert _leads(room, "a.md", "gone") == []
    assert _leads(room, "a.md", "x](<") == [("[x](<sub/b.md#no>)", "sub/b.md", "# One")]


def test_a_number_leads_into_the_documents_that_are_checked_together(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.md": "# A\n\n## 1 One\n\nSee §7.\n", "b.md": "# B\n\n## 7 Seven\n"})
    assert _leads(room, "a.md", "§7") == []
    room.write("session-tck.toml", '[check]\nfiles = ["*.md"]\n')
    assert _leads(room, "a.md", "§7") == [("§7", "b.md", "## 7 Seven")]


def _uses(room: Room, name: str, words: str, *, declaration: bool = True) -> list[tuple[str, str, int]]:
    found = references(room.workspace, room.key(name), room.at(name, words), declaration=declaration)
    prefix = room.folder.as_uri() + "/"
    return [(one.uri.removeprefix(prefix), room.words(one.uri, one.range), one.range.start.line) for one in found]


def test_a_requirement_is_referred_to_by_mentions_links_and_tags(tmp_path: Path) -> None:
    room = tea(tmp_path)
    expected = [
        ("tea.md", "POT-1", 8),
        ("tea.md", "POT-1", 9),
        ("tea.md", "pot-1", 9),
        ("tea.md", "POT-1", 13),
        ("scenarios/tea.feature", "@pot-1", 2),
        ("scenarios/tea.feature", "@pot-1", 8),
    ]
    assert _uses(room, "tea.md", "POT-1** (agreed)") == expected
    assert _uses(room, "scenarios/tea.feature", "@pot-1", declaration=False) == expected[1:]


def test_an_id_is_no_part_of_a_longer_one(tmp_path: Path) -> None:
    text = SPECIFICATION.replace("`POT-1` comes", "`POT-11`, `TEAPOT-1`, `POT-1-a`, `POT-1.2`, POT-1. `POT-1` comes")
    room = Room(tmp_path, {"tea.md": text})
    assert [line for _, _, line in _uses(room, "tea.md", "POT-1** (")] == [8, 9, 9, 13, 13]


def test_a_section_is_referred_to_by_numbers_and_links(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.write("session-tck.toml", '[check]\nfiles = ["*.md"]\n')
    room.write("b.md", "# B\n\n[cups](tea.md#2-cups) and [tea](tea.md)\n")
    assert _uses(room, "tea.md", "## 2 Cups") == [
        ("tea.md", "## 2 Cups", 15),
        ("b.md", "[cups](tea.md#2-cups)", 2),
        ("tea.md", "Section 2", 13),
    ]
    assert _uses(room, "tea.md", "### 1.1 W", declaration=False) == [("tea.md", "[§1.1](#11-warming)", 13)]


def _said(room: Room, name: str, words: str, *, markdown: bool = True) -> str:
    key = room.key(name)
    found = hover(room.workspace, key, room.at(name, words), find(room.workspace, key).findings, markdown=markdown)
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


def test_a_requirement_says_what_it_demands_and_who_shows_it(tmp_path: Path) -> None:
    room = tea(tmp_path)
    said = (
        "**POT-1** · MUST · agreed · §1.1 Warming\n\nThe host MUST warm the pot.\n\n"
        "2 scenarios:\n\n- A cold pot is warmed\n- A warm pot stays warm"
    )
    assert _said(room, "scenarios/tea.feature", "@pot-1") == said
    assert _said(room, "tea.md", "POT-1](") == said
    assert _said(room, "tea.md", "CUP-1", markdown=False) == (
        "CUP-1 · MUST · proposed · §2 Cups\n\nThe host MUST give each guest a cup.\n\n"
        "Reason: 🫖 is no cup.\n\nNo scenario has its tag."
    )


def test_what_a_requirement_says_is_shown_as_it_is_written(tmp_path: Path) -> None:
    text = '# A\n\nIdentifier: a\n\n- <a id="a-1"></a>**A-1** (agreed): One MUST \\<b> `*x*` and `_y_`.\n'
    room = Room(tmp_path, {"a.md": text})
    assert r"One MUST \<b\> \*x\* and \_y\_." in _said(room, "a.md", "A-1** (")


def test_a_section_says_how_often_it_is_referred_to(tmp_path: Path) -> None:
    room = tea(tmp_path)
    assert _said(room, "tea.md", "### 1.1") == "**§1.1 Warming**\n\nOne place refers to it."
    assert _said(room, "tea.md", "Section 2") == "**§2 Cups**\n\nOne place refers to it."
    assert _said(room, "tea.md", "### 1.2") == "**§1.2 Filling**\n\nNothing refers to it."


def test_a_finding_says_what_its_rule_is_about(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\n## 1 Pots\n\nSee §4.\n"})
    said = _said(room, "tea.md", "§4")
    assert said.startswith("**XREF001** unknown-section: ")
    assert "rules.md#xref001-unknown-section" in said
    assert _said(room, "tea.md", "See") == ""


def test_the_outline_has_headings_and_what_they_hold(tmp_path: Path) -> None:
    room = tea(tmp_path)

    def tree(symbols: list[types.DocumentSymbol]) -> list[object]:
        return [(one.name, tree(list(one.children or []))) for one in symbols]

    found = outline(room.workspace, room.key("tea.md"))
    assert tree(found) == [
        (
            "Tea for two",
            [
                ("§1 Pots", [("§1.1 Warming", [("POT-1", []), ("POT-2", [])]), ("§1.2 Filling", [])]),
                ("§2 Cups", [("CUP-1", [])]),
            ],
        )
    ]
    for one in flat(found, "file:///x"):
        assert one.location.range.start.line <= one.location.range.end.line
    assert room.words(room.uri("tea.md"), found[0].range) == SPECIFICATION
    assert outline(room.workspace, room.key("gone.md")) == []


def test_a_workspace_is_searched_for_requirements_by_id_and_by_words(tmp_path: Path) -> None:
    room = tea(tmp_path)

    def names(query: str) -> list[str]:
        return [one.name.partition(" ")[0] for one in requirements(room.workspace, query)]

    assert names("pot-") == ["POT-1", "POT-2"]
    assert names("RINSE host") == ["POT-2"]
    assert names("") == ["POT-1", "POT-2", "CUP-1"]
    assert names("coffee") == []


def test_links_and_tags_lead_somewhere(tmp_path: Path) -> None:
    room = tea(tmp_path)
    uri = room.uri("tea.md")
    assert [(room.words(uri, one.range), one.target) for one in links(room.workspace, room.key("tea.md"))] == [
        ("[POT-1](#pot-1)", f"{uri}#L9"),
        ("[§1.1](#11-warming)", f"{uri}#L7"),
    ]
    feature = room.uri("scenarios/tea.feature")
    found = links(room.workspace, room.key("scenarios/tea.feature"))
    assert [(room.words(feature, one.range), one.target) for one in found] == [("@pot-1", f"{uri}#L9")] * 2


def test_nothing_is_known_of_a_text_that_is_not_there(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.feature": FEATURE})
    nowhere = types.Position(99, 99)
    for key in (room.key("a.feature"), room.key("gone.md"), "untitled:1", "file:///a%00b.md"):
        assert definition(room.workspace, key, nowhere) == []
        assert references(room.workspace, key, nowhere, declaration=True) == []
        assert hover(room.workspace, key, nowhere) is None
        assert links(room.workspace, key) == []
