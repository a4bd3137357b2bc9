"""An engine and a bench that write down everything that steps ask of them, and hand it on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tck_driver.bench import Bench, Script, TrackerAnswer, VersionShape
from tck_driver.configuration import EngineConfig
from tck_driver.course_messages import cast_fields, course_fields, played_fields
from tck_driver.courses import Cast, Course, Played
from tck_driver.engine import Declaration, Engine, Leaks, Quiescence
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, SessionRow, ViewName
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef
from tck_driver.witness import R, Record, WitnessLog
from tck_kit.trace.recording import Recording
from tck_kit.trace.wire import Json, config_of, plain, rows_of, scripts_of, stimulus_of


def _nothing(_: object) -> Json:
    return None


class RecordedEngine:
    """Implements `Engine` over another one."""

    def __init__(self, engine: Engine, recording: Recording) -> None:
        """Write into this recording."""
        self._engine = engine
        self._recording = recording

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Ask who it is."""
        return self._recording.look("declare", None, lambda: self._engine.declare(capabilities), plain)

    def open(self, config: EngineConfig) -> str | None:
        """Begin a scenario."""
        return self._recording.act("open", lambda: config_of(config), lambda: self._engine.open(config), plain)

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Let something happen."""
        return self._recording.act("send", lambda: stimulus_of(stimulus), lambda: self._engine.send(stimulus), plain)

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self._recording.act("advance", lambda: [milliseconds], lambda: self._engine.advance(milliseconds), _nothing)

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Wait until nothing is under way."""
        return self._recording.act("quiesce", lambda: [deadline_ms], lambda: self._engine.quiesce(deadline_ms), plain)

    def query(self, view: ViewName) -> Sequence[Row]:
        """Give the rows of one view."""
        rows = self._recording.look("query", [view], lambda: self._engine.query(view), rows_of)
        self._recording.views.add(view)
        return rows

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Overwrite a stored native id."""
        given = [run, native_session_id]
        self._recording.act(
            "overwrite", lambda: given, lambda: self._engine.overwrite(run, native_session_id), _nothing
        )

    def kill(self) -> None:
        """End the engine without warning."""
        self._recording.act("kill", list, self._engine.kill, _nothing)

    def start(self) -> str | None:
        """Start it again."""
        return self._recording.act("start", list, self._engine.start, plain)

    def cast(self, course: Course) -> Cast:
        """Begin a scenario with a course."""
        return self._recording.act(
            "cast", lambda: course_fields(course), lambda: self._engine.cast(course), cast_fields
        )

    def play(self) -> Played:
        """Play it."""
        return self._recording.act("play", list, self._engine.play, played_fields)

    def close(self) -> Leaks:
        """End the scenario."""
        return self._recording.act("close", list, self._engine.close, plain)


class RecordedBench:
    """Implements `Bench` over another one."""

    def __init__(self, bench: Bench, recording: Recording) -> None:
        """Write into this recording."""
        self._bench = bench
        self._recording = recording
        self.base = bench.base
        self.witness: WitnessLog = RecordedLog(bench.witness, recording)
        recording.witness(bench.witness)

    def now(self) -> datetime:
        """Give the scenario's time."""
        return self._recording.look("now", None, self._bench.now, plain)

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the CLI of this adapter does."""
        given = [str(adapter), *scripts_of(scripts)]
        self._recording.act("script", lambda: given, lambda: self._bench.script(adapter, *scripts), _nothing)

    def cast(self, cast: Cast, course: Course) -> None:
        """Tell starts of CLIs apart by these roles."""
        given = [cast_fields(cast), course_fields(course)]
        self._recording.act("cast_clis", lambda: given, lambda: self._bench.cast(cast, course), _nothing)

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says."""
        given = [str(adapter), version, shape]
        self._recording.act(
            "set_version", lambda: given, lambda: self._bench.set_version(adapter, version, shape), _nothing
        )

    def tracker_answers(self, mailbox: MailboxRef, answer: TrackerAnswer) -> None:
        """Decide how the tracker answers."""
        given = [str(mailbox), answer]
        self._recording.act(
            "tracker_answers", lambda: given, lambda: self._bench.tracker_answers(mailbox, answer), _nothing
        )

    def tracker_ends(self, mailbox: MailboxRef, how: Closing) -> None:
        """Let the issue have ended on the tracker."""
        given = [str(mailbox), str(how)]
        self._recording.act("tracker_ends", lambda: given, lambda: self._bench.tracker_ends(mailbox, how), _nothing)

    def release(self, container: str | None = None) -> None:
        """Let a hanging CLI go on."""
        self._recording.act("release", lambda: [container], lambda: self._bench.release(container), _nothing)

    def running(self) -> Sequence[str]:
        """Give the ids of the containers that still run."""
        return self._recording.look("running", None, self._bench.running, plain)

    def protect(self, path: Path) -> None:
        """Make removing this path fail."""
        self._recording.act("protect", lambda: [str(path)], lambda: self._bench.protect(path), _nothing)

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        self._recording.act("unprotect", lambda: [str(path)], lambda: self._bench.unprotect(path), _nothing)

    def sessions_table(self) -> Sequence[SessionRow] | None:
        """Read `llm_sessions` past the engine."""
        return self._recording.look("sessions_table", None, self._bench.sessions_table, plain)

    def tamper_native_id(self, run: str, value: str) -> bool:
        """Overwrite a native id past the engine."""
        given = [run, value]
        return self._recording.act(
            "tamper_native_id", lambda: given, lambda: self._bench.tamper_native_id(run, value), plain
        )


class RecordedLog(WitnessLog):
    """The log of another bench. What is added while nobody asks anything is written down when steps come to see it.

    It is a `WitnessLog` because steps are promised one; nothing of that class is used.
    """

    __slots__ = ("_log", "_recording")

    def __init__(self, log: WitnessLog, recording: Recording) -> None:
        """Look into this log."""
        self._log = log
        self._recording = recording

    @property
    def records(self) -> list[Record]:  # type: ignore[override] # read by steps, and never set
        """Everything so far."""
        self._recording.glance()
        return self._log.records

    def add(self, record: Record) -> None:
        """Append what has just happened."""
        self._log.add(record)

    def of(self, kind: type[R], since: int = 0) -> list[R]:
        """Give the records of one kind."""
        self._recording.glance()
        return self._log.of(kind, since)

    def mark(self) -> int:
        """Give the position after the last record."""
        self._recording.glance()
        return self._log.mark()
