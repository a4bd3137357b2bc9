"""Atoms: statements of a document and requirements of a lock in the one form in which they are compared."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tck_spec.keywords import find_keywords, strength
from tck_spec.lock.fingerprints import context_of, fingerprint, loose, named, strict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_spec.lock.records import RequirementRecord
    from tck_spec.statements import Statement

__all__ = ["Atom", "Force", "force_of", "of_record", "of_statement"]

#: Words that turn a sentence into its opposite.
_NEGATIONS: Final = frozenset(
    {"not", "no", "never", "cannot", "neither", "nor", "without", "none", "nothing", "can't", "don't", "doesn't"}
    | {"isn't", "aren't", "won't", "mustn't", "shouldn't", "shan't"}
)
_MODALS: Final = frozenset({"must", "shall", "should", "may", "required", "recommended", "optional"})
_STRENGTH: Final = {"must": 3, "should": 2, "may": 1}
#: How many texts keep their forms between two checks of one document.
_KEPT: Final = 8192
_WORD: Final = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Force:
    """How strongly a text requires, and whether it requires or forbids."""

    #: Of each key word: 3 for MUST, 2 for SHOULD, 1 for MAY, negative where it forbids.
    keywords: tuple[int, ...]
    #: How often it says no besides.
    negations: int

    @property
    def strongest(self) -> int:
        """The key word that counts most."""
        return max(self.keywords, key=lambda one: (abs(one), one), default=0)


@dataclass(frozen=True, slots=True)
class _Forms:
    """What is computed of a text alone."""

    strict: str
    loose: str
    #: The words of the loose form without key words and negations.
    words: tuple[str, ...]
    force: Force


@dataclass(frozen=True, slots=True)
class Atom:
    """One side of a comparison."""

    #: The id in the lock; of a statement the one that the document gives it, or empty.
    id: str
    #: With the ids of sections in braces.
    text: str
    strict: str
    loose: str
    words: tuple[str, ...]
    force: Force
    level: str
    #: The id of its section.
    section: str
    context: tuple[str, ...]
    #: The loose forms of the context.
    around: tuple[str, ...]
    #: In the lock, the how-manieth of equal ones; in a document, its place.
    order: int
    #: Of a requirement, the fingerprints of the texts that somebody was asked about and has not answered for.
    asked: tuple[str, ...] = ()
    line: int = 1
    column: int = 1

    @property
    def fp(self) -> str:
        """The fingerprint of its strict form."""
        return fingerprint(self.strict)

    @property
    def same(self) -> str:
        """The text that has to be equal for a change to be editorial; key words that are synonyms are equal."""
        return " ".join("must" if word == "shall" else word for word in self.loose.split())

    @property
    def explicit(self) -> bool:
        """Whether its id is written in the document."""
        return ":" in self.id

    @property
    def compared(self) -> tuple[str, ...]:
        """The words that are compared: in a table, what the cell is about belongs to what it says."""
        subject = self.around[1:] if self.around else ()
        extra = tuple(word for part in subject for word in part.split())
        return (*extra, *self.words) if extra and self.words[: len(extra)] != extra else self.words


def of_record(record: RequirementRecord) -> Atom:
    """Return the atom of a requirement in a lock."""
    return _atom(
        record.text,
        record.context,
        identifier=record.id,
        level=record.level,
        section=record.section,
        order=record.occurrence,
        asked=record.asked,
    )


def of_statement(statement: Statement, identifier: str, sections: Sequence[str], order: int) -> Atom:
    """Return the atom of a statement; `sections` are the ids of the document's sections in its order."""
    text = strict(named(statement.keyed, sections))
    return _atom(
        text,
        context_of(statement.lead_in, statement.header, statement.subject),
        identifier=identifier,
        level=statement.level,
        section=sections[statement.section] if 0 <= statement.section < len(sections) else "",
        order=order,
        place=(statement.line, statement.column),
    )


def _atom(
    text: str,
    context: tuple[str, ...],
    *,
    identifier: str,
    level: str,
    section: str,
    order: int,
    asked: tuple[str, ...] = (),
    place: tuple[int, int] = (1, 1),
) -> Atom:
    forms = _forms(text)
    return Atom(
        id=identifier,
        text=text,
        strict=forms.strict,
        loose=forms.loose,
        words=forms.words,
        force=forms.force,
        level=level,
        section=section,
        context=context,
        around=tuple(loose(part) for part in context),
        order=order,
        asked=asked,
        line=place[0],
        column=place[1],
    )


@lru_cache(_KEPT)
def _forms(text: str) -> _Forms:
    relaxed = loose(text)
    words = relaxed.split()
    plain = tuple(word for word in words if word not in _NEGATIONS and word not in _MODALS and _WORD.search(word))
    return _Forms(strict(text), relaxed, plain or tuple(words), force_of(text, words))


def force_of(text: str, words: Sequence[str]) -> Force:
    """Return how strongly a text requires; `words` is its loose form."""
    keywords = find_keywords(text)
    strengths = tuple(_STRENGTH[strength(one)] * (-1 if "NOT" in one.split() else 1) for one in keywords)
    counts = Counter(words)
    if not strengths:
        strengths = tuple(_STRENGTH[strength(word.upper())] for word in words if word in _MODALS)
    within = sum("NOT" in one.split() for one in keywords)
    return Force(strengths, max(0, sum(counts[word] for word in _NEGATIONS) - within))
