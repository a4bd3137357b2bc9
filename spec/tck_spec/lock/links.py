"""Links: which scenario shows which requirement, and with which text somebody last looked at both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tck_spec.lock.fingerprints import context_fingerprint
from tck_spec.lock.minting import tag_of
from tck_spec.lock.records import Link, Lock, RequirementRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["Fate", "accepted", "carried", "joined", "linked", "present", "retirement", "scenarios_of"]

_NO_CONTEXT: Final = context_fingerprint(())
#: A chain of mergers is no longer than this, or it is a circle that somebody made by hand.
_FARTHEST: Final = 1000
#: How much of the text of one that is gone is shown.
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Fate:
    """What has become of a requirement that has links."""

    #: The id that it has now, or that of what it has gone into.
    id: str
    #: Only commas were touched: whoever has reviewed the old text has reviewed the new one.
    editorial: bool = False
    #: Contexts are found in another way now, so that a new one is no change.
    refit: bool = False


def carried(old: Lock, new: Lock, fates: Mapping[str, Fate]) -> tuple[Link, ...]:
    """Return the links of the old lock as they stand in the new one."""
    links: dict[tuple[str, str], Link] = {}
    for link in old.links:
        fate = fates.get(link.requirement, Fate(link.requirement))
        moved = replace(link, requirement=fate.id)
        record = new.by_id.get(fate.id)
        if record is not None and record.state == "active" and not old.suspect(link):
            if fate.editorial:
                moved = replace(moved, fp=record.fp, verdict="editorial")
            if fate.refit:
                moved = replace(moved, fc=_context(record))
        links.setdefault((moved.requirement, moved.scenario), moved)
    return tuple(links[key] for key in sorted(links))


def linked(lock: Lock, tags: Mapping[str, Sequence[str]]) -> Lock:
    """Return a lock with the links that the tags of scenarios make; a new one is held to be written for the text.

    `tags` holds the scenarios of each tag, in lower case. Tags that name no requirement are somebody else's.
    """
    before = {(link.requirement, link.scenario): link for link in lock.links}
    links: dict[tuple[str, str], Link] = {}
    for identifier, scenarios in scenarios_of(lock, tags).items():
        record = lock.by_id[identifier]
        for scenario in scenarios:
            key = identifier, scenario
            if key in before:
                links[key] = before[key]
            elif record.state == "active":
                links[key] = Link(identifier, scenario, record.fp, _context(record))
    return replace(lock, links=tuple(links[key] for key in sorted(links)))


def scenarios_of(lock: Lock, tags: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the scenarios of each requirement by their tags; an alias, and one that was merged, name where it went."""
    found: dict[str, list[str]] = {}
    for tag, scenarios in tags.items():
        identifier = present(lock, tag)
        if identifier in lock.by_id:
            found.setdefault(identifier, []).extend(scenarios)
    return {identifier: list(dict.fromkeys(scenarios)) for identifier, scenarios in found.items()}


def present(lock: Lock, tag: str) -> str:
    """Return the id that a tag names now; one that was merged names what it was merged into. Empty for no id."""
    identifier = lock.tags.get(tag.lower(), "")
    for _ in range(_FARTHEST):
        record = lock.by_id.get(identifier)
        if record is None or record.state != "merged" or not record.into:
            break
        identifier = record.into[0]
    return identifier


def retirement(lock: Lock, tag: str) -> str:
    """Say why a tag names nothing that is required any more; empty where it does, or never did."""
    record = lock.by_id.get(present(lock, tag))
    if record is None or record.state == "active":
        return ""
    if record.state == "split":
        return f"it was split: tag the scenario with {' or '.join(f'@{tag_of(one)}' for one in record.into)}"
    return f"it is gone: {record.text[:_SHOWN]}{'…' * (len(record.text) > _SHOWN)}"


def accepted(
    lock: Lock, ids: Collection[str] | None = None, *, editorial: bool = False
) -> tuple[Lock, tuple[Link, ...]]:
    """Return a lock in which links are reviewed with the text as it is, and which links those were.

    Without `ids` all are; with `editorial` only those of which no more than capitals and punctuation has changed.
    """
    links: list[Link] = []
    touched: list[Link] = []
    for link in lock.links:
        record = lock.by_id.get(link.requirement)
        if record is None or record.state != "active" or (ids is not None and link.requirement not in ids):
            links.append(link)
        elif link.verdict == "editorial" or (lock.suspect(link) and not editorial):
            links.append(Link(link.requirement, link.scenario, record.fp, _context(record)))
            touched.append(links[-1])
        else:
            links.append(link)
    return replace(lock, links=tuple(links)), tuple(touched)


def joined(lock: Lock, identifier: str, old: str) -> Lock | None:
    """Return a lock in which a requirement has a retired id as an alias, with its scenarios; they are suspect.

    None where either of the two is not what it has to be.
    """
    record, retired = lock.by_id[identifier], lock.by_id[old]
    if record.state != "active" or retired.state == "active":
        return None
    aliases = tuple(sorted({*record.aliases, old}))
    records = (
        replace(one, aliases=aliases) if one is record else one for one in lock.requirements if one is not retired
    )
    new = replace(lock, requirements=tuple(records))
    return replace(new, links=carried(lock, new, {old: Fate(identifier)}))


def _context(record: RequirementRecord) -> str:
    return record.fc if record.fc != _NO_CONTEXT else ""
