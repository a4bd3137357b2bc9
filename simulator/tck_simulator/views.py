"""The engine's answers to questions about its bookkeeping.

Specification: §22.3, §25.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tck_driver.views import (
    CounterRow,
    DetailRow,
    ExchangeRow,
    IncidentRow,
    InstallationRow,
    MailboxRow,
    Row,
    SessionRow,
    SettingRow,
    ViewName,
)
from tck_driver.vocabulary import MailboxRef
from tck_simulator.detail import detail_lines
from tck_simulator.store import Store


def rows_of(view: ViewName, store: Store, exchanges: Sequence[ExchangeRow]) -> Sequence[Row]:
    """Give the rows of one view, oldest first."""
    readers: dict[ViewName, Callable[[Store], Sequence[Row]]] = {
        "sessions": _sessions,
        "mailboxes": _mailboxes,
        "installations": _installations,
        "counters": lambda store: [CounterRow(box.ref, box.llm_retries, box.fix_attempts) for box in store.mailboxes()],
        "exchanges": lambda _: exchanges,
        "details": _details,
        "incidents": lambda store: [IncidentRow(row.kind, row.subject, row.reason) for row in store.incidents()],
        "settings": lambda store: [SettingRow(**row) for row in store.all_settings()],
    }
    return readers[view](store)


def _mailboxes(store: Store) -> list[MailboxRow]:
    return [MailboxRow(box.ref, box.generation, box.state, box.branch_name, box.open) for box in store.mailboxes()]


def _installations(store: Store) -> list[InstallationRow]:
    return [
        InstallationRow(
            row.adapter_id, row.image, row.version, row.resumable_sessions, row.session_state_path, row.reason
        )
        for row in store.installations()
    ]


def _details(store: Store) -> list[DetailRow]:
    owners = _owners(store)
    return [DetailRow(str(row.id), owners[row.mailbox_id], detail_lines(row)) for row in store.sessions()]


def _owners(store: Store) -> dict[int, MailboxRef]:
    return {mailbox.id: mailbox.ref for mailbox in store.mailboxes()}


def _sessions(store: Store) -> list[SessionRow]:
    owners = _owners(store)
    return [
        SessionRow(
            run=str(row.id),
            mailbox=owners[row.mailbox_id],
            adapter_id=row.adapter_id,
            phase=row.phase,
            provider=row.provider,
            model=row.model,
            session_name=row.session_name,
            native_session_id=row.native_session_id,
            resumed=row.resumed,
            resume_fallback=row.resume_fallback,
            outcome=row.outcome,
        )
        for row in store.sessions()
    ]
