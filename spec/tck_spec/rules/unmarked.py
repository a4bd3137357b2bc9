"""A rule on what a document with ids requires without one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tck_spec.findings import Finding
from tck_spec.statements import find_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.blocks import Block
    from tck_spec.rules.context import Context
    from tck_spec.statements import Statement

__all__ = ["unmarked_statement"]

_SHOWN: Final = 60
#: What stands around an id on a line of its own, such as ``r[`` and ``]``.
_MARKS: Final = 4


def unmarked_statement(context: Context) -> Iterator[Finding]:
    """REQ007: a sentence requires something and has no id, in a document whose requirements have ids.

    It is in no list of requirements, so nobody is held to it and no scenario can show it.
    """
    marked = [one for one in context.statements if one.marker]
    if not marked:
        return
    blocks = context.spec.document.blocks
    at: dict[int, int] = {}
    for index, block in enumerate(blocks):
        at[block.line] = index
        at.update((segment.line, index) for segment in block.segments)
        at.update((row.line, index) for row in block.rows)
    own = {at[one.line] for one in marked if one.line in at}
    items = {blocks[index].items[-1] for index in own if blocks[index].items}
    open_sections = {one.section for one in marked if one.line in at and _stands_alone(blocks[at[one.line]], one)}
    for one in find_statements(context.spec, replace(context.settings.form, style="prose")):
        place = at.get(one.line)
        if place is None or place in own or one.section in open_sections or items & set(blocks[place].items):
            continue
        message = f"'{one.text[:_SHOWN]}{'…' if one.text[_SHOWN:] else ''}' requires something and has no id"
        yield Finding("REQ007", "I", one.line, one.column, message, "give it one, or write it without a key word")


def _stands_alone(block: Block, statement: Statement) -> bool:
    """Tell whether an id is a heading, or a line of its own: then what follows it in its section is its text."""
    return block.kind in ("heading", "html") or len(block.text) <= len(statement.marker) + _MARKS
