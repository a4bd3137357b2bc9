"""A finding: one thing that a rule has to say about one place of a specification."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MOST_SUGGESTIONS", "Finding", "Severity", "did_you_mean"]

#: ``E`` fails a check, ``W`` deserves a look, ``I`` is said so that nobody takes silence for a pass.
Severity = Literal["E", "W", "I"]

#: Looking for the nearest name costs milliseconds, so a rule stops offering after so many findings.
MOST_SUGGESTIONS: Final = 25


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found, and where: lines and columns count from 1, columns in characters."""

    rule: str
    severity: Severity
    line: int
    column: int
    message: str
    #: What to do, or the name that was probably meant; empty where there is nothing to add.
    hint: str = ""
    #: The file the place is in, where that is not the specification itself.
    source: str | None = None


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the sentence that offers the nearest of the choices, or nothing."""
    near = get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""
