"""Memory: what parsing one document has found, so that parsing it again after an edit takes what the edit takes.

An editor asks for a new result with every key. Which blocks there are depends on little more than the lines that have
changed, and inline content on its own text and the link definitions; everything else is made anew, so that a result is
always what it would be without a memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tck_spec.markdown import InlineReader, fold_label
from tck_spec.rescan import rescan

if TYPE_CHECKING:
    from collections.abc import Callable

    from tck_spec.document import Definition, Document
    from tck_spec.inline import Inline
    from tck_spec.rescan import Scan
    from tck_spec.specification import Specification

__all__ = ["Memory"]


class Memory:
    """What is known of one document; for one thread at a time."""

    __slots__ = ("_asked", "_inlines", "_labels", "_reader", "_scan", "_specification")

    def __init__(self) -> None:
        self._asked: tuple[str, str, str] | None = None
        self._specification: Specification | None = None
        self._scan: Scan | None = None
        self._labels: tuple[tuple[str, str], ...] = ()
        self._reader = InlineReader(())
        self._inlines: dict[str, Inline] = {}

    def recall(self, text: str, source: str, id_pattern: str) -> Specification | None:
        """Return the last result where the same was asked."""
        return self._specification if self._asked == (text, source, id_pattern) else None

    def keep(self, specification: Specification, id_pattern: str) -> Specification:
        """Keep a result, and return it."""
        self._asked = (specification.text, specification.source, id_pattern)
        self._specification = specification
        return specification

    def document(self, lines: list[str]) -> Document:
        """Scan lines, as far as they are new."""
        self._scan = rescan(lines, self._scan)
        return self._scan.document

    def reading(self, definitions: tuple[Definition, ...]) -> Callable[[str], Inline]:
        """Return a function that reads inline content, as far as it is new; what is no longer read is forgotten."""
        labels = tuple((fold_label(one.label), one.target) for one in definitions)
        if labels != self._labels:
            self._labels, self._inlines, self._reader = labels, {}, InlineReader(definitions)
        reader, before, now = self._reader, self._inlines, dict[str, "Inline"]()
        self._inlines = now

        def read(source: str) -> Inline:
            found = now.get(source) or before.get(source) or reader.read(source)
            now[source] = found
            return found

        return read
