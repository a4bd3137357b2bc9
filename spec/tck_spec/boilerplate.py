"""The sentence with which a document says what its key words mean, and whether it says so at all."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tck_spec.remembered import Latest, Remembered
from tck_spec.settings import Form

if TYPE_CHECKING:
    from tck_spec.specification import Specification

__all__ = ["counts_capitals_only", "declares_keywords", "defines_keywords", "is_boilerplate"]

#: The documents that define the key words, by their names and by the macro that kramdown-rfc has for them.
_DEFINED: Final = re.compile(r"RFC[\s-]{0,3}(?:2119|8174)|BCP[\s-]{0,3}0?14\b|\bbcp14(?:-tagged)?\b", re.IGNORECASE)
#: A document that explains the words itself: "MUST means that ...", "the word 'SHALL' indicates ...".
_EXPLAINED: Final = re.compile(
    r"(?:MUST|SHALL|SHOULD|MAY|REQUIRED|OPTIONAL)[\"'”\u2019`*_]{0,4}(?:\s+NOT[\"'”\u2019`*_]{0,4})?[,:]?\s+"
    r"(?:means?|indicates?|denotes?|signif(?:y|ies)|(?:is|are)\s+(?:to\s+be\s+)?(?:used|interpreted|understood))\b"
)
_CAPITALS_ONLY: Final = re.compile(r"\ball\s+capitals\b|RFC[\s-]{0,3}8174|\bbcp14-tagged\b", re.IGNORECASE)
_ABOUT_WORDS: Final = re.compile(
    r"\bboilerplate\b|\bkey\s?-?words?\b|\b(?:words?|terms?|verbs?|language)\b|\bto\s+be\s+interpreted\b|\bas\s+(?:described|defined|specified)"
    r"\s+(?:in|by)\b",
    re.IGNORECASE,
)
_ABOUT_THEM: Final = re.compile(
    r"\bkey\s?-?words?\b|\b(?:words?|terms?|verbs?)\b[^.]{0,200}\b(?:interpreted|understood|meaning)\b", re.IGNORECASE
)
_KEY: Final = r"(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)(?:\s+NOT)?"
_MARKS: Final = "[\"'`*_“”\u2018\u2019]{0,4}"
#: Key words one after another, as only a list of them has: "MUST, SHOULD and MAY".
_LISTED: Final = re.compile(
    rf"{_KEY}{_MARKS}\s{{0,3}}(?:,|/|\band\b|\bor\b)\s{{0,3}}(?:(?:and|or)\s{{1,3}})?{_MARKS}(?:NOT\s+)?{_KEY}"
)


#: What every such sentence has in it: a first look that costs little.
_HINT: Final = re.compile(r"RFC|BCP|bcp|rfc|word|term|verb|mean|indicat|denot|signif|used|interpreted|understood")


#: And what every document that defines them has in it.
_NAMES: Final = ("2119", "8174", "BCP", "bcp")
_WORDS: Final = ("MUST", "SHALL", "SHOULD", "MAY", "REQUIRED", "OPTIONAL")
#: One of these stands in what says that key words count in capitals only.
_OF_CAPITALS: Final = ("8174", "apital", "APITAL", "bcp14", "BCP14", "Bcp14")


@lru_cache(8192)
def is_boilerplate(sentence: str) -> bool:
    """Tell whether a sentence is about the key words and so requires nothing itself."""
    if not _HINT.search(sentence):
        return False
    if _DEFINED.search(sentence) and _ABOUT_WORDS.search(sentence):
        return True
    if _ABOUT_THEM.search(sentence) and _LISTED.search(sentence):
        return True
    return _EXPLAINED.search(sentence) is not None


def defines_keywords(spec: Specification) -> bool:
    """Tell whether a document says what its key words mean, by naming RFC 2119 or in its own words."""
    return _defines(spec, _ANY_FORM)


def _find_definition(spec: Specification, _form: Form) -> bool:
    text = spec.text
    if any(name in text for name in _NAMES) and _DEFINED.search(text) is not None:
        return True
    return any(word in text for word in _WORDS) and _EXPLAINED.search(text) is not None


_ANY_FORM: Final = Form()
_defines: Final = Remembered(_find_definition)


def declares_keywords(text: str) -> bool:
    """Tell whether a paragraph says that the key words are used as RFC 2119 or BCP 14 defines them."""
    if not any(hint in text for hint in _NAMES):
        return False
    return _DEFINED.search(text) is not None and _ABOUT_WORDS.search(text) is not None


#: Whether a document says, as RFC 8174 does, that its key words count in capitals only.
counts_capitals_only: Final = Latest(
    lambda spec: any(hint in spec.text for hint in _OF_CAPITALS) and _CAPITALS_ONLY.search(spec.text) is not None
)
