"""Mentions: the places of a document that point somewhere, each with its extent, and where they lead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tck_kit.authors.language_server.definitions import Definition
from tck_spec.lock.minting import tag_of
from tck_spec.specification import Specification
from tck_spec.targets import targets_of

if TYPE_CHECKING:
    from tck_kit.authors.language_server.positions import Text
    from tck_kit.authors.language_server.workspace import Project, Workspace
    from tck_spec.references import Reference
    from tck_spec.sections import Section

__all__ = ["Goal", "Mention", "find_mentions", "goal_of", "mentions_at", "section_with_number"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A reference, and the part of the text that it is."""

    reference: Reference
    line: int
    column: int
    end_line: int
    end_column: int

    def covers(self, line: int, column: int) -> bool:
        """Tell whether a place is in it, or directly behind it, where a cursor still stands at it."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)


@dataclass(frozen=True, slots=True)
class Goal:
    """What something leads to: a section, a requirement, another place of a document, or a whole file."""

    key: str
    line: int = 1
    column: int = 1
    section: Section | None = None
    definition: Definition | None = None


def find_mentions(spec: Specification, text: Text) -> Iterator[Mention]:
    """Yield the references of a document with their extents, in order."""
    ends = _ends(spec)
    for one in spec.references:
        end = ends.get((one.line, one.column)) if one.kind in ("anchor", "file", "url") else None
        yield Mention(one, one.line, one.column, *(end or _label_end(one, text)))


def _ends(spec: Specification) -> dict[tuple[int, int], tuple[int, int]]:
    """Return where each link and each tag of HTML ends, by where it starts."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for piece in spec.prose:
        starts = {link.source for link in piece.inline.links} | {offset for offset, _ in piece.inline.html}
        for span in piece.inline.claimed:
            if span.start in starts:
                found[piece.place(span.start)] = piece.place(span.end)
    return found


def _label_end(reference: Reference, text: Text) -> tuple[int, int]:
    """Return where the words of a reference end; those of a link's definition fill their line."""
    line = text.line(reference.line)
    start = text.offset(reference.line, reference.column)
    if reference.label and text.string.startswith(reference.label, start):
        return text.place(start + len(reference.label))
    if reference.kind in ("section", "requirement"):
        return reference.line, min(reference.column + len(reference.label), len(line) + 1)
    return reference.line, max(reference.column, len(line) + 1)


def mentions_at(spec: Specification, text: Text, line: int, column: int) -> list[Mention]:
    """Return the references at a place, those of the least extent first."""
    found = [one for one in find_mentions(spec, text) if one.covers(line, column)]
    return sorted(found, key=lambda one: (one.end_line - one.line, one.end_column - one.column))


def goal_of(workspace: Workspace, project: Project, key: str, spec: Specification, reference: Reference) -> Goal | None:
    """Return where a reference leads; None for what leads nowhere, or out of the documents and files here."""
    if reference.kind == "requirement":
        known = workspace.definitions(project).get(tag_of(reference.target))
        return Goal(known.key, known.line, known.column, definition=known) if known else None
    if reference.kind == "section":
        if reference.document:
            return None
        return section_with_number(workspace, project, key, spec, reference.target)
    if reference.kind == "anchor":
        return _at_anchor(project, key, spec, reference.target)
    if reference.kind == "file":
        return _in_file(workspace, project, spec, reference.target)
    return None


def section_with_number(
    workspace: Workspace, project: Project, key: str, spec: Specification, number: str
) -> Goal | None:
    """Return the section with a number: of the document itself, or else of those it is checked with."""
    others = workspace.specs(project) if project.together else ()
    for name, one in ((key, spec), *others):
        for section in one.sections:
            if section.number == number:
                return Goal(name, section.line, section.column, section)
    return None


def _at_anchor(project: Project, key: str, spec: Specification, anchor: str) -> Goal | None:
    if not anchor or anchor.lower() == "top":
        return Goal(key)
    targets = targets_of(spec)
    section = targets.section_at(anchor, project.settings.anchors)
    if section is not None:
        return Goal(key, section.line, section.column, section)
    line = targets.explicit.get(anchor) or targets.braces.get(anchor)
    return Goal(key, line) if line else None


def _in_file(workspace: Workspace, project: Project, spec: Specification, target: str) -> Goal | None:
    path, _, anchor = target.partition("#")
    found = workspace.library(project, spec).look(spec.source, path)
    if found.path is None or found.found not in ("document", "file", "folder"):
        return None
    name = str(Path(found.path))
    other = workspace.spec(name) if found.found == "document" else None
    if isinstance(other, Specification) and anchor:
        return _at_anchor(project, name, other, anchor) or Goal(name)
    return Goal(name)
