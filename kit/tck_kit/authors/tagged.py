"""Tagged scenarios: which scenarios of somebody's feature files name which requirement, whatever runs them.

Their authors use tags for other things as well and structure scenarios as they like, so only what cannot be read is
refused here; the kit's own scenarios are read by the stricter :mod:`tck_kit.scenarios`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from gherkin.pickles.compiler import Compiler

from tck_kit.faults import UsageFault
from tck_kit.scenarios import ScenarioFault, ScenarioSyntaxError, feature_text, parse_feature
from tck_spec import ScenarioTag
from tck_spec.coverage import meant

__all__ = ["IDLE_TAGS", "Tagged", "read_tagged", "tags_in_text"]

#: Tags by which scenarios are kept from running in the tools that people use.
IDLE_TAGS: Final = frozenset({"skip", "skipped", "wip", "ignore", "ignored", "pending", "todo", "disabled"})

#: More files than this are no suite of scenarios.
MOST_FILES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Tagged:
    """The scenarios below a folder by their tags (in capitals), and the files that could not be read."""

    folder: Path
    tags: Mapping[str, Sequence[ScenarioTag]]
    faults: tuple[ScenarioFault, ...] = ()

    def meant(self, known: Collection[str]) -> dict[str, Sequence[ScenarioTag]]:
        """Return the tags that were meant as ids of requirements, known or not."""
        ids = meant(self.tags, known)
        return {name: tags for name, tags in self.tags.items() if name in ids}


def read_tagged(folder: Path) -> Tagged:
    """Read every `.feature` below a folder, or one file; raises `UsageFault` where there is none."""
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
            for name, tag in tags_in_text(text, str(path)):
                tags.setdefault(name, []).append(tag)
        except ScenarioSyntaxError as fault:
            faults.append(fault.fault)
    return Tagged(folder, tags, tuple(faults))


def tags_in_text(text: str, where: str) -> Iterator[tuple[str, ScenarioTag]]:
    """Yield each tag of each scenario once, those of its rule and feature included; raises `ScenarioSyntaxError`."""
    document = parse_feature(text, where)
    feature = document.get("feature")
    if feature is None:
        return
    lines = dict(_scenarios(feature))
    pickles = cast("list[dict[str, Any]]", Compiler().compile(cast("Any", {**document, "uri": where})))
    seen: set[tuple[str, int]] = set()
    for pickle in pickles:
        node = next((lines[one] for one in pickle["astNodeIds"] if one in lines), None)
        if node is None:
            continue
        names = [str(tag["name"]).removeprefix("@") for tag in pickle["tags"]]
        idle = next((f"is tagged @{name}" for name in names if name.lower() in IDLE_TAGS), "")
        if not pickle["steps"]:
            idle = idle or "has no steps"
        for name in names:
            key = name.upper(), node[1]
            if key not in seen:
                seen.add(key)
                yield name.upper(), ScenarioTag(node[0], where, node[1], idle)


def _scenarios(feature: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield id, name and line of each scenario."""
    for child in feature["children"]:
        for one in (child, *child.get("rule", {}).get("children", [])):
            if "scenario" in one:
                scenario = one["scenario"]
                yield scenario["id"], (str(scenario["name"]), int(scenario["location"]["line"]))
