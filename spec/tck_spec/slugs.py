"""Heading slugs: the anchors that GitHub gives to headings.

The rule is github-slugger's: lower-case, keep letters, marks, decimal digits, letter numbers, connector punctuation,
the alphabetic symbols, hyphen and space, drop every other character, turn each space into one hyphen. Nothing is
squeezed or trimmed afterwards, so ``a — b`` becomes ``a--b``. Regular expressions cannot say this: their word
characters lose combining marks and keep superscripts.
"""

from __future__ import annotations

from typing import Final
from unicodedata import category

__all__ = ["Slugger", "slug"]

_KEPT: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})

#: Symbols (category So) that Unicode counts as alphabetic: circled, squared and negative letters.
_ALPHABETIC_SYMBOLS: Final = (
    range(0x24B6, 0x24EA),
    range(0x1F130, 0x1F14A),
    range(0x1F150, 0x1F16A),
    range(0x1F170, 0x1F18A),
)


def _kept(char: str) -> bool:
    if char in "- ":
        return True
    kind = category(char)
    return kind in _KEPT or (kind == "So" and any(ord(char) in block for block in _ALPHABETIC_SYMBOLS))


#: What becomes of the characters of most headings.
_ASCII: Final = {**{code: None for code in range(128) if not _kept(chr(code))}, ord(" "): "-"}


def slug(text: str) -> str:
    """Return the slug of a heading's text content, before duplicates are told apart."""
    text = text.strip().lower()
    if text.isascii():
        return text.translate(_ASCII)
    return "".join(filter(_kept, text)).replace(" ", "-")


class Slugger:
    """The slugs of one document: hands out each at most once, numbering the duplicates."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        """Return the next free slug for a heading's text content."""
        base = slug(text)
        chosen = base
        while chosen in self._used:
            self._used[base] += 1
            chosen = f"{base}-{self._used[base]}"
        self._used[chosen] = 0
        return chosen
