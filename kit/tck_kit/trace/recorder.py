"""Writing a trace while a run goes on: one line for each thing that steps asked, and what came of it.

Nothing here may change what a scenario comes to. What cannot be written down costs the trace this one scenario, which
then says so in its last line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tck_driver.bench import Bench
from tck_driver.engine import Engine
from tck_kit.judging import ScenarioTimeoutError
from tck_kit.trace.lines import written
from tck_kit.trace.places import Words
from tck_kit.trace.recorded import RecordedBench, RecordedEngine
from tck_kit.trace.recording import Recording
from tck_reports.records import CheckRecord


class Recorder:
    """The trace of one worker, a scenario after the other."""

    def __init__(self, path: Path, *, in_process: bool, secrets: Iterable[str] = ()) -> None:
        """Write into this file. In process, nobody but steps and engine calls touches the disk."""
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._in_process = in_process
        self._secrets = tuple(secrets)
        self._current: Recording | None = None
        #: The views that the engine has given so far in any scenario: asked once more, they can do no harm.
        self._views: set[str] = set()

    def begin(self, scenario: str, place: Path) -> Recording:
        """Begin a scenario in its folder."""
        words = Words(place, self._secrets)
        recording = Recording(place, words, self._write, in_process=self._in_process, views=self._views)
        self._current = recording
        self._write(written({"scenario": scenario, "began": datetime.now(UTC).isoformat()}))
        return recording

    def end(self, record: CheckRecord, stopped_by: BaseException | None) -> None:
        """Write down what a scenario came to."""
        recording, self._current = self._current, None
        if recording is None:
            return
        fields: dict[str, Any] = {
            "end": record.id,
            "outcome": str(record.outcome),
            "reason": record.reason,
            "ms": record.duration_ms,
        }
        recording.stop(fields, late=stopped_by if isinstance(stopped_by, ScenarioTimeoutError) else None)

    def close(self) -> None:
        """Let the file go."""
        os.close(self._descriptor)

    def _write(self, line: str) -> None:
        os.write(self._descriptor, f"{line}\n".encode("ascii"))


def recorded(recording: Recording, engine: Engine, bench: Bench) -> tuple[RecordedEngine, RecordedBench]:
    """Put a recording between steps and what they talk to."""
    return RecordedEngine(engine, recording), RecordedBench(bench, recording)
