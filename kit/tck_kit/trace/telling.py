"""The changes of a regrade as text, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from tck_kit.trace.changes import Change, Changes
from tck_kit.trace.reading import Trace
from tck_reports.plain import visible
from tck_reports.shape import Report

SCHEMA_ID: Final = "urn:session-tck:schemas/regrade-1.json"
_TITLES: Final = {"verdict": "Verdicts", "requirement": "Requirements", "check": "Checks"}
#: So many changes of a kind are told to people; JSON has all.
_MOST: Final = 50


def notes(trace: Trace, old: Report, new: Report) -> tuple[str, ...]:
    """Say what a reader has to know of the trace itself."""
    found: list[str] = []
    ran = [one["id"] for one in old["checks"] if one["outcome"] != "not_run"]
    lost = [name for name in ran if name not in trace.scenarios]
    if not trace.complete:
        found.append(f"the trace breaks off: {len(lost)} of {len(ran)} scenarios of the run are missing from it")
    elif lost:
        found.append(f"{_many(len(lost), 'scenario')} of the run {'is' if len(lost) == 1 else 'are'} not in the trace")
    gone = [name for name in trace.scenarios if name not in {one["id"] for one in new["checks"]}]
    if gone:
        verb = "is" if len(gone) == 1 else "are"
        found.append(f"{_many(len(gone), 'scenario')} of the trace {verb} not in this kit: {gone[0]}")
    if trace.head.baseline is not None and new["baseline"] is None:
        found.append("the run was held against a baseline; give it with --baseline to have it excuse what it excused")
    return tuple(found)


def _many(count: int, one: str) -> str:
    return f"{count} {one}{'' if count == 1 else 's'}"


def headline(trace: Trace, changes: Changes, new: Report) -> str:
    """Say it in one line."""
    kits = f"recorded by kit {trace.head.kit.version}, judged by {new['kit']['version']}"
    if not changes.changed:
        return f"Nothing changed: {len(new['checks'])} checks came out as before ({kits})"
    counts = [_many(len(some), kind) for kind in _TITLES if (some := changes.of(kind))]
    return f"Changed: {', '.join(counts)} ({kits})"


def text(trace: Trace, changes: Changes, old: Report, new: Report) -> str:
    """Tell it for a terminal."""
    return "\n".join(visible(line) for line in _text(trace, changes, old, new)) + "\n"


def _text(trace: Trace, changes: Changes, old: Report, new: Report) -> Iterator[str]:
    yield headline(trace, changes, new)
    yield from (f"note: {one}" for one in notes(trace, old, new))
    for kind, title in _TITLES.items():
        some = changes.of(kind)
        if not some:
            continue
        yield ""
        yield title
        for one in some[:_MOST]:
            yield f"  {one.id}: {_moved(one)}"
            yield f"    {one.why}"
        if len(some) > _MOST:
            yield f"  … and {len(some) - _MOST} more; --format json has all"
    if changes.looked:
        yield ""
        yield f"{_looked(changes)}:"
        yield from (f"  {name}: {why}" for name, why in list(changes.looked.items())[:_MOST])
    yield ""
    yield f"exit code {new['exit_code']}: {new['exit_reason']}"


def _looked(changes: Changes) -> str:
    count = len(changes.looked)
    return f"{_many(count, 'check')} of the same outcome {'looks' if count == 1 else 'look'} at something else"


def _moved(one: Change) -> str:
    return f"{one.old or 'absent'} → {one.new or 'absent'}"


def markdown(trace: Trace, changes: Changes, old: Report, new: Report) -> str:
    """Tell it for a page or a comment."""
    return "\n".join(_markdown(trace, changes, old, new)) + "\n"


def _markdown(trace: Trace, changes: Changes, old: Report, new: Report) -> Iterator[str]:
    yield f"## {_cell(headline(trace, changes, new))}"
    yield ""
    for note in notes(trace, old, new):
        yield f"> {_cell(note)}"
        yield ""
    for kind, title in _TITLES.items():
        some = changes.of(kind)
        if not some:
            continue
        yield f"### {title}"
        yield ""
        yield "| | was | is | why |"
        yield "|---|---|---|---|"
        for one in some[:_MOST]:
            yield f"| {_cell(one.id)} | {one.old or '–'} | {one.new or '–'} | {_cell(one.why)} |"
        if len(some) > _MOST:
            yield ""
            yield f"… and {len(some) - _MOST} more."
        yield ""
    if changes.looked:
        yield f"{_looked(changes)}."
        yield ""
    yield f"Exit code {new['exit_code']}: {_cell(new['exit_reason'])}"


def _cell(value: str) -> str:
    """Give a text such that Markdown takes nothing in it for markup."""
    line = " ".join(visible(value).split())
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>#|~!&@" else one for one in line)


def as_json(trace: Trace, changes: Changes, old: Report, new: Report) -> str:
    """Tell all of it for programs."""
    content = {
        "schema": SCHEMA_ID,
        "trace": {"digest": trace.digest, "complete": trace.complete, "kit": trace.head.kit.version},
        "old": {"report": old["digest"], "exit_code": old["exit_code"]},
        "new": {"report": new["digest"], "kit": new["kit"]["version"], "exit_code": new["exit_code"]},
        "changed": [asdict(one) for one in changes.changed],
        "looked": dict(changes.looked),
        "notes": list(notes(trace, old, new)),
    }
    return f"{json.dumps(content, indent=2)}\n"
