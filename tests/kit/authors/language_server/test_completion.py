"""What is offered where something is being written."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tck_kit.authors.language_server.completion import complete

from .rooms import FEATURE, SPECIFICATION, Room


def _offered(room: Room, name: str, words: str) -> list[tuple[str, str]]:
    """Return what is offered behind some words, and what each would replace."""
    position = room.at(name, words, after=len(words))
    found: list[tuple[str, str]] = []
    for item in complete(room.workspace, room.key(name), position).items:
        assert isinstance(item.text_edit, types.TextEdit)
        found.append((item.text_edit.new_text, room.words(room.uri(name), item.text_edit.range)))
    return found


def _feature(folder: Path, line: str) -> Room:
    return Room(folder, {"tea.md": SPECIFICATION, "tea.feature": f"Feature: Tea\n\n{line}\n  Scenario: S\n"})


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("  @", ["@cup-1", "@pot-1", "@pot-2"]),
        ("  @po", ["@pot-1", "@pot-2"]),
        ("  @pot-1 @CU", ["@cup-1"]),
        ("  @2", ["@pot-2"]),
        ("  @smoke", []),
        ("  Given @po", []),
        ("  # @po", []),
    ],
)
def test_a_tag_is_completed_from_the_ids(tmp_path: Path, line: str, offered: list[str]) -> None:
    room = _feature(tmp_path, line)
    assert [new for new, _ in _offered(room, "tea.feature", line)] == offered


def test_the_whole_tag_is_replaced_also_what_stands_behind_the_cursor(tmp_path: Path) -> None:
    room = _feature(tmp_path, "  🫖 @pot-11")
    assert _offered(room, "tea.feature", "  🫖 @po") == []
    room = _feature(tmp_path, "  @kitchen @pot-11")
    assert ("@pot-1", "@pot-11") in _offered(room, "tea.feature", "  @kitchen @po")


def test_a_tag_comes_with_what_its_requirement_says(tmp_path: Path) -> None:
    room = _feature(tmp_path, "  @cu")
    (item,) = complete(room.workspace, room.key("tea.feature"), room.at("tea.feature", "@cu", after=3)).items
    assert item.detail == "MUST · proposed · §2 Cups"
    assert isinstance(item.documentation, types.MarkupContent)
    assert "The host MUST give each guest a cup." in item.documentation.value
    assert "Reason: 🫖 is no cup." in item.documentation.value


def _markdown(folder: Path, line: str) -> Room:
    return Room(folder, {"tea.md": f"{SPECIFICATION}\n{line}\n", "other.md": "# Other\n\n## Milk & sugar\n"})


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("See §", [("1", ""), ("1.1", ""), ("1.2", ""), ("2", "")]),
        ("See §1.", [("1.1", "1."), ("1.2", "1.")]),
        ("🫖 See Section ", [("1", ""), ("1.1", ""), ("1.2", ""), ("2", "")]),
        ("See Sections 1.1 and 1", [("1", "1"), ("1.1", "1"), ("1.2", "1")]),
        ("The section on 1", []),
        ("It costs 1.", []),
    ],
)
def test_a_section_number_is_completed_behind_what_announces_one(
    tmp_path: Path, line: str, offered: list[tuple[str, str]]
) -> None:
    assert _offered(_markdown(tmp_path, line), "tea.md", line) == offered


def test_appendices_have_letters(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.md": "# A\n\n## 1 One\n\n## Appendix A Milk\n\n### A.1 Cold\n\nSee Appendix \n\nSee §\n"})
    assert [new for new, _ in _offered(room, "a.md", "See Appendix ")] == ["A", "A.1"]
    assert [new for new, _ in _offered(room, "a.md", "See §")] == ["1"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("[cups](#", ["tea-for-two", "1-pots", "11-warming", "12-filling", "2-cups", "pot-1", "pot-2", "cup-1"]),
        ("[cups](#cu", ["2-cups", "cup-1"]),
        ("[cups]: #war", ["11-warming"]),
        ("[milk](other.md#", ["other", "milk--sugar"]),
        ("[milk](gone.md#", []),
        ("<a href='#cu", ["2-cups", "cup-1"]),
    ],
)
def test_an_anchor_is_completed_in_the_target_of_a_link(tmp_path: Path, line: str, offered: list[str]) -> None:
    assert [new for new, _ in _offered(_markdown(tmp_path, line), "tea.md", line)] == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("as 🫖 PO", [("POT-1", "PO"), ("POT-2", "PO")]),
        ("as POT-", [("POT-1", "POT-"), ("POT-2", "POT-")]),
        ("as P", []),
        ("as pot", []),
        ("as SPO", []),
    ],
)
def test_an_id_is_completed_in_prose(tmp_path: Path, line: str, offered: list[tuple[str, str]]) -> None:
    assert _offered(_markdown(tmp_path, line), "tea.md", line) == offered


def test_nothing_is_offered_in_code(tmp_path: Path) -> None:
    room = _markdown(tmp_path, "```\nsee §\nas PO\n```")
    assert _offered(room, "tea.md", "see §") == []
    assert _offered(room, "tea.md", "as PO") == []


def test_a_long_list_is_cut_and_says_so(tmp_path: Path) -> None:
    text = "# Tea\n\nIdentifier: tea\n\n## 1 Pots\n\n" + "".join(
        f'- <a id="pot-{number}"></a>**POT-{number}** (agreed): The host MUST warm pot {number}.\n'
        for number in range(1, 402)
    )
    room = Room(tmp_path, {"tea.md": text, "tea.feature": FEATURE.replace("@slow", "@")})
    found = complete(room.workspace, room.key("tea.feature"), room.at("tea.feature", "@pot-1 @", after=8))
    assert found.is_incomplete
    assert len(found.items) == 300
    assert [item.label for item in found.items[8:11]] == ["@pot-9", "@pot-10", "@pot-11"]
