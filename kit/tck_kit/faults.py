"""What stops the kit before or beside the engine: a user's mistake, or a mistake of the kit itself."""

from __future__ import annotations


class UsageFault(Exception):  # noqa: N818 -- a fault of four, named as the documentation names it
    """Something that the user gave cannot be used: what, where, and what to do. Exit code 2."""

    def __init__(self, what: str, where: str, cure: str) -> None:
        """Keep the three parts that every message has."""
        super().__init__(f"{where}: {what}; {cure}")


class SuiteFault(Exception):  # noqa: N818 -- the same
    """The kit's own specification or scenarios are wrong, or a worker of it broke. Exit code 4."""


class DriverFault(Exception):  # noqa: N818 -- the same
    """The engine's driver cannot be used at all, so nothing can be said of the engine. Exit code 4."""

    def __init__(self, what: str) -> None:
        """Say whose fault it is, and what finds out more."""
        super().__init__(f"{what}\nThe driver is at fault; `session-tck driver check` looks at it alone")
