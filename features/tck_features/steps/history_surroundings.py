"""A history's surroundings: projects, settings, versions, what CLIs and tracker do, damage, time, and the power."""

from __future__ import annotations

from tck_driver.bench import Script, TrackerAnswer, VersionShape
from tck_driver.configuration import Binding, ProjectConfig, SettingScope, SettingValue
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase
from tck_features.history.events import (
    CredentialMounted,
    Damage,
    Damaged,
    IdOverwritten,
    ProjectThere,
    Released,
    RemovalBlocked,
    Restarted,
    Scripted,
    SettingStored,
    TimePassed,
    TrackerSet,
    VersionSet,
)
from tck_features.history.sentence import happens

Bindings = tuple[tuple[Phase, Binding], ...]


@happens("project {project_address} is served by {bindings}")
def project(address: tuple[str, str], bindings: Bindings) -> ProjectThere:
    """Read a project with the usual branch prefix."""
    return ProjectThere(ProjectConfig(*address, bindings=bindings))


@happens("project {project_address} with the branch prefix {text} is served by {bindings}")
def project_with_prefix(address: tuple[str, str], prefix: str, bindings: Bindings) -> ProjectThere:
    """Read a project with a branch prefix of its own."""
    return ProjectThere(ProjectConfig(*address, prefix, bindings))


@happens("{word} is stored as {value} for {holder}")
def stored(name: str, value: SettingValue, holder: tuple[SettingScope, str, str]) -> SettingStored:
    """Read a setting that is there before the engine starts."""
    return SettingStored((*holder, name, value))


@happens("a credential is mounted at {text}")
def credential(target: str) -> CredentialMounted:
    """Read a credential mount."""
    return CredentialMounted(target)


@happens("at its next start(s) the CLI of {adapter} {scripts}")
def scripted(adapter: AdapterId, scripts: tuple[Script, ...]) -> Scripted:
    """Read what a CLI is told to do."""
    return Scripted(adapter, scripts)


@happens("the version command of {adapter} says {text} from now on")
def version(adapter: AdapterId, said: str) -> VersionSet:
    """Read a version that is told plainly."""
    return VersionSet(adapter, said)


@happens("the version command of {adapter} {version_behaviour} from now on, being {text}")
def odd_version(adapter: AdapterId, shape: VersionShape, said: str) -> VersionSet:
    """Read a version that is told in another way, or not at all."""
    return VersionSet(adapter, said, shape)


@happens("the tracker answers as usual for {mailbox}")
def tracker_mended(ref: MailboxRef) -> TrackerSet:
    """Read that the tracker answers again."""
    return TrackerSet(ref, "normal")


@happens("the tracker answers {tracker_answer} for {mailbox}")
def tracker(answer: str, ref: MailboxRef) -> TrackerSet:
    """Read an answer of the tracker."""
    answers: dict[str, TrackerAnswer] = {
        "404": "404",
        "500": "500",
        "503": "503",
        "401": "401",
        "403": "403",
        "429": "429",
        "timeout": "timeout",
    }
    if answer not in answers:
        raise KitError(f"no such answer of a tracker: {answer}")
    return TrackerSet(ref, answers[answer])


@happens("{duration} go/goes by")
def time(milliseconds: int) -> TimePassed:
    """Read a length of time."""
    return TimePassed(milliseconds)


@happens("every CLI that hangs goes on to its end")
def released() -> Released:
    """Read that nothing hangs any more."""
    return Released()


@happens("the power is cut and the engine starts again")
def restarted() -> Restarted:
    """Read a restart."""
    return Restarted()


@happens("the {adapter} state of {mailbox} {damage}")
def damaged(adapter: AdapterId, ref: MailboxRef, how: Damage) -> Damaged:
    """Read what befell a state directory."""
    return Damaged(ref, adapter, how)


@happens("the native id of run {int} of {mailbox} is overwritten with {text}")
def overwritten(number: int, ref: MailboxRef, value: str) -> IdOverwritten:
    """Read which stored id was overwritten; people count runs from 1."""
    return IdOverwritten(ref, number - 1, value)


@happens("removing the session directory of {mailbox} fails from now on")
def removal_fails(ref: MailboxRef) -> RemovalBlocked:
    """Read that a folder cannot be removed."""
    return RemovalBlocked(ref)


@happens("removing the session directory of {mailbox} works again")
def removal_works(ref: MailboxRef) -> RemovalBlocked:
    """Read that it can be again."""
    return RemovalBlocked(ref, blocked=False)
