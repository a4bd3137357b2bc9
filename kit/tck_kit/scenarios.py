"""Scenarios as gherkin-official reads them: the reader of record, whatever executes them afterwards.

Whatever could make a scenario pass without proving anything is refused here: a scenario without steps, without exactly
one When and one Then, an outline without rows, two scenarios of one name, a tag that names no requirement, a sentence
that no step defines. Executing tools let most of these through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from gherkin.errors import CompositeParserException, ParserError
from gherkin.parser import Parser
from gherkin.pickles.compiler import Compiler
from gherkin.token_scanner import TokenScanner

from tck_driver.errors import KitError
from tck_features.library import LIBRARY
from tck_features.sentences import Kind, Sentences

#: Examples of this name cross what others have shown one by one; a run has them when it is to be thorough.
MORE = "Examples: more combinations"
#: Tags that name no requirement: `quick` is on what a quick run of an engine has that takes its time.
LABELS = frozenset({"quick"})
#: A feature file that is larger than this is nobody's work.
MOST_BYTES = 1024 * 1024
_KINDS: Mapping[str, Kind] = {"Context": "given", "Action": "when", "Outcome": "then"}
#: A parsed Gherkin node; the library gives plain dictionaries.
Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """One sentence of a scenario, with the values of an outline filled in."""

    kind: Kind
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing to execute: a scenario, or one row of an outline.

    `id` names it in reports and stays the same when lines move; `key` is how an executing tool finds it: path, the
    scenario's line, and the values of the row. `tags` name requirements; what else it is tagged with is in `labels`.
    """

    id: str
    name: str
    path: str
    line: int
    row_line: int
    values: tuple[str, ...]
    tags: tuple[str, ...]
    steps: tuple[ScenarioStep, ...]
    labels: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[str, int, tuple[str, ...]]:
        """How it is found in its file."""
        return (self.path, self.line, self.values)

    @property
    def place(self) -> str:
        """Path and line of what a reader wants to see: the row, if there is one."""
        return f"{self.path}:{self.row_line or self.line}"

    @property
    def requirements(self) -> tuple[str, ...]:
        """The IDs of the requirements that its tags name."""
        return tuple(dict.fromkeys(tag.upper() for tag in self.tags))


@dataclass(frozen=True, slots=True)
class ScenarioFault:
    """Something that keeps a scenario from proving anything: where, what, and what to do."""

    place: str
    message: str
    kind: Literal["syntax", "structure", "tag", "sentence"] = "structure"

    def __str__(self) -> str:
        """Give it on one line."""
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Suite:
    """All scenarios of a folder, and what is wrong with them."""

    folder: Path
    scenarios: tuple[Scenario, ...]
    faults: tuple[ScenarioFault, ...]
    #: How many rows of `more combinations` were left out.
    left_out: int = 0


def trimmed(text: str) -> tuple[str, int]:
    """Blank out the Examples called `more combinations`, with their tags; give the text and how many rows went.

    Lines keep their numbers, so whatever reads the text names the same places as in the whole file.
    """
    lines = text.split("\n")
    left_out = 0
    for start, line in enumerate(lines):
        if line.strip() != MORE:
            continue
        before = start - 1
        while before >= 0 and lines[before].strip().startswith("@"):
            lines[before] = ""
            before -= 1
        after = start + 1
        while after < len(lines) and (not lines[after].strip() or lines[after].strip().startswith("|")):
            after += 1
        left_out += max(0, sum(bool(one.strip()) for one in lines[start + 1 : after]) - 1)
        lines[start:after] = [""] * (after - start)
    return "\n".join(lines), left_out


