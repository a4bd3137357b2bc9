"""Rules on references by section number: they name a section, the right one, and only one."""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, did_you_mean
from tck_spec.references import PLACEHOLDER
from tck_spec.rules.contents import contents_lines
from tck_spec.rules.known_numbers import KnownNumbers
from tck_spec.rules.labels import is_comment
from tck_spec.rules.locked import renumbering
from tck_spec.rules.mending import Source
from tck_spec.rules.numbers import part_of
from tck_spec.sections import split_heading
from tck_spec.targets import targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tck_spec.findings import Severity
    from tck_spec.references import Reference
    from tck_spec.rules.context import Context
    from tck_spec.sections import Section

__all__ = [
    "ambiguous_section",
    "label_target_number",
    "label_target_title",
    "placeholder",
    "section_behind",
    "unknown_section",
]

_LABEL_NUMBER: Final = re.compile(
    r"(?:§\s?|[Ss]ection\s+|[Ss]ec\.\s+|[Cc]lause\s+|[Aa]ppendix\s+|[Aa]nnex\s+)"
    r"(?P<number>\d{1,3}(?:\.\d{1,4}){0,8}|[A-Z](?:\.\d{1,2}){0,8})(?![\w.]*\w)",
)
_QUOTES: Final = '"“”„«»\u2018\u2019'
_AROUND_TITLE: Final = f" '*_`:.—–-{_QUOTES}"
_QUOTED_AFTER: Final = re.compile(rf"[\s,:—–(-]{{0,4}}[{_QUOTES}](?P<title>[^\n{_QUOTES}]{{2,100}})[{_QUOTES}]")
_BRACKETED_AFTER: Final = re.compile(r"\s{0,2}\((?P<title>[A-Z][^()\n.,;§0-9]{2,80})\)")
_UNFINISHED: Final = re.compile(r"(?<![\w-])(?:TBD|TBC)(?![\w-])|\b[Ss]ee\s+\?{2,5}|\(\?{2,5}\)")
#: Of more headings with one number nobody knows which is meant.
_MOST_NAMESAKES: Final = 100
_EMPTY_LABELS: Final = frozenset({"sec", "ref"})


def _own(context: Context) -> Iterator[Reference]:
    for reference in context.spec.references:
        if reference.kind == "section" and not reference.document:
            yield reference


def unknown_section(context: Context) -> Iterator[Finding]:
    """XREF001: a reference into this document, or into one of its set, has the number of no section."""
    offered = 0
    known, renumbered = KnownNumbers(context), renumbering(context)
    # Without a number of its own, a page beside a specification may speak of that one's sections throughout.
    abroad = not context.by_number and any(
        one.kind == "file" and one.target.partition("#")[0].endswith(".md") for one in context.spec.references
    )
    for reference in _own(context):
        number = reference.target
        if number in context.by_number or PLACEHOLDER.fullmatch(number) or known.has(reference):
            continue
        offered += 1
        hint = renumbered(number)
        if not hint and offered <= MOST_SUGGESTIONS:
            hint = did_you_mean(number, context.by_number)
        others = [PurePath(other.source).name for other in known.holders(number)[:3]]
        if others:
            hint = f"{' and '.join(others)} has one: if that is meant, name it"
        message = f"'{_one_line(reference.label)}' names section {number}, and no heading has that number"
        hint = hint or "correct the number, or name the document that is meant"
        length = _length(reference)
        # A document without lettered sections that speaks of "Section S.1" rather gives an example of a name.
        lettered = number[0].isalpha() and "." in number and reference.label[:1] not in "Aa"
        unsure = (lettered and not any(one[0].isalpha() for one in context.by_number)) or abroad
        severity: Severity = "W" if unsure else "E"
        yield Finding("XREF001", severity, reference.line, reference.column, message, hint, length=length)


def _length(reference: Reference) -> int:
    """Return how long a reference is in its line, as far as that is known without markup."""
    return 0 if "\n" in reference.label else len(reference.label)


