"""What a lock remembers: the sections, requirements and links of one document, as values.

The full text is kept, so that a change can be shown without the old document. Sections in it stand by their ids, in
braces, so that a section with a new number changes one record and not every text that names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from tck_spec.lock.fingerprints import context_fingerprint, fingerprint, loose, readable, strict
from tck_spec.lock.minting import tag_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMAT", "PARSER", "Header", "Link", "Lock", "RequirementRecord", "SectionRecord", "State", "Verdict"]

#: The version of the lock file's form.
FORMAT: Final = 1
#: Grows whenever statements or their contexts are found in another way, so that this is not taken for an edit.
PARSER: Final = "1"

#: ``active``, or why an id is retired; a retired id is never given again.
State = Literal["active", "split", "merged", "gone"]
#: ``reviewed``: somebody, or the writing of the tag, has said that the scenario shows this text. ``editorial``: the
#: text was touched since, in a way that no reader can act on.
Verdict = Literal["reviewed", "editorial"]


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a lock."""

    #: What the ids of the document begin with.
    document: str
    #: The document, relative to the folder of the lock.
    source: str
    parser: str = PARSER
    #: The dialect of the slugs.
    slug: str = "github"


@dataclass(frozen=True, slots=True)
class SectionRecord:
    """A section; its number, title and slug are attributes that may change, its id is not."""

    id: str
    title: str
    slug: str
    number: str = ""
    #: The id of the section around it.
    inside: str = ""
    #: Numbers that it had and that no section has now, the last one last.
    was: tuple[str, ...] = ()
    state: Literal["active", "gone"] = "active"

    @property
    def label(self) -> str:
        """What readers call it."""
        return f"§{self.number}" if self.number else f"'{self.title}'"


@dataclass(frozen=True, slots=True)
class RequirementRecord:
    """A requirement, or the tombstone of one."""

    id: str
    state: State = "active"
    text: str = ""
    level: str = ""
    #: The id of its section; empty before the first heading.
    section: str = ""
    #: What gives it its meaning besides its own words: see `context_of`; empty where nothing does.
    context: tuple[str, ...] = ()
    #: The version of the document that brought it.
    since: str = ""
    #: The how-manieth of equal texts in its section, from 0.
    occurrence: int = 0
    #: Fingerprints of the texts of which somebody has to say whether they are this requirement.
    asked: tuple[str, ...] = ()
    #: Other ids under which tags may still name it.
    aliases: tuple[str, ...] = ()
    #: The ids that it was merged from.
    origin: tuple[str, ...] = ()
    #: The ids that it was split into, or the one that it was merged into.
    into: tuple[str, ...] = ()

    @property
    def strict(self) -> str:
        """The text that has to be equal for it to be unchanged."""
        return strict(self.text)

    @property
    def loose(self) -> str:
        """The text that has to be equal for a change to be editorial."""
        return loose(self.text)

    @property
    def fp(self) -> str:
        """The fingerprint of its strict form."""
        return fingerprint(self.strict)

    @property
    def fl(self) -> str:
        """The fingerprint of its loose form."""
        return fingerprint(self.loose)

    @property
    def fc(self) -> str:
        """The fingerprint of its context."""
        return context_fingerprint(self.context)


@dataclass(frozen=True, slots=True)
class Link:
    """A scenario that shows a requirement, and the text that it was reviewed with."""

    requirement: str
    #: ``path::name``, without the values of rows.
    scenario: str
    fp: str
    #: Of the context; empty where there was none.
    fc: str = ""
    verdict: Verdict = "reviewed"


@dataclass(frozen=True)
class Lock:
    """A lock, each kind of record sorted by id."""

    header: Header
    sections: tuple[SectionRecord, ...] = ()
    requirements: tuple[RequirementRecord, ...] = ()
    links: tuple[Link, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, RequirementRecord]:
        """The requirements and tombstones, by id."""
        return {one.id: one for one in self.requirements}

    @cached_property
    def section_by_id(self) -> Mapping[str, SectionRecord]:
        """The sections, by id."""
        return {one.id: one for one in self.sections}

    @cached_property
    def active(self) -> tuple[RequirementRecord, ...]:
        """The requirements that hold."""
        return tuple(one for one in self.requirements if one.state == "active")

    @cached_property
    def tags(self) -> Mapping[str, str]:
        """The id that each tag names; one that holds before an alias, and an alias before one that is retired."""
        retired = {tag_of(one.id): one.id for one in self.requirements if one.state != "active"}
        aliases = {tag_of(alias): one.id for one in self.active for alias in one.aliases}
        return {**retired, **aliases, **{tag_of(one.id): one.id for one in self.active}}

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """What readers call each section, by id."""
        return {one.id: one.label for one in self.sections}

    def reading(self, requirement: RequirementRecord) -> str:
        """Return the text of a requirement as readers know it, with the numbers of sections."""
        return readable(requirement.text, self.labels)

    def place(self, section: str) -> str:
        """Return number and title of a section for people; empty for the text before the first heading."""
        known = self.section_by_id.get(section)
        if known is None:
            return ""
        return f"§{known.number} {known.title}" if known.number else known.title

    def suspect(self, link: Link) -> bool:
        """Tell whether the requirement of a link, or its context, has changed since somebody reviewed it."""
        requirement = self.by_id.get(link.requirement)
        if requirement is None or requirement.state != "active":
            return True
        return link.fp != requirement.fp or (link.fc or _NOTHING) != requirement.fc


_NOTHING: Final = context_fingerprint(())
