"""Drift: what has changed between two states of a specification, and what that does to scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tck_kit.authors.locking import refused
from tck_kit.authors.revisions import Repository
from tck_kit.faults import UsageFault
from tck_spec.errors import SpecificationError
from tck_spec.lock.changes import Change
from tck_spec.lock.effects import Impact, impact_of
from tck_spec.lock.file import SUFFIX, beside, read_lock
from tck_spec.lock.links import scenarios_of
from tck_spec.lock.reading import LockFault, parse_lock
from tck_spec.lock.records import Lock
from tck_spec.lock.updating import Update, new_lock, update
from tck_spec.settings import Form
from tck_spec.specification import Specification, load, parse
from tck_spec.statements import find_statements

__all__ = ["Drift", "Drifted", "between_files", "between_revisions"]

_NOTHING: Final[Mapping[str, Sequence[str]]] = {}


@dataclass(frozen=True, slots=True)
class Drifted:
    """One change, and what it does."""

    change: Change
    impact: Impact


@dataclass(frozen=True, slots=True)
class Drift:
    """All changes between two states."""

    old: str
    new: str
    #: Where the new text stands, for places in it.
    source: str
    changes: tuple[Drifted, ...]
    #: Whether scenarios were looked at.
    covered: bool = False

    @property
    def summary(self) -> dict[str, int]:
        """How many changes there are of each kind."""
        counts: dict[str, int] = {}
        for one in self.changes:
            counts[one.change.kind] = counts.get(one.change.kind, 0) + 1
        return counts


def between_files(old: Path, new: Path, *, form: Form, tags: Mapping[str, Sequence[str]] | None) -> Drift:
    """Compare two files, of which the old one may be a lock; raises `UsageFault`."""
    if new.name.endswith(SUFFIX):
        raise UsageFault("is a lock, and the second of two has to be a document", str(new), "give the lock first")
    after = _load(new)
    if old.name.endswith(SUFFIX):
        return _drift(str(old), str(new), _read(old), after, form=form, tags=tags)
    before = _load(old)
    near = beside(old)
    lock = _read(near) if near.is_file() else None
    return _drift(str(old), str(new), _locked(lock, before, form), after, form=form, tags=tags)


def between_revisions(
    old: str, new: str, file: str, repository: Repository, *, form: Form, tags: Mapping[str, Sequence[str]] | None
) -> Drift:
    """Compare a file in two revisions; ids come from the lock beside it in the old one, if there is one."""
    before, after = _text(repository, old, file), _text(repository, new, file)
    path = Path(file)
    text = repository.text(old, (path.parent / (path.stem + SUFFIX)).as_posix())
    lock = None
    if text is not None:
        try:
            lock, _ = parse_lock(text)
        except LockFault as fault:
            where = f"{old}:{beside(path)}:{fault.line}"
            raise UsageFault(fault.what, where, "name a revision whose lock can be read") from None
    named = _locked(lock, parse(before, file), form)
    return _drift(f"{old}:{file}", f"{new}:{file}", named, parse(after, file), form=form, tags=tags)


def _text(repository: Repository, revision: str, file: str) -> str:
    text = repository.text(revision, file)
    if text is None:
        raise UsageFault(
            "there is no such file in this revision", f"{revision}:{file}", "name another --file or revision"
        )
    return text


def _load(path: Path) -> Specification:
    try:
        return load(path)
    except SpecificationError as error:
        refused(error)


def _read(path: Path) -> Lock:
    try:
        return read_lock(path)[0]
    except SpecificationError as error:
        refused(error)


def _locked(lock: Lock | None, spec: Specification, form: Form) -> Lock:
    """Return the lock of the old state, with the ids of the one that it had."""
    found = update(lock or new_lock(spec, form, spec.source), spec, find_statements(spec, form))
    if not found.open:
        return found.lock
    return update(
        lock or found.lock, spec, find_statements(spec, form), {one.id: one.others[0] for one in found.open}
    ).lock


def _drift(
    old: str, new: str, lock: Lock, spec: Specification, *, form: Form, tags: Mapping[str, Sequence[str]] | None
) -> Drift:
    found = update(lock, spec, find_statements(spec, form))
    scenarios = _scenarios(lock, found, tags)
    changes = tuple(Drifted(one, impact_of(one, scenarios)) for one in found.changes)
    return Drift(old, new, spec.source, changes, covered=tags is not None)


def _scenarios(lock: Lock, found: Update, tags: Mapping[str, Sequence[str]] | None) -> Mapping[str, Sequence[str]]:
    """Return the scenarios of each id, by tags where they are known, and else by the links of the lock."""
    if tags is None:
        links: dict[str, list[str]] = {}
        for link in lock.links:
            links.setdefault(link.requirement, []).append(link.scenario)
        return links or _NOTHING
    return {**scenarios_of(found.lock, tags), **scenarios_of(lock, tags)}
