"""Reading a trace back: only if it is what a kit wrote, and as far as it goes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import jsonschema_rs

from tck_kit.trace.head import Head
from tck_kit.trace.lines import BEGIN, LAST, SCHEMA_ID
from tck_reports.errors import ReportReadError
from tck_reports.plain import visible

#: A larger trace, and a longer line, is none of this kit.
MOST_BYTES, MOST_LINE = 2 * 1024 * 1024 * 1024, 64 * 1024 * 1024
_NAME_IT: Final = "name the trace.ndjson of a run"
_AGAIN: Final = "take the trace as the run wrote it; traces are not edited"
_HALF: Final = re.compile(rb"\\ud[89a-f][0-9a-f]{2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attempt:
    """Where one try of a scenario stands in the file, and what the kit of that time made of it."""

    offset: int
    length: int
    outcome: str


@dataclass(slots=True)
class Trace:
    """A trace that was found to be what a kit wrote."""

    path: Path
    head: Head
    digest: str = ""
    #: Whether its last line is there.
    complete: bool = False
    scenarios: dict[str, list[Attempt]] = field(default_factory=dict[str, list[Attempt]])


@cache
def schema() -> dict[str, Any]:
    """Give the JSON Schema of the lines of a trace."""
    text = (files("tck_kit") / "schemas" / "trace-1.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema())


def read(path: Path) -> Trace:
    """Read a trace and find every scenario in it. Raises `ReportReadError`."""
    try:
        if not path.is_file():
            raise ReportReadError("there is no such file", str(path), _NAME_IT)
        if path.stat().st_size > MOST_BYTES:
            raise ReportReadError(f"larger than {MOST_BYTES:,} bytes", str(path), _NAME_IT)
        with path.open("rb") as lines:
            return _read(lines, path)
    except OSError as fault:
        raise ReportReadError(f"cannot be read: {fault.strerror}", str(path), _NAME_IT) from fault


def _read(lines: BinaryIO, path: Path) -> Trace:
    reader = _Reader(path)
    trace = Trace(path, reader.head(lines.readline(MOST_LINE)))
    for line in iter(lambda: lines.readline(MOST_LINE), b""):
        if not reader.take(line, trace):
            break
    if lines.read(1):
        raise reader.wrong("something stands after its last line", _AGAIN)
    trace.digest = f"sha256:{reader.whole.hexdigest()}"
    if not trace.complete and not trace.scenarios:
        raise reader.wrong("it breaks off before the end of its first scenario", "copy it whole")
    return trace


class _Reader:
    """Holds each line against the schema, and each scenario against its digest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0
        self._at = 0
        self._start = 0
        self._scenario: str | None = None
        self._ended: str | None = None
        self._digest = hashlib.sha256()
        self.whole = hashlib.sha256()

    def wrong(self, what: str, cure: str) -> ReportReadError:
        """Make the error for the present line."""
        return ReportReadError(visible(what), f"{self._path}:{self._number}", cure)

    def head(self, line: bytes) -> Head:
        """Read the first line."""
        fields = self._fields(line)
        if fields.get("schema") != SCHEMA_ID:
            stated = f"{fields.get('schema')!r}"[:120]
            raise self.wrong(f"this is no trace of a schema that this kit reads: {stated}", "use the kit that wrote it")
        self._check(fields, line)
        self._count(line)
        try:
            return Head.read(fields)
        except Exception as fault:
            raise self.wrong(f"the first line cannot be understood: {fault}"[:300], _AGAIN) from fault

    def take(self, line: bytes, trace: Trace) -> bool:
        """Read one more line; False after the last one, or where the trace breaks off."""
        if not line.endswith(b"\n"):
            if len(line) == MOST_LINE:
                raise self.wrong(f"a line has more than {MOST_LINE:,} bytes", _NAME_IT)
            self._count(line)
            return False
        fields = self._fields(line)
        self._check(fields, line)
        if line.startswith(LAST.encode()):
            return self._last(fields, line, trace)
        if self._ended is not None:
            self._close(fields, trace)
        elif line.startswith(BEGIN.encode()):
            if self._scenario is not None:
                raise self.wrong("a scenario begins within another", _AGAIN)
            self._scenario, self._start, self._digest = fields["scenario"], self._at, hashlib.sha256()
        elif self._scenario is None or "schema" in fields or "digest" in fields:
            raise self.wrong("this line belongs to no scenario", _AGAIN)
        if "end" in fields:
            if fields["end"] != self._scenario:
                raise self.wrong("another scenario ends than has begun", _AGAIN)
            self._ended = fields["outcome"]
        self._digest.update(line)
        self._count(line)
        return True

    def _close(self, fields: dict[str, Any], trace: Trace) -> None:
        if fields.get("digest") != self._digest.hexdigest() or self._scenario is None or self._ended is None:
            raise self.wrong(f"the lines of {self._scenario} were changed after they were written", _AGAIN)
        attempt = Attempt(self._start, self._at - self._start, self._ended)
        trace.scenarios.setdefault(self._scenario, []).append(attempt)
        self._scenario = self._ended = None

    def _last(self, fields: dict[str, Any], line: bytes, trace: Trace) -> bool:
        count = sum(len(one) for one in trace.scenarios.values())
        if self._scenario is not None or fields["digest"] != self.whole.hexdigest() or fields["scenarios"] != count:
            raise self.wrong("the trace was changed after it was written: its digest does not fit", _AGAIN)
        self._count(line)
        trace.complete = True
        return False

    def _fields(self, line: bytes) -> dict[str, Any]:
        self._number += 1
        try:
            # Bytes would be tried in other encodings as well, in which a line is no line for whoever reads it later.
            value: object = json.loads(_text(line), parse_constant=_no_constant)
        except (ValueError, RecursionError) as fault:
            raise self.wrong(f"this is no line of a trace: {fault}"[:300], _NAME_IT) from fault
        if not isinstance(value, dict):
            raise self.wrong("this is no line of a trace", _NAME_IT)
        return cast("dict[str, Any]", value)

    def _check(self, fields: dict[str, Any], line: bytes) -> None:
        # A half of a surrogate pair is a text for Python and for JSON, and none for the validator.
        known = json.loads(_HALF.sub(rb"\\u003f", line)) if _HALF.search(line) else fields
        error = next(iter(_validator().iter_errors(known)), None)
        if error is not None:
            raise self.wrong(f"this is no line of a trace: {error.message}"[:300], _AGAIN)

    def _count(self, line: bytes) -> None:
        self._at += len(line)
        self.whole.update(line)


def lines_of(path: Path, offset: int, length: int) -> Iterator[str]:
    """Yield the lines of one scenario."""
    with path.open("rb") as source:
        source.seek(offset)
        yield from source.read(length).decode("ascii").removesuffix("\n").split("\n")


def _text(line: bytes) -> str:
    """Give a line as text: a kit escapes whatever is not ASCII, and ends a line with one character."""
    text = line.decode("ascii")
    if "\r" in text:
        raise ValueError("it has a carriage return")
    return text


def _no_constant(word: str) -> object:
    raise ValueError(f"{word} is not JSON")
