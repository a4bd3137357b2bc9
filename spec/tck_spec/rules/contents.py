"""Rule on tables of contents: what they list is what the headings say.

A list is one when nearly every item is a link to a heading of the document, or a section's number and title under the
heading "Contents", and when it lists most of the sections of some level. Other lists of links may leave out what they
like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tck_spec.dialects import split_braces
from tck_spec.findings import Finding
from tck_spec.rules.mending import Source
from tck_spec.sections import split_heading
from tck_spec.targets import targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tck_spec.findings import Edit
    from tck_spec.prose import Prose
    from tck_spec.references import Reference
    from tck_spec.rules.context import Context
    from tck_spec.sections import Section

__all__ = ["contents_drift", "contents_lines"]

_NAMES: Final = re.compile(
    r"(?:table of contents?|contents?|toc|inhalt(?:sverzeichnis)?|sommaire|table des mati[eè]res|[ií]ndice)",
    re.IGNORECASE,
)
_AROUND_LINK: Final = re.compile(r"[\s\d.:)(§*•·–—-]*")
_MARKUP: Final = re.compile(r"[\[\]\\`*_<>&]")
_FEWEST_ENTRIES: Final = 3
#: How many items of a list have to be entries.
_SHARE: Final = 0.9


@dataclass(frozen=True, slots=True)
class _Entry:
    """One item: the text that names a section, and the section that it leads to, if any."""

    text: str
    line: int
    column: int
    section: Section | None
    reference: Reference | None = None


def contents_lines(context: Context) -> frozenset[int]:
    """Return the lines that are entries of a table of contents."""
    return frozenset(entry.line for entries in _tables(context) for entry in entries)


def contents_drift(context: Context) -> Iterator[Finding]:
    """NUM004: an entry of a table of contents does not say what its heading says, or a heading is not listed."""
    headings = _Headings(context)
    for entries in _tables(context):
        for entry in entries:
            yield from headings.drifted(entry)
        for section in _unlisted(context, entries):
            name = f"{section.number} {section.title}" if section.number else section.title
            message = f"the table of contents in line {entries[0].line} lists the headings beside '{name}', but not it"
            yield Finding("NUM004", "W", section.line, section.column, message, "list it")


def _tables(context: Context) -> Iterator[list[_Entry]]:
    """Yield the entries of each table of contents."""
    spec = context.spec
    links: dict[tuple[int, int], Reference] = {
        (one.line, one.column): one for one in spec.references if one.kind == "anchor" and one.target
    }
    by_block: dict[int, Prose] = {piece.block: piece for piece in spec.prose if piece.kind == "paragraph"}
    run: list[Prose] = []
    for index, block in enumerate(spec.document.blocks):
        if block.items:
            if index in by_block and block.leading:
                run.append(by_block[index])
            continue
        if len(run) >= _FEWEST_ENTRIES:
            yield from _as_table(context, run, links)
        run = []
    if len(run) >= _FEWEST_ENTRIES:
        yield from _as_table(context, run, links)


def _as_table(
    context: Context, run: Sequence[Prose], links: dict[tuple[int, int], Reference]
) -> Iterator[list[_Entry]]:
    spec = context.spec
    headings = run[0].headings
    named = bool(headings) and _NAMES.fullmatch(spec.sections[headings - 1].title.strip(" :*_")) is not None
    found = (_linked(context, piece, links) or (_plain(context, piece) if named else None) for piece in run)
    entries = [entry for entry in found if entry is not None]
    if len(entries) < max(_FEWEST_ENTRIES, _SHARE * len(run)):
        return
    listed = [entry.section for entry in entries if entry.section is not None]
    later = [section for section in listed if section.line > entries[-1].line]
    if named or (len(later) >= _SHARE * len(entries) and _in_order(later) and _covers(context, later)):
        yield entries


def _in_order(sections: Sequence[Section]) -> bool:
    lines = [section.line for section in sections]
    return sum(one < other for one, other in pairwise(lines)) >= _SHARE * (len(lines) - 1)


def _covers(context: Context, listed: Sequence[Section]) -> bool:
    """Tell whether most of the headings of the outermost level that is listed, from the first on, are listed."""
    level, lines = min(section.level for section in listed), {section.line for section in listed}
    first = min(lines)
    beside = [one.line for one in context.spec.sections if one.level == level and one.line >= first]
    return sum(line in lines for line in beside) > len(beside) / 2


def _linked(context: Context, piece: Prose, links: dict[tuple[int, int], Reference]) -> _Entry | None:
    inline = piece.inline
    own = [link for link in inline.links if not link.image]
    if len(own) != 1 or not own[0].target.startswith("#"):
        return None
    label = own[0].label
    if not _AROUND_LINK.fullmatch(inline.plain[: label.start]) or not _AROUND_LINK.fullmatch(inline.plain[label.end :]):
        return None
    reference = links.get(piece.place(own[0].source))
    if reference is None:
        return None
    section = targets_of(context.spec).section_at(reference.target, context.settings.anchors)
    # A number without a dot before the link counts the entries.
    before = inline.plain[: label.start].strip("-*• ")
    text = f"{before if '.' in before.rstrip('.') else ''} {inline.plain[label.start : label.end]}"
    return _Entry(" ".join(text.split()), reference.line, reference.column, section, reference)


def _plain(context: Context, piece: Prose) -> _Entry | None:
    text = " ".join(piece.inline.plain.split())
    number, title = split_heading(text)
    if number is None or not title or piece.inline.links:
        return None
    line, column = piece.place(0)
    sections = context.by_number.get(number, [])
    return _Entry(text, line, column, sections[0] if sections else None)


class _Headings:
    """The headings of a document by what they say, which entries are held against."""

    def __init__(self, context: Context) -> None:
        self._source = Source(context.spec)
        self._by_text: dict[str, list[Section]] = {}
        self._by_title: dict[str, list[Section]] = {}
        for section in context.spec.sections:
            self._by_text.setdefault(_fold(_said(section)), []).append(section)
            self._by_title.setdefault(_fold(section.title), []).append(section)
        slugs = targets_of(context.spec).slugs(context.settings.anchors[0])
        self._slugs = {section.line: name for name, section in slugs.items()}

    def drifted(self, entry: _Entry) -> Iterator[Finding]:
        """Yield what is wrong with an entry; that its link is dead is said elsewhere."""
        number, title = split_heading(entry.text)
        section = entry.section
        if section is None:
            if entry.reference is None:
                near = self._by_title.get(_fold(title), ())
                hint = f"'{title}' is section {near[0].number}" if len(near) == 1 and near[0].number else "take it out"
                message = f"the table of contents lists '{entry.text[:80]}', and no heading has that number"
                yield Finding("NUM004", "W", entry.line, entry.column, message, hint)
            return
        same_title = _alike(title, section.title) or _alike(entry.text, _said(section))
        same_number = number is None or section.number is None or number == section.number
        if not same_title or not same_number:
            message = f"the table of contents says '{entry.text[:80]}', the heading '{_said(section)[:80]}'"
            fix, hint = self._repair(entry, section, whole=same_number and not same_title)
            yield Finding("NUM004", "W", entry.line, entry.column, message, hint, fix=fix)

    def _repair(self, entry: _Entry, section: Section, *, whole: bool) -> tuple[tuple[Edit, ...], str]:
        """Return the edit that makes an entry right: another target if another heading has its text, else its text."""
        reference = entry.reference
        others = self._by_text.get(_fold(entry.text), ())
        if len(others) == 1 and others[0].line in self._slugs:
            slug = self._slugs[others[0].line]
            return (self._source.retarget(reference, slug) if reference else ()), f"link to #{slug}"
        heading = _said(section)
        hint = f"write '{heading[:80]}'"
        # A number is put right where labels are held against their targets; markup would have to be written anew.
        if reference is None or not whole or _MARKUP.search(heading):
            return (), hint
        return self._source.relabel(reference, reference.label, heading), hint


def _unlisted(context: Context, entries: Sequence[_Entry]) -> Iterator[Section]:
    """Yield the headings after a table that it does not list although it lists most of those beside them."""
    listed = {entry.section.line for entry in entries if entry.section is not None}
    texts = {_fold(entry.text) for entry in entries}
    families: dict[tuple[str | None, int], list[Section]] = {}
    for section in context.spec.sections:
        if section.line > entries[-1].line:
            families.setdefault((section.parent, section.level), []).append(section)
    for family in families.values():
        inside = [section for section in family if section.line in listed]
        missing = [section for section in family if section.line not in listed]
        if len(inside) < 2 or len(missing) > max(1, len(family) // 4):  # noqa: PLR2004 -- one alone has no siblings
            continue
        numbered = all(section.number for section in inside)
        for section in missing:
            named = not section.title or _NAMES.fullmatch(section.title) or _fold(_said(section)) in texts
            if not named and (section.number or not numbered):
                yield section


def _said(section: Section) -> str:
    """Return what a heading says, number included, without an id in braces."""
    return split_braces(" ".join(section.text.split()))[1]


def _fold(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", "", text).casefold().split())


def _alike(one: str, other: str) -> bool:
    one, other = _fold(one), _fold(other)
    return one == other or (bool(one) and bool(other) and (one in other or other in one))
