"""Plays events on a world, one after the other, and lets the watchers see each."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tck_driver.stimuli import IssueOpened, IssueReopened, ReviewRequested
from tck_features.history.events import (
    Before,
    CredentialMounted,
    Damaged,
    Event,
    IdOverwritten,
    ProjectThere,
    Released,
    RemovalBlocked,
    Restarted,
    Scripted,
    Sent,
    SettingStored,
    TimePassed,
    TrackerSet,
    VersionSet,
)
from tck_features.history.history import Happened, Watcher

if TYPE_CHECKING:
    from tck_driver.views import SessionRow
    from tck_driver.vocabulary import AdapterId, MailboxRef
    from tck_features.world import World


class Player:
    """Plays a history on one world. `watchers` see each event after the engine has come to rest."""

    def __init__(self, world: World, watchers: Sequence[Watcher] = ()) -> None:
        """Begin with a world that nothing has happened in."""
        self.world = world
        self.watchers = tuple(watchers)
        self.played: list[Happened] = []
        #: The folders that cannot be removed now, each where its mailbox had it when that began.
        self._held: dict[MailboxRef, Path] = {}
        #: The folder that the present event is about.
        self._touched: Path | None = None
        #: How many runs a mailbox had when it was opened last; what those had is no longer its own.
        self._former: dict[MailboxRef, int] = {}

    def play(self, events: Iterable[Event]) -> None:
        """Play them all."""
        for event in events:
            self.one(event)

    def one(self, event: Event) -> Happened:
        """Play one event. Raises what engine or driver do wrong, and `ExpectationFailedError` from the watchers.

        To an engine that refused its configuration nothing can happen any more.
        """
        world = self.world
        since, begun = world.bench.witness.mark(), world.bench.now()
        before = world.result
        if not isinstance(event, Before | Scripted | VersionSet | TrackerSet):
            world.open()
        self._touched = None
        if world.refusal is None:
            self._do(event)
        happened = Happened(
            event=event,
            result=world.result if isinstance(event, Sent) and world.result is not before else None,
            since=since,
            until=world.bench.witness.mark(),
            begun=begun,
            ended=world.bench.now(),
            table=world.table(),
            refusal=world.refusal,
            touched=self._touched,
        )
        self.played.append(happened)
        for watcher in self.watchers:
            watcher.saw(world, happened)
        return happened

    def _do(self, event: Event) -> None:  # noqa: C901, PLR0912 -- one case per kind of event
        world = self.world
        match event:
            case ProjectThere(project=project):
                world.before.projects.append(project)
            case SettingStored(setting=setting):
                world.before.settings.append(setting)
            case CredentialMounted(target=target):
                self._credential(target)
            case Sent(stimulus=IssueOpened(mailbox=ref, title=title) | ReviewRequested(mailbox=ref, title=title)):
                world.titles[ref] = title
                world.send(event.stimulus)
            case Sent(stimulus=stimulus):
                if isinstance(stimulus, IssueReopened):
                    self._former[stimulus.mailbox] = len(self._runs(stimulus.mailbox))
                world.send(stimulus)
            case Scripted(adapter=adapter, scripts=scripts):
                world.script(adapter, *scripts)
            case VersionSet(adapter=adapter, version=version, shape=shape):
                world.bench.set_version(adapter, version, shape)
            case TrackerSet(mailbox=ref, answer=answer):
                world.bench.tracker_answers(ref, answer)
            case TimePassed(milliseconds=milliseconds):
                world.advance(milliseconds)
            case Released():
                world.bench.release()
                world.advance(0)
            case Restarted():
                world.engine.kill()
                world.refusal = world.engine.start()
                world.settle()
            case Damaged(mailbox=ref, adapter=adapter, how=how):
                self._damage(ref, adapter, how)
            case IdOverwritten(mailbox=ref, run=run, value=value):
                rows = self._runs(ref)
                # A row that was deleted is remembered, and cannot be written.
                if run < len(rows) and rows[run] in world.table():
                    world.overwrite_native_id(rows[run].run, value)
            case RemovalBlocked(mailbox=ref, blocked=blocked):
                self._block_removal(ref, blocked=blocked)

    def _credential(self, target: str) -> None:
        world = self.world
        source = world.bench.base.parent / "credentials"
        source.mkdir(exist_ok=True)
        file = source / f"file-{len(world.before.credentials)}"
        file.write_text("secret", encoding="utf-8")
        world.before.credentials.append((target, str(file)))

    def state_dir(self, ref: MailboxRef, adapter: AdapterId) -> Path | None:
        """Give the state directory that the last run of this mailbox and adapter had mounted, by what was witnessed."""
        rows = [row for row in self._present(ref) if row.adapter_id == adapter]
        return next(self._mounted(rows), None)

    def _runs(self, ref: MailboxRef) -> list[SessionRow]:
        return [row for row in self.world.runs.values() if row.mailbox == ref]

    def _present(self, ref: MailboxRef) -> list[SessionRow]:
        """Give the runs of a mailbox since it was opened last."""
        return self._runs(ref)[self._former.get(ref, 0) :]

    def _mounted(self, rows: Sequence[SessionRow]) -> Iterator[Path]:
        """Give the state directories that these runs had mounted, the latest first."""
        for row in reversed(rows):
            for start in reversed(self.world.starts_of(row)):
                yield from (Path(mount.source) for mount in self.world.session_mounts(start))

    def _damage(self, ref: MailboxRef, adapter: AdapterId, how: str) -> None:
        folder = self.state_dir(ref, adapter)
        if folder is None or folder.is_symlink() or not folder.is_dir() or folder.parent in self._held.values():
            return
        self._touched = folder
        match how:
            case "cut":
                for file in _files(folder):
                    file.write_bytes(file.read_bytes()[:7])
            case "zeroed":
                for file in _files(folder):
                    file.write_bytes(b"\0" * file.stat().st_size)
            case _:
                shutil.rmtree(folder)
                if how == "emptied":
                    folder.mkdir(mode=0o700)
                if how == "linked":
                    elsewhere = self.world.bench.base.parent / "elsewhere"
                    elsewhere.mkdir(exist_ok=True)
                    (elsewhere / "kept.txt").write_text("not the engine's", encoding="utf-8")
                    folder.symlink_to(elsewhere)

    def _block_removal(self, ref: MailboxRef, *, blocked: bool) -> None:
        if not blocked:
            folder = self._touched = self._held.pop(ref, None)
            if folder is not None:
                self.world.bench.unprotect(folder)
            return
        folder = next((one.parent for one in self._mounted(self._present(ref))), None)
        if ref not in self._held and folder is not None and folder.is_dir() and not folder.is_symlink():
            self._held[ref] = self._touched = folder
            self.world.bench.protect(folder)


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
