"""The key words of RFC 2119 and RFC 8174: how strongly a sentence requires, only when in capitals."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["find_keywords", "strength"]

_KEYWORD: Final = re.compile(
    r"(?<![\w-])(?:MUST(?:\s+NOT)?|SHALL(?:\s+NOT)?|SHOULD(?:\s+NOT)?|REQUIRED|NOT\s+RECOMMENDED|RECOMMENDED|MAY|OPTIONAL)"
    r"(?![\w-])",
)

#: Words of one strength; RFC 2119 defines them as synonyms.
_STRENGTH: Final = {
    "MUST": "must",
    "MUST NOT": "must",
    "SHALL": "must",
    "SHALL NOT": "must",
    "REQUIRED": "must",
    "SHOULD": "should",
    "SHOULD NOT": "should",
    "RECOMMENDED": "should",
    "NOT RECOMMENDED": "should",
    "MAY": "may",
    "OPTIONAL": "may",
}


def find_keywords(text: str) -> tuple[str, ...]:
    """Return the key words of a text in order; ``MUST NOT`` is one."""
    return tuple(" ".join(match.group().split()) for match in _KEYWORD.finditer(text))


def strength(level: str) -> str:
    """Return ``must``, ``should`` or ``may`` for a key word; a requirement without one counts as ``must``."""
    return _STRENGTH.get(level, "must")
