"""The rows of the engine's database as values.

Specification: §22.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tck_driver.vocabulary import MailboxKind, MailboxRef, Phase


@dataclass(frozen=True, slots=True)
class Mailbox:
    """One row of `mailboxes`."""

    id: int
    ref: MailboxRef
    generation: int
    title: str
    state: str
    open: bool
    branch_name: str | None
    session_dir: str | None
    blocked_from: str | None
    blocked_phase: str | None
    llm_retries: int
    fix_attempts: int
    lease_owner: str | None
    lease_epoch: int
    lease_expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Session:
    """One row of `llm_sessions`, with the address of its mailbox."""

    id: int
    mailbox_id: int
    adapter_id: str
    phase: str
    provider: str
    model: str
    cli_version: str | None
    outcome: str
    created_at: datetime
    session_name: str | None
    asked_session_id: str | None
    native_session_id: str | None
    resumed: bool
    resume_fallback: str | None


@dataclass(frozen=True, slots=True)
class Installation:
    """One row of `agent_installations`: what was found in one image of an adapter (CAPABILITY-7)."""

    id: int
    adapter_id: str
    image: str
    version: str | None
    resumable_sessions: bool
    session_state_path: str | None
    reason: str | None
    detected_at: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """A run that waits for its time or for its mailbox."""

    id: int
    mailbox_id: int
    phase: Phase
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Incident:
    """Something put on record without stopping the engine."""

    kind: str
    subject: str
    reason: str


_COLUMNS = tuple(name for name in Mailbox.__dataclass_fields__ if name != "ref")


def mailbox_of(row: Mapping[str, Any]) -> Mailbox:
    """Give a row of `mailboxes` as a value, its address put together."""
    kind: MailboxKind = "issue" if row["kind"] == "issue" else "merge_request"
    ref = MailboxRef(row["organization"], row["project"], kind, row["iid"])
    return Mailbox(ref=ref, **{name: row[name] for name in _COLUMNS})
