"""References: every place where the text points somewhere, by a link, a section number or a requirement's id."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from tck_spec.foreign import Neighbourhood, is_outside, names_a_document
from tck_spec.sections import split_heading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tck_spec.prose import Prose

__all__ = [
    "PLACEHOLDER",
    "Reference",
    "ReferenceKind",
    "area_of",
    "find_links",
    "find_requirement_ids",
    "find_section_references",
]

ReferenceKind = Literal["section", "anchor", "file", "requirement", "url"]

#: Text that stands where a section number should be.
PLACEHOLDER: Final = re.compile(r"(?:.*\.)?(?:[xX]{1,5}|[XYN]{1,3}|\?{1,5}|TBD|TBC|TODO)(?:\..*)?")

_PART: Final = r"(?:\d{1,4}|[xX?]{1,5}(?![A-Za-z])|[a-z]{1,4}(?![A-Za-z]))"
_NUMBER: Final = rf"(?:\d{{1,3}}(?:\.{_PART}){{0,8}}[a-z]?|[A-Z](?:\.\d{{1,4}}){{1,8}})(?![\w%]|\.\d)"
_STAND_IN: Final = r"(?:TBD|TBC|TODO|\?{1,5}|[XYN]{1,3}|x{2,5})(?!\w)"
_WORDS: Final = (
    r"(?:[Ss]ub-?)?[Ss]ections?|SECTIONS?|[Ss]ecs?\.|[Ss]ects?\.|Sec(?=\s{1,3}\d{1,3}\.\d)|"
    r"(?:[Ss]ub-?)?[Cc]lauses?|CLAUSES?|[Cc]hapters?|CHAPTERS?|[Cc]haps?\."
)
_HEAD: Final = re.compile(
    rf"(?:(?P<sign>§§?\s?)|(?<![\w-])(?P<word>{_WORDS})\s{{1,3}}(?:§\s?)?)"
    rf"(?P<number>{_NUMBER}|{_STAND_IN})",
)
_APPENDIX: Final = re.compile(
    r"(?<![\w-])(?P<word>[Aa]ppendix|[Aa]ppendices|APPENDIX|[Aa]nnex(?:es)?|ANNEX)\s{1,3}"
    r"(?P<number>[A-Z](?:\.\d{1,4}){0,8}|\d{1,2}(?:\.\d{1,4}){0,8})(?![\w'\u2019-]|\.\d)",
)
#: No reference does without one of these, and most texts do.
_PARTS_OF_WORDS: Final = ("§", "ec", "EC", "lause", "LAUSE", "hap", "HAP", "ppend", "PPEND", "nnex", "NNEX")
_JOINT: Final = re.compile(
    r"(?P<joint>\s{0,3}(?:,(?:\s{0,3}(?:and|or))?|and|or|&|–|—|-|to|through|until)\s{0,3})"
    rf"(?P<mark>§§?\s?|(?:{_WORDS})\s{{1,3}})?(?P<number>{_NUMBER})",
)
_LETTER_JOINT: Final = re.compile(
    r"(?P<joint>\s{0,3}(?:,(?:\s{0,3}(?:and|or))?|and|or|&|–|-|to|through)\s{1,3}|–)(?P<mark>)"
    r"(?P<number>[A-Z](?:\.\d{1,4}){0,8})(?![\w'\u2019-])"
)
_RANGE: Final = frozenset({"–", "—", "-", "to", "through", "until"})
_ROMAN: Final = re.compile(r"[ivx]+|[a-z]")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}:")
_HREF: Final = re.compile(
    r"""<(?:a\s[^<>]{0,2000}?\bhref|img\s[^<>]{0,2000}?\bsrc)\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""",
    re.IGNORECASE,
)
_ID_NUMBER: Final = re.compile(r"[-_. ]?[0-9][0-9.]*\Z")
_LONGEST_RANGE: Final = 100


@dataclass(frozen=True, slots=True)
class Reference:
    """One place that points somewhere; line and column are those of its label."""

    kind: ReferenceKind
    #: The words that point: a link's label, "Sections 3.1", "RESUME-3".
    label: str
    #: A section's number, an anchor without ``#``, a path, an id, a URL.
    target: str
    line: int
    column: int
    #: The target of the link around a section reference; empty where it is plain text.
    link: str = ""
    #: The other document that a section reference means; empty where it means this one.
    document: str = ""
    #: Of a section reference: the piece of prose it stands in, and from where to where in its plain text.
    piece: int = field(default=-1, repr=False, compare=False)
    start: int = field(default=0, repr=False, compare=False)
    end: int = field(default=0, repr=False, compare=False)
    #: Whether it is one of several numbers, in a list or a range.
    listed: bool = field(default=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class _Mention:
    """A section number in plain text, with the bounds of the list it is part of."""

    label: str
    number: str
    start: int
    end: int
    list_start: int
    list_end: int


def find_links(prose: Prose) -> Iterator[Reference]:
    """Yield the links of a piece of prose, those in HTML tags included."""
    for link in prose.inline.links:
        if link.image and not link.target:
            continue
        line, column = prose.place(link.source)
        label = prose.inline.plain[link.label.start : link.label.end]
        yield link_reference(label, link.target, line, column)
    for offset, tag in prose.inline.html:
        for target in () if tag.startswith("<!--") else hrefs(tag):
            yield link_reference("", target, *prose.place(offset))


def hrefs(html: str) -> Iterator[str]:
    """Yield the targets of ``<a href=…>`` and ``<img src=…>`` in a piece of HTML."""
    for match in _HREF.finditer(html):
        yield next(group for group in match.groups(default="") if group) if any(match.groups()) else ""


def link_reference(label: str, target: str, line: int, column: int) -> Reference:
    """Return the reference that a link makes."""
    kind, target = _kind_of(target)
    return Reference(kind, label, target, line, column)


@lru_cache(maxsize=1024)
def _kind_of(target: str) -> tuple[ReferenceKind, str]:
    """Tell what a target is, without its ``#``; the uses of one definition share one text, however long it is."""
    if target.startswith("#"):
        return "anchor", target[1:]
    if not target:
        return "anchor", target
    return ("url" if _SCHEME.match(target) or target.startswith("//") else "file"), target


