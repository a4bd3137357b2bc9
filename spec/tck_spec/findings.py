"""A finding: one thing that a rule has to say about one place of a specification."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["MOST_SUGGESTIONS", "SEVERITY_NAMES", "Edit", "Finding", "Severity", "did_you_mean"]

#: ``E`` fails a check, ``W`` deserves a look, ``I`` is said so that nobody takes silence for a pass.
Severity = Literal["E", "W", "I"]

#: How each severity is written in settings and in what is printed.
SEVERITY_NAMES: Final[Mapping[Severity, str]] = {"E": "error", "W": "warning", "I": "info"}

#: Looking for the nearest name costs milliseconds, so a rule stops offering after so many findings.
MOST_SUGGESTIONS: Final = 25


@dataclass(frozen=True, slots=True)
class Edit:
    """A part of one line to replace: columns from 1, the end is the column after the last character."""

    line: int
    column: int
    end_column: int
    text: str


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
    #: How many characters from there on are meant; 0 where only the start is known.
    length: int = 0
    #: The edits that mend it, all of them together; only where no other repair can be meant.
    fix: tuple[Edit, ...] = ()


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the sentence that offers the nearest of the choices, or nothing."""
    near = get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""
