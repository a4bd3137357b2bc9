"""The laws of mounts: a container gets its worktree, the credentials, and where a session applies its own sessions.

Specification: ISOLATE-1 to ISOLATE-5, ISOLATE-7 to ISOLATE-9, OFF-2 to OFF-6; §3.4, §17.2.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tck_driver.vocabulary import AdapterId, Phase
from tck_driver.witness import Mount
from tck_features.laws.arguments import WORKSPACE
from tck_features.laws.folders import folder_names
from tck_features.laws.manuals import MANUALS
from tck_features.laws.runs import Leg, Run

if TYPE_CHECKING:
    from tck_features.laws.known import Known

_READ_ONLY = frozenset({Phase.ANALYSIS.value, Phase.ANSWER.value, Phase.HUMAN_REVIEW.value})


class Mounts:
    """Holds the mounts of each start against the run's mailbox, adapter and phase."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._hold = known.judge
        self._given = sorted(
            [os.path.realpath(source), target, True] for target, source in known.world.before.credentials
        )
        self._below = f"{known.root}/"
        self._places = {manual.state_path for manual in MANUALS.values() if manual.state_path is not None}

    def began(self, run: Run) -> None:
        """Say which names the directory of a mailbox can get that has its first run with a session now."""
        mailbox = run.mailbox
        if not run.session:
            return
        mailbox.adapters.add(run.row.adapter_id)
        if mailbox.folders:
            return
        certain, perhaps = self._known.held_by_others(mailbox)
        possible: list[str] = []
        for name in folder_names(mailbox.ref):
            if name.lower() in certain:
                continue
            possible.append(name)
            # What is protected cannot be removed to make room, whether or not it is there.
            if name.lower() not in perhaps and name not in self._known.protected:
                break
        mailbox.folders = tuple(possible)

    def started(self, leg: Leg) -> None:
        """Check the mounts of one start."""
        mounts = leg.container.mounts
        sessions = [mount for mount in mounts if self._is_session(mount)]
        rest = [mount for mount in mounts if mount not in sessions]
        self._worktree(leg, rest)
        self._credentials(leg, rest, sessions)
        if leg.run is None:
            return
        if leg.run.session:
            self._own(leg, leg.run, sessions)
        else:
            self._hold(
                "session mounts of a run without a session",
                expected=[],
                actual=[f"{mount.source} at {mount.target}" for mount in sessions],
                by=leg.run.by,
            )

    def _is_session(self, mount: Mount) -> bool:
        return mount.target in self._places or f"{self._known.place(mount.source)}/".startswith(self._below)

    # --- sessions ----------------------------------------------------------------------------------------------------

    def _own(self, leg: Leg, run: Run, sessions: list[Mount]) -> None:
        adapter = run.row.adapter_id
        manual = MANUALS[adapter]
        found = [[mount.target, mount.read_only] for mount in sessions]
        self._hold(
            "session mounts, each with target and whether it is read-only",
            expected=[[manual.state_path, False]],
            actual=found,
            by=("ISOLATE-2", "ISOLATE-3", "ISOLATE-4", "CAPABILITY-6"),
        )
        source = self._known.place(sessions[0].source)
        self._settle(run, source)
        mailbox = run.mailbox
        expected = f"{self._known.root}/{(mailbox.folders or ('?',))[0]}/{adapter}"
        self._hold(
            "source of the session mount",
            of=mailbox.ref,
            expected=expected,
            actual=source,
            by=("ISOLATE-1",) if source == expected else self._displaced(run, source),
        )
        self._hold(
            "where the source of the session mount really led",
            expected=source,
            actual=self._known.place(sessions[0].real_source),
            by=("ISOLATE-9",),
        )
        if adapter == AdapterId.OPENCODE:
            self._database(leg, manual.state_path or "")

    def _settle(self, run: Run, source: str) -> None:
        """Take the name that is mounted for the mailbox's, where it can be."""
        name = PurePosixPath(source).parent.name
        if name in run.mailbox.folders:
            run.mailbox.folders = (name,)

    def _displaced(self, run: Run, source: str) -> tuple[str, ...]:
        """Say what is broken by a session mount from another place."""
        path = PurePosixPath(source)
        mailbox = run.mailbox
        name = path.parent.name
        if not f"{source}/".startswith(f"{self._known.root}/"):
            return ("ISOLATE-1", "ISOLATE-4", "ISOLATE-2")
        if name in mailbox.folders:
            return ("ISOLATE-2", "ISOLATE-1")
        for other in self._known.mailboxes:
            if other is not mailbox and name.lower() in {folder.lower() for folder in other.folders}:
                again = ("CLEAN-13", "CLEAN-8") if other.ref == mailbox.ref else ()
                return ("ISOLATE-3", "ISOLATE-7", "ISOLATE-8", *again)
        plain = "~" not in (mailbox.folders or ("",))[0]
        return ("ISOLATE-1", "ISOLATE-2", "ISOLATE-8") if plain else ("ISOLATE-8",)

    def _database(self, leg: Leg, state_path: str) -> None:
        value = dict(leg.container.environment).get("OPENCODE_DB")
        self._hold(
            "OPENCODE_DB lies in the session mount",
            expected=True,
            actual=value is not None and PurePosixPath(value).parent == PurePosixPath(state_path),
            by=("ISOLATE-2", "ISOLATE-4"),
            evidence=lambda: (str(value),),
        )

    # --- the rest ----------------------------------------------------------------------------------------------------

    def _worktree(self, leg: Leg, rest: list[Mount]) -> None:
        found = [mount for mount in rest if mount.target == WORKSPACE]
        phase = leg.run.row.phase if leg.run is not None else None
        by = leg.run.by if leg.run is not None and not leg.run.session else ("ISOLATE-2", "ISOLATE-1", "OFF-2")
        self._hold(
            "mounts at the workspace, each by whether it is read-only",
            expected=[phase in _READ_ONLY] if phase is not None else [mount.read_only for mount in found][:1],
            actual=[mount.read_only for mount in found],
            by=by,
        )

    def _credentials(self, leg: Leg, rest: list[Mount], sessions: list[Mount]) -> None:
        by = leg.run.by if leg.run is not None and not leg.run.session else ("ISOLATE-4", "ISOLATE-5")
        others = [mount for mount in rest if mount.target != WORKSPACE]
        if self._known.settings.credentials_changed:
            return
        self._hold(
            "mounts beside the worktree and the sessions: source, target and whether read-only",
            expected=self._given,
            actual=sorted([os.path.normpath(mount.real_source), mount.target, mount.read_only] for mount in others),
            by=by,
        )
        overlaps = [
            f"{session.target} and {mount.target}"
            for session in sessions
            for mount in rest
            if _overlap(session.target, mount.target) or _overlap(session.real_source, mount.real_source)
        ]
        self._hold(
            "mounts that the session mount overlaps, on the host or in the container",
            expected=[],
            actual=overlaps,
            by=("ISOLATE-5", "ISOLATE-4", "ISOLATE-1", "ISOLATE-2"),
        )


def _overlap(one: str, two: str) -> bool:
    one, two = f"{one.rstrip('/')}/".casefold(), f"{two.rstrip('/')}/".casefold()
    return one.startswith(two) or two.startswith(one)
