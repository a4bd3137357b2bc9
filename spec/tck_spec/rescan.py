"""Scanning again after an edit: the blocks before and after it are taken over, only what is between is scanned.

Where nothing is open, no line depends on any before it. A scan notes these places; the next one begins at the last of
them before the first changed line, and ends at the first behind the last changed line. What follows is the same blocks
as before, some lines further down or up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from operator import eq
from typing import NamedTuple

from tck_spec.blocks import Scanner, front_matter
from tck_spec.document import Block, BrokenTable, Definition, Document, Segment
from tck_spec.rows import Row

__all__ = ["Scan", "rescan"]


class _Rest(NamedTuple):
    """A place where nothing is open: how many lines, blocks and so on stand before it."""

    lines: int
    blocks: int = 0
    definitions: int = 0
    broken_tables: int = 0
    items: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """A text that was scanned, and what was found in it."""

    lines: list[str]
    document: Document
    rests: list[_Rest]


def rescan(lines: list[str], earlier: Scan | None) -> Scan:
    """Sort lines into blocks, as `scan` does, with what an earlier scan of a similar text has found."""
    skipped = front_matter(lines)
    if earlier is None or earlier.document.skipped != skipped:
        start, rests = _Rest(skipped), list[_Rest]()
        earlier = Scan([], Document((), (), ()), [])
    else:
        start, rests = _before(lines, earlier, skipped)
    old, old_rests = earlier.document, earlier.rests
    scanner = Scanner()
    scanner.blocks = list(old.blocks[: start.blocks])
    scanner.definitions = list(old.definitions[: start.definitions])
    scanner.broken_tables = list(old.broken_tables[: start.broken_tables])
    scanner.items = start.items
    alike = _alike(reversed(lines[start.lines :]), reversed(earlier.lines[start.lines :]))
    moved = len(lines) - len(earlier.lines)
    for number in range(start.lines, len(lines)):
        if scanner.at_rest:
            rests.append(_rest(scanner, number))
            place = bisect_left(old_rests, (number - moved,)) if number >= len(lines) - alike else len(old_rests)
            if place < len(old_rests) and old_rests[place].lines == number - moved:
                return _joined(scanner, lines, rests, earlier, place)
        scanner.line(number + 1, lines[number])
    return Scan(lines, scanner.finish(skipped), rests)


def _rest(scanner: Scanner, lines: int) -> _Rest:
    return _Rest(lines, len(scanner.blocks), len(scanner.definitions), len(scanner.broken_tables), scanner.items)


def _alike(first: Iterable[str], second: Iterable[str]) -> int:
    """Return how many lines two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(bool, map(eq, first, second)))


def _before(lines: list[str], earlier: Scan, skipped: int) -> tuple[_Rest, list[_Rest]]:
    """Return the last place before the first change where nothing was open, and those before it."""
    alike = _alike(lines, earlier.lines)
    index = bisect_right(earlier.rests, alike, key=lambda rest: rest.lines) - 1
    if index < 0:
        return _Rest(skipped), []
    return earlier.rests[index], earlier.rests[:index]


def _joined(scanner: Scanner, lines: list[str], rests: list[_Rest], earlier: Scan, place: int) -> Scan:
    """Let what an earlier scan has found behind a place follow what has been found before it."""
    old, rest, now = earlier.document, earlier.rests[place], rests[-1]
    down, further = now.lines - rest.lines, now.items - rest.items
    following = earlier.rests[place + 1 :]
    change = [here - there for here, there in zip(now, rest, strict=True)]
    return Scan(
        lines,
        Document(
            (*scanner.blocks, *_moved(old.blocks[rest.blocks :], down, further)),
            (*scanner.definitions, *(_lower(one, down) for one in old.definitions[rest.definitions :])),
            (*scanner.broken_tables, *(_lower_table(one, down) for one in old.broken_tables[rest.broken_tables :])),
            old.skipped,
        ),
        rests + [_Rest(*(a + b for a, b in zip(one, change, strict=True))) for one in following],
    )


def _moved(blocks: tuple[Block, ...], down: int, further: int) -> tuple[Block, ...]:
    """Return blocks as they are some lines further down, their list items with higher numbers."""
    if not (down or further):
        return blocks
    return tuple(
        Block(
            block.kind,
            block.line + down,
            block.column,
            tuple(Segment(one.line + down, one.column, one.text) for one in block.segments),
            block.level,
            block.info,
            tuple(Row(row.line + down, row.column, row.cells) for row in block.rows),
            tuple(item + further for item in block.items),
            block.leading,
            block.quoted,
            block.closed,
        )
        for block in blocks
    )


def _lower(one: Definition, down: int) -> Definition:
    return Definition(one.label, one.target, one.line + down, one.column)


def _lower_table(one: BrokenTable, down: int) -> BrokenTable:
    return BrokenTable(one.line + down, one.column, one.header_cells, one.delimiter_cells)
