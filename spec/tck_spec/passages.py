"""Passages: paragraphs, list items and table cells, each with what it cannot be understood without.

"REQUIRED." in a table says nothing without the first cell of its row and the heading of its column, and "the id" in a
list nothing without the sentence that leads the list in. Which passages only explain (quotations, notes, examples) is
told here too.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, Literal

from tck_spec.boilerplate import is_boilerplate
from tck_spec.markdown import Span
from tck_spec.remembered import Latest
from tck_spec.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tck_spec.blocks import Block
    from tck_spec.prose import Prose
    from tck_spec.sections import Section
    from tck_spec.specification import Specification

__all__ = ["LEADS", "Aside", "Passage", "collapse", "explaining_sections", "is_example", "read_passages"]

#: Why a passage requires nothing.
Aside = Literal["", "block quote", "note", "example", "non-normative section", "change log"]

#: Between the lead-ins of lists that stand in one another.
LEADS: Final = " \u203a "

_BREAK: Final = re.compile(r"<(?:br|/?p|/?li|/?ul|/?div)\b[^<>]*>", re.IGNORECASE)
_NOTE: Final = re.compile(
    r"(?:[:!]{3,5}\s*(?P<directive>note|tip|hint|info|example|abstract|quote)\b"
    r"|(?:non-?normative\s+|informative\s+|implementation\s+|editor'?s?\s+)?(?P<label>notes?|tips?|hints?|info|examples?"
    r"|rationale|background)(?:\s+\d{1,3})?\s*(?:\([^()]{0,60}\)\s*)?[:—–])",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"\W{0,3}(?:for\s+(?:example|instance)\b|e\.\s?g\.|examples?\s*(?:\d{1,3}\s*)?:)", re.IGNORECASE
)
_EXPLAINING: Final = re.compile(
    r".{0,200}\(?\b(?:non-?normative|informative)\b\)?\Z|(?:non-?normative|informative)\s.{0,200}\Z|"
    r"(?P<past>(?:(?:change|revision|version)\s?(?:log|history)|release\s+notes|acknowledge?ments?)\Z)",
    re.IGNORECASE,
)
_TERM_END: Final = re.compile(r"\s{0,3}(?:\([^()\n]{0,80}\)\s{0,3})?(?::|—|–|-(?=\s))")
_LEADING: Final = re.compile(
    r"(?-i:\b(?:MUST|SHALL|SHOULD|MAY)(?:\s+NOT)?)(?:\s+(?:be|either|include|contain))?\W{0,3}\Z|"
    r"[:\uff1a]\W{0,3}\Z|\b(?:the\s+following|as\s+follows|listed\s+below)\b[^.]{0,60}[.:]?\Z",
    re.IGNORECASE,
)
_LONGEST_TERM: Final = 80


def collapse(text: str) -> str:
    """Return a text with each run of white space as one space."""
    return " ".join(text.split())


def is_example(sentence: str) -> bool:
    """Tell whether a sentence begins as an example."""
    return _EXAMPLE.match(sentence) is not None


@lru_cache(8192)
def _sentences(masked: str, labels: tuple[Span, ...], breaks: tuple[int, ...]) -> tuple[Span, ...]:
    """Return the sentences of a text; an editor asks for the same ones with every key."""
    return tuple(split_sentences(masked, labels, breaks))


@dataclass(frozen=True, eq=False)
class Passage:
    """One paragraph, list item or table cell."""

    #: Index into the prose of the specification.
    index: int
    prose: Prose
    block: Block
    #: Index into the sections; -1 before the first heading.
    section: int
    #: From 1, within the section; a table counts once.
    paragraph: int
    aside: Aside
    #: The passages that lead it in, outermost first: for a list the paragraph before it, in a nested one its item.
    leads: tuple[Passage, ...] = ()
    #: Of a cell: the heading of its column, the first cell of its row, and the row.
    header: str = ""
    row_subject: str = ""
    row: tuple[Prose, ...] = field(default=(), repr=False)
    #: Whether it is in a table's header.
    heads: bool = False

    @cached_property
    def masked(self) -> str:
        """The text with code masked."""
        return self.prose.inline.masked()

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Its sentences, as parts of the plain text."""
        inline = self.prose.inline
        breaks = [self.plain_offset(offset) for offset, tag in inline.html if _BREAK.match(tag)]
        return _sentences(self.masked, tuple(link.label for link in inline.links), tuple(breaks))

    @cached_property
    def _talk(self) -> tuple[list[int], list[bool]]:
        """Where each sentence starts, and whether it is about key words."""
        spans = self.sentences
        return [span.start for span in spans], [is_boilerplate(self.masked[span.start : span.end]) for span in spans]

    def talks_at(self, place: int) -> bool:
        """Tell whether the sentence around a place in the plain text is about key words, and requires nothing."""
        starts, talks = self._talk
        number = bisect_right(starts, place) - 1
        return number >= 0 and talks[number]

    def plain_offset(self, source: int) -> int:
        """Return the offset in the plain text of a place in the source, or of the next that has one."""
        inline = self.prose.inline
        run = bisect_left(inline.sources, source)
        if run and inline.sources[run - 1] <= source:
            ends = inline.starts[run] if run < len(inline.starts) else len(inline.plain)
            inside = inline.starts[run - 1] + source - inline.sources[run - 1]
            if inside < ends:
                return inside
        return inline.starts[run] if run < len(inline.starts) else len(inline.plain)

    def text(self, span: Span) -> str:
        """Return a part of the plain text, white space collapsed."""
        return self.text_between(span.start, span.end)

    def text_between(self, start: int, end: int) -> str:
        """Return the plain text between two offsets, white space collapsed."""
        return collapse(self.prose.inline.plain[start:end])

    @cached_property
    def leading(self) -> Span:
        """The sentence for which a list in it or after it is there: the last if it leads on, or else its first."""
        if not self.sentences:
            return Span(0, 0)
        return self.sentences[-1 if self.leads_on else 0]

    @cached_property
    def leading_text(self) -> str:
        """That sentence, white space collapsed."""
        return self.text(self.leading)

    @property
    def leads_on(self) -> bool:
        """Whether it leads a list in that follows it."""
        return _LEADING.search(self.prose.inline.plain.rstrip()[-120:]) is not None

    @cached_property
    def lead_in(self) -> str:
        """The sentences that lead it in."""
        return LEADS.join(lead.leading_text for lead in self.leads if lead.leading_text)

    @cached_property
    def subject(self) -> str:
        """What it is about: the first cell of its row, or the term it begins with."""
        return self.row_subject or self._term

    @cached_property
    def _term(self) -> str:
        inline = self.prose.inline
        plain = inline.plain
        for span in (*inline.emphasised[:1], *inline.code[:1]):
            if plain[: span.start].strip() or span.end - span.start > _LONGEST_TERM:
                continue
            inside = plain[span.start : span.end].strip()
            if inside and (inside.endswith(":") or _TERM_END.match(plain, span.end)):
                return collapse(inside.rstrip(":"))
        return ""


