"""Hover: what stands at a place, in a glance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from lsprotocol import types

from tck_kit.authors.language_server.definitions import section_label
from tck_kit.authors.language_server.diagnostics import end_of
from tck_kit.authors.language_server.explanations import explanation
from tck_kit.authors.language_server.navigation import Spot, spot_at, uses
from tck_kit.authors.language_server.wording import (
    content,
    requirement_words,
    rule_words,
    scenario_words,
    section_words,
)

if TYPE_CHECKING:
    from tck_kit.authors.language_server.workspace import Workspace
    from tck_spec.findings import Finding

__all__ = ["hover"]

#: Counting stops here.
_MOST_COUNTED = 1_000


def hover(
    workspace: Workspace, key: str, position: types.Position, findings: Sequence[Finding] = (), *, markdown: bool = True
) -> types.Hover | None:
    """Return what there is to say of a client's position: of the requirement or section there, and of findings."""
    text = workspace.text(key)
    line, column = text.spot(position)
    spot = spot_at(workspace, key, position)
    parts = [] if spot is None else _about(workspace, key, spot)
    here = [one for one in findings if one.line == line and one.column <= column < end_of(one, text)]
    for code in dict.fromkeys(one.rule for one in here):
        said = explanation(code)
        if said is not None:
            parts.append(rule_words(said))
    if not parts:
        return None
    if spot is not None:
        place = text.range(spot.line, spot.column, spot.end_line, spot.end_column)
    else:
        place = text.range(line, here[0].column, line, end_of(here[0], text))
    return types.Hover(content(parts, markdown=markdown), place)


def _about(workspace: Workspace, key: str, spot: Spot) -> list[str]:
    goal, project = spot.goal, workspace.project(key)
    if goal.definition is not None:
        tags = workspace.tags(project).get(goal.definition.tag, ())
        titles = list(dict.fromkeys(tag.title for _, tag in tags))
        scenarios = [scenario_words(titles)] if project.features else []
        return [*requirement_words(goal.definition), *scenarios]
    if goal.section is not None:
        # The first of the places is the heading itself.
        places = sum(1 for _ in islice(uses(workspace, project, goal), _MOST_COUNTED)) - 1
        document = "" if goal.key == key else goal.key.rpartition("/")[2]
        return list(section_words(section_label(goal.section), document, places))
    return []
