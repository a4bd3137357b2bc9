"""Excusing: where the comment goes that switches a rule off in one place, such that the text means the same with it.

In running text it is put at the end of its line; before a heading, a table or code it gets a line of its own. Beside a
comment that is there already it would come between that one and what it speaks of, so the code is added to it instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import Edit
from tck_spec.rules.excuses import find_excuses

if TYPE_CHECKING:
    from tck_kit.authors.language_server.positions import Text
    from tck_spec.blocks import Block
    from tck_spec.findings import Finding
    from tck_spec.specification import Specification

__all__ = ["REASON", "excuse_everywhere", "excuse_here"]

#: What stands in for the reason, which only the author knows.
REASON: Final = "reason"

_CODES: Final = re.compile(r"<!--\s*check-off[ \t]+[A-Za-z0-9_]+(?:[, \t]+[A-Za-z0-9_]+)*")
#: What may stand before the first character of a block for a line before it to be in the same container.
_INDENT: Final = re.compile(r"(?:[ \t]|>)*")
#: A line that gives the requirement below it an id is nothing else.
_MARKER: Final = re.compile(r"r\[[^\[\]]*\]\s*\Z")
#: Deeper, a comment would be code itself.
_DEEPEST: Final = 3


def excuse_here(spec: Specification, finding: Finding, text: Text) -> Edit | None:
    """Return what excuses a finding in its own line or block; None where no comment can stand near it."""
    index = _block_around(spec, finding.line)
    if index is None:
        return _before_definition(spec, finding, text)
    block = spec.document.blocks[index]
    if block.kind == "paragraph":
        return _at_line_end(spec, index, finding) or _before(spec, block, finding, text)
    return _before(spec, block, finding, text)


def excuse_everywhere(spec: Specification, finding: Finding, text: Text) -> Edit | None:
    """Return what excuses a rule in the whole document, at its end; None where that end is code."""
    last = spec.document.blocks[-1] if spec.document.blocks else None
    if last is not None and last.kind in ("fence", "html") and not (last.kind == "fence" and last.closed):
        return None
    end = len(text.line(text.lines)) + 1
    gap = "\n\n" if end > 1 else "\n"
    comment = f"<!-- check-off-file {finding.rule}: {REASON} -->"
    return Edit(text.lines, end, end, f"{gap}{comment}\n")


def _comment(rule: str) -> str:
    return f"<!-- check-off {rule}: {REASON} -->"


def _last_line(block: Block) -> int:
    lines = [block.line, *(one.line for one in block.segments[-1:]), *(one.line for one in block.rows[-1:])]
    # The line that closes a fence is none of its content.
    return max(lines) + (block.kind == "fence" and block.closed)


def _block_around(spec: Specification, line: int) -> int | None:
    """Return the index of the block that a line is in."""
    for index, block in enumerate(spec.document.blocks):
        if block.line <= line <= _last_line(block):
            return index
    return None


def _at_line_end(spec: Specification, index: int, finding: Finding) -> Edit | None:
    """Return a comment behind the text of the line; None where it would be inside a link or code, or spoil a marker."""
    piece = next((one for one in spec.prose if one.block == index), None)
    if piece is None:
        return None
    for start, segment in zip(piece.starts, piece.segments, strict=True):
        if segment.line == finding.line:
            offset = start + len(segment.text.rstrip())
            inside = any(span.start < offset < span.end for span in piece.inline.claimed)
            if inside or segment.text.endswith("\\") or _MARKER.match(segment.text):
                return None
            column = segment.column + len(segment.text.rstrip())
            return Edit(finding.line, column, column, f" {_comment(finding.rule)}")
    return None


def _before(spec: Specification, block: Block, finding: Finding, text: Text) -> Edit | None:
    """Return a line of its own before a block, in the same quote or list item."""
    prefix = text.line(block.line)[: block.column - 1]
    bare = prefix.replace(">", "")
    if not _INDENT.fullmatch(prefix) or (not block.items and len(bare.expandtabs(4)) > _DEEPEST):
        prefix = ""
        if block.items or block.quoted:
            return None
    added = _added(spec, block.line - 1, finding.rule, text)
    return added or Edit(block.line, 1, 1, f"{prefix}{_comment(finding.rule)}\n")


def _added(spec: Specification, line: int, rule: str, text: Text) -> Edit | None:
    """Return what adds a code to the excuse that stands in a line already."""
    for one in find_excuses(spec):
        if one.line == line and one.reason and one.first == line and rule not in one.codes:
            match = _CODES.match(text.line(line), one.column - 1)
            if match:
                return Edit(line, match.end() + 1, match.end() + 1, f", {rule}")
    return None


def _before_definition(spec: Specification, finding: Finding, text: Text) -> Edit | None:
    """Return a line of its own before a link's definition, which is no block but lies before one."""
    here = any(one.line == finding.line for one in spec.document.definitions)
    follows = any(block.line > finding.line for block in spec.document.blocks)
    line = text.line(finding.line)
    if not (here and follows) or not line.startswith("["):
        return None
    return _added(spec, finding.line - 1, finding.rule, text) or Edit(finding.line, 1, 1, f"{_comment(finding.rule)}\n")
