"""Rules on the lock: whether a document is as the lock says, and whether ids keep their meaning."""

from __future__ import annotations

import re
import shlex
import weakref
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tck_spec.findings import Finding
from tck_spec.lock.changes import KINDS, weighs
from tck_spec.lock.minting import tag_of
from tck_spec.lock.renumbering import Renumbering
from tck_spec.lock.standing import Standing, lock_path, standing_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tck_spec.lock.changes import Change
    from tck_spec.lock.records import Lock
    from tck_spec.prose import Prose
    from tck_spec.rules.context import Context

__all__ = [
    "id_gap",
    "id_renumbered",
    "id_reused",
    "lock_edited",
    "lock_out_of_date",
    "renumbering",
    "retired_id",
    "standing",
]

#: So many records that were edited by hand are told of one by one.
_MOST_EDITED: Final = 25
#: Gaps are told of where ids are counted: in series of so many, with no more missing than there are.
_SHORTEST_SERIES: Final = 3
_WIDEST_GAP: Final = 9
#: What a sentence says that names a retired id on purpose, and what a section is called that does.
_ON_PURPOSE: Final = re.compile(
    r"\b(?:removed?|withdrawn|withdrew|deprecated|retired|formerly|obsoletes?d?|replace[sd]?|renamed|renumbered|reserved"
    r"|deleted|superseded|previously|was|split|merged)\b",
    re.IGNORECASE,
)
_HISTORY: Final = re.compile(r"\b(?:change ?log|changes|history|revisions?|release notes)\b", re.IGNORECASE)
_COUNTED: Final = re.compile(r"(?P<series>.*?)(?P<number>[0-9]{1,4})")

#: The last document that was looked at, as five rules ask for the same.
_last: list[tuple[weakref.ref[Context], Standing | None]] = []


def standing(context: Context) -> Standing | None:
    """Return how a document stands to its lock; None where it has none."""
    for reference, found in tuple(_last):
        if reference() is context:
            return found
    documents = context.library.documents
    only = len(documents) < 2 or documents[0].source == context.spec.source  # noqa: PLR2004 -- one is the only one
    path = lock_path(context.spec.source, context.settings, only=only)
    found = None if path is None else standing_at(path, context.spec, context.statements)
    _last[:] = [(weakref.ref(context), found)]
    return found


def renumbering(context: Context) -> Callable[[str], str]:
    """Return what says where the section went that had a number, for a rule that finds it named.

    It says nothing, an empty text, of numbers of which nobody knows anything.
    """
    found = standing(context)
    if found is None or found.lock is None:
        return _silent
    return Renumbering(found.lock, context.spec, context.statements)


def _silent(_number: str) -> str:
    return ""


def lock_out_of_date(context: Context) -> Iterator[Finding]:
    """LCK001: the document has changed since the lock was written; a warning where no requirement has."""
    found = standing(context)
    if found is None:
        return
    command = f"`session-tck lock --update {context.spec.source}`"
    if found.fault is not None and not found.path.exists():
        message = f"the lock {found.path} that the settings name is not there"
        yield Finding("LCK001", "E", 1, 1, message, f"write it with {command}")
    if found.update is None:
        return
    # What stands with the id of another requirement is told of by ID002 and LCK003.
    changes = [one for one in found.update.changes if one.kind not in ("unchanged", "moved", "reused")]
    asked = any(one.kind == "ask" for one in changes)
    if not asked and (found.update.lock == found.lock or _bare(found.update.lock) == _bare(found.lock)):
        return
    grave = [one for one in changes if weighs(one)]
    changes.sort(key=lambda one: one not in grave)
    line, column = _place(context, found, next(iter(changes), None))
    what = _counted(changes) if changes else "sections have other numbers, titles or requirements"
    message = f"the lock {found.path.name} is out of date: {what}"
    hint = f"{command}, which asks" if asked else f"look at the changes, then {command}"
    yield Finding("LCK001", "E" if grave else "W", line, column, message, hint)


def _bare(lock: Lock | None) -> Lock | None:
    """Return a lock without what somebody was asked."""
    if lock is None:
        return None
    return replace(lock, requirements=tuple(replace(one, asked=()) for one in lock.requirements))


def _counted(changes: Sequence[Change]) -> str:
    counts = Counter(one.kind for one in changes)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])


def _place(context: Context, found: Standing, change: Change | None) -> tuple[int, int]:
    """Return where a change shows; of what is gone, the section in which it stood."""
    if change is None:
        return 1, 1
    if change.line:
        return change.line, change.column
    now = found.update.lock if found.update else None
    record = found.lock.by_id.get(change.id) if found.lock else None
    section = now.section_by_id.get(record.section) if now and record else None
    heading = next((one for one in context.spec.sections if section and one.slug == section.slug), None)
    return (heading.line, heading.column) if heading else (1, 1)


