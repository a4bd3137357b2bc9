"""What the commands on locks work with: a document, its lock, and the scenarios that are tagged with its ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tck_kit import assets
from tck_kit.authors.asked_check import near
from tck_kit.authors.checked import settings_for
from tck_kit.faults import UsageFault
from tck_spec.errors import SpecificationError
from tck_spec.lock.file import beside, read_lock
from tck_spec.lock.links import linked
from tck_spec.lock.records import Lock
from tck_spec.lock.standing import document_of, lock_path, source_of
from tck_spec.lock.updating import Update, new_lock, update
from tck_spec.specification import Specification, load
from tck_spec.statements import Statement, find_statements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tck_spec.settings import Settings

__all__ = ["Desk", "desk_of", "refused"]


def refused(error: SpecificationError) -> NoReturn:
    """Turn what cannot be read or written into a user's mistake."""
    raise UsageFault(error.what, error.where, error.cure) from error


@dataclass(frozen=True)
class Desk:
    """A document with its lock and its scenarios."""

    document: Path
    path: Path
    settings: Settings
    #: The folder of the scenarios; None where nobody has named one: then links stay as they are.
    features: Path | None
    #: Whether it is the kit's own specification, as it was installed.
    installed: bool = False

    @cached_property
    def spec(self) -> Specification:
        """The document as it is."""
        try:
            return load(self.document)
        except SpecificationError as error:
            refused(error)

    @cached_property
    def statements(self) -> Sequence[Statement]:
        """What it requires."""
        return find_statements(self.spec, self.settings.form)

    @cached_property
    def tags(self) -> Mapping[str, Sequence[str]] | None:
        """The scenarios of each tag; None where links stay as they are."""
        if self.features is None:
            return None
        from tck_kit.authors.tagged import read_tagged  # noqa: PLC0415 -- loads the reader of feature files

        return read_tagged(self.features, quickly=True).links()

    def first(self) -> Lock:
        """Return the lock of a document that has none yet."""
        return new_lock(self.spec, self.settings.form, source_of(self.document, self.path))

    def read(self) -> Lock:
        """Read the lock; raises `UsageFault`, also where somebody has edited it by hand."""
        try:
            lock, edited = read_lock(self.path)
        except SpecificationError as error:
            refused(error)
        if edited:
            one = edited[0]
            more = f" (and {len(edited) - 1} more)" if edited[1:] else ""
            cure = "restore it from the repository, then run `session-tck lock --update`"
            raise UsageFault(
                f"the record of {one.id} was edited by hand: {one.what}{more}", f"{self.path}:{one.line}", cure
            )
        return replace(lock, header=replace(lock.header, source=source_of(self.document, self.path)))

    def update(self, lock: Lock, answers: Mapping[str, str] | None = None) -> Update:
        """Hold a lock against the document and the scenarios."""
        found = update(lock, self.spec, self.statements, answers)
        if self.tags is None:
            return found
        return replace(found, lock=linked(found.lock, self.tags))


def desk_of(file: Path | None, lock: Path | None, config: Path | None, features: Path | None) -> Desk:
    """Find what is meant: what was named, else what the settings or the lock name, else the kit's own; `UsageFault`."""
    settings = settings_for(config, Path.cwd())
    own = assets.specification_file()
    document = file or _named(lock, settings) or near(own)
    is_own = _same(document, own)
    path = lock
    if path is None:
        path = lock_path(str(document), settings, only=len(settings.files) < 2) or beside(document)  # noqa: PLR2004 -- one
    folder = features or settings.features or (assets.scenario_folder() if is_own else None)
    return Desk(document, near(path), settings, folder, installed=is_own and assets.installed())


def _named(lock: Path | None, settings: Settings) -> Path | None:
    """Return the document that a lock that was named belongs to, or the only one that the settings name."""
    for path in (lock, settings.lock):
        if path is not None and path.is_file():
            source = document_of(path)
            if source:
                return near(path.absolute().parent / source)
    files = [one for one in settings.files if not any(sign in one for sign in "*?[")]
    if len(settings.files) == 1 and files:
        return near(settings.root / files[0])
    if settings.files:
        where = f"{settings.path}: check.files"
        raise UsageFault("there are several documents, each with a lock of its own", where, "name one of them")
    return None


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
