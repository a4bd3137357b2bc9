"""Keeps Hypothesis from drawing numbers and texts out of the kit's own source.

It reads the source of every module of a project that is imported, and now and then draws a constant that it found
there. For a search that would mean that a seed shows something else after any change to the kit, in an installed kit,
or where one module more was imported; and reading takes seconds.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from hypothesis.internal.conjecture import providers

#: What is in the way, and what stands there meanwhile. Versions of Hypothesis without it do nothing of the kind.
_READS, _CACHE = "_get_local_constants", "CONSTANTS_CACHE"


@contextmanager
def own_source_unread() -> Generator[None]:
    """Let nothing be drawn from source code until this is left."""
    held: dict[str, Any] = {name: getattr(providers, name) for name in (_READS, _CACHE) if hasattr(providers, name)}
    nothing = getattr(providers, "Constants", lambda: None)()
    try:
        if _READS in held and _CACHE in held:
            setattr(providers, _READS, lambda: nothing)
            setattr(providers, _CACHE, {})
        yield
    finally:
        for name, value in held.items():
            setattr(providers, name, value)
