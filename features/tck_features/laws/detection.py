"""The laws of detection: what is recorded of an installation follows from what its version command told.

Specification: CAPABILITY-1 to CAPABILITY-4, CAPABILITY-6; §16.3, §16.6.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tck_driver.views import InstallationRow
from tck_driver.vocabulary import AdapterId
from tck_features.laws.manuals import MANUALS
from tck_features.laws.versions import version_in

if TYPE_CHECKING:
    from tck_driver.witness import ContainerEnded, VersionAsked
    from tck_features.laws.known import Known

#: How long a version command may take.
_LIMIT = timedelta(seconds=10)


class Detection:
    """Holds version commands and the rows of `agent_installations` against each other."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._asked = False

    def asked(self, question: VersionAsked) -> None:
        """Note that there is something to look at."""
        self._asked = question.adapter in MANUALS or self._asked

    def ended(self, end: ContainerEnded) -> None:
        """Check that a version command was not waited for too long."""
        started = self._known.detecting.get(end.container)
        if started is None or end.how == "removed":
            return
        self._known.judge(
            "a version command has ended within its 10 seconds",
            of=started.image,
            expected=True,
            actual=end.at - started.at <= _LIMIT,
            by=("CAPABILITY-4",),
        )

    def after(self) -> None:
        """Check the rows, where a version command was run."""
        if not self._asked:
            return
        self._asked = False
        for row in self._known.view("installations", InstallationRow) or ():
            told = self._known.versions.get((row.adapter_id, row.image), set())
            if len(told) == 1:
                self._row(row, *told)

    def _row(self, row: InstallationRow, told: object) -> None:
        manual = MANUALS.get(row.adapter_id)
        verified = manual.verified_from if manual is not None else None
        version = None if row.version is None else version_in(row.version)
        able = verified is not None and version is not None and version >= verified
        path = manual.state_path if manual is not None and able else None
        by = ("CAPABILITY-3",) if row.adapter_id == AdapterId.GROK_BUILD else ("CAPABILITY-6",)
        self._known.judge(
            "the version on record is the one that the command told, null where it told none",
            of=row,
            expected=str(told),
            actual=str(version),
            rests_on="reported",
            by=("CAPABILITY-2", "CAPABILITY-4", "CAPABILITY-7"),
        )
        self._known.judge(
            "resumable_sessions and session_state_path by the version on record",
            of=row,
            expected=[able, path],
            actual=[row.resumable_sessions, row.session_state_path],
            rests_on="reported",
            by=("CAPABILITY-1", "CAPABILITY-2", *by, *(() if version is not None else ("CAPABILITY-4",))),
        )