def find_section_references(
    pieces: Sequence[Prose], own_words: frozenset[str], *, numbered: bool
) -> Iterator[Reference]:
    """Yield the section numbers that the text refers to, lists and ranges taken apart.

    A document that numbers no section cannot be meant by a number wherever another document is named in the same
    section, so there the whole section is searched and not just the clause.
    """
    about_others = set[int]() if numbered else _sections_about_others(pieces)
    numbers = (split_heading(piece.inline.plain)[0] for piece in pieces if piece.kind == "heading")
    chapters = frozenset(number.partition(".")[0] for number in numbers if number)
    left, left_line = "", 0
    for index, prose in enumerate(pieces):
        if prose.kind == "heading":
            continue
        line = prose.segments[0].line
        before = left if prose.kind == "cell" and line == left_line else ""
        left, left_line = prose.inline.plain, line
        text = prose.inline.masked()
        mentions = _mentions(text)
        if not mentions:
            continue
        around = Neighbourhood(text, prose.inline, own_words, before, chapters)
        for reference in _judged(prose, mentions, around, alien=prose.headings in about_others):
            yield replace(reference, piece=index)


def _sections_about_others(pieces: Sequence[Prose]) -> set[int]:
    return {
        prose.headings
        for prose in pieces
        if names_a_document(prose.inline.plain)
        or any(is_outside(link.target) and not link.image for link in prose.inline.links)
    }


def _judged(prose: Prose, mentions: Sequence[_Mention], around: Neighbourhood, *, alien: bool) -> Iterator[Reference]:
    foreign: dict[str, str] = {}
    last_foreign, last_document = -1, ""
    for mention in mentions:
        link = around.link_around(mention.start)
        target = link.target if link else ""
        if link and target.startswith("#"):
            document = ""
        elif link and is_outside(target):
            document = target
        else:
            document = around.document_at(mention.list_start, mention.list_end, mention.number) or foreign.get(
                mention.number, ""
            )
            if not document and last_foreign >= around.sentence_start(mention.start):
                document = last_document
            if not document and alien:
                document = "another document"
        if document:
            foreign[mention.number] = document
            last_foreign, last_document = mention.start, document
        line, column = prose.place_of(mention.start)
        yield Reference(
            "section",
            mention.label,
            mention.number,
            line,
            column,
            target,
            document,
            start=mention.start,
            end=mention.end,
            listed=(mention.start, mention.end) != (mention.list_start, mention.list_end),
        )


