"""Faults of the sweeps: what they do not find, what they take for nobody's, what they make of the tracker's answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from pathlib import Path

from tck_driver.vocabulary import RunOutcome
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import cleaner_of, first, layout_of, store_of
from tck_fakes.faults.register import Real, fault
from tck_simulator import reconciler as reconcilers
from tck_simulator.layout import directory_names
from tck_simulator.reconciler import GONE, Reconciler
from tck_simulator.rows import Mailbox, Session
from tck_simulator.states import IssueState

_MONTH = timedelta(days=30)
_ENOUGH = 2
_OURS = re.compile(r".+-.+-issue-\d+")

# --- CLEAN-4: what belongs to nobody goes ----------------------------------------------------------------------------


def _found(sabotage: Sabotage, chosen: Callable[[Reconciler, list[Path]], list[Path]]) -> None:
    """Let sweeps find no more of the session directories that no mailbox holds than these."""
    sweeping: list[Reconciler] = []

    def noted(reconciler: Reconciler, *_: object) -> None:
        sweeping.append(reconciler)

    def make(real: Real) -> Real:
        def entries(folder: Path) -> list[Path]:
            paths: list[Path] = real(folder)
            if folder.name != ".agent-sessions":
                return paths
            held = {box.session_dir for box in store_of(sweeping[-1]).mailboxes()}
            return chosen(sweeping[-1], [path for path in paths if path.name not in held])

        return entries

    sabotage.replace(Reconciler, "sweep", first(noted))
    sabotage.replace(reconcilers, "entries", make)


@fault("strays-left", "CLEAN-4", Kind.MISSING_EFFECT, "leaves every session directory that no mailbox holds")
def _strays_left(sabotage: Sabotage) -> None:
    def chosen(_reconciler: Reconciler, _strays: list[Path]) -> list[Path]:
        return []

    _found(sabotage, chosen)


@fault(
    "own-names-only", "CLEAN-4", Kind.WRONG_SCOPE, "removes a stray directory only where it is called like an issue's"
)
def _own_names_only(sabotage: Sabotage) -> None:
    def chosen(_reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        return [path for path in strays if _OURS.fullmatch(path.name)]

    _found(sabotage, chosen)


@fault("directories-only", "CLEAN-4", Kind.WRONG_SCOPE, "leaves files and links among the session directories")
def _directories_only(sabotage: Sabotage) -> None:
    def chosen(_reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        return [path for path in strays if path.is_dir() and not path.is_symlink()]

    _found(sabotage, chosen)


@fault("hidden-left", "CLEAN-4", Kind.WRONG_SCOPE, "passes over session directories whose name begins with a dot")
def _hidden_left(sabotage: Sabotage) -> None:
    def chosen(_reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        return [path for path in strays if not path.name.startswith(".")]

    _found(sabotage, chosen)


@fault(
    "begins-like-an-open-one", "CLEAN-4", Kind.WRONG_VALUE, "keeps a directory whose name begins like an open issue's"
)
def _begins_like_an_open_one(sabotage: Sabotage) -> None:
    def chosen(reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        open_ones = tuple(str(box.session_dir) for box in store_of(reconciler).mailboxes(only_open=True))
        return [path for path in strays if not path.name.startswith(open_ones)]

    _found(sabotage, chosen)


@fault("issue-without-run-counted", "CLEAN-4", Kind.WRONG_VALUE, "keeps the directory of an issue that has had no run")
def _issue_without_run_counted(sabotage: Sabotage) -> None:
    def chosen(reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        boxes = store_of(reconciler).mailboxes(only_open=True)
        known = {name for box in boxes for name in directory_names(box.ref)}
        return [path for path in strays if path.name not in known]

    _found(sabotage, chosen)


@fault(
    "ended-issue-counted", "CLEAN-4", Kind.WRONG_SCOPE, "keeps a directory that is named like that of an ended issue"
)
def _ended_issue_counted(sabotage: Sabotage) -> None:
    def chosen(reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        boxes = [box for box in store_of(reconciler).mailboxes() if not box.open]
        known = {name for box in boxes for name in directory_names(box.ref)}
        return [path for path in strays if path.name not in known]

    _found(sabotage, chosen)


@fault("one-stray-a-sweep", "CLEAN-4", Kind.ONCE, "removes one stray directory at each sweep")
def _one_stray_a_sweep(sabotage: Sabotage) -> None:
    def chosen(_reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        return strays[:1]

    _found(sabotage, chosen)


@fault(
    "strays-at-start", "CLEAN-4", Kind.WRONG_MOMENT, "removes stray directories when it starts, and at no later sweep"
)
def _strays_at_start(sabotage: Sabotage) -> None:
    swept: list[Reconciler] = []

    def chosen(reconciler: Reconciler, strays: list[Path]) -> list[Path]:
        again = reconciler in swept
        swept.append(reconciler)
        return [] if again else strays

    _found(sabotage, chosen)


def _taken(sabotage: Sabotage, holds: Callable[[Reconciler, Mailbox, list[Session]], bool]) -> None:
    """Let every sweep remove the session directories of the open mailboxes of which this holds."""

    def swept(reconciler: Reconciler, now: datetime) -> None:
        for mailbox in store_of(reconciler).mailboxes(only_open=True):
            rows = store_of(reconciler).sessions(mailbox.id)
            if mailbox.session_dir is not None and holds(reconciler, mailbox, rows):
                cleaner_of(reconciler).remove(layout_of(reconciler).sessions / mailbox.session_dir, "session", now)

    sabotage.replace(Reconciler, "sweep", first(swept))


@fault(
    "blocked-taken-for-ended", "CLEAN-4", Kind.EXTRA_EFFECT, "removes the directory of a blocked issue at every sweep"
)
def _blocked_taken_for_ended(sabotage: Sabotage) -> None:
    def holds(_reconciler: Reconciler, mailbox: Mailbox, _rows: list[Session]) -> bool:
        return mailbox.state == IssueState.BLOCKED

    _taken(sabotage, holds)


# --- CLEAN-10: only a definite 404 -----------------------------------------------------------------------------------


class _AnyOf:
    """Equal to each of several answers of the tracker; None is no answer."""

    def __init__(self, answers: Collection[int | None]) -> None:
        self._answers = answers

    def __eq__(self, other: object) -> bool:
        return other in self._answers

    def __hash__(self) -> int:
        return hash(tuple(self._answers))


class _Patience:
    """Equal to a 404, and to every answer once so many others were seen."""

    def __init__(self) -> None:
        self._others = 0

    def __eq__(self, other: object) -> bool:
        self._others += other != GONE
        return other == GONE or self._others > _ENOUGH

    def __hash__(self) -> int:
        return hash(GONE)


def _gone(sabotage: Sabotage, *answers: int | None) -> None:
    sabotage.replace(reconcilers, "GONE", lambda _: _AnyOf((GONE, *answers)))


@fault("unauthorized-is-gone", "CLEAN-10", Kind.WRONG_VALUE, "takes the answer 401 for the end of an issue")
def _unauthorized_is_gone(sabotage: Sabotage) -> None:
    _gone(sabotage, 401)


@fault("forbidden-is-gone", "CLEAN-10", Kind.WRONG_VALUE, "takes the answer 403 for the end of an issue")
def _forbidden_is_gone(sabotage: Sabotage) -> None:
    _gone(sabotage, 403)


@fault("busy-is-gone", "CLEAN-10", Kind.WRONG_VALUE, "takes the answer 429 for the end of an issue")
def _busy_is_gone(sabotage: Sabotage) -> None:
    _gone(sabotage, 429)


@fault("server-error-is-gone", "CLEAN-10", Kind.WRONG_VALUE, "takes the answer 500 for the end of an issue")
def _server_error_is_gone(sabotage: Sabotage) -> None:
    _gone(sabotage, 500)


@fault("unavailable-is-gone", "CLEAN-10", Kind.WRONG_VALUE, "takes the answer 503 for the end of an issue")
def _unavailable_is_gone(sabotage: Sabotage) -> None:
    _gone(sabotage, 503)


@fault("silence-is-gone", "CLEAN-10", Kind.WRONG_SCOPE, "takes no answer in time for the end of an issue")
def _silence_is_gone(sabotage: Sabotage) -> None:
    _gone(sabotage, None)


@fault(
    "third-fault-is-gone", "CLEAN-10", Kind.WRONG_MOMENT, "takes a third failed answer in a row for the end of an issue"
)
def _third_fault_is_gone(sabotage: Sabotage) -> None:
    sabotage.replace(reconcilers, "GONE", lambda _: _Patience())


# --- CLEAN-12: not under a live run ----------------------------------------------------------------------------------


def _live(rows: list[Session]) -> bool:
    return any(row.outcome == RunOutcome.LIVE for row in rows)


@fault("live-swept", "CLEAN-12", Kind.EXTRA_EFFECT, "removes the session directory of a mailbox that is at work")
def _live_swept(sabotage: Sabotage) -> None:
    def holds(_reconciler: Reconciler, _mailbox: Mailbox, rows: list[Session]) -> bool:
        return _live(rows)

    _taken(sabotage, holds)


@fault("unnamed-swept", "CLEAN-12", Kind.WRONG_SCOPE, "removes the directory of a live run that has no native id yet")
def _unnamed_swept(sabotage: Sabotage) -> None:
    def holds(_reconciler: Reconciler, _mailbox: Mailbox, rows: list[Session]) -> bool:
        return _live(rows) and not any(row.native_session_id for row in rows)

    _taken(sabotage, holds)


@fault(
    "old-swept-under-run", "CLEAN-12", Kind.WRONG_VALUE, "tells whether a run is live by the age of its session's files"
)
def _old_swept_under_run(sabotage: Sabotage) -> None:
    def holds(reconciler: Reconciler, mailbox: Mailbox, rows: list[Session]) -> bool:
        folder = layout_of(reconciler).sessions / str(mailbox.session_dir)
        times = [path.lstat().st_mtime for path in folder.rglob("*")]
        begun = min((row.created_at for row in rows), default=None)
        old = begun is not None and bool(times) and max(times) < (begun - _MONTH).timestamp()
        return _live(rows) and old

    _taken(sabotage, holds)
