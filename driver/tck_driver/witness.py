"""What really happened, written down by the kit's own fakes as it happens.

A record is evidence of the class *witnessed*: the engine had no say in it. Records are numbered in one sequence, so
that order between, say, a container's stop and the next container's start can be asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Mount:
    """One bind mount as asked for. `real_source` is where the source led when the container started."""

    source: str
    target: str
    read_only: bool = False
    real_source: str = ""


@dataclass(frozen=True, slots=True)
class ContainerStarted:
    """A container was asked for and began; everything that it was given.

    An `image` that is empty says that there is no container: a CLI was started as a process of the host.
    """

    container: str
    image: str
    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    mounts: tuple[Mount, ...]
    workdir: str
    home: str
    user: str
    network: str
    read_only_root: bool
    labels: tuple[tuple[str, str], ...]
    stdin: str
    at: datetime
    #: What else was asked of the container runtime, by the name of the option: limits, capabilities, an init process.
    limits: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ContainerEnded:
    """A container came to its end: by itself (`exited`), stopped from outside (`stopped`), or removed (`removed`)."""

    container: str
    how: str
    exit_code: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class CliStarted:
    """An agent CLI was started in a container with a prompt: one invocation, before it has answered."""

    container: str
    adapter: str
    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    workdir: str
    prompt: str
    #: The id that the arguments ask to resume, as a correct reader of that CLI's options sees it.
    asked_id: str | None
    #: The id that the arguments choose for a fresh session, where the CLI lets the caller choose.
    chosen_id: str | None
    #: The human-readable label in the arguments.
    label: str | None
    #: Whether the arguments ask for "the most recent" session or one by name, which the specification forbids.
    asked_loosely: bool
    usage_error: str | None
    #: In a course, the scope whose start this is (empty for a helper), and whether the prompt holds the whole task.
    scope: str | None = None
    full: bool | None = None
    #: By what that scope is known: its own prompt, or nothing but the id asked for, which is where that came up before.
    scope_by: Literal["prompt", "id"] | None = None


@dataclass(frozen=True, slots=True)
class CliAnswered:
    """A CLI ended, or was ended: which session it served, and which earlier prompts that session still held."""

    container: str
    adapter: str
    shape: str
    session_id: str | None
    remembered: tuple[str, ...]
    reported_ids: tuple[str, ...]
    saved: bool
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class VersionAsked:
    """The version command of an adapter's image was run."""

    adapter: str
    image: str
    answer: str


@dataclass(frozen=True, slots=True)
class ForgeWrite:
    """The engine wrote to the tracker: `comment`, `label`, `unlabel`, `status`, `assign`, `merge_request`, `branch`."""

    kind: str
    subject: str
    text: str
    #: The number that the tracker gave to what was opened.
    number: int | None = None


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """API mode called a model provider."""

    provider: str
    model: str
    prompt: str
    session_fields: tuple[str, ...]


Record = ContainerStarted | ContainerEnded | CliStarted | CliAnswered | VersionAsked | ForgeWrite | ModelCalled
R = TypeVar("R", bound=Record)


@dataclass(slots=True)
class WitnessLog:
    """The one sequence of records of a scenario. Fakes append, steps read."""

    records: list[Record] = field(default_factory=list[Record])

    def add(self, record: Record) -> None:
        """Append what has just happened."""
        self.records.append(record)

    def of(self, kind: type[R], since: int = 0) -> list[R]:
        """Give the records of one kind, oldest first, from position `since` on."""
        return [record for record in self.records[since:] if isinstance(record, kind)]

    def mark(self) -> int:
        """Give the position after the last record, to read from there later."""
        return len(self.records)
