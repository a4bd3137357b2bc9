"""Inline content as it was read: plain text, links, code, HTML, and where in the source each stands.

Most pieces of a specification hold nothing but text, code, words in bold and links of the simplest form. Those are read
here, at once; what may have more in it, or is not plain at first sight, is for :mod:`tck_spec.markdown`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Inline", "Link", "Span", "read_plainly"]

#: What may be markup outside of code; an underscore between letters is none, nor is a bracket that was never opened.
_MARKUP: Final = re.compile(r"[\[<\\]|(?<![^\W_])_|_(?![^\W_])|&[#A-Za-z]")
#: What begins one of these: a first look that costs little.
_HINT: Final = re.compile(r"[\[<\\_&]")
#: A line that begins or ends with white space.
_LINE_EDGE: Final = re.compile(r"\n(?:(?=\s)|(?<=[^\S\n]\n))")
#: Ticks, asterisks, and links with nothing in label or target that could be anything else.
_MARKS: Final = re.compile(
    r"`+|\*+|(?<!!)\[[^\[\]`*_<>\\&!\n]+\]\((?=(?P<target>[A-Za-z0-9:/?#@$+,;=%._~-]+)\))(?P=target)\)"
)
_MARKED: Final = re.compile(r"[`*\[]")
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


class _Runs:
    """The plain text as it grows, and where in the source each run of it stands."""

    __slots__ = ("length", "plain", "sources", "starts")

    def __init__(self) -> None:
        self.plain: list[str] = []
        self.starts: list[int] = []
        self.sources: list[int] = []
        self.length = 0

    def add(self, text: str, place: int) -> None:
        if text:
            self.starts.append(self.length)
            self.sources.append(place)
            self.plain.append(text)
            self.length += len(text)


def read_plainly(source: str) -> Inline | None:
    """Read a text that has no markup but code, plain emphasis and simple links; None where it may have other."""
    if not _MARKED.search(source):
        return None if _has_markup(source) else Inline(source)
    cuts = _cuts(source)
    if cuts is None:
        return None
    runs = _Runs()
    code: list[Span] = []
    links: list[Link] = []
    emphasised: list[Span] = []
    opened, done = -1, 0
    for begin, end, ticks in cuts:
        text = source[done:begin]
        if _has_markup(text):
            return None
        runs.add(text, done)
        done = end
        if ticks > 0:
            inside, place = _code(source, begin + ticks, end - ticks)
            runs.add(inside, place)
            code.append(Span(runs.length - len(inside), runs.length))
        elif ticks < 0:
            label, _, target = source[begin + 1 : end - 1].partition("](")
            runs.add(label, begin + 1)
            links.append(Link(Span(runs.length - len(label), runs.length), target, begin))
        elif opened < 0:
            opened = runs.length
        else:
            emphasised.append(Span(opened, runs.length))
            opened = -1
    if _has_markup(source[done:]):
        return None
    runs.add(source[done:], done)
    claimed = tuple(Span(begin, end) for begin, end, ticks in cuts if ticks)
    places = (tuple(runs.starts), tuple(runs.sources))
    return Inline("".join(runs.plain), tuple(links), tuple(code), tuple(emphasised), (), claimed, *places)


def _code(source: str, start: int, end: int) -> tuple[str, int]:
    """Return the text of inline code, without the space that may stand on both sides, and where it starts."""
    text = source[start:end].replace("\n", " ")
    if text[:1] == text[-1:] == " " and text.strip(" "):
        return text[1:-1], start + 1
    return text, start


def _has_markup(text: str) -> bool:
    return (_HINT.search(text) is not None and _MARKUP.search(text) is not None) or (
        "\n" in text and _LINE_EDGE.search(text) is not None
    )


def _cuts(source: str) -> list[tuple[int, int, int]] | None:
    """Return where code, links and emphasis marks start and end; None if these are not plain.

    With each comes how many ticks begin the code, -1 for a link, 0 for a mark of emphasis. Code ends at the next run of
    as many ticks. Emphasis is plain where its marks come in pairs that can only open and only close it.
    """
    runs = [(match.start(), match.end()) for match in _MARKS.finditer(source)]
    following = _next_ticks(source, runs)
    cuts: list[tuple[int, int, int]] = []
    index = opened = 0
    while index < len(runs):
        start, end = runs[index]
        if source[start] == "[":
            cuts.append((start, end, -1))
        elif source[start] == "*":
            match = (_CLOSING if opened else _OPENING).match(source, start)
            if not match or match.end() != end or (opened and opened != end - start):
                return None
            opened = 0 if opened else end - start
            cuts.append((start, end, 0))
        elif following.get(index):
            index = following[index]
            cuts.append((start, runs[index][1], end - start))
        index += 1
    return None if opened else cuts


def _next_ticks(source: str, runs: list[tuple[int, int]]) -> dict[int, int]:
    """Return, for runs of ticks, which is the next run of as many."""
    following: dict[int, int] = {}
    last: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1) if "`" in source else ():
        start, end = runs[index]
        if source[start] == "`":
            if end - start in last:
                following[index] = last[end - start]
            last[end - start] = index
    return following
