"""A survey: which specifications and feature files a folder holds, looked for within bounds.

An editor may be started in a home folder; a server that reads all of it then is of no use to anybody.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["MOST_DOCUMENTS", "Survey", "survey"]

#: More documents than this are not read for the sake of one that is open.
MOST_DOCUMENTS: Final = 200
#: After so many entries the rest of a folder is not looked at, nor are more files opened to see what they are.
_MOST_ENTRIES: Final = 20_000
_MOST_OPENED: Final = 2_000
_MOST_FEATURES: Final = 5_000
_SKIPPED: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "vendor"})
#: A specification says who it is at its beginning.
_HEAD_BYTES: Final = 8 * 1024
_IDENTIFIER: Final = re.compile(rb"^[*_]{0,2}Identifier[*_]{0,2}:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Survey:
    """Files below a folder, by path, in order."""

    #: Markdown that says with a line ``Identifier: …`` that it is a specification.
    documents: tuple[str, ...] = ()
    features: tuple[str, ...] = ()


def survey(folder: Path) -> Survey:
    """Look for files; hidden folders and those that hold other people's packages are left out, links not followed."""
    markdown: list[str] = []
    features: list[str] = []
    looked_at = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _SKIPPED)
        looked_at += len(folders) + len(names)
        for name in sorted(names):
            if name.endswith((".md", ".markdown")):
                markdown.append(f"{root}{os.sep}{name}")
            elif name.endswith(".feature"):
                features.append(f"{root}{os.sep}{name}")
        if looked_at > _MOST_ENTRIES:
            break
    declared = [one for one in markdown[:_MOST_OPENED] if _declares_itself(one)]
    return Survey(tuple(declared[:MOST_DOCUMENTS]), tuple(features[:_MOST_FEATURES]))


def _declares_itself(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return _IDENTIFIER.search(file.read(_HEAD_BYTES)) is not None
    except (OSError, ValueError):
        return False
