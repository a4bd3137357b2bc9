"""The bench of a scenario: one handle on all fakes, as the steps see them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tck_driver.bench import Script, TrackerAnswer, VersionShape
from tck_driver.courses import Cast, Course
from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef
from tck_fakes.casting import Casting
from tck_fakes.database import SessionTable
from tck_fakes.stage import Stage


class FakeBench:
    """Implements `Bench` over a stage. An engine in another process may be at the fakes at the same time."""

    def __init__(self, stage: Stage, base: Path, table: SessionTable | None) -> None:
        """Hold the stage; `base` is the engine's folder, `table` its own database where that can be looked into."""
        self.witness = stage.witness
        self.base = base
        self._stage = stage
        self._table = table

    def now(self) -> datetime:
        """Give the scenario's time."""
        return self._stage.now()

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the CLI of this adapter does at its next starts."""
        with self._stage.lock:
            self._stage.runtime.script(adapter, *scripts)

    def cast(self, cast: Cast, course: Course) -> None:
        """Tell starts of CLIs apart by these roles, and let each behave as the course says of its scope."""
        casting = Casting(cast, course)
        with self._stage.lock:
            self._stage.runtime.cast(casting)
            self._stage.casting = casting

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says from now on."""
        with self._stage.lock:
            self._stage.runtime.set_version(adapter, version, shape)

    def tracker_answers(self, mailbox: MailboxRef, answer: TrackerAnswer) -> None:
        """Decide how the tracker answers when asked for this issue."""
        with self._stage.lock:
            self._stage.forge.tracker_answers(mailbox, answer)

    def tracker_ends(self, mailbox: MailboxRef, how: Closing) -> None:
        """Let the issue have ended on the tracker, which announces nothing of it."""
        with self._stage.lock:
            self._stage.forge.ended(mailbox, how)

    def release(self, container: str | None = None) -> None:
        """Let a hanging CLI go on to its ordinary end, or all of them."""
        with self._stage.lock:
            self._stage.runtime.release(container)

    def running(self) -> Sequence[str]:
        """Give the ids of the containers that still run."""
        with self._stage.lock:
            return self._stage.runtime.running()

    def protect(self, path: Path) -> None:
        """Make removing this host path fail."""
        self._stage.protect(path)

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        self._stage.unprotect(path)

    def sessions_table(self) -> Sequence[SessionRow] | None:
        """Read `llm_sessions` past the engine."""
        return None if self._table is None else self._table.rows()

    def tamper_native_id(self, run: str, value: str) -> bool:
        """Overwrite a native id past the engine; False where its database is out of reach."""
        if self._table is None:
            return False
        self._table.tamper(run, value)
        return True
