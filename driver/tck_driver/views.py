"""What an engine can be asked: rows of its own bookkeeping. What these say is *reported*, not witnessed.

Field names are the specification's column names (§22.3), so that a view and a database row can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from tck_driver.vocabulary import MailboxRef


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One row of `llm_sessions`: one run, and what of a session it had. Ordered by the run's start."""

    run: str
    mailbox: MailboxRef
    adapter_id: str
    phase: str
    provider: str
    model: str
    session_name: str | None
    native_session_id: str | None
    resumed: bool
    resume_fallback: str | None
    outcome: str


@dataclass(frozen=True, slots=True)
class MailboxRow:
    """One row of `mailboxes`. A reopened issue has a new row of a higher generation."""

    mailbox: MailboxRef
    generation: int
    state: str
    branch_name: str | None
    open: bool


@dataclass(frozen=True, slots=True)
class InstallationRow:
    """One row of `agent_installations`: what detection found in an adapter's runner image (§16.6)."""

    adapter_id: str
    image: str
    version: str | None
    resumable_sessions: bool
    session_state_path: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class CounterRow:
    """The counters of a mailbox that a fallback must not move (FALLBACK-8, FALLBACK-9)."""

    mailbox: MailboxRef
    llm_retries: int
    fix_attempts: int


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """One run's `LlmRequest.session` and `LlmResult`, as the adapter was handed and gave them (CONTRACT-1, CONTRACT-2).

    `session` is None or has the keys `name`, `resumeId`, `stateDir`; `result` has `sessionId`, `resumed`,
    `resumeFallback`, and is None while the run is live.
    """

    run: str
    mailbox: MailboxRef
    session: dict[str, str | None] | None
    result: dict[str, str | bool | None] | None


@dataclass(frozen=True, slots=True)
class DetailRow:
    """The session detail of a run as a person reads it (§25.2): label and value, line by line."""

    run: str
    mailbox: MailboxRef
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class IncidentRow:
    """Something that went wrong and was put on record without stopping the engine (CLEAN-11)."""

    kind: str
    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class SettingRow:
    """The stored value of a setting at one scope; None where nothing is stored."""

    scope: str
    organization: str
    project: str
    name: str
    value: bool | int | str | None


ViewName = Literal[
    "sessions", "mailboxes", "installations", "counters", "exchanges", "details", "incidents", "settings"
]
Row = SessionRow | MailboxRow | InstallationRow | CounterRow | ExchangeRow | DetailRow | IncidentRow | SettingRow

#: The type of the rows of each view.
ROW_TYPES: Mapping[ViewName, type[Row]] = MappingProxyType(
    {
        "sessions": SessionRow,
        "mailboxes": MailboxRow,
        "installations": InstallationRow,
        "counters": CounterRow,
        "exchanges": ExchangeRow,
        "details": DetailRow,
        "incidents": IncidentRow,
        "settings": SettingRow,
    }
)
