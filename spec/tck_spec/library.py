"""A library: the documents that are checked together, and the files around them that their links lead to.

Rules look at the file system through it alone, so that a language server can lay the unsaved text of an editor over
it and a test can do without files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_spec.specification import Specification

__all__ = ["Library", "Lone", "Target"]

#: ``outside``: the path leaves the root, so nobody looks. ``folder``: a folder without a page of its own.
Found = Literal["document", "file", "folder", "missing", "outside"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a link's path leads to."""

    found: Found
    path: Path | None = None
    #: The Markdown document there; parsed only when it is asked for.
    document: Specification | None = None
    #: Names of files that may have been meant, for a missing one.
    near: tuple[str, ...] = ()


class Library(Protocol):
    """What a rule can ask about other documents."""

    @property
    def documents(self) -> Sequence[Specification]:
        """All documents that are checked together, in order."""
        ...

    def look(self, source: str, path: str) -> Target:
        """Resolve the path of a link (without its fragment) in the document that was read from `source`."""
        ...


@dataclass(frozen=True, slots=True)
class Lone:
    """The library of a text without files around it: every path is outside."""

    documents: tuple[Specification, ...] = ()

    def look(self, source: str, path: str) -> Target:
        """Say that nobody looks there."""
        del source, path
        return Target("outside")