def label_target_number(context: Context) -> Iterator[Finding]:
    """XREF002: a link's label names one section and its target is another, here or in another document."""
    source = Source(context.spec)
    for reference in context.spec.references:
        if reference.kind not in ("anchor", "file") or not reference.target:
            continue
        number = _label_number(reference.label)
        target = section_behind(context, reference) if number else None
        if number is None or target is None or target.number == number or _within(reference.label, target.text):
            continue
        here = reference.kind == "anchor"
        if target.number is None and (not here or number not in context.by_number):
            continue
        actual = f"section {target.number}" if target.number else "a section without a number"
        right = context.by_number.get(number, ()) if here else ()
        # The title in the label, or that nothing else has the label's number, says that the number is what is wrong.
        titled = _same(_after_number(reference.label), target.title)
        hint = f"write {target.number}" if target.number else "correct the number"
        if right and not titled:
            hint = f"link to #{right[0].slug}, or write {target.number or 'its title'}"
        fix = source.relabel(reference, number, target.number) if target.number and (titled or not right) else ()
        message = f"the label names section {number}, but the link goes to {actual} ({target.title})"
        yield Finding("XREF002", "E", reference.line, reference.column, message, hint, fix=fix)


def section_behind(context: Context, reference: Reference) -> Section | None:
    """Return the section that a link leads to, in this document or in another one."""
    dialects = context.settings.anchors
    if reference.kind == "anchor":
        return targets_of(context.spec).section_at(reference.target, dialects)
    path, _, fragment = reference.target.partition("#")
    document = context.library.look(context.spec.source, path).document if path and fragment else None
    return targets_of(document).section_at(fragment, dialects) if document else None


def _same(one: str, other: str) -> bool:
    return bool(one) and _folded(one) == _folded(other)


def _within(label: str, heading: str) -> bool:
    """Tell whether a label is words of the heading, so that its number is one of the title: "Conformance Clause 1"."""
    folded = _folded(label)
    return any(word.isalpha() for word in folded.split()) and f" {folded} " in f" {_folded(heading)} "


