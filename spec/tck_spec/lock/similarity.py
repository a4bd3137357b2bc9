"""Likeness: which free statements of two sides are worth comparing, and how alike they are.

Comparing each with each would take minutes for two thousand. An index by words and pairs of words gives each a handful
of candidates: the rarest of them name those that can be alike at all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tck_spec.lock.atoms import Atom

__all__ = ["LEAST", "alike", "bag", "candidates", "contained", "features", "likeness", "same_part", "telling"]

#: Whatever is less alike is not looked at further.
LEAST: Final = 0.55
#: How many of the rarest words and pairs are looked up, and how common one may be to tell anything.
_RAREST: Final = 14
_MOST_COMMON: Final = 150
#: How many candidates of a statement are compared word by word.
_CANDIDATES: Final = 12
#: How many texts keep their words counted.
_KEPT: Final = 16_384
#: Sections in which so few pairs are left are compared as a whole.
_SMALL: Final = 400
#: The words that say nothing of what a sentence is about.
_FILLERS: Final = frozenset(
    re.findall(
        r"\S+",
        "a an the of to in on at by for from with as and or if is are be been was were it its this that these those any"
        " all when which who whose than then there their they them other such each every only also so can will would"
        " has have into not no must should may shall",
    )
)


def likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return how much of two sequences of words is the same, in order: 1 for all, 0 for less than `LEAST`."""
    if one == other:
        return 1.0
    total = len(one) + len(other)
    if 2 * min(len(one), len(other)) < LEAST * total or 2 * (bag(one) & bag(other)).total() < LEAST * total:
        return 0.0
    return same_part(one, other)


def same_part(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how much of two sequences of words is the same, in order, however little it is."""
    total = len(one) + len(other)
    return 2 * _common(one, other) / total if total else 1.0


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence: a bit for each word of one side, all of them at a time."""
    where: dict[str, int] = defaultdict(int)
    for place, word in enumerate(one):
        where[word] |= 1 << place
    every = unmatched = (1 << len(one)) - 1
    for word in other:
        matching = unmatched & where.get(word, 0)
        unmatched = ((unmatched + matching) | (unmatched - matching)) & every
    return len(one) - unmatched.bit_count()


@lru_cache(_KEPT)
def bag(words: tuple[str, ...]) -> Counter[str]:
    """Return how often each word stands in a text; not to be changed."""
    return Counter(words)


@lru_cache(_KEPT)
def telling(words: tuple[str, ...]) -> Counter[str]:
    """Return the words that say what a sentence is about; not to be changed."""
    return Counter(word for word in words if word not in _FILLERS)


def contained(part: Counter[str], whole: Counter[str]) -> float:
    """Return how much of what a text is about stands in another one."""
    total = part.total()
    return (part & whole).total() / total if total else 0.0


def alike(olds: Mapping[int, Atom], news: Mapping[int, Atom]) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of indexes that are alike, with how much."""
    if not olds or not news:
        return
    old_words = {index: atom.compared for index, atom in olds.items()}
    holders: dict[str, list[int]] = defaultdict(list)
    for index, words in old_words.items():
        for feature in features(words):
            holders[feature].append(index)
    by_section: dict[str, list[int]] = defaultdict(list)
    for index, atom in olds.items():
        by_section[atom.section].append(index)
    in_section = Counter(atom.section for atom in news.values())
    for new, atom in news.items():
        words = atom.compared
        found = candidates(features(words), holders)
        neighbours = by_section.get(atom.section, [])
        if len(neighbours) * in_section[atom.section] <= _SMALL:
            found = [*dict.fromkeys((*found, *neighbours))]
        for old in found:
            score = likeness(old_words[old], words)
            if score >= LEAST:
                yield old, new, score


def features(words: Sequence[str]) -> list[str]:
    """Return what a statement is looked up by: its words, and its pairs of words, which are rarer."""
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return list(dict.fromkeys((*words, *pairs)))


def candidates(wanted: Sequence[str], holders: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the indexes that share most of the rarest of what is wanted."""
    known = sorted((len(holders[one]), one) for one in wanted if one in holders)
    hits: Counter[int] = Counter()
    for count, one in known[:_RAREST]:
        if count > _MOST_COMMON and hits:
            break
        hits.update(holders[one][:_MOST_COMMON])
    return [index for index, _ in hits.most_common(_CANDIDATES)]
