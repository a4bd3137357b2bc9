"""Faults of removal: what it takes along, what it follows, and what becomes of one that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import cleaner_of, first, layout_of, store_of, then, unless
from tck_fakes.faults.register import Real, fault
from tck_simulator.cleanup import Cleaner
from tck_simulator.engine import Engine
from tck_simulator.layout import directory_names, entries
from tck_simulator.reconciler import Reconciler
from tck_simulator.rows import Mailbox
from tck_simulator.run import RunSequence
from tck_simulator.states import IssueState
from tck_simulator.store import Store

# --- CLEAN-8: no other mailbox, and not twice ------------------------------------------------------------------------


def _takes_along(sabotage: Sabotage, alike: Callable[[str, str], bool]) -> None:
    """Let a cleanup remove every session directory that is called like the one that it is about."""

    def removed(cleaner: Cleaner, mailbox: Mailbox, now: datetime) -> None:
        for path in entries(layout_of(cleaner).sessions):
            if mailbox.session_dir is not None and alike(path.name, mailbox.session_dir):
                cleaner.remove(path, "session", now)

    sabotage.replace(Cleaner, "remove_state", then(removed))


@fault("cleanup-by-prefix", "CLEAN-8", Kind.WRONG_SCOPE, "removes every directory whose name begins like the issue's")
def _cleanup_by_prefix(sabotage: Sabotage) -> None:
    def alike(name: str, own: str) -> bool:
        return name.startswith(own)

    _takes_along(sabotage, alike)


@fault("cleanup-by-suffix", "CLEAN-8", Kind.WRONG_SCOPE, "removes every directory whose name ends like the issue's")
def _cleanup_by_suffix(sabotage: Sabotage) -> None:
    def alike(name: str, own: str) -> bool:
        return name.endswith(own)

    _takes_along(sabotage, alike)


@fault(
    "repeated-cleanup-noted", "CLEAN-8", Kind.EXTRA_EFFECT, "puts a cleanup that finds nothing on record as a failure"
)
def _repeated_cleanup_noted(sabotage: Sabotage) -> None:
    def noted(cleaner: Cleaner, mailbox: Mailbox, now: datetime) -> None:
        if mailbox.session_dir is None:
            place = layout_of(cleaner).sessions / directory_names(mailbox.ref)[0]
            store_of(cleaner).add_incident("session_removal", str(place), "No such file or directory", now)

    sabotage.replace(Cleaner, "remove_state", first(noted))


@fault("old-cleanup-repeated", "CLEAN-8", Kind.WRONG_MOMENT, "repeats a cleanup by name after the issue was reopened")
def _old_cleanup_repeated(sabotage: Sabotage) -> None:
    def repeated(reconciler: Reconciler, now: datetime) -> None:
        for mailbox in store_of(reconciler).mailboxes():
            if not mailbox.open and mailbox.session_dir is None:
                place = layout_of(reconciler).sessions / directory_names(mailbox.ref)[0]
                cleaner_of(reconciler).remove(place, "session", now)

    sabotage.replace(Reconciler, "sweep", then(repeated))


@fault("made-up-for-too-much", "CLEAN-8", Kind.WRONG_VALUE, "makes up for a removal with the issue's present directory")
def _made_up_for_too_much(sabotage: Sabotage) -> None:
    def removed(cleaner: Cleaner, mailbox: Mailbox, now: datetime) -> None:
        latest = store_of(cleaner).mailbox(mailbox.ref)
        if mailbox.session_dir is not None and latest is not None and latest.session_dir is not None:
            cleaner.remove(layout_of(cleaner).sessions / latest.session_dir, "session", now)

    sabotage.replace(Cleaner, "remove_state", then(removed))


@fault(
    "reopened-in-old-directory",
    "CLEAN-8",
    Kind.WRONG_SCOPE,
    "gives a reopened issue the directory that was not removed",
)
def _reopened_in_old_directory(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def claim(sequence: RunSequence, mailbox: Mailbox) -> str:
            for other in store_of(sequence).mailboxes():
                if other.ref == mailbox.ref and other.session_dir is not None:
                    store_of(sequence).set_mailbox(mailbox.id, session_dir=other.session_dir)
                    return other.session_dir
            return str(real(sequence, mailbox))

        return claim

    sabotage.replace(RunSequence, "_claim", make)


# --- CLEAN-9: links themselves, not what they lead to ----------------------------------------------------------------


def _links(path: Path) -> Iterator[Path]:
    if path.is_symlink():
        yield path
    elif path.is_dir():
        yield from (below for below in path.rglob("*") if below.is_symlink())


def _emptied(cleaner: Cleaner, link: Path) -> None:
    """Remove the files of the directory that a link leads to, if that lies beside the tree and in the same place."""
    target, base = link.resolve(), layout_of(cleaner).base.resolve()
    if target.is_dir() and target.is_relative_to(base.parent) and not base.is_relative_to(target):
        for path in target.rglob("*"):
            if path.is_file() and not path.is_symlink():
                path.unlink()


@fault("links-followed", "CLEAN-9", Kind.WRONG_SCOPE, "removes what a link among the files of a session leads to")
def _links_followed(sabotage: Sabotage) -> None:
    def followed(cleaner: Cleaner, path: Path, *_: object) -> None:
        for link in _links(path):
            if link != path:
                _emptied(cleaner, link)

    sabotage.replace(Cleaner, "remove", first(followed))


@fault("state-link-followed", "CLEAN-9", Kind.WRONG_SCOPE, "removes what a link in place of a state directory leads to")
def _state_link_followed(sabotage: Sabotage) -> None:
    def followed(cleaner: Cleaner, path: Path, *_: object) -> None:
        for link in _links(path):
            if link.parent == path:
                _emptied(cleaner, link)

    sabotage.replace(Cleaner, "remove", first(followed))


@fault(
    "session-link-followed", "CLEAN-9", Kind.WRONG_SCOPE, "removes what a link in place of a session directory leads to"
)
def _session_link_followed(sabotage: Sabotage) -> None:
    def followed(cleaner: Cleaner, mailbox: Mailbox, _now: datetime) -> None:
        place = layout_of(cleaner).sessions / str(mailbox.session_dir)
        if place.is_symlink():
            _emptied(cleaner, place)

    sabotage.replace(Cleaner, "remove_state", first(followed))


@fault("stray-link-followed", "CLEAN-9", Kind.WRONG_VALUE, "removes what a link among the session directories leads to")
def _stray_link_followed(sabotage: Sabotage) -> None:
    def followed(cleaner: Cleaner, path: Path, *_: object) -> None:
        if path.is_symlink():
            _emptied(cleaner, path)

    sabotage.replace(Cleaner, "remove", first(followed))


@fault("stray-link-left", "CLEAN-9", Kind.MISSING_EFFECT, "leaves a link that stands among the session directories")
def _stray_link_left(sabotage: Sabotage) -> None:
    def holds(_cleaner: Cleaner, path: Path, *_: object) -> bool:
        return path.is_symlink()

    sabotage.replace(Cleaner, "remove", unless(holds, instead=True))


# --- CLEAN-11: a removal that fails ----------------------------------------------------------------------------------


@fault("failure-unrecorded", "CLEAN-11", Kind.MISSING_EFFECT, "puts no failed removal on record")
def _failure_unrecorded(sabotage: Sabotage) -> None:
    def always(*_: object) -> bool:
        return True

    sabotage.replace(Store, "add_incident", unless(always))


@fault("failure-without-reason", "CLEAN-11", Kind.WRONG_VALUE, "puts a failed removal on record without its reason")
def _failure_without_reason(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def add(store: Store, kind: str, subject: str, _reason: str, at: datetime) -> None:
            real(store, kind, subject, "removal failed", at)

        return add

    sabotage.replace(Store, "add_incident", make)


@fault(
    "stray-failure-unrecorded", "CLEAN-11", Kind.WRONG_SCOPE, "puts a failed removal on record only of a known issue's"
)
def _stray_failure_unrecorded(sabotage: Sabotage) -> None:
    def holds(store: Store, _kind: str, subject: str, *_: object) -> bool:
        return Path(subject).name not in {box.session_dir for box in store.mailboxes()}

    sabotage.replace(Store, "add_incident", unless(holds))


@fault(
    "failure-ends-the-sweep", "CLEAN-11", Kind.WRONG_MOMENT, "removes nothing more in a sweep after a removal failed"
)
def _failure_ends_the_sweep(sabotage: Sabotage) -> None:
    failed: list[Path] = []

    def begun(*_: object) -> None:
        failed.clear()

    def make(real: Real) -> Real:
        def remove(cleaner: Cleaner, path: Path, kind: str, now: datetime) -> bool:
            done = not failed and bool(real(cleaner, path, kind, now))
            if not done:
                failed.append(path)
            return done

        return remove

    sabotage.replace(Reconciler, "sweep", first(begun))
    sabotage.replace(Cleaner, "remove", make)


@fault("removal-tried-once", "CLEAN-11", Kind.ONCE, "never tries again to remove what it could not remove once")
def _removal_tried_once(sabotage: Sabotage) -> None:
    failed: set[Path] = set()

    def make(real: Real) -> Real:
        def remove(cleaner: Cleaner, path: Path, kind: str, now: datetime) -> bool:
            if path in failed:
                return False
            done = bool(real(cleaner, path, kind, now))
            if not done:
                failed.add(path)
            return done

        return remove

    sabotage.replace(Cleaner, "remove", make)


@fault("failure-forgotten-at-restart", "CLEAN-11", Kind.WRONG_SCOPE, "forgets over a restart what it could not remove")
def _failure_forgotten_at_restart(sabotage: Sabotage) -> None:
    failed: set[Path] = set()
    forgotten: set[Path] = set()

    def restarted(*_: object, **__: object) -> None:
        forgotten.update(failed)

    def make(real: Real) -> Real:
        def remove(cleaner: Cleaner, path: Path, kind: str, now: datetime) -> bool:
            if path in forgotten:
                return False
            done = bool(real(cleaner, path, kind, now))
            if not done:
                failed.add(path)
            return done

        return remove

    sabotage.replace(Engine, "__init__", first(restarted))
    sabotage.replace(Cleaner, "remove", make)


@fault("issue-open-until-removed", "CLEAN-11", Kind.WRONG_VALUE, "keeps an issue open whose state could not be removed")
def _issue_open_until_removed(sabotage: Sabotage) -> None:
    def reverted(engine: Engine, mailbox: Mailbox, _state: IssueState) -> None:
        if store_of(engine).mailbox_by_id(mailbox.id).session_dir is not None:
            store_of(engine).set_mailbox(mailbox.id, open=True, state=mailbox.state)

    sabotage.replace(Engine, "_end_mailbox", then(reverted))