def explaining_sections(sections: Sequence[Section]) -> list[Aside]:
    """Tell for each section whether its title, or that of one around it, says that it requires nothing."""
    found: list[Aside] = []
    around: list[tuple[int, Aside]] = []
    for section in sections:
        while around and around[-1][0] >= section.level:
            around.pop()
        inherited: Aside = around[-1][1] if around else ""
        match = _EXPLAINING.match(section.title)
        own: Aside = ("change log" if match["past"] else "non-normative section") if match else inherited
        found.append(own)
        around.append((section.level, own))
    return found


@dataclass(slots=True)
class _Lists:
    """Which passage leads in the list that comes next, for each chain of list items."""

    #: By the items around it: the passage before a list, and whether the list has begun.
    before: dict[tuple[int, ...], tuple[Passage, bool]] = field(
        default_factory=dict[tuple[int, ...], "tuple[Passage, bool]"]
    )
    #: By item: its leads.
    leads: dict[int, tuple[Passage, ...]] = field(default_factory=dict[int, "tuple[Passage, ...]"])

    def heading(self) -> None:
        self.before.clear()
        self.leads.clear()

    def other(self, items: tuple[int, ...]) -> None:
        """Note a block that is no text: what leads it in does not lead in the list after it."""
        if items in self.before and not self.before[items][1]:
            del self.before[items]

    def leads_of(self, items: tuple[int, ...]) -> tuple[Passage, ...]:
        """Return what leads in the innermost of the items."""
        for depth, item in enumerate(items):
            if item in self.leads:
                continue
            around = items[:depth]
            outer = self.leads.get(around[-1], ()) if around else ()
            entry = self.before.get(around)
            if entry is None:
                self.leads[item] = outer
                continue
            passage, _ = entry
            self.before[around] = passage, True
            self.leads[item] = (*outer, passage) if depth or passage.leads_on else outer
        return self.leads[items[-1]] if items else ()

    def paragraph(self, passage: Passage) -> None:
        self.before[passage.block.items] = passage, False


