"""Fingerprints: when two texts are the same, when they are nearly, and what else belongs to their meaning.

The strict form lets nothing count that no reader can see: how lines are broken, which quotes and dashes an editor has
put in, which number a section has today. The loose form leaves out capitals and the marks of prose as well, but keeps
what code and numbers need: ``x >= 3`` and ``x <= 3`` stay two texts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "DIGITS",
    "context_fingerprint",
    "context_of",
    "fingerprint",
    "loose",
    "named",
    "readable",
    "strict",
    "title_key",
]

#: How many hexadecimal digits a fingerprint has. It tells of a change; nothing is matched by it alone.
DIGITS: Final = 8

#: How many texts are remembered between two checks of one document.
_KEPT: Final = 16_384
_FOLDED: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "…": "...",
        # Nobody sees these: soft hyphen, zero-width space and joiners, byte-order mark.
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff"),
    }
)
#: ``--`` and ``---`` between spaces are dashes; in ``--all`` they are an option.
_DOUBLE_DASH: Final = re.compile(r"(?<= )-{2,3}(?= )")
_SECTION: Final = re.compile(r"\{§(\d{1,6})\}")
#: A section by its number, in a context, where it does not matter which.
_MENTION: Final = re.compile(
    r"(?:§§?|\b(?:sections?|sec\.|clause|chapter|appendix|annex))\s*(?:[0-9]+(?:\.[0-9]+)*|[A-Z](?:\.[0-9]+)*\b)",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"\{([^\s{}#]{1,80}#S-[0-9A-Z]{1,64})\}")
#: What prose puts around and between its words.
_MARKS: Final = re.compile(
    r"""[.,;:!?]+(?=[\s"')\]]|$)"""  # at the end of a word
    r"""|["()]"""
    r"""|(?<![\w'])'|'(?!\w)"""  # quotes, not apostrophes
    r"""|\[(?!\])|(?<!\[)\]"""  # string[] is a type
    r"""|(?<=\s)-(?=\s)|(?<=[^\W\d_])-(?=[^\W\d_])"""  # dashes, and the hyphens of words
)


def strict(text: str) -> str:
    """Return the text that `fp` is made of: code and capitals count, white space, quotes and dashes do not."""
    folded = text if text.isascii() else normalize("NFC", text)
    folded = folded.translate(_FOLDED)
    return _DOUBLE_DASH.sub("-", " ".join(folded.split()))


@lru_cache(_KEPT)
def loose(text: str) -> str:
    """Return the text that `fl` is made of: the strict form in lower case, without the punctuation of prose."""
    return " ".join(_MARKS.sub(" ", strict(text).casefold()).split())


def fingerprint(text: str) -> str:
    """Return the hexadecimal digits that stand for a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def context_of(lead_in: str, header: str, subject: str) -> tuple[str, ...]:
    """Return what gives a statement its meaning besides its own words; nothing where all three are empty.

    The section is no part of it, nor is the number of any other: a statement that moves still says the same.
    """
    parts = (strict(lead_in), strict(header), strict(subject))
    if not any(parts):
        return ()
    return tuple(_MENTION.sub("{§}", part) for part in parts)


def context_fingerprint(context: tuple[str, ...]) -> str:
    """Return the digits that stand for a context, for which the loose form counts."""
    return fingerprint("\0".join(loose(part) for part in context))


def title_key(title: str) -> str:
    """Return the form in which titles of sections are compared."""
    return loose(title)


def named(keyed: str, sections: Sequence[str]) -> str:
    """Return a text with every ``{§i}`` replaced by the i-th of the ids of sections, in braces.

    An index that names no section is text of the document and stays.
    """
    if "{§" not in keyed:
        return keyed
    return _SECTION.sub(lambda match: _braced(match, sections), keyed)


def _braced(match: re.Match[str], sections: Sequence[str]) -> str:
    index = int(match[1])
    return f"{{{sections[index]}}}" if index < len(sections) else match[0]


def readable(text: str, labels: Mapping[str, str]) -> str:
    """Return a text with the ids of sections replaced by what readers call them."""
    if "#S-" not in text:
        return text
    return _NAMED.sub(lambda match: labels.get(match[1], match[0]), text)
