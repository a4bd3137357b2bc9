"""What passes between a stand-in program and the kit: a call in, text and an exit code out, signals on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One start of a stand-in program, as its process saw it. `argv` is without the program."""

    program: str
    argv: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    stdin: str = ""
    #: Whether standard input is a terminal.
    terminal: bool = False
    #: Whose process it is.
    user: str = ""


class Channel(Protocol):
    """The way back to the process that was started. No call of it blocks, and after `exit` all of them do nothing."""

    def out(self, text: str) -> None:
        """Write to its standard output."""
        ...

    def err(self, text: str) -> None:
        """Write to its standard error."""
        ...

    def exit(self, code: int) -> None:
        """End it."""
        ...


class Process(Protocol):
    """The kit's side of a started program, for as long as it runs."""

    def signal(self, number: int) -> None:
        """Take note that the program got a signal."""
        ...

    def gone(self) -> None:
        """Take note that the program vanished, killed or otherwise, before its end."""
        ...

    def heard(self, data: bytes) -> None:
        """Take a piece of standard input, nothing at its end; only of a program that holds a dialogue."""
        ...


class Over:
    """A program that was answered in full at once; nothing can happen to it any more."""

    def signal(self, number: int) -> None:
        """Do nothing."""

    def gone(self) -> None:
        """Do nothing."""

    def heard(self, data: bytes) -> None:
        """Do nothing."""