def _folded(title: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", title).casefold().split())


def label_target_title(context: Context) -> Iterator[Finding]:
    """XREF003: a reference has the right number, but the title beside it is not that section's.

    A part of the title will do, and so will more than it. In running text only what is quoted or written as a title
    counts, because most of what stands in parentheses is something else.
    """
    listed = contents_lines(context)
    titles = {_folded(section.title): section.number or "" for section in context.spec.sections}
    for reference in context.spec.references:
        section, title = None, ""
        if reference.kind == "anchor" and reference.line not in listed:
            number = _label_number(reference.label)
            section = section_behind(context, reference) if number else None
            title = _title_in(reference.label) if section and section.number == number else ""
        elif reference.kind == "section" and not reference.document and not reference.link:
            sections = context.by_number.get(reference.target, ())
            section = sections[0] if len(sections) == 1 else None
            title = _title_after(context, reference, titles) if section else ""
        if section and title and not _fits(title, section.title):
            message = f"section {section.number} is called '{section.title}', not '{_one_line(title)}'"
            hint = titles.get(_folded(title), "")
            hint = f"that is section {hint}" if hint else "correct the title, or the number"
            yield Finding("XREF003", "W", reference.line, reference.column, message, hint)


def _title_in(label: str) -> str:
    """Return the title in a link's label, if the words after its number are one: they begin with a capital."""
    title = _after_number(label)
    return title if title[:1].isupper() and len(title) > 1 else ""


def _after_number(label: str) -> str:
    """Return what a label says besides its number: "Milk" of "Section 2, Milk", of "§2 (Milk)" and of "2 Milk"."""
    text = " ".join(label.split()).strip("() ")
    match = _LABEL_NUMBER.match(text)
    return (text[match.end() :] if match else split_heading(text)[1]).strip(f"{_AROUND_TITLE},")


def _title_after(context: Context, reference: Reference, titles: Mapping[str, str]) -> str:
    plain = context.spec.prose[reference.piece].inline.plain
    quoted = _QUOTED_AFTER.match(plain, reference.end)
    if quoted:
        return quoted["title"] if quoted["title"][:1].isupper() else ""
    match = _BRACKETED_AFTER.match(plain, reference.end)
    if not match:
        return ""
    title, words = match["title"], match["title"].split()
    written_so = len(words) > 1 and all(word[:1].isupper() for word in words if len(word) > 3)  # noqa: PLR2004 -- of, and
    return title if _folded(title) in titles or (written_so and not title.isupper()) else ""


def _fits(title: str, heading: str) -> bool:
    one, other = _folded(title), _folded(heading)
    words, others = set(one.split()), set(other.split())
    return not one or not other or one in other or other in one or words <= others or others <= words


def _label_number(label: str) -> str | None:
    """Return the one section number in a label, whether it says "Section 4.2" or "4.2 Beta"."""
    found = {match["number"] for match in _LABEL_NUMBER.finditer(label)}
    if len(found) == 1:
        return found.pop()
    if found or re.match(r"[A-Z]\.\s", label):
        return None
    number, title = split_heading(label.strip("() "))
    bare = number is not None and number.isdigit()
    return None if bare and not title else number


def placeholder(context: Context) -> Iterator[Finding]:
    """XREF004: something stands where a reference should be."""
    comments = {(one.line, one.column) for one in context.spec.document.definitions if is_comment(one)}
    for reference in context.spec.references:
        place = reference.line, reference.column
        if place in comments:
            continue
        if reference.kind == "section" and not reference.document and PLACEHOLDER.fullmatch(reference.target):
            if reference.target not in context.by_number:
                message = f"'{_one_line(reference.label)}' is a placeholder"
                yield Finding("XREF004", "E", *place, message, "write the section's number")
        elif reference.kind == "anchor" and not reference.target:
            message = f"the link '{_one_line(reference.label)}' has no target"
            yield Finding("XREF004", "E", *place, message, "give it one, or take the link away")
        elif reference.kind in ("anchor", "file", "url") and reference.label.strip().lower() in _EMPTY_LABELS:
            message = f"the link's label is only '{reference.label}'"
            yield Finding("XREF004", "E", *place, message, "say where it leads")
    yield from _unfinished(context)


def _unfinished(context: Context) -> Iterator[Finding]:
    for prose in context.spec.prose:
        if "TB" not in prose.source and "??" not in prose.source:
            continue
        for match in _UNFINISHED.finditer(prose.inline.masked()):
            if not match.string[: match.start()].rstrip().endswith(("§", "ection")):
                line, column = prose.place_of(match.start())
                message = f"'{_one_line(match.group())}' is a placeholder"
                # A cell with nothing else says openly that something is not known yet.
                severity: Severity = "W" if prose.kind == "cell" and match.group() == match.string.strip() else "E"
                yield Finding("XREF004", severity, line, column, message, "write what is meant")


def ambiguous_section(context: Context) -> Iterator[Finding]:
    """XREF006: a reference has the number of two headings, none of them the only one in the reference's own part."""
    lines = [section.line for section in context.spec.sections]
    for reference in _own(context):
        sections = context.by_number.get(reference.target, [])
        if len(sections) < 2 or reference.link:  # noqa: PLR2004 -- two headings
            continue
        index = bisect_right(lines, reference.line) - 1
        own = part_of(context, context.spec.sections[index]) if index >= 0 else None
        if sum(part_of(context, section) == own for section in sections[:_MOST_NAMESAKES]) != 1:
            places = " and ".join(str(section.line) for section in sections[:5])
            message = f"'{_one_line(reference.label)}' may mean any of the headings in lines {places}"
            yield Finding("XREF006", "E", reference.line, reference.column, message, "number the headings apart")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:80]
