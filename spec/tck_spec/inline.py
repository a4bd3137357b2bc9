"""Inline content as it was read: plain text, links, code, HTML, and where in the source each stands.

Most pieces of a specification hold nothing but text, code and words in bold. Those are read here, at once; what may
have more in it, or is not plain at first sight, is for :mod:`tck_spec.markdown`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Inline", "Link", "Span", "read_plainly"]

#: What may be markup outside of code; an underscore between letters is none, nor is a bracket that was never opened.
_MARKUP: Final = re.compile(r"[\[<\\]|(?<![^\W_])_|_(?![^\W_])|&[#A-Za-z]|[^\S\n]\n|\n\s")
_MARKS: Final = re.compile(r"`+|\*+")
#: Of asterisks that can only open emphasis, and of those that can only close it, what stands before and after them.
_OPENING: Final = re.compile(r"(?<!\S)(?:\*{1,2})(?=[^\s*])")
_CLOSING: Final = re.compile(r"(?:(?<=[^\W_])\*{1,2}(?=[\s.,:;!?)]|\Z)|(?<=[^\s*])\*{1,2}(?!\S))")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the plain text, by offsets into it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link or an image."""

    label: Span
    target: str
    #: Offset in the source where it starts.
    source: int
    image: bool = False
    #: ``<https://…>``: the label is the target.
    automatic: bool = False
    #: The folded label of the definition it uses; empty for an inline link.
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Inline:
    """The inline content of one block, heading or table cell."""

    #: The text without markup; a line end stays a line end.
    plain: str
    links: tuple[Link, ...] = ()
    #: Inline code, in `plain`.
    code: tuple[Span, ...] = ()
    #: What is emphasised, in `plain`, outermost only.
    emphasised: tuple[Span, ...] = ()
    #: HTML tags and comments: offset in the source, text.
    html: tuple[tuple[int, str], ...] = ()
    #: Parts of the source that are code, HTML, or a whole link, as offsets.
    claimed: tuple[Span, ...] = ()
    #: Where runs of `plain` start, and the source offset of each.
    starts: tuple[int, ...] = (0,)
    sources: tuple[int, ...] = (0,)
    _masked: list[str] = field(default_factory=list[str], init=False, repr=False, compare=False)

    def source_of(self, offset: int) -> int:
        """Return the source offset of a character of `plain`."""
        run = bisect_right(self.starts, offset) - 1
        return self.sources[run] + offset - self.starts[run]

    def masked(self) -> str:
        """Return `plain` with every character of inline code replaced, so that no pattern matches in code."""
        if not self.code:
            return self.plain
        if not self._masked:
            parts: list[str] = []
            done = 0
            for span in self.code:
                parts += (self.plain[done : span.start], "\ufffc" * (span.end - span.start))
                done = span.end
            self._masked.append("".join(parts) + self.plain[done:])
        return self._masked[0]


def read_plainly(source: str) -> Inline | None:
    """Read a text that has no markup but code and plain emphasis; None where it may have other."""
    cuts = _cuts(source) if "`" in source or "*" in source else []
    if cuts is None:
        return None
    plain: list[str] = []
    starts: list[int] = []
    sources: list[int] = []
    code: list[Span] = []
    emphasised: list[Span] = []
    length = done = 0
    opened = -1
    for begin, end, marks in (*cuts, (len(source), len(source), 0)):
        text = source[done:begin]
        if _MARKUP.search(text):
            return None
        inside, place = "", begin + marks
        if marks:
            inside = source[place : end - marks].replace("\n", " ")
            if inside[:1] == inside[-1:] == " " and inside.strip(" "):
                inside, place = inside[1:-1], place + 1
        for part, at in ((text, done), (inside, place)):
            if part:
                starts.append(length)
                sources.append(at)
                plain.append(part)
                length += len(part)
        if marks:
            code.append(Span(length - len(inside), length))
        elif opened >= 0:
            emphasised.append(Span(opened, length))
            opened = -1
        else:
            opened = length
        done = end
    claimed = tuple(Span(begin, end) for begin, end, marks in cuts if marks)
    places = (tuple(starts), tuple(sources)) if starts else ((0,), (0,))
    return Inline("".join(plain), (), tuple(code), tuple(emphasised), (), claimed, *places)


def _cuts(source: str) -> list[tuple[int, int, int]] | None:
    """Return where code and emphasis marks start and end, and how many ticks begin the code; None if not plain.

    Code ends at the next run of as many ticks. Emphasis is plain where its marks come in pairs that can only open and
    only close it.
    """
    runs = [(match.start(), match.end()) for match in _MARKS.finditer(source)]
    following = _next_alike(source, runs)
    cuts: list[tuple[int, int, int]] = []
    index = opened = 0
    while index < len(runs):
        start, end = runs[index]
        if source[start] == "*":
            match = (_CLOSING if opened else _OPENING).match(source, start)
            if not match or match.end() != end or (opened and opened != end - start):
                return None
            opened = 0 if opened else end - start
            cuts.append((start, end, 0))
        elif following[index]:
            index = following[index]
            cuts.append((start, runs[index][1], end - start))
        index += 1
    return None if opened else cuts


def _next_alike(source: str, runs: list[tuple[int, int]]) -> list[int]:
    """Return, for each run of marks, which is the next that is the same; 0 for none."""
    following: list[int] = [0] * len(runs)
    last: dict[str, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        following[index] = last.get(source[start:end], 0)
        last[source[start:end]] = index
    return following
