"""Places: where a document writes the ids of its requirements, in any of the forms of :mod:`tck_spec.marked`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tck_spec.marked import BY_PATTERN, FORMS, Form, Where
from tck_spec.passages import Passage, collapse

if TYPE_CHECKING:
    from tck_spec.patterns import Pattern
    from tck_spec.specification import Specification

__all__ = ["Found", "find_places"]

#: Ids at the start of a passage have a digit near it; most passages have none, and need no closer look.
_HINT: Final = re.compile(r"[0-9]")
_FARTHEST: Final = 300


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """An id in a passage, a heading, a comment or a cell, before its text is known."""

    id: str
    form: Form
    line: int
    column: int
    block: int
    #: The passage it stands in; None for a heading or a comment of its own.
    passage: Passage | None = None
    #: What the marker takes of the passage's plain text.
    start: int = 0
    end: int = 0


def find_places(
    spec: Specification, passages: Sequence[Passage], pattern: Pattern | None, *, quotes: bool
) -> Iterator[Found]:
    """Yield every id of every form where it stands, by kind of place; `pattern` finds those of the document's own."""
    yield from _in_headings(spec, pattern)
    yield from _in_comments(spec)
    for passage in passages:
        if passage.heads or (passage.prose.kind == "cell" and passage.row_subject):
            continue
        if passage.aside == "block quote" and not quotes:
            continue
        own = list(_by_pattern(passage, pattern)) if pattern else []
        yield from own or _in_passage(passage)


def _in_passage(passage: Passage) -> Iterator[Found]:
    """Yield the markers of one passage: all of the first form that it has."""
    source = passage.prose.source
    if not (passage.prose.inline.html or _HINT.search(source, 0, _FARTHEST) or "{" in source or "r[" in source):
        return
    for form in FORMS:
        looker = _LOOKERS.get(form.where)
        found = list(looker(passage, form)) if looker else []
        if found:
            yield from found
            return


def _at_start(passage: Passage, form: Form) -> Iterator[Found]:
    prose = passage.prose
    match = form.pattern.match(prose.source) if prose.kind == "paragraph" else None
    if match:
        group = match.lastgroup or "id"
        end = passage.plain_offset(match.end())
        yield Found(match[group], form, *prose.place(match.start(group)), prose.block, passage, 0, end)


def _in_cell(passage: Passage, form: Form) -> Iterator[Found]:
    prose = passage.prose
    match = form.pattern.match(prose.inline.plain) if prose.kind == "cell" else None
    if match:
        yield Found(match["id"], form, *prose.place_of(match.start("id")), prose.block, passage)


def _in_braces(passage: Passage, form: Form) -> Iterator[Found]:
    prose = passage.prose
    if "{" not in prose.source:
        return
    for one in form.pattern.finditer(passage.masked):
        place = prose.place_of(one.start("id"))
        yield Found(one["id"], form, *place, prose.block, passage, one.start(), one.end())


def _in_lines(passage: Passage, form: Form) -> Iterator[Found]:
    prose = passage.prose
    if prose.kind != "paragraph" or "r[" not in prose.source:
        return
    for line in prose.starts:
        match = form.pattern.match(prose.source, line)
        if match:
            start, end = passage.plain_offset(line), passage.plain_offset(match.end())
            yield Found(match["id"], form, *prose.place(match.start("id")), prose.block, passage, start, end)


def _in_tags(passage: Passage, form: Form) -> Iterator[Found]:
    prose = passage.prose
    for offset, tag in prose.inline.html:
        match = form.pattern.match(tag)
        if match and (form.where == "comment" or not prose.inline.plain[: passage.plain_offset(offset)].strip()):
            place = passage.plain_offset(offset + len(tag))
            yield Found(match["id"], form, *prose.place(offset + match.start("id")), prose.block, passage, place, place)


#: How each kind of place within a passage is looked at.
_LOOKERS: Final[Mapping[Where, Callable[[Passage, Form], Iterator[Found]]]] = {
    "comment": _in_tags,
    "line": _in_lines,
    "start": _at_start,
    "anywhere": _in_braces,
    "tag": _in_tags,
    "cell": _in_cell,
}


