"""Reading a lock: strict, line by line, against a table of keys.

Whatever the tool did not write itself is refused with the line and what to do, because a lock that is half understood
would let changes pass. Only a record that does not fit itself is read on, as that is a finding.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn, cast

from tck_spec.findings import did_you_mean
from tck_spec.lock.records import FORMAT, Header, Link, Lock, RequirementRecord, SectionRecord, State, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RESTORE", "Edited", "LockFault", "parse_lock"]

_MOST_LINES: Final = 500_000
_LONGEST_LINE: Final = 1024 * 1024

_MARKERS: Final = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
#: What to do with a file that is broken.
RESTORE: Final = "restore the file from the repository, then run `session-tck lock --update`"
_MERGE: Final = "keep the lines of both sides without the markers, then run `session-tck lock --update`"
_NEWER: Final = "it was written by another version of session-tck, or by hand"
_TWICE: Final = "keep one of the two lines"


class LockFault(Exception):  # noqa: N818 -- it becomes an error or a finding, as the caller needs it
    """Why a lock cannot be used: the line, what is wrong, what to do."""

    def __init__(self, line: int, what: str, cure: str) -> None:
        """Keep the parts."""
        super().__init__(line, what, cure)
        self.line = line
        self.what = what
        self.cure = cure


@dataclass(frozen=True, slots=True)
class Edited:
    """A record that somebody changed by hand: it can be read, and does not fit itself."""

    line: int
    id: str
    what: str


@dataclass(frozen=True, slots=True)
class _Key:
    """One key of a record: what its value is, and whether it has to be there."""

    kind: type
    needed: bool = True
    #: The values that it may have; empty for any.
    among: tuple[str, ...] = ()


_TEXT: Final = _Key(str)
_TEXTS: Final = _Key(list)
_MAYBE: Final = _Key(str, needed=False)
_LISTED: Final = _Key(list, needed=False)

#: Keys of which no text may be empty.
_NAMES: Final = ("aliases", "ask", "from", "id", "into", "req", "scenario", "was")
_STATES: Final[Mapping[str, State]] = {"active": "active", "split": "split", "merged": "merged", "gone": "gone"}
_VERDICTS: Final[Mapping[str, Verdict]] = {"reviewed": "reviewed", "editorial": "editorial"}
#: The keys of each kind of line, as they are written.
_KEYS: Final[Mapping[str, Mapping[str, _Key]]] = {
    "header": {"doc": _TEXT, "lock": _Key(int), "parser": _TEXT, "slug": _TEXT, "source": _TEXT},
    "section": {
        "id": _TEXT,
        "in": _MAYBE,
        "num": _TEXT,
        "slug": _TEXT,
        "state": _Key(str, needed=False, among=("gone",)),
        "title": _TEXT,
        "was": _LISTED,
    },
    "active": {
        "aliases": _TEXTS,
        "ask": _LISTED,
        "context": _LISTED,
        "fc": _TEXT,
        "fl": _TEXT,
        "fp": _TEXT,
        "from": _LISTED,
        "id": _TEXT,
        "level": _TEXT,
        "n": _Key(int, needed=False),
        "sec": _TEXT,
        "since": _TEXT,
        "state": _TEXT,
        "text": _TEXT,
    },
    "split": {"id": _TEXT, "into": _TEXTS, "state": _TEXT},
    "merged": {"id": _TEXT, "into": _TEXTS, "state": _TEXT},
    "gone": {"id": _TEXT, "state": _TEXT, "text": _TEXT},
    "link": {
        "fc": _MAYBE,
        "fp": _TEXT,
        "req": _TEXT,
        "scenario": _TEXT,
        "verdict": _Key(str, among=tuple(_VERDICTS)),
    },
}
_WORDS: Final = {str: "a text", int: "a number", list: "a list of texts"}


def parse_lock(text: str) -> tuple[Lock, tuple[Edited, ...]]:
    """Read the text of a lock file. Raises `LockFault`."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        del lines[-1]
    if not lines:
        raise LockFault(1, "is empty", RESTORE)
    if len(lines) > _MOST_LINES:
        raise LockFault(_MOST_LINES, f"has more than {_MOST_LINES} lines", "this is no lock of one document")
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        reader.take(number, line)
    return reader.result()


