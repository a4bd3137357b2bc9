"""One container of the runtime: what it was asked for, how far it has come, and who looks on."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from tck_fakes.casting import Part
from tck_fakes.standins.base import Account, Cli, Conversation, Heard
from tck_fakes.view import ContainerView
from tck_simulator.ports import ContainerRequest, ContainerState

#: created: known by its id and name, nothing runs; refused: could not start; else as the word says.
Phase = Literal["created", "running", "exited", "refused"]


class Watcher(Protocol):
    """Is told what a container puts out, as it comes, and its end."""

    def out(self, text: str) -> None:
        """Take text from standard output."""
        ...

    def err(self, text: str) -> None:
        """Take text from standard error."""
        ...

    def ended(self, exit_code: int) -> None:
        """Take note of the end; nothing follows."""
        ...


@dataclass(slots=True)
class Container:
    """One container, from its creation to its removal and beyond: its last state can still be asked for."""

    id: str
    request: ContainerRequest
    created: datetime
    name: str = ""
    limits: tuple[tuple[str, str], ...] = ()
    started: datetime | None = None
    finished: datetime | None = None
    phase: Phase = "created"
    view: ContainerView | None = None
    talk: Conversation | None = None
    cli: Cli | None = None
    account: Account | None = None
    #: In a course, what this start of a CLI is in it.
    part: Part | None = None
    duration_ms: int = 0
    #: What was put out so far, with the stream that it went to: whether that was standard error.
    log: list[tuple[bool, str]] = field(default_factory=list[tuple[bool, str]])
    exit_code: int | None = None
    hangs: bool = False
    #: It waits for a line of its standard input; those that it has not read yet, and whether there are no more.
    listens: bool = False
    lines: deque[str] = field(default_factory=deque[str])
    lines_over: bool = True
    due: datetime | None = None
    removed: bool = False
    #: Removed by itself once it ends.
    auto_removed: bool = False
    #: It runs, and its program still reads standard input.
    reads: bool = False
    #: Somebody is attached to its standard input; and that has come to its end.
    attached: bool = False
    fed: bool = False
    watchers: list[Watcher] = field(default_factory=list[Watcher])

    @property
    def direct(self) -> bool:
        """Whether this is a process of the host, in no container at all."""
        return not self.request.image

    @property
    def long_id(self) -> str:
        """The id in its full length of 64 digits; it begins with the short one."""
        return self.id + hashlib.sha256(self.id.encode()).hexdigest()[len(self.id) :]

    @property
    def ended(self) -> bool:
        """Whether it has come to its end, by itself or not."""
        return self.exit_code is not None

    def stands(self, now: datetime) -> bool:
        """Tell whether it runs and yet nothing comes of it until the clock or the bench lets it go on."""
        return self.phase == "running" and (self.hangs or (self.due is not None and self.due > now))

    def heard(self) -> Heard:
        """Take the next line of standard input, or its end."""
        return Heard(self.lines.popleft() if self.lines else None)

    def state(self) -> ContainerState:
        """Give what it has put out so far, and its exit code."""
        streams = ("".join(text for err, text in self.log if err is wanted) for wanted in (False, True))
        return ContainerState(self.exit_code, *streams)

    def say(self, text: str, *, err: bool) -> None:
        """Put a text out, and tell it to who looks on."""
        self.log.append((err, text))
        for watcher in self.watchers:
            (watcher.err if err else watcher.out)(text)

    def watch(self, watcher: Watcher) -> None:
        """Tell what has been put out so far, then everything as it comes, and the end."""
        for err, text in self.log:
            (watcher.err if err else watcher.out)(text)
        if self.exit_code is None:
            self.watchers.append(watcher)
        else:
            watcher.ended(self.exit_code)

    def tell_end(self, exit_code: int) -> None:
        """Tell the end to who looks on, and let go of them."""
        watchers, self.watchers = self.watchers, []
        for watcher in watchers:
            watcher.ended(exit_code)
