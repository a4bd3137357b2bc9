"""Symbols: the outline of a document, requirements by name, and what in a text is a link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from tck_kit.authors.language_server.definitions import section_label
from tck_kit.authors.language_server.mentions import find_mentions, goal_of
from tck_spec.specification import Specification

if TYPE_CHECKING:
    from tck_kit.authors.language_server.definitions import Definition
    from tck_kit.authors.language_server.positions import Text
    from tck_kit.authors.language_server.workspace import Workspace

__all__ = ["flat", "links", "outline", "requirements"]

_MOST_SYMBOLS: Final = 500


def outline(workspace: Workspace, key: str) -> list[types.DocumentSymbol]:
    """Return the headings of a document, each with what it holds: its requirements and the headings below it."""
    spec = workspace.spec(key)
    if not isinstance(spec, Specification):
        return []
    text = workspace.text(key)
    known = [one for one in workspace.definitions(workspace.project(key)).values() if one.key == key]
    roots: list[types.DocumentSymbol] = []
    around: list[tuple[int, types.DocumentSymbol]] = []
    stated = iter(sorted(known, key=lambda one: one.line))
    waiting = next(stated, None)
    for index, section in enumerate(spec.sections):
        while waiting is not None and waiting.line < section.line:
            _children(around, roots).append(_requirement(waiting, text))
            waiting = next(stated, None)
        while around and around[-1][0] >= section.level:
            around.pop()
        end = next((one.line for one in spec.sections[index + 1 :] if one.level <= section.level), text.lines + 1)
        name = section_label(section) or "(no title)"
        own = text.range(section.line, 1, section.line, len(text.line(section.line)) + 1)
        whole = types.Range(own.start, text.position(end - 1, len(text.line(end - 1)) + 1))
        symbol = types.DocumentSymbol(name, types.SymbolKind.String, whole, own, children=[])
        _children(around, roots).append(symbol)
        around.append((section.level, symbol))
    while waiting is not None:
        _children(around, roots).append(_requirement(waiting, text))
        waiting = next(stated, None)
    return roots


def _children(
    around: list[tuple[int, types.DocumentSymbol]], roots: list[types.DocumentSymbol]
) -> list[types.DocumentSymbol]:
    if not around:
        return roots
    children = around[-1][1].children
    return children if isinstance(children, list) else roots


def _requirement(one: Definition, text: Text) -> types.DocumentSymbol:
    place = text.range(one.line, one.column, one.line, one.end_in(text))
    detail = " · ".join(word for word in (one.level, one.status) if word)
    return types.DocumentSymbol(one.id, types.SymbolKind.Key, place, place, detail=detail or None)


def flat(symbols: Iterable[types.DocumentSymbol], uri: str, around: str = "") -> Iterator[types.SymbolInformation]:
    """Yield an outline as a list, for clients that show no tree."""
    for one in symbols:
        place = types.Location(uri, one.range)
        yield types.SymbolInformation(place, one.name, one.kind, container_name=around or None)
        yield from flat(one.children or (), uri, one.name)


def requirements(workspace: Workspace, query: str) -> list[types.WorkspaceSymbol]:
    """Return the requirements of all open projects whose id or text has the words of a query."""
    words = query.lower().split()
    found: dict[tuple[str, str], types.WorkspaceSymbol] = {}
    keys = [*workspace.desk.open, *(f"{folder}/" for folder in workspace.desk.folders)]
    for key in keys:
        for one in workspace.definitions(workspace.project(key)).values():
            if len(found) < _MOST_SYMBOLS and all(word in one.id.lower() or word in one.text.lower() for word in words):
                text = workspace.text(one.key)
                place = text.range(one.line, one.column, one.line, one.end_in(text))
                location = types.Location(workspace.desk.uri_of(one.key), place)
                name = f"{one.id} {one.text}"[:120]
                symbol = types.WorkspaceSymbol(location, name, types.SymbolKind.Key, container_name=one.section or None)
                found.setdefault((one.key, one.id), symbol)
    return list(found.values())


def links(workspace: Workspace, key: str) -> list[types.DocumentLink]:
    """Return the links of a document that lead to a place here, or the tags of a feature file."""
    held = workspace.desk.open.get(key)
    if held is not None and held.kind == "feature":
        return list(_tag_links(workspace, key))
    spec = workspace.spec(key)
    return list(_links(workspace, key, spec)) if isinstance(spec, Specification) else []


def _links(workspace: Workspace, key: str, spec: Specification) -> Iterator[types.DocumentLink]:
    text, project = workspace.text(key), workspace.project(key)
    for one in find_mentions(spec, text):
        if one.reference.kind in ("anchor", "file"):
            goal = goal_of(workspace, project, key, spec, one.reference)
            if goal is not None:
                line = f"#L{goal.line}" if goal.line > 1 else ""
                place = text.range(one.line, one.column, one.end_line, one.end_column)
                yield types.DocumentLink(place, workspace.desk.uri_of(goal.key) + line)


def _tag_links(workspace: Workspace, key: str) -> Iterator[types.DocumentLink]:
    text, known = workspace.text(key), workspace.definitions(workspace.project(key))
    for tag in workspace.feature(key).tags:
        one = known.get(tag.folded)
        if one is not None:
            place = text.range(tag.line, tag.column, tag.line, tag.end_column)
            target = f"{workspace.desk.uri_of(one.key)}#L{one.line}"
            yield types.DocumentLink(place, target, tooltip=f"{one.id}: {one.text}"[:200])