@lru_cache(8192)
def _mentions(text: str) -> tuple[_Mention, ...]:
    if not any(part in text for part in _PARTS_OF_WORDS):
        return ()
    found: list[_Mention] = []
    taken = 0
    for match in _HEAD.finditer(text):
        if match.start() < taken:
            continue
        series = list(_series(text, match, _JOINT, plural=_plural(match["word"] or match["sign"])))
        taken = series[-1].list_end
        found += series
    for match in _APPENDIX.finditer(text):
        prefix = "Appendix " if match["number"][0].isdigit() else ""
        plural = match["word"].lower().endswith("s")
        found.extend(_series(text, match, _LETTER_JOINT if plural else None, plural=True, prefix=prefix))
    return tuple(sorted(found, key=lambda mention: mention.start))


def _series(
    text: str, head: re.Match[str], joint: re.Pattern[str] | None, *, plural: bool, prefix: str = ""
) -> Iterator[_Mention]:
    """Yield the numbers of one reference: the first, and those that a list or a range adds."""
    parts = [(head.start(), head.start("number"), _trim(head["number"]), False)]
    end = head.start("number") + len(parts[0][2])
    whole = end == head.end()
    while whole and joint is not None and (match := joint.match(text, end)):
        span = match["joint"].strip() in _RANGE
        number = _trim(match["number"])
        if not (plural or match["mark"] or "." in number or (span and head.group().startswith("§"))):
            break
        if "." in number and not plural and not match["mark"] and "." not in parts[0][2]:
            break
        plural = plural or _plural(match["mark"])
        parts.append((match.start("mark" if match["mark"] else "number"), match.start("number"), number, span))
        end = match.start("number") + len(number)
        whole = end == match.end()
    previous = ""
    for start, number_start, number, span in parts:
        for inner in _between(previous, number) if span else ():
            yield _Mention(f"{previous} to {number}", prefix + inner, start, end, head.start(), end)
        label = text[start : number_start + len(number)]
        yield _Mention(label, prefix + number, start, number_start + len(number), head.start(), end)
        previous = number


def _plural(mark: str | None) -> bool:
    """Tell whether a mark is for several numbers: "Sections", "Secs.", "§§"."""
    bare = (mark or "").strip().rstrip(".").lower()
    return bare.endswith("s") or bare.startswith("§§")


def _trim(number: str) -> str:
    """Cut a word that a missing space glued to a number: ``3.see`` is 3, ``5.b.viii`` and ``4.xxx`` stay."""
    head, _, tail = number.rpartition(".")
    if head and tail.isalpha() and not _ROMAN.fullmatch(tail) and not PLACEHOLDER.fullmatch(tail):
        return head
    return number


def _between(first: str, last: str) -> Iterator[str]:
    """Yield the numbers inside a range whose ends differ in their last part only."""
    head, _, low = first.rpartition(".")
    other, _, high = last.rpartition(".")
    if not head and not other and len(low) == len(high) == 1 and low.isupper() and high.isupper():
        yield from map(chr, range(ord(low) + 1, ord(high)))
        return
    if head != other or not (low.isdigit() and high.isdigit()) or int(high) - int(low) > _LONGEST_RANGE:
        return
    for value in range(int(low) + 1, int(high)):
        yield f"{head}.{value}" if head else str(value)


def area_of(identifier: str) -> str:
    """Return the part of a requirement's id before its number: ``RESUME`` of ``RESUME-3``."""
    return _ID_NUMBER.sub("", identifier)


def find_requirement_ids(
    pieces: Sequence[Prose], pattern: re.Pattern[str], areas: Collection[str], defined_at: Collection[tuple[int, int]]
) -> Iterator[Reference]:
    """Yield the ids of requirements in the text, except where they are defined (`defined_at`: line, column).

    Only areas that the document defines count: ``SHA-256`` is no requirement.
    """
    if not areas:
        return
    for prose in pieces:
        text = prose.inline.masked()
        for match in pattern.finditer(text):
            name = match.group()
            if area_of(name) not in areas:
                continue
            place = prose.place_of(match.start())
            if place not in defined_at:
                yield Reference("requirement", name, name, *place)
