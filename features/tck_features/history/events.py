"""What a history consists of: everything that the outside world can do to an engine and to its surroundings.

A scenario that somebody wrote has sentences; a history that was generated has events. Each event has its sentence
(`tck_features.history.wording`), so that a history that shows something can be kept as a feature file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tck_driver.bench import Script, TrackerAnswer, VersionShape
from tck_driver.configuration import ProjectConfig, StoredSetting
from tck_driver.stimuli import Stimulus
from tck_driver.vocabulary import AdapterId, MailboxRef

#: What can befall a state directory between two runs. `linked` puts a link to another place where it was.
Damage = Literal["removed", "emptied", "cut", "zeroed", "linked"]


@dataclass(frozen=True, slots=True)
class ProjectThere:
    """Before the engine starts: a project with its branch prefix and bindings."""

    project: ProjectConfig


@dataclass(frozen=True, slots=True)
class SettingStored:
    """Before the engine starts: a setting is stored."""

    setting: StoredSetting


@dataclass(frozen=True, slots=True)
class CredentialMounted:
    """Before the engine starts: a credential file of the host is mounted at this container path."""

    target: str


@dataclass(frozen=True, slots=True)
class Sent:
    """The outside world tells the engine something."""

    stimulus: Stimulus


@dataclass(frozen=True, slots=True)
class Scripted:
    """The CLI of an adapter is told what to do at its next starts."""

    adapter: AdapterId
    scripts: tuple[Script, ...]


@dataclass(frozen=True, slots=True)
class VersionSet:
    """The version command of an adapter answers so from now on; before the start, or together with a new image."""

    adapter: AdapterId
    version: str
    shape: VersionShape = "plain"


@dataclass(frozen=True, slots=True)
class TrackerSet:
    """The tracker answers so from now on when it is asked for this issue."""

    mailbox: MailboxRef
    answer: TrackerAnswer


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Time passes."""

    milliseconds: int


@dataclass(frozen=True, slots=True)
class Released:
    """Every CLI that hangs goes on to its ordinary end."""


@dataclass(frozen=True, slots=True)
class Restarted:
    """The power is cut, and the engine starts again on what is there."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """Something befalls the state directory that the last run of this mailbox and adapter had mounted."""

    mailbox: MailboxRef
    adapter: AdapterId
    how: Damage


@dataclass(frozen=True, slots=True)
class IdOverwritten:
    """The stored native id of a run is overwritten behind the engine's back; runs of a mailbox count from 0."""

    mailbox: MailboxRef
    run: int
    value: str


@dataclass(frozen=True, slots=True)
class RemovalBlocked:
    """Removing the session directory of this mailbox fails from now on, or does no longer."""

    mailbox: MailboxRef
    blocked: bool = True


Before = ProjectThere | SettingStored | CredentialMounted
Event = (
    Before
    | Sent
    | Scripted
    | VersionSet
    | TrackerSet
    | TimePassed
    | Released
    | Restarted
    | Damaged
    | IdOverwritten
    | RemovalBlocked
)
