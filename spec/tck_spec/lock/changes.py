"""Changes: what has become of every requirement between two states of a specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tck_spec.keywords import strength

if TYPE_CHECKING:
    from tck_spec.lock.atoms import Atom

__all__ = ["KINDS", "OPEN", "Change", "Kind", "kind_of", "weighs"]

Kind = Literal[
    "unchanged",
    "moved",
    "renumbered",
    "editorial",
    "edited",
    "strength-changed",
    "context-changed",
    "reused",
    "ask",
    "split",
    "merged",
    "gone",
    "new",
]

#: What each kind says, the gravest first.
KINDS: Final[Mapping[Kind, str]] = {
    "reused": "the id stands with another requirement now",
    "ask": "it may be an old one, edited: somebody has to say",
    "strength-changed": "its key word or a negation is another",
    "gone": "it is no longer there",
    "split": "it has become several",
    "merged": "it has become a part of another one",
    "edited": "its words are others",
    "context-changed": "what leads it in, or the heading of its column, is another",
    "new": "it was not there before",
    "editorial": "only capitals or punctuation are others",
    "renumbered": "it has another id",
    "moved": "it stands in another section",
    "unchanged": "it is as it was",
}

#: The kinds that wait for an answer: nothing is written of them until there is one.
OPEN: Final[frozenset[Kind]] = frozenset({"reused", "ask"})
#: The kinds of which a reader need not know.
SILENT: Final[frozenset[Kind]] = frozenset({"unchanged", "moved", "renumbered"})


@dataclass(frozen=True, slots=True)
class Change:
    """What has become of one requirement."""

    kind: Kind
    #: The id that lives on, of one that is gone or was split the retired one. Of a question the id that it would get.
    id: str
    #: The texts as readers know them; empty where there is none.
    old: str = ""
    new: str = ""
    #: How much of the words is the same.
    ratio: float = 1.0
    #: Number and title of the sections.
    old_section: str = ""
    new_section: str = ""
    #: Whether it stands in another section than before; one that was renamed is none.
    moved: bool = False
    #: Other ids that it is about: what it was split into or merged from, what it may be, what it was called.
    others: tuple[str, ...] = ()
    #: In a few words, what is different.
    why: str = ""
    #: What led it in, headed its column or was its subject, where that is what has changed.
    old_context: str = ""
    new_context: str = ""
    #: Where the new text stands; 0 where there is none.
    line: int = 0
    column: int = 0


def kind_of(before: Atom, after: Atom, *, same_parser: bool) -> tuple[Kind, str]:
    """Return what has become of a requirement that lives on, and in a few words why."""
    force = _force(before, after)
    if force:
        return "strength-changed", force
    if before.same != after.same:
        return "edited", ""
    if same_parser and before.around != after.around:
        return "context-changed", _context(before, after)
    if before.strict != after.strict:
        return "editorial", ""
    return ("moved" if before.section != after.section else "unchanged"), ""


def _force(before: Atom, after: Atom) -> str:
    """Return how the strength has changed; empty where it has not."""
    one, other = before.force, after.force
    same_count = len(one.keywords) == len(other.keywords)
    differ = one.keywords != other.keywords if same_count else one.strongest != other.strongest
    levels = before.level and after.level and _level(before.level) != _level(after.level)
    if differ or levels:
        return f"{before.level or 'no key word'} became {after.level or 'no key word'}" if levels else "other key words"
    if one.negations != other.negations and before.words == after.words:
        return "a negation more" if other.negations > one.negations else "a negation less"
    return ""


def _level(level: str) -> tuple[str, bool]:
    return strength(level), "NOT" in level.split()


def _context(before: Atom, after: Atom) -> str:
    names = ("the sentence that leads it in", "the heading of its column", "what it is about")
    one = before.around or ("", "", "")
    other = after.around or ("", "", "")
    return ", ".join(name for name, a, b in zip(names, one, other, strict=False) if a != b)


def weighs(change: Change) -> bool:
    """Tell whether a change is more than a new number, place or comma."""
    return change.kind not in SILENT and change.kind != "editorial"
