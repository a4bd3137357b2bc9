"""What can be done about a finding: the rule's own repair, or an excuse that works where it is put."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from lsprotocol import types

from tck_kit.authors.language_server.actions import FIX_ALL, Ability, actions
from tck_kit.authors.language_server.diagnostics import diagnostic, find
from tck_kit.authors.language_server.positions import apply
from tck_spec.findings import Edit, Finding

from .rooms import Room

FIXTURES: Final = Path(__file__).parents[3] / "spec" / "fixtures"
QUICK: Final = types.CodeActionKind.QuickFix.value


def _documents() -> dict[str, str]:
    """Return the documents of the rules' own tests that stand alone."""
    found: dict[str, str] = {}
    for path in sorted(FIXTURES.glob("rules*.txt")):
        for part in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
            name, _, rest = part.partition("\n")
            document, findings = re.split(r"\n--- (?:settings|file .+|findings)(?=\n|\Z)", rest, maxsplit=1)
            if "\n--- " not in findings and findings.strip():
                found[f"{path.stem}: {name}"] = f"{document}\n"
    return found


DOCUMENTS: Final = _documents()


def _actions(
    room: Room, findings: Sequence[Finding], finding: Finding, *, only: list[str] | None = None
) -> list[types.CodeAction]:
    place = diagnostic(finding, room.text("tea.md")).range
    return actions(room.workspace, room.key("tea.md"), place, findings, only=only)


def _done(room: Room, action: types.CodeAction) -> Room:
    """Open the text that an action makes, with a reason where it leaves that to its author."""
    assert action.edit is not None
    assert action.edit.changes is not None
    ((uri, edits),) = action.edit.changes.items()
    assert uri == room.uri("tea.md")
    changes = [
        types.TextDocumentContentChangePartial(one.range, one.new_text)
        for one in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True)
    ]
    made = apply(room.text("tea.md"), changes).string
    room.open("tea.md", made.replace(": reason -->", ": so be it -->"), version=2)
    return room


