"""Coverage: whether every requirement has a scenario, and every tag a requirement; and the waivers that say why not.

A scenario that cannot run covers nothing, a waiver without a reason or past its day waives nothing, and a scenario
that was reviewed against another wording is suspect: each would otherwise be a hole that counts as covered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from tck_spec.findings import MOST_SUGGESTIONS, Finding, Severity, did_you_mean
from tck_spec.keywords import strength
from tck_spec.lock.minting import tag_of
from tck_spec.references import area_of

if TYPE_CHECKING:
    from datetime import date

    from tck_spec.settings import Waiver
    from tck_spec.specification import Specification

__all__ = ["Required", "ScenarioTag", "Suspect", "Waivers", "coverage", "meant", "required_of"]

#: A tag that is as near as this to an id was meant as one.
_SLIP: Final = 0.8
_UNCOVERED: Final[Mapping[str, Severity]] = {"must": "E", "should": "W", "may": "I"}


class ScenarioTag(NamedTuple):
    """Where a scenario has a requirement's tag."""

    scenario: str
    path: str
    line: int
    #: Why it never runs, such as "is tagged @skip"; empty for one that does.
    idle: str = ""


@dataclass(frozen=True, slots=True)
class Required:
    """A requirement that wants a scenario: its id, how strongly it requires, and where it stands."""

    id: str
    level: str
    line: int
    column: int
    #: What its section is called, with its number.
    section: str = ""
    #: The document it stands in; None for the only one.
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Suspect:
    """A scenario that was reviewed against a wording that is no longer there."""

    requirement: str
    tag: ScenarioTag


@dataclass(frozen=True, slots=True)
class Waivers:
    """The waivers of a settings file, and the day on which they are judged."""

    all: Sequence[Waiver] = ()
    today: date | None = None
    source: str = ""

    def good(self, waiver: Waiver) -> bool:
        """Tell whether a waiver waives anything."""
        return bool(waiver.reason.strip()) and (waiver.until is None or not self._past(waiver.until))

    def _past(self, until: date) -> bool:
        return self.today is not None and self.today > until

    @property
    def waived(self) -> frozenset[str]:
        """The ids, as tags, that a good waiver names."""
        return frozenset(tag_of(one.requirement) for one in self.all if self.good(one))

    def flaws(self, known: Mapping[str, str]) -> Iterator[Finding]:
        """Yield COV004: what is wrong with waivers, in the settings file."""
        for one in self.all:
            problems = (
                (not one.reason.strip(), "has no reason, so it waives nothing", "say why in reason = …"),
                (one.until is not None and not self.good(one), f"ended on {one.until}", "write the scenario"),
                (
                    tag_of(one.requirement) not in known,
                    "names no requirement",
                    did_you_mean(one.requirement.upper(), known.values()) or "take it away",
                ),
            )
            for wrong, problem, hint in problems:
                if wrong:
                    message = f"the waiver of {one.requirement} {problem}"
                    yield Finding("COV004", "E", one.line, 1, message, hint, self.source or None)
                    break


def required_of(spec: Specification, *, source: str | None = None) -> tuple[Required, ...]:
    """Return the requirements that a document states under ids of its own."""
    titles = {section.number: f"{section.number} {section.title}" for section in spec.sections if section.number}
    return tuple(
        Required(one.id, one.level, one.line, one.column, titles.get(one.section or "", ""), source)
        for one in spec.requirements
    )


