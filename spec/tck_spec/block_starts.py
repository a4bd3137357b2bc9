"""How a block starts and ends: the patterns of CommonMark and GFM, one function per kind of block.

Each looks at one line from its first visible character on. None can take more than linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Final

__all__ = [
    "DEFINITION",
    "Fence",
    "Html",
    "atx_heading",
    "fence",
    "html",
    "interrupts",
    "link_target",
    "list_marker",
    "setext_level",
    "thematic_break",
]

#: What a line begins with that opens a container or a leaf other than text.
_STARTS: Final = frozenset(">-+*0123456789#`~<_")
_ATX: Final = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_FENCE: Final = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_LIST: Final = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_SETEXT: Final = re.compile(r"(?:=+|-+)[ \t]*$")

#: ``[label]: target "title"``; a label that starts with ``^`` is a footnote and stays text.
DEFINITION: Final = re.compile(
    r"\[(?P<label>(?!\^)(?=[^\]]*[^\s\]])(?:[^\[\]\\]|\\(?s:.)){1,999})\]:(?:[ \t]*\n)?[ \t]*"
    r"(?P<target><(?:[^<>\n\\]|\\.)*>|[^\x00-\x20\x7f<][^\x00-\x20\x7f]*)"
    r"(?:(?:[ \t]+|[ \t]*\n[ \t]*)(?:"
    r""""(?:[^"\\]|\\(?s:.)){0,1000}"|'(?:[^'\\]|\\(?s:.)){0,1000}'|\((?:[^()\\]|\\(?s:.)){0,1000}\)))?"""
    r"[ \t]*(?:\n|\Z)",
)
_ESCAPED: Final = re.compile(
    r"\\(?P<char>[!-/:-@\[-`{-~])|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)
_PARENTHESIS: Final = re.compile(r"\\.|[()]")

_HTML_VERBATIM: Final = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE),
        ("</script>", "</pre>", "</style>", "</textarea>"),
    ),
    (re.compile(r"<!--"), ("-->",)),
    (re.compile(r"<\?"), ("?>",)),
    (re.compile(r"<![A-Za-z]"), (">",)),
    (re.compile(r"<!\[CDATA\["), ("]]>",)),
)
_HTML_BLOCK_TAG: Final = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|"
    r"dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|"
    r"menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|"
    r"tr|track|ul)(?=[\s>]|/>|$)",
    re.IGNORECASE,
)
_HTML_LONE_TAG: Final = re.compile(
    r"""<(?:[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*/?"""
    r"|/[A-Za-z][A-Za-z0-9-]*\s*)>\s*$",
)


@dataclass(frozen=True, slots=True)
class Fence:
    """The opening line of a fenced code block."""

    marker: str
    info: str
    indent: int

    def closed_by(self, line: str) -> bool:
        """Tell whether a line (without indentation) is the closing one."""
        return len(line) >= len(self.marker) and not line.strip(self.marker[0])


@dataclass(frozen=True, slots=True)
class Html:
    """What ends an HTML block: one of these texts, or else a blank line."""

    ends: tuple[str, ...]

    @property
    def ends_at_blank(self) -> bool:
        """Whether a blank line is its end."""
        return not self.ends

    def closed_by(self, line: str) -> bool:
        """Tell whether the block ends with this line."""
        folded = line.lower()
        return any(end.lower() in folded for end in self.ends)


def atx_heading(line: str) -> tuple[int, int, str] | None:
    """Return level, offset of the text in the line and the text of ``## Heading ##``."""
    match = _ATX.match(line)
    if not match:
        return None
    text = line[match.end() :].rstrip(" \t")
    bare = text.rstrip("#")
    if bare != text and (not bare or bare[-1] in " \t"):
        text = bare.rstrip(" \t")
    return len(match[1]), match.end(), text


def setext_level(line: str) -> int:
    """Return the level that an underline gives to the paragraph above it, or 0."""
    return (1 if line[0] == "=" else 2) if _SETEXT.match(line) else 0


def thematic_break(line: str) -> bool:
    """Tell whether a line is a horizontal rule."""
    mark = line[:1]
    return mark in ("-", "_", "*") and not line.strip(mark + " \t") and line.count(mark) >= 3  # noqa: PLR2004 - three marks


def fence(line: str, indent: int) -> Fence | None:
    """Return the fence that a line opens."""
    match = _FENCE.match(line)
    if not match:
        return None
    return Fence(match[1] or match[3], (match[2] or match[4] or "").strip(), indent)


def html(line: str, *, in_paragraph: bool) -> Html | None:
    """Return the HTML block that a line opens."""
    if not line.startswith("<"):
        return None
    for start, ends in _HTML_VERBATIM:
        if start.match(line):
            return Html(ends)
    if _HTML_BLOCK_TAG.match(line) or (not in_paragraph and _HTML_LONE_TAG.match(line)):
        return Html(())
    return None


def link_target(written: str) -> str | None:
    """Return where a link leads that is written so: without angle brackets, escapes and entities; None for nowhere.

    Without angle brackets every parenthesis needs its counterpart.
    """
    if written.startswith("<"):
        written = written[1:-1]
    elif not _is_balanced(written):
        return None
    return _ESCAPED.sub(lambda match: match["char"] or unescape(match.group()), written)


def _is_balanced(target: str) -> bool:
    depth = 0
    for match in _PARENTHESIS.finditer(target):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if depth < 0:
            return False
    return not depth


def list_marker(line: str, *, in_paragraph: bool) -> str:
    """Return the list marker a line starts with; inside a paragraph only a bullet or ``1.`` with text after it."""
    match = _LIST.match(line)
    if not match or thematic_break(line):
        return ""
    if in_paragraph and (match.end() == len(line) or (match[1] is not None and int(match[1]) != 1)):
        return ""
    return match.group()


def interrupts(line: str) -> bool:
    """Tell whether a line that its containers do not claim starts a block of its own."""
    return line[:1] in _STARTS and (
        line.startswith(">")
        or atx_heading(line) is not None
        or _FENCE.match(line) is not None
        or thematic_break(line)
        or bool(list_marker(line, in_paragraph=False))
        or html(line, in_paragraph=True) is not None
    )