def _in_headings(spec: Specification, pattern: Pattern | None) -> Iterator[Found]:
    for prose in spec.prose:
        if prose.kind != "heading":
            continue
        plain = prose.inline.plain
        span = _pattern_in_heading(plain, pattern) if pattern else None
        if span:
            yield Found(collapse(plain[slice(*span)]), BY_PATTERN, *prose.place_of(span[0]), prose.block)
            continue
        numbered = spec.sections[prose.headings - 1].number is not None
        for form in FORMS:
            if form.where == "heading" and not numbered:
                match = form.pattern.match(plain)
            elif form.where == "anywhere":
                match = form.pattern.search(plain)
            else:
                continue
            if match:
                yield Found(collapse(match["id"]), form, *prose.place_of(match.start("id")), prose.block)
                break


def _pattern_in_heading(plain: str, pattern: Pattern) -> tuple[int, int] | None:
    """Return where a heading has its id: at its start, after one word ("Conditional"), or in brackets at its end."""
    begin = len(plain) - len(plain.lstrip(" [(`"))
    second = re.match(r"\w+\s+", plain)
    for place in (begin, second.end() if second else begin):
        span = pattern.match(plain, place)
        if span and not plain[span[1] : span[1] + 1].isalnum():
            return span
    last = re.search(r"[\[({]#?([^\[\](){}]{1,200})[\])}]\s*\Z", plain)
    span = pattern.match(plain, last.start(1)) if last else None
    return span if last and span and span[1] == last.end(1) else None


def _in_comments(spec: Specification) -> Iterator[Found]:
    comment = FORMS[0]
    for index, block in enumerate(spec.document.blocks):
        if block.kind == "html":
            for segment in block.segments:
                for match in comment.pattern.finditer(segment.text):
                    yield Found(match["id"], comment, segment.line, segment.column + match.start("id"), index)


def _by_pattern(passage: Passage, pattern: Pattern) -> Iterator[Found]:
    """Yield what the pattern of the document finds at the start of a passage, in a tag there, or in braces."""
    prose, plain = passage.prose, passage.prose.inline.plain
    begin = len(plain) - len(plain.lstrip(" \n[(`"))
    span = pattern.match(plain, begin)
    if span and _ends_as_label(passage, span[1]):
        end = span[1] + len(plain[span[1] :]) - len(plain[span[1] :].lstrip(" \n)]`:.–—-"))
        yield Found(collapse(plain[slice(*span)]), BY_PATTERN, *prose.place_of(span[0]), prose.block, passage, 0, end)
        return
    for offset, tag in prose.inline.html:
        named = re.search(r"\b(?:id|name)\s?=\s?[\"']?([^\s\"'<>]{1,200})", tag) if not tag.startswith("<!--") else None
        whole = pattern.match(named[1]) if named else None
        if named and whole and whole[1] == len(named[1]):
            place = passage.plain_offset(offset + len(tag))
            yield Found(named[1], BY_PATTERN, *prose.place(offset + named.start(1)), prose.block, passage, place, place)
    for braces in re.finditer(r"\{:?\s?#([^\s{}]{1,200})\s?\}", passage.masked):
        whole = pattern.match(braces[1])
        if whole and whole[1] == len(braces[1]):
            place_ = prose.place_of(braces.start(1))
            yield Found(braces[1], BY_PATTERN, *place_, prose.block, passage, braces.start(), braces.end())


def _ends_as_label(passage: Passage, end: int) -> bool:
    """Tell whether an id is set off from what follows, as a label is and a mention is not."""
    inline = passage.prose.inline
    rest = inline.plain[end : end + 2]
    if not rest.strip() or rest[0] in "\n:)]":
        return True
    if any(span.end in (end, end + 1) for span in (*inline.emphasised, *inline.code)):
        return True
    return (rest[0] in ".–—-" and (len(rest) == 1 or rest[1].isspace())) or rest[1:] in ("–", "—")
