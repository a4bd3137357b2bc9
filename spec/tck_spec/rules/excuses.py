"""Excuses: comments with which an author switches a rule off in one place, and says why.

::

    <!-- check-off NUM002: 4.3 was withdrawn, its number stays unused -->
    <!-- check-off-file REQ001, XREF005: the style guide asks for it -->

The first speaks of its own line and of the block that follows it, the second of the whole file. An excuse without a
reason excuses nothing, and one that nothing needs any more is reported, so that none outlives its fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tck_spec.findings import Finding, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from tck_spec.findings import Severity
    from tck_spec.rules.context import Context
    from tck_spec.specification import Specification

__all__ = ["Excuse", "excuse", "excuse_without_reason", "find_excuses", "unused_excuse"]

_COMMENT: Final = re.compile(
    r"<!--\s*check-off(?P<file>-file)?[ \t]+(?P<codes>[A-Za-z0-9_, \t-]{1,200}?)\s*(?::(?P<reason>.{0,1000}?))?\s*-->"
)
#: What an editor writes for the author to overwrite is no reason yet.
_STAND_INS: Final = frozenset({"reason", "todo", "tbd", "…", "..."})
#: Findings of these rules cannot be excused: they are about excuses.
_OWN: Final = frozenset({"SUP001", "SUP002"})


@dataclass(frozen=True, slots=True)
class Excuse:
    """One comment: which rules it excuses, in which lines, and why."""

    codes: tuple[str, ...]
    reason: str
    line: int
    column: int
    #: First and last line it speaks of.
    first: int
    last: int

    def covers(self, finding: Finding) -> bool:
        """Tell whether it excuses a finding."""
        return bool(self.reason) and finding.rule in self.codes and self.first <= finding.line <= self.last


def find_excuses(spec: Specification) -> tuple[Excuse, ...]:
    """Return the excuses of a document; those in code are text."""
    if "check-off" not in spec.text:
        return ()
    found: list[Excuse] = []
    blocks = spec.document.blocks
    for index, block in enumerate(blocks):
        if block.kind in ("fence", "code"):
            continue
        for segment in block.segments:
            for match in _COMMENT.finditer(segment.text):
                end = block.segments[-1].line
                if block.kind == "html" and index + 1 < len(blocks):
                    end = _last_line(spec, index + 1)
                first, last = (1, len(spec.text)) if match["file"] else (segment.line, end)
                codes = tuple(code.upper() for code in re.split(r"[,\s]+", match["codes"]) if code)
                reason = (match["reason"] or "").strip(" -–—")
                reason = "" if reason.casefold() in _STAND_INS else reason
                found.append(Excuse(codes, reason, segment.line, segment.column + match.start(), first, last))
    return tuple(found)


def _last_line(spec: Specification, index: int) -> int:
    block = spec.document.blocks[index]
    lines = [block.line, *(segment.line for segment in block.segments), *(row.line for row in block.rows)]
    return max(lines)


def excuse(
    spec: Specification, found: Iterable[Finding], codes: Collection[str], levels: Mapping[str, Severity | None]
) -> Iterator[Finding]:
    """Yield the findings that no comment excuses, and what is wrong with the comments themselves."""
    excuses = find_excuses(spec)
    used: set[tuple[Excuse, str]] = set()
    for finding in found:
        covering = [one for one in excuses if finding.rule not in _OWN and one.covers(finding)]
        used.update((one, finding.rule) for one in covering)
        if not covering:
            yield finding
    severity = levels.get("SUP002")
    for one in excuses if severity else ():
        for code in one.codes:
            if not one.reason or (one, code) in used or (code in codes and levels.get(code) is None):
                continue
            known = code in codes
            message = f"nothing here needs the excuse for {code}" if known else f"there is no rule {code}"
            hint = "take the comment away" if known else did_you_mean(code, codes) or "`session-tck rules` lists them"
            yield Finding("SUP002", severity or "W", one.line, one.column, message, hint)


def excuse_without_reason(context: Context) -> Iterator[Finding]:
    """SUP001: a comment that switches a rule off says no reason, so it excuses nothing."""
    for one in find_excuses(context.spec):
        if not one.reason:
            message = f"the excuse for {', '.join(one.codes)} gives no reason, so it excuses nothing"
            yield Finding("SUP001", "E", one.line, one.column, message, "write it after a colon")


def unused_excuse(_context: Context) -> Iterator[Finding]:
    """SUP002: a comment switches a rule off where it finds nothing; known once all other rules are through."""
    yield from ()
