"""Navigation: what stands at a place, where it is defined, and which other places refer to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from tck_kit.authors.language_server.definitions import Definition, occurrences
from tck_kit.authors.language_server.mentions import Goal, find_mentions, goal_of, mentions_at
from tck_spec.specification import Specification

if TYPE_CHECKING:
    from tck_kit.authors.language_server.tags import Tag
    from tck_kit.authors.language_server.workspace import Project, Workspace

__all__ = ["Spot", "definition", "references", "spot_at", "tag_at", "uses"]

#: More places than this are not sent; a client shows them as one list.
MOST_PLACES = 2_000


@dataclass(frozen=True, slots=True)
class Spot:
    """What stands at a place: the part of the line that is meant, and where it leads."""

    goal: Goal
    line: int
    column: int
    end_line: int
    end_column: int


def spot_at(workspace: Workspace, key: str, position: types.Position) -> Spot | None:
    """Return what stands at a client's position: a requirement, a reference, a link or a heading."""
    text = workspace.text(key)
    line, column = text.spot(position)
    project = workspace.project(key)
    if _is_feature(workspace, key):
        tag = tag_at(workspace, key, line, column)
        known = workspace.definitions(project).get(tag.folded) if tag else None
        if tag is None or known is None:
            return None
        return Spot(_goal(known), tag.line, tag.column, tag.line, tag.end_column)
    spec = workspace.spec(key)
    if not isinstance(spec, Specification):
        return None
    return (
        _requirement_at(workspace, project, key, line, column)
        or _mention_at(workspace, project, key, spec, (line, column))
        or _heading_at(workspace, key, spec, line)
    )


def tag_at(workspace: Workspace, key: str, line: int, column: int) -> Tag | None:
    """Return the tag at a place of a feature file."""
    for tag in workspace.feature(key).tags:
        if tag.line == line and tag.column <= column <= tag.end_column:
            return tag
    return None


def _is_feature(workspace: Workspace, key: str) -> bool:
    held = workspace.desk.open.get(key)
    return held is not None and held.kind == "feature"


def _goal(known: Definition) -> Goal:
    return Goal(known.key, known.line, known.column, definition=known)


def _requirement_at(workspace: Workspace, project: Project, key: str, line: int, column: int) -> Spot | None:
    """Return the requirement whose id stands at a place, in code as well; of two the longer."""
    string = workspace.text(key).line(line)
    known = [one for one in workspace.definitions(project).values() if one.id in string]
    for one in sorted(known, key=lambda each: -len(each.id)):
        for place in occurrences(string, one.id):
            if place.offset < column <= place.offset + 1 + place.length:
                return Spot(_goal(one), line, place.offset + 1, line, place.offset + 1 + place.length)
    return None


def _mention_at(
    workspace: Workspace, project: Project, key: str, spec: Specification, place: tuple[int, int]
) -> Spot | None:
    for one in mentions_at(spec, workspace.text(key), *place):
        goal = goal_of(workspace, project, key, spec, one.reference)
        if goal is not None:
            return Spot(_stated(workspace, project, goal), one.line, one.column, one.end_line, one.end_column)
    return None


def _stated(workspace: Workspace, project: Project, goal: Goal) -> Goal:
    """Return the requirement that stands where a link leads, if one does."""
    if goal.section is not None or goal.definition is not None:
        return goal
    for one in workspace.definitions(project).values():
        if one.key == goal.key and one.line == goal.line and one.anchor:
            return _goal(one)
    return goal


def _heading_at(workspace: Workspace, key: str, spec: Specification, line: int) -> Spot | None:
    for section in spec.sections:
        if section.line == line:
            end = len(workspace.text(key).line(line)) + 1
            return Spot(Goal(key, line, section.column, section), line, section.column, line, end)
    return None


def definition(workspace: Workspace, key: str, position: types.Position) -> list[types.LocationLink]:
    """Return where what stands at a position is defined."""
    spot = spot_at(workspace, key, position)
    if spot is None:
        return []
    text, goal = workspace.text(spot.goal.key), spot.goal
    end = goal.definition.end_in(text) if goal.definition else len(text.line(goal.line)) + 1
    target = text.range(goal.line, goal.column, goal.line, end)
    origin = workspace.text(key).range(spot.line, spot.column, spot.end_line, spot.end_column)
    return [types.LocationLink(workspace.desk.uri_of(goal.key), target, target, origin)]


def references(workspace: Workspace, key: str, position: types.Position, *, declaration: bool) -> list[types.Location]:
    """Return the places that refer to what stands at a position, its own definition with them if it is asked for."""
    spot = spot_at(workspace, key, position)
    if spot is None:
        return []
    project = workspace.project(key)
    found: list[types.Location] = []
    for name, line, column, end_line, end_column in uses(workspace, project, spot.goal):
        here = (name, line, column) == (spot.goal.key, spot.goal.line, spot.goal.column)
        if declaration or not here:
            place = workspace.text(name).range(line, column, end_line, end_column)
            found.append(types.Location(workspace.desk.uri_of(name), place))
        if len(found) >= MOST_PLACES:
            break
    return found


def uses(workspace: Workspace, project: Project, goal: Goal) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the places that name a goal, its definition among them: key, line, column, end line, end column."""
    if goal.definition is not None:
        yield from _uses_of_requirement(workspace, project, goal.definition)
    else:
        yield goal.key, goal.line, goal.column, goal.line, len(workspace.text(goal.key).line(goal.line)) + 1
        yield from _uses_of_section(workspace, project, goal)


def _uses_of_requirement(
    workspace: Workspace, project: Project, one: Definition
) -> Iterator[tuple[str, int, int, int, int]]:
    for key, spec in workspace.specs(project):
        text = workspace.text(key)
        for place in sorted(occurrences(spec.text, one.id, one.anchor), key=lambda each: each.offset):
            line, column = text.place(place.offset)
            if not (place.anchor and (key, line) == (one.key, one.line)):
                yield key, line, column, line, column + place.length
    for key, tag in workspace.tags(project).get(one.tag, ()):
        yield key, tag.line, tag.column, tag.line, tag.end_column


def _uses_of_section(workspace: Workspace, project: Project, goal: Goal) -> Iterator[tuple[str, int, int, int, int]]:
    seen: set[tuple[str, int, int]] = set()
    for key, spec in workspace.specs(project):
        for one in find_mentions(spec, workspace.text(key)):
            led = goal_of(workspace, project, key, spec, one.reference)
            if led is None or (led.key, led.line) != (goal.key, goal.line):
                continue
            start = key, one.line, one.column
            # A number in the label of a link is a reference as well; the place is one.
            inside = one.reference.kind == "section" and bool(one.reference.link)
            if start not in seen and not inside:
                seen.add(start)
                yield key, one.line, one.column, one.end_line, one.end_column
