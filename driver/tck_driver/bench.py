"""What a scenario can do to an engine's surroundings: script the stand-in CLIs, damage state, answer as the tracker.

The bench belongs to the kit, not to the engine. Its fakes implement this protocol; steps see nothing else of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from tck_driver.courses import Cast, Course
    from tck_driver.views import SessionRow
    from tck_driver.vocabulary import AdapterId, Closing, MailboxRef
    from tck_driver.witness import WitnessLog

#: How a stand-in CLI answers. Each adapter gives a shape the form that its real CLI has (§28.2); a shape that a CLI
#: cannot take is refused by the bench as the kit's own mistake.
Shape = Literal[
    "ok",  # does what it was asked: resumes, or starts afresh
    "rotate",  # resumes, and reports a new id under which it goes on
    "other_id",  # starts a session of its own with another id, exit 0, without the history
    "no_id",  # answers without naming any session
    "two_ids",  # names the asked id, then another
    "other_id_fails",  # as "other_id", but the provider fails before the model says a word
    "two_ids_fail",  # as "two_ids", but the provider fails before the model says a word
    "refuse",  # the CLI's own "no such session", exit code as measured
    "refuse_decoy",  # the same after naming a fresh id that must not be believed
    "refuse_exit_zero",  # the same with exit code 0
    "refuse_silent",  # exit code 0 and no output at all
    "id_in_use",  # refuses a chosen id as taken
    "damaged",  # finds the session and cannot load it
    "rate_limited",  # provider answers 429 after the session was loaded
    "unauthorized",  # provider answers 401
    "server_error",  # provider answers 500
    "bad_request",  # provider answers 400 for this history, every time
    "prompt_too_long",  # the history no longer fits
    "not_found_text",  # a failing run whose text says "404 not found" about something else
    "killed",  # dies from SIGKILL after it has named the session
    "killed_early",  # dies from SIGKILL before it has named anything
    "hang",  # names the session and never ends
    "hang_early",  # never says anything
    "unsaved",  # answers with exit code 0 and saves nothing
    "odd_id",  # reports the text given in `reported_id` as its session id
    "prose_id",  # answers normally; the answer's text talks of another session id
    "decoy_beside",  # answers normally and leaves a newer, foreign session beside its own
    "empty_beside",  # answers normally and leaves an empty session directory with another id
    "usage_error",  # refuses its arguments
    "generic_error",  # exit 1, a text that says nothing, no session named
    "no_output",  # exit 1 and no output at all
]

#: How the version command of an image answers (§16.6).
VersionShape = Literal["plain", "banner", "garbage", "exit_one", "hang", "empty"]


@dataclass(frozen=True, slots=True)
class Write:
    """The agent writes a file at a container path during its run, as repository code could."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """The agent plants a symbolic link at a container path."""

    path: str
    target: str


Act = Write | Link


@dataclass(frozen=True, slots=True)
class Script:
    """What a stand-in CLI does at its next start: the shape of its answer, how long it takes, what it does besides."""

    shape: Shape = "ok"
    duration_ms: int = 0
    reported_id: str | None = None
    acts: tuple[Act, ...] = ()
    answer: str = "Done."


#: How the tracker answers when asked for an issue (CLEAN-10).
TrackerAnswer = Literal["normal", "404", "500", "503", "401", "403", "429", "timeout"]


class Bench(Protocol):
    """The surroundings of the engine under test."""

    witness: WitnessLog
    base: Path

    def now(self) -> datetime:
        """Give the scenario's time."""
        ...

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the CLI of this adapter does at its next starts; after the queue it answers `ok` again."""
        ...

    def cast(self, cast: Cast, course: Course) -> None:
        """From now on tell starts of CLIs apart by these roles, and let each behave as the course says of its scope."""
        ...

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says from now on."""
        ...

    def tracker_answers(self, mailbox: MailboxRef, answer: TrackerAnswer) -> None:
        """Decide how the tracker answers when asked for this issue."""
        ...

    def tracker_ends(self, mailbox: MailboxRef, how: Closing) -> None:
        """Let the issue have ended on the tracker, which announces nothing of it."""
        ...

    def release(self, container: str | None = None) -> None:
        """Let a hanging CLI go on to its ordinary end (without a container id: all that hang)."""
        ...

    def running(self) -> Sequence[str]:
        """Give the ids of the containers that still run."""
        ...

    def protect(self, path: Path) -> None:
        """Make removing this host path fail with "permission denied" until `unprotect`."""
        ...

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        ...

    def sessions_table(self) -> Sequence[SessionRow] | None:
        """Read `llm_sessions` straight from the engine's database; None where that is not possible."""
        ...

    def tamper_native_id(self, run: str, value: str) -> bool:
        """Overwrite the native id in the engine's database, as an attacker would; False where it is out of reach."""
        ...
