"""What every stand-in is given and gives: an invocation in, a stream of events out.

A stand-in is a generator, so that a hanging one simply stops between two events: what it has put out so far is
visible, and the rest comes once it is let go on.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from tck_driver.bench import Script, Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.ids import Ids
from tck_fakes.view import ContainerView

#: The exit code of a process that died from SIGKILL, as a container runtime reports it.
KILLED = 137


@dataclass(frozen=True, slots=True)
class Invocation:
    """One start of a CLI in a container. `argv` is without the program; `workdir` and `home` are container paths."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    workdir: str
    home: str
    view: ContainerView
    stdin: str
    script: Script
    ids: Ids
    now: datetime
    #: Sessions whose history a provider has refused for good; shared by all invocations of a scenario.
    poisoned: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Out:
    """One line on stdout; `named` is the session id that this line names, if it names one."""

    text: str
    named: str | None = None


@dataclass(frozen=True, slots=True)
class Err:
    """One line on stderr."""

    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The model is at work: what follows comes when the script's duration is over."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing follows until the bench releases it."""


Line = Out | Err
Event = Out | Err | Turn | Hang
#: Runs to its exit code.
Conversation = Generator[Event, None, int]


@dataclass(frozen=True, slots=True)
class Stop:
    """The CLI ends here: what it says, and its exit code. `usage` tells what was wrong with the arguments, if so."""

    lines: tuple[Line, ...]
    exit_code: int
    usage: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What the arguments ask for, as a correct reader of that CLI's options sees it."""

    prompt: str
    workdir: str
    asked_id: str | None = None
    chosen_id: str | None = None
    label: str | None = None
    #: "The most recent", or by name.
    loosely: bool = False
    #: Options without a field of their own, by their canonical name.
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def resumes(self) -> bool:
        """Whether any earlier session is asked for."""
        return self.asked_id is not None or self.loosely


@dataclass(frozen=True, slots=True)
class Session:
    """A session as opened: its id, the prompts it still remembers, and the container path of its file."""

    id: str
    history: tuple[str, ...]
    place: str
    #: Nothing of it is on disk yet.
    new: bool
    #: The CLI will call the model and then never say a word (opencode in another directory).
    stalls: bool = False
    #: Lines that the CLI puts out first because of how it found the session.
    notes: tuple[Line, ...] = ()


@dataclass(slots=True)
class Account:
    """What is known of a conversation so far; the witness record at its end is written from it."""

    shape: Shape
    session_id: str | None = None
    remembered: tuple[str, ...] = ()
    reported: list[str] = field(default_factory=list[str])
    saved: bool = False


class Cli(Protocol):
    """One agent CLI. It keeps nothing between calls: all that a session is lies in its files."""

    adapter: AdapterId
    program: str

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments, as strictly as the real CLI does."""
        ...

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Find the session that is asked for, or begin one; say why not where the real CLI does."""
        ...

    def new(self, call: Invocation, asked: Request, session_id: str | None = None) -> Session:
        """Begin a session under this id, or under one of its own."""
        ...

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Save the prompt, before the model is called; False where the real CLI goes on without having saved it."""
        ...

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Save the answer."""
        ...

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give the form of a shape that ends before any session is loaded."""
        ...

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give what is put out before the model is called."""
        ...

    def midway(self, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give what is put out at the model's first step, where that is more than nothing."""
        ...

    def closing(self, asked: Request, names: Sequence[str], answer: str, *, saved: bool) -> tuple[Line, ...]:
        """Give what is put out at an ordinary end."""
        ...

    def fault(self, asked: Request, names: Sequence[str], shape: Shape) -> tuple[Line, ...]:
        """Give what is put out when the provider fails; exit code 1 follows."""
        ...

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave a foreign session, newer than this one, or an empty directory that looks like one."""
        ...
