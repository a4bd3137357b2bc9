"""Whose fault an error is, told by its type.

A scenario that stops for an `EngineError` grades the engine; one that stops for a `DriverError` or a `KitError` says
nothing about the engine and makes the run invalid. A user's mistake is none of these and has its own exit code.
"""

from __future__ import annotations


class EngineError(Exception):
    """The engine under test did what it must not: crashed, hung, or broke off."""


class FalseAdvertisingError(EngineError):
    """The engine declared a capability as supported, and then refused to use it."""


class EngineTimeoutError(EngineError):
    """The engine does not come to rest."""


class DriverError(Exception):
    """The driver between kit and engine is wrong: it breaks the protocol, so nothing can be said of the engine."""


class DriverIncompatibleError(DriverError):
    """The driver looked at the engine, and it is not the one that the driver was written for."""


class DriverCrashedError(DriverError):
    """The driver, and with it perhaps the engine, ended while it was asked for something."""


class DriverTimeoutError(DriverError):
    """The driver did not answer in time."""


class UnsupportedError(Exception):
    """The engine declared beforehand that it cannot do what was asked."""

    def __init__(self, what: str) -> None:
        """Keep the capability that was asked for."""
        super().__init__(f"{what} is declared unsupported")
        self.what = what


class UntestableError(Exception):
    """The kit cannot look at what it has to: a capability is undeclared, or a prerequisite is missing."""


class KitError(Exception):
    """The kit itself is wrong: a step, a fake or a report did what it must not."""
