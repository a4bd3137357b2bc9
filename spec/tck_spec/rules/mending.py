"""Mending: the edits that put a link right, found in the lines of the source by what stands there."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from tck_spec.findings import Edit

if TYPE_CHECKING:
    from tck_spec.references import Reference
    from tck_spec.specification import Specification

__all__ = ["Source"]

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
#: What stands before a link's target, and what may stand after it.
_BEFORE: Final = re.compile(r"(?:\]\(\s{0,3}<?|href\s{0,3}=\s{0,3}[\"']?|\]:\s{0,3}<?)\Z", re.IGNORECASE)
_AFTER: Final = frozenset(" \t>)\"'")
#: What makes what follows it, or what it follows, a part of a longer number or word.
_PART_OF_NUMBER: Final = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.")
_MORE: Final = re.compile(r"\.?\w")
#: No label is looked past that is longer.
_FARTHEST: Final = 2000


class Source:
    """The lines of one document, and the edits that have been handed out for them."""

    def __init__(self, spec: Specification) -> None:
        """Split nothing yet: most documents need no edit."""
        self._spec = spec
        self._given: set[tuple[int, int]] = set()

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends, as places in findings count them."""
        return _LINE_END.split(self._spec.text.removeprefix("\ufeff"))

    @cached_property
    def _definitions(self) -> dict[str, list[int]]:
        lines: dict[str, list[int]] = {}
        for one in self._spec.document.definitions:
            lines.setdefault(one.target.removeprefix("#"), []).append(one.line)
        return lines

    def retarget(self, reference: Reference, fragment: str) -> tuple[Edit, ...]:
        """Return the edit that gives a link another fragment: where it stands, or in the definition that it uses."""
        old = sorted({reference.target, unquote(reference.target)})
        place = self._target(reference.line, reference.column - 1, old)
        if place is None:
            lines = {line for target in old for line in self._definitions.get(target, ())}
            place = self._target(lines.pop(), 0, old) if len(lines) == 1 else None
        if place is None or place[:2] in self._given:
            return ()
        self._given.add(place[:2])
        line, start, end = place
        return (Edit(line, start + 1, end + 1, fragment),)

    def _target(self, line: int, start: int, fragments: list[str]) -> tuple[int, int, int] | None:
        text = self.lines[line - 1]
        for fragment in fragments:
            place = start
            while (place := text.find(f"#{fragment}", place + 1, start + _FARTHEST)) >= 0:
                end = place + 1 + len(fragment)
                if (end == len(text) or text[end] in _AFTER) and _BEFORE.search(text, max(0, place - 20), place):
                    return line, place + 1, end
        return None

    def relabel(self, reference: Reference, old: str, new: str) -> tuple[Edit, ...]:
        """Return the edit that replaces a part of a link's label, if it stands in the label's line just once."""
        text = self.lines[reference.line - 1]
        start = reference.column - 1
        end = text.find("](", start, start + _FARTHEST)
        if not text.startswith("[", start) or end < 0:
            return ()
        first = text.find(old, start + 1, end) if old else -1
        if first < 0 or text.find(old, first + 1, end) >= 0 or (reference.line, start) in self._given:
            return ()
        last = first + len(old)
        if text[first - 1] in _PART_OF_NUMBER or _MORE.match(text, last, end):
            return ()
        self._given.add((reference.line, start))
        return (Edit(reference.line, first + 1, last + 1, new),)
