"""Points in time as reports have them, for formats that count from the year 1970 or ask for UTC."""

from datetime import UTC, datetime


def moment(text: str) -> datetime | None:
    """Return the point in time in UTC, None where the text is none."""
    try:
        read = datetime.fromisoformat(text)
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def milliseconds(text: str) -> int:
    """Return the milliseconds since 1970, 0 where the text is no point in time."""
    read = moment(text)
    return 0 if read is None else round(read.timestamp() * 1000)


def zulu(text: str) -> str | None:
    """Return the point in time as `2026-01-02T03:04:05.678Z`, None where the text is none."""
    read = moment(text)
    return None if read is None else read.isoformat(timespec="milliseconds").replace("+00:00", "Z")
