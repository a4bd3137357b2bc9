"""What belongs to a workspace: documents, scenarios and settings around the open texts."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tck_kit.authors.language_server.desk import Desk, key_of, kind_of
from tck_kit.authors.language_server.workspace import Unreadable, Workspace
from tck_spec.specification import MOST_BYTES, Specification

from .rooms import FEATURE, SPECIFICATION, Room, tea


def test_a_uri_is_a_file_whatever_it_is_spelled_like() -> None:
    assert key_of("file:///tmp/a%20b%25.md") == "/tmp/a b%.md"  # noqa: S108 -- nothing is written there
    assert key_of("file://localhost/a/../b.md") == "/b.md"
    assert key_of("untitled:Untitled-1") == "untitled:Untitled-1"
    assert key_of("file://elsewhere/share/a.md") == "file://elsewhere/share/a.md"
    assert key_of("file:///a%00b.md") == "file:///a%00b.md"
    assert key_of("file://[broken") == "file://[broken"


def test_the_client_gets_its_own_spelling_of_a_uri_back() -> None:
    uri = "file:///house/t%65a.md"
    desk = Desk().opened(types.TextDocumentItem(uri, "markdown", 1, ""))
    assert desk.uri_of("/house/tea.md") == uri
    assert desk.uri_of("/house/other tea.md") == "file:///house/other%20tea.md"


def test_a_text_is_what_its_name_says_or_else_its_language() -> None:
    assert kind_of("/a/session-tck.toml", "toml") == "settings"
    assert kind_of("/a/b.MD") == "markdown"
    assert kind_of("untitled:1", "markdown") == "markdown"
    assert kind_of("/a/b.feature") == "feature"
    assert kind_of("/a/b.txt", "plaintext") == "other"


def test_unsaved_text_lies_over_the_file(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.open("tea.md", SPECIFICATION.replace("POT-2", "POT-7"), version=2)
    assert "pot-7" in room.workspace.definitions(room.workspace.project(room.key("tea.md")))
    room.close("tea.md")
    assert "pot-7" not in room.workspace.definitions(room.workspace.project(room.key("scenarios/tea.feature")))


def test_a_file_that_changes_on_disk_is_read_again(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.close("tea.md")
    feature = room.key("scenarios/tea.feature")
    assert "pot-2" in room.workspace.definitions(room.workspace.project(feature))
    room.write("tea.md", SPECIFICATION.replace("POT-2", "POT-22"))
    assert "pot-22" in room.workspace.definitions(room.workspace.project(feature))


def test_without_settings_a_document_that_says_who_it_is_states_requirements_for_all(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.feature": FEATURE})
    room.write("docs/tea.md", SPECIFICATION)
    room.write("docs/notes.md", SPECIFICATION.replace("Identifier: tea\n", ""))
    room.write("node_modules/x/tea.md", SPECIFICATION)
    room.write(".hidden/tea.md", SPECIFICATION)
    project = room.workspace.project(room.key("a.feature"))
    assert project.documents == (room.key("docs/tea.md"),)
    assert not project.together


def test_the_settings_say_which_documents_are_checked_together(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.write("session-tck.toml", '[check]\nfiles = ["tea.md", "cup.md"]\nfeatures = "scenarios"\n')
    room.write("cup.md", "# Cups\n\n## 7 Handles\n")
    project = room.workspace.project(room.key("tea.md"))
    assert project.documents == (room.key("tea.md"), room.key("cup.md"))
    assert project.features == (room.key("scenarios/tea.feature"),)
    assert project.together
    room.write("notes.md", "# Notes\n")
    beside = room.workspace.project(room.key("notes.md"))
    assert beside.documents[-1] == room.key("notes.md")
    assert not beside.together


def test_settings_that_break_leave_those_from_before_in_force_and_are_told_of(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.write("session-tck.toml", '[rules]\nNUM002 = "off"\n')
    assert room.workspace.settings(room.key("tea.md")).rules == {"NUM002": None}
    room.write("session-tck.toml", '[rules]\nNUM002 = "of"\n')
    assert room.workspace.settings(room.key("tea.md")).rules == {"NUM002": None}
    path = str(tmp_path / "session-tck.toml")
    assert "NUM002" in str(room.workspace.broken_settings[path])
    room.write("session-tck.toml", '[rules]\nNUM002 = "error"\n')
    assert room.workspace.settings(room.key("tea.md")).rules == {"NUM002": "E"}
    assert room.workspace.broken_settings == {}


def test_documents_that_the_settings_name_and_nobody_has_are_told_of(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.write("session-tck.toml", '[check]\nfiles = ["teh.md"]\n')
    assert room.workspace.project(room.key("tea.md")).documents[-1] == room.key("tea.md")
    assert "teh.md" in str(room.workspace.broken_settings[str(tmp_path / "session-tck.toml")])
    room.write("teh.md", "# Teh\n")
    assert room.key("teh.md") in room.workspace.project(room.key("tea.md")).documents
    assert room.workspace.broken_settings == {}


def test_each_folder_of_a_workspace_is_a_project_of_its_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    room = Room(tmp_path, {"one/tea.md": SPECIFICATION, "other/tea.feature": FEATURE})
    room.workspace.desk = Desk(room.workspace.desk.open, (one, other))
    assert room.workspace.project(str(one / "tea.md")).features == ()
    assert room.workspace.definitions(room.workspace.project(str(other / "tea.feature"))) == {}


def test_a_single_file_in_no_folder_is_a_project(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.workspace.desk = Desk(room.workspace.desk.open)
    project = room.workspace.project(room.key("tea.md"))
    assert project.documents == (room.key("tea.md"),)
    assert project.features == ()
    untitled = Desk().opened(types.TextDocumentItem("untitled:1", "markdown", 1, SPECIFICATION))
    workspace = Workspace(untitled)
    assert "cup-1" in workspace.definitions(workspace.project("untitled:1"))


def test_an_open_text_is_held_to_the_bounds_of_files(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.md": "x" * (MOST_BYTES + 1), "b.md": "# A\0\n", "c.md": " \n", "d.md": "é" * MOST_BYTES})
    seen = [room.workspace.spec(room.key(name)) for name in ("a.md", "b.md", "c.md", "d.md")]
    assert [one.what for one in seen if isinstance(one, Unreadable)] == [
        f"is larger than {MOST_BYTES // 1024 // 1024} MiB",
        "is not a text file (it has a NUL byte)",
        "is empty",
        f"is larger than {MOST_BYTES // 1024 // 1024} MiB",
    ]
    assert isinstance(room.workspace.spec(room.key("gone.md")), Unreadable)


def test_a_link_is_read_through_the_texts_that_are_open(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.md": "# A\n\n[b](b.md#two)\n", "b.md": "# Two\n"})
    spec = room.workspace.spec(room.key("a.md"))
    assert isinstance(spec, Specification)
    project = room.workspace.project(room.key("a.md"))
    first = room.workspace.library(project, spec).look(spec.source, "b.md")
    room.open("b.md", "# Three\n")
    second = room.workspace.library(project, spec).look(spec.source, "b.md")
    assert [one.document.sections[0].title for one in (first, second) if one.document] == ["Three", "Three"]
