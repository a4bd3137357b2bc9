"""Explicit anchors: ids and names of HTML elements, which links can target besides headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

from tck_spec.blocks import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tck_spec.blocks import Block, Document
    from tck_spec.prose import Prose

__all__ = ["Anchor", "find_anchors", "html_lines"]

_TAG: Final = re.compile(r"<(?P<name>[A-Za-z][A-Za-z0-9-]*)(?P<attributes>\s[^<>]*)>")
_ATTRIBUTE: Final = re.compile(
    r"""(?<![^\s"'])(?P<key>id|name)\s{0,5}=\s{0,5}(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s"'>]+))""", re.IGNORECASE
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

#: Form fields and meta elements have names that are not link targets.
_NAMED_ELSEWISE: Final = frozenset({"input", "meta", "button", "select", "textarea", "param", "slot", "form", "map"})


@dataclass(frozen=True, slots=True)
class Anchor:
    """The value of an ``id`` or ``name`` attribute."""

    name: str
    line: int
    column: int


def _in_tag(html: str, line: int, column: int) -> Iterator[Anchor]:
    for tag in _TAG.finditer(html):
        seen: set[str] = set()
        for match in _ATTRIBUTE.finditer(tag["attributes"]):
            value = unescape(match["a"] or match["b"] or match["c"] or "")
            if match["key"].lower() == "name" and tag["name"].lower() in _NAMED_ELSEWISE:
                continue
            if value and value not in seen:
                seen.add(value)
                yield Anchor(value, line, column + tag.start())


def find_anchors(document: Document, pieces: Sequence[Prose]) -> Iterator[Anchor]:
    """Yield the anchors of inline HTML, then those of HTML blocks; comments have none."""
    for piece in pieces:
        for offset, html in piece.inline.html:
            if not html.startswith("<!--"):
                yield from _in_tag(html, *piece.place(offset))
    for block in document.blocks:
        if block.kind == "html":
            for segment in html_lines(block):
                yield from _in_tag(segment.text, segment.line, segment.column)


def html_lines(block: Block) -> Iterator[Segment]:
    """Yield the lines of an HTML block with its comments blanked out."""
    text = _COMMENT.sub(lambda match: re.sub(r"[^\n]+", lambda run: " " * len(run.group()), match.group()), block.text)
    for segment, line in zip(block.segments, text.split("\n"), strict=True):
        yield Segment(segment.line, segment.column, line)
