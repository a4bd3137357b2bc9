"""Completion: ids of requirements, numbers of sections and anchors, where one is being written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from tck_kit.authors.language_server.definitions import section_label
from tck_kit.authors.language_server.wording import content, requirement_words
from tck_spec.specification import Specification
from tck_spec.targets import targets_of

if TYPE_CHECKING:
    from tck_kit.authors.language_server.definitions import Definition
    from tck_kit.authors.language_server.workspace import Project, Workspace

__all__ = ["TRIGGERS", "complete"]

#: After these a client asks by itself; elsewhere it does so within a word.
TRIGGERS: Final = ("@", "#", "§", " ", ".", "-")

#: A longer list is cut, and asked for again when more is typed.
_MOST_OFFERED: Final = 300

_TAG: Final = re.compile(r"\s*(?:@[^\s@#]+\s+)*@(?P<word>[^\s@#]*)\Z")
_ANCHOR: Final = re.compile(
    r"(?:\]\(<?|^\s{0,3}\[[^\[\]]+\]:\s*<?|\bhref\s?=\s?[\"'])(?P<path>[^()\s#<>\"']*)#(?P<word>[^()\s<>\"']*)\Z"
)
_NUMBER: Final = re.compile(
    r"(?:§§?\s?|(?<![\w-])(?:[Ss]ections?|SECTIONS?|[Ss]ecs?\.|[Ss]ect\.|[Cc]lauses?)\s{1,3}(?:§\s?)?"
    r"(?:\d[\w.]*(?:,|,? and|,? or|–|-| to)\s?)*)(?P<word>\d[\w.]*|)\Z"
)
_APPENDIX: Final = re.compile(r"(?<![\w-])(?:[Aa]ppendix|[Aa]nnex)\s{1,3}(?P<word>[A-Z][\w.]*|)\Z")
_ID: Final = re.compile(r"(?<![\w-])(?P<word>[A-Za-z][\w.-]+)\Z")
_REST: Final = re.compile(r"[\w.-]*")


def complete(
    workspace: Workspace, key: str, position: types.Position, *, markdown: bool = True
) -> types.CompletionList:
    """Return what may be meant at a client's position."""
    text = workspace.text(key)
    line, column = text.spot(position)
    before = text.line(line)[: text.offset(line, column) - text.offset(line, 1)]
    held = workspace.desk.open.get(key)
    if held is not None and held.kind == "feature":
        items = _tags(workspace, key, before, markdown=markdown)
    elif held is not None and held.kind == "markdown":
        items = _in_markdown(workspace, key, line, before, markdown=markdown)
    else:
        items = iter(())
    found: list[types.CompletionItem] = []
    for start, item in items:
        if len(found) == _MOST_OFFERED:
            return types.CompletionList(is_incomplete=True, items=found)
        rest = _REST.match(text.line(line), len(before))
        end = column + (rest.end() - rest.start() if rest else 0)
        place = text.range(line, start, line, end)
        item.text_edit = types.TextEdit(place, item.insert_text or item.label)
        item.insert_text = None
        found.append(item)
    return types.CompletionList(is_incomplete=False, items=found)


def _tags(workspace: Workspace, key: str, before: str, *, markdown: bool) -> Iterator[tuple[int, types.CompletionItem]]:
    match = _TAG.match(before)
    if not match:
        return
    typed = match["word"].lower()
    known = workspace.definitions(workspace.project(key)).values()
    for one in sorted(known, key=lambda each: _natural(each.id)):
        if typed in one.tag:
            yield match.start("word"), _item(one, f"@{one.tag}", markdown=markdown)


def _in_markdown(
    workspace: Workspace, key: str, line: int, before: str, *, markdown: bool
) -> Iterator[tuple[int, types.CompletionItem]]:
    anchor, word = _ANCHOR.search(before), _ID.search(before)
    number = _NUMBER.search(before) or _APPENDIX.search(before)
    if not (anchor or number or word):
        return
    spec, project = workspace.spec(key), workspace.project(key)
    if not isinstance(spec, Specification) or _in_code(spec, line):
        return
    if anchor:
        yield from _anchors(workspace, project, spec, anchor)
    elif number:
        yield from _numbers(spec, number)
    elif word:
        for one in workspace.definitions(project).values():
            if one.id.startswith(word["word"]):
                yield word.start("word") + 1, _item(one, one.id, markdown=markdown)


def _in_code(spec: Specification, line: int) -> bool:
    """Tell whether a line is code, where nothing is a reference."""
    return any(
        block.kind in ("fence", "code") and any(segment.line == line for segment in block.segments)
        for block in spec.document.blocks
    )


def _item(one: Definition, label: str, *, markdown: bool) -> types.CompletionItem:
    return types.CompletionItem(
        label=label,
        kind=types.CompletionItemKind.Reference,
        detail=" · ".join(word for word in (one.level, one.status, one.section) if word),
        documentation=content(requirement_words(one), markdown=markdown),
        sort_text=_natural(one.id),
    )


def _natural(identifier: str) -> str:
    """Return a key by which ``RESUME-9`` comes before ``RESUME-10``."""
    return re.sub(r"\d+", lambda match: match.group().zfill(6), identifier.lower())


def _numbers(spec: Specification, match: re.Match[str]) -> Iterator[tuple[int, types.CompletionItem]]:
    for index, section in enumerate(spec.sections):
        number = (section.number or "").removeprefix("Appendix ")
        letter = not section.number or not section.number[0].isdigit()
        if number and number.startswith(match["word"]) and letter is (match.re is _APPENDIX):
            yield (
                match.start("word") + 1,
                types.CompletionItem(
                    label=number,
                    kind=types.CompletionItemKind.Reference,
                    detail=section.title,
                    sort_text=f"{index:06}",
                ),
            )


def _anchors(
    workspace: Workspace, project: Project, spec: Specification, match: re.Match[str]
) -> Iterator[tuple[int, types.CompletionItem]]:
    document: Specification | None = spec
    if match["path"]:
        document = workspace.library(project, spec).look(spec.source, match["path"]).document
    if document is None:
        return
    targets = targets_of(document)
    titles = {name: section_label(section) for name, section in targets.slugs(project.settings.anchors[0]).items()}
    typed = match["word"].lower()
    for index, name in enumerate(dict.fromkeys(targets.names(project.settings.anchors))):
        if typed in name.lower():
            yield (
                match.start("word") + 1,
                types.CompletionItem(
                    label=name,
                    kind=types.CompletionItemKind.Reference,
                    detail=titles.get(name, "an anchor of its own"),
                    filter_text=f"{name} {titles.get(name, '')}".strip(),
                    sort_text=f"{index:06}",
                ),
            )
