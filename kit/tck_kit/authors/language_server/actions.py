"""Code actions: the repairs that a rule offers, and the excuse with which an author says that it is meant so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from tck_kit.authors.language_server.diagnostics import diagnostic, end_of
from tck_kit.authors.language_server.excusing import REASON, excuse_everywhere, excuse_here
from tck_spec.specification import Specification

if TYPE_CHECKING:
    from tck_kit.authors.language_server.positions import Text
    from tck_kit.authors.language_server.workspace import Workspace
    from tck_spec.findings import Edit, Finding

__all__ = ["FIX_ALL", "KINDS", "Ability", "actions"]

FIX_ALL: Final = "source.fixAll.session-tck"
KINDS: Final = (types.CodeActionKind.QuickFix, FIX_ALL)
#: Rules about excuses are not excused.
_NOT_EXCUSED: Final = frozenset({"SUP001", "SUP002"})


class Ability:
    """What edits the client understands."""

    def __init__(self, capabilities: types.ClientCapabilities | None = None) -> None:
        """Read it from the client's capabilities; without any, what every client understands."""
        workspace = capabilities.workspace if capabilities else None
        edit = workspace.workspace_edit if workspace else None
        #: Whether edits may name the version of the text that they are for.
        self.versions = bool(edit and edit.document_changes)
        #: Whether an edit may leave the cursor at a place to be filled in.
        self.snippets = bool(self.versions and edit and edit.snippet_edit_support)


def actions(
    workspace: Workspace,
    key: str,
    place: types.Range,
    findings: Sequence[Finding],
    *,
    only: Sequence[str] | None = None,
    ability: Ability | None = None,
) -> list[types.CodeAction]:
    """Return what can be done about the findings in a part of a text; `findings` are those of the text as it is."""
    text = workspace.text(key)
    maker = _Maker(workspace, key, text, ability or Ability())
    found: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix.value, only):
        first, last = text.spot(place.start), text.spot(place.end)
        for one in findings:
            if first <= (one.line, end_of(one, text)) and (one.line, one.column) <= last:
                found += maker.quick_fixes(one)
    if only is not None and _wanted(FIX_ALL, only):
        found += maker.fix_all(findings)
    return found


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    return only is None or any(not one or kind == one or kind.startswith(f"{one}.") for one in only)


class _Maker:
    """Makes the actions for one text."""

    def __init__(self, workspace: Workspace, key: str, text: Text, ability: Ability) -> None:
        self.workspace, self.key, self.text, self.ability = workspace, key, text, ability

    def quick_fixes(self, finding: Finding) -> Iterator[types.CodeAction]:
        shown = diagnostic(finding, self.text)
        if finding.fix:
            title = f"{finding.rule}: {finding.hint or 'mend it'}"
            yield self._action(title, self._edit(finding.fix), shown, preferred=True)
        spec = self.workspace.spec(self.key)
        if finding.rule in _NOT_EXCUSED or not isinstance(spec, Specification):
            return
        for title, edit in (
            (f"Excuse {finding.rule} here, with a reason", excuse_here(spec, finding, self.text)),
            (f"Excuse {finding.rule} in the whole file, with a reason", excuse_everywhere(spec, finding, self.text)),
        ):
            if edit is not None:
                yield self._action(title, self._edit((edit,), snippet=self.ability.snippets), shown)

    def fix_all(self, findings: Iterable[Finding]) -> Iterator[types.CodeAction]:
        """Yield the one action that makes all repairs that do not get in each other's way."""
        taken: list[Edit] = []
        for finding in findings:
            if finding.fix and not any(_overlap(one, other) for one in finding.fix for other in taken):
                taken += finding.fix
        if taken:
            yield types.CodeAction("Mend all that can be mended", kind=FIX_ALL, edit=self._edit(taken))

    @staticmethod
    def _action(
        title: str, edit: types.WorkspaceEdit, shown: types.Diagnostic, *, preferred: bool = False
    ) -> types.CodeAction:
        kind = types.CodeActionKind.QuickFix
        return types.CodeAction(title, kind=kind, diagnostics=[shown], edit=edit, is_preferred=preferred or None)

    def _edit(self, edits: Iterable[Edit], *, snippet: bool = False) -> types.WorkspaceEdit:
        held = self.workspace.desk.open.get(self.key)
        uri = self.workspace.desk.uri_of(self.key)
        changes = [
            types.TextEdit(self.text.range(one.line, one.column, one.line, one.end_column), one.text) for one in edits
        ]
        if not self.ability.versions:
            return types.WorkspaceEdit(changes={uri: changes})
        document = types.OptionalVersionedTextDocumentIdentifier(uri, held.version if held else None)
        if snippet:
            filled = [types.SnippetTextEdit(one.range, types.StringValue(_as_snippet(one.new_text))) for one in changes]
            return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, filled)])
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, changes)])


def _as_snippet(text: str) -> str:
    """Return a comment in which the reason is what the cursor selects."""
    for char in "\\$}":
        text = text.replace(char, f"\\{char}")
    return text.replace(f": {REASON} -->", f": ${{1:{REASON}}} -->")


def _overlap(one: Edit, other: Edit) -> bool:
    same_line = one.line == other.line
    return (
        same_line
        and one.column < max(other.end_column, other.column + 1)
        and other.column < max(one.end_column, one.column + 1)
    )
