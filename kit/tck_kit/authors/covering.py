"""Covering: which requirements of some documents the scenarios of a folder show, by whatever ids they have.

A document's own ids come first. Where it has a lock, the lock knows the ids of its prose, what they were called before,
and which scenarios were reviewed with another text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from tck_kit.authors.change_lines import own_id
from tck_kit.authors.tagged import Tagged, read_tagged
from tck_spec.coverage import Required, ScenarioTag, Suspect, Waivers, coverage, required_of
from tck_spec.findings import Finding
from tck_spec.lock.links import present, retirement
from tck_spec.lock.standing import lock_path, standing_of
from tck_spec.statements import find_statements

if TYPE_CHECKING:
    from tck_kit.scenarios import Suite
    from tck_spec.lock.records import Lock
    from tck_spec.settings import Settings
    from tck_spec.specification import Specification

__all__ = ["covered", "reviewed_elsewhere", "suspect_scenarios", "waivers_of"]


def covered(folder: Path, settings: Settings, documents: Sequence[Specification]) -> Iterator[Finding]:
    """Yield what the scenarios of a folder leave uncovered, and what their tags name that nobody requires."""
    tagged = read_tagged(folder)
    required: list[Required] = []
    locks: list[Lock] = []
    for spec in documents:
        found, lock = _required(spec, settings, only=len(documents) == 1)
        required += found
        locks += [lock] if lock else []
        yield from _without_ids(spec, found, settings)
    tags: dict[str, list[ScenarioTag]] = {}
    for name, found_tags in tagged.tags.items():
        why = next((why for lock in locks if (why := retirement(lock, name))), "")
        if why:
            yield from (_retired(name, tag, why) for tag in found_tags)
        else:
            tags.setdefault(_present(name, locks), []).extend(found_tags)
    links = Tagged(folder, tags).meant({one.id for one in required})
    suspects = [one for lock in locks for one in suspect_scenarios(lock, tagged)]
    yield from coverage(required, links, waivers_of(settings), suspects, strict=bool(os.environ.get("CI")))
    for fault in tagged.faults:
        path, _, line = fault.place.rpartition(":")
        if not line.isdecimal():
            path, line = fault.place, "1"
        yield Finding("SCN001", "E", int(line), 1, fault.message, source=path)


def reviewed_elsewhere(spec: Specification, suite: Suite, settings: Settings) -> tuple[Finding, ...]:
    """Return COV003 for the scenarios of the kit's own form that were reviewed with another text than there is now."""
    standing = standing_of(spec, find_statements(spec, settings.form), settings)
    if standing is None or standing.update is None:
        return ()
    tags: dict[str, list[ScenarioTag]] = {}
    for one in suite.scenarios:
        name = one.id.partition("::")[2].removesuffix(f"[{', '.join(one.values)}]")
        for tag in one.tags:
            tags.setdefault(tag.upper(), []).append(ScenarioTag(name, str(suite.folder / one.path), one.line))
    suspects = list(suspect_scenarios(standing.update.lock, Tagged(suite.folder, tags)))
    return coverage([], {}, None, suspects, strict=bool(os.environ.get("CI")))


def waivers_of(settings: Settings) -> Waivers:
    """Return the waivers of the settings, as they stand today."""
    source = os.path.relpath(settings.path) if settings.path else ""
    return Waivers(settings.waivers, date.today(), source)  # noqa: DTZ011 -- the day where the author is


def suspect_scenarios(lock: Lock, tagged: Tagged) -> Iterator[Suspect]:
    """Yield the scenarios that were reviewed with another text than the lock has now."""
    places = {
        (Path(os.path.relpath(tag.path, tagged.folder)).as_posix(), tag.scenario): tag
        for tags in tagged.tags.values()
        for tag in tags
    }
    for link in lock.links:
        path, _, name = link.scenario.partition("::")
        tag = places.get((path, name))
        record = lock.by_id.get(link.requirement)
        if tag is not None and record is not None and record.state == "active" and lock.suspect(link):
            yield Suspect(own_id(link.requirement), tag)


def _required(spec: Specification, settings: Settings, *, only: bool) -> tuple[list[Required], Lock | None]:
    """Return what a document requires, under the ids that it or its lock gives, and the lock as it has to be now."""
    statements = find_statements(spec, settings.form)
    standing = standing_of(spec, statements, settings, only=only)
    if standing is None or standing.update is None:
        if spec.requirements:
            return list(required_of(spec, source=spec.source)), None
        titles = [f"{one.number} {one.title}" if one.number else one.title for one in spec.sections]
        return [
            Required(
                one.marker,
                one.level,
                one.line,
                one.column,
                titles[one.section] if one.section >= 0 else "",
                spec.source,
            )
            for one in statements
            if one.marker
        ], None
    lock = standing.update.lock
    found: list[Required] = []
    for identifier, (line, column) in standing.update.places.items():
        record = lock.by_id[identifier]
        section = lock.place(record.section).removeprefix("§")
        found.append(Required(own_id(identifier), record.level, line, column, section, spec.source))
    return found, lock


def _without_ids(spec: Specification, found: Sequence[Required], settings: Settings) -> Iterator[Finding]:
    lock = lock_path(spec.source, settings)
    if found or (lock is not None and lock.exists()):
        # A lock that cannot be read has a finding of its own.
        return
    nameless = [one for one in find_statements(spec, settings.form) if not one.marker]
    if nameless:
        first = nameless[0]
        many = f"the {len(nameless)} requirements of this document have" if nameless[1:] else "the requirement here has"
        message = f"{many} no id, so no scenario can name {'one' if nameless[1:] else 'it'}"
        hint = f"`session-tck lock {spec.source}` gives them some"
        yield Finding("COV001", "I", first.line, first.column, message, hint, spec.source)


def _present(tag: str, locks: Sequence[Lock]) -> str:
    """Return the id that a tag names now, which may have been another when the tag was written; else the tag."""
    return next((own_id(found) for lock in locks if (found := present(lock, tag))), tag)


def _retired(name: str, tag: ScenarioTag, why: str) -> Finding:
    message = f"the scenario '{tag.scenario}' is tagged @{name.lower()}, which is retired"
    return Finding("LCK003", "E", tag.line, 1, message, why, tag.path)
