"""What the rules look things up in: one specification with its sections by number and slug."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

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


def context_of(spec: Specification, settings: Settings | None = None, library: Library | None = None) -> Context:
    """Index a specification."""
    by_number: dict[str, list[Section]] = {}
    for section in spec.sections:
        if section.number:
            by_number.setdefault(section.number, []).append(section)
    by_slug = {section.slug: section for section in spec.sections}
    return Context(spec, by_number, by_slug, settings or Settings(), library or Lone((spec,)))
