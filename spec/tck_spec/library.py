"""A library: the documents that are checked together, and the files around them that their links lead to.

Rules look at the file system through it alone, so that a language server can lay the unsaved text of an editor over
it and a test can do without files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tck_spec.specification import Specification

__all__ = ["Found", "Library", "Lone", "Target"]

#: ``outside``: the path leaves the root, so nobody looks. ``folder``: a folder, with or without a page of its own.
#: ``page``: there is no such file, but one that a site generator would make the page of.
Found = Literal["document", "file", "folder", "page", "missing", "outside"]


def _nothing() -> Specification | None:
    return None


@dataclass(frozen=True, slots=True)
class Target:
    """What a link's path leads to."""

    found: Found
    path: Path | None = None
    #: Reads the Markdown document there, or the page of a folder.
    read: Callable[[], Specification | None] = field(default=_nothing, repr=False, compare=False)
    #: Names of files that may have been meant, for a missing one.
    near: tuple[str, ...] = ()

    @property
    def document(self) -> Specification | None:
        """The document there, parsed only now; None where there is none, or none that can be read."""
        return self.read()


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
