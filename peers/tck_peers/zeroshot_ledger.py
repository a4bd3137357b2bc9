"""What a cluster of zeroshot's Node line has written down of itself: its ledger, an SQLite database in the user's home.

It is only read, and while the engine writes it. Its table is no published interface: the driver's self-check looks
whether it is still made as it is read here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

#: Where the ledgers of all clusters lie, below HOME.
FOLDER = ".zeroshot"
#: The columns that are read, by which the self-check knows the table.
COLUMNS = ("topic", "sender", "content_text", "content_data")
_ALL = "SELECT topic, sender, content_text, content_data FROM messages ORDER BY rowid"
_BUSY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a cluster: its topic, the agent that sent it, what it says, and the event that it tells of."""

    topic: str
    sender: str
    text: str
    event: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger of the only cluster of a home."""

    home: Path

    @property
    def cluster(self) -> str | None:
        """The cluster's name; None as long as there is none."""
        found = sorted((self.home / FOLDER).glob("*.db"))
        return found[0].stem if found else None

    def messages(self) -> tuple[Message, ...]:
        """Give all messages, oldest first; none as long as the ledger is being made."""
        if (name := self.cluster) is None:
            return ()
        path = self.home / FOLDER / f"{name}.db"
        try:
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_SECONDS)) as ledger:
                rows = ledger.execute(_ALL).fetchall()
        except sqlite3.OperationalError:
            return ()
        return tuple(Message(topic, sender, text or "", _event(data)) for topic, sender, text, data in rows)


def since(messages: Sequence[Message], turns_over: Sequence[str]) -> Sequence[Message]:
    """Give the messages after the last one of these topics."""
    last = max((place for place, one in enumerate(messages) if one.topic in turns_over), default=-1)
    return messages[last + 1 :]


def _event(data: str | None) -> str:
    """Give the event that a message of an agent's life tells of; empty for other messages."""
    try:
        event = json.loads(data or "{}").get("event", "")
    except (ValueError, AttributeError):
        return ""
    return event if isinstance(event, str) else ""
