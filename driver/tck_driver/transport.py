"""How one message goes to a driver and one comes back, whatever carries them.

The life of an exchange: the request is written, the answer is awaited until its deadline, and then cancelled. Whatever
goes wrong on that way is a `DriverError`; after one of them the transport is broken, except after an answer that came
only once the request had been cancelled.
"""

from __future__ import annotations

from typing import Protocol

#: The longest message, in bytes.
MOST_BYTES = 1024 * 1024
#: Seconds that a driver has to answer a request that was cancelled.
GRACE = 1.0
#: How much of what a driver says is quoted.
QUOTED = 200


class Transport(Protocol):
    """Carries messages, each a JSON object in UTF-8 without a line break."""

    #: What it is called in messages to people.
    name: str

    @property
    def usable(self) -> bool:
        """Whether another message can be sent."""
        ...

    def exchange(self, message: bytes, cancel: bytes, seconds: float) -> bytes:
        """Send a request and give the answer.

        After `seconds` the notification `cancel` is sent. Raises `DriverTimeoutError`, `DriverCrashedError` or
        `DriverError`.
        """
        ...

    def stray(self) -> bytes | None:
        """Give a message that nobody asked for, if one has come; no waiting."""
        ...

    def end(self, seconds: float) -> str | None:
        """Let the driver end after `shutdown`; say what was wrong with its end. Nothing of it is left afterwards."""
        ...

    def kill(self) -> None:
        """End the driver at once, with everything that it started."""
        ...

    def words(self) -> str:
        """Give the end of what the driver wrote to standard error."""
        ...


def quote(said: bytes) -> str:
    """Give the beginning of what a driver said as it can stand in a message."""
    text = said[:QUOTED].decode("utf-8", "backslashreplace")
    return repr(text) + (" …" if len(said) > QUOTED else "")
