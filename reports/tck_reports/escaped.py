"""JSON that can be sent to a terminal: what is not printable is escaped, which JSON lets every writer do."""

from __future__ import annotations

import json
import re
from typing import Final

__all__ = ["encode"]

#: All that `str.isprintable` might refuse; ASCII's own control characters are escaped by JSON anyway.
_DOUBTFUL: Final = re.compile(r"[^\x00-\x7e]")


def encode(value: object) -> str:
    """Return the value as JSON with a line end after it."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _DOUBTFUL.sub(_escape, text) + "\n"


def _escape(match: re.Match[str]) -> str:
    one = match.group()
    return one if one.isprintable() else json.dumps(one)[1:-1]