def _names(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    return sorted((one.rule, re.sub(r"\d+", "#", one.message)) for one in findings)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("where", ["here", "in the whole file"])
def test_an_excuse_works_where_it_is_put_and_changes_nothing_else(tmp_path: Path, name: str, where: str) -> None:
    document = DOCUMENTS[name]
    room = Room(tmp_path, {"tea.md": document})
    findings = find(room.workspace, room.key("tea.md")).findings
    for finding in findings:
        room.open("tea.md", document)
        title = f"Excuse {finding.rule} {where}, with a reason"
        mine = [
            one
            for one in _actions(room, findings, finding)
            if one.title == title and one.diagnostics == [diagnostic(finding, room.text("tea.md"))]
        ]
        if finding.rule.startswith("SUP"):
            assert mine == []
        for one in mine:
            after = find(_done(room, one).workspace, room.key("tea.md")).findings
            left = _names(after)
            assert set(left) <= set(_names(findings)), room.text("tea.md").string
            gone = len(_names([one for one in findings if one.rule == finding.rule]))
            assert sum(rule == finding.rule for rule, _ in left) < gone, room.text("tea.md").string


def test_nearly_everything_can_be_excused_in_its_place(tmp_path: Path) -> None:
    """What cannot are the places where a comment is text: code that is never closed, the middle of a list's table."""
    room = Room(tmp_path, {"tea.md": ""})
    offered = missing = 0
    for document in DOCUMENTS.values():
        room.open("tea.md", document)
        findings = find(room.workspace, room.key("tea.md")).findings
        for finding in findings:
            if not finding.rule.startswith("SUP"):
                titles = [one.title for one in _actions(room, findings, finding)]
                offered += f"Excuse {finding.rule} here, with a reason" in titles
                missing += f"Excuse {finding.rule} here, with a reason" not in titles
    assert offered > 10 * missing


def test_a_second_excuse_in_one_place_joins_the_first(tmp_path: Path) -> None:
    text = "# Tea\n\n<!-- check-off TBL001: so be it -->\n| a | b |\n| --- | --- |\n| §9.9 | 2 | 3 |\n"
    room = Room(tmp_path, {"tea.md": text})
    findings = find(room.workspace, room.key("tea.md")).findings
    (finding,) = [one for one in findings if one.rule == "XREF001"]
    action = next(one for one in _actions(room, findings, finding) if "here" in one.title)
    _done(room, action)
    assert "<!-- check-off TBL001, XREF001: so be it -->\n| a" in room.text("tea.md").string
    assert find(room.workspace, room.key("tea.md")).findings == ()


FIXED: Final = Finding(
    "XREF001", "E", 3, 5, "no such section", "write §2", length=4, fix=(Edit(3, 5, 9, "§2"), Edit(1, 1, 1, ""))
)
OTHER: Final = Finding("ANC001", "E", 3, 10, "no such anchor", "write #cups", fix=(Edit(3, 6, 20, "x"),))
LAST: Final = Finding("ANC001", "E", 5, 1, "no such anchor", fix=(Edit(5, 1, 5, "Cups"),))


def test_a_repair_is_offered_as_the_one_to_prefer(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\nSee §9.9 of it, and more.\n\ncups\n"})
    first = _actions(room, [FIXED, OTHER, LAST], FIXED)[0]
    assert (first.title, first.is_preferred, first.kind) == ("XREF001: write §2", True, types.CodeActionKind.QuickFix)
    assert first.diagnostics == [diagnostic(FIXED, room.text("tea.md"))]
    assert _done(room, first).text("tea.md").line(3) == "See §2 of it, and more."


def test_all_repairs_are_made_that_do_not_meet(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\nSee §9.9 of it, and more.\n\ncups\n"})
    (action,) = _actions(room, [FIXED, OTHER, LAST], FIXED, only=[FIX_ALL])
    assert action.kind == FIX_ALL
    assert _done(room, action).text("tea.md").string == "# Tea\n\nSee §2 of it, and more.\n\nCups\n"


@pytest.mark.parametrize(
    ("only", "kinds"),
    [(None, {QUICK}), ([], set[str]()), (["quickfix"], {QUICK}), (["source"], {FIX_ALL}), (["refactor"], set[str]())],
)
def test_a_client_gets_the_kinds_that_it_asks_for(tmp_path: Path, only: list[str] | None, kinds: set[str]) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\nSee §9.9 of it, and more.\n\ncups\n"})
    found = _actions(room, [FIXED], FIXED, only=only)
    assert {str(getattr(one.kind, "value", one.kind)) for one in found} == kinds


def test_findings_elsewhere_are_left_alone(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\nSee §9.9 of it, and more.\n\ncups\n"})
    place = types.Range(types.Position(0, 0), types.Position(1, 0))
    assert actions(room.workspace, room.key("tea.md"), place, [FIXED, LAST]) == []


def test_a_client_that_can_has_the_reason_selected(tmp_path: Path) -> None:
    room = Room(tmp_path, {"tea.md": "# Tea\n\nSee §9.9 of it, and more.\n\ncups\n"})
    edit = types.WorkspaceEditClientCapabilities(document_changes=True, snippet_edit_support=True)
    ability = Ability(types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=edit)))
    place = diagnostic(FIXED, room.text("tea.md")).range
    found = actions(room.workspace, room.key("tea.md"), place, [FIXED], ability=ability)
    texts: list[str] = []
    for one in found:
        assert one.edit is not None
        for change in one.edit.document_changes or ():
            assert isinstance(change, types.TextDocumentEdit)
            assert change.text_document.version == 1
            texts += [each.snippet.value for each in change.edits if isinstance(each, types.SnippetTextEdit)]
    assert texts == [
        " <!-- check-off XREF001: ${1:reason} -->",
        "\n<!-- check-off-file XREF001: ${1:reason} -->\n",
    ]
