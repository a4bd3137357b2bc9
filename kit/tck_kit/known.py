"""Known failures: the file in which an implementer writes down what their engine is known to fail, and why.

It is TOML, or JSON of the same shape. Whoever reads it in a year has to find out who knew of a failure, since when, and
what for, so an entry without these is refused, and one that is only flaky has a last day.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, Literal, cast

from tck_kit.faults import UsageFault
from tck_kit.project_faults import Fault, refuse, shown, suggestion
from tck_reports.baseline.entries import MOST_TEXT, WAYS, Baseline, Known
from tck_reports.records import BaselineEntry

#: A baseline that is larger than this is no list of known failures.
MOST_BYTES = 4 * 1024 * 1024
_KINDS: Final = ("failure", "flaky")
_TARGETS: Final = ("requirement", "check")
_TEXTS: Final = {"reason": "why it fails", "owner": "who looks after it"}
_DATES: Final = ("since", "until")
_PINS: Final = ("statement", "step", "fails")
#: Pins that are of one check.
_OWN: Final = ("statement", "step")
_STEPS: Final = "When or Then, and give the step as the report has it"
_KEYS: Final = (*_TARGETS, *_TEXTS, *_DATES, *_PINS)
_FORM: Final = (
    'write entries such as [[failure]] requirement = "RESUME-4" reason = "issue 12" owner = "runtime team" '
    "since = 2026-01-31, each key on a line of its own"
)

_Table = Mapping[str, object]
_Pins = tuple[str, str]


def read_baseline(path: Path, today: date | None = None) -> Baseline:
    """Read the known failures, to be held against a run today. Raises `UsageFault` with everything that is wrong."""
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageFault("this is no UTF-8", str(path), "save it as UTF-8") from None
    day = today or datetime.now(UTC).date()
    held = _held(path, text)
    faults = list(_faults(held, day))
    refuse(path, text, faults)
    entries = tuple(_entry(kind, one) for kind in _KINDS for one in _tables(held, kind))
    return Baseline(f"sha256:{hashlib.sha256(content).hexdigest()}", entries, day)


def _content(path: Path) -> bytes:
    try:
        if not path.is_file() and path.exists():
            raise UsageFault("it is no file", str(path), "give the file with --baseline")
        if path.stat().st_size > MOST_BYTES:
            raise UsageFault("the file is larger than 4 MiB", str(path), _FORM)
        return path.read_bytes()
    except OSError as fault:
        raise UsageFault(f"it cannot be read: {fault.strerror}", str(path), "give the file with --baseline") from fault
    except ValueError as fault:
        raise UsageFault(f"it cannot be read: {fault}", str(path), "give the file with --baseline") from fault


def _held(path: Path, text: str) -> _Table:
    """Read TOML, or JSON where the text begins like an object."""
    held: object
    if text.lstrip().startswith("{"):
        try:
            held = json.loads(text)
        except (ValueError, RecursionError) as fault:
            raise UsageFault(f"this is no JSON: {fault}", str(path), _FORM) from None
    else:
        try:
            held = tomllib.loads(text)
        except (ValueError, RecursionError) as fault:
            raise UsageFault(f"this is no TOML: {fault}", str(path), _FORM) from None
    table = cast("_Table", held)
    if table and all(isinstance(one, str) for one in table.values()):
        check, reason = next(iter(table.items()))
        entry = f"[[failure]] check = {shown(check)} reason = {shown(reason)} owner = … since = …"
        raise UsageFault(
            "this is the earlier form of a baseline, which has neither owners nor dates",
            str(path),
            f"write {entry}, each key on a line of its own; `session-tck baseline` writes one of a report",
        )
    return table


def _faults(held: _Table, today: date) -> Iterator[Fault]:
    seen: dict[tuple[str, str], dict[_Pins | None, str]] = {}
    for key, tables in held.items():
        if key not in _KINDS:
            yield Fault((key,), "is not known", suggestion(key, _KINDS))
        elif not isinstance(tables, list):
            yield Fault((key,), "is no list of entries", f"begin each entry with [[{key}]]")
    for kind in _KINDS:
        for number, one in enumerate(_tables(held, kind), 1):
            place = (kind, f"[{number}]")
            yield from (Fault((*place, *keys), what, cure) for keys, what, cure in _mistakes(kind, one, today))
            for target in _TARGETS if isinstance(one, dict) else ():
                if isinstance(name := one.get(target), str):
                    pins, others = _narrowed(kind, target, one), seen.setdefault((target, name), {})
                    clash = next(
                        (there for held, there in others.items() if None in {held, pins} or held == pins), None
                    )
                    if clash is not None:
                        yield Fault(place, f"names {shown(name)}, as {clash} does", "keep one of them")
                    others.setdefault(pins, f"{kind}[{number}]")


def _narrowed(kind: str, target: str, entry: _Table) -> _Pins | None:
    """Return which statement and step of a check an entry is about: there may be others; None where it is about all."""
    statement = entry.get("statement")
    if kind != "failure" or target != "check" or not isinstance(statement, str):
        return None
    return statement, shown(entry.get("step"))


def _mistakes(kind: str, entry: object, today: date) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield what is wrong with one entry, each as key, what, and cure."""
    if not isinstance(entry, Mapping):
        yield (), "is no table", f"begin it with [[{kind}]]"
        return
    table = cast("_Table", entry)
    for key in table:
        if key not in _KEYS:
            yield (key,), "is not known", suggestion(key, _KEYS)
    there = [target for target in _TARGETS if target in table]
    if len(there) != 1:
        what = "names both a requirement and a check" if there else "names neither a requirement nor a check"
        yield (), what, 'give one of them, such as requirement = "RESUME-4"'
    for key in (*_TARGETS, *_TEXTS, *_PINS):
        if key in table and (wrong := _no_text(table[key])):
            yield (key,), wrong, "give a text in quotes"
    for key, what in _TEXTS.items():
        if key not in table:
            yield (), f"lacks {key}", f'write {what}: {key} = "…"'
    yield from _pins(kind, table, there)
    yield from _dates(kind, table, today)


