"""Bindings: the sentences of a document's prose that require something.

Mostly each is a sentence with a key word. Two need a second look. "Servers MUST:" says nothing without its list, so
there each item is what is required; and where "The reply MUST have these fields:" has a list without key words, that
list is part of it, because who changes an item changes the requirement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tck_spec.boilerplate import is_boilerplate
from tck_spec.keywords import ANY_KEYWORD, KeyWord, keywords_in
from tck_spec.markdown import Span
from tck_spec.passages import collapse, is_example
from tck_spec.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tck_spec.keyed import SectionKeys
    from tck_spec.passages import Passage
    from tck_spec.settings import Form

__all__ = ["Binding", "BindingReader"]

#: A lead-in that ends like this is no sentence without the items of its list: "Servers MUST:".
_OPEN_LEAD: Final = re.compile(
    r"(?:\s+(?:do|perform|follow|take|meet|satisfy|observe|obey|fulfil|comply|adhere|to|with|all|of|each|every|the|these"
    r"|following|steps?|actions?|rules?|requirements?|conditions?|constraints?|at|least|in|order|also|then|as|follows"
    r"|below|always|therefore|be|able|support)\b,?){0,10}\s*[:\uff1a]?\W{0,3}\Z",
    re.IGNORECASE,
)
#: A text that is a key word and nothing else.
_ONLY_KEYWORD: Final = re.compile(r"\W{0,4}(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)(?:\s+NOT)?\W{0,3}\Z")
_WORD: Final = re.compile(r"[A-Za-z]{2,}")
#: A sentence with so many words, nearly all in capitals, shouts; its MUST is no key word.
_SHOUTING: Final = 8
_ENDED: Final = re.compile(r"[.,;:!?]\Z")


@dataclass(frozen=True, slots=True)
class Binding:
    """One thing that is required."""

    passage: Passage
    #: Where it stands in the passage.
    sentence: Span
    keywords: tuple[str, ...]
    #: Without Markdown, white space collapsed.
    text: str
    #: The same with ``{§i}`` for each reference to a section.
    keyed: str


@dataclass(slots=True)
class _Lead:
    """A sentence with a key word that leads a list in."""

    sentence: Span
    keywords: tuple[KeyWord, ...]
    #: Whether each of the items is a statement of its own, because the sentence says nothing without them.
    open: bool
    #: Passages of the list without a key word.
    items: list[Passage] = field(default_factory=list["Passage"])
    #: By the passage that begins an item: what else of them stands in it.
    rests: dict[int, list[Passage]] = field(default_factory=dict[int, "list[Passage]"])
    #: By passage: the one that begins its item.
    owners: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, passage: Passage) -> None:
        """Take a passage of the list, as an item or as more of one."""
        owner = next((self.owners[one.index] for one in passage.leads if one.index in self.owners), -1)
        if owner < 0 and not passage.block.leading and self.items:
            owner = self.owners[self.items[-1].index]
        if owner < 0:
            owner = passage.index
            self.rests[owner] = []
        else:
            self.rests[owner].append(passage)
        self.owners[passage.index] = owner
        self.items.append(passage)


@lru_cache(8192)
def _keywords(text: str, lower_case: bool) -> tuple[KeyWord, ...]:  # noqa: FBT001 - the key of a cache
    """Return the key words of a text; an editor asks for the same ones with every key."""
    return tuple(keywords_in(text, lower_case=lower_case))


class BindingReader:
    """Finds what the prose of one document requires."""

    def __init__(self, keys: SectionKeys, passages: Sequence[Passage], form: Form) -> None:
        self._passages = [one for one in passages if not one.heads]
        self._form = form
        self._keys = keys
        self._phrases = [Pattern(one, "requirements.phrases", ignore_case=True) for one in form.phrases]
        self._bindings: dict[int, list[tuple[Span, tuple[KeyWord, ...]]]] = {}
        self._leads: dict[int, _Lead] = {}
        self._led: dict[int, _Lead] = {}

    def bindings(self) -> Iterator[Binding]:
        """Yield what is required, in document order."""
        for passage in self._passages:
            self._look(passage)
        for passage in self._passages:
            yield from self._of(passage)

    def _look(self, passage: Passage) -> None:
        """Find the sentences of a passage that require, and what it adds to the one that leads it in."""
        binding = list(self._binding(passage))
        if binding:
            self._bindings[passage.index] = binding
            sentence, keywords = binding[-1]
            if keywords and passage.leads_on and sentence.end == passage.sentences[-1].end:
                rest = passage.masked[keywords[-1].end : sentence.end]
                self._leads[passage.index] = _Lead(sentence, keywords, _OPEN_LEAD.match(rest) is not None)
            return
        if passage.aside or passage.prose.kind == "cell":
            return
        for lead in reversed(passage.leads):
            above = self._leads.get(lead.index)
            if above is not None:
                above.add(passage)
                self._led[passage.index] = above
                return
            if lead.index in self._bindings:
                return

    def _binding(self, passage: Passage) -> Iterator[tuple[Span, tuple[KeyWord, ...]]]:
        if passage.aside and not (self._form.quotes and passage.aside in ("block quote", "note")):
            return
        source = passage.prose.source
        if not self._phrases and not self._form.lower_case and not ANY_KEYWORD.search(source):
            return
        found = _keywords(passage.masked, self._form.lower_case)
        if not found and not self._phrases:
            return
        place = 0
        for sentence in passage.sentences:
            while place < len(found) and found[place].start < sentence.start:
                place += 1
            here: list[KeyWord] = []
            while place < len(found) and found[place].start < sentence.end:
                here.append(found[place])
                place += 1
            if (here or self._has_phrase(passage, sentence)) and self._requires(passage, sentence):
                yield sentence, tuple(here)

    def _has_phrase(self, passage: Passage, sentence: Span) -> bool:
        text = passage.text(sentence)
        return any(phrase.search(text) for phrase in self._phrases)

    @staticmethod
    def _requires(passage: Passage, sentence: Span) -> bool:
        text = passage.prose.inline.plain[sentence.start : sentence.end]
        if is_boilerplate(text) or is_example(text) or _ONLY_KEYWORD.match(passage.subject):
            return False
        words = _WORD.findall(text)
        return len(words) < _SHOUTING or sum(word.isupper() for word in words) * 10 < len(words) * 7

    def _of(self, passage: Passage) -> Iterator[Binding]:
        lead = self._leads.get(passage.index)
        if passage.index in self._bindings:
            for sentence, keywords in _whole(passage, self._bindings[passage.index]):
                led = lead if lead is not None and sentence.end == lead.sentence.end else None
                if not (led and led.open and led.items):
                    yield self._statement(passage, sentence, keywords, led)
            return
        above = self._led.get(passage.index)
        if above is not None and above.open and passage.index in above.rests:
            yield self._item(passage, above)

    def _statement(
        self, passage: Passage, sentence: Span, keywords: tuple[KeyWord, ...], lead: _Lead | None
    ) -> Binding:
        text = passage.text(sentence)
        keyed = self._keys.keyed(passage, sentence.start, sentence.end)
        if lead is not None:
            text = _joined(text, [collapse(item.prose.inline.plain) for item in lead.items])
            keyed = _joined(keyed, [self._whole_keyed(item) for item in lead.items])
        elif passage.prose.kind == "cell" and _ONLY_KEYWORD.match(text):
            if len(passage.sentences) == 1:
                text = keyed = " | ".join(collapse(prose.inline.plain) for prose in passage.row)
            elif passage.subject:
                text = keyed = f"{passage.subject}: {text}"
        return Binding(passage, sentence, tuple(one.word for one in keywords), text, keyed)

    def _item(self, passage: Passage, above: _Lead) -> Binding:
        """Return the statement of an item whose lead-in has the key word: "Servers MUST:"."""
        rest = above.rests[passage.index]
        text = _joined(collapse(passage.prose.inline.plain), [collapse(one.prose.inline.plain) for one in rest])
        keyed = _joined(self._whole_keyed(passage), [self._whole_keyed(one) for one in rest])
        words = tuple(one.word for one in above.keywords)
        return Binding(passage, passage.sentences[0], words, text, keyed)

    def _whole_keyed(self, passage: Passage) -> str:
        return self._keys.keyed(passage, 0, len(passage.prose.inline.plain))


def _joined(sentence: str, items: Sequence[str]) -> str:
    """Return a sentence that ends in a colon with the items of its list."""
    ended = [item if _ENDED.search(item) else f"{item};" for item in items if item]
    return " ".join([sentence, *ended]).removesuffix(";")


def _whole(
    passage: Passage, binding: Sequence[tuple[Span, tuple[KeyWord, ...]]]
) -> Iterator[tuple[Span, tuple[KeyWord, ...]]]:
    """Give a key word that stands alone the sentence after it: "**REQUIRED**. The title of the page."."""
    binds = {sentence.start for sentence, _ in binding}
    after = {one.start: other for one, other in pairwise(passage.sentences) if other.start not in binds}
    plain = passage.prose.inline.plain
    for sentence, keywords in binding:
        following = after.get(sentence.start)
        if following is not None and _ONLY_KEYWORD.match(plain[sentence.start : sentence.end]):
            yield Span(sentence.start, following.end), keywords
        else:
            yield sentence, keywords
