"""What faults are made of: the parts that the simulator's objects keep to themselves, and ways to change a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from tck_fakes.faults.register import Real
from tck_simulator.cleanup import Cleaner
from tck_simulator.layout import Layout
from tck_simulator.ports import Clock, ContainerRuntime
from tck_simulator.store import Store

#: What makes the replacement out of the real function.
Make = Callable[[Real], Real]


def cleaner_of(owner: object) -> Cleaner:
    """Give the part of the engine, or of one of its parts, that removes trees."""
    return cast("Cleaner", vars(owner)["_cleaner"])


def clock_of(owner: object) -> Clock:
    """Give the clock that an engine, or one of its parts, reads."""
    return cast("Clock", vars(owner)["_clock"])


def layout_of(owner: object) -> Layout:
    """Give the folders that an engine, or one of its parts, works in."""
    return cast("Layout", vars(owner)["_layout"])


def runtime_of(owner: object) -> ContainerRuntime:
    """Give the container runtime that an engine, or one of its parts, starts containers with."""
    return cast("ContainerRuntime", vars(owner)["_runtime"])


def store_of(owner: object) -> Store:
    """Give the store that an engine, or one of its parts, keeps its rows in."""
    return cast("Store", vars(owner)["_store"])


def unless(holds: Callable[..., bool], instead: object = None) -> Make:
    """Leave a function out, and give `instead`, where this holds of what it is called with."""

    def make(real: Real) -> Real:
        def called(*given: object, **named: object) -> object:
            return instead if holds(*given, **named) else real(*given, **named)

        return called

    return make


def first(does: Callable[..., None]) -> Make:
    """Do something with what a function is called with, before it does what it should."""

    def make(real: Real) -> Real:
        def called(*given: object, **named: object) -> object:
            does(*given, **named)
            return real(*given, **named)

        return called

    return make


def then(does: Callable[..., None]) -> Make:
    """Do something with what a function was called with, after it has done what it should."""

    def make(real: Real) -> Real:
        def called(*given: object, **named: object) -> object:
            result = real(*given, **named)
            does(*given, **named)
            return result

        return called

    return make
