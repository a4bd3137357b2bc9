"""Targets: everything in one document that a fragment can lead to, in each dialect.

Made of a text once and kept by its digest, because every document that links here asks again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from tck_spec.dialects import DIALECTS, braced_ids, split_braces
from tck_spec.slugs import slug

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tck_spec.anchors import Anchor
    from tck_spec.sections import Section
    from tck_spec.specification import Specification

__all__ = ["Targets", "fold_anchor", "spellings", "targets_of"]

_MOST_KEPT: Final = 1024
#: Of more anchors none is the one that was meant.
_MOST_MEANT: Final = 8
_PREFIX: Final = "user-content-"
_HTML_HEADING: Final = re.compile(r"<h[1-6](?:\s[^<>]{0,300})?>(?P<text>.{0,500}?)</h[1-6]>", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]{0,300}>")
#: What renderers make of ``[^note]``: GitHub and goldmark, pandoc, Python-Markdown.
_FOOTNOTE: Final = re.compile(r"(?:user-content-)?fn(?:ref)?[-:]?\S+")
#: ``#:~:text=…`` and ``#L10-L20`` are for the browser and for code views.
_NOT_HERE: Final = re.compile(r":~:|L\d+(?:C\d+)?(?:-L\d+(?:C\d+)?)?$")
#: What stands for other text: includes of MkDocs, Jekyll, mdBook and Hugo, components of MDX.
_INCLUDE: Final = re.compile(
    r"^[ \t]*(?:--8<--|\{%-?[ \t]*include|\{\{[ \t]*#?include|\{\{<|\{!|!!!include|<[A-Z][A-Za-z]+[ \t/>]).*",
    re.MULTILINE,
)
_FILE_NAME: Final = re.compile(r"[\w.@+-]{1,200}\.(?:mdx?|markdown|html?|txt)(?!\w)")


def spellings(anchor: str) -> tuple[str, ...]:
    """Return the forms in which a fragment may name its target: as it is, decoded, without GitHub's prefix."""
    decoded = unquote(anchor)
    if decoded == anchor and not anchor.startswith(_PREFIX):
        return (anchor,)
    return (anchor, decoded, decoded.removeprefix(_PREFIX))


@lru_cache(maxsize=1024)
def fold_anchor(anchor: str) -> str:
    """Return the letters and digits of an anchor, by which one that was mistyped is found again."""
    return "".join(char for char in unquote(anchor).casefold() if char.isalnum())