def _read(spec: Specification) -> Iterator[Passage]:
    explaining = explaining_sections(spec.sections)
    lists = _Lists()
    pieces = spec.prose
    place = headings = paragraph = 0
    for index, block in enumerate(spec.document.blocks):
        start = place
        while place < len(pieces) and pieces[place].block == index:
            place += 1
        if block.kind == "heading":
            lists.heading()
            headings += 1
            paragraph = 0
            continue
        if block.kind not in ("paragraph", "table"):
            if block.kind != "html":
                lists.other(block.items)
            continue
        section = headings - 1
        inherited: Aside = explaining[section] if section >= 0 else ""
        if block.kind == "paragraph" and place > start and pieces[start].inline.plain.strip():
            paragraph += 1
            leads = lists.leads_of(block.items)
            aside = _aside(pieces[start], block, leads) or inherited
            passage = Passage(start, pieces[start], block, section, paragraph, aside, leads)
            lists.paragraph(passage)
            yield passage
        elif block.kind == "table":
            paragraph += 1
            lists.leads_of(block.items)
            lists.other(block.items)
            aside = "block quote" if block.quoted else inherited
            yield from _cells(range(start, place), pieces, block, (section, paragraph), aside)


def _aside(prose: Prose, block: Block, leads: Sequence[Passage]) -> Aside:
    if block.quoted:
        return "block quote"
    note = _NOTE.match(prose.inline.plain)
    if note:
        word = (note["directive"] or note["label"]).lower()
        return "example" if word.startswith("example") else "note"
    if any(lead.aside == "example" or is_example(lead.leading_text) for lead in leads):
        return "example"
    return ""


def _cells(
    indexes: range, pieces: Sequence[Prose], block: Block, where: tuple[int, int], aside: Aside
) -> Iterator[Passage]:
    places = {
        (row.line, cell.column): (number, column)
        for number, row in enumerate(block.rows)
        for column, cell in enumerate(row.cells)
        if cell.text
    }
    table: dict[int, dict[int, tuple[int, Prose]]] = {}
    for index in indexes:
        segment = pieces[index].segments[0]
        number, column = places.get((segment.line, segment.column), (0, 0))
        table.setdefault(number, {})[column] = index, pieces[index]
    headers = {column: collapse(prose.inline.plain) for column, (_, prose) in table.get(0, {}).items()}
    for number in sorted(table):
        row = table[number]
        pieces_of_row = tuple(prose for _, prose in row.values())
        subject = collapse(row[0][1].inline.plain) if 0 in row else ""
        for column, (index, prose) in row.items():
            about = subject if column else ""
            header = headers.get(column, "")
            yield Passage(index, prose, block, *where, aside, (), header, about, pieces_of_row, heads=number == 0)


#: All passages that have text, in document order.
read_passages: Final = Latest(lambda spec: tuple(_read(spec)))
