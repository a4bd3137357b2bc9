"""An engine and a bench that are not there: a replay answers for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tck_driver.bench import Script, TrackerAnswer, VersionShape
from tck_driver.configuration import EngineConfig
from tck_driver.course_messages import cast_fields, course_fields, read_cast, read_played
from tck_driver.courses import Cast, Course, Played
from tck_driver.engine import Declaration, Leaks, Quiescence
from tck_driver.stimuli import Stimulus, StimulusResult
from tck_driver.views import Row, SessionRow, ViewName
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef
from tck_driver.witness import R, Record, WitnessLog
from tck_kit.trace import wire
from tck_kit.trace.replay import Replay
from tck_kit.trace.wire import Json


def _nothing(_: Json) -> None:
    return None


def _text(held: Json) -> str | None:
    return held if held is None else str(held)


class ReplayedEngine:
    """Implements `Engine` out of a trace."""

    def __init__(self, replay: Replay, declaration: Declaration) -> None:
        """Answer by this replay."""
        self._replay = replay
        self._declaration = declaration

    def declare(self, capabilities: Sequence[str]) -> Declaration:  # noqa: ARG002 -- it was asked then
        """Give what the engine said of itself."""
        return self._declaration

    def open(self, config: EngineConfig) -> str | None:
        """Begin a scenario."""
        return self._replay.act("open", wire.config_of(config), _text)

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Let something happen."""
        return self._replay.act("send", wire.stimulus_of(stimulus), wire.read_result)

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self._replay.act("advance", [milliseconds], _nothing)

    def quiesce(self, deadline_ms: int) -> Quiescence:
        """Wait until nothing is under way."""
        return self._replay.act("quiesce", [deadline_ms], wire.read_quiescence)

    def query(self, view: ViewName) -> Sequence[Row]:
        """Give the rows of one view."""
        return self._replay.look("query", [view], wire.read_rows)

    def overwrite(self, run: str, native_session_id: str) -> None:
        """Overwrite a stored native id."""
        self._replay.act("overwrite", [run, native_session_id], _nothing)

    def kill(self) -> None:
        """End the engine without warning."""
        self._replay.act("kill", None, _nothing)

    def start(self) -> str | None:
        """Start it again."""
        return self._replay.act("start", None, _text)

    def cast(self, course: Course) -> Cast:
        """Begin a scenario with a course."""
        return self._replay.act("cast", course_fields(course), read_cast)

    def play(self) -> Played:
        """Play it."""
        return self._replay.act("play", None, read_played)

    def close(self) -> Leaks:
        """End the scenario."""
        self._replay.closed()
        return Leaks()


class ReplayedBench:
    """Implements `Bench` out of a trace."""

    def __init__(self, replay: Replay, base: Path) -> None:
        """Answer by this replay; `base` is the engine's folder."""
        self._replay = replay
        self.base = base
        self.witness: WitnessLog = ReplayedLog(replay)

    def now(self) -> datetime:
        """Give the scenario's time."""
        return self._replay.look("now", None, datetime.fromisoformat)

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the CLI of this adapter does."""
        self._replay.act("script", [str(adapter), *wire.scripts_of(scripts)], _nothing)

    def cast(self, cast: Cast, course: Course) -> None:
        """Tell starts of CLIs apart by these roles."""
        self._replay.act("cast_clis", [cast_fields(cast), course_fields(course)], _nothing)

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says."""
        self._replay.act("set_version", [str(adapter), version, shape], _nothing)

    def tracker_answers(self, mailbox: MailboxRef, answer: TrackerAnswer) -> None:
        """Decide how the tracker answers."""
        self._replay.act("tracker_answers", [str(mailbox), answer], _nothing)

    def tracker_ends(self, mailbox: MailboxRef, how: Closing) -> None:
        """Let the issue have ended on the tracker."""
        self._replay.act("tracker_ends", [str(mailbox), str(how)], _nothing)

    def release(self, container: str | None = None) -> None:
        """Let a hanging CLI go on."""
        self._replay.act("release", [container], _nothing)

    def running(self) -> Sequence[str]:
        """Give the ids of the containers that still run."""
        return self._replay.look("running", None, list[str])

    def protect(self, path: Path) -> None:
        """Make removing this path fail."""
        self._replay.act("protect", [str(path)], _nothing)

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        self._replay.act("unprotect", [str(path)], _nothing)

    def sessions_table(self) -> Sequence[SessionRow] | None:
        """Read `llm_sessions` past the engine."""
        return self._replay.look("sessions_table", None, wire.read_sessions)

    def tamper_native_id(self, run: str, value: str) -> bool:
        """Overwrite a native id past the engine."""
        return self._replay.act("tamper_native_id", [run, value], bool)


class ReplayedLog(WitnessLog):
    """What was witnessed then, as far as it was by then.

    It is a `WitnessLog` because steps are promised one; nothing of that class is used.
    """

    __slots__ = ("_replay",)

    def __init__(self, replay: Replay) -> None:
        """Look into this replay's log."""
        self._replay = replay

    @property
    def records(self) -> list[Record]:  # type: ignore[override] # read by steps, and never set
        """Everything so far."""
        return self._replay.glance()

    def add(self, record: Record) -> None:
        """Append what has just happened."""
        self._replay.log.add(record)

    def of(self, kind: type[R], since: int = 0) -> list[R]:
        """Give the records of one kind."""
        self._replay.glance()
        return self._replay.log.of(kind, since)

    def mark(self) -> int:
        """Give the position after the last record."""
        return len(self._replay.glance())
