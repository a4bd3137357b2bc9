"""Files: a library over the file system, which reads as little of it as it can and nothing above its root.

Names are compared letter by letter even where the file system would not, because the link is dead on the next machine.
What an editor has not saved yet is laid over what is on disk.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from tck_spec.collecting import collect
from tck_spec.errors import SpecificationError
from tck_spec.library import Target
from tck_spec.specification import load, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tck_spec.settings import Settings
    from tck_spec.specification import Specification

__all__ = ["MARKDOWN", "FileLibrary", "collect", "file_library"]

#: Extensions of Markdown files.
MARKDOWN: Final = frozenset({".md", ".markdown", ".mdx"})
#: What is shown for a folder, by code hosts and by site generators.
_PAGES: Final = ("README.md", "index.md", "readme.md", "Readme.md", "_index.md", "index.mdx", "index.html")

#: Larger documents are not read to look for an anchor in them.
_LARGEST: Final = 4 * 1024 * 1024
#: How many documents that are linked, but not checked, are kept, and how many folders' names.
_MOST_DOCUMENTS: Final = 256
_MOST_FOLDERS: Final = 4096
_MOST_NEAR: Final = 3
#: Looking for a name that is near costs milliseconds, so that ends after so many missing files.
_MOST_OFFERED: Final = 200


class FileLibrary:
    """The documents of one check and the files below a root."""

    def __init__(
        self,
        documents: Sequence[Specification] = (),
        *,
        root: Path,
        site_root: Path | None = None,
        extensionless: bool = False,
        overlay: Mapping[Path, str] | None = None,
    ) -> None:
        """Look at nothing yet.

        A document that does not lie below the root has for its own the folder that it shares with all such documents.
        """
        self._documents = tuple(documents)
        self._root = Path(os.path.realpath(root))
        self._site_root = Path(os.path.realpath(site_root)) if site_root else self._root
        self._extensionless = extensionless
        self._overlay = {_absolute(path): text for path, text in (overlay or {}).items()}
        self._by_path = {_absolute(Path(one.source)): one for one in self._documents}
        self._read: OrderedDict[Path, Specification | None] = OrderedDict()
        self._names: OrderedDict[Path, frozenset[str]] = OrderedDict()
        self._answers: dict[tuple[Path, str], Target] = {}
        self._offered = 0
        self._insides: dict[Path, bool] = {}
        strangers = [path.parent for path in self._by_path if not self._inside(path.parent)]
        self._other_root = Path(os.path.realpath(os.path.commonpath(strangers))) if strangers else None

    @property
    def documents(self) -> Sequence[Specification]:
        """All documents that are checked together, in order."""
        return self._documents

    def look(self, source: str, path: str) -> Target:
        """Resolve the path of a link; a query is dropped, percent signs are decoded."""
        folder = _absolute(Path(source)).parent
        key = folder, path
        if key not in self._answers:
            self._answers[key] = self._look(folder, path)
        return self._answers[key]

    def _look(self, folder: Path, path: str) -> Target:
        plain = unquote(path.partition("?")[0])
        if not plain:
            return Target("outside")
        if "\0" in plain or len(plain) > 4096:  # noqa: PLR2004 - the longest path that Linux has
            return Target("missing")
        root = self._root if self._inside(folder) else self._other_root
        if plain.startswith("/"):
            root, start = self._site_root, self._site_root
        else:
            start = folder
        if root is None:
            return Target("outside")
        wanted = Path(os.path.normpath(start / plain.lstrip("/")))
        if not _below(_real(wanted), root):
            return Target("outside", wanted)
        return self._found(wanted, root, plain)

    def _inside(self, folder: Path) -> bool:
        if folder not in self._insides:
            self._insides[folder] = _below(_real(folder), self._root)
        return self._insides[folder]

    def _found(self, wanted: Path, root: Path, plain: str) -> Target:
        if self._exists(wanted, root):
            if wanted.is_dir():
                page = self._page(wanted, root) if self._extensionless else None
                return Target("document", page, partial(self._document, page)) if page else self._folder(wanted)
            if plain.endswith("/"):
                return Target("missing", wanted)
            if wanted.suffix.lower() in MARKDOWN:
                return Target("document", wanted, partial(self._document, wanted))
            return Target("file", wanted)
        page = self._page(wanted, root)
        if page is not None:
            return Target("document" if self._extensionless else "page", page, partial(self._document, page))
        return Target("missing", wanted, near=self._near(wanted))

    def _folder(self, folder: Path) -> Target:
        names = self._names_in(folder)
        page = next((folder / name for name in _PAGES if name in names), None)
        return Target("folder", folder, partial(self._document, page) if page else Target("folder").read)

    def _page(self, wanted: Path, root: Path) -> Path | None:
        """Return the Markdown file that a site generator makes this page of: ``guide``, ``guide/``, ``guide.html``."""
        name = wanted.name.removesuffix(".html")
        for suffix in (".md", ".mdx", ".markdown") if name else ():
            page = wanted.with_name(name + suffix)
            if self._exists(page, root):
                return page
        return None

    def _exists(self, path: Path, root: Path) -> bool:
        """Tell whether a path exists, with the capitals that it is written with."""
        if path in self._overlay or path in self._by_path:
            return True
        if path.name not in self._names_in(path.parent):
            return False
        current = path.parent
        while current not in (root, current.parent):
            if current.name not in self._names_in(current.parent):
                return False
            current = current.parent
        # A link in the file system may still lead nowhere.
        return path.exists()

    def _names_in(self, folder: Path) -> frozenset[str]:
        known = self._names.get(folder)
        if known is None:
            known = _names_in(folder)
            while len(self._names) >= _MOST_FOLDERS:
                self._names.popitem(last=False)
            self._names[folder] = known
        return known

    def _near(self, wanted: Path) -> tuple[str, ...]:
        """Return names in the same folder that may have been meant, those that differ in capitals only first."""
        self._offered += 1
        if self._offered > _MOST_OFFERED:
            return ()
        names = self._names_in(wanted.parent)
        same = sorted(name for name in names if name.casefold() == wanted.name.casefold())
        if same:
            return tuple(same[:_MOST_NEAR])
        return tuple(get_close_matches(wanted.name, sorted(names)[:2000], n=_MOST_NEAR, cutoff=0.7))

    def _document(self, path: Path) -> Specification | None:
        known = self._by_path.get(path)
        if known is not None:
            return known
        if path not in self._read:
            while len(self._read) >= _MOST_DOCUMENTS:
                self._read.popitem(last=False)
            self._read[path] = self._parse(path)
        return self._read[path]

    def _parse(self, path: Path) -> Specification | None:
        text = self._overlay.get(path)
        if text is not None:
            return parse(text, str(path))
        if path.suffix.lower() not in MARKDOWN:
            return None
        try:
            return load(path) if path.stat().st_size <= _LARGEST else None
        except (SpecificationError, OSError):
            # That it cannot be read is for those to hear who check it.
            return None


def file_library(
    documents: Sequence[Specification], settings: Settings, overlay: Mapping[Path, str] | None = None
) -> FileLibrary:
    """Return the library for documents, as the settings have it."""
    return FileLibrary(
        documents,
        root=settings.root,
        site_root=settings.site_root,
        extensionless=settings.extensionless,
        overlay=overlay,
    )


def _names_in(folder: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(str(folder)))  # noqa: PTH208 - names alone, of folders with many files
    except OSError:
        return frozenset()


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _real(path: Path) -> Path:
    """Return a path without its symbolic links; a loop of them stays as it is."""
    return Path(os.path.realpath(path))


def _below(path: Path, root: Path) -> bool:
    return path == root or path.is_relative_to(root)
