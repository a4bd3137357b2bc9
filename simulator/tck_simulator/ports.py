"""What the engine needs of the outside world, as protocols: containers, tracker, model providers, clock, removal.

Given real implementations the engine works for real; given the kit's fakes it runs thousands of scenarios a minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from tck_driver.vocabulary import MailboxRef
from tck_driver.witness import Mount


@dataclass(frozen=True, slots=True)
class ContainerRequest:
    """Everything that is asked of the container runtime for one container (§17.2).

    `argv[0]` is the program; `environment` holds pairs; `labels` name run, mailbox and lease epoch, so that a worker
    that was not the one to start a container can find and stop it. `time_limit_ms` is what the engine will grant it.
    """

    image: str
    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    mounts: tuple[Mount, ...]
    labels: tuple[tuple[str, str], ...]
    time_limit_ms: int
    workdir: str = "/workspace"
    home: str = "/home/agent"
    user: str = "1000:1000"
    network: str = "restricted"
    read_only_root: bool = True
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class ContainerState:
    """What a container has put out so far. `exit_code` is None while it runs; 137 after a kill."""

    exit_code: int | None
    stdout: str
    stderr: str

    @property
    def ended(self) -> bool:
        """Whether it has come to its end, by itself or not."""
        return self.exit_code is not None


class ContainerRuntime(Protocol):
    """Starts, watches and ends containers. Calls for a container that is gone are no-ops or give its last state."""

    def start(self, request: ContainerRequest) -> str:
        """Start a container and give its id."""
        ...

    def poll(self, container: str) -> ContainerState:
        """Give its state without waiting."""
        ...

    def run(self, request: ContainerRequest) -> ContainerState:
        """Run a short command to its end, or to its time limit, after which it is stopped and has no exit code."""
        ...

    def stop(self, container: str) -> None:
        """Kill everything in it. Afterwards nothing in it writes any more."""
        ...

    def remove(self, container: str) -> None:
        """Remove it, stopped or not."""
        ...

    def find(self, label: str, value: str | None) -> Sequence[str]:
        """Give the containers, running or not, that carry this label and have not been removed; None is any value."""
        ...


@dataclass(frozen=True, slots=True)
class IssueState:
    """What the tracker says of an issue."""

    open: bool
    assigned: bool
    merged: bool


class ForgeError(Exception):
    """The tracker did not answer as hoped. `status` is the HTTP status, or None after a time-out."""

    def __init__(self, status: int | None) -> None:
        """Keep the status; 404 alone means that the issue is gone."""
        super().__init__("no answer in time" if status is None else f"HTTP status {status}")
        self.status = status


class Forge(Protocol):
    """The tracker and the repository host."""

    def issue(self, mailbox: MailboxRef) -> IssueState:
        """Look an issue or merge request up. Raises `ForgeError`."""
        ...

    def comment(self, mailbox: MailboxRef, text: str) -> None:
        """Post a comment."""
        ...

    def add_label(self, mailbox: MailboxRef, label: str) -> None:
        """Set a label."""
        ...

    def remove_label(self, mailbox: MailboxRef, label: str) -> None:
        """Take a label away."""
        ...

    def push_branch(self, organization: str, project: str, branch: str) -> None:
        """Push the agent's branch."""
        ...

    def open_merge_request(self, mailbox: MailboxRef, branch: str, title: str) -> int:
        """Open the agent's merge request from its branch, and give its iid."""
        ...


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model provider answered in API mode."""

    ok: bool
    text: str


class ModelProvider(Protocol):
    """A model provider's API, for API mode (§16.1)."""

    def complete(self, provider: str, model: str, prompt: str) -> ModelAnswer:
        """Send one prompt; there is no session of any kind."""
        ...


class Clock(Protocol):
    """Where the engine reads the time. Time-zone aware, UTC."""

    def now(self) -> datetime:
        """Give the present time."""
        ...


class Remover(Protocol):
    """Removes a directory tree from the host."""

    def remove(self, path: Path) -> None:
        """Remove everything at and below `path`; links are removed and never followed. Raises `OSError`."""
        ...
