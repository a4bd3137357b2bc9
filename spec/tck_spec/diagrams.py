"""Diagrams: where a document has Mermaid, and which of a diagram's lines its grammar gets to see.

Mermaid takes out front matter, directives and comments before it parses, and counts its lines after that. So the same
is done here, with every line's origin kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from html import unescape
from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tck_spec.blocks import Block
    from tck_spec.specification import Specification

__all__ = ["Code", "Drawing", "code_of", "find_drawings"]

#: ``mermaid``, and as MyST, Quarto and pandoc write it; ``mermaid-example`` and the like are other languages.
_INFO: Final = re.compile(r"mermaid(?=[\s{,]|$)|\{\s*\.?mermaid(?=[\s,}])")
_DIRECTIVE_OPTION: Final = re.compile(r"\s*:[A-Za-z_-]+:(?:\s|$)")
_COLONS: Final = re.compile(r":{3,}\s*mermaid\s*$")
_COLONS_END: Final = re.compile(r"[ \t]*:{3,}[ \t]*")
_PRE: Final = re.compile(r"""<pre\b[^<>]{0,200}\bclass=["']?mermaid["'\s>]""", re.IGNORECASE)
_LINE_END: Final = re.compile(r"\r\n|\n|\r")

# As Mermaid has them.
_FRONT_MATTER: Final = re.compile(r"([^\S\n]*)-{3}[^\S\n]*\n.*?\n\1-{3}\s*\n", re.DOTALL)
_DIRECTIVE: Final = re.compile(
    r"%%\{\s*(?:(?:\w+)\s*:|(?:\w+))\s*(?:\w+|(?:(?!\}%%).|\n)*)?\s*(?:\}%%)?", re.ASCII | re.IGNORECASE
)
_COMMENT: Final = re.compile(r"\s*%%(?!\{).")

#: Which blank lines are dropped in diagrams that begin with a word, by the line before and the blank line itself.
_DROPPED: Final[tuple[tuple[tuple[str, ...], Callable[[str, str], bool]], ...]] = (
    (("flowchart", "graph", "swimlane"), lambda before, _: before.rstrip().endswith("}")),
    (("sankey",), lambda _, blank: not blank),
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A Mermaid diagram as it stands in its document."""

    text: str
    #: Where it begins: the line that says that it is Mermaid.
    line: int
    column: int
    #: Line and column, from 1, at which each line of the text stands.
    places: tuple[tuple[int, int], ...]
    #: Index into the specification's sections; -1 before the first heading.
    section: int


@dataclass(frozen=True, slots=True)
class Code:
    """What is left of a diagram for its grammar."""

    lines: tuple[str, ...]
    #: For each, the line of the diagram it comes from, from 0.
    origins: tuple[int, ...]

    @property
    def kind(self) -> str:
        """The word that names the diagram's type; empty for an empty diagram."""
        return re.split(r"[\s;:]", self.lines[0].strip(), maxsplit=1)[0] if self.lines else ""


def find_drawings(spec: Specification) -> Iterator[Drawing]:
    """Yield the diagrams of a document, in order: fences, ``::: mermaid`` and ``<pre class="mermaid">``."""
    if "mermaid" not in spec.text:
        return
    starts = [section.line for section in spec.sections]
    colons: _Colons | None = None
    for block in spec.document.blocks:
        found = None
        if block.kind == "fence" and _INFO.match(block.info):
            found = _fenced(block)
        elif block.kind == "html" and block.segments and _PRE.match(block.segments[0].text.lstrip()):
            found = _preformatted(block)
        elif block.kind == "paragraph" and not block.quoted and "mermaid" in block.text:
            colons = colons or _Colons(spec.text)
            found = colons.after(block)
        if found:
            line, column, lines = found
            text = "\n".join(text for _, _, text in lines)
            places = tuple((number, start) for number, start, _ in lines)
            yield Drawing(text, line, column, places, bisect_right(starts, line) - 1)


#: Line and column where it begins, then line, column and text of each of its lines.
_Found = tuple[int, int, list[tuple[int, int, str]]]


def _fenced(block: Block) -> _Found | None:
    lines = [(segment.line, segment.column, segment.text) for segment in block.segments]
    if block.info.startswith("{"):
        options = sum(1 for _ in takewhile(lambda line: _DIRECTIVE_OPTION.match(line[2]), lines))
        lines = lines[options:]
        if not lines and "}" in block.info and block.info.partition("}")[2].strip():
            return None  # MyST: the argument names a file, which holds the diagram
    return block.line, block.column, lines


def _preformatted(block: Block) -> _Found:
    lines = [(segment.line, segment.column, segment.text) for segment in block.segments]
    number, column, text = lines[0]
    opening = text.find(">") + 1
    lines[0] = (number, column + opening, text[opening:])
    number, column, text = lines[-1]
    lines[-1] = (number, column, re.split("</pre", text, maxsplit=1, flags=re.IGNORECASE)[0])
    return block.line, block.column, [(number, column, unescape(text)) for number, column, text in lines]


class _Colons:
    """What stands between ``::: mermaid`` and ``:::``; Markdown sees paragraphs there, so it is read from the lines."""

    def __init__(self, text: str) -> None:
        self._lines = _LINE_END.split(text.removeprefix("\ufeff"))
        self._ends = [number for number, line in enumerate(self._lines, start=1) if _COLONS_END.fullmatch(line)]
        self._done = 0

    def after(self, block: Block) -> _Found | None:
        """Return the diagram that begins in a paragraph."""
        opening = next((segment for segment in block.segments if _COLONS.match(segment.text)), None)
        if opening is None or opening.line <= self._done:
            return None
        index = bisect_right(self._ends, opening.line)
        if index == len(self._ends):
            return None
        self._done = self._ends[index]
        inside = range(opening.line, self._done - 1)
        return opening.line, opening.column, [(number + 1, 1, self._lines[number]) for number in inside]


def code_of(text: str) -> Code:
    """Take out of a diagram what Mermaid takes out."""
    front = _FRONT_MATTER.match(text)
    position = front.end() if front else 0
    number = text.count("\n", 0, position)
    lines: list[str] = [""]
    origins: list[int] = [number]
    for match in [*_DIRECTIVE.finditer(text, position), None]:
        end = match.start() if match else len(text)
        first, *rest = text[position:end].split("\n")
        if not lines[-1].strip():
            origins[-1] = number
        lines[-1] += first
        lines += rest
        origins += range(number + 1, number + 1 + len(rest))
        if match:
            number += len(rest) + match.group().count("\n")
            position = match.end()
    return _without_comments(lines, origins)


def _without_comments(lines: Sequence[str], origins: Sequence[int]) -> Code:
    """Take out comments together with the blank lines above each, and the blank lines that the type's parser drops."""
    kept: list[int] = []
    blank: list[int] = []
    drops = None
    for index, line in enumerate(lines):
        if _COMMENT.match(line):
            blank.clear()
        elif not line.strip():
            if kept and not (drops and drops(lines[kept[-1]], line)):
                blank.append(index)
        else:
            if not kept:
                drops = next((drops for kind, drops in _DROPPED if line.lstrip().startswith(kind)), None)
            kept += blank
            blank.clear()
            kept.append(index)
    kept += blank
    return Code(tuple(lines[index] for index in kept), tuple(origins[index] for index in kept))
