"""Faults of the record: what stands in the row of a run, what a person is shown of it, and ids of nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tck_driver.vocabulary import FallbackReason
from tck_fakes.faults.changed import gives, instead, set_run
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import first
from tck_fakes.faults.register import Real, fault
from tck_simulator import run, views
from tck_simulator.layout import Fingerprint
from tck_simulator.live import LiveRun
from tck_simulator.rows import Session
from tck_simulator.run import RunSequence
from tck_simulator.store import Store

#: Label and value, line by line.
Lines = tuple[tuple[str, str], ...]

# --- RECORD-1: name, id, resumed and reason stand in the row ---------------------------------------------------------


@fault("reason-at-the-end", "RECORD-1", Kind.WRONG_MOMENT, "writes the reason only when the run has ended")
def _reason_at_the_end(sabotage: Sabotage) -> None:
    def start_run(real: Real, store: Store, *rest: object, **session: object) -> object:
        return real(store, *rest, **{**session, "resume_fallback": None})

    sabotage.replace(Store, "start_run", instead(start_run))


@fault("reason-lost-at-the-end", "RECORD-1", Kind.MISSING_EFFECT, "wipes the reason when it writes the end of the run")
def _reason_lost_at_the_end(sabotage: Sabotage) -> None:
    def finish(real: Real, store: Store, *rest: object, **values: object) -> object:
        return real(store, *rest, **{**values, "fallback": None})

    sabotage.replace(Store, "finish_run", instead(finish))


@fault("resumed-by-default", "RECORD-1", Kind.WRONG_VALUE, "has resumed true by default, until a run has ended")
def _resumed_by_default(sabotage: Sabotage) -> None:
    def start_run(made: int, store: Store, *_: object, **session: object) -> int:
        if session.get("session_name") is not None:
            set_run(store, made, resumed=True)
        return made

    sabotage.replace(Store, "start_run", gives(start_run))


@fault("reason-of-resumed-rows", "RECORD-1", Kind.EXTRA_EFFECT, "writes a reason into the rows of resumed runs too")
def _reason_of_resumed_rows(sabotage: Sabotage) -> None:
    def finish(real: Real, store: Store, *rest: object, **values: object) -> object:
        reason = FallbackReason.NO_PRIOR_SESSION if values["resumed"] else values["fallback"]
        return real(store, *rest, **{**values, "fallback": reason})

    sabotage.replace(Store, "finish_run", instead(finish))


@fault(
    "reason-of-sessionless-rows",
    "RECORD-1",
    Kind.WRONG_SCOPE,
    "writes a reason into the rows of runs without a session",
)
def _reason_of_sessionless_rows(sabotage: Sabotage) -> None:
    def finish(recorded: object, store: Store, made: int, *_: object, **__: object) -> object:
        if recorded and store.session(made).session_name is None:
            set_run(store, made, resume_fallback=FallbackReason.UNSUPPORTED_VERSION)
        return recorded

    sabotage.replace(Store, "finish_run", gives(finish))


# --- RECORD-2: what a person is shown --------------------------------------------------------------------------------


def _line(lines: Lines, label: str, value: str) -> Lines:
    """Give lines with the value of one of them exchanged."""
    return tuple((held, value if held == label else text) for held, text in lines)


@fault("detail-without-a-reason", "RECORD-2", Kind.MISSING_EFFECT, "shows that a session is fresh and not why")
def _detail_without_a_reason(sabotage: Sabotage) -> None:
    def lines(made: Lines, row: Session) -> Lines:
        return _line(made, "Context", "fresh") if row.resume_fallback is not None else made

    sabotage.replace(views, "detail_lines", gives(lines))


@fault("detail-of-a-start", "RECORD-2", Kind.WRONG_VALUE, "shows a session as resumed where it was asked for")
def _detail_of_a_start(sabotage: Sabotage) -> None:
    def lines(made: Lines, row: Session) -> Lines:
        asked = row.resume_fallback == FallbackReason.REFUSED
        return _line(made, "Context", "resumed") if asked else made

    sabotage.replace(views, "detail_lines", gives(lines))


@fault("detail-always-fresh", "RECORD-2", Kind.WRONG_SCOPE, "shows a resumed run as a fresh one")
def _detail_always_fresh(sabotage: Sabotage) -> None:
    def lines(made: Lines, row: Session) -> Lines:
        return _line(made, "Context", "fresh (no_prior_session)") if row.resumed else made

    sabotage.replace(views, "detail_lines", gives(lines))


@fault(
    "detail-with-the-first-id", "RECORD-2", Kind.ONCE, "shows the id of an issue's first session for all of its runs"
)
def _detail_with_the_first_id(sabotage: Sabotage) -> None:
    shown: dict[int, str] = {}

    def lines(made: Lines, row: Session) -> Lines:
        known = shown.setdefault(row.mailbox_id, row.native_session_id or "none")
        return _line(made, "Native id", known)

    sabotage.replace(views, "detail_lines", gives(lines))


@fault("detail-with-a-short-id", "RECORD-2", Kind.WRONG_VALUE, "shows the first eight characters of an id")
def _detail_with_a_short_id(sabotage: Sabotage) -> None:
    def lines(made: Lines, row: Session) -> Lines:
        return _line(made, "Native id", (row.native_session_id or "none")[:8])

    sabotage.replace(views, "detail_lines", gives(lines))


# --- RECORD-3: no id of what was never saved -------------------------------------------------------------------------


@fault("id-of-nothing", "RECORD-3", Kind.MISSING_EFFECT, "keeps an id whether its session was saved or not")
def _id_of_nothing(sabotage: Sabotage) -> None:
    def saved(*_: object) -> bool:
        return True

    sabotage.replace(run, "saved", lambda _: saved)


@fault("anything-there-is-saved", "RECORD-3", Kind.WRONG_VALUE, "takes a session for saved where any file is there")
def _anything_there_is_saved(sabotage: Sabotage) -> None:
    def saved(_: Fingerprint | None, after: Fingerprint | None) -> bool:
        return bool(after)

    sabotage.replace(run, "saved", lambda _: saved)


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for path in folder.rglob("*"):
        found = path.lstat()
        yield f"also {path.relative_to(folder)}", (found.st_size, found.st_mtime_ns)


@fault("link-is-saved", "RECORD-3", Kind.EXTRA_EFFECT, "takes a link among the sessions for a saved one")
def _link_is_saved(sabotage: Sabotage) -> None:
    def fingerprint(made: Fingerprint | None, state: Path) -> Fingerprint | None:
        return None if made is None else {**made, **dict(_files(state))}

    sabotage.replace(run, "fingerprint", gives(fingerprint))


@fault("work-is-saved", "RECORD-3", Kind.WRONG_SCOPE, "takes a change in the worktree for a saved session")
def _work_is_saved(sabotage: Sabotage) -> None:
    beside: dict[Path, Path] = {}

    def start(_: RunSequence, live: LiveRun) -> None:
        if live.state is not None:
            beside[live.state] = live.worktree

    def fingerprint(made: Fingerprint | None, state: Path) -> Fingerprint | None:
        return None if made is None else {**made, **dict(_files(beside[state]))}

    sabotage.replace(RunSequence, "_start", first(start))
    sabotage.replace(run, "fingerprint", gives(fingerprint))


@fault("unsaved-fallback", "RECORD-3", Kind.ONCE, "asks whether a session was saved at the first start of a run only")
def _unsaved_fallback(sabotage: Sabotage) -> None:
    def result(real: Real, sequence: RunSequence, live: LiveRun, *rest: object) -> object:
        before = live.before
        if live.leg > 1:
            live.before = None
        made = real(sequence, live, *rest)
        live.before = before
        return made

    sabotage.replace(RunSequence, "result", instead(result))