def read_suite(
    folder: Path,
    known: Iterable[str],
    sentences: Sentences | None = LIBRARY,
    *,
    thorough: bool = True,
    wanted: Callable[[Sequence[Scenario]], bool] | None = None,
) -> Suite:
    """Read every `.feature` below a folder; `known` are the IDs that tags may name, in lower case.

    Without `thorough` the rows of `more combinations` are left out. Without `sentences` nobody looks whether they are
    defined, as in a worker whose run has looked already. A file whose scenarios are not `wanted` is left out.
    """
    scenarios: list[Scenario] = []
    faults: list[ScenarioFault] = []
    left_out = 0
    tags = set(known)
    for path in sorted(folder.rglob("*.feature")):
        where = path.relative_to(folder).as_posix()
        try:
            text, rows = feature_text(path, where, thorough=thorough)
            found, wrong = _read_text(text, where, LABELS - tags)
        except ScenarioSyntaxError as fault:
            faults.append(fault.fault)
            continue
        if wanted is not None and found and not wanted(found):
            continue
        left_out += rows
        scenarios.extend(found)
        faults.extend(wrong)
    faults.extend(_twins(scenarios))
    for scenario in scenarios:
        faults.extend(_structure(scenario))
        faults.extend(_tags(scenario, tags))
        faults.extend(_sentences(scenario, sentences) if sentences else ())
    return Suite(folder, tuple(scenarios), tuple(dict.fromkeys(faults)), left_out)


def write_suite(source: Path, target: Path, *, thorough: bool, paths: Collection[str] | None = None) -> None:
    """Write the features below one folder into another, as they are to be run; `paths` says which, all without it."""
    for path in sorted(source.rglob("*.feature")):
        where = path.relative_to(source)
        if paths is not None and where.as_posix() not in paths:
            continue
        text, _ = feature_text(path, where.as_posix(), thorough=thorough)
        (target / where).parent.mkdir(parents=True, exist_ok=True)
        (target / where).write_text(text, encoding="utf-8")


class ScenarioSyntaxError(Exception):
    """A feature file cannot be read at all."""

    def __init__(self, fault: ScenarioFault) -> None:
        """Keep the fault to report."""
        super().__init__(str(fault))
        self.fault = fault


def _read_text(text: str, where: str, labels: Collection[str]) -> tuple[list[Scenario], list[ScenarioFault]]:
    document = parse_feature(text, where)
    feature: Node | None = document.get("feature")
    if feature is None:
        raise ScenarioSyntaxError(ScenarioFault(f"{where}:1", "there is no feature in this file", "syntax"))
    faults: list[ScenarioFault] = []
    if feature.get("tags"):
        faults.append(ScenarioFault(f"{where}:{_line(feature)}", "a tag stands on the feature; put it on a scenario"))
    if not list(_scenarios(feature)):
        faults.append(ScenarioFault(f"{where}:{_line(feature)}", "there is no scenario in this feature"))
    nodes: dict[str, Node] = {}
    rows: dict[str, Node] = {}
    for scenario in _scenarios(feature):
        nodes[scenario["id"]] = scenario
        place = f"{where}:{_line(scenario)}"
        if not scenario["steps"]:
            faults.append(ScenarioFault(place, f"the scenario {scenario['name']!r} has no steps"))
        if "Outline" in scenario["keyword"] and not scenario["examples"]:
            faults.append(ScenarioFault(place, f"the outline {scenario['name']!r} has no Examples"))
        for examples in scenario["examples"]:
            if not examples.get("tableBody"):
                faults.append(ScenarioFault(f"{where}:{_line(examples)}", "these Examples have no rows"))
            rows |= {row["id"]: row for row in examples.get("tableBody", [])}
    pickles = cast("list[Node]", Compiler().compile(cast("Any", {**document, "uri": where})))
    return [_scenario(pickle, nodes, rows, where, labels) for pickle in pickles], faults


def feature_text(path: Path, where: str, *, thorough: bool) -> tuple[str, int]:
    """Read a file within bounds; give its text as it is to be run, and how many rows that leaves out.

    Raises `ScenarioSyntaxError`.
    """
    try:
        if path.exists() and not path.is_file():
            raise ScenarioSyntaxError(ScenarioFault(where, "this is no file", "syntax"))
        if path.stat().st_size > MOST_BYTES:
            raise ScenarioSyntaxError(ScenarioFault(where, "the file is larger than 1 MiB", "syntax"))
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ScenarioSyntaxError(ScenarioFault(where, "the file is not UTF-8 text", "syntax")) from None
    except OSError as fault:
        raise ScenarioSyntaxError(
            ScenarioFault(where, f"the file cannot be read: {fault.strerror}", "syntax")
        ) from None
    return (text, 0) if thorough else trimmed(text)


