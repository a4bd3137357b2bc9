"""What every stand-in is given and gives: an invocation in, a stream of events out.

A stand-in is a generator, so that a hanging one simply stops between two events: what it has put out so far is
visible, and the rest comes once it is let go on.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from tck_driver.bench import Script, Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.ids import Ids
from tck_fakes.standins.seen import View

#: The exit code of a process that died from SIGKILL, as a container runtime reports it.
KILLED = 137


@dataclass(frozen=True, slots=True)
class Invocation:
    """One start of a CLI in a container. `argv` is without the program; `workdir` and `home` are container paths."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    workdir: str
    home: str
    view: View
    stdin: str
    script: Script
    ids: Ids
    now: datetime
    #: Sessions whose history a provider has refused for good; shared by all invocations of a scenario.
    poisoned: set[str] = field(default_factory=set[str])
    #: What the CLI says of a provider that it has not been told of; only where it really calls one.
    unready: str = ""
    #: The model that is really called, by the name that the CLI knows it by; nothing where none is.
    model: str = ""
    #: The name under which the CLI knows the provider that it really calls.
    provider: str = ""
    #: Whether the CLI is one whose help offers to resume.
    advertised: bool = True

    @property
    def alone(self) -> bool:
        """Whether this is a process of its own, with real files and a model that is really called."""
        return bool(self.model)


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
class Spoken:
    """One turn of a session's history."""

    role: Literal["user", "assistant"]
    text: str


#: status: the provider answered with an error; overflow: that the history is too long for it; no_model: that it has no
#: such model; down: it was not reached; cut: it broke off in the middle of its answer; unready: the CLI knows no
#: provider that it could call.
FailureKind = Literal["status", "overflow", "no_model", "down", "cut", "unready"]


@dataclass(frozen=True, slots=True)
class Failure:
    """What came of a call of the model instead of an answer."""

    kind: FailureKind
    status: int | None = None
    #: The provider's own words; where the CLI is unready, what it says itself.
    message: str = ""
    #: All that the provider sent, and the address that it was called at.
    body: str = ""
    at: str = ""
    #: How often it was called in all.
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """The model is at work: what follows comes when the script's duration is over, or the model has answered.

    `said` is what the real CLI would send, the history and the prompt; nothing where it calls no model.
    """

    said: tuple[Spoken, ...] = ()
    #: Whether it asks for a title of the session besides.
    titled: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """What a model that was really called has answered, in place of what the script says.

    `failure` is the last one: with an answer, what the CLI had to get over before it was given.
    """

    answer: str | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing follows until the bench releases it."""


@dataclass(frozen=True, slots=True)
class Listen:
    """The CLI reads the next line of its standard input; nothing follows before it is heard."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A line of standard input, without its end; nothing where that has come to its end."""

    line: str | None


Line = Out | Err
Event = Out | Err | Turn | Hang | Listen
#: Runs to its exit code. What is sent in at a `Turn` goes before the script; nothing sent leaves all to the script. At
#: a `Listen` what was heard is sent in.
Conversation = Generator[Event, "Word | Heard | None", int]


@dataclass(frozen=True, slots=True)
class Stop:
    """The CLI ends here: what it says, and its exit code. `usage` tells what was wrong with the arguments, if so.

    `meant` is what arguments that are wrong ask for all the same, where they ask for a session and could be read to
    their end.
    """

    lines: tuple[Line, ...]
    exit_code: int
    usage: str | None = None
    meant: Request | None = None


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
    #: The prompt comes over standard input, in a line of a dialogue; further ones may follow it there.
    converses: bool = False
    #: Options without a field of their own, by their canonical name.
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def resumes(self) -> bool:
        """Whether any earlier session is asked for."""
        return self.asked_id is not None or self.loosely


@dataclass(frozen=True, slots=True)
class Session:
    """A session as opened: its id, the turns it still remembers, and the container path of its file."""

    id: str
    spoken: tuple[Spoken, ...]
    place: str
    #: Nothing of it is on disk yet.
    new: bool
    #: The CLI will call the model and then never say a word (opencode in another directory).
    stalls: bool = False
    #: The CLI asks the model for a title of it.
    titled: bool = False
    #: Lines that the CLI puts out first because of how it found the session.
    notes: tuple[Line, ...] = ()

    @property
    def history(self) -> tuple[str, ...]:
        """The prompts that it still remembers."""
        return tuple(turn.text for turn in self.spoken if turn.role == "user")


@dataclass(slots=True)
class Account:
    """What is known of a conversation so far; the witness record at its end is written from it."""

    shape: Shape
    session_id: str | None = None
    remembered: tuple[str, ...] = ()
    reported: list[str] = field(default_factory=list[str])
    saved: bool = False
    #: What was said last.
    answer: str = ""


class Cli(Protocol):
    """One agent CLI. It keeps nothing between calls: all that a session is lies in its files."""

    adapter: AdapterId
    program: str
    #: Waits for a network that is down without ever giving up.
    outlasts: bool
    #: The exit code of a run that went well and could not be saved.
    unsaved_code: int

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

    def midway(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give what is put out at the model's first step, where that is more than nothing."""
        ...

    def closing(
        self, call: Invocation, asked: Request, names: Sequence[str], answer: str, *, saved: bool
    ) -> tuple[Line, ...]:
        """Give what is put out at an ordinary end."""
        ...

    def retried(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give what is put out while the provider is called again and again."""
        ...

    def failed(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give what is put out when the provider has failed for good; exit code 1 follows."""
        ...

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave a foreign session, newer than this one, or an empty directory that looks like one."""
        ...
