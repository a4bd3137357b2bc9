"""The name of an issue's branch and session (§7.3)."""

from __future__ import annotations

import re
import unicodedata

_MARKS = re.compile("[\u0300-\u036f]")
_OTHERS = re.compile("[^a-z0-9]+")
_LONGEST = 40


def slug(title: str) -> str:
    """Derive the slug from a title, step by step (NAME-8)."""
    bare = _MARKS.sub("", unicodedata.normalize("NFD", title))
    small = "".join(chr(ord(letter) + 32) if "A" <= letter <= "Z" else letter for letter in bare)
    return _OTHERS.sub("-", small)[:_LONGEST].strip("-")


def branch_name(prefix: str, iid: int, title: str) -> str:
    """Compute the name from the prefix and the title of a moment (NAME-1)."""
    tail = slug(title)
    return f"{prefix}issue-{iid}-{tail}" if tail else f"{prefix}issue-{iid}"