def coverage(
    required: Specification | Sequence[Required],
    links: Mapping[str, Sequence[ScenarioTag]],
    waivers: Waivers | None = None,
    suspects: Sequence[Suspect] = (),
    *,
    strict: bool = True,
) -> tuple[Finding, ...]:
    """Hold the tags of scenarios against the requirements.

    `links` maps ids or tags to the scenarios tagged with them; both are compared as tags, in lower case.

    COV001: a requirement has no scenario; an error where it binds (MUST), a warning for SHOULD, said for MAY.
    COV002: a tag names no requirement; `Finding.source` is the feature file and the line is in it.
    COV003: a scenario was reviewed against another wording; an error if `strict`, else a warning.
    COV004: a waiver without a reason, past its day, or of nothing.
    COV005: all scenarios of a section's requirements are such that never run; a warning.
    """
    wanted = required if isinstance(required, Sequence) else required_of(required)
    waivers = waivers or Waivers()
    tagged: dict[str, list[ScenarioTag]] = {}
    for identifier, tags in links.items():
        tagged.setdefault(tag_of(identifier), []).extend(tags)
    known = {tag_of(one.id): one.id for one in wanted}
    waived = waivers.waived
    found = [
        Finding(
            "COV001",
            _UNCOVERED[strength(one.level)],
            one.line,
            one.column,
            f"{one.id} has no scenario",
            f"tag one with @{tag_of(one.id)}",
            one.source,
            len(one.id),
        )
        for one in wanted
        if not tagged.get(tag_of(one.id)) and tag_of(one.id) not in waived
    ]
    found += _orphans(tagged, known)
    found += _suspects(suspects, waived, strict=strict)
    found += waivers.flaws(known)
    found += _idle(wanted, tagged, waived)
    return tuple(found)


def _orphans(tagged: Mapping[str, Sequence[ScenarioTag]], known: Mapping[str, str]) -> Iterator[Finding]:
    orphans = [(name, tag) for name, tags in tagged.items() if name not in known for tag in tags]
    for number, (name, tag) in enumerate(sorted(orphans, key=lambda pair: (pair[1].path, pair[1].line))):
        hint = did_you_mean(name.upper(), sorted(known.values())) if number < MOST_SUGGESTIONS else ""
        message = f"the scenario '{tag.scenario}' is tagged @{name}, and no requirement has that id"
        yield Finding("COV002", "E", tag.line, 1, message, hint or "correct the tag", tag.path)


def _suspects(suspects: Sequence[Suspect], waived: Collection[str], *, strict: bool) -> Iterator[Finding]:
    for one in suspects:
        if tag_of(one.requirement) not in waived:
            message = f"'{one.tag.scenario}' was written for an earlier wording of {one.requirement}"
            hint = f"look at it again, then `session-tck accept {one.requirement}`"
            yield Finding("COV003", "E" if strict else "W", one.tag.line, 1, message, hint, one.tag.path)


def _idle(
    wanted: Sequence[Required], tagged: Mapping[str, Sequence[ScenarioTag]], waived: Collection[str]
) -> Iterator[Finding]:
    """Yield COV005 once for each section of which some requirement has scenarios and none of them ever runs."""
    sections: dict[tuple[str | None, str], list[Required]] = {}
    for one in wanted:
        tags = tagged.get(tag_of(one.id), ())
        if tags and all(tag.idle for tag in tags) and tag_of(one.id) not in waived:
            sections.setdefault((one.source, one.section), []).append(one)
    for (source, section), idle in sections.items():
        first = idle[0]
        tag = tagged[tag_of(first.id)][0]
        names = ", ".join(one.id for one in idle[:5]) + (f" and {len(idle) - 5} more" if idle[5:] else "")
        where = f"in section {section}, " if section else ""
        message = f"{where}{names}: no scenario ever runs ('{tag.scenario}' {tag.idle})"
        yield Finding("COV005", "W", first.line, first.column, message, "write one that does", source, len(first.id))


def meant(tags: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """Return the tags that were meant as ids of requirements: they have the area of one, or are one but for a slip.

    Scenarios have other tags as well, such as ``@smoke``, and those are nobody's mistake.
    """
    keys = {tag_of(one) for one in known}
    areas = {area_of(one) for one in keys}
    order = sorted(keys)

    def is_one(name: str) -> bool:
        if name in keys:
            return True
        if name in areas or not any(char.isdigit() for char in name):
            return False
        return area_of(name) in areas or bool(get_close_matches(name, order, n=1, cutoff=_SLIP))

    return frozenset(tag for tag in tags if is_one(tag_of(tag)))
