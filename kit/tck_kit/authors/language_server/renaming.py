"""Renaming: another id for a requirement, in its documents, in tags and in the settings, or a reason why not.

An id that has been agreed on is never reused, so one that a lock file holds is not renamed: the lock has commands for
that. All places are changed at once or none is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from tck_kit.authors.language_server.definitions import Definition, occurrences
from tck_kit.authors.language_server.navigation import spot_at
from tck_kit.authors.language_server.positions import Text
from tck_kit.authors.language_server.workspace import Unreadable
from tck_spec.lock.minting import tag_of

if TYPE_CHECKING:
    from tck_kit.authors.language_server.actions import Ability
    from tck_kit.authors.language_server.workspace import Project, Workspace

__all__ = ["NotRenamed", "prepare", "rename"]

#: Larger lock files are not searched for an id.
_MOST_BYTES: Final = 64 * 1024 * 1024


class NotRenamed(Exception):  # noqa: N818 -- it says what is so, as the kit's faults do
    """Why a requirement is not renamed, for its author."""


@dataclass(frozen=True, slots=True)
class _Change:
    key: str
    text: Text
    offset: int
    length: int
    new: str


def prepare(workspace: Workspace, key: str, position: types.Position) -> types.PrepareRenamePlaceholder | None:
    """Return the id at a position, for the client to edit; None where there is none. Raises `NotRenamed`."""
    spot = spot_at(workspace, key, position)
    if spot is None or spot.goal.definition is None:
        return None
    one = spot.goal.definition
    _refuse_locked(workspace.project(key), one)
    place = workspace.text(key).range(spot.line, spot.column, spot.end_line, spot.end_column)
    return types.PrepareRenamePlaceholder(place, one.id)


def rename(
    workspace: Workspace, key: str, position: types.Position, new: str, ability: Ability
) -> types.WorkspaceEdit | None:
    """Return the edits that give a requirement another id. Raises `NotRenamed`."""
    spot = spot_at(workspace, key, position)
    if spot is None or spot.goal.definition is None:
        return None
    one, project = spot.goal.definition, workspace.project(key)
    new = new.strip().removeprefix("@")
    new = new.upper() if one.id.isupper() else new
    _refuse_locked(project, one)
    _refuse_name(workspace, project, one, new)
    changes: dict[str, list[_Change]] = {}
    for change in _changes(workspace, project, one, new):
        changes.setdefault(change.key, []).append(change)
    return _edit(workspace, changes, ability)


def _refuse_locked(project: Project, one: Definition) -> None:
    lock = project.settings.lock
    if lock is None:
        return
    try:
        held = lock.read_text(encoding="utf-8") if lock.stat().st_size <= _MOST_BYTES else one.id
    except (OSError, ValueError):
        return
    if any(True for _ in occurrences(held, one.id)):
        raise NotRenamed(f"{one.id} is in {lock.name}, and an id that is locked stays what it is")


def _refuse_name(workspace: Workspace, project: Project, one: Definition, new: str) -> None:
    """Raise for a new id that is taken, or that is not of the form of the old one."""
    known = workspace.definitions(project)
    for key in project.documents:
        spec = workspace.spec(key)
        if isinstance(spec, Unreadable) and not spec.empty:
            raise NotRenamed(f"{key.rpartition('/')[2]} {spec.what}, so nobody knows whether it names {one.id}")
    if new == one.id:
        raise NotRenamed(f"{one.id} has this id already")
    other = known.get(tag_of(new))
    if other is not None and other is not one:
        raise NotRenamed(f"{new} is taken by line {other.line} of {other.key.rpartition('/')[2]}")
    if not re.fullmatch(_form_of(one.id), new):
        raise NotRenamed(f"'{new}' has not the form of {one.id}")


def _form_of(identifier: str) -> str:
    """Return an expression for ids that are built as one is: letters, numbers and marks where it has such."""
    parts = re.findall(r"[A-Z][A-Z0-9]*(?=[-_.]|$)|[a-z][a-z0-9]*(?=[-_.]|$)|\d+|[A-Za-z]+|.", identifier)
    made: list[str] = []
    for part in parts:
        if part.isdigit():
            made.append(r"\d+")
        elif part[0].isalpha():
            made.append("[A-Z][A-Z0-9]*" if part.isupper() else "[a-z][a-z0-9]*" if part.islower() else r"[A-Za-z]\w*")
        else:
            made.append(re.escape(part))
    return "".join(made)


def _changes(workspace: Workspace, project: Project, one: Definition, new: str) -> Iterator[_Change]:
    anchor = new.lower() if one.anchor == one.id.lower() else ""
    for key, spec in workspace.specs(project):
        text = workspace.text(key)
        for place in occurrences(spec.text, one.id, one.anchor if anchor else ""):
            yield _Change(key, text, place.offset, place.length, anchor if place.anchor else new)
    for key, feature in workspace.features(project):
        for place in occurrences(feature.text.string, one.id):
            if feature.text.string[place.offset - 1 : place.offset] != "@":
                yield _Change(key, feature.text, place.offset, place.length, new)
        for tag in feature.tags:
            if tag.folded == one.tag:
                offset = feature.text.offset(tag.line, tag.column) + 1
                yield _Change(key, feature.text, offset, len(tag.name), _spelled(tag.name, new))
    path = project.settings.path
    if path is not None:
        text = workspace.plain_text(str(path))
        for place in occurrences(text.string, one.id):
            yield _Change(str(path), text, place.offset, place.length, new)


def _spelled(tag: str, new: str) -> str:
    """Return the new id as the tag spelled the old one."""
    return new.lower() if tag == tag.lower() else new


def _edit(workspace: Workspace, changes: dict[str, list[_Change]], ability: Ability) -> types.WorkspaceEdit:
    by_uri: dict[str, list[types.TextEdit]] = {}
    versioned: list[types.TextDocumentEdit] = []
    for key, places in changes.items():
        edits: list[types.TextEdit] = []
        for one in sorted(places, key=lambda each: each.offset):
            first, last = one.text.place(one.offset), one.text.place(one.offset + one.length)
            edits.append(types.TextEdit(one.text.range(*first, *last), one.new))
        uri = workspace.desk.uri_of(key)
        held = workspace.desk.open.get(key)
        by_uri[uri] = edits
        document = types.OptionalVersionedTextDocumentIdentifier(uri, held.version if held else None)
        versioned.append(types.TextDocumentEdit(document, edits))
    if ability.versions:
        return types.WorkspaceEdit(document_changes=versioned)
    return types.WorkspaceEdit(changes=by_uri)
