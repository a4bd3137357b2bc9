"""Tagged scenarios: which scenarios of somebody's feature files name which requirement, whatever runs them.

Their authors use tags for other things as well and structure scenarios as they like, so only what cannot be read is
refused here; the kit's own scenarios are read by the stricter :mod:`tck_kit.scenarios`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tck_kit.faults import UsageFault
from tck_kit.scenarios import ScenarioFault, ScenarioSyntaxError, feature_text, parse_feature
from tck_spec import ScenarioTag
from tck_spec.coverage import meant

__all__ = ["IDLE_TAGS", "Tagged", "read_tagged", "tags_in_text"]

#: Tags by which scenarios are kept from running in the tools that people use.
IDLE_TAGS: Final = frozenset({"skip", "skipped", "wip", "ignore", "ignored", "pending", "todo", "disabled"})

Node = Mapping[str, Any]

#: More files than this are no suite of scenarios.
MOST_FILES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Tagged:
    """The scenarios below a folder by their tags (in capitals), and the files that could not be read."""

    folder: Path
    tags: Mapping[str, Sequence[ScenarioTag]]
    faults: tuple[ScenarioFault, ...] = ()

    def links(self) -> dict[str, list[str]]:
        """Return the scenarios of each tag, in lower case, as ``path::name`` with the path below the folder.

        Raises `UsageFault` where a file cannot be read: a lock must not forget its scenarios.
        """
        for fault in self.faults:
            raise UsageFault(fault.message, fault.place, "mend it; `session-tck check` says more")
        found: dict[str, list[str]] = {}
        for name, tags in sorted(self.tags.items()):
            places = (f"{Path(os.path.relpath(one.path, self.folder)).as_posix()}::{one.scenario}" for one in tags)
            found.setdefault(name.lower(), []).extend(places)
        return {tag: list(dict.fromkeys(scenarios)) for tag, scenarios in found.items()}

    def meant(self, known: Collection[str]) -> dict[str, Sequence[ScenarioTag]]:
        """Return the tags that were meant as ids of requirements, known or not."""
        ids = meant(self.tags, known)
        return {name: tags for name, tags in self.tags.items() if name in ids}


def read_tagged(folder: Path, *, quickly: bool = False) -> Tagged:
    """Read every `.feature` below a folder, or one file; raises `UsageFault` where there is none.

    `quickly` leaves most rows unread, so that what is wrong with them is not noticed.
    """
    if not folder.exists():
        raise UsageFault("there is no such folder", str(folder), "give a folder that holds .feature files")
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*.feature"))
    if not paths:
        raise UsageFault("there is no .feature file in it", str(folder), "give a folder that holds some")
    if len(paths) > MOST_FILES:
        raise UsageFault(f"there are more than {MOST_FILES} .feature files in it", str(folder), "name a part of it")
    tags: dict[str, list[ScenarioTag]] = {}
    faults: list[ScenarioFault] = []
    for path in paths:
        try:
            text, _ = feature_text(path, str(path), thorough=True)
            for name, tag in tags_in_text(_thinned(text) if quickly else text, str(path)):
                tags.setdefault(name, []).append(tag)
        except ScenarioSyntaxError as fault:
            faults.append(fault.fault)
    return Tagged(folder, tags, tuple(faults))


def tags_in_text(text: str, where: str) -> Iterator[tuple[str, ScenarioTag]]:
    """Yield each tag of each scenario once, those of its rule, feature and rows included.

    Raises `ScenarioSyntaxError`.
    """
    feature = parse_feature(text, where).get("feature")
    for scenario, around in _scenarios(feature) if feature else ():
        name, line = " ".join(str(scenario["name"]).split()), int(scenario["location"]["line"])
        own = (*around, *_names(scenario))
        idle = _idle(own) or ("" if scenario["steps"] else "has no steps")
        blocks = [(_names(block), _idle(_names(block))) for block in scenario["examples"] if block.get("tableBody")]
        if scenario["examples"] and not blocks:
            idle = idle or "has no rows"
        # Rows that never run leave the tags of the others alone.
        whole = idle or (blocks[0][1] if blocks and all(of_rows for _, of_rows in blocks) else "")
        reasons = dict.fromkeys(own, whole)
        for names, of_rows in blocks:
            for one in names:
                reason = idle or of_rows
                reasons[one] = reasons.get(one, reason) and reason
        yield from ((tag.upper(), ScenarioTag(name, where, line, reason)) for tag, reason in reasons.items())


def _scenarios(feature: Node) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """Yield each scenario with the tags of what is around it."""
    outer = _names(feature)
    for child in feature["children"]:
        rule = child.get("rule", {})
        for one in (child, *rule.get("children", ())):
            if "scenario" in one:
                yield one["scenario"], (*outer, *_names(rule))


def _names(node: Node) -> tuple[str, ...]:
    return tuple(str(tag["name"]).removeprefix("@") for tag in node.get("tags", ()))


def _idle(names: Sequence[str]) -> str:
    return next((f"is tagged @{name}" for name in names if name.lower() in IDLE_TAGS), "")


def _thinned(text: str) -> str:
    """Blank out all but the first two lines of each table: rows say nothing of tags, and take most of the time."""
    lines, run = text.split("\n"), 0
    for index, line in enumerate(lines):
        run = run + 1 if line.lstrip().startswith("|") else 0
        if run > 2:  # noqa: PLR2004 -- the heading of Examples and one row
            lines[index] = ""
    return "\n".join(lines)
