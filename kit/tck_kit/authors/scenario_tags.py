"""Which scenarios have which tag: all that a lock has to know of somebody's feature files.

Rows are blanked before Gherkin's own parser sees them. They say nothing of tags, and without them a suite of hundreds
of outlines is read in a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from gherkin.errors import CompositeParserException, ParserError
from gherkin.parser import Parser
from gherkin.token_scanner import TokenScanner

from tck_kit.faults import UsageFault

__all__ = ["read_tags"]

_MOST_FILES: Final = 20_000
_MOST_BYTES: Final = 1024 * 1024

Node = Mapping[str, Any]


def read_tags(folder: Path) -> dict[str, list[str]]:
    """Return the scenarios of each tag, in lower case, as ``path::name`` with the path below the folder."""
    if not folder.is_dir():
        raise UsageFault("there is no such folder", str(folder), "give a folder that holds .feature files")
    tags: dict[str, list[str]] = {}
    for number, path in enumerate(sorted(folder.rglob("*.feature"))):
        if number >= _MOST_FILES:
            raise UsageFault(
                f"there are more than {_MOST_FILES} .feature files in it", str(folder), "name a part of it"
            )
        where = path.relative_to(folder).as_posix()
        for tag, name in _tags(_feature(path)):
            tags.setdefault(tag, []).append(f"{where}::{name}")
    return {tag: list(dict.fromkeys(scenarios)) for tag, scenarios in sorted(tags.items())}


def _feature(path: Path) -> Node:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            raise UsageFault("is no file of scenarios, or larger than 1 MiB", str(path), "split it, or move it away")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageFault("is not UTF-8", str(path), "save it as UTF-8") from None
    except OSError as error:
        raise UsageFault(f"cannot be read ({error.strerror})", str(path), "check its permissions") from None
    lines = ["" if line.lstrip().startswith("|") else line for line in text.split("\n")]
    try:
        document = cast("Node", Parser().parse(TokenScanner("\n".join(lines))))
    except CompositeParserException as fault:
        line = fault.errors[0].location["line"]
        raise UsageFault("is not Gherkin", f"{path}:{line}", "mend it; `session-tck check` says more") from None
    except (ParserError, RecursionError):
        raise UsageFault("is not Gherkin", str(path), "mend it; `session-tck check` says more") from None
    return cast("Node", document.get("feature") or {})


def _tags(feature: Node) -> Iterator[tuple[str, str]]:
    """Yield tag and name of each scenario; the tags of its feature and its rule are its own, and those of its rows."""
    outer = _names(feature)
    for child in cast("Sequence[Node]", feature.get("children", ())):
        rule = cast("Node", child.get("rule", {}))
        for one in (child, *cast("Sequence[Node]", rule.get("children", ()))):
            scenario = cast("Node", one.get("scenario", {}))
            if not scenario:
                continue
            of_rows = (name for rows in cast("Sequence[Node]", scenario["examples"]) for name in _names(rows))
            for tag in dict.fromkeys((*outer, *_names(rule), *_names(scenario), *of_rows)):
                yield tag, " ".join(str(scenario["name"]).split())


def _names(node: Node) -> list[str]:
    return [str(tag["name"]).removeprefix("@").lower() for tag in cast("Sequence[Node]", node.get("tags", ()))]
