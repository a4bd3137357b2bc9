"""The desk: the texts that the client has open, as it has them, and the folders it works in.

A desk never changes; every message of the client makes a new one. So the thread that checks sees one state of all texts
for as long as it works, whatever is typed meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from tck_kit.authors.language_server.positions import Encoding, Text, apply
from tck_spec.settings import SETTINGS_FILE

__all__ = ["Desk", "Kind", "Open", "key_of", "kind_of", "path_of"]

Kind = Literal["markdown", "feature", "settings", "other"]

_KINDS: Final[Mapping[str, Kind]] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".feature": "feature",
}
_LANGUAGES: Final[Mapping[str, Kind]] = {
    "markdown": "markdown",
    "cucumber": "feature",
    "feature": "feature",
    "gherkin": "feature",
}


@dataclass(frozen=True, slots=True)
class Open:
    """One open text."""

    #: As the client spells it, for it may spell it otherwise than we would.
    uri: str
    kind: Kind
    text: Text
    version: int | None


@dataclass(frozen=True, slots=True)
class Desk:
    """All open texts by their keys, and the folders of the workspace."""

    open: Mapping[str, Open] = field(default_factory=dict[str, Open])
    folders: tuple[Path, ...] = ()
    encoding: Encoding = "utf-16"

    def opened(self, document: types.TextDocumentItem) -> Desk:
        """Return the desk with a text more."""
        key = key_of(document.uri)
        text = Text(document.text, self.encoding)
        kind = kind_of(key, document.language_id)
        return replace(self, open={**self.open, key: Open(document.uri, kind, text, document.version)})

    def changed(
        self,
        document: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
    ) -> Desk:
        """Return the desk with a text as it is after a change; one that is not open stays so."""
        key = key_of(document.uri)
        one = self.open.get(key)
        if one is None:
            return self
        changed = replace(one, text=apply(one.text, changes), version=document.version)
        return replace(self, open={**self.open, key: changed})

    def closed(self, uri: str) -> Desk:
        """Return the desk without a text."""
        key = key_of(uri)
        return replace(self, open={name: one for name, one in self.open.items() if name != key})

    def uri_of(self, key: str) -> str:
        """Return the URI of a key, in the client's spelling where it has told one."""
        one = self.open.get(key)
        if one is not None:
            return one.uri
        path = path_of(key)
        return path.as_uri() if path else key

    def folder_of(self, key: str) -> Path | None:
        """Return the innermost folder of the workspace that a file is in."""
        path = path_of(key)
        around = [one for one in self.folders if path and path.is_relative_to(one)]
        return max(around, key=lambda one: len(one.parts), default=None)


def key_of(uri: str) -> str:
    """Return what a text is known by: its absolute path, or its URI where that names no file here."""
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path, errors="surrogateescape")
    except ValueError:
        return uri
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path or not path.startswith("/"):
        return uri
    return os.path.normpath(path)


def path_of(key: str) -> Path | None:
    """Return the file that a key names; None for a text that is in no file."""
    return Path(key) if key.startswith("/") else None


def kind_of(key: str, language: str = "") -> Kind:
    """Return what a text is, by its name or else by what the client calls its language."""
    name = key.rpartition("/")[2]
    if name == SETTINGS_FILE:
        return "settings"
    return _KINDS.get(f".{name.rpartition('.')[2]}".lower()) or _LANGUAGES.get(language.lower(), "other")
