"""Whose fault an error is, told by its type.

A scenario that stops for an `EngineError` grades the engine; one that stops for a `DriverError` or a `KitError` says
nothing about the engine and makes the run invalid. A user's mistake is none of these and has its own exit code.
"""

from __future__ import annotations


class EngineError(Exception):
    """The engine under test did what it must not: crashed, hung, or broke off."""


class FalseAdvertisingError(EngineError):
    """The engine declared a capability as supported, and then refused to use it."""


class DriverError(Exception):
    """The driver between kit and engine is wrong: it breaks the protocol, so nothing can be said of the engine."""


class UnsupportedError(Exception):
    """The engine declared beforehand that it cannot do what was asked."""

    def __init__(self, what: str) -> None:
        """Keep the capability or stimulus that was asked for."""
        super().__init__(f"{what} is declared unsupported")
        self.what = what


class KitError(Exception):
    """The kit itself is wrong: a step, a fake or a report did what it must not."""
