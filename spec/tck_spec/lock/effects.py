"""Effects: what a change of the specification does to the scenarios that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from tck_spec.lock.changes import Change, Kind
    from tck_spec.lock.records import Lock

__all__ = ["EFFECTS", "Effect", "Impact", "impact_of", "suspects"]

#: ``nothing``: they stay as they are. ``note``: somebody may want to know. ``suspect``: they were written for another
#: text, and somebody has to look. ``orphan``: they show nothing that is required. ``uncovered``: there has to be one.
Effect = Literal["nothing", "note", "suspect", "orphan", "uncovered", "open"]

EFFECTS: Final[Mapping[Kind, Effect]] = {
    "unchanged": "nothing",
    "moved": "nothing",
    "renumbered": "note",
    "editorial": "note",
    "edited": "suspect",
    "strength-changed": "suspect",
    "context-changed": "suspect",
    "reused": "open",
    "ask": "open",
    "split": "suspect",
    "merged": "suspect",
    "gone": "orphan",
    "new": "uncovered",
}


@dataclass(frozen=True, slots=True)
class Impact:
    """What one change does: to which scenarios, and which requirements have none now."""

    effect: Effect
    scenarios: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()


def impact_of(change: Change, scenarios: Mapping[str, Sequence[str]]) -> Impact:
    """Return what a change does; `scenarios` are those that are tagged with each id, before and after."""
    effect = EFFECTS[change.kind]
    touched: list[str] = list(scenarios.get(change.id, ()))
    uncovered: tuple[str, ...] = ()
    if change.kind == "merged":
        touched += (name for other in change.others for name in scenarios.get(other, ()))
    elif change.kind in ("ask", "renumbered"):
        touched = [name for one in (*change.others, change.id) for name in scenarios.get(one, ())]
    elif change.kind == "split":
        uncovered = tuple(one for one in change.others if not scenarios.get(one))
    elif change.kind == "new":
        uncovered = () if touched else (change.id,)
        effect = "uncovered" if uncovered else "nothing"
        touched = []
    elif change.kind == "gone" and not touched:
        effect = "nothing"
    return Impact(effect, tuple(dict.fromkeys(touched)), uncovered)


def suspects(lock: Lock) -> tuple[tuple[str, str], ...]:
    """Return the links, as id and scenario, that nobody has reviewed since the text or its context has changed.

    Those of an id that was split or is gone are among them; its scenarios need another tag.
    """
    return tuple((link.requirement, link.scenario) for link in lock.links if lock.suspect(link))
