"""Foreign documents: whether "§4.2" means this document or one that the sentence has just named.

A checker that reports "RFC 9421 §2.3" as a missing section is not trusted a second time, so a reference counts as one
into this document only where nothing near it names another: a numbered standard or an outside link in the same clause,
a name directly before it ("WBA §4.2"), "of the … specification" after it, or an earlier reference that was foreign.
Names that the document's own headings use are its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tck_spec.markdown import Inline, Link, Span

__all__ = ["Neighbourhood", "is_outside", "names_a_document", "vocabulary"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOCUMENT: Final = re.compile(
    r"\b(?:RFCs?[\s-]?\d{2,5}|BCP[\s-]?\d+|STD[\s-]?\d+|ISO(?:/IEC)?[\s-]?\d+|IEC[\s-]?\d+|IEEE\s?(?:Std\s?)?\d+|"
    r"ECMA-?\d+|FIPS[\s-]?(?:PUB\s?)?\d+|SP\s?800-\d+|UAX\s?#?\d+|UTS\s?#?\d+|ITU-T\s[A-Z]\.\d+|X\.\d{3}|"
    r"[a-z]{3,30}-\d{2}\b|draft-[a-z0-9-]{3,80})|https?://",
)
_CLAUSE_END: Final = re.compile(r"[.!?;](?=[\s)\]\"'”\u2019]|$)")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|al|pp?|no|figs?|ch|resp|secs?|sect|approx|art)|\b[A-Z])$", re.IGNORECASE
)
_WORD_BEFORE: Final = re.compile(
    r"(?P<word>[A-Za-z0-9][\w.+/#-]{0,60}?)(?:['\u2019]s?)?"
    r"(?P<noun>\s(?:spec|specification|standard|draft|charter|protocol|core|document|paper))?\s*\(?\s*$",
)
#: Nouns that no document uses of itself without "this": what stands before them names another one.
_OTHERS_NOUN: Final = re.compile(
    r"\s(?:draft|standard|charter|paper|license|licence|recommendation)\s*\(?\s*$", re.IGNORECASE
)
#: A name of several words with a version: "Kettle Sharing Licence 1.0".
_NAME_AND_VERSION: Final = re.compile(
    r"(?P<name>(?:[A-Z][\w.+/#-]{0,40}\s{1,3}){2,6})(?:[Vv]ersion\s{1,3}|v)?\d{1,4}(?:\.\d{1,4}){0,3}\s*[,(]?\s*$"
)
#: A file, as it is written in code: ``kettle.md``.
_FILE: Final = re.compile(
    r"[\w./@+-]{0,200}[\w@+-]\.(?:md|mdx|markdown|txt|html?|adoc|rst|tex|pdf|json|ya?ml|proto|xsd)\b"
)
_CITATION_BEFORE: Final = re.compile(
    r"(?:\[[A-Za-z0-9][\w .+/:-]{0,60}\]|(?<![\w-])[A-Z][A-Za-z]{1,20}-\d{1,3}(?:\.\d{1,3}){1,3}),?\s*$"
)
_OF: Final = re.compile(r"[\s,(]{0,3}(?:(?:of|in|from)\s{1,3}(?:the\s{1,3})?(?:file\s{1,3})?)?")
_AFTER: Final = re.compile(r"\s*(?:\([^()]{0,80}\)\s*)?,?\s*(?:of|in|from)\s+(?P<document>[^.;:]{1,80})")
_OWN_AFTER: Final = re.compile(r"(?:this|these|our|the\s+present)\b", re.IGNORECASE)
_OTHER_AFTER: Final = re.compile(r"(?:that|its|their)\s", re.IGNORECASE)
_NAMED_AFTER: Final = re.compile(
    r"(?:the\s+)?(?P<words>(?:[\w.+/'\u2019-]{1,40}\s+){1,4}?)(?:spec|specification|standard|draft|charter|rfc|recommendation)\b",
    re.IGNORECASE,
)
_NOT_NAMES: Final = _words(
    "must not shall should may required recommended optional and or see in per under the of note todo tbd with from "
    "by to also both either this that these those as at on if when where is are was were be cf compare refer read "
    "follow full complete current normative main whole same section sections table figure step item version"
)
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)*")
_CONJUNCTION: Final = re.compile(r"\b(?:and|or|but|see|also)\s*$")
#: An outside link farther away than this says nothing about a number.
_NEAR: Final = 60
#: Nor does a named standard farther away than this.
_FARTHEST: Final = 400


def names_a_document(text: str) -> bool:
    """Tell whether a text names a numbered standard or a web address."""
    return _DOCUMENT.search(text) is not None


def is_outside(target: str) -> bool:
    """Tell whether a link's target lies in another document."""
    return bool(target) and not target.startswith("#")


def vocabulary(headings: Iterable[str]) -> frozenset[str]:
    """Return the words of a document's own headings, folded."""
    return frozenset(
        word.strip(".,:()'\u2019").casefold() for heading in headings for word in re.split(r"[\s/()]+", heading)
    )


