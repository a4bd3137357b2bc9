"""The engine's own database, read from outside: what its rows say is witnessed, not reported.

Only the table and columns that the specification names are used (RECORD-1, §22.3), so any engine that keeps them in a
database that SQLAlchemy can open can be observed this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.pool import StaticPool

from tck_driver.views import SessionRow
from tck_driver.vocabulary import MailboxKind, MailboxRef

_ROWS = text(
    "SELECT s.id AS run, m.organization, m.project, m.kind, m.iid, s.adapter_id, s.phase, s.provider, s.model,"
    " s.session_name, s.native_session_id, s.resumed, s.resume_fallback, s.outcome"
    " FROM llm_sessions s JOIN mailboxes m ON m.id = s.mailbox_id ORDER BY s.id"
)
_TAMPER = text("UPDATE llm_sessions SET native_session_id = :value WHERE id = :run")


class SessionTable(Protocol):
    """Reads and tampers with `llm_sessions` behind the engine's back."""

    def rows(self) -> Sequence[SessionRow] | None:
        """Give all rows, oldest first; None where there is no access."""
        ...

    def tamper(self, run: str, value: str) -> None:
        """Overwrite the native id of one row."""
        ...


class ObservedDatabase:
    """The database of an engine at a SQLAlchemy URL."""

    def __init__(self, url: str) -> None:
        """Connect at the first look and stay connected until `close`."""
        self._engine: Engine = create_engine(url, poolclass=StaticPool)

    def rows(self) -> Sequence[SessionRow]:
        """Give all rows, oldest first."""
        with self._engine.connect() as connection:
            found = connection.execute(_ROWS).mappings().all()
        rows: list[SessionRow] = []
        for row in found:
            kind: MailboxKind = "issue" if row["kind"] == "issue" else "merge_request"
            rows.append(
                SessionRow(
                    run=str(row["run"]),
                    mailbox=MailboxRef(row["organization"], row["project"], kind, row["iid"]),
                    adapter_id=row["adapter_id"],
                    phase=row["phase"],
                    provider=row["provider"],
                    model=row["model"],
                    session_name=row["session_name"],
                    native_session_id=row["native_session_id"],
                    resumed=bool(row["resumed"]),
                    resume_fallback=row["resume_fallback"],
                    outcome=row["outcome"],
                )
            )
        return rows

    def close(self) -> None:
        """Let the database go."""
        self._engine.dispose()

    def tamper(self, run: str, value: str) -> None:
        """Overwrite the native id of one row."""
        with self._engine.begin() as connection:
            connection.execute(_TAMPER, {"run": int(run), "value": value})
