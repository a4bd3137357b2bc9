"""Coverage: whether every requirement has a scenario, and every tag a requirement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from tck_spec.findings import MOST_SUGGESTIONS, Finding, Severity, did_you_mean
from tck_spec.keywords import strength

if TYPE_CHECKING:
    from tck_spec.specification import Specification

__all__ = ["ScenarioTag", "coverage"]

_UNCOVERED: Final[Mapping[str, Severity]] = {"must": "E", "should": "W", "may": "I"}


class ScenarioTag(NamedTuple):
    """Where a scenario has a requirement's tag."""

    scenario: str
    path: str
    line: int


def coverage(spec: Specification, links: Mapping[str, Sequence[ScenarioTag]]) -> tuple[Finding, ...]:
    """Hold the tags of scenarios against the requirements.

    `links` maps ids to the scenarios tagged with them; capitals do not matter, because tags are in lower case.

    COV001: a requirement has no scenario; an error where it binds (MUST), a warning for SHOULD, said for MAY.
    COV002: a tag names no requirement; `Finding.source` is the feature file and the line is in it.
    """
    tagged: dict[str, list[ScenarioTag]] = {}
    for identifier, tags in links.items():
        tagged.setdefault(identifier.upper(), []).extend(tags)
    found = [
        Finding(
            "COV001",
            _UNCOVERED[strength(requirement.level)],
            requirement.line,
            requirement.column,
            f"{requirement.id} has no scenario",
            f"tag one with @{requirement.id.lower()}",
        )
        for requirement in spec.requirements
        if not tagged.get(requirement.id.upper())
    ]
    known = {requirement.id.upper() for requirement in spec.requirements}
    orphans = [(name, tag) for name, tags in tagged.items() if name not in known for tag in tags]
    for number, (name, tag) in enumerate(sorted(orphans, key=lambda pair: (pair[1].path, pair[1].line))):
        hint = did_you_mean(name, sorted(known)) if number < MOST_SUGGESTIONS else ""
        message = f"the scenario '{tag.scenario}' is tagged @{name.lower()}, and no requirement has that id"
        found.append(Finding("COV002", "E", tag.line, 1, message, hint or "correct the tag", tag.path))
    return tuple(found)
