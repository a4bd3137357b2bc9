"""A run that is under way, as the worker that carries it out holds it in memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tck_driver.vocabulary import FallbackReason, Phase
from tck_simulator.adapters.base import Adapter, Call
from tck_simulator.contract import LlmRequest
from tck_simulator.layout import Fingerprint
from tck_simulator.resolution import Resolution
from tck_simulator.rows import Mailbox
from tck_simulator.settings import Effective
from tck_simulator.versions import Version


@dataclass(slots=True)
class LiveRun:
    """One run between its start and its end.

    `state` is the state directory and `before` its fingerprint just before the present leg; both are None without a
    session. `leg` is 2 once a refused resume was started again afresh. `noted` is the native id that the row holds so
    far. `stalled` marks a worker that has stopped answering.
    """

    run: int
    mailbox: Mailbox
    phase: Phase
    settings: Effective
    epoch: int
    request: LlmRequest
    adapter: Adapter | None
    resolution: Resolution
    call: Call
    image: str
    version: Version | None
    worktree: Path
    started: datetime
    renewed: datetime
    deadline: datetime
    asked: str | None
    fallback: FallbackReason | None
    state: Path | None = None
    before: Fingerprint | None = None
    container: str = ""
    leg: int = 1
    stalled: bool = False
    noted: str | None = None