def _pins(kind: str, table: _Table, targets: list[str]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    for key in _PINS:
        if key in table and kind == "flaky":
            yield (key,), "is for a failure alone", "take it out: any try of a flaky check may fail otherwise"
    for key in _OWN if targets == ["requirement"] else ():
        if key in table:
            yield (key,), "is of one check, and the entry is for a requirement", "give check in its place"
    if isinstance(step := table.get("step"), str) and step.strip() and not step.startswith(("When ", "Then ")):
        given = step.startswith("Given ")
        cure = "no entry excuses what did not get as far as its question" if given else f"begin it with {_STEPS}"
        yield ("step",), f"is {shown(step)}", cure
    if isinstance(fails := table.get("fails"), str) and fails not in WAYS:
        cure = "no entry excuses a crash" if fails == "crashed" else suggestion(fails, WAYS)
        yield ("fails",), f"is {shown(fails)}", cure


def _dates(kind: str, table: _Table, today: date) -> Iterator[tuple[tuple[str, ...], str, str]]:
    since, until = (_date(table.get(key)) for key in _DATES)
    for key, value in zip(_DATES, (since, until), strict=True):
        if key in table and value is None:
            yield (key,), f"is {shown(table[key])}, which is no date", f"write it as {key} = {today}"
    if "since" not in table:
        yield (), "lacks since", f"write the day on which it was found: since = {today}"
    elif since is not None and since > today:
        yield ("since",), f"is {since}, and today is {today}", "give the day on which it was found"
    if "until" not in table and kind == "flaky":
        yield (), "lacks until", "write the last day on which it is excused: what is flaky is to be mended"
    elif since is not None and until is not None and until < since:
        yield ("until",), f"is {until}, before {since}", "give a day that is not before since"


def _no_text(value: object) -> str | None:
    if not isinstance(value, str):
        return f"is {shown(value)}"
    if not value.strip():
        return "is empty"
    return f"is longer than {MOST_TEXT:,} characters" if len(value) > MOST_TEXT else None


def _date(value: object) -> date | None:
    """Read a date of TOML, or one in quotes; a date with a time of day is none."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _tables(held: _Table, kind: str) -> list[_Table]:
    tables = held.get(kind)
    return cast("list[_Table]", tables) if isinstance(tables, list) else []


def _entry(kind: str, table: _Table) -> Known:
    """Make an entry of a table in which nothing is wrong."""
    target: Literal["requirement", "check"] = "check" if "check" in table else "requirement"
    until = _date(table.get("until"))
    return Known(
        BaselineEntry(
            kind="flaky" if kind == "flaky" else "failure",
            target=target,
            name=str(table[target]),
            reason=str(table["reason"]),
            owner=str(table["owner"]),
            since=str(_date(table["since"])),
            until=None if until is None else str(until),
        ),
        statement=cast("str | None", table.get("statement")),
        fails=cast("str | None", table.get("fails")),
        step=cast("str | None", table.get("step")),
    )
