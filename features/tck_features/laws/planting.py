"""What the laws put in an engine's way, since no event of a history does: links, strangers, and open doors.

Code in a container can plant links among its sessions and change the mode of what is mounted; a careless administrator
can leave anything among the session directories. None of it may change what an engine does, so it is done in every
history, after each event and in the same way. Specification: ISOLATE-9, ISOLATE-11, CLEAN-4, CLEAN-9.
"""

# ruff: noqa: PTH101, PTH102, PTH103, PTH112, PTH123, PTH211 -- one system call on a plain string, at every event

from __future__ import annotations

import contextlib
import os
import time
from datetime import datetime
from typing import TYPE_CHECKING

from tck_driver.vocabulary import AdapterId
from tck_features.history.events import Damaged
from tck_features.laws import trees
from tck_features.laws.folders import folder_names

if TYPE_CHECKING:
    from tck_features.history.history import Happened
    from tck_features.laws.disk import Disk
    from tck_features.laws.known import Known
    from tck_features.laws.mailboxes import Mailbox

#: How a link among the files of a session is called, and one among the directories of its adapters.
LINK, ADAPTER_LINK = "kept-elsewhere", AdapterId.GROK_BUILD.value
_OPEN = 0o755
#: How a file of nobody is called in a directory of nobody.
_STRAY = "rollout.jsonl"
#: One set of strangers in so many events.
_EVERY = 10
#: How much older what stands in a state directory is made, and from what age on it is old enough, in nanoseconds.
_DAY = 86_400 * 10**9
_OLDER, _OLD = 90 * _DAY, 45 * _DAY
#: Of the name of an organization whose directories are planted: the paths below must not become too long.
_LONGEST = 60


class Planting:
    """Plants, and checks that what was planted goes where it has to go and leads nobody elsewhere."""

    def __init__(self, known: Known, disk: Disk) -> None:
        """Plant nothing yet."""
        self._known = known
        self._disk = disk
        self._hold = known.judge
        self._canary = str(known.world.bench.base.parent / "not-the-engine's-own")
        self._others = str(known.world.bench.base.parent / "elsewhere")
        self._as_it_was: dict[str, dict[str, trees.Stamp]] = {}
        #: Strangers, with the number of sweeps and the time at which each was planted.
        self.strangers: dict[str, tuple[int, datetime]] = {}
        self._events = 0

    def after(self, happened: Happened, busy: set[Mailbox], *, moved: bool) -> None:
        """Check what was planted before, and plant anew.

        `busy` are the mailboxes whose directories can be ready; `moved` says whether the engine can have swept.
        """
        self._events += 1
        if isinstance(happened.event, Damaged):
            # Whoever plants that link lays out what it leads to.
            self._as_it_was[self._others] = trees.look(self._others)
        if moved:
            self._check_canaries()
            self._check_strangers()
        with contextlib.suppress(OSError):
            for mailbox in busy:
                self._plant_in(mailbox)
            if not self.strangers and self._events % _EVERY == 0:
                self._plant_strangers()

    # --- what must stay as it is -------------------------------------------------------------------------------------

    def _check_canaries(self) -> None:
        for folder in (self._canary, self._others):
            held = self._as_it_was.get(folder)
            if held is None:
                continue
            same = trees.is_as_before(folder, held)
            self._hold(
                "what links lead to, outside of the engine's folder",
                expected=[] if same else sorted(held.items()),
                actual=[] if same else sorted(trees.look(folder).items()),
                by=("CLEAN-9", "ISOLATE-9"),
            )

    # --- what must go ------------------------------------------------------------------------------------------------

    def _check_strangers(self) -> None:
        by = ("CLEAN-4", "CLEAN-11") if self._known.protected else ("CLEAN-4",)
        for name, (sweeps, when) in list(self.strangers.items()):
            path = f"{self._known.root}/{name}"
            there = os.path.lexists(path)
            if there and not self._known.swept_since(sweeps, when):
                continue
            del self.strangers[name]
            self._hold(
                "what is no session directory of an open mailbox is there after a sweep",
                of=name,
                expected=False,
                actual=there,
                by=(*by, "CLEAN-9") if there and trees.is_link(trees.stamp(path)) else by,
            )

    def chosen(self) -> None:
        """Check that what stood at the path of a newly chosen name is gone."""
        if not self.strangers:
            return
        for mailbox in self._known.mailboxes:
            if mailbox.folder is None or mailbox.folder not in self.strangers:
                continue
            del self.strangers[mailbox.folder]
            place = f"{self._known.root}/{mailbox.folder}/codex"
            self._hold(
                "what stood at the path of a newly chosen name is there",
                of=mailbox.folder,
                expected=[],
                actual=[name for name in (_STRAY, LINK) if os.path.lexists(f"{place}/{name}")],
                by=("ISOLATE-8",),
            )

    # --- planting ----------------------------------------------------------------------------------------------------

    def _plant_in(self, mailbox: Mailbox) -> None:
        """Leave links, open all directories that can be mounted, and make what is in them old."""
        folder = mailbox.folder
        if folder is None or mailbox.ended is not None or folder in self._known.protected:
            return
        root = f"{self._known.root}/{folder}"
        if not trees.is_folder(root):
            return
        os.chmod(root, _OPEN)
        planted = self._link(f"{root}/{ADAPTER_LINK}")
        for adapter in mailbox.adapters:
            place = f"{root}/{adapter}"
            if trees.is_folder(place):
                os.chmod(place, _OPEN)
                planted = self._link(f"{place}/{LINK}") or planted
        if planted:
            self._disk.take(mailbox)
        if not self._known.live_in(mailbox):
            self._disk.make_old(mailbox, by=_OLDER, until=time.time_ns() - _OLD)

    def _link(self, path: str) -> bool:
        if os.path.lexists(path):
            return False
        os.symlink(self._made_canary(), path)
        return True

    def _made_canary(self) -> str:
        if not os.path.isdir(self._canary):
            os.mkdir(self._canary)
            for name in ("rollout-of-nobody.jsonl", "sessions-7.db"):
                with open(f"{self._canary}/{name}", "w", encoding="utf-8") as file:
                    file.write("not the engine's\n")
            self._as_it_was[self._canary] = trees.look(self._canary)
        return self._canary

    def _plant_strangers(self) -> None:
        root = self._known.root
        if not trees.is_folder(root):
            return
        held = {name.lower() for mailbox in self._known.mailboxes for name in mailbox.folders}
        since = (self._known.sweeps, self._known.world.bench.now())
        for name in self._names():
            path = f"{root}/{name}"
            if name.lower() in held or os.path.lexists(path):
                continue
            if name.startswith("."):
                _write(path)
            elif name == "stranger":
                self._link(path)
            else:
                os.makedirs(f"{path}/codex")
                _write(f"{path}/codex/{_STRAY}")
                self._link(f"{path}/codex/{LINK}")
            self.strangers[name] = since

    def _names(self) -> list[str]:
        """Say how strangers are called: as nobody is, nearly as a session directory, or as one that is not made yet."""
        names = ["stranger", ".stranger"]
        known = [mailbox for mailbox in self._known.mailboxes if mailbox.ref.kind == "issue"]
        names += [f"{mailbox.folder[:150]}.old" for mailbox in known if mailbox.folder is not None][:1]
        # Of an issue that had one, a history may have the directory protected.
        had = {mailbox.ref for mailbox in known if mailbox.adapters}
        without = [mailbox.ref for mailbox in known if mailbox.ref not in had]
        names += [folder_names(ref)[0] for ref in without if len(ref.organization) < _LONGEST][:1]
        return names


def _write(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("{}\n")
