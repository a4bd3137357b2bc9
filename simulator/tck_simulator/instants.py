"""Times in the database: aware, in UTC, whatever the database itself knows of time zones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import DateTime
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect


class Instant(TypeDecorator[datetime]):
    """A timestamp with time zone; SQLite, which has none, is given and gives UTC (§22.1)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC, and take the zone off for SQLite."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 -- the signature is SQLAlchemy's
        """Put the zone back on."""
        return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)
