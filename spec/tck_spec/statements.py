"""Statements: what a specification requires, found in its prose whether or not the author gave it an id.

A statement is one sentence, list item or table cell that has a key word of RFC 2119 or a phrase that the author named.
What makes it mean something is kept beside it: the sentence that leads its list in, the heading of its column, its
section. Its own id, if it has one, is its marker; without one the lock file mints one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tck_spec.bindings import Binding, BindingReader
from tck_spec.keyed import SectionKeys
from tck_spec.keywords import keywords_in, strongest
from tck_spec.marked import used
from tck_spec.marked_texts import find_markers
from tck_spec.passages import LEADS, collapse, read_passages
from tck_spec.patterns import Pattern
from tck_spec.remembered import Latest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_spec.marked import Marker
    from tck_spec.passages import Passage
    from tck_spec.requirements import Requirement
    from tck_spec.settings import Form
    from tck_spec.specification import Specification

__all__ = ["Place", "Statement", "defined_markers", "describe", "find_statements", "place_of"]

#: What carries a statement; ``marked`` is one whose id is written in the document.
Place = Literal["sentence", "item", "cell", "marked"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is required, and where."""

    #: Without Markdown, white space collapsed. The items of a list that it leads in are part of it.
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
    #: The sentence that leads the list in which it is an item; of a list in a list one for each, joined by an arrow.
    #: Of a conditional requirement: its condition.
    lead_in: str = ""
    #: Of a table cell: the heading of its column.
    header: str = ""
    #: What it is about: the first cell of its row, or the term that its item or sentence begins with.
    subject: str = ""
    #: The lead-in with ``{§i}`` for references, as in `keyed`.
    keyed_lead_in: str = ""


def _find_statements(spec: Specification, form: Form) -> tuple[Statement, ...]:
    """Return the statements of a specification, in document order.

    The style ``marked`` takes those with ids, ``prose`` those without. ``auto`` takes those with ids where the
    document has any: in the form of this kit, in a form that means nothing else (``r[a.b]``, ``<!-- req: x -->``,
    a heading ``Requirement 1.2.3``, the pattern in `form`), or in a form that it uses as one uses ids (see
    :func:`tck_spec.marked.used`). Otherwise it takes the prose. Raises `SpecificationError` for a pattern in `form`
    that is none, or that takes too long.
    """
    passages = read_passages(spec)
    if form.style != "prose":
        marked = _marked(spec, passages, form)
        if marked or form.style == "marked":
            return marked
    keys = SectionKeys(spec)
    return tuple(_of_binding(one, keys) for one in BindingReader(keys, passages, form).bindings())


#: The statements of a specification, in document order: see `_find_statements`.
find_statements: Final = Latest(_find_statements)


def _find_defined(spec: Specification, form: Form) -> tuple[Marker, ...]:
    if form.style == "prose":
        return ()
    pattern = Pattern(form.pattern, "requirements.pattern") if form.pattern else None
    own = {spec.prose[one.parts[0][0]].block for one in spec.requirements if one.parts}
    lines = {one.line for one in spec.malformed}
    areas = {one.area for one in spec.requirements}
    found = find_markers(spec, read_passages(spec), pattern, quotes=form.quotes)
    return tuple(
        one
        for one in used(found)
        if one.line not in lines and one.block not in own and not (one.form.weak and one.area in areas)
    )


#: The ids that a document gives in any form but this kit's own, those that only name a section included.
defined_markers: Final = Latest(_find_defined)


def _marked(spec: Specification, passages: Sequence[Passage], form: Form) -> tuple[Statement, ...]:
    keys = SectionKeys(spec)
    by_index = {passage.index: passage for passage in passages}
    found = [_own(one, by_index, keys) for one in spec.requirements]
    found += [
        _of_marker(one, keys, lower_case=form.lower_case)
        for one in defined_markers(spec, form)
        if not one.names_section
    ]
    return tuple(sorted(found, key=lambda one: (one.line, one.column)))


def _own(one: Requirement, passages: dict[int, Passage], keys: SectionKeys) -> Statement:
    """Return the statement of a requirement in the form of this kit."""
    parts = [(passages[index], start, end) for index, start, end in one.parts if index in passages]
    first = parts[0][0]
    return Statement(
        text=one.text,
        keyed=collapse(" ".join(keys.keyed(passage, start, end) for passage, start, end in parts)),
        level=strongest(one.keywords),
        keywords=one.keywords,
        marker=one.id,
        place="marked",
        section=first.section,
        paragraph=first.paragraph,
        line=one.line,
        column=one.column,
        lead_in=first.lead_in,
        keyed_lead_in=keys.lead_in(first),
    )


def _of_marker(marker: Marker, keys: SectionKeys, *, lower_case: bool) -> Statement:
    keywords = tuple(one.word for one in keywords_in(marker.masked, lower_case=lower_case))
    keyed = [part if isinstance(part, str) else keys.keyed(*part) for part in marker.parts]
    first = next((part[0] for part in marker.parts if not isinstance(part, str)), None)
    return Statement(
        text=marker.text,
        keyed=collapse(" ".join(keyed)),
        level=strongest(keywords),
        keywords=keywords,
        marker=marker.id,
        place="marked",
        section=marker.section,
        paragraph=marker.paragraph,
        line=marker.line,
        column=marker.column,
        lead_in=LEADS.join(lead for lead in (marker.condition, first.lead_in if first else "") if lead),
        header=first.header if first else "",
        subject=first.subject if first and marker.id not in first.subject else "",
        keyed_lead_in=LEADS.join(lead for lead in (marker.condition, keys.lead_in(first) if first else "") if lead),
    )


def _of_binding(one: Binding, keys: SectionKeys) -> Statement:
    passage = one.passage
    place: Place = "cell" if passage.prose.kind == "cell" else "item" if passage.block.items else "sentence"
    line, column = passage.prose.place_of(one.sentence.start)
    return Statement(
        text=one.text,
        keyed=one.keyed,
        level=strongest(one.keywords),
        keywords=one.keywords,
        marker="",
        place=place,
        section=passage.section,
        paragraph=passage.paragraph,
        line=line,
        column=column,
        lead_in=passage.lead_in,
        header=passage.header,
        subject=passage.subject,
        keyed_lead_in=keys.lead_in(passage),
    )


def place_of(statement: Statement, spec: Specification) -> str:
    """Return the place of a statement as people cite it: ``§3.2.2 ¶4``, or the title of a section without number."""
    paragraph = f"¶{statement.paragraph}"
    if statement.section < 0:
        return paragraph
    section = spec.sections[statement.section]
    if section.number is None:
        return f"“{section.title}” {paragraph}"
    number = section.number
    if number.isalpha():
        return f"Appendix {number} {paragraph}"
    return f"{number} {paragraph}" if number.startswith("Appendix") else f"§{number} {paragraph}"


def describe(statement: Statement, spec: Specification) -> dict[str, object]:
    """Return a statement for output: its fields, its section by number, title and anchor, and its place in words."""
    section = spec.sections[statement.section] if statement.section >= 0 else None
    return {
        "id": statement.marker or None,
        "level": statement.level or None,
        "keywords": list(statement.keywords),
        "text": statement.text,
        "at": place_of(statement, spec),
        "section": section.number if section else None,
        "title": section.title if section else None,
        "anchor": section.slug if section else None,
        "paragraph": statement.paragraph,
        "kind": statement.place,
        "lead_in": statement.lead_in or None,
        "header": statement.header or None,
        "subject": statement.subject or None,
        "file": spec.source,
        "line": statement.line,
        "column": statement.column,
    }