class Targets:
    """The targets in one document."""

    def __init__(
        self,
        sections: Sequence[Section],
        anchors: Sequence[Anchor],
        braces: Mapping[str, int],
        headings: frozenset[str],
        text: str = "",
    ) -> None:
        """Keep what the slugs are made of; they are made when a dialect is asked for."""
        self._sections = tuple(sections)
        self._headings = headings
        self._by_dialect: dict[str, Mapping[str, Section]] = {}
        self._footnotes = "[^" in text
        included = [match.group() for match in _INCLUDE.finditer(text)]
        #: Whether a generator puts other text into the document, which may have headings and ids.
        self.includes = bool(included)
        #: The names of the files that are put in, as far as they are given.
        self.included = frozenset(name for line in included for name in _FILE_NAME.findall(line))
        self._by_case: dict[str, Mapping[str, str]] = {}
        self._by_letters: dict[str, Mapping[str, Sequence[str]]] = {}
        self._by_text: dict[str, Mapping[str, Sequence[str]]] = {}
        self._by_line = {section.line: section for section in sections}
        #: Ids and names of HTML elements, and the line each stands in first.
        self.explicit: dict[str, int] = {}
        for anchor in anchors:
            self.explicit.setdefault(anchor.name, anchor.line)
            # GitHub's own prefix is found with and without it.
            self.explicit.setdefault(anchor.name.removeprefix(_PREFIX), anchor.line)
        #: Ids in braces, ``{#id}``, and the line each stands in first.
        self.braces = dict(braces)

    def slugs(self, dialect: str) -> Mapping[str, Section]:
        """Return the anchors of the headings, and the section that each leads to."""
        found = self._by_dialect.get(dialect)
        if found is None:
            rule, texts = DIALECTS[dialect], [section.text for section in self._sections]
            made: dict[str, Section] = {}
            for slugger in (rule.slug, rule.variant) if rule.variant else (rule.slug,):
                for anchor, section in zip(rule.anchors(texts, slugger), self._sections, strict=True):
                    made.setdefault(anchor, section)
            found = self._by_dialect[dialect] = made
        return found

    def is_numbered(self, anchor: str, dialect: str) -> bool:
        """Tell whether the anchor of a heading has a number that only tells it apart from an equal heading."""
        rule, section = DIALECTS[dialect], self.slugs(dialect).get(anchor)
        if section is None:
            return False
        own, text = split_braces(section.text) if rule.braces else ("", section.text)
        makers = (rule.slug, rule.variant) if rule.variant else (rule.slug,)
        return not own and bool(text.strip()) and all(make(text) != anchor for make in makers)

    def has(self, anchor: str, dialect: str) -> bool:
        """Tell whether a fragment leads somewhere; ``#top`` always does."""
        slugs = self.slugs(dialect)
        for name in spellings(anchor):
            if name in slugs or name in self.explicit or name in self._headings:
                return True
            if name in self.braces and DIALECTS[dialect].braces:
                return True
        if anchor.lower() == "top" or _NOT_HERE.match(anchor):
            return True
        return self._footnotes and _FOOTNOTE.fullmatch(anchor) is not None

    def section_at(self, anchor: str, dialects: Sequence[str]) -> Section | None:
        """Return the section whose heading a fragment leads to, in the first dialect in which it leads anywhere."""
        for name in spellings(anchor):
            for dialect in dialects:
                section = self.slugs(dialect).get(name)
                if section is not None:
                    return section
            line = self.explicit.get(name) or self.braces.get(name)
            if line is not None:
                return self._by_line.get(line)
        return None

    def names(self, dialects: Sequence[str]) -> Iterator[str]:
        """Yield every anchor that works in the first of some dialects."""
        dialect = dialects[0]
        yield from self.slugs(dialect)
        yield from self.explicit
        if DIALECTS[dialect].braces:
            yield from self.braces

    def by_case(self, anchor: str, dialects: Sequence[str]) -> str | None:
        """Return an anchor that differs from a fragment in capitals only."""
        lower = self._lower(dialects[0])
        return next((lower[name.lower()] for name in spellings(anchor) if name.lower() in lower), None)

    def meant(self, anchor: str, dialects: Sequence[str], label: str) -> str | None:
        """Return the one anchor that a dead fragment can mean; None where there are several, or none.

        It has the same letters and digits, or the fragment is its name in another dialect, or the link's label is the
        text of its heading.
        """
        text = _fold_text(label)
        named = self._labelled(dialects[0]).get(text, ())
        meant = self._spelled(anchor, dialects) or named
        if named and len(meant) <= _MOST_MEANT:
            slugs = self.slugs(dialects[0])
            meant = [name for name in meant if name in slugs and text in _texts(slugs[name])]
        return meant[0] if len(meant) == 1 else None

    def _spelled(self, anchor: str, dialects: Sequence[str]) -> Sequence[str]:
        names = self._folded(dialects[0]).get(fold_anchor(anchor), ())
        if names:
            return names
        lines = {section.line for _, section in self.elsewhere(anchor, dialects)}
        return [name for name, section in self.slugs(dialects[0]).items() if section.line in lines] if lines else ()

    def elsewhere(self, anchor: str, dialects: Sequence[str]) -> Iterator[tuple[str, Section]]:
        """Yield the other dialects in which a fragment leads to a heading, and the heading's section."""
        for dialect in DIALECTS:
            if dialect not in dialects:
                for name in spellings(anchor):
                    section = self.slugs(dialect).get(name)
                    if section is not None:
                        yield dialect, section
                        break

    def _lower(self, dialect: str) -> Mapping[str, str]:
        if dialect not in self._by_case:
            self._by_case[dialect] = {name.lower(): name for name in self.names((dialect,))}
        return self._by_case[dialect]

    def _folded(self, dialect: str) -> Mapping[str, Sequence[str]]:
        if dialect not in self._by_letters:
            made: dict[str, list[str]] = {}
            for name in dict.fromkeys(self.names((dialect,))):
                key = fold_anchor(name)
                if key:
                    made.setdefault(key, []).append(name)
            self._by_letters[dialect] = made
        return self._by_letters[dialect]

    def _labelled(self, dialect: str) -> Mapping[str, Sequence[str]]:
        if dialect not in self._by_text:
            made: dict[str, list[str]] = {}
            for name, section in self.slugs(dialect).items():
                for key in _texts(section) - {""}:
                    made.setdefault(key, []).append(name)
            self._by_text[dialect] = made
        return self._by_text[dialect]


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold().strip(".:")


def _texts(section: Section) -> set[str]:
    return {_fold_text(section.text), _fold_text(section.title)}


def _braces(spec: Specification) -> dict[str, int]:
    found: dict[str, int] = {}
    if "#" not in spec.text or "{" not in spec.text:
        return found
    for piece in spec.prose:
        if "{" in piece.source:
            for offset, name in braced_ids(piece.source):
                found.setdefault(name, piece.place(offset)[0])
    return found


def _html_headings(spec: Specification) -> frozenset[str]:
    """Return the slugs of headings that are written in HTML; a renderer gives them anchors like any other."""
    return frozenset(
        slug(unescape(_TAG.sub("", match["text"])))
        for block in spec.document.blocks
        if block.kind == "html"
        for match in _HTML_HEADING.finditer(block.text)
    )


_KEPT: Final[OrderedDict[str, Targets]] = OrderedDict()


def targets_of(spec: Specification) -> Targets:
    """Return the targets in a document; those of the texts that were asked for last are kept."""
    found = _KEPT.pop(spec.digest, None)
    if found is None:
        found = Targets(spec.sections, spec.anchors, _braces(spec), _html_headings(spec), spec.text)
        while len(_KEPT) >= _MOST_KEPT:
            _KEPT.popitem(last=False)
    _KEPT[spec.digest] = found
    return found
