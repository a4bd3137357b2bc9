"""The scenarios of a report as feature files: only what was run stands in a report, and consumers ask for a source.

Each text says that it is no file of the suite. Whatever a report holds, it is Gherkin: names and sentences are put on
one line, and what does not begin as a sentence does gets the `*` that stands for any of them. Its syntax tree and its
pickles are written along with it, to the last id what Cucumber's own parser makes of it, in a fifth of the time.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from tck_reports.formats.story import place
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, Report

Node = dict[str, Any]

_REMARKS: Final = (
    "# Written from a report of session-tck: the scenarios of this file as they were run, one for each row of their",
    "# examples. The file itself is in the kit, and its lines are others. When one began is not recorded, so all are",
    "# told to begin with the run, and the time of each is shared out among its steps.",
)
_SENTENCE: Final = re.compile(r"(Given|When|Then|\*) ")
_TYPES: Final[Mapping[str, str]] = {"Given": "Context", "When": "Action", "Then": "Outcome", "*": "Unknown"}
_NOT_IN_TAG: Final = re.compile(r"[\s@#]")


@dataclass(frozen=True, slots=True)
class FeatureSource:
    """One text, the syntax tree of its feature, and a pickle for each check whose scenario is in it."""

    uri: str
    text: str
    document: Node
    pickles: tuple[Node, ...]
    checks: tuple[CheckPart, ...]


def sources(report: Report) -> Iterator[FeatureSource]:
    """Yield a text for each feature file that a check names, in the order in which they come first."""
    by_file: dict[str, list[CheckPart]] = {}
    for check in report["checks"]:
        by_file.setdefault(file_of(check), []).append(check)
    ids = count()
    for name, checks in by_file.items():
        yield source(name, checks, ids)


def source(name: str, checks: list[CheckPart], ids: Iterator[int]) -> FeatureSource:
    """Return the text that holds the scenarios of these checks."""
    written = _Written([*_REMARKS, f"Feature: {name}", ""], ids)
    scenarios = [written.scenario(check) for check in checks]
    feature = {
        "tags": [],
        "location": {"line": len(_REMARKS) + 1, "column": 1},
        "language": "en",
        "keyword": "Feature",
        "name": name,
        "description": "",
        "children": [{"scenario": one} for one in scenarios],
    }
    remarks = [{"location": {"line": line, "column": 1}, "text": text} for line, text in enumerate(_REMARKS, start=1)]
    document = {"feature": feature, "comments": remarks, "uri": name}
    pickles = tuple(_pickle(one, name, ids) for one in scenarios)
    return FeatureSource(name, "\n".join([*written.lines, ""]), document, pickles, tuple(checks))


def file_of(check: CheckPart) -> str:
    """Return the feature file of a check, on one line."""
    return _flat(place(check)[0]) or "unknown"


@dataclass(slots=True)
class _Written:
    """The lines so far; what is added to them comes back as a node of the syntax tree."""

    lines: list[str]
    ids: Iterator[int]

    def scenario(self, check: CheckPart) -> Node:
        """Write the scenario of a check."""
        tags = [f"@{one}" for tag in check["requirements"] if (one := _NOT_IN_TAG.sub("_", visible(tag)))]
        if tags:
            self.lines.append(f"  {' '.join(tags)}")
        tag_line, name = len(self.lines), _flat(check["scenario"])
        self.lines.append(f"  Scenario: {name}".rstrip())
        line = len(self.lines)
        steps = [self._step(_flat(step)) for step in check["steps"]]
        self.lines.append("")
        columns = [3 + sum(len(one) + 1 for one in tags[:place]) for place in range(len(tags))]
        return {
            "tags": [
                {"location": {"line": tag_line, "column": column}, "name": tag, "id": self._id()}
                for tag, column in zip(tags, columns, strict=True)
            ],
            "location": {"line": line, "column": 3},
            "keyword": "Scenario",
            "name": name,
            "description": "",
            "steps": steps,
            "examples": [],
            "id": self._id(),
        }

    def _step(self, sentence: str) -> Node:
        begun = _SENTENCE.match(sentence)
        keyword, text = ("*", sentence) if begun is None else (begun[1], sentence[begun.end() :])
        self.lines.append(f"    {keyword} {text}")
        return {
            "location": {"line": len(self.lines), "column": 5},
            "keyword": f"{keyword} ",
            "keywordType": _TYPES[keyword],
            "text": text,
            "id": self._id(),
        }

    def _id(self) -> str:
        return str(next(self.ids))


def _pickle(scenario: Node, uri: str, ids: Iterator[int]) -> Node:
    steps = [
        {"astNodeIds": [one["id"]], "id": str(next(ids)), "type": one["keywordType"], "text": one["text"]}
        for one in scenario["steps"]
    ]
    return {
        "astNodeIds": [scenario["id"]],
        "id": str(next(ids)),
        "tags": [{"astNodeId": one["id"], "name": one["name"]} for one in scenario["tags"]],
        "name": scenario["name"],
        "language": "en",
        "steps": steps,
        "location": scenario["location"],
        "uri": uri,
    }


def _flat(text: str) -> str:
    return " ".join(visible(text).split())
