"""A mailbox as the model has it: its runs, what is to be run in it, and what is known of its state."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from tck_driver.configuration import Binding
from tck_driver.views import CounterRow, MailboxRow, SessionRow
from tck_driver.vocabulary import MailboxRef, RunOutcome
from tck_features.model.facts import FIRST_STATE
from tck_features.model.resolution import Decision, Situation

Cause = Literal["event", "merge request", "retry", "again", "human", "offer"]


@dataclass(slots=True, eq=False)
class Work:
    """Something that is to be run: in one of these phases, not before one instant, at another one at the latest.

    What need not be run (`must` is false) is what the specification leaves to the engine.
    """

    phases: frozenset[str]
    earliest: datetime
    latest: datetime
    must: bool = True
    cause: Cause = "event"
    tries: int = 0


@dataclass(slots=True, eq=False)
class Run:
    """One run, and what the model knows of it."""

    row: SessionRow
    box: Mailbox
    binding: Binding
    began: datetime
    decision: Decision
    situation: Situation
    #: The version of the CLI in its image, as detected; several where an image answered differently.
    versions: tuple[str | None, ...]
    work: Work
    #: When its phase's time is over: at the earliest and at the latest, which differ where the limit was changed.
    deadlines: tuple[datetime, datetime] | None = None
    leg: int = 0
    #: The worker that has it stopped answering.
    lease_lost: bool = False
    #: When the engine died while it was live.
    orphaned: datetime | None = None
    ended: datetime | None = None
    #: The mailbox was blocked while it was live.
    blocked_meanwhile: bool = False
    #: Its stored id was overwritten while it was live.
    tampered: bool = False
    #: Its files were damaged while it was live.
    damaged: bool = False
    gone: bool = False

    @property
    def id(self) -> str:
        """The engine's own id."""
        return self.row.run

    @property
    def live(self) -> bool:
        """Whether it has not ended."""
        return self.ended is None

    @property
    def asked(self) -> str | None:
        """The id that it really asked for; none where the reason for a fresh session is on record."""
        return self.decision.asked if self.row.resume_fallback is None else None

    @property
    def fell_back(self) -> bool:
        """Whether it went on in a fresh session for a reason."""
        return self.row.resume_fallback is not None

    def __str__(self) -> str:
        return f"run {self.row.run} ({self.row.phase} of {self.row.mailbox})"


@dataclass(slots=True, eq=False)
class Mailbox:
    """One generation of an issue, or a merge request that a human opened."""

    ref: MailboxRef
    generation: int
    opened: datetime
    open: bool = True
    #: The states that it can be in, one once the engine has shown it.
    states: frozenset[str] = frozenset({FIRST_STATE})
    #: The state before the last event.
    before: frozenset[str] = frozenset({FIRST_STATE})
    blocked: bool = False
    #: Blocked because its retries were used up, so that the counter may or may not count the last failure.
    spent: bool = False
    blocked_from: frozenset[str] = frozenset()
    blocked_phases: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    live: Run | None = None
    work: list[Work] = field(default_factory=list[Work])
    runs: list[Run] = field(default_factory=list[Run])
    retries: int = 0
    fixes: int = 0
    #: Of these, runs that were abandoned.
    fixes_left: int = 0
    #: Adapter → where the last run had its sessions, and whether anything is there; both where that is not known.
    folders: dict[str, Path] = field(default_factory=dict[str, Path])
    holds: dict[str, tuple[bool, ...]] = field(default_factory=dict[str, tuple[bool, ...]])
    #: Sessions whose files make the CLI end without a word.
    silent: set[str] = field(default_factory=set[str])
    request: int | None = None
    developed: bool = False
    shown_in_development: bool = False
    #: What somebody changed since the name was fixed, to say which requirement a changed name breaks.
    retitled: bool = False
    reprefixed: bool = False
    #: What the engine last said of it, and the model with it.
    shown: object = None
    counted: object = None
    #: A worker that had it and had stopped answering went on.
    woken: bool = False
    #: Adapter → the sessions that were saved there and that nobody has touched since; whether anything must be there.
    sound: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    kept: set[str] = field(default_factory=set[str])
    #: Why nothing is predicted of it any more: something happened whose meaning the specification leaves open.
    loose: str | None = None
    #: Whether the specification leaves open if it runs anything now.
    lenient: bool = False
    # During one event:
    born: bool = True
    ending: str | None = None
    may_end: bool = False
    begun: list[Run] = field(default_factory=list[Run])
    concluded: list[Run] = field(default_factory=list[Run])

    @property
    def issue(self) -> bool:
        """Whether it is an issue's."""
        return self.ref.kind == "issue"

    @property
    def touched(self) -> list[Run]:
        """The runs that began or ended during this event."""
        return [*self.begun, *(run for run in self.concluded if run not in self.begun)]

    @property
    def active(self) -> bool:
        """Whether anything happened to it during this event."""
        return bool(self.born or self.begun or self.concluded or self.ending) or self.states != self.before

    def turn_page(self) -> None:
        """Forget what holds for one event only."""
        self.born, self.ending, self.may_end = False, None, False
        self.begun.clear()
        self.concluded.clear()
        self.before = self.states
        self.work = [work for work in self.work if work.cause != "offer"]

    def close(self, state: str) -> None:
        """End it."""
        self.open, self.states, self.blocked = False, frozenset({state}), False
        self.work.clear()

    def begin_anew(self, row: MailboxRow, counter: CounterRow, now: datetime) -> None:
        """Go on from what the engine says of it, all rows of its runs being deleted."""
        for run in self.runs:
            run.gone, run.ended = True, run.ended or now
        self.live, self.loose, self.shown, self.counted = None, None, None, None
        self.work.clear()
        for known in (self.folders, self.holds, self.sound, self.kept, self.silent):
            known.clear()
        self.open, self.states = row.open, frozenset({row.state})
        self.names = () if row.branch_name is None else (row.branch_name,)
        self.retries, self.fixes, self.fixes_left = counter.llm_retries, counter.fix_attempts, 0

    def relax(self) -> None:
        """Leave to the engine whether what waits is ever run: an issue that is blocked, or may have ended."""
        for one in self.work:
            one.must = False

    def last_succeeded(self) -> bool:
        """Say whether the last run that ended succeeded."""
        ended = [run for run in self.runs if not run.live]
        return bool(ended) and ended[-1].row.outcome == RunOutcome.SUCCEEDED
