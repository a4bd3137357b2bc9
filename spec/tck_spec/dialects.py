"""Dialects: the anchors that each place which shows Markdown gives to headings.

Every renderer has a rule of its own, and a link that works in one is dead in the next. So which rule holds is a
setting, and each is a line of the table: how a heading becomes a slug, how equal slugs are told apart, and whether an
author can write an id of his own in braces.

========  ==========================================================================================================
github    github-slugger 2.0.0, see :mod:`tck_spec.slugs`
gitlab    ``Gitlab::Utils::Markdown.string_to_anchor`` and its filter for tables of contents
forgejo   ``CleanValue`` of Forgejo and Gitea, and their ids of goldmark
mkdocs    ``slugify`` and ``unique`` of Python-Markdown's ``toc``, ``attr_list``
pandoc    ``auto_identifiers`` and ``header_attributes``
========  ==========================================================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from unicodedata import category, normalize

from tck_spec.slugs import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["DIALECTS", "Dialect", "braced_ids", "split_braces"]

_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})
_LETTERS_AND_NUMBERS: Final = _LETTERS | {"Nd", "Nl", "No"}
#: Go's ``unicode.IsSpace``.
_GO_SPACES: Final = frozenset("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000") | frozenset(
    map(chr, range(0x2000, 0x200B))
)
_COUNTED: Final = re.compile(r"(?P<stem>.*)_(?P<count>[0-9]{1,9})", re.DOTALL)

#: Braces at the end of a heading, kramdown's colon included, with an id or a class in them.
_BRACES: Final = re.compile(r"[ \t]*\{:?[ \t]*(?P<inside>[#.][^{}\n]{1,300}|-)\}[ \t]*\Z")
_ANYWHERE: Final = re.compile(r"\{:?[ \t]*(?P<inside>[^{}\n]{0,300})\}")
_ID: Final = re.compile(r"(?:^|[ \t.])#(?P<id>[^\s#{}=\"']{1,200})")


def _gitlab(text: str) -> str:
    # What Ruby takes for a part of a word is what GitHub's rule keeps.
    base = re.sub("-{2,}", "-", slug(text))
    # A bare number would be taken for the number of an issue.
    return f"anchor-{base}" if base.isascii() and base.isdigit() else base


def _forgejo(text: str) -> str:
    chars = (
        "-"
        if char in _GO_SPACES
        else char.lower()[:1]
        if char in "_-" or category(char) in _LETTERS_AND_NUMBERS
        else ""
        for char in text.strip("".join(_GO_SPACES))
    )
    return "".join(chars) or "heading"


def _mkdocs(text: str) -> str:
    return _mkdocs_unicode(normalize("NFKD", text).encode("ascii", "ignore").decode("ascii"))


def _mkdocs_unicode(text: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def _pandoc(text: str) -> str:
    kept = "".join(
        char for char in text.lower() if char.isspace() or char in "_-." or category(char) in _LETTERS_AND_NUMBERS
    )
    joined = "-".join(kept.split())
    start = next((index for index, char in enumerate(joined) if category(char) in _LETTERS), len(joined))
    return joined[start:] or "section"


def _first_free(base: str, taken: dict[str, int]) -> str:
    """Add the first number that makes a slug new."""
    chosen = base
    while chosen in taken:
        taken[base] += 1
        chosen = f"{base}-{taken[base]}"
    taken[chosen] = 0
    return chosen


def _by_count(base: str, taken: dict[str, int]) -> str:
    """Add how many headings had the slug before, whether or not that makes it new."""
    count = taken.get(base, 0)
    taken[base] = count + 1
    return f"{base}-{count}" if count else base


def _underscored(base: str, taken: dict[str, int]) -> str:
    """Count on from the number that a slug ends with; one without text begins with a number at once."""
    if base and base not in taken:
        taken[base] = 0
        return base
    match = _COUNTED.fullmatch(base)
    stem, count = (match["stem"], int(match["count"])) if match else (base, 0)
    # How far the count of a stem has come is kept beside the slugs, under a name that no slug can have.
    key = f"{stem} {count}"
    count = max(count, taken.get(key, 0)) + 1
    while f"{stem}_{count}" in taken:
        count += 1
    taken[key], taken[f"{stem}_{count}"] = count, 0
    return f"{stem}_{count}"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The rule of one place."""

    name: str
    #: The slug of a heading's text content, before duplicates are told apart.
    slug: Callable[[str], str]
    #: Tells a slug apart from those that are taken, and takes it.
    number: Callable[[str, dict[str, int]], str]
    #: Whether ``## Title {#id}`` gives an id, and is not just text.
    braces: bool = False
    #: Whether ids in braces are taken before any heading is looked at.
    braces_first: bool = False
    #: A second slug that the place can be set to, and whose anchors are accepted as well.
    variant: Callable[[str], str] | None = None

    def anchors(self, headings: Iterable[str], make: Callable[[str], str] | None = None) -> Iterator[str]:
        """Yield the anchor of each heading of one document, given their text contents in order."""
        make = make or self.slug
        taken: dict[str, int] = {}
        read = [split_braces(text) if self.braces else ("", text) for text in headings]
        if self.braces_first:
            taken.update((own, 0) for own, _ in read if own)
        for own, text in read:
            if own:
                taken.setdefault(own, 0)
            yield own or self.number(make(text), taken)


def split_braces(text: str) -> tuple[str, str]:
    """Return the id that braces at a heading's end give it, if any, and the heading without them."""
    match = _BRACES.search(text) if text.rstrip(" \t").endswith("}") else None
    if not match:
        return "", text
    found = _ID.search(match["inside"])
    return (found["id"] if found else ""), text[: match.start()]


def braced_ids(source: str) -> Iterator[tuple[int, str]]:
    """Yield every id in braces in a piece of Markdown, with its offset."""
    for match in _ANYWHERE.finditer(source):
        found = _ID.search(match["inside"])
        if found:
            yield match.start(), found["id"]


DIALECTS: Final[Mapping[str, Dialect]] = {
    dialect.name: dialect
    for dialect in (
        Dialect("github", slug, _first_free),
        Dialect("gitlab", _gitlab, _by_count),
        Dialect("forgejo", _forgejo, _first_free, braces=True),
        Dialect("mkdocs", _mkdocs, _underscored, braces=True, braces_first=True, variant=_mkdocs_unicode),
        Dialect("pandoc", _pandoc, _first_free, braces=True),
    )
}
