"""What is found in an open text, and how a client is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from tck_kit.authors.language_server import diagnostics
from tck_kit.authors.language_server.diagnostics import MOST_SHOWN, diagnostic, find
from tck_kit.authors.language_server.positions import Encoding
from tck_spec.findings import Finding
from tck_spec.rules import RULES, Rule
from tck_spec.rules.context import Context
from tck_spec.specification import MOST_BYTES

from .rooms import FEATURE, SPECIFICATION, Room, tea


def _seen(room: Room, name: str) -> list[tuple[str, str, int]]:
    """Return the rules, the words that are underlined, and the lines from 0."""
    text = room.text(name)
    shown = [diagnostic(one, text) for one in find(room.workspace, room.key(name)).findings]
    return [(str(one.code), room.words(room.uri(name), one.range), one.range.start.line) for one in shown]


def test_a_sound_document_has_none(tmp_path: Path) -> None:
    room = tea(tmp_path)
    assert _seen(room, "tea.md") == []
    assert _seen(room, "scenarios/tea.feature") == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_what_is_meant_is_underlined_whatever_stands_before_it(tmp_path: Path, encoding: Encoding) -> None:
    text = SPECIFICATION.replace("See [§1.1]", "🫖 e\u0301 See §9.9, [pots](#pots) and [§1.1]")
    room = Room(tmp_path, {"tea.md": text}, encoding=encoding)
    assert _seen(room, "tea.md") == [("XREF001", "§9.9", 13), ("ANC001", "[pots](#pots)", 13)]


def test_a_byte_order_mark_moves_nothing(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "\ufeffSee §9.9.\n\n# 1 Tea\n\nSee §9.8.\n"}, saved=False)
    assert [one for one in _seen(room, "tea.md") if one[0] == "XREF001"] == [
        ("XREF001", "§9.9", 0),
        ("XREF001", "§9.8", 4),
    ]


def test_a_diagnostic_says_what_is_wrong_how_bad_it_is_and_where_to_read_on(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\n## 1 Pots\n\nSee §4.\n"})
    (found,) = find(room.workspace, room.key("tea.md")).findings
    shown = diagnostic(found, room.text("tea.md"))
    assert shown.severity == types.DiagnosticSeverity.Error
    assert shown.source == "session-tck"
    assert shown.message.startswith(found.message)
    assert shown.code_description is not None
    assert shown.code_description.href.endswith("rules.md#xref001-unknown-section")


def test_an_excuse_that_nothing_needs_is_shown_as_such(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\n<!-- check-off XREF001: it was so -->\nPots.\n"})
    (found,) = find(room.workspace, room.key("tea.md")).findings
    shown = diagnostic(found, room.text("tea.md"))
    assert shown.tags == [types.DiagnosticTag.Unnecessary]
    assert room.words(room.uri("tea.md"), shown.range) == "<!-- check-off XREF001: it was so -->"


def test_a_tag_that_was_meant_as_an_id_and_is_none_is_underlined(tmp_path: Path) -> None:
    text = FEATURE.replace("@pot-1 @slow", "@pot-11 @slow @2026")
    room = Room(tmp_path, {"tea.md": SPECIFICATION, "tea.feature": text})
    assert _seen(room, "tea.feature") == [("COV002", "@pot-11", 2)]
    (found,) = find(room.workspace, room.key("tea.feature")).findings
    assert found.hint == "did you mean POT-1?"


def test_tags_mean_nothing_where_no_document_states_requirements(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.feature": FEATURE})
    assert _seen(room, "tea.feature") == []


def test_a_feature_file_that_is_no_gherkin_at_the_moment_is_looked_at_all_the_same(tmp_path: Path) -> None:
    text = FEATURE.replace("Scenario: A cold", "Scenari A cold").replace("@slow", "@pot-9")
    room = Room(tmp_path, {"tea.md": SPECIFICATION, "tea.feature": text})
    assert _seen(room, "tea.feature") == [("COV002", "@pot-9", 2)]


def test_coverage_is_told_where_the_settings_name_documents_and_scenarios(tmp_path: Path) -> None:
    room = tea(tmp_path)
    room.write("session-tck.toml", '[check]\nfiles = ["tea.md"]\nfeatures = "scenarios"\n')
    assert _seen(room, "tea.md") == [("COV001", "POT-2", 9), ("COV001", "CUP-1", 17)]
    room.open("scenarios/tea.feature", FEATURE.replace("@slow", "@cup-1"), version=2)
    assert _seen(room, "tea.md") == [("COV001", "POT-2", 9)]
    room.open("scenarios/tea.feature", f"Scenari\n{FEATURE.replace('@slow', '@cup-1')}", version=3)
    assert _seen(room, "tea.md") == [("COV001", "POT-2", 9)]


def test_settings_hold_for_what_is_typed(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\n## 1 Pots\n\nSee §4.\n"})
    room.write("session-tck.toml", '[rules]\nunknown-section = "info"\n')
    (found,) = find(room.workspace, room.key("tea.md")).findings
    assert (found.rule, found.severity) == ("XREF001", "I")


def test_a_text_that_is_too_large_has_one_finding_and_an_empty_one_none(tmp_path: Path) -> None:
    room = Room(tmp_path, {"a.md": "x" * (MOST_BYTES + 1), "b.md": "", "c.md": "one\ntwo\0\n"})
    assert [(one.rule, one.line) for one in find(room.workspace, room.key("a.md")).findings] == [("DOC003", 1)]
    assert find(room.workspace, room.key("b.md")).findings == ()
    assert [(one.rule, one.line, one.column) for one in find(room.workspace, room.key("c.md")).findings] == [
        ("DOC003", 2, 4)
    ]


def test_of_very_many_findings_the_gravest_are_shown(tmp_path: Path) -> None:
    lines = "".join(f"See §{number}.8 and §{number}.9.\n\n" for number in range(2, MOST_SHOWN - 200))
    room = Room(tmp_path, {"tea.md": f"# Tea\n\n## 1 Pots\n\n## 3 Cups\n\n{lines}"})
    found = find(room.workspace, room.key("tea.md")).findings
    assert len(found) == MOST_SHOWN
    assert {one.severity for one in found} == {"E"}


def _raises(context: Context) -> Iterator[Finding]:
    yield Finding("XREF001", "E", 1, 1, "found before it broke")
    raise RecursionError(context.spec.source)


def test_a_rule_that_fails_is_told_of_and_the_others_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tuple(Rule("XREF001", one.name, "E", _raises) if one.code == "XREF001" else one for one in RULES)
    monkeypatch.setattr("tck_spec.rules.RULES", rules)
    monkeypatch.setattr(diagnostics, "RULES", rules)
    room = Room(tmp_path, {"tea.md": "# Tea\n\n## 1 Pots\n\nSee §4 and [this](#that).\n"})
    found = find(room.workspace, room.key("tea.md"))
    assert [one.rule for one in found.findings] == ["ANC001"]
    (fault,) = found.faults
    assert "rule XREF001 failed" in fault
    assert "RecursionError" in fault


def test_a_text_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    room = Room(tmp_path, {"notes.txt": "See §9.9."})
    room.workspace.desk = room.workspace.desk.closed(room.uri("notes.txt")).opened(
        types.TextDocumentItem(room.uri("notes.txt"), "plaintext", 1, "See §9.9.")
    )
    assert find(room.workspace, room.key("notes.txt")).findings == ()
    assert find(room.workspace, room.key("closed.md")).findings == ()
