"""What the rules look things up in: one specification with its sections and anchors by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tck_spec.library import Library, Lone
from tck_spec.settings import Settings
from tck_spec.statements import Statement, find_statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_spec.sections import Section
    from tck_spec.specification import Specification

__all__ = ["Context", "context_of"]


@dataclass(frozen=True)
class Context:
    """A specification and the indexes over it, made once for all rules."""

    spec: Specification
    by_number: dict[str, list[Section]] = field(default_factory=dict[str, "list[Section]"])
    by_slug: dict[str, Section] = field(default_factory=dict[str, "Section"])
    #: Explicit anchors that stand in a heading, and that heading's section.
    by_anchor: dict[str, Section] = field(default_factory=dict[str, "Section"])
    targets: frozenset[str] = frozenset()
    settings: Settings = field(default_factory=Settings)
    library: Library = field(default_factory=Lone)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What the specification requires, with or without ids."""
        return find_statements(self.spec, self.settings.form)

    @property
    def others(self) -> Sequence[Specification]:
        """The documents that are checked together with this one."""
        return [one for one in self.library.documents if one.source != self.spec.source]

    def has_anchor(self, anchor: str) -> bool:
        """Tell whether a fragment leads somewhere; ``#top`` always does."""
        return any(name in self.targets for name in spellings(anchor)) or anchor.lower() == "top"

    def section_at(self, anchor: str) -> Section | None:
        """Return the section whose heading a fragment leads to."""
        for name in spellings(anchor):
            section = self.by_slug.get(name) or self.by_anchor.get(name)
            if section:
                return section
        return None


def spellings(anchor: str) -> tuple[str, ...]:
    """Return the forms in which a fragment may name its target: as it is, decoded, without GitHub's prefix."""
    decoded = unquote(anchor)
    return (anchor, decoded, decoded.removeprefix("user-content-"))


def context_of(spec: Specification, settings: Settings | None = None, library: Library | None = None) -> Context:
    """Index a specification."""
    by_number: dict[str, list[Section]] = {}
    for section in spec.sections:
        if section.number:
            by_number.setdefault(section.number, []).append(section)
    by_slug = {section.slug: section for section in spec.sections}
    by_line = {section.line: section for section in spec.sections}
    by_anchor = {anchor.name: by_line[anchor.line] for anchor in spec.anchors if anchor.line in by_line}
    targets = frozenset(by_slug) | {anchor.name for anchor in spec.anchors}
    return Context(spec, by_number, by_slug, by_anchor, targets, settings or Settings(), library or Lone((spec,)))
