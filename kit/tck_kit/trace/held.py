"""A trace that was found to be whole, as workers are told of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Held:
    """The file of a trace, and that of the index, which says where in it each scenario stands."""

    path: str
    index: str
    #: What the engine said of itself, as a declaration in JSON.
    declared: str
    #: The mask of new files' modes that the run had.
    umask: int