def parse_feature(text: str, where: str) -> Node:
    """Parse the text of a feature file; raises `ScenarioSyntaxError`."""
    try:
        document = cast("Node", Parser().parse(TokenScanner(text)))
    except CompositeParserException as fault:
        first = fault.errors[0]
        raise ScenarioSyntaxError(ScenarioFault(f"{where}:{first.location['line']}", str(first), "syntax")) from None
    except ParserError as fault:
        raise ScenarioSyntaxError(ScenarioFault(where, str(fault), "syntax")) from None
    return document


def _scenarios(feature: Node) -> Iterator[Node]:
    for child in feature["children"]:
        if "scenario" in child:
            yield child["scenario"]
        for grandchild in child.get("rule", {}).get("children", []):
            if "scenario" in grandchild:
                yield grandchild["scenario"]


def _line(node: Node) -> int:
    return int(node["location"]["line"])


def _scenario(
    pickle: Node, nodes: Mapping[str, Node], rows: Mapping[str, Node], where: str, labels: Collection[str]
) -> Scenario:
    source = [node_id for node_id in pickle["astNodeIds"] if node_id in nodes]
    row = next((rows[node_id] for node_id in pickle["astNodeIds"] if node_id in rows), None)
    node = nodes[source[0]]
    lines = {step["id"]: _line(step) for step in node["steps"]}
    steps = [
        ScenarioStep(
            _KINDS.get(step.get("type", ""), "given"),
            step["text"],
            next((lines[node_id] for node_id in step["astNodeIds"] if node_id in lines), _line(node)),
        )
        for step in pickle["steps"]
    ]
    values = () if row is None else tuple(str(cell["value"]) for cell in row["cells"])
    cells = "" if row is None else f"[{', '.join(values)}]"
    tags = tuple(tag["name"].removeprefix("@") for tag in pickle["tags"])
    return Scenario(
        id=f"{where}::{node['name']}{cells}",
        name=f"{pickle['name']}{cells}",
        path=where,
        line=_line(node),
        row_line=0 if row is None else _line(row),
        values=values,
        tags=tuple(tag for tag in tags if tag not in labels),
        steps=tuple(steps),
        labels=frozenset(tags).intersection(labels),
    )


def _twins(scenarios: Sequence[Scenario]) -> Iterator[ScenarioFault]:
    """Find names that stand twice in a file: an executing tool keeps one of them and drops the other in silence."""
    names: dict[tuple[str, str], set[int]] = {}
    for scenario in scenarios:
        name = scenario.id.partition("::")[2].partition("[")[0]
        names.setdefault((scenario.path, name), set()).add(scenario.line)
    for (path, name), lines in names.items():
        if len(lines) > 1:
            yield ScenarioFault(f"{path}:{max(lines)}", f"the name {name!r} stands twice in this file")
    ids = Counter(scenario.id for scenario in scenarios)
    for scenario in scenarios:
        if ids[scenario.id] > 1 and len(names[scenario.path, scenario.id.partition("::")[2].partition("[")[0]]) == 1:
            yield ScenarioFault(scenario.place, "this row stands twice in its outline")


def _structure(scenario: Scenario) -> Iterator[ScenarioFault]:
    order = [step.kind for step in scenario.steps]
    if not order:
        return
    for kind in ("when", "then"):
        if kind not in order:
            yield ScenarioFault(scenario.place, f"the scenario {scenario.name!r} has no {kind.capitalize()}")
    rank = {"given": 0, "when": 1, "then": 2}
    if sorted(order, key=rank.__getitem__) != order:
        yield ScenarioFault(
            scenario.place, f"the scenario {scenario.name!r} must have its Givens, one When and one Then in this order"
        )


def _tags(scenario: Scenario, known: set[str]) -> Iterator[ScenarioFault]:
    if not scenario.tags:
        yield ScenarioFault(scenario.place, f"the scenario {scenario.name!r} names no requirement in a tag", "tag")
    for tag in scenario.tags:
        if tag not in known:
            yield ScenarioFault(scenario.place, f"the tag @{tag} names no requirement of the specification", "tag")


def _sentences(scenario: Scenario, sentences: Sentences) -> Iterator[ScenarioFault]:
    for step in scenario.steps:
        try:
            for _ in sentences.calls(step.kind, step.text):
                pass
        except KitError as fault:
            yield ScenarioFault(f"{scenario.path}:{step.line}", str(fault), "sentence")
