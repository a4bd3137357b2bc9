"""Definitions: where each requirement is stated, in whichever form, and every place that names it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tck_spec.lock.minting import tag_of
from tck_spec.lock.standing import standing_of
from tck_spec.statements import find_statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_kit.authors.language_server.positions import Text
    from tck_spec.sections import Section
    from tck_spec.settings import Settings
    from tck_spec.specification import Specification
    from tck_spec.statements import Statement

__all__ = ["Definition", "Occurrence", "find_definitions", "occurrences", "section_label"]


@dataclass(frozen=True, slots=True)
class Definition:
    """One requirement with an id, and the document that states it."""

    id: str
    #: The key of the document.
    key: str
    line: int
    column: int
    level: str
    text: str
    status: str = ""
    reason: str = ""
    #: The section it stands in, as a reader would name it.
    section: str = ""
    #: What links to it point at, without ``#``; empty where it has no anchor.
    anchor: str = ""

    @property
    def tag(self) -> str:
        """The tag that names it, without the ``@``, as tags are compared."""
        return tag_of(self.id)

    def end_in(self, text: Text) -> int:
        """Return the column after its id; the end of the line where the id is not written there."""
        line = text.line(self.line)
        if line.startswith(self.id, self.column - 1):
            return self.column + len(self.id)
        return max(self.column, len(line) + 1)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place in a text that names a requirement."""

    offset: int
    length: int
    #: Whether it is the target of a link or the name of an anchor, which are spelled as the anchor is.
    anchor: bool = False


def find_definitions(spec: Specification, key: str, settings: Settings, *, only: bool) -> tuple[Definition, ...]:
    """Return the requirements of a document that have ids, of its own or of its lock, in order; none twice.

    `only` says that the document is the only one, as a lock has to be told.
    """
    statements = find_statements(spec, settings.form)
    found: dict[str, Definition] = {}
    for one in (
        *_own(spec, key),
        *_marked(spec, statements, key),
        *_locked(spec, statements, key, settings, only=only),
    ):
        found.setdefault(tag_of(one.id), one)
    return tuple(sorted(found.values(), key=lambda one: (one.line, one.column)))


def _own(spec: Specification, key: str) -> Iterator[Definition]:
    """Yield what has the form of this kit."""
    for one in spec.requirements:
        yield Definition(
            id=one.id,
            key=key,
            line=one.line,
            column=one.column,
            level=one.level,
            text=one.text,
            status=one.status,
            reason=one.reason or "",
            section=section_label(_around(spec, one.line)),
            anchor=one.anchor or "",
        )


def _marked(spec: Specification, statements: Sequence[Statement], key: str) -> Iterator[Definition]:
    """Yield what has an id in another form."""
    for one in statements:
        if one.marker:
            section = section_label(spec.sections[one.section] if one.section >= 0 else None)
            yield Definition(one.marker, key, one.line, one.column, one.level, one.text, section=section)


def _locked(
    spec: Specification, statements: Sequence[Statement], key: str, settings: Settings, *, only: bool
) -> Iterator[Definition]:
    """Yield what has an id in the lock of the document alone."""
    standing = standing_of(spec, statements, settings, only=only)
    if standing is None or standing.update is None:
        return
    lock = standing.update.lock
    for change in standing.update.changes:
        record = lock.by_id.get(change.id)
        if change.line and record is not None:
            section = change.new_section
            yield Definition(
                change.id, key, change.line, change.column, record.level, lock.reading(record), section=section
            )


def section_label(section: Section | None) -> str:
    """Return how a reader would name a section: its number and its title."""
    if section is None:
        return ""
    number = section.number or ""
    sign = "§" if number[:1].isdigit() else ""
    return f"{sign}{number} {section.title}".strip()


def _around(spec: Specification, line: int) -> Section | None:
    return next((one for one in reversed(spec.sections) if one.line <= line), None)


def occurrences(text: str, identifier: str, anchor: str = "") -> Iterator[Occurrence]:
    """Yield every place that names a requirement: its id as a word of its own, in code as well, and its anchor."""
    start = text.find(identifier)
    while start >= 0:
        end = start + len(identifier)
        if not _continues(text[max(0, start - 1) : start]) and not _goes_on(text[end : end + 2]):
            yield Occurrence(start, len(identifier))
        start = text.find(identifier, end)
    if anchor and anchor in text:
        name = re.escape(anchor)
        for match in re.finditer(rf"(?:#|\b(?:id|name)\s{{0,5}}=\s{{0,5}}[\"']?)({name})(?![\w-])", text):
            if text[match.start(1) : match.end(1)] != identifier:
                yield Occurrence(match.start(1), len(anchor), anchor=True)


def _continues(before: str) -> bool:
    """Tell whether a character before an id makes it the tail of a longer word."""
    return before.isalnum() or before in ("_", "-")


def _goes_on(after: str) -> bool:
    """Tell whether what follows an id makes it the head of a longer one: ``RESUME-1`` is not in ``RESUME-12``."""
    first, second = after[:1], after[1:]
    return first.isalnum() or first == "_" or (first in ("-", ".") and second.isalnum())