class _Reader:
    """Takes one line after the other and holds each against the table of keys."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.sections: dict[str, SectionRecord] = {}
        self.requirements: dict[str, RequirementRecord] = {}
        self.links: dict[tuple[str, str], Link] = {}
        self.edited: list[Edited] = []
        self.line = 0
        self.where: dict[str, int] = {}

    def result(self) -> tuple[Lock, tuple[Edited, ...]]:
        if self.header is None:
            self._fail("is empty", RESTORE)
        for one in self.requirements.values():
            if one.section and one.section not in self.sections:
                self._suspect(one.id, f"it names the section {one.section}, which the lock does not have")
            for other in (*one.into, *one.origin):
                if other not in self.requirements:
                    self._suspect(one.id, f"it names {other}, which the lock does not have")
        for link in self.links.values():
            if link.requirement not in self.requirements:
                self._suspect(link.requirement, "a link names it, and the lock does not have it")
        lock = Lock(
            self.header,
            tuple(sorted(self.sections.values(), key=lambda one: one.id)),
            tuple(sorted(self.requirements.values(), key=lambda one: one.id)),
            tuple(sorted(self.links.values(), key=lambda one: (one.requirement, one.scenario))),
        )
        return lock, tuple(sorted(self.edited, key=lambda one: one.line))

    def take(self, number: int, line: str) -> None:
        self.line = number
        if line.startswith(_MARKERS):
            self._fail("has the markers of a merge that was not finished", _MERGE)
        if len(line) > _LONGEST_LINE:
            self._fail("is longer than a record can be", RESTORE)
        record = self._record(line)
        if number == 1:
            self._header(record)
            return
        kind = record.pop("kind", None)
        if kind == "section":
            self._section(record)
        elif kind == "req":
            self._requirement(record)
        elif kind == "link":
            self._link(record)
        elif "lock" in record:
            self._fail("is a second header", "a merge has left both; keep the first line")
        else:
            self._fail(f"has the unknown kind {json.dumps(kind)[:60]}", _NEWER)

    def _record(self, line: str) -> dict[str, object]:
        try:
            value: object = json.loads(line, object_pairs_hook=_pairs, parse_constant=_refuse, parse_float=_refuse)
        except (ValueError, RecursionError):
            self._fail("is not a record in JSON", RESTORE)
        if not isinstance(value, dict):
            self._fail("is not a record in JSON", RESTORE)
        return cast("dict[str, object]", value)

    def _header(self, record: dict[str, object]) -> None:
        version = record.get("lock")
        if "lock" not in record:
            self._fail("does not begin with a header", RESTORE)
        if version != FORMAT or version is True:
            self._fail(f"has the version {json.dumps(version)[:20]}, and this program knows {FORMAT}", _NEWER)
        self._held(record, "header")
        self.header = Header(
            str(record["doc"]), str(record["source"]), parser=str(record["parser"]), slug=str(record["slug"])
        )

    def _section(self, record: dict[str, object]) -> None:
        self._held(record, "section")
        one = SectionRecord(
            id=str(record["id"]),
            title=str(record["title"]),
            slug=str(record["slug"]),
            number=str(record["num"]),
            inside=str(record.get("in", "")),
            was=_texts(record, "was"),
            state="gone" if "state" in record else "active",
        )
        self._once(one.id)
        self.sections[one.id] = one

    def _requirement(self, record: dict[str, object]) -> None:
        state = _STATES.get(str(record.get("state")))
        if state is None:
            self._fail(f"has the unknown state {json.dumps(record.get('state'))[:60]}", _NEWER)
        self._held(record, state)
        one = RequirementRecord(
            id=str(record["id"]),
            state=state,
            text=str(record.get("text", "")),
            level=str(record.get("level", "")),
            section=str(record.get("sec", "")),
            context=_texts(record, "context"),
            since=str(record.get("since", "")),
            occurrence=cast("int", record.get("n", 0)),
            asked=_texts(record, "ask"),
            aliases=_texts(record, "aliases"),
            origin=_texts(record, "from"),
            into=_texts(record, "into"),
        )
        self._once(one.id)
        self.requirements[one.id] = one
        if state == "active":
            for key, right in (("fp", one.fp), ("fl", one.fl), ("fc", one.fc)):
                if record[key] != right:
                    part = "its context" if key == "fc" else "its text"
                    self._suspect(one.id, f"{key} is {str(record[key])[:20]}, and {part} gives {right}")
                    return

    def _link(self, record: dict[str, object]) -> None:
        self._held(record, "link")
        one = Link(
            requirement=str(record["req"]),
            scenario=str(record["scenario"]),
            fp=str(record["fp"]),
            fc=str(record.get("fc", "")),
            verdict=_VERDICTS[str(record["verdict"])],
        )
        key = (one.requirement, one.scenario)
        if key in self.links:
            self._fail(f"links {one.requirement} and '{one.scenario[:100]}' a second time", _TWICE)
        self.links[key] = one
        self.where.setdefault(one.requirement, self.line)

    def _held(self, record: Mapping[str, object], kind: str) -> None:
        """Hold a record against the keys that its kind has."""
        keys = _KEYS[kind]
        for name in record:
            if name not in keys:
                self._fail(f"has the unknown key {json.dumps(name)[:60]}", did_you_mean(name, keys) or _NEWER)
        for name, key in keys.items():
            if name not in record:
                if key.needed:
                    self._fail(f"lacks the key '{name}'", RESTORE)
                continue
            value = record[name]
            if not _is(value, key.kind, empty=name not in _NAMES):
                self._fail(f"its '{name}' is not {_WORDS[key.kind]}", RESTORE)
            if key.among and value not in key.among:
                self._fail(f"its '{name}' is '{str(value)[:40]}', not {' or '.join(key.among)}", RESTORE)

    def _once(self, identifier: str) -> None:
        if identifier in self.where and (identifier in self.requirements or identifier in self.sections):
            self._fail(f"has the id {identifier[:100]} of line {self.where[identifier]}", _TWICE)
        self.where[identifier] = self.line

    def _suspect(self, identifier: str, what: str) -> None:
        self.edited.append(Edited(self.where.get(identifier, 1), identifier, what))

    def _fail(self, what: str, cure: str) -> NoReturn:
        raise LockFault(self.line, what, cure)


def _is(value: object, kind: type, *, empty: bool) -> bool:
    """Tell whether a value is of a kind, within bounds, and without a text that may not be empty."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        return kind is list and all(isinstance(item, str) and (item or empty) for item in items)
    if isinstance(value, int):
        return kind is int and not isinstance(value, bool) and 0 <= value <= _MOST_LINES
    return isinstance(value, kind) and (bool(value) or empty)


def _texts(record: Mapping[str, object], name: str) -> tuple[str, ...]:
    return tuple(cast("list[str]", record.get(name, [])))


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError
    return record


def _refuse(_text: str) -> NoReturn:
    raise ValueError
