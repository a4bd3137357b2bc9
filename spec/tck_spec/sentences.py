"""Sentences: where one ends and the next begins in a specification, whose full stops mostly mean something else.

A stop ends a sentence only where white space and a beginning follow, where no abbreviation or initial stands before
it, and where no parenthesis, quotation, link label or piece of code is open around it. When in doubt there is no end:
two sentences read as one are still all there, but half a sentence says something else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tck_spec.markdown import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["split_sentences"]

_STOP: Final = re.compile(
    r"(?<![.!?])(?P<stop>[.!?]++)(?P<close>[\"'”\u2019»)\]*_]*+)(?P<note>(?:\[\^?[\w-]{1,20}\]){0,5})(?=\s|\Z)"
    r"|(?P<wide>[。\uff01\uff1f]+[」』\uff09”]*)"
)
_NEXT: Final = re.compile(r"\s+(?P<open>[\"'“\u2018«(\[*_<{§$@#]*)(?P<word>[^\s]*)")
_KEYWORD: Final = re.compile(r"(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL|NOT)\b")
_TOKEN: Final = re.compile(r"[^\s()\[\]\"“”]{1,40}\Z")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: After these a sentence goes on, whatever follows.
_NEVER_LAST: Final = _words(
    "e.g i.e eg ie cf vs viz resp incl excl approx ca al dr mr mrs ms prof st p pp vol ed eds e.g. i.e. w.r.t a.k.a "
    "aka cp bzw z.b d.h usw sog"
)
#: After these it goes on where a number follows.
_BEFORE_NUMBER: Final = _words(
    "no nos nr fig figs sec secs sect eq eqs ref refs ch chap art para rev ver v tab min max version item par col app"
)
#: After these it may end, but not before a key word: "Acme Inc. MUST".
_MAY_BE_LAST: Final = _words("etc inc ltd co corp jr sr u.s u.k a.m p.m llc dept est")
#: "Appendix A." ends a sentence, "S. Bradner" does not.
_LETTERED: Final = _words(
    "appendix annex section table figure step option type class phase part group level case tier profile plan mode "
    "clause chapter item node host server client peer party endpoint"
)
_MOST_TOKEN: Final = 40
#: A quotation longer than this is none; its marks do not pair up.
_LONGEST_QUOTATION: Final = 400


@dataclass(slots=True)
class _Nesting:
    """The parentheses, brackets and quotations that are open at a place; those that never close do not count."""

    text: str
    pairs: dict[int, int] = field(default_factory=dict[int, int])
    marks: list[int] = field(default_factory=list[int])
    open: list[int] = field(default_factory=list[int])
    seen: int = 0

    def __post_init__(self) -> None:
        waiting: list[tuple[str, int]] = []
        quote = -1
        for match in re.finditer(r"[()\[\]“”\"]", self.text):
            char, place = match.group(), match.start()
            if char == '"':
                before = self.text[place - 1 : place]
                opening = not (before.isalnum() or (before and before in ".,!?%)]"))
                if quote >= 0 and place - quote <= _LONGEST_QUOTATION:
                    self.pairs[quote] = place
                    quote = -1
                elif opening:
                    quote = place
            elif char in "([“":
                waiting.append((char, place))
            elif waiting and waiting[-1][0] + char in ("()", "[]", "“”"):
                self.pairs[waiting.pop()[1]] = place
        self.marks = sorted(self.pairs)

    def holds(self, place: int, since: int) -> bool:
        """Tell whether something that was opened after `since` is open at a place; places have to ascend."""
        while self.seen < len(self.marks) and self.marks[self.seen] < place:
            self.open.append(self.marks[self.seen])
            self.seen += 1
        while self.open and self.pairs[self.open[-1]] < place:
            self.open.pop()
        return bool(self.open) and self.open[-1] > since


def split_sentences(masked: str, whole: Iterable[Span] = (), breaks: Sequence[int] = ()) -> Iterator[Span]:
    """Yield the sentences of a text in which code is masked, without the white space between them.

    Nothing ends inside the spans of `whole`; at each of the `breaks` a sentence ends in any case.
    """
    labels = sorted((span.start, span.end) for span in whole)
    begin = 0
    for end in (*sorted(set(breaks)), len(masked)):
        if end > begin:
            yield from _split(masked, begin, end, labels)
        begin = max(begin, end)


def _split(text: str, begin: int, end: int, labels: list[tuple[int, int]]) -> Iterator[Span]:
    part = text[begin:end]
    nesting = _Nesting(part)
    first = _skip(part, 0)
    for match in _STOP.finditer(part):
        stop = match.start()
        inside = bisect_right(labels, (begin + stop, len(text))) - 1
        if inside >= 0 and begin + stop < labels[inside][1] - 1:
            continue
        last = match.end() - len(match["note"] or "")
        closed = part[match.end("stop") : last] if match["stop"] else ""
        if nesting.holds(last if closed else stop, first) or not _ends(part, match, first):
            continue
        if match.end() > first:
            yield Span(begin + first, begin + match.end())
        first = _skip(part, match.end())
    stop = len(part.rstrip())
    if stop > first:
        yield Span(begin + first, begin + stop)


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _ends(text: str, match: re.Match[str], first: int) -> bool:
    if match["wide"]:
        return True
    following = _NEXT.match(text, match.end())
    if following is None or not (following["word"] or following["open"]):
        return True
    word = following["word"]
    if not _begins(word, following["open"]):
        return False
    if match["close"] and _KEYWORD.match(word):
        return False
    return match["stop"] != "." or _full_stop(text, match.start(), first, word)


def _begins(word: str, opened: str) -> bool:
    """Tell whether a sentence may begin with a word: in capitals, with code, or with a name such as ``gRPC``."""
    head = word[:1]
    if not head:
        return bool(opened)
    if head.isalpha() and head.islower():
        return any(char.isupper() for char in word.rstrip(".,;:")) or "\ufffc" in word or "_" in word.strip("_")
    return head not in ",;:.)]}–—-&/=+|"


def _full_stop(text: str, place: int, first: int, following: str) -> bool:
    """Tell whether one stop ends a sentence, by the word before it."""
    found = _TOKEN.search(text, max(first, place - _MOST_TOKEN), place)
    if found is None:
        return True
    token = found.group().lstrip("*_'\u2018\u201c").lower()
    if token in _MAY_BE_LAST:
        return not _KEYWORD.match(following)
    if token in _BEFORE_NUMBER:
        return not following[:1].isdigit()
    if len(token) == 1 and token.isalpha() and found.group().isupper():
        return _is_no_initial(text, first, found.start())
    return token not in _NEVER_LAST and not (token.isdigit() and found.start() == first)


def _is_no_initial(text: str, first: int, place: int) -> bool:
    before = re.search(r"[^\s]{1,40}\s+\Z", text[max(first, place - _MOST_TOKEN - 1) : place])
    if before is None:
        return False
    word = before.group().strip().strip("(,")
    return word.lower() in _LETTERED or (word[:1].islower() and word.lower() not in ("and", "by", "of"))
