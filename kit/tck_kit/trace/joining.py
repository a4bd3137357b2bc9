"""One trace of a run, out of those of its workers: scenarios in the order of their names, each with its digest."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from tck_kit.judging import ScenarioTimeoutError
from tck_kit.trace.head import Head
from tck_kit.trace.lines import BEGIN, END, FILE, LAST, written
from tck_kit.trace.wire import raised_of
from tck_reports.errors import ReportWriteError
from tck_reports.records import Artifact

_CURE: Final = "make room or name another folder"
#: What else a run can do.
WITHOUT: Final = f"{_CURE}, or leave the trace out with --no-trace"
#: How the reason of a scenario begins that did not end in its time.
_TIMEOUT: Final = "timeout: "


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of one scenario in the file of a worker; `ended` says that its last line is there."""

    scenario: str
    began: str
    file: Path
    offset: int
    length: int
    ended: bool


def join(files: Sequence[Path], waiting: Path, head: Head, killed: Mapping[str, str], cure: str = _CURE) -> Artifact:
    """Write the trace where it waits for its report; `killed` says of scenarios whose worker died what that came to.

    Raises `ReportWriteError` where it cannot be written; nothing half-written is left.
    """
    try:
        with waiting.open("wb") as out:
            digest = _write(out, files, head, killed)
            out.flush()
            os.fsync(out.fileno())
    except OSError as fault:
        with suppress(OSError):
            waiting.unlink(missing_ok=True)
        place = str(waiting.with_name(FILE))
        raise ReportWriteError(f"the trace cannot be written: {fault.strerror}", place, cure) from fault
    return Artifact(FILE, f"sha256:{digest}")


def _write(out: BinaryIO, files: Sequence[Path], head: Head, killed: Mapping[str, str]) -> str:
    whole = hashlib.sha256()

    def put(data: bytes) -> None:
        out.write(data)
        whole.update(data)

    put(f"{head.line()}\n".encode("ascii"))
    parts = sorted((part for file in files for part in _parts(file)), key=lambda one: (one.scenario, one.began))
    for part in parts:
        with part.file.open("rb") as source:
            source.seek(part.offset)
            content = source.read(part.length)
        put(content)
        if not part.ended:
            ended = _cut_off(part, killed)
            put(ended)
            content += ended
        put(f'{{"digest":"{hashlib.sha256(content).hexdigest()}"}}\n'.encode("ascii"))
    before = whole.hexdigest()
    put(f'{LAST}true,"scenarios":{len(parts)},"digest":"{before}"}}\n'.encode("ascii"))
    return whole.hexdigest()


def _cut_off(part: Part, killed: Mapping[str, str]) -> bytes:
    """End a scenario whose worker did not come to that: what its engine might have done next nobody knows."""
    why = killed.get(part.scenario, "")
    fields: dict[str, object] = {"end": part.scenario, "outcome": "error", "reason": why or None, "ms": 0.0}
    if why.startswith(_TIMEOUT):
        fields["raised"] = raised_of(ScenarioTimeoutError(why.removeprefix(_TIMEOUT)))
    else:
        fields["lost"] = why or "its worker ended within it"
    return f"{written(fields)}\n".encode("ascii")


def _parts(file: Path) -> Iterator[Part]:
    """Yield the scenarios in a worker's file; a last line that was not written to its end is left out."""
    begin, end = BEGIN.encode(), END.encode()
    if not file.is_file():
        return
    scenario, began, start, at, whole = "", "", 0, 0, True
    with file.open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break
            if line.startswith(begin):
                if not whole:
                    yield Part(scenario, began, file, start, at - start, ended=False)
                told = json.loads(line)
                scenario, began, start, whole = told["scenario"], told["began"], at, False
            at += len(line)
            if line.startswith(end):
                yield Part(scenario, began, file, start, at - start, ended=True)
                whole = True
    if not whole:
        yield Part(scenario, began, file, start, at - start, ended=False)
