"""Another id for a requirement, everywhere or nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tck_kit.authors.language_server.actions import Ability
from tck_kit.authors.language_server.positions import Encoding, Text, apply
from tck_kit.authors.language_server.renaming import NotRenamed, prepare, rename

from .rooms import FEATURE, SPECIFICATION, Room, tea


def _after(room: Room, edit: types.WorkspaceEdit | None) -> dict[str, str]:
    """Return the texts that an edit makes, by file."""
    assert edit is not None
    assert edit.changes is not None
    made: dict[str, str] = {}
    for uri, edits in edit.changes.items():
        name = uri.removeprefix(room.folder.as_uri() + "/")
        changes = [
            types.TextDocumentContentChangePartial(one.range, one.new_text)
            for one in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True)
        ]
        text = Text((room.folder / name).read_text(encoding="utf-8"), room.workspace.desk.encoding)
        made[name] = apply(text, changes).string
    return made


def _rename(room: Room, name: str, words: str, new: str) -> dict[str, str]:
    return _after(room, rename(room.workspace, room.key(name), room.at(name, words), new, Ability()))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize(("name", "words"), [("tea.md", "POT-1** ("), ("scenarios/tea.feature", "@pot-1")])
def test_an_id_is_renamed_wherever_it_stands(tmp_path: Path, name: str, words: str, encoding: Encoding) -> None:
    specification = SPECIFICATION.replace("See [§1.1]", "🫖 e\u0301 POT-1, but not POT-11. See [§1.1]")
    feature = FEATURE.replace("Feature: Tea\n", "Feature: Tea 🫖\n  POT-1 is shown here.\n")
    room = Room(tmp_path, {"tea.md": specification, "scenarios/tea.feature": feature}, encoding=encoding)
    room.write("session-tck.toml", '[[waivers]]\nrequirement = "POT-1"\nreason = "later"\n')
    made = _rename(room, name, words, "POT-9")
    assert made["tea.md"] == (
        specification.replace("POT-1", "POT-9").replace("pot-1", "pot-9").replace("POT-91", "POT-11")
    )
    assert made["scenarios/tea.feature"] == feature.replace("POT-1", "POT-9").replace("@pot-1", "@pot-9")
    assert made["session-tck.toml"] == '[[waivers]]\nrequirement = "POT-9"\nreason = "later"\n'


def test_a_new_id_may_be_given_as_the_tag_of_it(tmp_path: Path) -> None:
    made = _rename(tea(tmp_path), "scenarios/tea.feature", "@pot-1", "@cup-7")
    assert "**CUP-7** (agreed): The host MUST warm" in made["tea.md"]
    assert '<a id="cup-7">' in made["tea.md"]


def test_an_anchor_that_is_not_the_id_stays(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": SPECIFICATION.replace("pot-1", "warm")})
    made = _rename(room, "tea.md", "POT-1** (", "POT-9")
    assert made["tea.md"] == SPECIFICATION.replace("pot-1", "warm").replace("POT-1", "POT-9")


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("POT-2", "taken by line 10 of tea.md"),
        ("pot-2", "taken by line 10 of tea.md"),
        ("POT-1", "already"),
        ("POT", "has not the form of POT-1"),
        ("POT 3", "has not the form of POT-1"),
        ("PÖT-3", "has not the form of POT-1"),
        ("", "has not the form of POT-1"),
    ],
)
def test_an_id_that_is_taken_or_of_another_form_is_refused(tmp_path: Path, new: str, reason: str) -> None:
    with pytest.raises(NotRenamed, match=reason):
        _rename(tea(tmp_path), "tea.md", "POT-1** (", new)


def test_an_id_that_is_locked_stays(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.write("session-tck.toml", '[check]\nlock = "tea.lock.jsonl"\n')
    room.write("tea.lock.jsonl", '{"id":"POT-1","kind":"req"}\n')
    with pytest.raises(NotRenamed, match=r"POT-1 is in tea\.lock\.jsonl"):
        prepare(room.workspace, room.key("tea.md"), room.at("tea.md", "POT-1** ("))
    assert prepare(room.workspace, room.key("tea.md"), room.at("tea.md", "POT-2** (")) is not None


def test_nothing_is_renamed_while_a_document_cannot_be_read(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.write("session-tck.toml", '[check]\nfiles = ["*.md"]\n')
    (tmp_path / "other.md").write_bytes(b"POT-1 \xff\n")
    with pytest.raises(NotRenamed, match=r"other\.md is not UTF-8"):
        _rename(room, "tea.md", "POT-1** (", "POT-9")


def test_only_an_id_can_be_renamed(tmp_path: Path) -> None:
    room = tea(tmp_path)
    for name, words in (("tea.md", "## 2"), ("tea.md", "Section 2"), ("scenarios/tea.feature", "@slow")):
        position = room.at(name, words)
        assert prepare(room.workspace, room.key(name), position) is None
        assert rename(room.workspace, room.key(name), position, "POT-9", Ability()) is None


def test_what_is_to_be_renamed_is_shown_as_the_document_has_it(tmp_path: Path) -> None:
    room = tea(tmp_path)
    found = prepare(room.workspace, room.key("scenarios/tea.feature"), room.at("scenarios/tea.feature", "pot-1"))
    assert found is not None
    assert found.placeholder == "POT-1"
    assert room.words(room.uri("scenarios/tea.feature"), found.range) == "@pot-1"


def test_a_client_that_can_gets_the_version_of_each_open_text(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.open("tea.md", SPECIFICATION, version=7)
    room.close("scenarios/tea.feature")
    edit = types.WorkspaceEditClientCapabilities(document_changes=True)
    ability = Ability(types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=edit)))
    made = rename(room.workspace, room.key("tea.md"), room.at("tea.md", "POT-1** ("), "POT-9", ability)
    assert made is not None
    versions: dict[str, int | None] = {}
    for one in made.document_changes or ():
        assert isinstance(one, types.TextDocumentEdit)
        versions[one.text_document.uri] = one.text_document.version
    assert versions == {room.uri("tea.md"): 7, room.uri("scenarios/tea.feature"): None}
