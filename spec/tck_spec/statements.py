"""Statements: what a specification requires, found in its prose whether or not the author gave it an id.

A statement is one sentence, list item or table cell that has a key word of RFC 2119 or a phrase that the author named.
What makes it mean something is kept beside it: the sentence that leads its list in, the heading of its column, its
section. Its own id, if it has one, is its marker; without one the lock file mints one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tck_spec.settings import Form
    from tck_spec.specification import Specification

__all__ = ["Place", "Statement", "find_statements"]

#: What carries a statement; ``marked`` is one whose id is written in the document.
Place = Literal["sentence", "item", "cell", "marked"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is required, and where."""

    #: Without Markdown, white space collapsed.
    text: str
    #: The same, with each reference to a section of this document as ``{§i}``: i is an index into its sections, so
    #: that a section with a new number changes nothing.
    keyed: str
    #: The key word, in capitals; the strongest if there are several. Empty for a phrase.
    level: str
    keywords: tuple[str, ...]
    #: The id that the document gives it; empty where it gives none.
    marker: str
    place: Place
    #: Index into the specification's sections; -1 before the first heading.
    section: int
    #: The how-manieth paragraph of its section it stands in, from 1.
    paragraph: int
    line: int
    column: int
    #: The sentence that leads the list in which it is an item.
    lead_in: str = ""
    #: Of a table cell: the heading of its column.
    header: str = ""
    #: What it is about: the first cell of its row, or the term that its item or sentence begins with.
    subject: str = ""


def find_statements(spec: Specification, form: Form) -> tuple[Statement, ...]:
    """Return the statements of a specification, in document order."""
    del form
    return tuple(
        Statement(
            text=one.text,
            keyed=one.text,
            level=one.level,
            keywords=one.keywords,
            marker=one.id,
            place="marked",
            section=next((i for i, section in reversed(list(enumerate(spec.sections))) if section.line < one.line), -1),
            paragraph=1,
            line=one.line,
            column=one.column,
        )
        for one in spec.requirements
    )
