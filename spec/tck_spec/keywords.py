"""The key words of RFC 2119 and RFC 8174: how strongly a sentence requires, only when in capitals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ANY_KEYWORD", "KeyWord", "Strength", "find_keywords", "keywords_in", "strength", "strongest"]

Strength = Literal["must", "should", "may"]

_KEYWORD: Final = re.compile(
    r"(?<![\w-])(?:MUST(?:\s+NOT)?|SHALL(?:\s+NOT)?|SHOULD(?:\s+NOT)?|(?:(?:NOT|not)\s+)?REQUIRED"
    r"|(?:(?:NOT|not)\s+)?RECOMMENDED|MAY|OPTIONAL)(?![\w-])",
)
#: Lower case counts where an author says so. Words that plain English cannot do without (may, required) do not.
_LOWER: Final = re.compile(r"(?<![\w-])(?:must|shall|should)(?:\s+not)?(?![\w-])", re.IGNORECASE)

#: What every text with a key word has in it: a first look that costs little.
ANY_KEYWORD: Final = re.compile(r"MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED|MAY|OPTIONAL")

#: Words of one strength; RFC 2119 defines them as synonyms. What is NOT REQUIRED is left to the implementer.
_STRENGTH: Final[dict[str, Strength]] = {
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
    "NOT REQUIRED": "may",
}
_ORDER: Final = ("must", "should", "may")

_QUOTES: Final = "\"'`“”\u2018\u2019«»"
#: "described with a MUST", "items marked MUST".
_ARTICLE: Final = re.compile(
    r"(?<!\w)(?:a|an|the|each|every|any|marked|labell?ed|(?:key)?words?|terms?)\s{1,3}\Z", re.IGNORECASE
)
#: "the definition of OPTIONAL".
_MEANING: Final = re.compile(r"(?<!\w)(?:definition|meaning|sense)s?\s{1,3}of\s{1,3}\Z", re.IGNORECASE)
_FARTHEST: Final = 20
_VERBS: Final = frozenset({"MUST", "MUST NOT", "SHALL", "SHALL NOT", "SHOULD", "SHOULD NOT", "MAY"})


@dataclass(frozen=True, slots=True)
class KeyWord:
    """One key word in a text: ``MUST NOT`` is one, however it is spaced."""

    word: str
    start: int
    end: int

    @property
    def strength(self) -> Strength:
        """How strongly it requires."""
        return _STRENGTH[self.word]


def find_keywords(text: str) -> tuple[str, ...]:
    """Return the key words of a text in order; ``MUST NOT`` is one."""
    return tuple(_normal(match.group()) for match in _KEYWORD.finditer(text))


def _normal(found: str) -> str:
    return " ".join(found.upper().split())


def keywords_in(text: str, *, lower_case: bool = False) -> Iterator[KeyWord]:
    """Yield the key words that a text uses; one in quotation marks or after an article is only talked about.

    With `lower_case` also must, shall and should however they are written.
    """
    found = list(_KEYWORD.finditer(text))
    if lower_case:
        taken = {match.start() for match in found}
        found += [match for match in _LOWER.finditer(text) if match.start() not in taken]
        found.sort(key=lambda match: match.start())
    for match in found:
        start, end = match.span()
        if start and text[start - 1] in _QUOTES and text[end : end + 1] and text[end] in _QUOTES:
            continue
        word = _normal(match.group())
        before = max(0, start - _FARTHEST)
        if _MEANING.search(text, before, start) or (word in _VERBS and _ARTICLE.search(text, before, start)):
            continue
        yield KeyWord(word, start, end)


def strength(level: str) -> Strength:
    """Return ``must``, ``should`` or ``may`` for a key word; a requirement without one counts as ``must``."""
    return _STRENGTH.get(level, "must")


def strongest(keywords: Sequence[str]) -> str:
    """Return the key word that requires most, the first of several; empty where there is none."""
    return min(keywords, key=lambda word: _ORDER.index(strength(word)), default="")
