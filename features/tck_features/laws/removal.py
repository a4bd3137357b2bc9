"""The laws of removal: what belonged to ended mailboxes goes, and where it cannot, that is put on record.

Specification: CLEAN-1 to CLEAN-4, CLEAN-11, OFF-2 to OFF-6, ISOLATE-1, ISOLATE-8; §3.4, §21.
"""

from __future__ import annotations

import errno
import os
import re
from datetime import datetime
from typing import TYPE_CHECKING

from tck_driver.views import IncidentRow, MailboxRow
from tck_features.history.events import RemovalBlocked
from tck_features.laws import trees

if TYPE_CHECKING:
    from tck_features.history.history import Happened
    from tck_features.laws.known import Known
    from tck_features.laws.mailboxes import Mailbox
    from tck_features.laws.planting import Planting
    from tck_features.laws.runs import Run

#: What the tracker says of an issue for certain.
_DEFINITE = ("normal", "404")
#: How a system says that something may not be removed: to an ordinary user, and of what nobody may.
_REASONS = tuple(os.strerror(number).lower() for number in (errno.EACCES, errno.EPERM))


class Removal:
    """Holds what stands among the session directories against the mailboxes that may hold something there."""

    def __init__(self, known: Known, planting: Planting) -> None:
        """Look at what is known."""
        self._known = known
        self._planting = planting
        self._hold = known.judge
        #: Ended mailboxes whose directory still stood when it was last looked at: since how many sweeps, and when.
        self._left: dict[Mailbox, tuple[int, datetime]] = {}
        self._incidents: dict[str, int] = {}
        #: Directories that were removed, those that could not be at some time, and how many sweeps there were since.
        self._cleaned: set[str] = set()
        self._ever_blocked: set[str] = set()
        self._waited = 0
        self._idle: list[Run] = []

    def began(self, run: Run) -> None:
        """Note a run for which no directory may be made."""
        if not run.session:
            self._idle.append(run)

    def hear(self, happened: Happened) -> None:
        """Take in what can no longer be removed, or can be again."""
        event, touched = happened.event, happened.touched
        if not isinstance(event, RemovalBlocked) or touched is None:
            return
        if event.blocked:
            self._known.protected.add(touched.name)
            self._ever_blocked.add(touched.name)
            return
        self._known.protected.discard(touched.name)
        for mailbox in self._left:
            if mailbox.folder == touched.name:
                self._left[mailbox] = (self._known.sweeps, self._known.world.bench.now())

    def after(self, ended: list[Mailbox], *, swept: bool | None, looked: bool) -> None:
        """Check what is left of the mailboxes that have ended, and with `looked` that nothing else was made.

        `swept` says whether the engine has swept, None for certainly not.
        """
        for mailbox in ended:
            self._ended(mailbox)
        if swept is not None:
            for mailbox in [one for one in self._left if one not in ended]:
                self._again(mailbox, swept=swept)
            self._not_ended()
            self._not_repeated()
        if looked or self._idle:
            self._nothing_else()
        self._idle.clear()

    def _not_ended(self) -> None:
        """Check that what the tracker did not say has ended no mailbox (CLEAN-10)."""
        known = self._known
        vague = [ref for ref, answer in known.mailboxes.answers.items() if answer not in _DEFINITE]
        doubtful = [mailbox for ref in vague if (mailbox := known.mailboxes.open_at(ref)) is not None]
        rows = known.view("mailboxes", MailboxRow) if doubtful else None
        if rows is None:
            return
        there = {(row.mailbox, row.generation): row.open for row in rows}
        for mailbox in doubtful:
            self._hold(
                "a mailbox is open whose issue the tracker gives no definite answer for",
                of=f"{mailbox.ref}, {known.mailboxes.answers[mailbox.ref]}",
                expected=True,
                actual=there.get((mailbox.ref, mailbox.generation), True),
                rests_on="reported",
                by=("CLEAN-10",),
            )

    def _not_repeated(self) -> None:
        """Check, now and then, that a clean-up which has succeeded leaves no trouble on record (CLEAN-8)."""
        if not self._cleaned:
            return
        self._waited += 1
        if self._waited & (self._waited - 1):
            return
        wrong = [
            str(row)
            for row in self._known.view("incidents", IncidentRow) or ()
            if any(_names(row.subject, folder) for folder in self._cleaned - self._ever_blocked)
        ]
        self._hold(
            "incidents about session directories that could be removed",
            expected=[],
            actual=wrong[:5],
            rests_on="reported",
            by=("CLEAN-8", "CLEAN-11"),
        )

    def _ended(self, mailbox: Mailbox) -> None:
        folder = mailbox.folder
        if folder is None:
            mailbox.folders = ()
            return
        there = self._there(folder)
        if there and folder in self._known.protected:
            self._left[mailbox] = (self._known.sweeps, self._known.world.bench.now())
            self._recorded(folder, ("CLEAN-11", mailbox.ended or "CLEAN-4"), more=True)
            return
        self._gone(mailbox, folder, (mailbox.ended or "CLEAN-4",), there=there)

    def _again(self, mailbox: Mailbox, *, swept: bool) -> None:
        folder = mailbox.folder or ""
        there = self._there(folder)
        if not there:
            self._release(mailbox)
        elif folder in self._known.protected:
            self._recorded(folder, ("CLEAN-11",), more=swept)
        elif self._known.swept_since(*self._left[mailbox]):
            self._gone(mailbox, folder, ("CLEAN-11", "CLEAN-4"), there=there)

    def _gone(self, mailbox: Mailbox, folder: str, by: tuple[str, ...], *, there: bool) -> None:
        self._hold(
            "the session directory is there after its mailbox has ended",
            of=f"{folder} of {mailbox.ref}",
            expected=False,
            actual=there,
            by=by,
        )
        self._release(mailbox)

    def _release(self, mailbox: Mailbox) -> None:
        self._cleaned.update(mailbox.folders)
        mailbox.folders = ()
        self._left.pop(mailbox, None)

    def _there(self, folder: str) -> bool:
        return os.path.lexists(f"{self._known.root}/{folder}")

    def _recorded(self, folder: str, by: tuple[str, ...], *, more: bool) -> None:
        """Check that a removal which failed is on record, and with `more` once more than before (CLEAN-11)."""
        rows = self._known.view("incidents", IncidentRow)
        if rows is None:
            return
        mine = [
            row
            for row in rows
            if _names(row.subject, folder) and any(reason in row.reason.lower() for reason in _REASONS)
        ]
        before = self._incidents.get(folder, 0)
        self._incidents[folder] = len(mine)
        self._hold(
            "a removal that failed is on record, with its reason, and once more at each sweep",
            of=folder,
            expected=True,
            actual=len(mine) > before if more else len(mine) >= before,
            rests_on="reported",
            by=by,
            evidence=lambda: tuple(str(row) for row in rows)[-5:],
        )

    def _nothing_else(self) -> None:
        """Check that no directory was made but for runs with a session (§16.5.5)."""
        root = self._known.root
        names = trees.names(root)
        held = {folder for mailbox in self._known.mailboxes for folder in mailbox.folders}
        by = tuple(dict.fromkeys(one for run in self._idle for one in run.by)) or ("ISOLATE-1", "ISOLATE-8")
        self._hold(
            "what stands among the session directories and belongs to no mailbox",
            expected=[],
            actual=sorted(name for name in names if name not in held and name not in self._planting.strangers)[:10],
            by=by,
        )
        for run in self._idle:
            folder = run.mailbox.folder
            if folder is None or run.row.adapter_id in run.mailbox.adapters:
                continue
            self._hold(
                "a state directory was made for a run without a session",
                of=f"{run.row.adapter_id} in {folder}",
                expected=False,
                actual=trees.is_folder(f"{root}/{folder}/{run.row.adapter_id}"),
                by=run.by,
            )


def _names(text: str, folder: str) -> bool:
    """Say whether a text names a session directory, and not one whose name has this one in it."""
    return re.search(rf"(?<![\w~.-]){re.escape(folder)}(?![\w~-]|\.\w)", text) is not None