@dataclass(slots=True)
class Neighbourhood:
    """What is around the references of one piece of prose; made once, asked for each of them."""

    text: str
    inline: Inline
    own_words: frozenset[str]
    #: What stands before this text and belongs to it: the cell to its left.
    before: str = ""
    #: The first parts of the numbers that the document's own headings have.
    chapters: frozenset[str] = frozenset()
    _links: list[Link] = field(init=False)
    _link_starts: list[int] = field(init=False)
    _code_starts: list[int] = field(init=False)
    _clause_ends: list[int] = field(init=False)
    _sentence_ends: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Sort what is looked up by offset."""
        self._links = sorted((link for link in self.inline.links if not link.image), key=lambda link: link.label.start)
        self._link_starts = [link.label.start for link in self._links]
        self._code_starts = [span.start for span in self.inline.code]
        ends = [
            match
            for match in _CLAUSE_END.finditer(self.text)
            if not _ABBREVIATION.search(self.text, max(0, match.start() - 8), match.start())
        ]
        self._clause_ends = [0, *(match.end() for match in ends)]
        self._sentence_ends = [0, *(match.end() for match in ends if match.group() != ";")]

    def link_around(self, offset: int) -> Link | None:
        """Return the link whose label an offset is in."""
        index = bisect_right(self._link_starts, offset) - 1
        if index >= 0 and offset < self._links[index].label.end:
            return self._links[index]
        return None

    def document_at(self, start: int, end: int, number: str = "") -> str:
        """Return how the other document is named for a reference at these offsets, or an empty text."""
        clause = self.clause_start(start)
        return (
            self._named_in_clause(clause, start)
            or self._linked_in_clause(clause, start)
            or self._named_directly_before(clause, start, number)
            or self._named_by_file(start, end)
            or self._named_after(end)
            or self._named_in_cells(start)
        )

    def clause_start(self, offset: int) -> int:
        """Return where the clause around an offset starts."""
        return self._clause_ends[bisect_right(self._clause_ends, offset) - 1]

    def sentence_start(self, offset: int) -> int:
        """Return where the sentence around an offset starts."""
        return self._sentence_ends[bisect_right(self._sentence_ends, offset) - 1]

    def _named_in_clause(self, clause: int, start: int) -> str:
        match = _DOCUMENT.search(self.text, max(clause, start - _FARTHEST), start)
        return match.group() if match else ""

    def _linked_in_clause(self, clause: int, start: int) -> str:
        index = bisect_right(self._link_starts, start) - 1
        if index < 0:
            return ""
        link = self._links[index]
        near = clause <= link.label.end <= start <= link.label.end + _NEAR
        if near and is_outside(link.target) and not _CONJUNCTION.search(self.text, link.label.end, start):
            return link.target
        return ""

    def _named_directly_before(self, clause: int, start: int, number: str) -> str:
        text = self.text[max(clause, start - _NEAR - 20) : start]
        citation = _CITATION_BEFORE.search(text)
        if citation:
            return citation.group().strip(" ,")
        named = _NAME_AND_VERSION.search(text)
        if named and any(self._is_name(word, first=False) for word in named["name"].split()[1:]):
            return named.group().strip(" ,(")
        match = _WORD_BEFORE.search(text)
        return self._name_in(text, match, number) if match else ""

    def _name_in(self, text: str, match: re.Match[str], number: str) -> str:
        word, noun = match["word"], match["noun"] or ""
        if _OTHERS_NOUN.search(noun) and word.casefold() not in _NOT_NAMES:
            return f"{word}{noun}"
        first = not noun and not text[: match.start()].strip(" \n\t(\"'“\u2018*")
        if _VERSION.fullmatch(word):
            earlier = _WORD_BEFORE.search(text[: match.start()])
            word, first = (earlier["word"], False) if earlier else ("", False)
        elif text.endswith("(") and word[1:].islower() and number.partition(".")[0] in self.chapters:
            # "the Client (§4.2)" is a term of this document rather than another document.
            word = ""
        return word if self._is_name(word, first=first) else ""

    def _is_name(self, word: str, *, first: bool) -> bool:
        folded = word.casefold()
        if folded in self.own_words or folded in _NOT_NAMES:
            return False
        if word[:1].islower() or not any(char.isalpha() for char in word):
            return False
        capitals = sum(char.isupper() for char in word)
        return capitals > 1 or (not first and len(word) > 1)

    def _named_by_file(self, start: int, end: int) -> str:
        """Return the name of a file in code: right before, or after "of"."""
        plain = self.inline.plain
        for span in self._code_near(start, end):
            file = _FILE.fullmatch(plain[span.start : span.end])
            between = plain[span.end : start] if span.end <= start else plain[end : span.start]
            if file and _OF.fullmatch(between):
                return file.group()
        return ""

    def _code_near(self, start: int, end: int) -> list[Span]:
        code = self.inline.code
        index = bisect_right(self._code_starts, start)
        return [
            code[place] for place in (index - 1, index) if 0 <= place < len(code) and code[place].start - end < _NEAR
        ]

    def _named_after(self, end: int) -> str:
        match = _AFTER.match(self.text, end)
        if not match or _OWN_AFTER.match(match["document"]):
            return ""
        document = match["document"]
        if _OTHER_AFTER.match(document):
            return document.split()[0]
        found = _DOCUMENT.search(document)
        if found:
            return found.group()
        begin = match.start("document")
        link = self.link_around(begin) or self.link_around(begin + len("the "))
        if link and is_outside(link.target):
            return link.target
        return self._named_before_noun(document)

    def _named_before_noun(self, document: str) -> str:
        match = _NAMED_AFTER.match(document)
        words = match["words"].split() if match else document.removeprefix("the ").split()[:1]
        for word in words:
            bare = word.strip("'\u2019,()")
            if match and bare.casefold() not in self.own_words | _NOT_NAMES:
                return " ".join(words)
            if not match and self._is_name(bare, first=True):
                return bare
        return ""

    def _named_in_cells(self, start: int) -> str:
        if self.text[:start].strip(" (") or not self.before:
            return ""
        match = _DOCUMENT.match(self.before.strip("[ "))
        return match.group() if match else ""