def lock_edited(context: Context) -> Iterator[Finding]:
    """LCK002: the lock was edited by hand, or a merge has left it broken."""
    found = standing(context)
    if found is None:
        return
    if found.fault is not None and found.path.exists():
        message = f"the lock {found.fault.what}"
        yield Finding("LCK002", "E", max(1, found.fault.line), 1, message, found.fault.cure, str(found.path))
    cure = "restore the record from the repository, then run `session-tck lock --update`"
    for one in found.edited[:_MOST_EDITED]:
        message = f"the record of {one.id} was edited by hand: {one.what}"
        yield Finding("LCK002", "E", one.line, 1, message, cure, str(found.path))
    more = len(found.edited) - _MOST_EDITED
    if more > 0:
        message = f"{more} more records were edited by hand"
        yield Finding("LCK002", "E", found.edited[_MOST_EDITED].line, 1, message, cure, str(found.path))


def retired_id(context: Context) -> Iterator[Finding]:
    """LCK003: an id that the lock has retired stands in the document, as a requirement's or in its text."""
    found = standing(context)
    if found is None or found.lock is None or found.update is None:
        return
    for one in found.update.changes:
        if one.kind == "reused" and one.why:
            message = f"{_own(one.id)} stands here again: {one.why}, and no id is given twice"
            hint = (
                f"give it a new id, or `session-tck accept {shlex.quote(_own(one.id))} --new` if it is that requirement"
            )
            yield Finding("LCK003", "E", one.line, one.column, message, hint, length=len(_own(one.id)))
    yield from _mentions(context, found.lock)


def _mentions(context: Context, lock: Lock) -> Iterator[Finding]:
    marked = {one.marker for one in context.statements if one.marker}
    reported = {one.line for one in context.spec.references if one.kind == "requirement"}
    for record in lock.requirements:
        name = _own(record.id)
        if record.state == "active" or name in marked or name not in context.spec.text:
            continue
        pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        for prose in context.spec.prose:
            text = prose.inline.plain
            if name not in text or _is_history(context, prose):
                continue
            for match in pattern.finditer(text):
                line, column = prose.place_of(match.start())
                if line in reported or _ON_PURPOSE.search(text, max(0, match.start() - 80), match.end() + 80):
                    continue
                into = " and ".join(_own(one) for one in record.into)
                message = f"{name} is retired: it {_PAST[record.state]}{into}"
                hint = f"name {into}" if into else "take it away"
                yield Finding("LCK003", "E", line, column, message, hint, length=len(name))


def _is_history(context: Context, prose: Prose) -> bool:
    """Tell whether a text stands in a section that tells what was."""
    sections = context.spec.sections[: prose.headings]
    return bool(sections) and bool(_HISTORY.search(sections[-1].title))


_PAST: Final = {"gone": "is gone", "split": "was split into ", "merged": "was merged into "}


def _own(identifier: str) -> str:
    """Return an id as the document writes it, without the prefix that it has in the lock."""
    return identifier.partition(":")[2] or identifier


def id_reused(context: Context) -> Iterator[Finding]:
    """ID002: an id stands with another requirement than the lock has for it."""
    for one in _changes(context):
        if one.kind == "reused" and not one.why:
            name = _own(one.id)
            message = f"{name} was another requirement: {_short(one.old)}"
            command = f"session-tck accept {shlex.quote(name)} --new"
            hint = f"give this one a new id, or `{command}` if it is the same, rewritten"
            yield Finding("ID002", "E", one.line, one.column, message, hint, length=len(name))


def id_renumbered(context: Context) -> Iterator[Finding]:
    """ID003: a requirement stands with another id than before, so tags and links name one that is not there."""
    for one in _changes(context):
        if one.others and one.id not in one.others and one.kind not in ("split", "merged", "ask", "reused"):
            was = _own(one.others[0])
            message = f"{_own(one.id)} is what {was} was"
            hint = f"`session-tck lock --update` keeps @{tag_of(was)} as an alias"
            yield Finding("ID003", "W", one.line, one.column, message, hint, length=len(_own(one.id)))


def _changes(context: Context) -> Sequence[Change]:
    found = standing(context)
    return found.update.changes if found and found.update else ()


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else f"{words[:79]}…"  # noqa: PLR2004 -- a message stays on one line


def id_gap(context: Context) -> Iterator[Finding]:
    """ID005: a number is missing in a series of ids, and the lock does not know of one that had it."""
    series: dict[str, dict[int, tuple[int, int, str]]] = defaultdict(dict)
    for one in context.statements:
        match = _COUNTED.fullmatch(one.marker) if one.marker else None
        if match:
            series[match["series"]].setdefault(int(match["number"]), (one.line, one.column, one.marker))
    found = standing(context)
    records = found.lock.requirements if found and found.lock else ()
    had = {_own(name) for one in records for name in (one.id, *one.aliases)}
    # Where there is a 1.2.1, 1.2 is the number of something that has parts.
    had.update(name[:-1] for name in series if name.endswith("."))
    for name, numbers in series.items():
        order = sorted(numbers)
        missing = order[-1] - order[0] + 1 - len(order)
        if len(order) < _SHORTEST_SERIES or missing > len(order):
            continue
        for before, after in pairwise(order):
            gone = [one for one in range(before + 1, after) if f"{name}{one}" not in had]
            if gone and after - before - 1 <= _WIDEST_GAP:
                line, column, marker = numbers[after]
                told = ", ".join(f"{name}{one}" for one in gone)
                message = f"{marker} follows {numbers[before][2]}: there is no {told}"
                hint = "leave it, if it was withdrawn: no id is given twice"
                yield Finding("ID005", "I", line, column, message, hint, length=len(marker))
