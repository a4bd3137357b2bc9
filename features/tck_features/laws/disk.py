"""The laws of what is kept: session directories of open mailboxes, their modes, and who wrote below them.

The disk is looked at where something can have changed it. What a CLI can have changed is told by its starts; what the
kit damaged is taken in without judgement; all the rest is the engine's doing. Specification: ISOLATE-6, ISOLATE-9,
ISOLATE-11, ISOLATE-13, CLEAN-4 to CLEAN-8, CLEAN-10, CLEAN-12, OFF-8, FALLBACK-4.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from tck_driver.bench import Link, Write
from tck_driver.stimuli import (
    IssueBlocked,
    IssueClosed,
    IssueDeleted,
    IssueRetry,
    LeaseExpired,
    ReconcileDue,
    SettingChanged,
)
from tck_driver.views import MailboxRow
from tck_driver.vocabulary import AdapterId, FallbackReason
from tck_features.history.events import Damaged, Event, Restarted, Scripted, Sent, TimePassed
from tck_features.laws import trees
from tck_features.laws.manuals import MANUALS
from tck_features.laws.transcripts import GROWING, is_passing, is_session_file, touched

if TYPE_CHECKING:
    from tck_features.history.history import Happened
    from tck_features.laws.known import Known
    from tck_features.laws.mailboxes import Mailbox
    from tck_features.laws.runs import Leg, Run

_OWNER_ONLY = 0o700
#: On what occasions an engine has reason to remove something by itself, and what is broken by the wrong thing.
_OCCASIONS: Mapping[type[object], str] = MappingProxyType(
    {
        Restarted: "CLEAN-6",
        LeaseExpired: "CLEAN-6",
        TimePassed: "CLEAN-4",
        ReconcileDue: "CLEAN-4",
        IssueClosed: "CLEAN-8",
        IssueDeleted: "CLEAN-8",
        IssueBlocked: "CLEAN-5",
        IssueRetry: "CLEAN-5",
        SettingChanged: "OFF-8",
    }
)
#: From when on rows can be old enough to be deleted.
_OLD = timedelta(days=1)


class Disk:
    """Holds the session directories against what they were."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._hold = known.judge
        self._trees: dict[Mailbox, dict[str, trees.Stamp]] = {}
        self._contents: dict[str, tuple[int, str]] = {}
        #: Whether a state directory held a regular file, as long as nothing can have changed that.
        self._holds: dict[tuple[Mailbox, str], bool] = {}
        #: Paths below the state directory that agents were told to write to, by adapter; None where they plant links.
        self._acts: dict[str, set[str] | None] = {}
        #: The runs with a session whose first start is of the present event.
        self._begun: list[Run] = []
        self._legs: list[Leg] = []
        self._idle: list[Run] = []
        #: The starts whose container ran at some time during the present event.
        self._active: list[Leg] = []

    # --- before and while --------------------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """Take in what agents are told to write."""
        self._begun.clear()
        self._legs.clear()
        self._idle.clear()
        if not isinstance(event, Scripted):
            return
        manual = MANUALS.get(event.adapter)
        place = f"{manual.state_path}/" if manual is not None else ""
        for act in (act for script in event.scripts for act in script.acts):
            known = self._acts.setdefault(event.adapter, set())
            match act:
                case Write(path=path) if known is not None:
                    known.add(os.path.normpath(path).removeprefix(place))
                case Link():
                    self._acts[event.adapter] = None
                case _:
                    pass

    def began(self, run: Run) -> None:
        """Note a run that has nothing to do with the sessions of its mailbox."""
        if not run.session:
            self._idle.append(run)

    def started(self, leg: Leg) -> None:
        """Check a resume against what the state directory held, and the database of opencode against those there."""
        run = leg.run
        if run is None or not run.session:
            return
        key = (run.mailbox, run.row.adapter_id)
        held = self._holds.pop(key, None)
        self._legs.append(leg)
        if leg.number == 1:
            self._begun.append(run)
        if held is None or leg.number > 1:
            return
        tree = self._trees.get(run.mailbox, trees.EMPTY)
        place = self._place(run.mailbox, run.row.adapter_id)
        linked = trees.is_link(tree.get(place)) or any(
            path.startswith(f"{place}/") and trees.is_link(entry) for path, entry in tree.items()
        )
        if not held:
            self._hold(
                "the state directory held nothing, and the CLI was asked to resume",
                expected=False,
                actual=not leg.fresh,
                by=("FALLBACK-4", "ISOLATE-9") if linked else ("FALLBACK-4",),
            )
        else:
            self._hold(
                "the state directory held something, and the run has the reason",
                expected=False,
                actual=run.row.resume_fallback == FallbackReason.STATE_MISSING,
                rests_on=self._known.world.evidence,
                by=("FALLBACK-4",),
            )
        if run.row.adapter_id == AdapterId.OPENCODE:
            self._database(leg, tree, place)

    def _database(self, leg: Leg, tree: trees.Tree, place: str) -> None:
        numbers = [
            int(name)
            for path in trees.files(tree, place)
            if (name := path.removeprefix(f"{place}/sessions-").removesuffix(".db")).isdecimal() and "/" not in name
        ]
        used = dict(leg.container.environment).get("OPENCODE_DB", "").rpartition("/")[2]
        name = used.removeprefix("sessions-").removesuffix(".db")
        highest = max(numbers, default=0)
        right = name.isdecimal() and (int(name) > highest if leg.fresh else int(name) == max(highest, 1))
        self._hold(
            "the database of a fresh start is a new one, that of a resume the one with the highest number",
            expected=True,
            actual=right,
            by=("FALLBACK-13", "FALLBACK-19") if leg.fresh else ("RESUME-2", "FALLBACK-14"),
            evidence=lambda: (used, f"highest: {highest}"),
        )

    # --- after -------------------------------------------------------------------------------------------------------

    def after(self, happened: Happened, *, quiet: bool) -> None:
        """Check the disk after an event; `quiet` says that nothing was witnessed of the engine meanwhile."""
        event = happened.event
        self._active.clear()
        if isinstance(event, Damaged):
            touched = None if happened.touched is None else happened.touched.parent.name
            for mailbox in self._known.mailboxes:
                if touched is not None and mailbox.folder == touched:
                    self.take(mailbox)
            return
        self._modes()
        legs = self._known.legs
        self._active = [leg for container in self._known.active if (leg := legs.get(container)) is not None]
        busy = {leg.mailbox for leg in self._active if leg.mailbox is not None}
        busy.update(run.mailbox for run in self._idle if run.mailbox in self._trees)
        everywhere = _kind(event) in _OCCASIONS and not (quiet and isinstance(event, TimePassed))
        for mailbox in self._known.mailboxes:
            if mailbox.folder is None or mailbox.ended is not None:
                continue
            if mailbox in busy:
                self._judge(mailbox, happened)
            elif everywhere and mailbox in self._trees:
                self._glance(mailbox, happened)

    def _place(self, mailbox: Mailbox, adapter: str) -> str:
        return f"{self._known.root}/{mailbox.folder}/{adapter}"

    def take(self, mailbox: Mailbox) -> None:
        """Look at a mailbox's directory without judgement."""
        if mailbox.folder is None or mailbox.ended is not None:
            return
        tree = trees.look(f"{self._known.root}/{mailbox.folder}")
        self._keep(mailbox, tree)

    def _keep(self, mailbox: Mailbox, tree: dict[str, trees.Stamp]) -> None:
        before = self._trees.get(mailbox, trees.EMPTY)
        self._trees[mailbox] = tree
        for path, held in tree.items():
            if path.endswith(GROWING) and stat.S_ISREG(held[0]) and before.get(path) != held:
                self._contents[path] = (held[1], trees.digest(path, held[1]))
        active = {leg.cli.adapter for leg in self._active if leg.mailbox is mailbox}
        running = {
            leg.cli.adapter
            for container in self._known.running
            if (leg := self._known.legs.get(container)) is not None and leg.mailbox is mailbox
        }
        for adapter in mailbox.adapters | active:
            place = self._place(mailbox, adapter)
            real = place in tree and stat.S_ISDIR(tree[place][0])
            if adapter in running:
                self._holds.pop((mailbox, adapter), None)
            else:
                self._holds[mailbox, adapter] = real and bool(trees.files(tree, place))

    def make_old(self, mailbox: Mailbox, *, by: int, until: int) -> None:
        """Make everything in a mailbox's directory older that was changed after a moment, in nanoseconds."""
        tree = self._trees.get(mailbox, {})
        for path, (mode, size, changed, inode) in list(tree.items()):
            if changed > until:
                os.utime(path, ns=(changed - by, changed - by), follow_symlinks=False)
                tree[path] = (mode, size, changed - by, inode)

    def _modes(self) -> None:
        """Check the modes of what was mounted (ISOLATE-11)."""
        for run in self._begun:
            if run.mailbox.folder is None:
                continue
            place = self._place(run.mailbox, run.row.adapter_id)
            found = {path: trees.mode(path) for path in (place.rpartition("/")[0], place)}
            modes = {path: oct(mode) for path, mode in found.items() if mode is not None}
            self._hold(
                "modes of the session directory and the state directory after a run had them mounted",
                expected=dict.fromkeys(modes, oct(_OWNER_ONLY)),
                actual=modes,
                by=("ISOLATE-11",),
            )

    def _glance(self, mailbox: Mailbox, happened: Happened) -> None:
        """Look closely only where something has changed."""
        root = f"{self._known.root}/{mailbox.folder}"
        if trees.is_as_before(root, self._trees[mailbox]) and os.path.lexists(root):
            self._kept(mailbox, happened.event, [])
        else:
            self._judge(mailbox, happened)

    def _judge(self, mailbox: Mailbox, happened: Happened) -> None:
        before = self._trees.get(mailbox, trees.EMPTY)
        tree = trees.look(f"{self._known.root}/{mailbox.folder}")
        mine = [leg for leg in self._active if leg.mailbox is mailbox]
        self._removed(mailbox, happened.event, before, tree, mine)
        self._written(mailbox, before, tree, mine)
        self._keep(mailbox, tree)

    def _removed(self, mailbox: Mailbox, event: Event, before: trees.Tree, tree: trees.Tree, legs: list[Leg]) -> None:
        root = f"{self._known.root}/{mailbox.folder}/"
        gone = [
            path.removeprefix(root)
            for path in before.keys() - tree.keys()
            if not stat.S_ISDIR(before[path][0]) and not is_passing(path)
        ]
        if gone:
            free = {leg.cli.adapter for leg in legs if self._acts.get(leg.cli.adapter, ()) is None}
            gone = sorted(name for name in gone if name.partition("/")[0] not in free and "/" in name)
        self._kept(mailbox, event, gone[:10])

    def _kept(self, mailbox: Mailbox, event: Event, gone: list[str]) -> None:
        self._hold(
            "files that are gone from the session directory of an open mailbox",
            of=mailbox.ref,
            expected=[],
            actual=gone,
            by=self._why_kept(mailbox, event, gone=bool(gone)),
        )

    def _is_blocked(self, mailbox: Mailbox) -> bool:
        """Say whether a mailbox is blocked, by an event or by its own failures."""
        rows = self._known.view("mailboxes", MailboxRow) or ()
        return any(row.mailbox == mailbox.ref and row.state == "blocked" for row in rows)

    def _why_kept(self, mailbox: Mailbox, event: Event, *, gone: bool) -> tuple[str, ...]:
        """Name what is broken by a removal in the course of an event."""
        found = [_OCCASIONS.get(_kind(event), "ISOLATE-6")]
        if isinstance(event, TimePassed):
            found += ["CLEAN-7"] if timedelta(milliseconds=event.milliseconds) >= _OLD else ["ISOLATE-6", "CLEAN-6"]
        for run in self._idle:
            found += run.by if run.mailbox is mailbox else ()
        if mailbox.blocked or (gone and self._is_blocked(mailbox)):
            found.append("CLEAN-5")
        if self._known.mailboxes.answers.get(mailbox.ref, "normal") != "normal":
            found.append("CLEAN-10")
        if self._known.live_in(mailbox) or any(leg.mailbox is mailbox for leg in self._active):
            found.append("CLEAN-12")
        if found[0] == "CLEAN-4" and any(other.ended is not None for other in self._known.mailboxes):
            found.append("CLEAN-8")
        if not self._known.settings.resumes(mailbox.ref.organization, mailbox.ref.project)[0]:
            found.append("OFF-8")
        return tuple(dict.fromkeys((*found, "ISOLATE-13")))

    def _written(self, mailbox: Mailbox, before: trees.Tree, tree: trees.Tree, legs: list[Leg]) -> None:
        """Check that nobody but a CLI made or changed anything (ISOLATE-13)."""
        strange: list[str] = []
        root = f"{self._known.root}/{mailbox.folder}/"
        for path, held in tree.items():
            if before.get(path) == held:
                continue
            adapter, _, name = path.removeprefix(root).partition("/")
            if not name:
                continue
            mine = [leg for leg in legs if leg.cli.adapter == adapter]
            if stat.S_ISDIR(held[0]):
                if not mine and path not in before:
                    strange.append(f"{adapter}/{name} was made")
            elif path in before:
                what = self._changed(path, name, before=before[path], held=held, legs=mine)
                strange += [] if what is None else [f"{adapter}/{name} {what}"]
            elif not mine or not self._may_make(adapter, name):
                strange.append(f"{adapter}/{name} was made")
        self._hold(
            "what was made or changed below the state directories of a mailbox and not by a CLI",
            of=mailbox.ref,
            expected=[],
            actual=strange[:10],
            by=("ISOLATE-13", "ISOLATE-4"),
        )

    def _may_make(self, adapter: str, name: str) -> bool:
        acts = self._acts.get(adapter, ())
        return is_session_file(adapter, name) or acts is None or name in acts

    def _changed(self, path: str, name: str, *, before: trees.Stamp, held: trees.Stamp, legs: list[Leg]) -> str | None:
        """Say what was done to a file that was there; None where its CLI may have done it."""
        acts = self._acts.get(legs[0].cli.adapter, ()) if legs else ()
        if legs and (acts is None or name in acts or is_passing(name)):
            return None
        if not legs or not any(word in name for word in touched(legs)):
            return "was changed"
        if held[0] != before[0]:
            return "has another mode"
        size, content = self._contents.get(path, (0, ""))
        if name.endswith(GROWING) and content and trees.digest(path, size) != content:
            return "was written anew"
        return None


def _kind(event: Event) -> type[object]:
    return type(event.stimulus) if isinstance(event, Sent) else type(event)
