"""A drift as people and programs read it: a table, JSON, or Markdown for the discussion of a change."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from tck_kit.authors.change_lines import own_id
from tck_spec.lock.changes import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.text import Text

    from tck_kit.authors.drift import Drift, Drifted
    from tck_spec.lock.changes import Change

__all__ = ["QUIET", "as_json", "as_markdown", "as_table", "summary"]

#: What a reader is shown only if he asks for all.
QUIET: Final[frozenset[Kind]] = frozenset({"unchanged", "moved"})
#: How many scenarios of one change are named before the rest is counted.
_NAMED: Final = 3
_STYLES: Final[dict[Kind, str]] = {
    "reused": "bold red",
    "ask": "bold magenta",
    "strength-changed": "bold red",
    "gone": "red",
    "split": "yellow",
    "merged": "yellow",
    "edited": "yellow",
    "context-changed": "yellow",
    "new": "green",
    "editorial": "cyan",
    "renumbered": "cyan",
    "moved": "dim",
    "unchanged": "dim",
}
#: A piece of a text: one word with the space after it.
_WORD: Final = re.compile(r"\S+\s*")


def as_json(drift: Drift) -> str:
    """Return a drift as JSON."""
    return json.dumps(
        {
            "old": drift.old,
            "new": drift.new,
            "summary": drift.summary,
            "changes": [_fields(one, covered=drift.covered) for one in drift.changes],
        },
        indent=2,
        ensure_ascii=False,
    )


def _fields(one: Drifted, *, covered: bool) -> dict[str, object]:
    change, impact = one.change, one.impact
    fields: dict[str, object] = {
        "kind": change.kind,
        "id": change.id,
        "others": list(change.others),
        "old": change.old,
        "new": change.new,
        "ratio": change.ratio,
        "why": change.why,
        "old_context": change.old_context,
        "new_context": change.new_context,
        "old_section": change.old_section,
        "new_section": change.new_section,
        "moved": change.moved,
        "line": change.line,
        "column": change.column,
        "effect": impact.effect,
    }
    if covered or impact.scenarios:
        fields |= {"scenarios": list(impact.scenarios), "uncovered": list(impact.uncovered)}
    return fields


def summary(drift: Drift) -> str:
    """Return how many changes there are of each kind, in one sentence."""
    counts = drift.summary
    told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts.get(kind))
    suspect = {name for one in drift.changes if one.impact.effect == "suspect" for name in one.impact.scenarios}
    orphan = {name for one in drift.changes if one.impact.effect == "orphan" for name in one.impact.scenarios}
    uncovered = sum(len(one.impact.uncovered) for one in drift.changes)
    effects = f"scenarios: {len(suspect)} suspect, {len(orphan)} orphans; requirements without one: {uncovered}"
    return f"{told or 'nothing is required'}{f'. {effects}' if drift.covered or suspect or orphan else ''}"


def as_table(drift: Drift, *, every: bool = False, color: bool = False, width: int | None = None) -> str:
    """Return a table for a terminal; without colours, what went and came is marked with signs."""
    from rich.console import Console  # noqa: PLC0415 -- only this form draws
    from rich.table import Table  # noqa: PLC0415 -- the same
    from rich.text import Text  # noqa: PLC0415 -- the same

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 1, 0))
    table.add_column("What", no_wrap=True)
    table.add_column("Requirement", overflow="fold")
    table.add_column("Text", overflow="fold", ratio=1)
    shown = [one for one in drift.changes if every or one.change.kind not in QUIET]
    for one in shown:
        change = one.change
        name = Text(own_id(change.id))
        if change.new_section or change.old_section:
            name.append(f"\n{change.new_section or change.old_section}", style="dim")
        cell = _difference(change, color=color)
        for note in _notes(one):
            cell.append(f"\n{note}", style="dim")
        table.add_row(Text(change.kind, style=_STYLES[change.kind]), name, cell)
    console = Console(
        color_system="standard" if color else None,
        force_terminal=color,
        no_color=not color,
        width=width,
        highlight=False,
    )
    with console.capture() as capture:
        if shown:
            console.print(table)
        console.print(Text(summary(drift)))
    return "\n".join(line.rstrip() for line in capture.get().split("\n"))


def _difference(change: Change, *, color: bool) -> Text:
    from rich.text import Text  # noqa: PLC0415 -- as above

    text = Text()
    for sign, words in difference(change):
        style = {"-": "red strike", "+": "green", "=": ""}[sign]
        marks = {"-": ("[-", "-]"), "+": ("{+", "+}"), "=": ("", "")}[sign] if not color else ("", "")
        body = words.rstrip()
        text.append(f"{marks[0]}{body}{marks[1]}", style=style)
        text.append(words[len(body) :] or ("" if sign == "=" else " "))
    return text


def difference(change: Change) -> Iterator[tuple[str, str]]:
    """Yield the pieces of the text: ``=`` for what stayed, ``-`` for what went, ``+`` for what came."""
    old, new = change.old, change.new
    if change.kind == "context-changed":
        old, new = change.old_context, change.new_context
    before, after = _WORD.findall(old), _WORD.findall(new)
    plain = ([word.strip() for word in before], [word.strip() for word in after])
    for operation, a, b, c, d in SequenceMatcher(None, *plain, autojunk=False).get_opcodes():
        if operation == "equal":
            yield "=", "".join(after[c:d])
            continue
        if b > a:
            yield "-", "".join(before[a:b])
        if d > c:
            yield "+", "".join(after[c:d])


def _notes(one: Drifted) -> Iterator[str]:
    """Yield what there is to say of a change besides its text."""
    change, impact = one.change, one.impact
    others = ", ".join(own_id(other) for other in change.others)
    if change.kind == "context-changed":
        yield f"the words are the same: {change.new}"
    if change.why:
        yield change.why
    if others:
        words = {"split": "into", "merged": "from", "ask": "is it", "reused": "was"}
        yield f"{words.get(change.kind, 'it was')} {others}{'?' if change.kind == 'ask' else ''}"
    if change.moved:
        yield f"it was in {change.old_section or 'no section'}"
    if impact.scenarios:
        named = ", ".join(impact.scenarios[:_NAMED])
        more = len(impact.scenarios) - _NAMED
        label = {"orphan": "orphan", "suspect": "suspect", "note": "still shown by"}.get(impact.effect, "shown by")
        yield f"{label}: {named}{f' and {more} more' if more > 0 else ''}"
    if impact.uncovered:
        yield f"no scenario yet: {', '.join(own_id(name) for name in impact.uncovered)}"


def as_markdown(drift: Drift, *, every: bool = False) -> str:
    """Return Markdown: a summary, then the changes by kind, the gravest first."""
    lines = [f"# Changes of requirements from {_code(drift.old)} to {_code(drift.new)}", "", summary(drift) + "."]
    for kind, says in KINDS.items():
        changes = [one for one in drift.changes if one.change.kind == kind]
        if not changes or (kind in QUIET and not every):
            continue
        lines += ["", f"## {kind.capitalize()}: {says}", ""]
        for one in changes:
            change = one.change
            section = change.new_section or change.old_section
            lines.append(f"- **{_plain(own_id(change.id))}**{f' ({_plain(section)})' if section else ''}")
            lines += (f"  - {sign} {_plain(text)}" for sign, text in _texts(change))
            lines += (f"  - {_plain(note)}" for note in _notes(one))
    return "\n".join(lines) + "\n"


def _texts(change: Change) -> Sequence[tuple[str, str]]:
    if change.kind == "context-changed":
        return (("was led in by", change.old_context or "nothing"), ("is led in by", change.new_context or "nothing"))
    if change.old == change.new:
        return ((":", change.new),)
    pairs = (("was:", change.old), ("is:", change.new))
    return [pair for pair in pairs if pair[1]]


def _plain(text: str) -> str:
    """Return a text of which Markdown makes nothing else."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    return f"`{text.replace('`', '')}`"
