"""The bench of a scenario: one handle on all fakes, as the steps see them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tck_driver.bench import Script, TrackerAnswer, VersionShape
from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, MailboxRef
from tck_driver.witness import WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.database import SessionTable
from tck_fakes.forge import FakeForge
from tck_fakes.remover import ProtectingRemover
from tck_fakes.runtime import FakeContainerRuntime


class FakeBench:
    """Implements `Bench` over the fakes."""

    def __init__(
        self,
        *,
        witness: WitnessLog,
        clock: VirtualClock,
        runtime: FakeContainerRuntime,
        forge: FakeForge,
        remover: ProtectingRemover,
        base: Path,
        table: SessionTable,
    ) -> None:
        self.witness = witness
        self.base = base
        self._clock = clock
        self._runtime = runtime
        self._forge = forge
        self._remover = remover
        self._table = table

    def now(self) -> datetime:
        """Give the scenario's time."""
        return self._clock.now()

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the CLI of this adapter does at its next starts."""
        self._runtime.script(adapter, *scripts)

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says from now on."""
        self._runtime.set_version(adapter, version, shape)

    def tracker_answers(self, mailbox: MailboxRef, answer: TrackerAnswer) -> None:
        """Decide how the tracker answers when asked for this issue."""
        self._forge.tracker_answers(mailbox, answer)

    def release(self, container: str | None = None) -> None:
        """Let a hanging CLI go on to its ordinary end, or all of them."""
        self._runtime.release(container)

    def running(self) -> Sequence[str]:
        """Give the ids of the containers that still run."""
        return self._runtime.running()

    def protect(self, path: Path) -> None:
        """Make removing this host path fail."""
        self._remover.protect(path)

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        self._remover.unprotect(path)

    def sessions_table(self) -> Sequence[SessionRow] | None:
        """Read `llm_sessions` past the engine."""
        return self._table.rows()

    def tamper_native_id(self, run: str, value: str) -> None:
        """Overwrite a native id past the engine."""
        self._table.tamper(run, value)
